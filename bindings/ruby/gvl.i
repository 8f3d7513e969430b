/* SPDX-License-Identifier: MIT */
/* The one place where Ruby's lock (the GVL) is released: the core calls emq_glue_outside once per
 * blocking call, and emq_glue_interrupt while it waits (options.h).
 *
 * Nothing may jump over the core's frames. What a signal handler, Thread#raise, Timeout or
 * Thread#kill raises is caught here, the core is told to end the call, and emq_rb_raise_pending
 * goes on with it once the core has returned. */

%{
typedef struct emq_rb_call {
  void (*body)(void *);
  void *body_data;
  VALUE thread;
  bool ran;    /* the body has run */
  int state;   /* not 0: an exception waits, by rb_protect */
  bool locked; /* it came on the way back out of the lock, which this thread holds since */
} emq_rb_call;

/* Both by thread of the system. They are read through functions, because Ruby may go on with its
 * thread on another one after it held the lock, and a compiler may keep an address. */
static _Thread_local emq_rb_call *emq_rb_current_cell;
static _Thread_local int emq_rb_pending_cell;

__attribute__((noinline)) static emq_rb_call **emq_rb_current(void) {
  return &emq_rb_current_cell;
}

__attribute__((noinline)) static int *emq_rb_pending(void) {
  return &emq_rb_pending_cell;
}

static VALUE emq_rb_check_ints(VALUE unused) {
  rb_thread_check_ints();
  return unused;
}

/* With the lock: runs what is due (handlers of signals among it) and keeps what it raised. */
static void *emq_rb_check_locked(void *data) {
  emq_rb_call *call = data;
  rb_protect(emq_rb_check_ints, Qnil, &call->state);
  return NULL;
}

static VALUE emq_rb_take_lock(VALUE data) {
  rb_thread_call_with_gvl(emq_rb_check_locked, (void *)data);
  return Qnil;
}

/* Without the lock, in the core's wait. The lock is taken only when something is due, so that a
 * waiting thread costs the others nothing.
 *
 * Releasing it again, Ruby looks for interrupts once more and may raise there, out of
 * rb_thread_call_with_gvl, with the lock held: hence the second rb_protect. The body then ends
 * with the lock held, and emq_rb_body leaves Ruby's own frames by a jump, as Ruby expects of an
 * exception that was raised with the lock. */
static int emq_glue_interrupt(void *hook_data) {
  (void)hook_data;
  emq_rb_call *call = *emq_rb_current();
  if (!call) return 0;
  if (!call->state && rb_thread_interrupted(call->thread)) {
    int state = 0;
    rb_protect(emq_rb_take_lock, (VALUE)call, &state);
    *emq_rb_current() = call;
    if (state) {
      call->state = state;
      call->locked = true;
    }
  }
  return call->state != 0;
}

static void *emq_rb_body(void *data) {
  emq_rb_call *call = data;
  emq_rb_call *outer = *emq_rb_current(); /* of a call that a signal handler interrupted */
  *emq_rb_current() = call;
  call->ran = true;
  call->body(call->body_data);
  *emq_rb_current() = outer;
  if (call->locked) rb_jump_tag(call->state);
  return NULL;
}

static VALUE emq_rb_release_lock(VALUE data) {
  rb_nogvl(emq_rb_body, (void *)data, RUBY_UBF_IO, NULL, RB_NOGVL_INTR_FAIL);
  return Qnil;
}

static int emq_glue_outside(void (*body)(void *), void *body_data, void *hook_data) {
  (void)hook_data;
  if (*emq_rb_pending()) return 1; /* a call of several exchanges whose last was interrupted */
  emq_rb_call call = {body, body_data, rb_thread_current(), false, 0, false};
  for (;;) {
    int jumped = 0;
    rb_protect(emq_rb_release_lock, (VALUE)&call, &jumped);
    if (call.ran) break;
    /* An interrupt was pending, so Ruby did not run the body. */
    rb_protect(emq_rb_check_ints, Qnil, &call.state);
    if (call.state) break;
  }
  RB_GC_GUARD(call.thread);
  *emq_rb_pending() = call.state;
  return call.ran ? 0 : 1;
}

/* Goes on with what waited while the core ended the call. With the lock, after the core. */
static void emq_rb_raise_pending(void) {
  int state = *emq_rb_pending();
  *emq_rb_pending() = 0;
  if (state) rb_jump_tag(state);
}
%}

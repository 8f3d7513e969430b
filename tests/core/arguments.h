/* SPDX-License-Identifier: MIT */
#ifndef EMQ_TESTS_ARGUMENTS_H
#define EMQ_TESTS_ARGUMENTS_H

/* Arguments that every transition accepts, for tests of requests. */

#include <stdio.h>
#include <stdlib.h>

#include "guard.h"
#include "wire/request.h"

#define B(text)                                                                                    \
  { text, sizeof(text) - 1 }
#define ID "JOB0KHTOWnGLuC"
#define PARENT "JOB0NgWEfAEJfs"
#define P "emq:{orders}:"
#define ROW_KEY P "job:" ID
#define PARENT_KEY P "job:" PARENT
#define PAYLOAD "a\0b\r\n\xff%s"
#define RESULT "r\0s"
#define REASON "boom\0\n"
#define LINE "l \xff"

static const emq_args ALL = {
    .queue = B("orders"),
    .id = B(ID),
    .payload = B(PAYLOAD),
    .token = 7,
    .lease_ms = 30000,
    .parent = B(PARENT),
    .parent_queue = B("mails}"),
    .result = B(RESULT),
    .dedup = B("d 1"),
    .counted = EMQ_COUNTS_ALL,
    .when = EMQ_AT,
    .due_ms = 1767225600000,
    .delay_ms = 1500,
    .max = 20,
    .limit = 100,
    .size = 8,
    .budget = 1000,
    .force = true,
    .reason = B(REASON),
    .policy = B("id"),
    .holds = (const emq_hold[]){{B(ID), 7}, {B(PARENT), 1}},
    .hold_count = 2,
    .progress = B("50%"),
    .line = B(LINE),
    .keep = 3,
    .state = EMQ_STATE_SCHEDULED,
    .first = 1000,
    .last = -1,
    .cursor = B("18446744073709551615"),
    .metric = EMQ_COUNT_FAILED,
};

/* A request, built; free it. */
static inline emq_request *built(emq_transition transition, emq_executor executor,
                                 const emq_args *args) {
  emq_request *request = malloc(sizeof *request);
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_request_build(request, transition, executor, args, &error), EMQ_OK, "%s: %s",
               emq_transition_row_of(transition)->name, error.message);
  cr_assert_eq(request->transition, transition);
  return request;
}

#endif

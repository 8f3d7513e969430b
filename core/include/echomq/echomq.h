/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_H
#define ECHOMQ_H

/* echomq: a C core that speaks the EchoMQ wire, a job queue on Valkey or Redis.
 *
 * Open this first, then the header of the room you need:
 *
 *   base.h     bytes, the allocator, the version
 *   error.h    the table of errors, and the detail that a failed call leaves
 *   wire.h     identities, outcomes, states, bounds
 *   id.h       branded ids: parse, encode, take apart
 *   key.h      keys, hashtags, slots
 *   minter.h   new ids
 *   options.h  how to connect
 *   client.h   the blocking calls: admit, claim, settle, recover
 *   lists.h    what calls on many jobs give and take
 *   operator.h what an operator does and looks at
 *
 * Rules that hold wherever a comment says nothing else: a function that can fail returns an
 * emq_status and takes an optional emq_error last; out-parameters come first; what comes back
 * through a pointer to a pointer belongs to the caller, who frees it with its _free; what comes
 * back directly belongs to its parent; _free accepts NULL; different objects may be used from
 * different threads, and one object from one thread at a time. */

#include <echomq/base.h>
#include <echomq/client.h>
#include <echomq/error.h>
#include <echomq/id.h>
#include <echomq/key.h>
#include <echomq/lists.h>
#include <echomq/minter.h>
#include <echomq/operator.h>
#include <echomq/options.h>
#include <echomq/version.h>
#include <echomq/wire.h>

#endif

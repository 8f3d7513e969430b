/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_POSIX_H
#define EMQ_CLIENT_POSIX_H

/* Asks the system's headers for POSIX and its usual additions, whatever the compiler's flags are.
 * A file that uses sockets, threads or clocks includes this before anything else. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif

#endif

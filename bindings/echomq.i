/* SPDX-License-Identifier: MIT */
/* The one interface file: SWIG reads the core's public headers through it. The generated module is
 * private to each package (_echomq); what users see is the hand-written face beside it.
 *
 * Order matters: the language's typemaps first, then what all languages share. */
%module _echomq

%{
#include <stdio.h>
#include <string.h>

#include <echomq/echomq.h>
%}

#if defined(SWIGPYTHON)
%include "python/typemaps.i"
#elif defined(SWIGRUBY)
%include "ruby/typemaps.i"
#elif defined(SWIGLUA)
%include "lua/typemaps.i"
#endif

%include "common/arguments.i"
%include "common/ownership.i"
%include "common/connect.i"
%include "common/surface.i"

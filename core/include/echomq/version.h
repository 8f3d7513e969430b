/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_VERSION_H
#define ECHOMQ_VERSION_H

/* The library's version, written here once: the build and every package read it from this file.
 * It says nothing about the wire, whose identity is in wire.h. */
#define ECHOMQ_VERSION "0.1.0"

#endif

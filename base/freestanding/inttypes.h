/* SPDX-License-Identifier: MIT */
/*
 * What the kernel uses of C11's <inttypes.h>, 7.8.1. That header is a hosted system's, and a host without 32-bit
 * libraries has none for -m32.
 */
#ifndef KERNEL_FREESTANDING_INTTYPES_H
#define KERNEL_FREESTANDING_INTTYPES_H

#include <stdint.h>

#if __SIZEOF_LONG__ == 8 /* the compilers' 64-bit types are long where it has the room, and uintptr_t follows */
#define PRIu64  "lu"
#define PRIx64  "lx"
#define PRIxPTR "lx"
#else
#define PRIu64  "llu"
#define PRIx64  "llx"
#define PRIxPTR "x"
#endif
#define PRIu32 "u"
#define PRIx32 "x"

#endif

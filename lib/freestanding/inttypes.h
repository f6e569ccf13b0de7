/* SPDX-License-Identifier: MIT */
/*
 * The part of C11's <inttypes.h> (7.8.1) that the kernel uses. The real header belongs to a hosted C library, and a
 * host without 32-bit libraries has none for -m32.
 */
#ifndef KERNEL_FREESTANDING_INTTYPES_H
#define KERNEL_FREESTANDING_INTTYPES_H

#include <stdint.h>

#if __SIZEOF_LONG__ == 8 /* int64_t and uintptr_t are long where long has 64 bits */
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

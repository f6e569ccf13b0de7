/* SPDX-License-Identifier: MIT */
/* printf-like formatting without libc; the same object serves the kernel and the host tools. */
#ifndef LIB_FORMAT_H
#define LIB_FORMAT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Formats into buf, which holds size bytes (0 and NULL allowed), always NUL-terminated when size > 0.
 * Returns the length that the whole text needs without its NUL, as C11 snprintf does.
 * Conversions: d i u x X o c s p %; flags - 0 # + space; width and precision, also as '*'; lengths hh h l ll z j t.
 * There is no floating point. An unknown conversion is copied unchanged.
 */
int format(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int vformat(char *buf, size_t size, const char *fmt, va_list args) __attribute__((format(printf, 3, 0)));

/* Divides by 10 and returns the remainder. */
unsigned format_divide_by_10(uint64_t *value);

#endif

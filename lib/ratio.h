/* SPDX-License-Identifier: MIT */
/* Quotients, also with two decimals as text, without floating point and without 64-bit division. */
#ifndef LIB_RATIO_H
#define LIB_RATIO_H

#include <stdint.h>

/* part / whole, rounded down; *rest gets the remainder. whole is at most 2^63, and not 0. */
uint64_t ratio_divide(uint64_t part, uint64_t whole, uint64_t *rest);

#define RATIO_SIZE 32u /* characters, NUL included */

/* Writes part / whole, rounded to hundredths ("12.34"), or "-" if whole is 0. Both are at most 2^56. Returns text. */
const char *ratio_text(char text[RATIO_SIZE], uint64_t part, uint64_t whole);

#endif

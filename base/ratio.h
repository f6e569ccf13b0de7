/* SPDX-License-Identifier: MIT */
/* A quotient with two decimals as text, where there is no floating point, and in the 32-bit kernel no division of 64
 * bits.
 */
#ifndef BASE_RATIO_H
#define BASE_RATIO_H

#include <stdint.h>

#define RATIO_SIZE 32u /* characters, the NUL counted */

/* part / whole, rounded to hundredths: "12.34"; "-" where whole is 0. Both at most 2^56. Returns text. */
const char *ratio_text(char text[RATIO_SIZE], uint64_t part, uint64_t whole);

#endif

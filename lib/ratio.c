/* SPDX-License-Identifier: MIT */
#include "lib/ratio.h"

#include <inttypes.h>

#include "lib/format.h"

/* Bit by bit, because 64-bit division needs libgcc on i686. */
uint64_t ratio_divide(uint64_t part, uint64_t whole, uint64_t *rest)
{
    uint64_t quotient = 0, left = 0;

    for (unsigned bit = 64; bit-- > 0;) {
        left = left << 1 | (part >> bit & 1);
        quotient <<= 1;
        if (left >= whole) {
            left -= whole;
            quotient |= 1;
        }
    }
    *rest = left;
    return quotient;
}

const char *ratio_text(char text[RATIO_SIZE], uint64_t part, uint64_t whole)
{
    uint64_t units, hundredths, rest;

    if (whole == 0) {
        format(text, RATIO_SIZE, "-");
        return text;
    }
    units = ratio_divide(part, whole, &rest);
    hundredths = ratio_divide(rest * 100 + whole / 2, whole, &rest);
    if (hundredths == 100) {
        units++;
        hundredths = 0;
    }
    format(text, RATIO_SIZE, "%" PRIu64 ".%02u", units, (unsigned)hundredths);
    return text;
}

/* SPDX-License-Identifier: MIT */
#include "lib/text.h"

int text_compare(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

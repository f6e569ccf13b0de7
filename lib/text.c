/* SPDX-License-Identifier: MIT */
#include "lib/text.h"

int text_compare(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0')
        length++;
    return length;
}

bool text_begins(const char *text, const char *with)
{
    while (*with != '\0' && *text == *with)
        text++, with++;
    return *with == '\0';
}

/* SPDX-License-Identifier: MIT */
/* String functions without libc. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Like strcmp: negative, zero or positive as a sorts before, equals or sorts after b, byte by byte. */
int text_compare(const char *a, const char *b);

/* Like strlen. */
size_t text_length(const char *text);

/* Whether the text begins with these characters. */
bool text_begins(const char *text, const char *with);

#endif

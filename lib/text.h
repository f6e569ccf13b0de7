/* SPDX-License-Identifier: MIT */
/* Comparing texts without libc. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

/* Like strcmp: negative, zero or positive as a sorts before, equals or sorts after b, byte by byte. */
int text_compare(const char *a, const char *b);

#endif

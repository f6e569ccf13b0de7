/* SPDX-License-Identifier: MIT */
/* Texts, without libc. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

/* Below, at or above zero as a comes before b, is equal to it or comes behind it, by the values of their bytes. */
int text_compare(const char *a, const char *b);

#endif

/* SPDX-License-Identifier: MIT */
/* A word in large letters, made of half blocks. Pure. */
#ifndef KERNEL_SCREEN_LETTERS_H
#define KERNEL_SCREEN_LETTERS_H

#include "kernel/screen/pen.h"

/*
 * The rows of a word in letters `scale` (1 or more) times as large as the smallest, which have 4 rows; 0 if the word is
 * wider than `width` columns.
 */
unsigned letters_rows(const char *word, unsigned scale, unsigned width);

/* Draws the word, which must fit by letters_rows(). Only the letters of the verdicts' words exist; others are blank. */
void letters_draw(const struct pen *pen, unsigned row, const char *word, unsigned scale);

#endif

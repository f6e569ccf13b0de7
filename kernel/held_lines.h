/* SPDX-License-Identifier: MIT */
/* Lines held back until a test's outcome is known: those of a test that passed never cost the serial line any time. */
#ifndef KERNEL_HELD_LINES_H
#define KERNEL_HELD_LINES_H

#include <stddef.h>

#include "lib/line.h"

/* Gives the memory in which lines are held; without any, or once it is full, they are only counted. */
void held_lines_init(void *memory, size_t size);

/* Forgets what is held. */
void held_lines_start(void);

/* Holds lines. */
extern const struct line_sink held_sink;

/* Prints what is held, and how many lines there was no room for; says nothing if none came. */
void held_lines_print(const struct line_sink *out);

#endif

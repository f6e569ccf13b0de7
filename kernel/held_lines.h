/* SPDX-License-Identifier: MIT */
/* Lines held back until a test's outcome is known, so that a test that passes costs no time on the serial line. */
#ifndef KERNEL_HELD_LINES_H
#define KERNEL_HELD_LINES_H

#include <stddef.h>

#include "lib/line.h"

/* Sets the memory for the lines. Without memory, or once it is full, they are only counted. */
void held_lines_init(void *memory, size_t size);

/* Discards the held lines. */
void held_lines_start(void);

/* Receives the lines. */
extern const struct line_sink held_sink;

/* Prints the held lines, and the number of lines that did not fit; prints no line if no line was held. */
void held_lines_print(const struct line_sink *out);

#endif

/* SPDX-License-Identifier: MIT */
/* Whole lines to whoever listens. docs/output.md is the contract of what they say. */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include "report/record_text.h"

#define CONSOLE_LINE_MAX 512 /* characters; what is longer is cut */

/* One line of output; the line end is added. */
void console_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same behind "# ", of any length. */
void console_text(const char *text);

/* One diagnostic: the same behind "# ". */
void console_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The reporters' way to console_note, and their way to the kernel's own symbols. */
extern const struct line_sink console_sink;
extern const struct symbolizer console_symbols;

#endif

/* SPDX-License-Identifier: MIT */
/* Prints whole lines. docs/output.md specifies them. */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include "kernel/report/record_text.h"

#define CONSOLE_LINE_MAX 512 /* characters; longer lines are cut */

/* Prints one line; the line end is added. */
void console_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints text of any length as a line that starts with "# ". */
void console_text(const char *text);

/* Prints one diagnostic: a line that starts with "# ". */
void console_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A sink that prints with console_note(), and a symbolizer with the kernel's own symbols. */
extern const struct line_sink console_sink;
extern const struct symbolizer console_symbols;

#endif

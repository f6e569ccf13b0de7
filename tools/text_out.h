/* SPDX-License-Identifier: MIT */
/* Buffered lines to stdout, and functions that --text and --raw share. */
#ifndef TOOLS_TEXT_OUT_H
#define TOOLS_TEXT_OUT_H

#include <stdbool.h>

#include "lib/line.h"
#include "kernel/report/record_text.h"
#include "tools/output.h"

/* A sink that puts "# " in front of lines, as in the kernel's log. */
extern const struct line_sink text_out_notes;

/* The symbols of --elf; NULL: not given. */
extern const struct symbolizer *text_out_symbols;

/* Sets the sink's test(), which prints the test's name, and end(), which flushes. */
void text_out_open(const struct output_setup *setup, struct record_sink *sink);

#endif

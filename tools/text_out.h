/* SPDX-License-Identifier: MIT */
/*
 * Lines to stdout, as fast as may be: a large buffer, and one write for many lines; and what --text and --raw share.
 */
#ifndef TOOLS_TEXT_OUT_H
#define TOOLS_TEXT_OUT_H

#include <stdbool.h>

#include "base/line.h"
#include "report/record_text.h"
#include "tools/output.h"

/* Behind a "# ", as in the kernel's log. */
extern const struct line_sink text_out_notes;

/* Those of --elf; NULL: not given. */
extern const struct symbolizer *text_out_symbols;

/* The sink's test(), which names the test in a line, and its end(), which writes out what is left. */
void text_out_open(const struct output_setup *setup, struct event_sink *sink);

#endif

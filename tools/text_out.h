/* SPDX-License-Identifier: MIT */
/* Lines to stdout, as fast as may be: a large buffer, and one write for many lines. */
#ifndef TOOLS_TEXT_OUT_H
#define TOOLS_TEXT_OUT_H

#include <stdbool.h>

#include "base/line.h"

/* Behind a "# ", as in the kernel's log. */
extern const struct line_sink text_out_notes;

/* Writes out what is left. Returns false where any of it could not be written, and says so. */
bool text_out_end(void);

#endif

/* SPDX-License-Identifier: MIT */
#include "kernel/held_lines.h"

#include "lib/format.h"
#include "lib/text.h"

static char *start; /* the lines, each followed by a NUL */
static size_t room, used;
static unsigned lost; /* lines that did not fit */

void held_lines_init(void *memory, size_t size)
{
    start = memory;
    room = memory ? size : 0;
}

void held_lines_start(void)
{
    used = 0;
    lost = 0;
}

static void hold(void *context, const char *text)
{
    const size_t length = text_length(text);

    (void)context;
    if (lost || length >= room - used) { /* after a lost line keep no further one, so that there are no gaps */
        lost++;
        return;
    }
    for (size_t i = 0; i <= length; i++)
        start[used++] = text[i];
}

const struct line_sink held_sink = { hold, NULL };

void held_lines_print(const struct line_sink *out)
{
    char text[80];

    if (used)
        out->line(out->context, "more records, because the test did not pass:");
    for (size_t at = 0; at < used; at += text_length(start + at) + 1)
        out->line(out->context, start + at);
    if (lost) {
        format(text, sizeof text, "%u more lines of records had no room (records=all prints them)", lost);
        out->line(out->context, text);
    }
}

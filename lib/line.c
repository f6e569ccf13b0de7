/* SPDX-License-Identifier: MIT */
#include "lib/line.h"

#include <stdarg.h>

#include "lib/format.h"

void say(const struct line_sink *out, const char *fmt, ...)
{
    char line[LINE_SIZE];
    va_list args;

    va_start(args, fmt);
    vformat(line, sizeof line, fmt, args);
    va_end(args);
    out->line(out->context, line);
}

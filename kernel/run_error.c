/* SPDX-License-Identifier: MIT */
#include "kernel/run_error.h"

#include <stdarg.h>

#include "lib/format.h"
#include "kernel/console.h"
#include "kernel/progress.h"

void run_error(const char *fmt, ...)
{
    char text[CONSOLE_LINE_MAX];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    console_note("error: %s", text);
    progress_trouble("%s", text);
}

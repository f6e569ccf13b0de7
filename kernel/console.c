/* SPDX-License-Identifier: MIT */
#include "kernel/console.h"

#include <stddef.h>

#include "lib/format.h"
#include "kernel/log_keeper.h"
#include "kernel/log_lines.h"
#include "kernel/serial.h"
#include "kernel/symbols.h"

static void write_text(const char *prefix, const char *text)
{
    serial_write(prefix);
    serial_write(text);
    serial_write("\r\n");
    log_keeper_line(prefix, text);
}

/* Prints a line of text. If a serial port was given up meanwhile, reports that on the other ports. */
static void print(const char *prefix, const char *text)
{
    char line[CONSOLE_LINE_MAX];
    const char *lost;

    write_text(prefix, text);
    while ((lost = serial_lost()) != NULL) {
        format(line, sizeof line, "console %s: dropped, because it accepted no more characters", lost);
        write_text("# ", line);
    }
}

static void write_line(const char *prefix, const char *fmt, va_list args)
{
    char line[CONSOLE_LINE_MAX];

    vformat(line, sizeof line, fmt, args);
    log_lines_add(line);
    print(prefix, line);
}

void console_line(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    write_line("", fmt, args);
    va_end(args);
}

void console_note(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    write_line("# ", fmt, args);
    va_end(args);
}

void console_text(const char *text)
{
    print("# ", text);
}

static void sink_line(void *context, const char *text)
{
    (void)context;
    console_note("%s", text);
}

static bool find_symbol(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    (void)context;
    return symbol_find(address, name, offset);
}

const struct line_sink console_sink = { sink_line, NULL };
const struct symbolizer console_symbols = { find_symbol, NULL };

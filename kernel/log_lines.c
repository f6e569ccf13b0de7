/* SPDX-License-Identifier: MIT */
#include "kernel/log_lines.h"

#include "lib/text.h"

static char *start;
static size_t room, used;

void log_lines_init(void *memory, size_t size)
{
    start = memory;
    room = memory ? size : 0;
}

void log_lines_start(void)
{
    used = 0;
}

/* Drops the older half. */
static void drop(void)
{
    size_t from = used / 2;

    while (from < used && start[from++] != '\0')
        continue;
    for (size_t i = from; i < used; i++)
        start[i - from] = start[i];
    used -= from;
}

void log_lines_add(const char *text)
{
    const size_t length = text_length(text) + 1;

    if (length > room || text_begins(text, "measure "))
        return;
    while (length > room - used)
        drop();
    for (size_t i = 0; i < length; i++)
        start[used++] = text[i];
}

const char *log_lines(size_t *size)
{
    *size = used;
    return start;
}

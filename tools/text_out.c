/* SPDX-License-Identifier: MIT */
#include "tools/text_out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/complain.h"
#include "tools/symbols.h"

#define BUFFER_SIZE 0x20000u

static char buffer[BUFFER_SIZE];
static size_t used;
static int problem; /* errno of the first write that failed */

static void write_out(void)
{
    for (size_t done = 0; done < used && !problem;) {
        ssize_t n = write(STDOUT_FILENO, buffer + done, used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            problem = errno;
    }
    used = 0;
}

static void put(void *context, const char *text)
{
    size_t length = strlen(text);

    (void)context;
    if (used + length + 3 > BUFFER_SIZE)
        write_out();
    memcpy(buffer + used, "# ", 2);
    memcpy(buffer + used + 2, text, length);
    buffer[used + 2 + length] = '\n';
    used += length + 3;
}

const struct line_sink text_out_notes = { put, NULL };

static struct symbolizer names;
const struct symbolizer *text_out_symbols;

static void test(void *context, const char *id)
{
    (void)context;
    say(&text_out_notes, "test %s", id);
}

static bool end(void *context)
{
    (void)context;
    write_out();
    if (problem)
        complain("standard output", "cannot write: %s", strerror(problem));
    return !problem;
}

void text_out_open(const struct output_setup *setup, struct record_sink *sink)
{
    if (setup->symbols) {
        names = symbols_symbolizer(setup->symbols);
        text_out_symbols = &names;
    }
    *sink = (struct record_sink){ .test = test, .end = end };
}

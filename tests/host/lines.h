/* SPDX-License-Identifier: MIT */
/* The lines that the code under test prints, and what they must be. */
#ifndef TESTS_HOST_LINES_H
#define TESTS_HOST_LINES_H

#include "lib/line.h"
#include "tests/host/host_test.h"

/* All lines since the last printed(), each with its line end. */
static char lines[0x10000];

static inline void keep_line(void *context, const char *line)
{
    const size_t used = strlen(lines);

    assert_true((size_t)snprintf(lines + used, sizeof lines - used, "%s\n", line) < sizeof lines - used);
}

static const struct line_sink into_lines = { keep_line, NULL };

/* The lines since the last call must be these. */
static inline void printed(const char *wanted)
{
    if (strcmp(lines, wanted) != 0)
        fail_msg("got:\n%s\nmust be:\n%s", lines, wanted);
    lines[0] = '\0';
}

static inline void forget_lines(void)
{
    lines[0] = '\0';
}

/* These words must be among the lines, or must not. */
static inline void has_printed(const char *words)
{
    if (!strstr(lines, words))
        fail_msg("got:\n%s\nmust have: %s", lines, words);
}

static inline void has_not_printed(const char *words)
{
    if (strstr(lines, words))
        fail_msg("got:\n%s\nmust not have: %s", lines, words);
}

#endif

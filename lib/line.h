/* SPDX-License-Identifier: MIT */
/* A sink for lines of text. Pure. */
#ifndef LIB_LINE_H
#define LIB_LINE_H

/* Receives one line at a time, without its line end. */
struct line_sink {
    void (*line)(void *context, const char *text);
    void *context;
};

#define LINE_SIZE 384 /* characters, NUL included: the longest line has two symbols, eight values and their keys */

/* Formats one line and passes it to the sink. Longer lines are cut to LINE_SIZE - 1 characters. */
void say(const struct line_sink *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

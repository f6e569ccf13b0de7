/* SPDX-License-Identifier: MIT */
/* Where report/ puts its lines. Pure. */
#ifndef BASE_LINE_H
#define BASE_LINE_H

/* Receives one line at a time, without a line end. */
struct line_sink {
    void (*line)(void *context, const char *text);
    void *context;
};

#define LINE_SIZE 384 /* characters, the NUL counted: the longest line has two symbols, eight values and their keys */

/* Formats one line of less than LINE_SIZE characters; what is beyond is cut off. */
void say(const struct line_sink *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

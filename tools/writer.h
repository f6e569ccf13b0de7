/* SPDX-License-Identifier: MIT */
/* A file that is written in large pieces, and remembers that it could not be. */
#ifndef TOOLS_WRITER_H
#define TOOLS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WRITER_ROOM 65536u /* bytes that writer_room() gives at most */

struct writer {
    const char *name; /* for messages */
    int fd;
    int error; /* errno of the first write that failed; what follows is dropped */
    size_t used;
    uint64_t flushed; /* bytes behind which the buffer stands */
    char *buffer;
};

/* Opens (and empties) a file, or standard output for "-". false: it was said on standard error why not. */
bool writer_open(struct writer *writer, const char *name);

/* Room for size bytes (WRITER_ROOM at most). What was written there counts once writer_end() has its end. */
char *writer_room(struct writer *writer, size_t size);

static inline void writer_end(struct writer *writer, const char *end)
{
    writer->used = (size_t)(end - writer->buffer);
}

/* Any number of bytes. */
void writer_bytes(struct writer *writer, const void *bytes, size_t size);
void writer_text(struct writer *writer, const char *text);
void writer_format(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A string of JSON, with its quotes, that may also stand in a script of a page of HTML. */
void writer_json(struct writer *writer, const char *text);

/* Bytes written so far, those that wait included: the place of the next one. */
uint64_t writer_place(const struct writer *writer);

/* Overwrites bytes of the file that were written before. */
void writer_patch(struct writer *writer, uint64_t place, const void *bytes, size_t size);

/* Writes what is left and closes the file. false: not all could be written, and that was said on standard error. */
bool writer_close(struct writer *writer);

/* Each puts its text at `at`, without a NUL, and returns the end of it. */
static inline char *put_text(char *at, const char *text)
{
    size_t length = strlen(text); /* of a literal the compiler knows it */

    memcpy(at, text, length);
    return at + length;
}

char *put_hex(char *at, uint64_t value);                                    /* no prefix, no leading zeros */
char *put_hex_wide(char *at, uint64_t value, unsigned width, char padding); /* width: up to 16 characters */
char *put_hex_blanks(char *at, uint64_t value); /* 16 characters, blanks for leading zeros */
char *put_decimal(char *at, uint64_t value);
char *put_any_decimal(char *at, uint64_t value, unsigned width, char padding); /* width: up to 20 characters */
char *put_digits_before(char *end, uint64_t value); /* ends at `end`; returns where it begins */

/* As put_any_decimal(), for a width from 1 to 19 that the compiler knows. */
static inline char *put_decimal_wide(char *at, uint64_t value, unsigned width, char padding)
{
    uint64_t limit = 1;

    for (unsigned i = 0; i < width; i++)
        limit *= 10;
    if (value >= limit)
        return put_any_decimal(at, value, width, padding);
    memset(at, padding, width);
    put_digits_before(at + width, value);
    return at + width;
}

#endif

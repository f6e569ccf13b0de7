/* SPDX-License-Identifier: MIT */
/* Buffered writing to a file, which remembers the first error. */
#ifndef TOOLS_WRITER_H
#define TOOLS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WRITER_ROOM   65536u /* the most bytes that writer_room() can reserve */
#define WRITER_BUFFER (4u * WRITER_ROOM)

struct writer {
    const char *name; /* for messages */
    int fd;
    int error; /* errno of the first failed write; further output is dropped */
    size_t used;
    uint64_t flushed; /* bytes before the buffer */
    char *buffer;
};

/*
 * Opens a file, or standard output for "-". writer_close() replaces an existing regular file. On failure, reports why
 * on stderr and returns false.
 */
bool writer_open(struct writer *writer, const char *name);

/* Writes the buffer to the file. */
void writer_flush(struct writer *writer);

/* Reserves size bytes (at most WRITER_ROOM). After writing there, call writer_end() with the end of the text. */
static inline char *writer_room(struct writer *writer, size_t size)
{
    if (writer->used + size > WRITER_BUFFER)
        writer_flush(writer);
    return writer->buffer + writer->used;
}

static inline void writer_end(struct writer *writer, const char *end)
{
    writer->used = (size_t)(end - writer->buffer);
}

/* Writes any number of bytes. */
void writer_bytes(struct writer *writer, const void *bytes, size_t size);
void writer_text(struct writer *writer, const char *text);
void writer_format(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a JSON string with its quotes, safe inside a script of an HTML page too. */
void writer_json(struct writer *writer, const char *text);

/* Bytes written so far, including buffered ones: the offset of the next byte. */
uint64_t writer_place(const struct writer *writer);

/* Overwrites earlier bytes of the file. */
void writer_patch(struct writer *writer, uint64_t place, const void *bytes, size_t size);

/* From now on writer_close() leaves an existing file as it is, and drops what is still in the buffer. */
void writer_discard(void);

/* Flushes and closes the file. If anything could not be written, reports that on stderr and returns false. */
bool writer_close(struct writer *writer);

/* These functions write their text at `at`, without a NUL, and return its end. */
static inline char *put_text(char *at, const char *text)
{
    size_t length = strlen(text); /* constant for literals */

    memcpy(at, text, length);
    return at + length;
}

/* Copies a text of at most `most` characters, in a constant time if it has no more than `usual` ones. */
static inline char *put_copy(char *at, const char *text, size_t length, size_t usual, size_t most)
{
    if (length <= usual)
        memcpy(at, text, usual);
    else
        memcpy(at, text, most);
    return at + length;
}

char *put_hex(char *at, uint64_t value); /* no prefix, no leading zeros; needs room for at least 8 characters */
char *put_decimal(char *at, uint64_t value);

#endif

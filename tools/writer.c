/* SPDX-License-Identifier: MIT */
#include "tools/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE (4u * WRITER_ROOM)

bool writer_open(struct writer *writer, const char *name)
{
    bool standard = strcmp(name, "-") == 0;

    *writer = (struct writer){ .name = standard ? "standard output" : name };
    writer->fd = standard ? STDOUT_FILENO : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (writer->fd < 0) {
        fprintf(stderr, "dsdump: cannot write %s: %s\n", name, strerror(errno));
        return false;
    }
    writer->buffer = malloc(BUFFER_SIZE);
    if (writer->buffer == NULL) {
        fprintf(stderr, "dsdump: no memory for writing %s\n", name);
        return false;
    }
    return true;
}

static void flush(struct writer *writer)
{
    const char *at = writer->buffer, *end = at + writer->used;

    while (at < end && writer->error == 0) {
        ssize_t written = write(writer->fd, at, (size_t)(end - at));
        if (written >= 0)
            at += written;
        else if (errno != EINTR)
            writer->error = errno;
    }
    writer->flushed += writer->used;
    writer->used = 0;
}

char *writer_room(struct writer *writer, size_t size)
{
    if (writer->used + size > BUFFER_SIZE)
        flush(writer);
    return writer->buffer + writer->used;
}

void writer_bytes(struct writer *writer, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        size_t part = size < WRITER_ROOM ? size : WRITER_ROOM;
        memcpy(writer_room(writer, part), at, part);
        writer->used += part;
        at += part;
        size -= part;
    }
}

void writer_text(struct writer *writer, const char *text)
{
    writer_bytes(writer, text, strlen(text));
}

void writer_format(struct writer *writer, const char *format, ...)
{
    va_list args;
    char *room = writer_room(writer, WRITER_ROOM);

    va_start(args, format);
    int length = vsnprintf(room, WRITER_ROOM, format, args);
    va_end(args);
    if (length > 0)
        writer->used += (size_t)length < WRITER_ROOM ? (size_t)length : WRITER_ROOM - 1;
}

uint64_t writer_place(const struct writer *writer)
{
    return writer->flushed + writer->used;
}

void writer_patch(struct writer *writer, uint64_t place, const void *bytes, size_t size)
{
    flush(writer);
    if (writer->error != 0)
        return;
    ssize_t written = pwrite(writer->fd, bytes, size, (off_t)place);
    if (written != (ssize_t)size)
        writer->error = written < 0 ? errno : ENOSPC;
}

bool writer_close(struct writer *writer)
{
    flush(writer);
    if (close(writer->fd) != 0 && writer->error == 0)
        writer->error = errno;
    free(writer->buffer);
    if (writer->error != 0)
        fprintf(stderr, "dsdump: cannot write %s: %s\n", writer->name, strerror(writer->error));
    return writer->error == 0;
}

char *put_text(char *at, const char *text)
{
    size_t length = strlen(text);

    memcpy(at, text, length);
    return at + length;
}

char *put_hex_wide(char *at, uint64_t value, unsigned width, char padding)
{
    unsigned digits = value == 0 ? 1 : (67u - (unsigned)__builtin_clzll(value)) / 4;

    for (; width > digits; width--)
        *at++ = padding;
    for (unsigned shift = 4 * digits; shift > 0; shift -= 4)
        *at++ = "0123456789abcdef"[value >> (shift - 4) & 0xf];
    return at;
}

char *put_hex(char *at, uint64_t value)
{
    return put_hex_wide(at, value, 0, ' ');
}

char *put_decimal_wide(char *at, uint64_t value, unsigned width, char padding)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    for (; width > count; width--)
        *at++ = padding;
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

char *put_decimal(char *at, uint64_t value)
{
    return put_decimal_wide(at, value, 0, ' ');
}

void writer_json(struct writer *writer, const char *text)
{
    writer_text(writer, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        /* "<" too: the text may stand in a page's script. Bytes that are no ASCII stand for Latin-1's characters. */
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c >= 0x7f)
            writer_format(writer, "\\u%04x", c);
        else
            writer_bytes(writer, text, 1);
    }
    writer_text(writer, "\"");
}

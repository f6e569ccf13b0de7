/* SPDX-License-Identifier: MIT */
#include "tools/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/complain.h"

/*
 * The unfinished file, which a signal removes; empty: none. It becomes the file `finished`. There is one output file at
 * a time.
 */
static char unfinished[PATH_MAX], finished[PATH_MAX];
static bool discarded;

static void remove_unfinished(void)
{
    if (unfinished[0] != '\0')
        unlink(unfinished);
}

static void on_signal(int number)
{
    remove_unfinished();
    raise(number); /* SA_RESETHAND: now with the default action */
}

/* Whether an existing file is regular, perhaps behind links; then stores its path. */
static bool find_finished(const char *name)
{
    struct stat named, found;

    return stat(name, &named) == 0 && S_ISREG(named.st_mode) && realpath(name, finished) != NULL &&
           stat(finished, &found) == 0 && named.st_dev == found.st_dev && named.st_ino == found.st_ino;
}

/*
 * A regular file is written under another name in its folder, and gets its own when it is complete, so that neither an
 * error nor a signal leaves a part of it, or destroys an older one. Others (devices, pipes) are written in place.
 */
static int open_file(const char *name)
{
    const struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    const int signals[] = { SIGHUP, SIGINT, SIGTERM };
    sigset_t blocked, before;
    struct stat old;

    if (!find_finished(name)) {
        if (lstat(name, &old) == 0)
            return open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
        snprintf(finished, sizeof finished, "%s", name);
    }
    if (snprintf(unfinished, sizeof unfinished, "%s.%ld.part", finished, (long)getpid()) >= (int)sizeof unfinished) {
        unfinished[0] = '\0';
        errno = ENAMETOOLONG;
        return -1;
    }
    const bool replaces = stat(finished, &old) == 0;
    if (replaces && access(finished, W_OK) != 0) { /* a rename needs the folder's permission only */
        unfinished[0] = '\0';
        return -1;
    }
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaddset(&blocked, signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before); /* a signal finds no file, or one that it removes */
    const int fd = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
    if (fd >= 0 && replaces)
        (void)fchmod(fd, old.st_mode & 0777);
    if (fd < 0)
        unfinished[0] = '\0';
    atexit(remove_unfinished);
    for (size_t i = 0; fd >= 0 && i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fd;
}

bool writer_open(struct writer *writer, const char *name)
{
    bool standard = strcmp(name, "-") == 0;

    *writer = (struct writer){ .name = standard ? "standard output" : name };
    writer->buffer = allocated(malloc(WRITER_BUFFER));
    writer->fd = standard ? STDOUT_FILENO : open_file(name);
    if (writer->fd < 0) {
        complain(name, "cannot write: %s", strerror(errno));
        free(writer->buffer);
        return false;
    }
    return true;
}

void writer_flush(struct writer *writer)
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
    writer_flush(writer);
    for (const char *at = bytes; size > 0 && writer->error == 0;) {
        ssize_t written = pwrite(writer->fd, at, size, (off_t)place);
        if (written > 0) {
            at += written;
            place += (uint64_t)written;
            size -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            writer->error = written == 0 ? ENOSPC : errno;
        }
    }
}

void writer_discard(void)
{
    discarded = true;
}

bool writer_close(struct writer *writer)
{
    if (discarded)
        writer->used = 0;
    writer_flush(writer);
    if (close(writer->fd) != 0 && writer->error == 0)
        writer->error = errno;
    free(writer->buffer);
    if (unfinished[0] != '\0' && writer->fd != STDOUT_FILENO) {
        if (writer->error == 0 && !discarded && rename(unfinished, finished) != 0)
            writer->error = errno;
        if (writer->error != 0 || discarded)
            unlink(unfinished);
        unfinished[0] = '\0';
    }
    if (writer->error != 0)
        complain(writer->name, "cannot write: %s", strerror(writer->error));
    return writer->error == 0;
}

/* The eight hexadecimal digits of a value in memory order, one in each byte. */
static inline uint64_t hex_digits(uint32_t value)
{
    uint64_t spread = value;

    spread = (spread & 0xffff0000) << 16 | (spread & 0xffff);
    spread = (spread & UINT64_C(0x0000ff000000ff00)) << 8 | (spread & UINT64_C(0x000000ff000000ff));
    spread = (spread & UINT64_C(0x00f000f000f000f0)) << 4 | (spread & UINT64_C(0x000f000f000f000f));
    uint64_t letters = (spread + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    return __builtin_bswap64(spread + UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10));
}

char *put_hex(char *at, uint64_t value)
{
    unsigned digits = (67u - (unsigned)__builtin_clzll(value | 1)) / 4;
    uint64_t text;

    if (digits > 8) {
        at = put_hex(at, value >> 32);
        text = hex_digits((uint32_t)value);
        digits = 8;
    } else {
        text = hex_digits((uint32_t)value) >> (64 - 8 * digits);
    }
    memcpy(at, &text, sizeof(text));
    return at + digits;
}

char *put_decimal(char *at, uint64_t value)
{
    unsigned digits = 1;

    for (uint64_t limit = 10; digits < 20 && value >= limit; limit *= 10)
        digits++;
    char *const end = at + digits, *to = end;
    for (; value > UINT32_MAX; value /= 10)
        *--to = (char)('0' + value % 10);
    uint32_t rest = (uint32_t)value; /* 32-bit division takes half the time */
    do {
        *--to = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    return end;
}

void writer_json(struct writer *writer, const char *text)
{
    writer_text(writer, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        /* "<" is escaped, because the text may be in a page's script. Bytes above ASCII become Latin-1 characters. */
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c >= 0x7f)
            writer_format(writer, "\\u%04x", c);
        else
            writer_bytes(writer, text, 1);
    }
    writer_text(writer, "\"");
}

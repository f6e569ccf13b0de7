/* SPDX-License-Identifier: MIT */
/*
 * A log in memory that survives a warm reset: the kernel writes it line by line, and the loader reads it at the next
 * start. A reset at any moment leaves only whole lines. A log that is too long keeps its beginning and its end. Pure.
 */
#ifndef BOOT_KEPT_LOG_H
#define BOOT_KEPT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEPT_LOG_VERSION 1u
#define KEPT_LOG_SIZE    0x100000u /* bytes in total */
#define KEPT_LOG_HEAD    0x1000u   /* bytes before the text */
#define KEPT_LOG_END     0x8000u   /* bytes of each half of the end */

/* The text's sections. Once the beginning is full, the two halves of the end are filled in turn. */
enum { KEPT_LOG_BEGINNING, KEPT_LOG_END_A, KEPT_LOG_END_B, KEPT_LOG_SECTIONS };

/*
 * Describes a section's text. A section has two marks, written in turn; the intact mark with the higher `serial`
 * applies.
 */
struct kept_log_mark {
    uint32_t serial;
    uint32_t before; /* lines of the log before this section */
    uint32_t lines;
    uint32_t length; /* bytes of text */
    uint64_t text_sum;
    uint64_t sum; /* of the members above */
};

struct kept_log_head {
    char magic[8];
    uint32_t version;
    uint32_t size; /* bytes in total */
    uint64_t sequence;
    uint64_t sum; /* of the members above */
    struct kept_log_mark marks[KEPT_LOG_SECTIONS][2];
};

_Static_assert(sizeof(struct kept_log_mark) == 32, "kept_log_mark is an ABI");
_Static_assert(offsetof(struct kept_log_head, marks) == 32, "kept_log_head is an ABI");
_Static_assert(sizeof(struct kept_log_head) <= KEPT_LOG_HEAD, "KEPT_LOG_HEAD");

/* A log that is being written. */
struct kept_log {
    struct kept_log_head *head; /* NULL: not kept */
    unsigned section;
    struct kept_log_mark mark;                       /* of that section, as in memory */
    void (*written)(const void *bytes, size_t size); /* flushes written bytes from the caches into memory */
};

/* Makes an empty log in KEPT_LOG_SIZE bytes of memory. sequence: a number that differs between runs. */
void kept_log_make(void *memory, uint64_t sequence);

/* Invalidates the log in this memory. */
void kept_log_forget(void *memory);

/* Opens a log made by kept_log_make() for writing. False if the memory has no such log. */
bool kept_log_open(struct kept_log *log, void *memory, size_t size, void (*written)(const void *bytes, size_t size));

/* Appends a line: prefix, text, CR LF. A reset during the call keeps the whole line or none of it. */
void kept_log_line(struct kept_log *log, const char *prefix, const char *text);

enum kept_log_error {
    KEPT_LOG_OK,
    KEPT_LOG_NONE,   /* memory holds no log of this version */
    KEPT_LOG_DAMAGED /* the log's text or marks have been changed */
};

#define KEPT_LOG_PIECES 4u

/* A log as pieces of text that follow each other. */
struct kept_log_text {
    uint64_t sequence;
    struct {
        const char *start;
        size_t length;
    } pieces[KEPT_LOG_PIECES];
    size_t length; /* of all */
    char gap[80];  /* the line that replaces lines that did not fit; pieces may point to it */
};

#define KEPT_LOG_LEAST 0x10000u /* bytes of room for a log whose middle is left out */

/*
 * Shortens a log to `room` bytes, KEPT_LOG_LEAST or more: keeps whole lines of its head and of its last KEPT_LOG_END
 * bytes, and a line between them says how many are left out. Returns the new size.
 */
size_t kept_log_shorten(char *text, size_t size, size_t room);

/* Reads KEPT_LOG_SIZE bytes of memory. After an error *text has no pieces, and only if DAMAGED a sequence. */
enum kept_log_error kept_log_read(const void *memory, struct kept_log_text *text);

#endif

/* SPDX-License-Identifier: MIT */
/* Splits a line of a dump into its words: docs/dump.md, "A frame is a line". Pure. */
#ifndef LIB_DUMP_READER_DUMP_FRAME_H
#define LIB_DUMP_READER_DUMP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dump/reader/dump_error.h"

#define DUMP_FORM_NUMBERS 5u

enum kind { KIND_BTS, KIND_PEBS, KIND_LBR, KIND_RECORDS, KIND_HEAD = KIND_RECORDS, KIND_EVENT, KIND_END, KINDS };

/* A piece of the line. */
struct piece {
    const char *start;
    size_t length;
};

/* The keys of a frame's words, in the order in which they appear. */
enum key {
    KEY_TEST,
    KEY_CPU,
    KEY_FIRST,
    KEY_COUNT,
    KEY_BEFORE,
    KEY_FORM,
    KEY_SOURCE,
    KEY_SIZE,
    KEY_TOS,
    KEY_DEPTH,
    KEY_CODES,
    KEY_DATA,
    KEY_COUNTER,
    KEY_FIXED,
    KEY_SELECT,
    KEY_PERIOD,
    KEY_THRESHOLD,
    KEY_DATA_CFG,
    KEY_NAME,
    KEY_VERSION,
    KEY_WIDTH,
    KEY_SIGNATURE,
    KEY_PERF_CAPABILITIES,
    KEY_MISC_ENABLE,
    KEY_PEBS_DATA_CFG,
    KEY_DS,
    KEY_BTS_FORM,
    KEY_PEBS_FORM,
    KEY_BUILD_ID,
    KEY_BTS,
    KEY_PEBS,
    KEY_LBR,
    KEYS
};

struct frame {
    uint64_t version; /* the other members are valid only if it is DUMP_VERSION */
    uint64_t sequence;
    uint32_t crc;
    unsigned kind;         /* KINDS: unknown */
    enum dump_error wrong; /* an error in its kind or words */
    struct piece word;     /* the wrong word, or the key of the missing one */
    uint64_t has;          /* bit n: the frame has the word with key n */
    uint64_t number[KEYS];
    struct piece text[KEYS];
    /* the numbers between slashes; missing ones are 0 */
    uint64_t form[DUMP_FORM_NUMBERS], bts_form[DUMP_FORM_NUMBERS];
};

/* The names of the kinds: "bts" and so on. */
extern const char *const dump_kind_names[KINDS];

/* Finds the start of a frame in a text, at its "# "; NULL if there is none. */
const char *dump_frame_find(const char *text, size_t length);

/* Reads a frame, without its "# ". Returns its error, if any. *intact: the checksum is right, even after an error. */
enum dump_error dump_frame_take(struct piece text, struct frame *f, bool *intact);

/* Copies at most size - 1 characters, and adds a NUL. */
void piece_copy(char *out, size_t size, struct piece text);
bool piece_is(struct piece piece, const char *text);

/* The value of a lower-case hexadecimal digit; -1 if it is not one. */
int hex_digit(char c);

#endif

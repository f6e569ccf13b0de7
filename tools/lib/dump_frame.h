/* SPDX-License-Identifier: MIT */
/* One line of a dump to its words: docs/dump.md, "A frame is a line". Pure. */
#ifndef TOOLS_LIB_DUMP_FRAME_H
#define TOOLS_LIB_DUMP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_code.h"
#include "tools/lib/dump_error.h"

#define DUMP_FORM_NUMBERS 5u

enum kind { KIND_BTS, KIND_PEBS, KIND_LBR, KIND_RECORDS, KIND_HEAD = KIND_RECORDS, KIND_EVENT, KIND_END, KINDS };

/* A piece of the line. */
struct piece {
    const char *start;
    size_t length;
};

/* The words of a frame, in the order in which frames have them. */
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
    uint64_t version; /* the rest counts only if it is DUMP_VERSION */
    uint64_t sequence;
    uint32_t crc;
    unsigned kind;         /* KINDS: none that is known here */
    enum dump_error wrong; /* with its kind or words */
    struct piece word;     /* the wrong one, or the key of the one that is missing */
    uint64_t has;          /* bit n: the word of key n is there */
    uint64_t number[KEYS];
    struct piece text[KEYS];
    /* the numbers between slashes; those that are missing are 0 */
    uint64_t form[DUMP_FORM_NUMBERS], bts_form[DUMP_FORM_NUMBERS];
};

/* "bts" and so on. */
extern const char *const dump_kind_names[KINDS];

/* Where a frame begins in a text, before its "# "; NULL: nowhere. */
const char *dump_frame_find(const char *text, size_t length);

/*
 * Reads a frame, without the "# " before it. Returns why it is none; *intact: its checksum is right all the same.
 */
enum dump_error dump_frame_take(const struct dump_codec *codec, struct piece text, struct frame *f, bool *intact);

/* Copies at most size - 1 characters. */
void piece_copy(char *out, size_t size, struct piece text);
bool piece_is(struct piece piece, const char *text);

/* The value of a hexadecimal digit in lower case; -1: it is none. */
int hex_digit(char c);

#endif

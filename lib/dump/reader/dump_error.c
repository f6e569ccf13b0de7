/* SPDX-License-Identifier: MIT */
#include "lib/dump/reader/dump_error.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/dump/dump_format.h"

_Static_assert(DUMP_VERSION == 1 && DUMP_RECORDS_MAX == 16384 && DUMP_TEST_MAX == 64 && DUMP_BUILD_ID_MAX == 20,
               "the texts below repeat these numbers");

const char *dump_error_text(enum dump_error error)
{
    switch (error) {
    case DUMP_READ_OK:
        return "no error";
    case DUMP_READ_CUT_SHORT:
        return "truncated frame: no checksum at its end";
    case DUMP_READ_CHECKSUM_DIGITS:
        return "damaged frame: its checksum is not hexadecimal";
    case DUMP_READ_CHECKSUM:
        return "damaged frame: its checksum does not match";
    case DUMP_READ_NO_VERSION:
        return "frame without a version";
    case DUMP_READ_VERSION:
        return "only version 1 of the format is supported";
    case DUMP_READ_NO_SEQUENCE:
        return "frame without a sequence number";
    case DUMP_READ_KIND:
        return "unknown kind of frame";
    case DUMP_READ_WORD:
        return "malformed word";
    case DUMP_READ_WORD_MISSING:
        return "missing word";
    case DUMP_READ_BUILD_ID:
        return "build_id= is not up to 20 bytes in hexadecimal";
    case DUMP_READ_COUNT:
        return "count= is not in the range 1 to 16384";
    case DUMP_READ_NUMBERING:
        return "first=, before= and count= contradict each other";
    case DUMP_READ_TEST:
        return "test= is longer than 64 characters";
    case DUMP_READ_CPU:
        return "cpu= does not fit into 32 bits";
    case DUMP_READ_FIELD_WIDTH:
        return "form= has a field width that is neither 4 nor 8 bytes";
    case DUMP_READ_RECORD_SIZE:
        return "size= is not a possible size of a PEBS record";
    case DUMP_READ_SOURCE:
        return "source= is not a known encoding of data sources";
    case DUMP_READ_STACK:
        return "count= or depth= is not possible for an LBR stack";
    case DUMP_READ_STACK_FORMAT:
        return "form= is not a known LBR format";
    case DUMP_READ_DATA_LENGTH:
        return "data= is longer than a frame may be";
    case DUMP_READ_BASE64:
        return "data= is not base64";
    case DUMP_READ_CODES:
        return "codes= does not fit the payload";
    case DUMP_READ_CODES_CUT:
        return "the codes end in the middle of a number";
    case DUMP_READ_VALUES_CUT:
        return "the values end too early";
    case DUMP_READ_VALUES_COUNT:
        return "the number of values does not match the codes";
    case DUMP_READ_TOO_FEW:
        return "fewer records than count= says";
    case DUMP_READ_TOO_MANY:
        return "more records than count= says";
    case DUMP_READ_LEFT_OVER:
        return "bytes left over after the last record";
    case DUMP_READ_PREDICTION:
        return "a code predicts a branch before any is known";
    case DUMP_READ_REFERENCE:
        return "a code refers to an unknown branch";
    case DUMP_READ_PEBS:
        return "PEBS record cannot be decoded";
    case DUMP_READ_MISSING:
        return "missing before this line";
    case DUMP_READ_TWICE:
        return "duplicate, ignored";
    case DUMP_READ_ORDER:
        return "out of order, ignored";
    case DUMP_READ_NO_HEAD:
        return "the dump starts without its head frame";
    case DUMP_READ_NO_END:
        return "the dump breaks off here: no end frame, so more records may be missing";
    case DUMP_READ_LOST:
        return "records are lost";
    case DUMP_READ_WRAPPED:
        return "if a terminal wrapped the lines, capture the log without one";
    case DUMP_READ_NO_DUMP:
        return "no dump in this log: boot the kernel with dump=raw to get one";
    }
    return "unknown error of the dump";
}

const char *dump_problem_text(char text[DUMP_PROBLEM_TEXT], const struct dump_problem *p)
{
    const char *sentence = dump_error_text(p->error);

    if (p->error == DUMP_READ_VERSION)
        snprintf(text, DUMP_PROBLEM_TEXT, "frame of version %" PRIu64 ": %s", p->version, sentence);
    else if (p->error == DUMP_READ_WORD || p->error == DUMP_READ_WORD_MISSING)
        snprintf(text, DUMP_PROBLEM_TEXT, "frame %" PRIu64 ": %s: %s", p->first, sentence, p->word);
    else if (p->error == DUMP_READ_PEBS)
        snprintf(text, DUMP_PROBLEM_TEXT, "frame %" PRIu64 ": PEBS record %" PRIu64 ": %s", p->first, p->record,
                 pebs_error_text(p->why));
    else if (p->error == DUMP_READ_MISSING && p->first != p->last)
        snprintf(text, DUMP_PROBLEM_TEXT, "frames %" PRIu64 " to %" PRIu64 ": %s", p->first, p->last, sentence);
    else if (p->error == DUMP_READ_LOST)
        snprintf(text, DUMP_PROBLEM_TEXT, "%" PRIu64 " of %" PRIu64 " %s %s", p->lost, p->given, p->kind, sentence);
    else if (p->error == DUMP_READ_WRAPPED)
        snprintf(text, DUMP_PROBLEM_TEXT, "all truncated frames end at column %" PRIu64 ": %s", p->first, sentence);
    else if (p->error >= DUMP_READ_KIND && p->error <= DUMP_READ_ORDER)
        snprintf(text, DUMP_PROBLEM_TEXT, "frame %" PRIu64 ": %s", p->first, sentence);
    else
        snprintf(text, DUMP_PROBLEM_TEXT, "%s", sentence);
    return text;
}

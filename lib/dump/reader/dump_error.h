/* SPDX-License-Identifier: MIT */
/* Problems of a log with a dump: docs/dump.md, "Damaged logs". Pure. */
#ifndef LIB_DUMP_READER_DUMP_ERROR_H
#define LIB_DUMP_READER_DUMP_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "pebs/pebs_decode.h"

enum dump_error {
    DUMP_READ_OK,

    /* Lines without a readable frame. */
    DUMP_READ_CUT_SHORT,       /* no checksum at its end */
    DUMP_READ_CHECKSUM_DIGITS, /* the checksum is not hexadecimal */
    DUMP_READ_CHECKSUM,        /* the checksum does not match the line */
    DUMP_READ_NO_VERSION,
    DUMP_READ_VERSION, /* offender: version */
    DUMP_READ_NO_SEQUENCE,

    /* Frames with a valid checksum; offender: the frame's number, in first. */
    DUMP_READ_KIND,
    DUMP_READ_WORD,         /* not KEY=VALUE, or the value is no number or has an invalid character; offender: word */
    DUMP_READ_WORD_MISSING, /* offender: word */
    DUMP_READ_BUILD_ID,     /* not up to 20 bytes in hexadecimal */
    DUMP_READ_COUNT,        /* not 1 to DUMP_RECORDS_MAX */
    DUMP_READ_NUMBERING,    /* first, before and count contradict each other */
    DUMP_READ_TEST,         /* more than DUMP_TEST_MAX characters */
    DUMP_READ_CPU,          /* more than 32 bits */
    DUMP_READ_FIELD_WIDTH,  /* neither 4 nor 8 bytes */
    DUMP_READ_RECORD_SIZE,  /* not a possible size of a PEBS record */
    DUMP_READ_SOURCE,       /* not an encoding of data sources */
    DUMP_READ_STACK,        /* not a possible number or depth of LBR stacks */
    DUMP_READ_STACK_FORMAT, /* not a format of LBR entries */
    DUMP_READ_DATA_LENGTH,  /* more data than a frame may have */
    DUMP_READ_BASE64,
    DUMP_READ_CODES,        /* more bytes of codes than payload, or not as many as the records need */
    DUMP_READ_CODES_CUT,    /* the codes end inside a number */
    DUMP_READ_VALUES_CUT,   /* the values end inside a number, or there are too few */
    DUMP_READ_VALUES_COUNT, /* not as many values as the codes need */
    DUMP_READ_TOO_FEW,      /* fewer records than count= */
    DUMP_READ_TOO_MANY,     /* more records than count= */
    DUMP_READ_LEFT_OVER,    /* bytes after the last record */
    DUMP_READ_PREDICTION,   /* predicts a branch before any is known */
    DUMP_READ_REFERENCE,    /* refers to an unknown branch */
    DUMP_READ_PEBS,         /* offender: record and pebs; later records are still read */

    /* The order of frames. */
    DUMP_READ_MISSING, /* offender: first to last */
    DUMP_READ_TWICE,   /* offender: first */
    DUMP_READ_ORDER,   /* offender: first */
    DUMP_READ_NO_HEAD,
    DUMP_READ_NO_END,
    DUMP_READ_LOST, /* offender: kind, lost and given (all records of this kind) */

    DUMP_READ_WRAPPED, /* all frames without a checksum end in the same column, in first */
    DUMP_READ_NO_DUMP  /* the log has no dump at all */
};

#define DUMP_WORD_MAX 40u /* characters of a bad word that a message repeats */

/* An error and its offender. */
struct dump_problem {
    enum dump_error error;
    uint64_t line;                /* line of the log, from 1; 0: the log as a whole */
    uint64_t first, last;         /* sequence numbers of frames */
    uint64_t version;             /* version of a frame */
    char word[DUMP_WORD_MAX + 1]; /* a word of a frame, or its key */
    uint64_t record;              /* a record's number, and why it cannot be decoded */
    enum pebs_error why;
    const char *kind; /* "bts", "pebs" or "lbr" */
    uint64_t lost, given;
};

#define DUMP_PROBLEM_TEXT 200u

/* The problem as text, without the line: "frame 57: data= is not base64". Returns text. */
const char *dump_problem_text(char text[DUMP_PROBLEM_TEXT], const struct dump_problem *problem);

/* The error as text, without the offender: "data= is not base64". */
const char *dump_error_text(enum dump_error error);

#endif

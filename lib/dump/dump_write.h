/* SPDX-License-Identifier: MIT */
/*
 * Writes dumps (lib/dump/dump_format.h): turns records, as the processor wrote them, into lines. Pure; no allocation.
 * Records of the same kind, form, test and processor share a frame; anything else ends it.
 */
#ifndef LIB_DUMP_DUMP_WRITE_H
#define LIB_DUMP_DUMP_WRITE_H

#include "lib/line.h"
#include "lib/dump/dump_code.h"
#include "lib/dump/dump_format.h"

enum dump_records { DUMP_BTS, DUMP_PEBS, DUMP_LBR, DUMP_RECORD_KINDS };

#define DUMP_INDEX 2048u /* a power of two, well above DUMP_BRANCHES_MAX */

struct dump_writer {
    const struct line_sink *out;
    uint64_t sequence;
    uint64_t total[DUMP_RECORD_KINDS]; /* records of this boot so far */
    const char *test;
    uint64_t test_start[DUMP_RECORD_KINDS]; /* `total` at the start of the test */
    bool busy;                              /* a change is in progress; a test's time limit may interrupt it */

    /* The open frame, if count is not 0. */
    enum dump_records kind;
    unsigned cpu, count;
    char form[48]; /* the header's words for its kind */
    uint64_t first;
    uint8_t codes[DUMP_PAYLOAD_MAX], values[DUMP_PAYLOAD_MAX]; /* the payload's two parts */
    size_t codes_used, values_used;
    uint64_t run; /* BTS: predicted records since the last token */
    union {
        struct { /* BTS */
            struct dump_predictor predictor;
            uint16_t index[DUMP_INDEX]; /* numbers of its branches, by hash */
        };
        uint8_t previous[DUMP_RECORD_BYTES_MAX]; /* PEBS and LBR: the previous record */
    };
    char line[DUMP_LINE_SIZE];
};

/* out receives the lines, without "# ", during calls of these functions. */
void dump_writer_init(struct dump_writer *w, const struct line_sink *out);

void dump_write_head(struct dump_writer *w, const struct dump_machine *machine);

/* Starts a test, to which the following records belong. id must stay valid until the next call. */
void dump_write_test(struct dump_writer *w, const char *id);

void dump_write_event(struct dump_writer *w, const struct dump_sampling *event);

/* Adds count records of width 4 or 8; prediction: bit 4 of their flags is defined. */
void dump_write_bts(struct dump_writer *w, unsigned cpu, unsigned width, bool prediction, const uint8_t *bytes,
                    unsigned count);

/* Adds count records of size bytes each, a multiple of the form's width, at most DUMP_RECORD_BYTES_MAX. */
void dump_write_pebs(struct dump_writer *w, unsigned cpu, const struct pebs_form *form,
                     enum data_source_encoding encoding, unsigned size, const uint8_t *bytes, unsigned count);

/* Adds an LBR stack; form: enum dump_lbr_form. */
void dump_write_lbr(struct dump_writer *w, unsigned cpu, unsigned form, const struct dump_lbr *stack);

/* Writes the open frame. */
void dump_write_flush(struct dump_writer *w);

/* Writes the boot's last frame. */
void dump_write_end(struct dump_writer *w);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Writes dumps (dump/dump_format.h): records as the processor wrote them in, lines out. Pure, without allocation. Of
 * records that are alike in everything but themselves one frame is filled; whatever else comes ends it.
 */
#ifndef DUMP_DUMP_WRITE_H
#define DUMP_DUMP_WRITE_H

#include "base/line.h"
#include "dump/dump_code.h"
#include "dump/dump_format.h"

enum dump_records { DUMP_BTS, DUMP_PEBS, DUMP_LBR, DUMP_RECORD_KINDS };

#define DUMP_INDEX 2048u /* a power of two, well above DUMP_BRANCHES_MAX */

struct dump_writer {
    const struct line_sink *out;
    uint64_t sequence;
    uint64_t total[DUMP_RECORD_KINDS]; /* records of the boot that were given */
    const char *test;
    uint64_t test_start[DUMP_RECORD_KINDS]; /* of the total */
    bool busy;                              /* in the middle of a change: see dump_writer_recover() */

    /* The frame that is being filled, if count is not 0. */
    enum dump_records kind;
    unsigned cpu, count, record_size;
    char form[48]; /* the words of its head that belong to its kind */
    uint64_t first;
    uint8_t codes[DUMP_PAYLOAD_MAX], values[DUMP_PAYLOAD_MAX]; /* the payload's two parts */
    size_t codes_used, values_used;
    uint64_t run; /* of BTS: guessed records since the last token */
    union {
        struct { /* of BTS */
            struct dump_predictor predictor;
            uint16_t index[DUMP_INDEX]; /* numbers of its branches, by their hash: to find one again */
        };
        uint8_t previous[DUMP_RECORD_BYTES_MAX]; /* of the others: the last record */
    };
    char line[DUMP_LINE_SIZE];
};

/* out receives the lines, without the "# " in front; it is called in the middle of the other functions, never later. */
void dump_writer_init(struct dump_writer *w, const struct line_sink *out);

void dump_write_head(struct dump_writer *w, const struct dump_machine *machine);

/* The records that follow are of this test; id stays where it is as long as it is. */
void dump_write_test(struct dump_writer *w, const char *id);

void dump_write_event(struct dump_writer *w, const struct dump_pebs_event *event);

/* count records of width 4 or 8; prediction: their flags' bit 4 is defined. */
void dump_write_bts(struct dump_writer *w, unsigned cpu, unsigned width, bool prediction, const uint8_t *bytes,
                    unsigned count);

/* count records of size bytes each, a multiple of the form's width, DUMP_RECORD_BYTES_MAX at most. */
void dump_write_pebs(struct dump_writer *w, unsigned cpu, const struct pebs_form *form,
                     enum data_source_encoding encoding, unsigned size, const uint8_t *bytes, unsigned count);

/* form: enum dump_lbr_form. */
void dump_write_lbr(struct dump_writer *w, unsigned cpu, unsigned form, const struct dump_lbr *stack);

/* Ends the frame that is being filled. */
void dump_write_flush(struct dump_writer *w);

/* The boot's last frame. */
void dump_write_end(struct dump_writer *w);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Receives the contents of a log in order, from the reader of dumps (lib/dump/reader/dump_read.h). Every output form of
 * dsdump is a sink. Functions may be NULL. Pointers are valid only during the call.
 */
#ifndef LIB_DUMP_READER_RECORD_SINK_H
#define LIB_DUMP_READER_RECORD_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "bts/bts_decode.h"
#include "lib/dump/dump_format.h"
#include "pebs/pebs_decode.h"

/*
 * n: the record's number within its test and kind, from 0, as in the kernel's lines. cpu: 0 is the boot processor.
 */
struct record_sink {
    void *context;
    void (*machine)(void *context, const struct dump_machine *machine);
    void (*test)(void *context, const char *id); /* the following records belong to this test */
    void (*sampling)(void *context, const struct dump_sampling *event);
    void (*bts)(void *context, unsigned cpu, uint64_t n, const struct bts_record *record);
    /* bytes: record->size bytes, as the processor wrote them. encoding: that of this record's data source. */
    void (*pebs)(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding);
    void (*lbr)(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack);
    void (*lost)(void *context, const char *kind, uint64_t records); /* kind: "bts" "pebs" "lbr"; once for each boot */
    void (*line)(void *context, const char *text); /* a line that is not a frame, without "# " and line end */
    bool (*end)(void *context);                    /* false: end() has reported that it cannot write */
};

#endif

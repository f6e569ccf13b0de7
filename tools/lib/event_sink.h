/* SPDX-License-Identifier: MIT */
/*
 * What a log says, one thing at a time and in its order: the reader of dumps (tools/lib/dump_read.h) calls it, and
 * every kind of output is one. A function that is NULL is not called. What is pointed to is valid during the call
 * alone.
 */
#ifndef TOOLS_LIB_EVENT_SINK_H
#define TOOLS_LIB_EVENT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "bts/bts_decode.h"
#include "dump/dump_format.h"
#include "pebs/pebs_decode.h"

/*
 * n: the number of the record within its test and kind, from 0 on, as the kernel's lines have it. cpu: 0 is the one
 * that booted.
 */
struct event_sink {
    void *context;
    void (*machine)(void *context, const struct dump_machine *machine);
    void (*test)(void *context, const char *id); /* the records that follow are this test's */
    void (*pebs_event)(void *context, const struct dump_pebs_event *event);
    void (*bts)(void *context, unsigned cpu, uint64_t n, const struct bts_record *record);
    /* bytes: record->size of them, as the processor wrote them. encoding: how to read this record's data source. */
    void (*pebs)(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding);
    void (*lbr)(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack);
    void (*lost)(void *context, const char *kind, uint64_t records); /* kind: "bts" "pebs" "lbr"; once for each boot */
    void (*line)(void *context, const char *text); /* a line of the log that is no frame, without "# " and line end */
    bool (*end)(void *context);                    /* false: the output could not be written, and that was said */
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Reads dumps (dump/dump_format.h, docs/dump.md): lines of a log in, calls of an event_sink out. Pure, for a host.
 * Memory is the reader's own struct and does not grow. What cannot be read is named with its line and counted; the rest
 * is read all the same.
 */
#ifndef TOOLS_LIB_DUMP_READ_H
#define TOOLS_LIB_DUMP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_code.h"
#include "tools/lib/dump_error.h"
#include "tools/lib/event_sink.h"

/* What a log had in it, all boots together. */
struct dump_totals {
    uint64_t lines, frames, heads;
    uint64_t bts, pebs, lbr;                /* records read, LBR snapshots */
    uint64_t bts_lost, pebs_lost, lbr_lost; /* that the dump says there were, and that were not read */
    uint64_t problems;                      /* how often problem() was called */
};

struct dump_reader;

/* Bytes of a reader. */
size_t dump_reader_size(void);

/*
 * codec: NULL for the portable one. sink: where records go; NULL counts and verifies
 * them without expanding any: that a code names a branch which is not there, or bytes are no record, it does not see.
 * problem: receives each complaint; its text is
 * dump_problem_text().
 */
void dump_reader_init(struct dump_reader *reader, const struct event_sink *sink, const struct dump_codec *codec,
                      void (*problem)(void *context, const struct dump_problem *problem), void *context);

/* Reads one line of length bytes, without its line end. A NUL in it is a byte like others. */
void dump_read_line(struct dump_reader *reader, const char *line, size_t length);

/* The log is over: counts what is missing at its end. Returns whether there was a dump and all of it was read. */
bool dump_read_end(struct dump_reader *reader, struct dump_totals *totals);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Reads dumps (lib/dump/dump_format.h, docs/dump.md): lines of a log in, calls of a record_sink out. Pure, for a host;
 * memory does not grow. Reports and counts unreadable parts, with their line numbers, and reads the rest.
 */
#ifndef LIB_DUMP_READER_DUMP_READ_H
#define LIB_DUMP_READER_DUMP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dump/reader/dump_error.h"
#include "lib/dump/reader/record_sink.h"

/* The contents of a log, all boots together. */
struct dump_totals {
    uint64_t lines, frames, heads;
    uint64_t bts, pebs, lbr;                /* records read, LBR snapshots */
    uint64_t bts_lost, pebs_lost, lbr_lost; /* records that the kernel wrote, but that cannot be read */
    uint64_t problems;                      /* calls of problem() */
};

struct dump_reader;

/* Bytes of a struct dump_reader. */
size_t dump_reader_size(void);

/*
 * sink: receives the contents. NULL: records are only counted and verified, not expanded, which does not find codes of
 * unknown branches or invalid records. problem: receives each problem; dump_problem_text() is its text.
 */
void dump_reader_init(struct dump_reader *reader, const struct record_sink *sink,
                      void (*problem)(void *context, const struct dump_problem *problem), void *context);

/* Reads a line of length bytes, without its line end. A NUL has no special meaning. */
void dump_read_line(struct dump_reader *reader, const char *line, size_t length);

/* Ends the log: counts records that are missing at its end. Returns whether there was a dump and all of it was read. */
bool dump_read_end(struct dump_reader *reader, struct dump_totals *totals);

#endif

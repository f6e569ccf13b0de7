/* SPDX-License-Identifier: MIT */
/* Samples of accesses to lines that processors share, as perf c2c lists them: by line, and each line's accesses. Pure.
 */
#ifndef TABLES_C2C_TABLE_H
#define TABLES_C2C_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"

#define C2C_LINE 64u  /* bytes */
#define C2C_ROWS 128u /* accesses that differ in address, processor or symbol */

struct c2c_access {
    uint64_t address;
    unsigned cpu;
    const char *symbol; /* of the instruction; must outlive the table */
    bool store, hitm;   /* hitm: a load of data that another processor had modified */
    uint64_t cycles;    /* a load's latency */
};

struct c2c_row {
    struct c2c_access access; /* what its samples have in common: address, cpu and symbol */
    unsigned loads, hitm, stores;
    uint64_t cycles;
};

/* Empty when all of it is zero. */
struct c2c_table {
    struct c2c_row rows[C2C_ROWS]; /* in the order of address, processor and symbol */
    unsigned count;
    unsigned left_out; /* samples for which no row was left */
};

void c2c_table_add(struct c2c_table *table, const struct c2c_access *access);

/* Prints the table, and the same as lines that begin with "measure" (docs/output.md). layout: one word. */
void c2c_table_text(const struct line_sink *out, const struct c2c_table *table, const char *layout);

#endif

/* SPDX-License-Identifier: MIT */
/* Accesses to cache lines that processors share, listed by line as perf c2c does. Pure. */
#ifndef SUITE_MEASURE_TABLES_C2C_TABLE_H
#define SUITE_MEASURE_TABLES_C2C_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/line.h"

#define C2C_LINE 64u  /* bytes */
#define C2C_ROWS 128u /* accesses that differ in address, processor or symbol */

struct c2c_access {
    uint64_t address;
    unsigned cpu;
    const char *symbol; /* the instruction's symbol; must outlive the table */
    bool store, hitm;   /* hitm: a load of data that another processor had modified */
    uint64_t cycles;    /* a load's latency */
};

struct c2c_row {
    struct c2c_access access; /* address, cpu and symbol, common to its samples */
    unsigned loads, hitm, stores;
    uint64_t cycles;
};

/* An all-zero table is empty. */
struct c2c_table {
    struct c2c_row rows[C2C_ROWS]; /* in the order of address, processor and symbol */
    unsigned count;
    unsigned left_out; /* samples that did not fit into the table */
};

void c2c_table_add(struct c2c_table *table, const struct c2c_access *access);

/* Prints the table, and its rows as lines that begin with "measure" (docs/output.md). layout: one word. */
void c2c_table_text(const struct line_sink *out, const struct c2c_table *table, const char *layout);

/*
 * Compares the number of loads that hit a modified line elsewhere with the expectation: all loads of a shared line,
 * none of a private line. C2C_UNTYPICAL: more than one in eight deviate; C2C_WRONG: more than half.
 */
enum c2c_share { C2C_AS_EXPECTED, C2C_UNTYPICAL, C2C_WRONG };
enum c2c_share c2c_share(bool shared, unsigned loads, unsigned hitm);

#endif

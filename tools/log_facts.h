/* SPDX-License-Identifier: MIT */
/*
 * The contents of a log of dstest86 (docs/output.md) as facts that can be compared with those of another log: a test's
 * result, a field of a record, a figure of a measurement, a line about the machine.
 */
#ifndef TOOLS_LOG_FACTS_H
#define TOOLS_LOG_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#define LOG_FACTS_MACHINE "machine" /* the "test" of the lines before the tests */
#define LOG_FACTS_RUN     "run"     /* the "test" of lines about the run: verdict, facilities, an error, a panic */

/* Strings live as long as the facts. No two facts have the same test and name. */
struct log_fact {
    const char *test;  /* the test's id, LOG_FACTS_MACHINE or LOG_FACTS_RUN */
    const char *name;  /* "result", "pebs 3 rax", "measure level size 4096 level \"L1 or L1 hit\" samples" */
    const char *field; /* the name without its numbers: "pebs.rax", "measure.level.samples" */
    const char
        *value;   /* of an address with a symbol, the symbol, so that kernels of different builds can be compared */
    size_t order; /* its place in the log, from 0 */
    bool line;    /* a whole line; a number distinguishes it from other lines of the test that begin alike */
};

struct log_facts;

struct log_facts *log_facts_new(void);
void log_facts_free(struct log_facts *facts);

/* Adds the next line of the log, without its line end. */
void log_facts_line(struct log_facts *facts, const char *line, size_t length);

/* The number of lines "# begin dstest86 ..": 1 if the log is of one run. */
unsigned log_facts_runs(const struct log_facts *facts);

/* Whether the log has the line "# end dstest86 ..". */
bool log_facts_ended(const struct log_facts *facts);

/* Sorts the facts by test and name, and returns their number. log_facts_line() must not be called afterwards. */
size_t log_facts_sorted(struct log_facts *facts, const struct log_fact **sorted);

/* The order of log_facts_sorted(): negative, 0 or positive, as strcmp(). */
int log_facts_compare(const struct log_fact *a, const struct log_fact *b);

#endif

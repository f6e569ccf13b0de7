/* SPDX-License-Identifier: MIT */
/* The results of a run's tests, and their lines at the end of the log (docs/output.md, "The frame"). Pure. */
#ifndef KERNEL_REPORT_RESULTS_H
#define KERNEL_REPORT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/line.h"

enum outcome {
    OUTCOME_NOT_RUN, /* the options do not select the test */
    OUTCOME_PASS,
    OUTCOME_DIFFERS, /* the processor deviates from typical behaviour, which breaks no promise */
    OUTCOME_FAIL,
    OUTCOME_SKIP,
    OUTCOME_ERROR /* the test ended without a verdict */
};

struct result {
    const char *id; /* its first word, up to the dot, is the test's area */
    enum outcome outcome;
    bool records;    /* the test arms a facility, so the processor must write records */
    bool seen;       /* the processor wrote records */
    const char *why; /* the reason for a skip; else the first problem or difference, or NULL */
};

/* Number of tests with each outcome. */
struct totals {
    unsigned pass, differs, fail, skip, error;
};

/* The outcome as one word of the log. */
const char *outcome_text(enum outcome outcome);

/* Whether the test belongs to this area (the first word of its id); and the length of that word. */
bool result_is_of(const struct result *result, const char *area);
int result_area_length(const char *id);

/* Whether all tests that the options select, one or more, belong to this area. */
bool results_are_of(const struct result *results, size_t count, const char *area);

/* The reason, or text that says there is none. */
const char *result_why(const struct result *result);

/* Adds an outcome to the totals. */
void totals_add(struct totals *totals, enum outcome outcome);

/* Counts all of the results. */
void results_count(const struct result *results, size_t count, struct totals *totals);

/* Prints a row for each area with at least one test that was not skipped, in the order of the run. */
void results_table(const struct line_sink *out, const struct result *results, size_t count);

/* Prints a line for each test that differed, failed or has no verdict, with the reason. */
void results_reasons(const struct line_sink *out, const struct result *results, size_t count);

/* Prints a line for each test that the options select. */
void results_recap(const struct line_sink *out, const struct result *results, size_t count);

#endif

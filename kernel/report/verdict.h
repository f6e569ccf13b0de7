/* SPDX-License-Identifier: MIT */
/* The verdict on each facility of the debug store and on the whole run (docs/output.md, "The verdict"). Pure. */
#ifndef KERNEL_REPORT_VERDICT_H
#define KERNEL_REPORT_VERDICT_H

#include <stddef.h>

#include "lib/line.h"
#include "cpu/caps.h"
#include "kernel/report/results.h"

/* Values for the exit device, counted from 10h. Scripts rely on them. */
enum verdict {
    VERDICT_PASS = 0,
    VERDICT_FAIL = 1,
    VERDICT_SKIP = 2,
    VERDICT_ERROR = 3,
    VERDICT_PANIC = 4,
    VERDICT_INCOMPLETE = 6
};

enum facility_state {
    FACILITY_NONE,         /* the processor reports that it lacks the facility */
    FACILITY_NOT_SELECTED, /* the options select no test of its records */
    FACILITY_UNTESTED,     /* the processor has it, but wrote no records, or a missing table row skipped most tests */
    FACILITY_PASS,         /* none of its tests failed, and at least one with records passed or differed */
    FACILITY_FAIL
};

#define FACILITIES   3u  /* BTS, PEBS and LBR */
#define FACILITY_ROW 40u /* characters, NUL included */

/* A facility's tests are those of its area. */
struct facility {
    const char *name; /* the area of its tests */
    enum facility_state state;
    unsigned passed, failed, selected; /* tests; passed counts those that differed, failed those without a verdict */
    const char *reason;                /* of FACILITY_NONE and FACILITY_UNTESTED */
    char row[FACILITY_ROW]; /* of FACILITY_UNTESTED: the missing table row, appended to the reason; or empty */
    const char *kind;       /* the kind of cores, if it is not the first; or NULL */
};

/* Judges each facility by the results of its tests, and by whether the processor has it. */
void facilities_judge(const struct caps *caps, const struct result *results, size_t count,
                      struct facility facilities[FACILITIES]);

/*
 * Adds the judgement of another kind of cores: sums the counts, and keeps the worse state. A facility counts as present
 * if one kind has it.
 */
void facilities_merge(struct facility into[FACILITIES], const struct facility others[FACILITIES]);

/*
 * The state with its counts or reason: "pass 43 of 43", "none: no DS". all: also the number of tests that do not apply:
 * "pass 43 of 43, 38 do not apply".
 */
void facility_text(char *text, size_t size, const struct facility *facility, bool all);

/* Prints a line for each. */
void facilities_text(const struct line_sink *out, const struct facility facilities[FACILITIES]);

/* The verdict of a completed run. */
enum verdict verdict_of(const struct facility facilities[FACILITIES], const struct totals *totals);

/* The verdict as the word of the end line. */
const char *verdict_text(enum verdict verdict);

#endif

/* SPDX-License-Identifier: MIT */
/* What the tests claim, as a table, and the state of a running test. */
#ifndef TOOLS_LINUX_CLAIMS_H
#define TOOLS_LINUX_CLAIMS_H

#include "cpu/errata.h"
#include "suite/workload/steps.h"
#include "tools/linux/machine.h"
#include "tools/linux/perf.h"

struct claim;

struct check {
    const struct claim *claim;
    const struct kind *kind;
    unsigned problems, differences;
    unsigned seen; /* records that were compared */
    char why[160]; /* the first problem or difference, or why it is skipped */
    bool skipped;
};

struct claim {
    const char *id, *title, *source; /* as in kernel/test.h; the id is the kernel's if the kernel makes the claim */
    void (*run)(struct check *);
    bool records;
    const struct workload *workload;
    enum pebs_role role;
    unsigned precise;    /* precise_ip */
    uint64_t branches;   /* PERF_SAMPLE_BRANCH_*, of branch stacks */
    uint64_t kinds;      /* those that the filter admits, by bits of LBR_SELECT; 0: all */
    unsigned what;       /* a detail of its function */
    const char *typical; /* as in kernel/test.h */
};

extern const struct claim claims[];
extern const unsigned claim_count;

/* As test_fail() and test_differs() of kernel/test.h; check_but(): a difference if the core has one of these errata. */
void check_say(struct check *check, bool wrong, unsigned errata, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define check_but(check, errata, ...) check_say(check, !(check)->claim->typical, errata, __VA_ARGS__)
#define check_wrong(check, ...)       check_but(check, 0, __VA_ARGS__)
#define check_differs(check, ...)     check_say(check, false, 0, __VA_ARGS__)
void check_skip(struct check *check, const char *why);

/* Records, and skips the test if Linux refuses. Returns whether there is something to compare. */
bool check_record(struct check *check, struct recording *r);

/* An event of the kind's counters with its code in IA32_PERFEVTSELx. */
struct perf_event_attr check_event(const struct check *check, uint64_t select);

/* Values of claim->what: for check_lbr(), what it checks in addition; for check_latency(), where the data is. */
enum { DETAIL_NONE, DETAIL_DEPTH, DETAIL_MISPREDICTED, DETAIL_PREDICTED, DETAIL_CYCLES };
enum { LATENCY_NEAR, LATENCY_FAR };
/* What check_pebs() samples. */
enum { PEBS_LARGE, PEBS_SINGLE, PEBS_XMM };

/* tools/linux/branches.c */
void check_bts(struct check *check);
void check_lbr(struct check *check);

/* tools/linux/samples.c */
void check_pebs(struct check *check);
void check_events(struct check *check);
void check_two(struct check *check);
void check_latency(struct check *check);
void check_count(struct check *check);

#endif

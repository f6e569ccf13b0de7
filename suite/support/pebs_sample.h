/* SPDX-License-Identifier: MIT */
/* Common to all in-kernel tests of PEBS: sampling one event over one workload, and checking a record. */
#ifndef SUITE_SUPPORT_PEBS_SAMPLE_H
#define SUITE_SUPPORT_PEBS_SAMPLE_H

#include "kernel/test.h"
#include "pebs/pebs.h"
#include "suite/support/records.h"

/* The smallest threshold of load latency, in core cycles. Only loads that take longer count. */
#define PEBS_LATENCY_THRESHOLD 3u

/*
 * The shortest sampled period: Linux does not allow periods below 32 on Nehalem (nhm_limit_period()), because
 * interrupts pile up. Over several rounds, periods are odd and the events of a round even, so typically no overflow is
 * at a round's last event: the manual does not define whether a counter stays armed while the window is closed.
 */
#define PEBS_PERIOD_LEAST 33u

/* The shortest period for precise distribution: errata BDM11 and HSW11; for Golden Cove's counter 0, Linux. */
#define PEBS_PERIOD_PRECISE 128u

struct pebs_sample {
    const struct pebs_event *event;
    const struct workload *workload;
    unsigned counter, period;
    unsigned first;    /* where the test starts the counter, if not at the period */
    unsigned rounds;   /* runs of the workload, each in a window of its own; 0: 1 */
    unsigned until;    /* for events that are sampled at random: repeat until this many records, up to a limit */
    uint64_t beside;   /* counters that count without PEBS; a record's status may have their overflow bits */
    bool fixed;        /* a fixed counter, with event NULL */
    uint64_t data_cfg; /* the groups of adaptive records; 0: memory and registers */
    uint64_t cfg_c;    /* architectural: bits 63:32 of CFG_C; 0: the groups of data_cfg */
    bool basic;        /* this counter's adaptive records have only the basic group, whatever data_cfg says */
    uint64_t rings;    /* PERFEVTSEL_USR, PERFEVTSEL_OS; 0: both */
    unsigned records, threshold; /* of the buffer; 0: as large as possible, without an interrupt */
    unsigned interrupts;         /* the minimum that must arrive */
    uint64_t tsc_ahead;          /* ticks added to IA32_TSC_ADJUST while the workload runs */
    unsigned latency;            /* the threshold of load latency, core cycles; 0: PEBS_LATENCY_THRESHOLD */
};

/* Returns whether a sample's records describe the event that overflows the counter. */
bool pebs_is_precise(const struct caps *caps, const struct pebs_sample *sample);

/*
 * The smallest number of events from one record to the next: the period, or, since an event that overflows the counter
 * arms PEBS and a later one is recorded, one more. A counter with precise distribution records the overflowing event
 * or, at short periods, a later one.
 */
unsigned pebs_sample_spacing(const struct caps *caps, const struct pebs_sample *sample);

/* Returns whether the sampled event counts instructions. */
bool pebs_of_instructions(const struct pebs_sample *sample);

/* The events of one round: all instructions of a workload whose number is known, else its accesses. */
unsigned pebs_events_of_round(const struct pebs_sample *sample);

/* The most records of a sample without interrupts. data_cfg: the groups of adaptive records. */
unsigned pebs_room(const struct caps *caps, uint64_t data_cfg);

/*
 * A sample for every processor with known precise events: an event over a workload of known length at CPL 0 that gives
 * exactly this many records, 1 to 10. Enough events follow the last record that delays lose no record.
 */
struct pebs_sample pebs_sample_any(const struct caps *caps, unsigned records);

/* pebs_sample_any() with an event that counts instructions, if the processor has one. */
struct pebs_sample pebs_sample_instructions(const struct caps *caps, unsigned records);

/* What the records of the open area are samples of. */
struct pebs_armed {
    struct pebs_sample sample;
    uint64_t counters; /* all that are armed; a record may have the bit of any */
    uint64_t since;    /* the time stamp when the area was opened */
    bool held;         /* interrupts were off when the last counter was armed */
    bool again;        /* a counter was armed twice: the workload may have run from two places in the stack */
};
const struct pebs_armed *pebs_armed(void);

/*
 * For a test that opens the area and programs the counter itself: what pebs_compare() expects in the log. since: a time
 * stamp from before the first record.
 */
void pebs_sample_expect(const struct pebs_sample *sample, uint64_t since);

/* The groups that the sample's records have, as in their format_group. */
uint64_t pebs_sample_groups(const struct caps *caps, const struct pebs_sample *sample);

/*
 * The steps of pebs_sample(): open the area; program the counter; run the workload in this window as often as the
 * sample says. records_close() comes next.
 */
bool pebs_sample_open(struct test_run *run, const struct pebs_sample *sample);
bool pebs_sample_arm(struct test_run *run, const struct pebs_sample *sample);
struct window pebs_sample_window(const struct test_run *run, const struct pebs_sample *sample);
void pebs_sample_run(struct test_run *run, const struct pebs_sample *sample);

/* Disables PEBS, and waits until no record is pending: the manual's quiescent period. */
void pebs_settle(void);

/* Records so far; the window has stopped the counters. */
unsigned pebs_sample_so_far(void);

#endif

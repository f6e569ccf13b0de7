/* SPDX-License-Identifier: MIT */
/* What every in-kernel test of PEBS does: sample one event over one workload, and hold a record against its place. */
#ifndef SUITE_SUPPORT_PEBS_SAMPLE_H
#define SUITE_SUPPORT_PEBS_SAMPLE_H

#include "kernel/test.h"
#include "pebs/pebs.h"
#include "suite/support/records.h"

/* The threshold of load latency in core cycles; the least that can be set. Loads that take longer count. */
#define PEBS_LATENCY_THRESHOLD 3u

/*
 * The shortest period that is sampled: Linux keeps Nehalem from periods below 32 (nhm_limit_period()), at which
 * interrupts pile up. Periods over several rounds are odd and rounds even, so that typically no overflow falls on the
 * last event of a round: whether a counter stays armed while the window is closed, no manual says.
 */
#define PEBS_PERIOD_LEAST 33u

/* The shortest period for precise distribution: errata BDM11 and HSW11; Linux, of Golden Cove's counter 0. */
#define PEBS_PERIOD_PRECISE 128u

struct pebs_sample {
    const struct pebs_event *event;
    const struct workload *workload;
    unsigned counter, period;
    unsigned rounds;             /* how often the workload runs, each time in a window of its own; 0: once */
    unsigned until;              /* it goes on until so many records have come, if at all: for events taken at random */
    bool fixed;                  /* a fixed counter; event is NULL then */
    uint64_t data_cfg;           /* the groups of adaptive records; 0: memory and registers */
    uint64_t cfg_c;              /* architectural: bits above 31 of CFG_C; 0: the groups of data_cfg */
    bool basic;                  /* adaptive records of this counter have no groups, whatever data_cfg says */
    uint64_t rings;              /* PERFEVTSEL_USR, PERFEVTSEL_OS; 0: both */
    unsigned records, threshold; /* of the buffer; 0: as large as it can be, and no interrupt falls due */
    unsigned interrupts;         /* how many must come at least */
    unsigned latency;            /* the threshold of load latency; 0: PEBS_LATENCY_THRESHOLD */
};

/*
 * The events from one record to the next, at least: an overflow arms, an event after it is recorded; of PREC_DIST, its
 * own.
 */
unsigned pebs_spacing(const struct pebs_event *event, unsigned period);

/*
 * Whether a sample's records are of the very event that overflows the counter; and its spacing, where its counter may
 * be one with precise distribution of any event: at short periods such a counter records that event or a later one.
 */
bool pebs_is_precise(const struct caps *caps, const struct pebs_sample *sample);
unsigned pebs_sample_spacing(const struct caps *caps, const struct pebs_sample *sample);

/* Whether what is sampled is instructions. */
bool pebs_of_instructions(const struct pebs_sample *sample);

/* The events of one round: all instructions of a workload whose number is known, else its accesses. */
unsigned pebs_events_of_round(const struct pebs_sample *sample);

/* The most records that a sample without interrupts may have; of adaptive records, those with these groups. */
unsigned pebs_room(const struct caps *caps, uint64_t data_cfg);

/*
 * An event that every processor has of which precise events are known, over a workload of known length at CPL 0. It
 * leaves so many records, 1 to 10, and no more: the period is such that many events are left behind the last one, and a
 * delay before each takes none away.
 */
struct pebs_sample pebs_sample_any(const struct caps *caps, unsigned records);

/* The same of an event of instructions, if the processor has one: nothing but this processor's own code counts. */
struct pebs_sample pebs_sample_instructions(const struct caps *caps, unsigned records);

/*
 * The steps of pebs_sample(): opens the area; programs the counter; and runs the workload, in this window, as often as
 * the sample says. Then comes records_close().
 */
bool pebs_sample_open(struct test_run *run, const struct pebs_sample *sample);
bool pebs_sample_arm(struct test_run *run, const struct pebs_sample *sample);
struct window pebs_sample_window(const struct test_run *run, const struct pebs_sample *sample);
void pebs_sample_run(const struct test_run *run, const struct pebs_sample *sample);

/* Switches PEBS off, and waits until no record is on its way any more: the manual's quiescent period. */
void pebs_settle(void);

/* Opens the area, samples, closes, and adds the records to what the test saw. Returns whether it ran. */
bool pebs_sample(struct test_run *run, const struct pebs_sample *sample);

/*
 * Checks whose a record is, and where: its counter, and the instruction of the event, which was at ip, and after which
 * the processor went on at next_ip. A record without EventingIP has the second alone, if PEBS is trap-like here.
 */
void pebs_check(struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record, uint64_t ip,
                uint64_t next_ip);

#endif

/* SPDX-License-Identifier: MIT */
/* What every in-kernel test of PEBS does: sample one event over one workload, and hold a record against its place. */
#ifndef SUITE_PEBS_SAMPLE_H
#define SUITE_PEBS_SAMPLE_H

#include "kernel/test.h"
#include "pebs/pebs.h"
#include "suite/records.h"

/* The threshold of load latency in core cycles; the least that can be set. Loads that take longer count. */
#define PEBS_LATENCY_THRESHOLD 3u

struct pebs_sample {
    const struct pebs_event *event;
    const struct workload *workload;
    unsigned counter, period;
    bool fixed;                  /* a fixed counter; event is NULL then */
    uint64_t data_cfg;           /* the groups of adaptive records; 0: memory and registers */
    bool basic;                  /* adaptive records of this counter have no groups, whatever data_cfg says */
    uint64_t rings;              /* PERFEVTSEL_USR, PERFEVTSEL_OS; 0: both */
    unsigned records, threshold; /* of the buffer; 0: as large as it can be, and no interrupt falls due */
    unsigned interrupts;         /* how many must come at least */
    unsigned latency;            /* the threshold of load latency; 0: PEBS_LATENCY_THRESHOLD */
};

/* The events from one record to the next: an overflow arms, the event after it is recorded; of PREC_DIST, its own. */
unsigned pebs_spacing(const struct pebs_event *event, unsigned period);

/* The most records that a sample without interrupts may have; of adaptive records, those with these groups. */
unsigned pebs_room(const struct caps *caps, uint64_t data_cfg);

/*
 * An event that every processor has of which precise events are known, over a workload of known length at CPL 0: it
 * leaves so many records, 1 to 10.
 */
struct pebs_sample pebs_sample_any(const struct caps *caps, unsigned records);

/*
 * The steps of pebs_sample(): opens the area; programs the counter; and the window in which the workload must run. Then
 * comes records_close().
 */
bool pebs_sample_open(struct test_run *run, const struct pebs_sample *sample);
bool pebs_sample_arm(struct test_run *run, const struct pebs_sample *sample);
struct window pebs_sample_window(const struct test_run *run, const struct pebs_sample *sample);

/* Opens the area, samples, closes, and adds the records to what the test saw. Returns whether it ran. */
bool pebs_sample(struct test_run *run, const struct pebs_sample *sample);

/*
 * Checks whose a record is, and where: its counter, and the instruction of the event, which was at ip, and after which
 * the processor went on at next_ip. A record without EventingIP has the second alone, if PEBS is trap-like here.
 */
void pebs_check(struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record, uint64_t ip,
                uint64_t next_ip);

#endif

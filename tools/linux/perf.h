/* SPDX-License-Identifier: MIT */
/* Runs a workload while perf_event_open(2) counts, samples or traces it, and keeps what Linux delivers. */
#ifndef TOOLS_LINUX_PERF_H
#define TOOLS_LINUX_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "suite/workload/workload.h"

#define SAMPLES_MAX 4096u
#define ENTRIES_MAX 64u
#define EVENTS_MAX  2u

/* perf's register numbers (asm/perf_regs.h): ax bx cx dx si di bp sp ip flags cs ss, r8 to r15; XMM registers from 32
 * on. */
#define REGISTERS     UINT64_C(0xff0fff)
#define XMM_REGISTERS (~UINT64_C(0) << 32)
#define PERF_FLAGS    9u

struct sample {
    uint64_t ip, address, latency, source;       /* source: perf_mem_data_src */
    uint64_t registers[64];                      /* by perf's number; 0 if not sampled */
    unsigned event;                              /* its position in the group */
    bool exact;                                  /* ip is the sampled instruction itself, not the next one */
    unsigned entries;                            /* of the LBR stack */
    struct perf_branch_entry stack[ENTRIES_MAX]; /* the newest first */
};

struct bts_triple {
    uint64_t from, to, flags;
};

/* The events to open, and their results. */
struct recording {
    struct perf_event_attr attr[EVENTS_MAX]; /* the first is the group's leader */
    unsigned events;                         /* 0: one */
    bool bts;                                /* the intel_bts counter: raw records in the AUX area */
    const struct workload *workload;
    unsigned rounds; /* times that the workload runs between start and stop */

    const char *refused; /* why Linux does not offer it, as a sentence; NULL: it recorded */
    uint64_t counts[EVENTS_MAX];
    unsigned samples, branches; /* of perf_samples, of perf_branches */
    unsigned lost, throttled;   /* records that Linux dropped; times that it stopped an event for its rate */
    unsigned interruptions; /* of the run that was kept: other interrupts than the counters', faults, task switches */
};

static inline bool perf_inside(const struct workload *workload, uint64_t ip)
{
    return ip >= workload->start && ip < workload->limit;
}

/* perf's numbers of the general registers, by the instructions' numbers. */
extern const uint8_t perf_numbers[16];

extern struct sample *perf_samples;
extern struct bts_triple *perf_branches;

/* An event at CPL 3 of this thread that starts disabled; config: PERF_COUNT_HW_* or, with a PMU's type, its event. */
struct perf_event_attr perf_event(uint32_t type, uint64_t config);

/*
 * Opens the events, and runs the workload at most RUNS times. Keeps the run with the fewest interruptions, the first
 * one without any. cpu: the processor that this thread is pinned to.
 */
void perf_record(struct recording *r, unsigned cpu);

#endif

/* SPDX-License-Identifier: MIT */
/* The processors as CPUID and Linux describe them: kinds of cores, their counters, what Linux offers of the debug
 * store. */
#ifndef TOOLS_LINUX_MACHINE_H
#define TOOLS_LINUX_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "kernel/report/verdict.h"

#define KINDS_MAX 4u

/* A kind of cores. */
struct kind {
    char pmu[24];       /* Linux's name of its counters: cpu, cpu_core, cpu_atom, cpu_lowpower */
    const char *suffix; /* of the ids of its tests; NULL: the first kind */
    const char *name;   /* NULL: the processor is not a hybrid */
    unsigned cpu;       /* its first processor that this process may use */
    unsigned apic_id, processors;
    uint32_t type;     /* perf's number of its counters */
    uint32_t bts_type; /* of intel_bts; 0: Linux does not offer it */
    unsigned precise;  /* the highest precise_ip; 0: no PEBS */
    unsigned depth;    /* entries of an LBR stack; 0: none */
    struct caps caps;
    const char *absent[FACILITIES]; /* why Linux offers no BTS, PEBS, LBR; NULL: it does */
};

extern struct kind core_kinds[KINDS_MAX];
extern unsigned kind_count;

/* Pins this thread to a processor. Returns false if that is not permitted. */
bool pin(unsigned cpu);

/* Fills core_kinds[], pins this thread to the first one. Returns why the tests cannot run, as a sentence, or NULL. */
const char *machine_find(void);

/* Prints what was found, for all kinds. */
void machine_say(void);

/*
 * Sets an event that Linux names in sysfs, as mem-loads, for this kind's counters. Returns false if it has none.
 */
struct perf_event_attr;
bool machine_event(const struct kind *kind, const char *name, struct perf_event_attr *attr);

/* An architectural event, perf's PERF_COUNT_HW_*, for this kind's counters, which Linux needs to know on a hybrid. */
struct perf_event_attr machine_architectural(const struct kind *kind, uint64_t event);

/* Prints a line that begins with "# ". */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

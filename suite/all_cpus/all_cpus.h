/* SPDX-License-Identifier: MIT */
/*
 * All processors of the machine run one job, in turn (the others sleep) or at the same time. Each stores its own
 * result, because only the boot processor may use the console. The boot processor prints the results afterwards.
 */
#ifndef SUITE_ALL_CPUS_ALL_CPUS_H
#define SUITE_ALL_CPUS_ALL_CPUS_H

#include <limits.h>
#include <stdbool.h>

#include "cpu/memory_type.h"
#include "kernel/test.h"
#include "suite/support/pebs_sample.h"

/* A processor, by processor_number(). */
struct member {
    bool started;
    bool differs;     /* capabilities differ in any way from the first processor of its kind of core */
    bool fit;         /* the capabilities that tests depend on are the same */
    struct caps caps; /* its own capabilities; valid if it was started */
    bool write_back;  /* its debug store's memory type; if false, memory says why */
    struct memory_finding memory;
    struct test_run run; /* uses the boot processor's caps, or its own on another kind of core */
    char aside[TEST_ASIDE];
    unsigned got, typical; /* numbers of records or events */
    unsigned interrupts;   /* interrupts that the processor took */
    volatile bool go;      /* start the job */
    volatile bool probed;  /* caps is valid */
    volatile bool over;    /* the job has ended */
};

#define CPUS_ALL UINT_MAX

/* What every processor does. It must not print. It may use run only to report, and must leave interrupts off. */
typedef void cpus_job(struct member *member);

/*
 * Starts the first `most` processors, including the boot processor, and compares their capabilities with those of the
 * boot processor (on a hybrid, of the first processor of the same kind). Prints how many started and which did not.
 * Returns the reason if processors cannot be started, else NULL. The runner stops all processors at the end of the
 * test.
 */
const char *cpus_start(struct test_run *run, unsigned most);

/* The number of these processors; and one of them, started or not. */
unsigned cpus_count(void);
struct member *cpus_member(unsigned number);

/* Run the job on every processor that is fit, and print each result as "cpu 3 apic 0x6: WHAT 10 of 10 UNIT". */
void cpus_in_turn(struct test_run *run, cpus_job *job, const char *what, const char *unit);
void cpus_at_once(struct test_run *run, cpus_job *job, const char *what, const char *unit);

/* Runs the job on every processor that is fit, at the same time; prints nothing. */
void cpus_run(cpus_job *job);

/* Compares the processor's records, one processor at a time, with interrupts off. since: pebs_sample_expect(). */
void cpus_compare(struct member *member, const struct pebs_sample *sample, uint64_t since);

/*
 * Reports each capability that differs from the boot processor's, as "microcode 0x5, not 0x4". Returns whether tests
 * can expect the same of both.
 */
bool cpus_alike(const struct caps *boot, const struct caps *other, void (*say)(void *context, const char *text),
                void *context);

#endif

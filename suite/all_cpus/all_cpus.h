/* SPDX-License-Identifier: MIT */
/*
 * All processors of the machine at one job: in turn, while the others sleep, or at once. What a processor finds wrong
 * it keeps to itself, for the console is the boot processor's, which tells it afterwards.
 */
#ifndef SUITE_ALL_CPUS_ALL_CPUS_H
#define SUITE_ALL_CPUS_ALL_CPUS_H

#include <limits.h>
#include <stdbool.h>

#include "kernel/test.h"

/* One of the processors, by processor_number(). */
struct member {
    bool started;
    bool differs;        /* from the first of its kind of cores, in anything */
    bool fit;            /* the same can be demanded of it, or as much of its kind of cores */
    struct caps caps;    /* its own, valid if it was started */
    struct test_run run; /* with the boot processor's caps, or on another kind of cores its own */
    char aside[TEST_ASIDE];
    unsigned came, of;    /* what the job saw, and what it typically sees */
    unsigned interrupts;  /* that came to it */
    volatile bool go;     /* it is its turn */
    volatile bool probed; /* caps is valid */
    volatile bool over;   /* its turn is over */
};

#define CPUS_ALL UINT_MAX

/* What every processor does. It must not print, may use run only to report, and leaves interrupts off. */
typedef void cpus_job(struct member *member);

/*
 * Starts the first `most` processors, the boot processor included, and compares their capabilities with the boot
 * processor's, on a hybrid with those of their kind of cores. Prints how many started, and which did not. Returns why
 * they cannot be used, or NULL. The runner stops all processors at the end of the test.
 */
const char *cpus_start(struct test_run *run, unsigned most);

/* The number of those processors; and one of them, whether it was started or not. */
unsigned cpus_count(void);
struct member *cpus_member(unsigned number);

/* The job on every one that is fit; and prints what came of it, as "cpu 3 apic 0x6: WHAT 10 of 10 UNIT". */
void cpus_in_turn(struct test_run *run, cpus_job *job, const char *what, const char *unit);
void cpus_at_once(struct test_run *run, cpus_job *job, const char *what, const char *unit);

/* The job on every one that is fit, at once; prints nothing. */
void cpus_run(cpus_job *job);

/*
 * Says each capability of a processor that is not the boot processor's, as "microcode 0x5, not 0x4", and returns
 * whether the same can be demanded of both.
 */
bool cpus_alike(const struct caps *boot, const struct caps *other, void (*say)(void *context, const char *text),
                void *context);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of -plugin, and the message with which QEMU ends if they cannot be used. */
#ifndef MODEL_QEMU_OPTIONS_H
#define MODEL_QEMU_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "model/faults/faults.h"
#include "model/processors/cores.h"
#include "model/processors/profiles.h"

#define MOST_IPC 8

struct options {
    const struct profile *profile; /* the processor; of a hybrid, its first kind of core */
    struct cores cores;            /* the kind of core of each processor */
    struct fault_set faults;
    struct flip *flip;        /* single corruptions on processor 0; NULL: no flip= */
    uint32_t quirks;          /* bit i: enum quirk i */
    uint32_t freedoms;        /* bit i: enum freedom i */
    uint64_t seed;            /* of the freedoms' choices */
    unsigned ipc;             /* instructions in a cycle, at most MOST_IPC; 0: not given */
    const char *state;        /* folder for files that a debugger reads; NULL: no state= */
    FILE *truth, *violations; /* open for writing; NULL: not requested */
    bool shares_line;         /* violations and standard output are the same file or terminal */
};

/*
 * Reads KEY=VALUE arguments and opens the logs. If an argument is unknown, repeated or without a value, or a file
 * cannot be written, ends QEMU with status 1 and a message. KEY=list prints a list and ends QEMU with status 0.
 * processors: the maximum number that the machine can have.
 */
void options_read(int argc, char **argv, unsigned processors, struct options *options);

/* Flushes the logs, and reports on standard error if output was lost. */
void options_finish_logs(const struct options *options);

/* Ends QEMU with status 1 and this sentence, whose %s is replaced by name. */
_Noreturn void options_die(const char *sentence, const char *name) __attribute__((format(printf, 1, 0)));

#endif

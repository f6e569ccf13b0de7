/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of -plugin ask for, and the sentence with which QEMU ends where that cannot be done. */
#ifndef MODEL_QEMU_OPTIONS_H
#define MODEL_QEMU_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "model/faults/faults.h"
#include "model/processors/cores.h"
#include "model/processors/profiles.h"

struct options {
    const struct profile *profile; /* the processor: its first kind of core */
    struct cores cores;            /* which of the processors are of which kind */
    const struct profile
        *broken[PROFILE_KINDS]; /* by kind, with what fault= breaks of its tables; NULL without faults */
    struct fault_set faults;
    uint32_t quirks;          /* a bit for each enum quirk */
    uint32_t freedoms;        /* a bit for each enum freedom */
    uint64_t seed;            /* of what they choose */
    const char *state;        /* the folder for what a debugger asks for; NULL: not asked for */
    FILE *truth, *violations; /* open for writing; NULL where they were not asked for */
};

/*
 * Reads KEY=VALUE arguments and opens the logs. Ends QEMU with status 1 and a sentence where an argument is unknown,
 * given twice or without a value, or a file cannot be written; with status 0 behind the list that KEY=list asks for.
 * The machine can have so many processors.
 */
void options_read(int argc, char **argv, unsigned processors, struct options *options);

/* Writes what the logs still hold, and says so on standard error if they could not take all. */
void options_finish_logs(const struct options *options);

/* Ends QEMU with status 1 and a sentence, in which %s stands for name. */
_Noreturn void options_die(const char *sentence, const char *name) __attribute__((format(printf, 1, 0)));

#endif

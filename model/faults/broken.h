/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor's own table of rules, and what the functions in it remember. */
#ifndef MODEL_FAULTS_BROKEN_H
#define MODEL_FAULTS_BROKEN_H

#include "model/engine/rules.h"
#include "model/faults/faults.h"

struct broken {
    struct rules rules;   /* the processor's rules, to which its struct vcpu points */
    struct rules wrapped; /* the rules before any fault, which a wrong rule calls for all but the wrong part */
    struct fault_set faults;
    uint32_t quirks;
    /* state that a reset of the processor clears */
    struct {
        uint32_t reloaded;                        /* bits of the counters that were reloaded */
        uint64_t written[MAX_COUNTERS];           /* the value that software wrote last to each general counter */
        bool sampled;                             /* the newest branch has left a PEBS record */
        unsigned snapshots;                       /* PEBS records with counters so far */
        uint64_t snapshot[ADAPTIVE_MAX_COUNTERS]; /* the counters of the last of them */
        bool pmi_waits;                           /* a PMI has been postponed, or is to be raised once more */
        bool pmi_repeats;                         /* this PMI is the second delivery of one */
        bool pmi_stuck;                           /* a masked LVT entry has suppressed a PMI */
        uint32_t first_vector;                    /* vector of the first PMI */
        unsigned primed_counters;                 /* bits of those that had an event of priming enabled */
        unsigned primed_events;                   /* bits of those events that some counter had enabled */
    } state;
};

static inline struct broken *broken(const struct vcpu *v)
{
    return (struct broken *)(uintptr_t)v->rules;
}

static inline const struct rules *wrapped(const struct vcpu *v)
{
    return &broken(v)->wrapped;
}

static inline bool fault(const struct vcpu *v, enum fault fault)
{
    return fault_set_has(&broken(v)->faults, fault);
}

static inline void swap(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;

    *a = *b;
    *b = kept;
}

#endif

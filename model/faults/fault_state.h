/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A faulty processor's table of rules, and the state of the table's functions. */
#ifndef MODEL_FAULTS_FAULT_STATE_H
#define MODEL_FAULTS_FAULT_STATE_H

#include "model/engine/rules.h"
#include "model/faults/faults.h"

struct fault_state {
    struct rules rules;          /* the rules that the processor's struct vcpu points to */
    struct rules without_faults; /* the rules that a faulty rule calls for all behaviour except its fault */
    struct fault_set faults;
    struct flip *flip; /* NULL: none */
    uint32_t quirks;
    /* state that a reset of the processor clears */
    struct {
        uint64_t written[MAX_COUNTERS]; /* the last value that software wrote to each general counter */
        uint64_t bts_from;              /* the instruction of the last branch that was stored */
        unsigned bts_stored;
        bool apic_on;               /* software has switched on the local APIC */
        unsigned thresholds, loads; /* writes of the load latency threshold; loads since the last one */
        uint64_t starts;            /* of counter 3 */
        unsigned snapshots;         /* number of PEBS records with counters so far */
        bool pmi_waits;             /* a PMI is postponed */
        uint32_t first_vector;      /* vector of the first PMI */
        unsigned primed_counters;   /* bit i: counters[i] has had a priming event enabled */
        unsigned primed_events;     /* bit n: some counter has had the n-th priming event enabled */
    } state;
};

static inline struct fault_state *fault_state(const struct vcpu *v)
{
    return (struct fault_state *)(uintptr_t)v->rules;
}

static inline const struct rules *without_faults(const struct vcpu *v)
{
    return &fault_state(v)->without_faults;
}

static inline bool fault(const struct vcpu *v, enum fault fault)
{
    return fault_set_has(&fault_state(v)->faults, fault);
}

static inline void swap(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;

    *a = *b;
    *b = kept;
}

/* Faulty rules: wrong_NAME() replaces the rule NAME of rules.inc. Some rules have none. */
#define RULE(result, name, parameters) result wrong_##name parameters;
#include "model/engine/rules.inc"
#undef RULE
void wrong_exception_pushed(struct vcpu *v, uint64_t *flags, uint64_t *code);

/* The parts of rules in other files that concern architectural PEBS. */
uint64_t wrong_arch_enabled(const struct vcpu *v, uint64_t enabled);
uint64_t wrong_arch_value(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a processor with latitude, and its random generators. */
#ifndef MODEL_LATITUDE_CHOICES_H
#define MODEL_LATITUDE_CHOICES_H

#include "model/engine/rules.h"
#include "model/latitude/freedoms.h"

struct latitude {
    struct rules rules; /* the manual's rules, except those that a freedom changes */
    uint32_t freedoms;
    uint64_t seed;
    /* a reset of the processor chooses this state again */
    struct {
        uint64_t stream[FREEDOMS]; /* one generator for each freedom: choices of one do not depend on others */
        struct {
            unsigned cycles;             /* from the overflow until PEBS is armed */
            unsigned left[MAX_COUNTERS]; /* cycles left, for each counter that is arming */
        } arming;
        unsigned unseen;                   /* cycles until the staged records are visible */
        bool pdir_plus_late;               /* the record describes the instruction after the overflowing one */
        bool tracks_init;                  /* XSTATE_BV of a record follows the state of the XMM registers */
        unsigned follows;                  /* load latency selects one access of this many */
        unsigned overcount;                /* what the last interruption added to the counts */
        bool drops[REG_IA32_LBR_INFO + 1]; /* registers that ignore reserved bits instead of raising #GP */
        struct {
            bool freezes_lbrs; /* at the request of the PMI, not at the PMI */
        } pmi;
        struct {
            uint64_t last; /* the last accessed address */
        } caches;
        struct {
            unsigned wrong; /* mispredictions in 8 branches */
        } prediction;
    } state;
};

/* The time since the last call: cycles, and whether an instruction in it serialises. */
struct passed {
    unsigned cycles;
    bool serialised;
};

static inline bool latitude_has(const struct vcpu *v, enum freedom freedom)
{
    return v->latitude->freedoms >> freedom & 1;
}

/* Draws a number from 0 to most, both inclusive, from the freedom's generator: xorshift64*. */
static inline unsigned latitude_draw(const struct vcpu *v, enum freedom freedom, unsigned most)
{
    uint64_t *x = &v->latitude->state.stream[freedom];

    *x ^= *x >> 12;
    *x ^= *x << 25;
    *x ^= *x >> 27;
    return (unsigned)((*x * UINT64_C(0x2545f4914f6cdd1d) >> 32) % (most + UINT64_C(1)));
}

/* latitude_NAME() replaces the rule NAME of rules.inc. Some rules have none. */
#define RULE(result, name, parameters) result latitude_##name parameters;
#include "model/engine/rules.inc"
#undef RULE
void latitude_stepped(struct vcpu *v, struct place place, uint64_t instructions);

/* Called at a reset: make the choices that stay until the next reset. */
void latitude_choose_counters(struct vcpu *v);
void latitude_choose_freeze(struct vcpu *v); /* when FREEZE_LBRS_ON_PMI takes effect */
void latitude_choose_msr(struct vcpu *v);
void latitude_choose_pebs(struct vcpu *v);
void latitude_choose_predictor(struct vcpu *v);
void latitude_choose_victims(struct vcpu *v);
/* Called after a reset: sets registers to values that firmware may leave. */
void latitude_leave_running(struct vcpu *v);

/*
 * Called with the passed cycles. Return true until every counter is armed (arming), or all records are in memory
 * (hiding).
 */
bool latitude_go_on_arming(struct vcpu *v, struct passed passed);
bool latitude_go_on_hiding(struct vcpu *v, struct passed passed);
/* Called when a record of these counters was stored: may leave their overflow bits set. */
void latitude_leave_own_bits(struct vcpu *v, uint64_t counters);

#endif

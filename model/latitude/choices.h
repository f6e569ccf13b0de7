/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a processor with latitude remembers, and how it chooses. */
#ifndef MODEL_LATITUDE_CHOICES_H
#define MODEL_LATITUDE_CHOICES_H

#include "model/engine/rules.h"
#include "model/latitude/freedoms.h"

struct latitude {
    struct rules rules; /* the manual's, with those replaced that a freedom takes part in */
    uint32_t freedoms;
    uint64_t seed;
    /* state that a reset of the processor chooses anew */
    struct {
        uint64_t stream[FREEDOMS]; /* the generator of each freedom, so that its choices do not depend on the others */
        struct {
            unsigned cycles;             /* from overflow to armed */
            unsigned left[MAX_COUNTERS]; /* of them, for each counter that is arming */
        } arming;
        unsigned unseen;                   /* cycles before the staged records are visible */
        bool pdir_plus_late;               /* the instruction after the overflowing one is recorded */
        unsigned follows;                  /* one access of so many */
        bool drops[REG_IA32_LBR_INFO + 1]; /* registers that drop reserved bits */
        struct {
            bool freezes_lbrs; /* with its request */
        } pmi;
        struct {
            uint64_t last; /* the address that was accessed last */
        } caches;
        struct {
            unsigned wrong; /* predictions, of 8 */
        } prediction;
    } state;
};

/* What has passed since the last time: cycles, and whether among the instructions was one that serialises. */
struct passed {
    unsigned cycles;
    bool serialised;
};

static inline bool latitude_has(const struct vcpu *v, enum freedom freedom)
{
    return v->latitude->freedoms >> freedom & 1;
}

/* A number from 0 to most, both included, of the freedom's generator: xorshift64*. */
static inline unsigned latitude_draw(const struct vcpu *v, enum freedom freedom, unsigned most)
{
    uint64_t *x = &v->latitude->state.stream[freedom];

    *x ^= *x >> 12;
    *x ^= *x << 25;
    *x ^= *x >> 27;
    return (unsigned)((*x * UINT64_C(0x2545f4914f6cdd1d) >> 32) % (most + UINT64_C(1)));
}

#endif

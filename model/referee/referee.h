/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The referee: what a guest does that the manual forbids or warns of, one line each in the violations log. What it
 * merely recommends, or what is legal and hardly meant, is said as advice. Programming that the processor itself
 * refuses (#GP) is no violation. A rule that cannot be seen from inside is not checked: A20M, what MTRRs and PAT make
 * of a page, whether other address spaces map the area alike. docs/referee.md says what each means.
 */
#ifndef MODEL_REFEREE_REFEREE_H
#define MODEL_REFEREE_REFEREE_H

#include "model/vcpu/vcpu.h"

/* What was on before a register was written. */
struct referee_before {
    bool bts, lbr;
    uint64_t pebs;   /* bit i: v->counters[i] was counting for PEBS */
    uint64_t active; /* bit i: ... was counting */
    uint64_t debugctl, global_ctrl;
};

/* Whether the referee wants to see the area in memory, because something records into it. */
bool referee_watches_area(const struct vcpu *v);

/*
 * The WRMSR at ip to register reg, the i-th of its kind, which is going to be carried out: before everything else, then
 * when records on their way have reached memory, and when all has taken effect; area_read: v->ds.area has just been
 * read where referee_watches_area(). And an RDMSR.
 */
struct referee_before referee_before(const struct vcpu *v);
void referee_write(struct vcpu *v, enum model_register reg, unsigned i, uint64_t value, uint64_t ip);
void referee_after(struct vcpu *v, const struct referee_before *before, enum model_register reg, bool area_read,
                   uint64_t ip);
void referee_read(struct vcpu *v, enum model_register reg, uint64_t ip);

/* A PMI was asked for by what happened at ip, and LVTPC was this. Later, an interrupt has led to the handler at ip. */
void referee_pmi(struct vcpu *v, uint32_t lvtpc, uint64_t ip);
void referee_handler(struct vcpu *v, uint64_t ip);

#endif

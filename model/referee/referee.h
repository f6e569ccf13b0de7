/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The referee: a line in the violations log for each thing that the guest does and the manual forbids or warns of. What
 * the manual merely recommends, or what is legal but hardly intended, is reported as advice. Programming that the
 * processor itself refuses (#GP) is no violation. Rules that the model cannot see are not checked: A20M, the memory
 * types by MTRRs and PAT, whether other address spaces map the area alike. docs/referee.md explains each violation.
 */
#ifndef MODEL_REFEREE_REFEREE_H
#define MODEL_REFEREE_REFEREE_H

#include "model/vcpu/vcpu.h"

/* State before a register was written. */
struct referee_before {
    bool bts, lbr;
    uint64_t pebs;   /* bit i: v->counters[i] was counting for PEBS */
    uint64_t active; /* bit i: v->counters[i] was counting */
    uint64_t edges;  /* as referee_counters_edges() */
    uint64_t debugctl, global_ctrl;
};

/* Whether the referee must see the area in memory, because something records into it. */
bool referee_watches_area(const struct vcpu *v);

/*
 * A WRMSR at ip to register reg, the i-th of its kind, which will be carried out: called before everything else, then
 * when staged records have reached memory, and then when the write has taken effect. area_read: v->ds.area has just
 * been read where referee_watches_area(). Likewise for an RDMSR.
 */
struct referee_before referee_before(const struct vcpu *v);
void referee_write(struct vcpu *v, enum model_register reg, unsigned i, uint64_t value, uint64_t ip);
void referee_after(struct vcpu *v, const struct referee_before *before, enum model_register reg, bool area_read,
                   uint64_t ip);
void referee_read(struct vcpu *v, enum model_register reg, uint64_t ip);

/*
 * A PMI was requested by the instruction at ip while LVTPC had this value. Later, an interrupt has led to the handler
 * at ip.
 */
void referee_pmi(struct vcpu *v, uint32_t lvtpc, uint64_t ip);
void referee_handler(struct vcpu *v, uint64_t ip);

#endif

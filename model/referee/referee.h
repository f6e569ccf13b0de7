/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The referee writes a line to the violations log for each action of the guest that the manual forbids. Advice lines
 * report actions that the manual only recommends against, and legal settings without effect. A write that raises #GP is
 * no violation. The model cannot see, and the referee does not check, A20M, memory types by MTRRs and PAT, and mappings
 * of the area in other address spaces. docs/referee.md explains each violation.
 */
#ifndef MODEL_REFEREE_REFEREE_H
#define MODEL_REFEREE_REFEREE_H

#include "model/vcpu/vcpu.h"

/* State before a register is written. */
struct referee_before {
    bool bts, lbr;
    uint64_t pebs;      /* bit i: v->counters[i] was sampling (PEBS) */
    uint64_t active;    /* bit i: v->counters[i] was counting */
    uint64_t armed;     /* the result of referee_counters_armed() */
    uint64_t qualified; /* the result of referee_counters_qualified() */
    uint64_t debugctl, lbr_ctl, global_ctrl;
};

/* Whether the referee must check the area in memory, because BTS or PEBS records into it. */
bool referee_watches_area(const struct vcpu *v);

/*
 * For a WRMSR at ip that raises no #GP, call in this order: referee_before(); referee_write() when staged records are
 * in memory; referee_after() when the write has taken effect. The register is the i-th of the row of reg. area_read:
 * v->ds.area was read from memory after the write, because referee_watches_area() returned true. For an RDMSR, call
 * referee_read().
 */
struct referee_before referee_before(const struct vcpu *v);
void referee_write(struct vcpu *v, enum model_register reg, unsigned i, uint64_t value, uint64_t ip);
void referee_after(struct vcpu *v, const struct referee_before *before, enum model_register reg, bool area_read,
                   uint64_t ip);
void referee_read(struct vcpu *v, enum model_register reg, uint64_t ip);

/*
 * referee_pmi(): the instruction at ip requested a PMI while LVTPC had this value. referee_handler(): an interrupt was
 * delivered to its handler at ip.
 */
void referee_pmi(struct vcpu *v, uint32_t lvtpc, uint64_t ip);
void referee_handler(struct vcpu *v, uint64_t ip);

/* Call when the guest has ended: checks what only the end decides, and calls referee_report_end(). */
void referee_end(struct vcpu *v);

#endif

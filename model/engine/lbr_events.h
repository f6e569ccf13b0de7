/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LBR event logging: how often the events of general counters happened between two entries of the LBR stack. Linux 6.8,
 * arch/x86/events/intel/lbr.c and arch/x86/include/asm/msr-index.h (LBR_INFO_BR_CNTR_*): two bits for each counter from
 * bit 32 of IA32_LBR_x_INFO on.
 */
#ifndef MODEL_ENGINE_LBR_EVENTS_H
#define MODEL_ENGINE_LBR_EVENTS_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/* What an entry holds of a count: more is not told. */
#define LBR_EVENTS_MAX 3u

/* The count as an entry holds it. */
static inline unsigned lbr_events_held(uint32_t events)
{
    return events < LBR_EVENTS_MAX ? (unsigned)events : LBR_EVENTS_MAX;
}

/* Logging begins anew: nothing has happened yet. */
void lbr_events_begin(struct vcpu *v);

/*
 * The first `count` instructions of a block have retired; outcome: a bit for each kind of event that its branch is, of
 * those that the next block decides.
 */
void lbr_events_of_block(struct vcpu *v, const struct block *block, unsigned count, uint64_t outcome);

/* An instruction has accessed memory, as v->data says. All before it has been logged. */
void lbr_events_of_data(struct vcpu *v);

/* What has happened since the branch gathered last, with this one; 0 each if the branch is not taken. */
void lbr_events_hand_over(struct vcpu *v, bool taken, uint32_t events[LBR_COUNTERS]);

/* A branch that is left out, or whose entry is `contents`. */
void lbr_events_pass(struct vcpu *v, const struct branch *branch);
void lbr_events_tell(struct vcpu *v, const struct branch *branch, struct lbr_contents *contents);

/* A rule: bit i: entries count the events of counters[i]. */
uint32_t lbr_events_logged(const struct vcpu *v);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LBR event logging: the number of events of general counters between two entries of the LBR stack. Linux 6.8,
 * arch/x86/events/intel/lbr.c and arch/x86/include/asm/msr-index.h (LBR_INFO_BR_CNTR_*): two bits for each counter from
 * bit 32 of IA32_LBR_x_INFO on.
 */
#ifndef MODEL_ENGINE_LBR_EVENTS_H
#define MODEL_ENGINE_LBR_EVENTS_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/* The maximum count of an entry, where it saturates. */
#define LBR_EVENTS_MAX 3u

/* The count as an entry holds it. */
static inline unsigned lbr_events_held(uint32_t events)
{
    return events < LBR_EVENTS_MAX ? (unsigned)events : LBR_EVENTS_MAX;
}

/* Logging starts: all counts are 0. */
void lbr_events_begin(struct vcpu *v);

/*
 * The first `count` instructions of a block have retired. outcome: a bit for each outcome event (EVENT_OUTCOMES) that
 * the block's branch caused; the next block determines them.
 */
void lbr_events_of_block(struct vcpu *v, const struct block *block, unsigned count, uint64_t outcome);

/* An instruction has accessed memory, as v->data describes. All instructions before it have been logged. */
void lbr_events_of_data(struct vcpu *v);

/* The counts since the last gathered branch, including this branch; all 0 if it is not taken. */
void lbr_events_collect(struct vcpu *v, bool taken, uint32_t events[LBR_COUNTERS]);

/* lbr_events_pass(): a branch is filtered out. lbr_events_tell(): a branch gets the entry `contents`. */
void lbr_events_pass(struct vcpu *v, const struct branch *branch);
void lbr_events_tell(struct vcpu *v, const struct branch *branch, struct lbr_contents *contents);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delays in cycles: while a delay runs, this rule counts it down after each instruction. */

#include "model/engine/counting.h"
#include "model/engine/pmi.h"
#include "model/engine/ring.h"
#include "model/latitude/choices.h"

#define MOST_CYCLES        2  /* of an instruction; 0: it retires together with the previous one */
#define SERIALISING_CYCLES 10 /* of a serialising instruction, which begins after all earlier ones have completed */

/* The cycles of the last instructions before the place, and whether one of them serialises. */
static struct passed passed_in(const struct vcpu *v, struct place place, uint64_t instructions)
{
    const struct block *block = place.block != NULL ? place.block : ring_running_block(v);
    unsigned index = place.block != NULL ? place.index : block != NULL ? block->count : 0;
    struct passed passed = { 0, false };

    for (; instructions > 0; instructions--) {
        const bool serialises = index > 0 && (block->insns[--index].flags & INSN_SERIALISES);

        passed.serialised = passed.serialised || serialises;
        passed.cycles += serialises ? SERIALISING_CYCLES : latitude_draw(v, FREEDOM_PEBS_ARMING, MOST_CYCLES);
    }
    return passed;
}

void latitude_stepped(struct vcpu *v, struct place place, uint64_t instructions)
{
    const struct passed none = { 0, false };
    const bool timed = latitude_go_on_arming(v, none) || latitude_go_on_hiding(v, none);
    const struct passed passed = timed ? passed_in(v, place, instructions) : none;
    const bool arming = latitude_go_on_arming(v, passed);
    const bool hiding = latitude_go_on_hiding(v, passed);
    const bool under_way = pmi_step(v, instructions);

    counting_step(v, arming || hiding || under_way);
}

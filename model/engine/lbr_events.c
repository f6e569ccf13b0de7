/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/lbr_events.h"

#include <string.h>

#include "model/engine/data.h"
#include "model/engine/event_class.h"
#include "model/engine/rules.h"
#include "model/engine/slots.h"

/* Linux 6.8, arch/x86/include/asm/perf_event.h: ARCH_PERFMON_EVENTSEL_BR_CNTR, and intel_cap's lbr_counters. */
uint32_t lbr_events_logged(const struct vcpu *v)
{
    uint32_t logged = 0;

    for (unsigned i = 0; i < LBR_COUNTERS; i++) {
        const bool asked = v->profile->lbr_counters >> i & 1 && (v->event_select[i] & EVTSEL_BR_CNTR);

        logged |= (uint32_t)(asked && v->counters[i].active && slots_are_plain(&v->counters[i])) << i;
    }
    return logged;
}

void lbr_events_begin(struct vcpu *v)
{
    memset(v->lbr.events, 0, sizeof(v->lbr.events));
    memset(v->lbr.passed, 0, sizeof(v->lbr.passed));
    v->lbr.repeated = 0;
}

/* Events of a class among the first `count` instructions of a block with known outcome. */
static uint32_t events_in(const struct vcpu *v, unsigned id, const struct block *block, unsigned count,
                          uint64_t outcome)
{
    const unsigned kind = id / EVENT_QUALIFIERS;

    if (kind >= EVENT_UNITS && kind < EVENT_OUTCOMES)
        return 0; /* a copy from engine_keep_blocks() has no instructions */
    if (id < INLINE_CLASSES) {
        const bool counted =
            kind == EVENT_INSTRUCTIONS && v->lbr.repeated == block->pc && event_class_covers(id, block->cpl);

        return event_class_events(id, block, 0) - event_class_events(id, block, count) - counted;
    }
    return kind < EVENT_DATA && (outcome >> kind & 1) && event_class_covers(id, block->cpl);
}

void lbr_events_of_block(struct vcpu *v, const struct block *block, unsigned count, uint64_t outcome)
{
    for (uint32_t left = v->lbr.logged; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);

        v->lbr.events[i] += events_in(v, v->counters[i].event_class, block, count, outcome);
    }
    v->lbr.repeated = block->end == END_REPEAT && count == block->count ? block->last : 0;
}

void lbr_events_of_data(struct vcpu *v)
{
    for (uint32_t left = v->lbr.logged; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const unsigned id = v->counters[i].event_class;

        v->lbr.events[i] += id >= event_class(EVENT_DATA, ANY_RING) && event_class_covers(id, v->data.cpl) &&
                            data_happened(v, vcpu_counted(&v->counters[i]));
    }
}

void lbr_events_collect(struct vcpu *v, bool taken, uint32_t events[LBR_COUNTERS])
{
    if (taken) {
        memcpy(events, v->lbr.events, sizeof(v->lbr.events));
        memset(v->lbr.events, 0, sizeof(v->lbr.events));
    } else {
        memset(events, 0, sizeof(v->lbr.events));
    }
}

void lbr_events_pass(struct vcpu *v, const struct branch *branch)
{
    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        v->lbr.passed[i] += branch->events[i];
}

void lbr_events_tell(struct vcpu *v, const struct branch *branch, struct lbr_contents *contents)
{
    lbr_events_pass(v, branch);
    memcpy(contents->events, v->lbr.passed, sizeof(contents->events));
    memset(v->lbr.passed, 0, sizeof(v->lbr.passed));
}

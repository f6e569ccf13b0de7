/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/overflow.h"

#include "model/engine/branches.h"
#include "model/engine/counting.h"
#include "model/engine/netburst.h"
#include "model/engine/pebs.h"
#include "model/engine/reload.h"
#include "model/engine/rules.h"

void overflow_of(struct vcpu *v, unsigned i)
{
    if (vcpu_is_netburst(v)) {
        netburst_overflow(v, i);
    } else {
        v->status |= reload_by_itself(v, i) ? 0 : vcpu_counter_bit(v, i);
        v->pmi.wanted = v->pmi.wanted || v->counters[i].interrupts;
    }
}

bool overflow_arms(struct vcpu *v, unsigned i)
{
    (void)v;
    (void)i;
    return true;
}

/* The i-th counter, which samples, overflows. Returns whether the record describes this event. */
static bool begin_sample(struct vcpu *v, unsigned i)
{
    struct counter *c = &v->counters[i];
    const bool exact = v->rules->counting_exact(v, c);

    if (c->state == COUNTER_COUNTS)
        c->state = exact || v->rules->overflow_arms(v, i) ? COUNTER_ARMED : COUNTER_ARMING;
    return exact;
}

void overflow_take(struct vcpu *v, struct place place, uint64_t ip, uint64_t eventing_ip,
                   const struct data_access *data)
{
    const uint64_t mask = vcpu_width_mask(v);
    uint64_t recorded = 0;
    uint32_t overflows = 0;

    counting_update(v, place);
    for (uint32_t left = v->counting.active & ~(UINT32_C(1) << STEPPER); left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct counter *c = &v->counters[i];
        bool overflowed = c->value > mask || (c->forced && c->happened);
        bool after = c->state == COUNTER_ARMED && c->happened; /* this is the event after an overflow */

        c->value &= mask;
        overflows |= (uint32_t)overflowed << i;
        if (after && !c->pebs) {
            c->state = COUNTER_COUNTS;
            v->pmi.wanted = true;
        }
        if (after && c->pebs)
            recorded |= UINT64_C(1) << i;
        else if (overflowed && c->pebs)
            recorded |= begin_sample(v, i) ? UINT64_C(1) << i : 0;
        else if (overflowed)
            v->rules->overflow_of(v, i);
        c->happened = false;
    }
    reload_by(v, overflows);
    while (recorded != 0) {
        const uint64_t together = v->rules->pebs_together(v, recorded);

        pebs_record(v, &(struct pebs_sample){ together, ip, eventing_ip, data });
        recorded &= ~together;
    }
    const uint64_t instructions = v->counters[STEPPER].value;

    if (counting_steps(v) && instructions > 0 &&
        instructions <= INT64_MAX) { /* negative: a REP that continues was subtracted */
        v->counters[STEPPER].value = 0;
        if (v->rules->stepped != NULL)
            v->rules->stepped(v, place, instructions);
    }
    pebs_remember(v, ip);
    counting_arm(v, place);
    if (v->counting.outcomes)
        branches_set_limit(v);
}

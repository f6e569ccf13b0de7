/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/overflow.h"

#include "model/engine/counting.h"
#include "model/engine/netburst.h"
#include "model/engine/pebs.h"
#include "model/engine/rules.h"

void overflow_of(struct vcpu *v, unsigned i)
{
    if (vcpu_is_netburst(v)) {
        netburst_overflow(v, i);
    } else {
        v->status |= vcpu_counter_bit(v, i);
        v->pmi.wanted = v->pmi.wanted || v->counters[i].interrupts;
    }
}

void overflow_take(struct vcpu *v, struct place place, uint64_t ip, uint64_t eventing_ip,
                   const struct data_access *data)
{
    uint64_t recorded = 0;

    counting_update(v, place);
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct counter *c = &v->counters[i];
        bool overflowed = c->value > vcpu_width_mask(v) || (c->forced && c->moved);
        bool after = c->armed && c->moved; /* this is the event after an overflow */

        c->value &= vcpu_width_mask(v);
        if (after && !c->pebs) {
            c->armed = false;
            v->pmi.wanted = true;
        }
        if (after && c->pebs) {
            recorded |= UINT64_C(1) << i;
        } else if (overflowed && c->pebs) {
            c->armed = true;
            recorded |= v->rules->counting_exact(v, c) ? UINT64_C(1) << i : 0;
        } else if (overflowed) {
            v->rules->overflow_of(v, i);
        }
        c->moved = false;
    }
    if (recorded != 0) {
        pebs_record(v, &(struct pebs_sample){ recorded, ip, eventing_ip, data });
    }
    counting_arm(v, place);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters count in system management mode unless IA32_DEBUGCTL.FREEZE_WHILE_SMM is set. Branches are not recorded,
 * because the handler begins with IA32_DEBUGCTL 0. SDM Vol. 3B (253669-083), "Filtering of SMM Handler Overhead". Only
 * cycles are added here: a handler may wait without executing much. A counter that would overflow does so at its next
 * cycle outside SMM, because that mode delivers no PMI.
 */
#include "model/engine/smi.h"

#include "model/engine/counting.h"
#include "model/engine/event_class.h"
#include "model/engine/rules.h"

#define CYCLES_A_MICROSECOND UINT64_C(1000)

unsigned smi_microseconds(struct vcpu *v)
{
    (void)v;
    return 0;
}

static void count(struct vcpu *v, struct place place, uint64_t cycles)
{
    counting_update(v, place);
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        struct counter *c = &v->counters[__builtin_ctz(left)];
        const uint64_t room = vcpu_width_mask(v) - c->value;

        if (c->cycles && event_class_covers(c->event_class, 0))
            c->value += cycles < room ? cycles : room;
    }
    counting_arm(v, place);
}

void smi_take(struct vcpu *v, struct place place)
{
    const unsigned microseconds = v->rules->smi_microseconds(v);

    if (microseconds == 0)
        return;
    v->regs[REG_MSR_SMI_COUNT]++;
    v->host->pause(v->cpu, microseconds);
    if (!vcpu_debugctl(v, v->profile->debugctl->freeze_while_smm))
        count(v, place, microseconds * CYCLES_A_MICROSECOND);
}

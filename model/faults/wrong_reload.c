/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of auto counter reload. */

#include "model/faults/fault_state.h"

/* The counters that counter j names. */
static uint32_t named_by(const struct vcpu *v, unsigned j)
{
    uint32_t named = 0;

    for (unsigned i = 0; i < vcpu_counters(v); i++)
        named |= v->config[j].b & vcpu_counter_bit(v, i) ? UINT32_C(1) << i : 0;
    return named;
}

/* Removes from the targets those that also name another counter, which alone reloads them. */
static uint32_t of_one_cause(const struct vcpu *v, unsigned j, uint32_t targets)
{
    const uint64_t own = vcpu_counter_bit(v, j);

    for (unsigned i = 0; i < vcpu_counters(v); i++) {
        const bool before = v->config[i].b & (own - 1), behind = v->config[i].b & ~(own | (own - 1));

        if ((before && fault(v, FAULT_PERFMON_RELOAD_FIRST_CAUSE)) ||
            (behind && fault(v, FAULT_PERFMON_RELOAD_LAST_CAUSE)))
            targets &= ~(UINT32_C(1) << i);
    }
    return targets;
}

uint32_t wrong_reload_targets(const struct vcpu *v, unsigned j)
{
    const uint32_t own = UINT32_C(1) << j;
    const unsigned general = v->profile->general_counters;
    uint32_t targets = without_faults(v)->reload_targets(v, j);

    if (fault(v, FAULT_PERFMON_RELOAD_FIXED_AS_GENERAL) && j >= general)
        targets = without_faults(v)->reload_targets(v, j - general);
    if (fault(v, FAULT_PERFMON_RELOAD_CHAIN)) {
        const uint32_t first = targets & ~own;

        for (uint32_t left = first; left != 0; left &= left - 1)
            targets |= without_faults(v)->reload_targets(v, (unsigned)__builtin_ctz(left));
    }
    if (fault(v, FAULT_PERFMON_RELOAD_ONE))
        targets &= -targets;
    targets = fault(v, FAULT_PERFMON_RELOAD_REVERSED) ? named_by(v, j) : targets;
    targets |= fault(v, FAULT_PERFMON_RELOAD_BOTH_WAYS) ? named_by(v, j) : 0;
    targets = of_one_cause(v, j, targets);
    targets &= fault(v, FAULT_PERFMON_RELOAD_OTHERS_IGNORED) ? own : ~UINT32_C(0);
    targets &= fault(v, FAULT_PERFMON_RELOAD_ITSELF_IGNORED) ? ~own : ~UINT32_C(0);
    targets |= fault(v, FAULT_PERFMON_RELOAD_CAUSE_TOO) && targets != 0 ? own : 0;
    targets |= fault(v, FAULT_PERFMON_RELOAD_UNNAMED) && v->config[j].c != 0 ? own : 0;
    return fault(v, FAULT_PERFMON_RELOAD_NEVER) ? 0 : targets;
}

/* The first counter that has a reload value. */
static unsigned first_with_value(const struct vcpu *v)
{
    unsigned i = 0;

    while (v->config[i].c == 0)
        i++;
    return i;
}

uint64_t wrong_reload_value(const struct vcpu *v, unsigned i)
{
    const uint64_t upper = ~UINT64_C(0xffffffff);
    uint32_t *reloaded = &fault_state(v)->state.reloaded;
    uint64_t value =
        without_faults(v)->reload_value(v, fault(v, FAULT_PERFMON_RELOAD_VALUE_OF_FIRST) ? first_with_value(v) : i);

    if (fault(v, FAULT_PERFMON_RELOAD_ONCE) && (*reloaded >> i & 1))
        return v->counters[i].value;
    *reloaded |= UINT32_C(1) << i;
    value &= fault(v, FAULT_PERFMON_RELOAD_ZERO_EXTENDED) ? ~upper : ~UINT64_C(0);
    value |= fault(v, FAULT_PERFMON_RELOAD_ONES_EXTENDED) ? upper : 0;
    if (i >= v->profile->general_counters) {
        value -= fault(v, FAULT_PERFMON_RELOAD_FIXED_LESS) ? 256 : 0;
        value += fault(v, FAULT_PERFMON_RELOAD_FIXED_MORE) ? 256 : 0;
    }
    return value;
}

/* Lists the number after the last general counter, and the numbers of the fixed counters that do not exist. */
void wrong_reload_cpuid(const struct vcpu *v, uint32_t subleaf, uint32_t regs[4])
{
    if (subleaf == 2) {
        regs[0] |= fault(v, FAULT_PERFMON_RELOAD_LISTED) ? UINT32_C(1) << v->profile->general_counters : 0;
        regs[3] |= fault(v, FAULT_PERFMON_RELOAD_LISTED_CAUSES) ? ~v->profile->fixed_bitmap & 0xff : 0;
    }
}

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

/* Removes from the targets those that also name a lower counter, which alone reloads them. */
static uint32_t of_one_cause(const struct vcpu *v, unsigned j, uint32_t targets)
{
    const uint64_t own = vcpu_counter_bit(v, j);

    for (unsigned i = 0; i < vcpu_counters(v); i++)
        if ((v->config[i].b & (own - 1)) && fault(v, FAULT_PERFMON_RELOAD_FIRST_CAUSE))
            targets &= ~(UINT32_C(1) << i);
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
    targets |= fault(v, FAULT_PERFMON_RELOAD_BOTH_WAYS) ? named_by(v, j) : 0;
    targets = of_one_cause(v, j, targets);
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
    uint64_t value =
        without_faults(v)->reload_value(v, fault(v, FAULT_PERFMON_RELOAD_VALUE_OF_FIRST) ? first_with_value(v) : i);

    value &= fault(v, FAULT_PERFMON_RELOAD_ZERO_EXTENDED) ? ~upper : ~UINT64_C(0);
    value |= fault(v, FAULT_PERFMON_RELOAD_ONES_EXTENDED) ? upper : 0;
    return value;
}

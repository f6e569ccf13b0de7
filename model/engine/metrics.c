/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/metrics.h"

#define METRICS_AVAILABLE (UINT64_C(1) << 15)
#define METRICS_ENABLED   (UINT64_C(1) << 48) /* in IA32_PERF_GLOBAL_CTRL */
#define WHOLE             UINT64_C(0xff)
#define FIELDS            8
#define RETIRING          0

static uint64_t slots(const struct vcpu *v)
{
    return v->counters[v->profile->general_counters + METRICS_SLOTS].value & vcpu_width_mask(v);
}

bool metrics_exist(const struct vcpu *v)
{
    return v->regs[REG_IA32_PERF_CAPABILITIES] & METRICS_AVAILABLE;
}

/* In modelled time each cycle has one slot, with an instruction that retires: all new slots count as retired. */
uint64_t metrics_value(const struct vcpu *v)
{
    const uint64_t written = v->regs[REG_MSR_PERF_METRICS];
    const uint64_t now = slots(v);
    const uint64_t old = v->metrics.slots <= now ? v->metrics.slots : 0;
    uint64_t value = 0;

    if (!(v->regs[REG_IA32_PERF_GLOBAL_CTRL] & METRICS_ENABLED) || now == old) {
        return written;
    }
    for (unsigned field = 0; field < FIELDS; field++) {
        const uint64_t share = (written >> 8 * field & WHOLE) * old + (field == RETIRING ? WHOLE * (now - old) : 0);

        value |= (share + now / 2) / now << 8 * field;
    }
    return value;
}

void metrics_begin(struct vcpu *v, uint64_t value)
{
    v->regs[REG_MSR_PERF_METRICS] = value;
    v->metrics.slots = slots(v);
}

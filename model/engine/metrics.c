/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/metrics.h"

#include "model/engine/slots.h"

#define METRICS_ENABLED (UINT64_C(1) << 48) /* in IA32_PERF_GLOBAL_CTRL */
#define WHOLE           UINT64_C(0xff)

/* Fields 4 and 6, heavy operations and fetch latency, stay 0. */
enum { RETIRING, BAD_SPECULATION, FRONT_END, BACK_END, MISPREDICTED = 5, MEMORY_BOUND = 7, FIELDS };
#define FIRST_LEVEL 4

static uint64_t slots(const struct vcpu *v)
{
    return v->counters[metrics_counter(v)].value & vcpu_width_mask(v);
}

bool metrics_exist(const struct vcpu *v)
{
    return v->profile->metrics != 0;
}

bool metrics_count(const struct vcpu *v)
{
    return metrics_exist(v) && (v->regs[REG_IA32_PERF_GLOBAL_CTRL] & METRICS_ENABLED);
}

/* How `now` slots since metrics_begin() were used. */
static void share_out(const struct vcpu *v, uint64_t now, uint64_t used[FIELDS])
{
    const unsigned other = slots_width(v) - v->ipc;
    const uint64_t retired = now * v->ipc / slots_width(v);
    const uint64_t bad = v->metrics.bad * other / v->ipc, stalled = v->metrics.stalled * other / v->ipc;

    used[RETIRING] = retired;
    used[BAD_SPECULATION] = bad < now - retired ? bad : now - retired;
    used[BACK_END] = stalled < now - retired - used[BAD_SPECULATION] ? stalled : now - retired - used[BAD_SPECULATION];
    used[FRONT_END] = now - retired - used[BAD_SPECULATION] - used[BACK_END];
    used[MISPREDICTED] = used[BAD_SPECULATION];
    used[MEMORY_BOUND] = used[BACK_END];
}

/* Rounds so that the first four fields add up to 255 if the written ones do. */
uint64_t metrics_value(const struct vcpu *v)
{
    const uint64_t written = v->regs[REG_MSR_PERF_METRICS];
    const uint64_t now = slots(v);
    const uint64_t old = v->metrics.slots <= now ? v->metrics.slots : 0;
    uint64_t used[FIELDS] = { 0 }, value = 0, sum = 0;

    if (!metrics_count(v) || now == old)
        return written;
    share_out(v, now - old, used);
    for (unsigned field = 0; field < v->profile->metrics; field++) {
        const uint64_t before = field < FIRST_LEVEL ? sum : 0;

        sum = before + (written >> 8 * field & WHOLE) * old + WHOLE * used[field];
        value |= ((sum + now / 2) / now - (before + now / 2) / now) << 8 * field;
    }
    return value;
}

void metrics_begin(struct vcpu *v, uint64_t value)
{
    v->regs[REG_MSR_PERF_METRICS] = value;
    v->metrics.slots = slots(v);
    v->metrics.bad = 0;
    v->metrics.stalled = 0;
}

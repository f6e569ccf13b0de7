/* SPDX-License-Identifier: MIT */
#include "pebs/pebs.h"

#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "pebs/layout/arch_pebs.h"
#include "ds/arch_buffer.h"
#include "pebs/netburst.h"

const struct pebs_event *pebs_find_event(const struct caps *caps, enum pebs_role role)
{
    return pebs_event_of(caps->events, role, caps->pebs_counters);
}

unsigned pebs_counter(const struct caps *caps, const struct pebs_event *event)
{
    const uint64_t able = event->counters & caps->pebs_counters, plain = able & ~caps->pebs_pdist_counters;
    unsigned n = 0;

    while (!((plain ? plain : able) & UINT64_C(1) << n))
        n++;
    return n;
}

static uint64_t fixed_control(const struct pebs_sampling *s)
{
    return (s->rings & PERFEVTSEL_OS ? FIXED_CTR_CTRL_OS(s->counter) : 0) |
           (s->rings & PERFEVTSEL_USR ? FIXED_CTR_CTRL_USR(s->counter) : 0);
}

/*
 * Follows the manual's table for Core ("Programming Guidelines for PEBS"), which applies to later cores, too: all
 * counting off, the enable bit, the event select, the counter. PERFEVTSEL_INT stays clear, because the interrupt comes
 * from the DS area's threshold.
 */
static bool program_general(const struct caps *caps, const struct pebs_sampling *s)
{
    uint64_t enable = UINT64_C(1) << s->counter;

    if (s->fixed)
        return msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) &&
               msr_write(MSR_PEBS_ENABLE, msr_get(MSR_PEBS_ENABLE) | PEBS_ENABLE_FIXED(s->counter)) &&
               fixed_counter_program(s->counter, fixed_control(s), 0 - s->period);
    if (s->event->role == PEBS_ROLE_LOAD_LATENCY) {
        if (!msr_write(MSR_PEBS_LD_LAT_THRESHOLD, s->threshold))
            return false;
        enable |= PEBS_ENABLE_LL(s->counter);
    }
    if (s->event->role == PEBS_ROLE_PRECISE_STORE)
        enable |= PEBS_ENABLE_PS;
    return msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) && msr_write(MSR_PEBS_ENABLE, msr_get(MSR_PEBS_ENABLE) | enable) &&
           counter_program(s->counter, s->event->select | s->rings | PERFEVTSEL_EN, 0 - s->period,
                           caps->full_width_write);
}

static bool program_netburst(const struct pebs_sampling *s)
{
    return netburst_program(&(struct netburst_setup){ .event = netburst_event_find(s->event->name),
                                                      .os = (s->rings & PERFEVTSEL_OS) != 0,
                                                      .usr = (s->rings & PERFEVTSEL_USR) != 0,
                                                      .sample = true,
                                                      .period = s->period });
}

static bool needs_auxiliary(const struct caps *caps, const struct pebs_sampling *s)
{
    return !s->fixed && s->event->role == PEBS_ROLE_LOAD_LATENCY && caps->load_latency_auxiliary != 0;
}

/* Bits 32 and up of MSR_PEBS_ENABLE belong to fixed counters. Load latency needs only its event. */
static bool program_adaptive(const struct caps *caps, const struct pebs_sampling *s)
{
    const bool adaptive = s->data_cfg != 0 && !s->basic;
    const uint64_t enable = s->fixed ? PEBS_ENABLE_FIXED(s->counter) : UINT64_C(1) << s->counter;

    if (!msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) || !msr_write(MSR_PEBS_DATA_CFG, s->data_cfg) ||
        !msr_write(MSR_PEBS_ENABLE, msr_get(MSR_PEBS_ENABLE) | enable))
        return false;
    if (s->fixed)
        return fixed_counter_program(
            s->counter, fixed_control(s) | (adaptive ? FIXED_CTR_CTRL_ADAPTIVE(s->counter) : 0), 0 - s->period);
    if (s->event->role == PEBS_ROLE_LOAD_LATENCY && !msr_write(MSR_PEBS_LD_LAT_THRESHOLD, s->threshold))
        return false;
    if (needs_auxiliary(caps, s) &&
        !counter_program(0, caps->load_latency_auxiliary | s->rings | PERFEVTSEL_EN, 0, caps->full_width_write))
        return false;
    return counter_program(s->counter,
                           s->event->select | s->rings | PERFEVTSEL_EN | (adaptive ? PERFEVTSEL_ADAPTIVE : 0),
                           0 - s->period, caps->full_width_write);
}

uint64_t pebs_cfg_c(const struct caps *caps, const struct pebs_sampling *s)
{
    const uint64_t groups = s->basic ? 0 : arch_pebs_groups(s->data_cfg) & caps->pebs_cfg_c;

    return s->cfg_c ? s->cfg_c : groups | ARCH_PEBS_EN;
}

/* CFG_C comes before the event, because it enables records and the reload for any event on the counter. */
static bool program_arch(const struct caps *caps, const struct pebs_sampling *s)
{
    const uint64_t cfg_c = pebs_cfg_c(caps, s) | ((0 - s->period) & ARCH_PEBS_RELOAD);

    if (!msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) ||
        !msr_write(s->fixed ? MSR_IA32_PMC_FX_CFG_C(s->counter) : MSR_IA32_PMC_GP_CFG_C(s->counter), cfg_c))
        return false;
    if (s->fixed)
        return fixed_counter_program(s->counter, fixed_control(s), 0 - s->period);
    if (s->event->role == PEBS_ROLE_LOAD_LATENCY && !msr_write(MSR_PEBS_LD_LAT_THRESHOLD, s->threshold))
        return false;
    return counter_program(s->counter, s->event->select | s->rings | PERFEVTSEL_EN, 0 - s->period,
                           caps->full_width_write);
}

static void (*observer)(const struct pebs_sampling *sampling);

void pebs_observe(void (*observe)(const struct pebs_sampling *sampling))
{
    observer = observe;
}

bool pebs_program(const struct caps *caps, const struct pebs_sampling *s)
{
    const uint64_t counter = UINT64_C(1) << s->counter;
    bool done;

    if (!(s->fixed ? caps->pebs_fixed_counters & counter : s->event->counters & caps->pebs_counters & counter))
        return false;
    done = caps->pebs_method == PEBS_METHOD_NETBURST   ? program_netburst(s)
           : caps->pebs_method == PEBS_METHOD_ADAPTIVE ? program_adaptive(caps, s)
           : caps->pebs_method == PEBS_METHOD_ARCH     ? program_arch(caps, s)
                                                       : program_general(caps, s);
    if (done && observer)
        observer(s);
    return done;
}

uint64_t pebs_counters(const struct caps *caps, const struct pebs_sampling *s)
{
    return UINT64_C(1) << (s->counter + (s->fixed ? 32 : 0)) | (needs_auxiliary(caps, s) ? 1 : 0);
}

struct window pebs_window(const struct caps *caps, uint64_t counters)
{
    if (caps->pebs_method == PEBS_METHOD_NETBURST)
        return netburst_window();
    return (struct window){ .msr = MSR_IA32_PERF_GLOBAL_CTRL, .on = counters, .off = 0 };
}

void pebs_quiesce(const struct caps *caps)
{
    if (caps->pebs_method == PEBS_METHOD_ARCH)
        arch_buffer_close(caps);
    else
        msr_write(MSR_PEBS_ENABLE, 0);
}

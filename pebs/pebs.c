/* SPDX-License-Identifier: MIT */
#include "pebs/pebs.h"

#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "pebs/netburst.h"

const struct pebs_event *pebs_event(const struct caps *caps, enum pebs_role role)
{
    return pebs_event_of(caps->events, role, caps->pebs_counters);
}

unsigned pebs_counter(const struct caps *caps, const struct pebs_event *event)
{
    unsigned n = 0;

    while (!(event->counters & caps->pebs_counters & UINT64_C(1) << n))
        n++;
    return n;
}

/*
 * The order of the manual's table for Core ("Programming Guidelines for PEBS"), which suits the later ones: counting
 * off for all, the enable bit, the event select, the counter. No PERFEVTSEL_INT: the interrupt comes from the DS area's
 * threshold.
 */
static bool program_general(const struct caps *caps, const struct pebs_sampling *s)
{
    uint64_t enable = UINT64_C(1) << s->counter;

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

bool pebs_program(const struct caps *caps, const struct pebs_sampling *s)
{
    if (!(s->event->counters & caps->pebs_counters & UINT64_C(1) << s->counter))
        return false;
    return caps->pebs_method == PEBS_METHOD_NETBURST ? program_netburst(s) : program_general(caps, s);
}

struct window pebs_window(const struct caps *caps, uint64_t counters)
{
    if (caps->pebs_method == PEBS_METHOD_NETBURST)
        return netburst_window();
    return (struct window){ .msr = MSR_IA32_PERF_GLOBAL_CTRL, .on = counters, .off = 0 };
}

/* SPDX-License-Identifier: MIT */
#include "suite/measure/meter.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"

#define COUNTER_BITS 40u /* the narrowest counters have 40 bits, enough for any measurement */

/*
 * NetBurst's meters use other groups of counters than MSR_IQ_COUNTER4, or their own ESCR. SDM Vol. 3B (253669-059),
 * tables of non-retirement and at-retirement events and of counters: global_power_events (RUNNING), instr_retired
 * (tagged or not, not bogus).
 */
static const struct netburst_meter {
    const char *name;
    uint32_t escr, cccr, counter;
    uint64_t event, mask, select;
} netburst[] = {
    [METER_CYCLES] = { "global_power_events", MSR_FSB_ESCR0, MSR_BPU_CCCR0, MSR_BPU_COUNTER0, 0x13, 1, 6 },
    [METER_INSTRUCTIONS] = { "instr_retired", MSR_CRU_ESCR0, MSR_IQ_CCCR0, MSR_IQ_COUNTER0, 0x02, 3, 4 },
};

/* The events of fixed counters 0 and 1. */
static const char *const fixed_names[] = {
    [METER_CYCLES] = "CPU_CLK_UNHALTED.CORE",
    [METER_INSTRUCTIONS] = "INST_RETIRED.ANY",
};

#define INSTRUCTIONS       0x00c0u
#define CYCLES             0x003cu /* architectural */
#define CYCLES_BEFORE_LEAF 0x0079u /* Pentium M: CPU_CLK_UNHALTED */

static bool open_netburst(enum meter_kind kind, struct meter *meter)
{
    const struct netburst_meter *m = &netburst[kind];
    const uint64_t rings = ESCR_T0_OS | (kind == METER_CYCLES ? ESCR_T0_USR : 0);
    const uint64_t cccr = CCCR_ACTIVE_ANY | CCCR_SELECT(m->select);

    *meter = (struct meter){ .name = m->name, .msr = m->counter };
    return msr_write(m->cccr, cccr) && msr_write(m->escr, ESCR_EVENT(m->event) | ESCR_MASK(m->mask) | rings) &&
           msr_write(m->counter, 0) && msr_write(m->cccr, cccr | CCCR_ENABLE);
}

static bool open_fixed(enum meter_kind kind, struct meter *meter)
{
    const unsigned n = kind == METER_CYCLES ? 1 : 0;

    *meter =
        (struct meter){ .name = fixed_names[kind], .counters = UINT64_C(1) << (32 + n), .msr = MSR_IA32_FIXED_CTR(n) };
    return fixed_counter_program(n, FIXED_CTR_CTRL_OS(n) | (kind == METER_CYCLES ? FIXED_CTR_CTRL_USR(n) : 0), 0) &&
           msr_write(MSR_IA32_PERF_GLOBAL_CTRL, meter->counters);
}

/* Uses counter 0 on processors that have neither PEBS nor a register that starts all counters. */
static bool open_general(const struct caps *caps, enum meter_kind kind, struct meter *meter)
{
    const uint64_t event = kind == METER_INSTRUCTIONS ? INSTRUCTIONS
                           : caps->perfmon_version    ? CYCLES
                                                      : CYCLES_BEFORE_LEAF;
    const uint64_t rings = PERFEVTSEL_OS | (kind == METER_CYCLES ? PERFEVTSEL_USR : 0);

    *meter =
        (struct meter){ .name = kind == METER_CYCLES ? "CPU_CLK_UNHALTED" : "INST_RETIRED", .msr = MSR_IA32_PMC(0) };
    return msr_write(MSR_IA32_PERFEVTSEL(0), 0) && msr_write(MSR_IA32_PMC(0), 0) &&
           msr_write(MSR_IA32_PERFEVTSEL(0), event | rings | PERFEVTSEL_EN);
}

static bool open_counter(const struct caps *caps, enum meter_kind kind, struct meter *meter)
{
    if (caps->pebs_method == PEBS_METHOD_NETBURST)
        return open_netburst(kind, meter);
    if (caps->global_ctrl)
        return caps->fixed_count >= 2 && open_fixed(kind, meter);
    return caps->pebs_method == PEBS_METHOD_NONE && open_general(caps, kind, meter);
}

bool meter_open(const struct caps *caps, enum meter_kind kind, struct meter *meter)
{
    msr_watch_pause(); /* until the next test: it would add to what is measured */
    if (kind == METER_INSTRUCTIONS || caps->hypervisor)
        if (open_counter(caps, kind, meter))
            return true;
    *meter = (struct meter){ .name = "tsc" };
    return kind == METER_CYCLES;
}

uint64_t meter_read(const struct meter *meter)
{
    return meter->msr ? msr_get(meter->msr) : time_stamp();
}

uint64_t meter_since(const struct meter *meter, uint64_t before)
{
    const uint64_t difference = meter_read(meter) - before;

    return meter->msr ? difference & ((UINT64_C(1) << COUNTER_BITS) - 1) : difference;
}

struct window meter_window(const struct meter *meter, struct window window)
{
    if (window.msr == MSR_IA32_PERF_GLOBAL_CTRL) {
        window.on |= meter->counters;
        window.off |= meter->counters;
    }
    return window;
}

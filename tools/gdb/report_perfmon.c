/* SPDX-License-Identifier: MIT */
/* perfmon: counters, event selects by name, what is enabled, status, and the counters' LVT entry. */
#include <inttypes.h>
#include <stdio.h>

#include "cpu/events.h"
#include "cpu/msr_index.h"
#include "tools/gdb/area.h"
#include "tools/gdb/reports.h"

#define SELECT_EVENT    UINT64_C(0xffff)
#define LVT_VECTOR      0xffu
#define LVT_DELIVERY    8u
#define LVT_MASK        (1u << 16)
#define STATUS_FIXED    32u
#define COUNTERS_OF_ALL 32u

/* The architectural events. SDM Vol. 3B (253669-081), "Pre-defined Architectural Performance Events". */
static const struct {
    uint16_t select;
    const char *name;
} architectural[] = {
    { 0x003c, "UnHalted Core Cycles" },  { 0x00c0, "Instruction Retired" }, { 0x013c, "UnHalted Reference Cycles" },
    { 0x4f2e, "LLC Reference" },         { 0x412e, "LLC Misses" },          { 0x00c4, "Branch Instruction Retired" },
    { 0x00c5, "Branch Misses Retired" }, { 0x01a4, "Topdown Slots" },
};

/* A precise event is printed with perf's name, which is more specific. */
static const char *event_name(const struct processor *p, uint64_t select)
{
    for (size_t i = 0; i < p->caps.events->count; i++)
        if (p->caps.events->events[i].select == (select & SELECT_EVENT))
            return p->caps.events->events[i].name;
    for (size_t i = 0; i < sizeof(architectural) / sizeof(architectural[0]); i++)
        if (architectural[i].select == (select & SELECT_EVENT))
            return architectural[i].name;
    return "?";
}

static void print_value(const char *name, unsigned n, uint64_t value, unsigned width)
{
    const uint64_t events = (UINT64_C(1) << width) - value;

    printf("  %s%-2u 0x%0*" PRIx64 "  overflows after %" PRIu64, name, n, (int)((width + 3) / 4), value, events);
}

static void print_enables(const struct processor *p, unsigned status_bit)
{
    if (p->caps.global_ctrl && !(processor_msr_or_0(p, MSR_IA32_PERF_GLOBAL_CTRL) >> status_bit & 1))
        printf(", stopped by IA32_PERF_GLOBAL_CTRL");
    if (area_pebs_on(p) >> status_bit & 1)
        printf(", PEBS");
    if (processor_msr_or_0(p, MSR_IA32_PERF_GLOBAL_STATUS) >> status_bit & 1)
        printf(", has overflowed");
    printf("\n");
}

static uint64_t general_counter(const struct processor *p, unsigned n, uint64_t *select)
{
    uint64_t value;

    *select = processor_msr_or_0(p, MSR_IA32_PERFEVTSEL(n));
    if (processor_msr(p, MSR_IA32_PMC(n), &value))
        return value;
    *select = processor_msr_or_0(p, MSR_IA32_PMC_GP_CFG_A(n));
    return processor_msr_or_0(p, MSR_IA32_PMC_GP_CTR(n));
}

/* False, with no output, for a disabled counter that is 0. */
static bool print_general(const struct processor *p, unsigned n)
{
    uint64_t select;
    const uint64_t value = general_counter(p, n, &select);

    if (!(select & PERFEVTSEL_EN) && value == 0)
        return false;
    print_value("PMC", n, value, p->caps.general_width);
    if (!(select & PERFEVTSEL_EN)) {
        printf("; IA32_PERFEVTSEL%u 0x%" PRIx64 ": off\n", n, select);
        return true;
    }
    printf("; IA32_PERFEVTSEL%u 0x%" PRIx64 ": %s%s%s%s", n, select, event_name(p, select),
           select & PERFEVTSEL_OS ? " OS" : "", select & PERFEVTSEL_USR ? " USR" : "",
           select & PERFEVTSEL_INT ? " INT" : "");
    print_enables(p, n);
    return true;
}

static bool print_fixed(const struct processor *p, unsigned n)
{
    static const char *const names[] = { "INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC",
                                         "TOPDOWN.SLOTS",    "TOPDOWN_BAD_SPECULATION", "TOPDOWN_FE_BOUND",
                                         "TOPDOWN_RETIRING" };
    const uint64_t control = processor_msr_or_0(p, MSR_IA32_FIXED_CTR_CTRL);
    const uint64_t value = processor_msr_or_0(p, MSR_IA32_FIXED_CTR(n));
    const bool on = (control & (FIXED_CTR_CTRL_OS(n) | FIXED_CTR_CTRL_USR(n))) != 0;

    if (!on && value == 0)
        return false;
    print_value("FIXED_CTR", n, value, p->caps.fixed_width);
    printf("; %s", n < sizeof(names) / sizeof(names[0]) ? names[n] : "?");
    if (!on) {
        printf(": off\n");
        return true;
    }
    printf(":%s%s%s", control & FIXED_CTR_CTRL_OS(n) ? " OS" : "", control & FIXED_CTR_CTRL_USR(n) ? " USR" : "",
           control & FIXED_CTR_CTRL_PMI(n) ? " INT" : "");
    print_enables(p, STATUS_FIXED + n);
    return true;
}

/* NetBurst: only the registers in use, because there are many. */
static void print_netburst(const struct processor *p)
{
    for (unsigned n = 0; n < NETBURST_CCCRS; n++) {
        const uint64_t cccr = processor_msr_or_0(p, MSR_BPU_CCCR0 + n);
        const uint64_t value = processor_msr_or_0(p, MSR_BPU_COUNTER0 + n);
        if (cccr == 0 && value == 0)
            continue;
        print_value("counter ", n, value, 40);
        printf("; CCCR 0x%" PRIx64 ":%s%s%s\n", cccr, cccr & CCCR_ENABLE ? " on" : " off",
               cccr & CCCR_OVF_PMI ? " INT" : "", cccr & CCCR_OVF ? ", has overflowed" : "");
    }
}

static void print_status(const struct processor *p)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } bits[] = { { GLOBAL_STATUS_PEBS, "PEBS threshold" }, { MSR_BIT(55), "trace" },
                 { GLOBAL_STATUS_LBR_FRZ, "LBR_FRZ" },     { GLOBAL_STATUS_CTR_FRZ, "CTR_FRZ" },
                 { GLOBAL_STATUS_ASCI, "ASCI" },           { MSR_BIT(61), "OvfUncore" },
                 { GLOBAL_STATUS_DS_BUFFER, "OvfBuf" },    { GLOBAL_STATUS_COND_CHGD, "CondChgd" } };
    const uint64_t status = processor_msr_or_0(p, MSR_IA32_PERF_GLOBAL_STATUS);

    printf("IA32_PERF_GLOBAL_STATUS 0x%" PRIx64 ":", status);
    for (unsigned n = 0; n < COUNTERS_OF_ALL; n++) {
        if (status >> n & 1)
            printf(" PMC%u", n);
        if (n < 16 && (status >> (STATUS_FIXED + n) & 1))
            printf(" FIXED_CTR%u", n);
    }
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if (status & bits[i].bit)
            printf(" %s", bits[i].name);
    printf("%s\n", status == 0 ? " no overflow" : "");
}

static void print_lvt(const struct processor *p)
{
    static const char *const delivery[] = {
        "fixed", "reserved", "SMI", "reserved", "NMI", "INIT", "reserved", "ExtINT"
    };
    const uint32_t lvt = (uint32_t)p->lvtpc;

    printf("LVT performance counter entry 0x%" PRIx32 ": vector 0x%" PRIx32 ", %s, %s%s\n", lvt, lvt & LVT_VECTOR,
           delivery[lvt >> LVT_DELIVERY & 7], lvt & LVT_MASK ? "masked" : "not masked",
           p->apic ? "" : "; the local APIC is off");
}

void report_perfmon(const struct processor *p, unsigned count)
{
    unsigned idle = 0;

    (void)count;
    printf("%s: performance monitoring version %u\n", p->caps.core ? p->caps.core : "unknown core",
           p->caps.perfmon_version);
    if (p->caps.pebs_method == PEBS_METHOD_NETBURST || p->caps.general_count == 0)
        print_netburst(p);
    for (unsigned n = 0; n < COUNTERS_OF_ALL; n++)
        if (p->caps.general_counters >> n & 1)
            idle += !print_general(p, n);
    for (unsigned n = 0; n < COUNTERS_OF_ALL; n++)
        if (p->caps.fixed_counters >> n & 1)
            idle += !print_fixed(p, n);
    if (idle > 0)
        printf("  %u counters are off and have the value 0\n", idle);
    if (p->caps.global_ctrl) {
        printf("IA32_PERF_GLOBAL_CTRL 0x%" PRIx64 "\n", processor_msr_or_0(p, MSR_IA32_PERF_GLOBAL_CTRL));
        print_status(p);
    }
    printf("%s 0x%" PRIx64 ", IA32_DEBUGCTL 0x%" PRIx64 "\n", area_is_arch(p) ? "IA32_PEBS_INDEX" : "MSR_PEBS_ENABLE",
           processor_msr_or_0(p, area_is_arch(p) ? MSR_IA32_PEBS_INDEX : MSR_PEBS_ENABLE),
           processor_msr_or_0(p, MSR_IA32_DEBUGCTL));
    print_lvt(p);
}

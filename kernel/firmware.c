/* SPDX-License-Identifier: MIT */
#include "kernel/firmware.h"

#include <inttypes.h>
#include <stdbool.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "lib/format.h"

/* "GenuineIntel": other vendors have other registers of these numbers. */
#define CPUID_0_EBX_INTEL     0x756e6547u
#define CPUID_0_EDX_INTEL     0x49656e69u
#define CPUID_0_ECX_INTEL     0x6c65746eu
#define CPUID_1_EAX_FAMILY    0x0f00u
#define CPUID_1_EAX_NETBURST  0x0f00u
#define CPUID_1_EDX_MSR       (1u << 5)
#define CPUID_1_EDX_APIC      (1u << 9)
#define CPUID_1_EDX_DS        (1u << 21)
#define CPUID_7_EBX_TRACE     (1u << 25)
#define CPUID_7_EDX_ABORT     (1u << 13)
#define CPUID_7_EDX_ARCH_LBR  (1u << 19)
#define CPUID_7_1_EAX_LEAF_23 (1u << 8)
#define CPUID_23_EAX_PEBS     (3u << 4)

#define LEAF_PERFMON 0xau
#define APIC_DEFAULT UINT64_C(0xfee00000)

/* SDM Vol. 3B (253669-081), "Debug Control Register (DR7)": L0 to G3; bit 10 is always 1. */
#define DR7_BREAKPOINTS 0xffu
#define DR7_NONE        0x400u

/* IA32_DEBUGCTL since Pentium M, and MSR_DEBUGCTLA of NetBurst: TR and BTS. */
#define DEBUGCTL_BTS          (MSR_BIT(6) | MSR_BIT(7))
#define DEBUGCTL_BTS_NETBURST (MSR_BIT(2) | MSR_BIT(3))

#define FIXED_RINGS(n) (FIXED_CTR_CTRL_OS(n) | FIXED_CTR_CTRL_USR(n))

#define P6_COUNTERS 2u  /* counters of a family 6 without leaf 0Ah */
#define GENERAL     12u /* counters that are checked: the register after IA32_PMC11 is a different one, MSR_FSB_FREQ */
#define FIXED       8u
#define ACTIVE_MOST (NETBURST_CCCRS + 3u)
#define VALUES_MOST (GENERAL + FIXED + 1u) /* and IA32_PERF_GLOBAL_CTRL */

_Static_assert(GENERAL + 7u <= ACTIVE_MOST, "every source that can run has an entry");

/* A register that was active, and the bits that made it so. */
struct active_register {
    const char *name, *what;
    uint32_t msr;
    uint64_t value, running, again; /* again: the bits to restore at the end */
};

/* What one processor had, and what to restore. */
struct found {
    uintptr_t dr7;       /* 0 if no breakpoint was enabled */
    bool counter_3_lost; /* TSX_FORCE_ABORT stays clear */
    uint32_t cpuid_most; /* the highest leaf under a limit; 0 if there was none */
    bool cpuid_stays;    /* the limit could not be lifted */
    uint64_t misc_enable;
    struct active_register registers[ACTIVE_MOST];
    unsigned count;
    struct {
        uint32_t msr;
        uint64_t value;
    } values[VALUES_MOST]; /* counters that ran, and their enabling registers */
    unsigned value_count;
};

static struct found processors[FIRMWARE_PROCESSORS], *current = processors;

/* The boot processor's local APIC. */
static struct {
    bool off, stays; /* firmware switched it off; it cannot be switched on */
    uint64_t base;   /* IA32_APIC_BASE then */
} apic;

static void remember_value(struct found *found, uint32_t msr)
{
    uint64_t value;

    if (found->value_count == VALUES_MOST || !msr_read(msr, &value))
        return;
    found->values[found->value_count].msr = msr;
    found->values[found->value_count++].value = value;
}

/* Gives these bits of a register this value. Returns whether they had another one. */
static bool change(struct found *found, const char *name, const char *what, uint32_t msr, uint64_t bits, uint64_t value,
                   uint64_t again)
{
    struct active_register entry = { .name = name, .what = what, .msr = msr, .running = bits, .again = again };

    if (!msr_read(msr, &entry.value) || (entry.value & bits) == value)
        return false;
    found->registers[found->count++] = entry;
    msr_write(msr, (entry.value & ~bits) | value);
    return true;
}

/* Clears these bits of a register. Returns whether any was set. */
static bool stop(struct found *found, const char *name, const char *what, uint32_t msr, uint64_t running,
                 uint64_t again)
{
    return change(found, name, what, msr, running, 0, again);
}

static void stop_general(struct found *found, unsigned count, uint64_t enabled)
{
    /*
     * All bits: bit 63 of IA32_PERF_GLOBAL_INUSE reports INT of any counter, and microcode sets bit 32, which WRMSR
     * may refuse (Linux's boot log of an i5-6500: "MSR 189 is 100430000").
     */
    uint64_t select;

    for (unsigned n = 0; n < count && n < GENERAL; n++)
        if (enabled >> n & 1 && msr_read(MSR_IA32_PERFEVTSEL(n), &select) && select & PERFEVTSEL_EN &&
            stop(found, "IA32_PERFEVTSELx", "counting", MSR_IA32_PERFEVTSEL(n), select, select))
            remember_value(found, MSR_IA32_PMC(n));
}

static void stop_fixed(struct found *found, uint64_t enabled)
{
    uint64_t control = msr_get(MSR_IA32_FIXED_CTR_CTRL), running = 0;

    for (unsigned n = 0; n < FIXED; n++) {
        if (!(enabled >> n & 1 && control & FIXED_RINGS(n)))
            continue;
        running |= FIXED_RINGS(n);
        remember_value(found, MSR_IA32_FIXED_CTR(n));
    }
    if (running)
        stop(found, "IA32_FIXED_CTR_CTRL", "counting", MSR_IA32_FIXED_CTR_CTRL, running, running);
}

/* From version 2 on IA32_PERF_GLOBAL_CTRL has a bit for each counter. A hybrid's leaf 0AH may report fewer. */
static void stop_counters(struct found *found)
{
    const struct cpuid leaf = cpuid(0, 0).eax >= LEAF_PERFMON ? cpuid(LEAF_PERFMON, 0) : (struct cpuid){ 0 };
    const unsigned version = leaf.eax & 0xff, general = leaf.eax >> 8 & 0xff;

    if (version >= 2) {
        const uint64_t enabled = msr_get(MSR_IA32_PERF_GLOBAL_CTRL);

        stop_general(found, GENERAL, enabled);
        stop_fixed(found, enabled >> 32);
        if (found->value_count)
            remember_value(found, MSR_IA32_PERF_GLOBAL_CTRL);
    } else {
        stop_general(found, version ? general : P6_COUNTERS, UINT64_MAX);
    }
}

static void stop_netburst(struct found *found)
{
    for (unsigned n = 0; n < NETBURST_CCCRS; n++)
        stop(found, "CCCR", "counting", MSR_BPU_CCCR0 + n, CCCR_ENABLE, CCCR_ENABLE);
}

/* Whether IA32_PEBS_INDEX exists. */
static bool has_arch_pebs(void)
{
    return cpuid(0, 0).eax >= 0x23 && cpuid(7, 0).eax >= 1 && cpuid(7, 1).eax & CPUID_7_1_EAX_LEAF_23 &&
           (cpuid(0x23, 0).eax & CPUID_23_EAX_PEBS) == CPUID_23_EAX_PEBS;
}

/*
 * Stops recording before counting, so that no more records are written to memory. Stops Intel PT first: while it is on,
 * Broadwell's IA32_DEBUGCTL raises #GP (erratum BDM104).
 */
static void stop_all(struct found *found)
{
    const struct cpuid leaf_1 = cpuid(1, 0), leaf_7 = cpuid(0, 0).eax >= 7 ? cpuid(7, 0) : (struct cpuid){ 0 };
    const bool netburst = (leaf_1.eax & CPUID_1_EAX_FAMILY) == CPUID_1_EAX_NETBURST;

    if (leaf_7.ebx & CPUID_7_EBX_TRACE)
        stop(found, "IA32_RTIT_CTL", "tracing", MSR_IA32_RTIT_CTL, RTIT_CTL_TRACEEN, RTIT_CTL_TRACEEN);
    if (leaf_7.edx & CPUID_7_EDX_ABORT) /* erratum SKL179: the microcode uses counter 3 unless transactions abort */
        found->counter_3_lost =
            change(found, "TSX_FORCE_ABORT", "clear, which makes counter 3 unreliable", MSR_TSX_FORCE_ABORT,
                   TSX_FORCE_ABORT_RTM, TSX_FORCE_ABORT_RTM, TSX_FORCE_ABORT_RTM) &&
            !(msr_get(MSR_TSX_FORCE_ABORT) & TSX_FORCE_ABORT_RTM);
    found->count -= found->counter_3_lost;
    stop(found, "IA32_DEBUGCTL", "recording branches", MSR_IA32_DEBUGCTL,
         DEBUGCTL_LBR | (netburst ? DEBUGCTL_BTS_NETBURST : DEBUGCTL_BTS), DEBUGCTL_LBR);
    if (leaf_7.edx & CPUID_7_EDX_ARCH_LBR)
        stop(found, "IA32_LBR_CTL", "recording branches", MSR_IA32_LBR_CTL, LBR_CTL_LBREN, LBR_CTL_LBREN);
    if (leaf_1.edx & CPUID_1_EDX_DS)
        stop(found, "MSR_PEBS_ENABLE",
             msr_get(MSR_PEBS_ENABLE) & PEBS_ENABLE_OUTPUT_PT ? "sampling into Intel PT" : "sampling", MSR_PEBS_ENABLE,
             UINT64_MAX, 0);
    if (has_arch_pebs())
        stop(found, "IA32_PEBS_INDEX", "sampling", MSR_IA32_PEBS_INDEX, PEBS_INDEX_EN, 0);
    if (netburst)
        stop_netburst(found);
    else
        stop_counters(found);
}

static void stop_breakpoints(struct found *found)
{
    const uintptr_t dr7 = dr7_read();

    if (!(dr7 & DR7_BREAKPOINTS))
        return;
    found->dr7 = dr7;
    dr7_write(DR7_NONE);
}

static void lift_limit(struct found *found)
{
    const uint32_t most = cpuid(0, 0).eax;

    if (!msr_read(MSR_IA32_MISC_ENABLE, &found->misc_enable) || !(found->misc_enable & MISC_ENABLE_LIMIT_CPUID))
        return;
    found->cpuid_most = most;
    found->cpuid_stays = !msr_write(MSR_IA32_MISC_ENABLE, found->misc_enable & ~MISC_ENABLE_LIMIT_CPUID) ||
                         msr_get(MSR_IA32_MISC_ENABLE) & MISC_ENABLE_LIMIT_CPUID;
}

/*
 * SDM Vol. 3A (253668-083), "Enabling or Disabling the Local APIC": while the enable bit is clear, CPUID denies the
 * APIC. Processors that cannot enable it again before a reset ignore the write.
 */
void firmware_apic_on(void)
{
    const uint32_t flags = cpuid(1, 0).edx;
    uint64_t base;

    apic.off = !(flags & CPUID_1_EDX_APIC) && flags & CPUID_1_EDX_MSR && msr_read(MSR_IA32_APIC_BASE, &base) && base &&
               !(base & APIC_BASE_ENABLE);
    if (!apic.off)
        return;
    apic.base = base;
    msr_write(MSR_IA32_APIC_BASE, base | (base & APIC_BASE_ADDRESS ? 0 : APIC_DEFAULT) | APIC_BASE_ENABLE);
    apic.stays = !(cpuid(1, 0).edx & CPUID_1_EDX_APIC);
    if (apic.stays)
        msr_write(MSR_IA32_APIC_BASE, base);
}

void firmware_apic_off(void)
{
    if (apic.off && !apic.stays)
        msr_write(MSR_IA32_APIC_BASE, apic.base);
}

void firmware_of(unsigned processor)
{
    current = &processors[processor];
}

void firmware_take_over(void)
{
    const struct cpuid leaf_0 = cpuid(0, 0);
    struct found *const found = current;

    *found = (struct found){ 0 };
    stop_breakpoints(found);
    if (leaf_0.ebx != CPUID_0_EBX_INTEL || leaf_0.edx != CPUID_0_EDX_INTEL || leaf_0.ecx != CPUID_0_ECX_INTEL)
        return;
    lift_limit(found);
    stop_all(found);
}

uint64_t firmware_unreliable_counters(void)
{
    return current->counter_3_lost ? MSR_BIT(3) : 0;
}

uint64_t firmware_left(uint32_t msr)
{
    const struct found *const found = current;

    for (unsigned i = 0; i < found->count; i++)
        if (found->registers[i].msr == msr)
            return found->registers[i].value;
    return msr_get(msr);
}

void firmware_give_back(void)
{
    const struct found *const found = current;

    for (unsigned i = 0; i < found->value_count; i++)
        if (found->values[i].msr != MSR_IA32_PERF_GLOBAL_CTRL)
            msr_write(found->values[i].msr, found->values[i].value);
    for (unsigned i = 0; i < found->count; i++)
        if (found->registers[i].again)
            msr_write(found->registers[i].msr,
                      found->registers[i].value & ~(found->registers[i].running & ~found->registers[i].again));
    for (unsigned i = 0; i < found->value_count; i++)
        if (found->values[i].msr == MSR_IA32_PERF_GLOBAL_CTRL)
            msr_write(found->values[i].msr, found->values[i].value);
    if (found->cpuid_most && !found->cpuid_stays)
        msr_write(MSR_IA32_MISC_ENABLE, found->misc_enable);
}

void firmware_text(const struct line_sink *out)
{
    const struct found *const found = current;

    if (apic.off)
        say(out, "firmware left the local APIC off, IA32_APIC_BASE at 0x%" PRIx64 ": %s", apic.base,
            apic.stays ? "it cannot be switched on" : "on until the end");
    if (found->dr7)
        say(out, "firmware left breakpoints enabled, DR7 at 0x%" PRIxPTR ": cleared", found->dr7);
    if (found->cpuid_most)
        say(out, "firmware left CPUID limited to leaf %" PRIu32 " by IA32_MISC_ENABLE bit 22: %s", found->cpuid_most,
            found->cpuid_stays ? "it cannot be cleared" : "cleared until the end");
    for (unsigned i = 0; i < found->count; i++)
        say(out, "firmware left %s (0x%" PRIx32 ") %s, at 0x%" PRIx64 ": %s%s", found->registers[i].name,
            found->registers[i].msr, found->registers[i].what, found->registers[i].value,
            found->registers[i].value & found->registers[i].running ? "stopped" : "set",
            found->registers[i].again ? " until the end" : "");
    if (found->counter_3_lost)
        say(out, "firmware keeps TSX_FORCE_ABORT clear: counter 3 is left out");
}

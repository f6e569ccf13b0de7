/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults/quirks.h"

#include <stddef.h>
#include <string.h>

#include "model/faults/fault_state.h"
#include "model/faults/kvm.h"
#include "model/latitude/latitude.h"

#define TSC_FAST_RATIO     800 /* times the crystal frequency, which is in Hz */
#define TSC_FAST_CRYSTAL   25000000
#define CPUID_1_EDX_APIC   (UINT32_C(1) << 9)
#define CPUID_0A_EAX_COUNT UINT32_C(0x0000ff00)
#define CPUID_7_EDX_HYBRID (UINT32_C(1) << 15)
#define CORE_I5_12400      UINT32_C(0x00090675)
#define CORE_KIND_LEAF     0x1a
#define PERFMON_LEAF       0x23
#define CPUID_23_EBX_RDPMC (UINT32_C(1) << 2)
#define CPUID_7_EBX_RTM    UINT32_C(0x800)
#define CPUID_7_EBX_TRACE  UINT32_C(0x2000000)
#define CPUID_7_EDX_ABORT  UINT32_C(0x2000)

/* The state that firmware leaves. */
#define MISC_ENABLE_LIMIT_CPUID (UINT64_C(1) << 22)
#define COUNTS_CYCLES           0x43003c
#define LEFT_COUNT              0x1234
#define FIXED_1_AND_2           0x330 /* of both rings */
#define FIXED_1_INTERRUPTS      0xb0
#define FIXED_1_AND_2_ENABLED   (UINT64_C(3) << 33)
#define COUNTER_3_TAKEN         UINT64_C(0x100430000)

/*
 * Firmware locks x2APIC mode if SGX or TDX is enabled (SDM Vol. 4 (335592-083), table 2-2, IA32_XAPIC_DISABLE_STATUS).
 */
#define CPUID_7_EDX_ARCH_CAPABILITIES UINT32_C(0x20000000)
#define IA32_APIC_BASE                0x1b
#define APIC_BASE_X2APIC_MODE         UINT64_C(0xc00) /* EN and EXTD */
#define APIC_BASE_EN                  UINT64_C(0x800)
#define APIC_BASE_BSP                 UINT64_C(0x100)
#define APIC_BASE_OFF                 UINT64_C(0xfee00000)
#define IA32_XAPIC_DISABLE_STATUS     0xbd
#define LEGACY_XAPIC_DISABLED         1
#define IA32_ARCH_CAPABILITIES        0x10a
#define ARCH_XAPIC_DISABLE_STATUS     (UINT64_C(1) << 21)

#define IA32_MTRR_DEF_TYPE 0x2ff

#define IA32_RTIT_CTL   0x570
#define RTIT_CTL_LEFT   UINT64_C(0x210d) /* TraceEn, OS, User, ToPA, BranchEn */
#define TSX_FORCE_ABORT 0x10f
#define COUNTERS_4_TO_7 UINT64_C(0xf0)

static const struct {
    const char *name, *sentence;
} table[QUIRKS] = {
    [QUIRK_INERT] = { "inert", "every register can be written and read back, but the processor never counts, records "
                               "or interrupts" },
    [QUIRK_MSR_FAULTS] = { "msr_faults", "all debug store and performance monitoring registers raise #GP" },
    [QUIRK_TSC_FAST] = { "tsc_fast", "CPUID.15H reports a time-stamp counter of 20 GHz" },
    [QUIRK_X2APIC_LOCKED] = { "x2apic_locked", "x2APIC mode cannot be disabled once it is enabled" },
    [QUIRK_COUNTERS_CONCEALED] = { "counters_concealed",
                                   "CPUID.0AH reports fewer counters than exist: no fixed counters, or from "
                                   "version 5 on only the counters of a hybrid's smaller core" },
    [QUIRK_COUNTER_TAKEN] = { "counter_taken",
                              "IA32_PMC1 has the value of system management mode's counter and ignores writes" },
    [QUIRK_COUNTERS_UNPRIMED] = { "counters_unprimed",
                                  "general counters do not count after a reset until they are primed: "
                                  "errata AAK100, AAP53, BD53" },
    [QUIRK_LEFT_RUNNING] = { "left_running", "firmware leaves a general counter, a fixed counter and LBRs enabled" },
    [QUIRK_CPUID_LIMITED] = { "cpuid_limited",
                              "firmware leaves IA32_MISC_ENABLE bit 22 set: the last CPUID leaf is 2" },
    [QUIRK_KVM] = { "kvm", "only what KVM exposes: no BTS, PEBS without adaptive groups, no architectural LBRs" },
    [QUIRK_P_CORES_ALONE] = { "p_cores_alone",
                              "CPUID is that of a Core i5-12400: a hybrid's signature, but all cores are P-cores" },
    [QUIRK_RDPMC_USER_DISABLE] = { "rdpmc_user_disable",
                                   "counters can be hidden from RDPMC at CPL 3, as from Panther Cove on" },
    [QUIRK_TRACE_LEFT] = { "trace_left", "firmware leaves Intel PT on: IA32_RTIT_CTL (Broadwell, Skylake)" },
    [QUIRK_FORCE_ABORT] = { "force_abort", "CPUID.7 reports RTM and TSX_FORCE_ABORT, as Skylake's microcode of 2019" },
    [QUIRK_HYPER_THREADING_OFF] = { "hyper_threading_off", "eight general counters instead of four, as Sandy Bridge to "
                                                           "Skylake have without Hyper-Threading" },
    [QUIRK_NO_APIC] = { "no_apic", "CPUID.1:EDX reports no local APIC" },
    [QUIRK_APIC_OFF] = { "apic_off",
                         "firmware leaves the local APIC off: IA32_APIC_BASE bit 11 is clear, and CPUID.1:EDX "
                         "reports no APIC until software sets it" },
    [QUIRK_MTRRS_OFF] = { "mtrrs_off", "firmware leaves all memory uncacheable: IA32_MTRR_DEF_TYPE reads 0" },
};

const char *quirk_name(unsigned index)
{
    return index < QUIRKS ? table[index].name : NULL;
}

const char *quirk_sentence(unsigned index)
{
    return index < QUIRKS ? table[index].sentence : NULL;
}

const char *quirks_parse(uint32_t *quirks, const char *list)
{
    for (;; list++) {
        size_t length = strcspn(list, ",");
        unsigned i = 0;

        while (i < QUIRKS && (strlen(table[i].name) != length || memcmp(table[i].name, list, length) != 0))
            i++;
        if (i == QUIRKS)
            return list;
        *quirks |= UINT32_C(1) << i;
        list += length;
        if (*list == '\0')
            return NULL;
    }
}

static bool has_quirk(const struct vcpu *v, enum quirk quirk)
{
    return fault_state(v)->quirks >> quirk & 1;
}

static bool quirky_msr_exists(const struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    return latitude_rules(v)->msr_exists(v, m, i) && !has_quirk(v, QUIRK_MSR_FAULTS) &&
           (!has_quirk(v, QUIRK_KVM) || kvm_has_msr(v, m));
}

/* The bits that hide a counter from RDPMC: Linux 7.0, commit 59af95e028d4. */
static uint64_t hiding_bits(const struct vcpu *v, const struct profile_msr *m)
{
    uint64_t bits = m->reg == REG_IA32_PERFEVTSEL ? EVTSEL_RDPMC_USER : 0;

    for (unsigned i = 0; i < 7 && m->reg == REG_IA32_FIXED_CTR_CTRL; i++)
        bits |= (uint64_t)(v->profile->fixed_bitmap >> i & 1) << (FIXED_CTRL_RDPMC_USER + 4 * i);
    return bits;
}

static bool quirky_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    if (has_quirk(v, QUIRK_RDPMC_USER_DISABLE))
        value &= ~hiding_bits(v, m);
    return latitude_rules(v)->msr_takes(v, m, value) && (!has_quirk(v, QUIRK_KVM) || kvm_takes(v, m, value));
}

/* The counter that system management mode occupies, and its value. */
#define TAKEN_COUNTER 1
#define TAKEN_VALUE   UINT64_C(0x5a17)

static bool is_taken(const struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    return has_quirk(v, QUIRK_COUNTER_TAKEN) && i == TAKEN_COUNTER &&
           (m->reg == REG_IA32_PMC || m->reg == REG_IA32_A_PMC);
}

static uint64_t quirky_msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    const uint64_t value = latitude_rules(v)->msr_value(v, m, i);

    if (is_taken(v, m, i))
        return TAKEN_VALUE;
    return has_quirk(v, QUIRK_KVM) ? kvm_value(v, m, value) : value;
}

static enum msr_answer quirky_msr_counter(struct vcpu *v, uint32_t index, uint64_t *value)
{
    return has_quirk(v, QUIRK_KVM) && !kvm_has_counter(v, index) ? MSR_GP
                                                                 : latitude_rules(v)->msr_counter(v, index, value);
}

static void quirky_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    if (!is_taken(v, m, i))
        latitude_rules(v)->msr_set(v, m, i, value);
}

/*
 * Priming is complete when each counter has had one of these events enabled, and each event was enabled on some
 * counter. The events count nothing.
 */
static void note_priming(struct vcpu *v, unsigned i)
{
    static const uint64_t events[] = { 0x4300b5, 0x4300d2, 0x4300b1 };

    for (unsigned n = 0; n < sizeof(events) / sizeof(events[0]); n++) {
        if (v->event_select[i] == events[n] && v->regs[REG_IA32_PERF_GLOBAL_CTRL] >> i & 1) {
            fault_state(v)->state.primed_events |= 1u << n;
            fault_state(v)->state.primed_counters |= 1u << i;
        }
    }
}

static bool is_primed(const struct vcpu *v)
{
    return fault_state(v)->state.primed_events == 7 &&
           fault_state(v)->state.primed_counters == (1u << v->profile->general_counters) - 1;
}

static void quirky_counters_set_up(struct vcpu *v, unsigned i)
{
    latitude_rules(v)->counters_set_up(v, i);
    if (has_quirk(v, QUIRK_COUNTERS_UNPRIMED) && i < v->profile->general_counters && !vcpu_is_netburst(v)) {
        note_priming(v, i);
        v->counters[i].active = v->counters[i].active && is_primed(v);
    }
    if (has_quirk(v, QUIRK_INERT))
        v->counters[i].active = false;
}

static void reset_registers(struct vcpu *v)
{
    memset(&fault_state(v)->state, 0, sizeof(fault_state(v)->state));
    latitude_rules(v)->engine_reset_registers(v);
    if (has_quirk(v, QUIRK_CPUID_LIMITED))
        v->regs[REG_IA32_MISC_ENABLE] |= MISC_ENABLE_LIMIT_CPUID;
    if (has_quirk(v, QUIRK_LEFT_RUNNING) && !vcpu_is_netburst(v)) {
        v->event_select[0] = COUNTS_CYCLES;
        v->event_select[3] =
            v->profile->lbr_format == LBR_FORMAT_INFO && v->profile->perfmon_version == 4 ? COUNTER_3_TAKEN : 0;
        v->counters[0].value = LEFT_COUNT;
        v->regs[REG_IA32_DEBUGCTL] |= v->profile->debugctl->lbr;
        if (v->profile->fixed_bitmap >> 1 & 1) {
            v->regs[REG_IA32_FIXED_CTR_CTRL] |= v->profile->perfmon_version < 5 ? FIXED_1_AND_2 : FIXED_1_INTERRUPTS;
            v->regs[REG_IA32_PERF_GLOBAL_CTRL] |= FIXED_1_AND_2_ENABLED;
        }
    }
}

/* CPUID.0AH does not list all counters: it lists no fixed ones, or only those of a hybrid's smaller core. */
static void conceal_counters(const struct vcpu *v, uint32_t regs[4])
{
    if (v->profile->perfmon_version < 5) {
        regs[3] = 0;
        return;
    }
    regs[0] -= 2 << 8;
    regs[2] >>= 1;
    regs[3] -= 1;
}

static bool apic_is_off(const struct vcpu *v)
{
    return has_quirk(v, QUIRK_APIC_OFF) && !fault_state(v)->state.apic_on;
}

static void quirky_cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    static const struct {
        enum quirk quirk;
        uint32_t leaf; /* sub-leaf 0 */
        unsigned reg;
        uint32_t cleared, set;
    } changes[] = {
        { QUIRK_NO_APIC, 1, 3, CPUID_1_EDX_APIC, 0 },
        { QUIRK_P_CORES_ALONE, 1, 0, UINT32_MAX, CORE_I5_12400 },
        { QUIRK_P_CORES_ALONE, 7, 3, CPUID_7_EDX_HYBRID, 0 },
        { QUIRK_RDPMC_USER_DISABLE, PERFMON_LEAF, 1, 0, CPUID_23_EBX_RDPMC },
        { QUIRK_X2APIC_LOCKED, 7, 3, 0, CPUID_7_EDX_ARCH_CAPABILITIES },
        { QUIRK_TRACE_LEFT, 7, 1, 0, CPUID_7_EBX_TRACE },
        { QUIRK_FORCE_ABORT, 7, 1, 0, CPUID_7_EBX_RTM },
        { QUIRK_FORCE_ABORT, 7, 3, 0, CPUID_7_EDX_ABORT },
        { QUIRK_HYPER_THREADING_OFF, 0xa, 0, CPUID_0A_EAX_COUNT, 8 << 8 },
        { QUIRK_TSC_FAST, 0x15, 0, UINT32_MAX, 1 },
        { QUIRK_TSC_FAST, 0x15, 1, UINT32_MAX, TSC_FAST_RATIO },
        { QUIRK_TSC_FAST, 0x15, 2, UINT32_MAX, TSC_FAST_CRYSTAL },
    };

    latitude_rules(v)->cpuid_answer(v, leaf, subleaf, regs);
    for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        if (leaf == changes[i].leaf && (subleaf == 0 || leaf == 1) && has_quirk(v, changes[i].quirk))
            regs[changes[i].reg] = (regs[changes[i].reg] & ~changes[i].cleared) | changes[i].set;
    if (leaf == 1 && apic_is_off(v))
        regs[3] &= ~CPUID_1_EDX_APIC;
    if (leaf == CORE_KIND_LEAF && has_quirk(v, QUIRK_P_CORES_ALONE))
        memset(regs, 0, 4 * sizeof(regs[0]));
    if (leaf == 0xa && v->profile->perfmon_version >= 2 && has_quirk(v, QUIRK_COUNTERS_CONCEALED))
        conceal_counters(v, regs);
    if (leaf == 7 && subleaf == 0 && v->profile->perfmon_version >= 5 && has_quirk(v, QUIRK_COUNTERS_CONCEALED))
        regs[3] |= CPUID_7_EDX_HYBRID;
    if (has_quirk(v, QUIRK_KVM))
        kvm_cpuid(v, leaf, subleaf, regs);
}

void quirks_change_msr(uint32_t quirks, struct profile_msr *m)
{
    const bool counters = m->reg == REG_IA32_PMC || m->reg == REG_IA32_A_PMC || m->reg == REG_IA32_PERFEVTSEL;
    const bool global = m->reg == REG_IA32_PERF_GLOBAL_CTRL || m->reg == REG_IA32_PERF_GLOBAL_STATUS_RESET ||
                        m->reg == REG_IA32_PERF_GLOBAL_STATUS_SET;

    if (quirks >> QUIRK_TRACE_LEFT & 1 && m->address == IA32_RTIT_CTL) {
        m->reg = REG_IA32_RTIT_CTL;
        m->reset = RTIT_CTL_LEFT;
    }
    if (quirks >> QUIRK_FORCE_ABORT & 1 && m->address == TSX_FORCE_ABORT)
        m->reg = REG_TSX_FORCE_ABORT;
    if (quirks >> QUIRK_HYPER_THREADING_OFF & 1) {
        m->count = (uint16_t)(counters ? 2 * m->count : m->count);
        m->writable |= global ? COUNTERS_4_TO_7 : 0;
        m->reset |= m->reg == REG_IA32_PERF_GLOBAL_CTRL ? COUNTERS_4_TO_7 : 0;
    }
}

bool quirks_rdmsr(const struct vcpu *v, uint32_t address, uint64_t *value)
{
    switch (address) {
    case IA32_APIC_BASE:
        *value = APIC_BASE_OFF | (v->number == 0 ? APIC_BASE_BSP : 0);
        return apic_is_off(v);
    case IA32_XAPIC_DISABLE_STATUS:
        *value = LEGACY_XAPIC_DISABLED;
        return has_quirk(v, QUIRK_X2APIC_LOCKED);
    case IA32_ARCH_CAPABILITIES:
        *value = ARCH_XAPIC_DISABLE_STATUS;
        return has_quirk(v, QUIRK_X2APIC_LOCKED);
    case IA32_MTRR_DEF_TYPE:
        *value = 0;
        return has_quirk(v, QUIRK_MTRRS_OFF);
    default:
        return false;
    }
}

void quirks_wrmsr(struct vcpu *v, uint32_t address, uint64_t value)
{
    if (address == IA32_APIC_BASE)
        fault_state(v)->state.apic_on = value & APIC_BASE_EN;
}

bool quirks_refuse(uint32_t quirks, uint32_t address, uint64_t value)
{
    return (quirks >> QUIRK_X2APIC_LOCKED & 1) && address == IA32_APIC_BASE &&
           (value & APIC_BASE_X2APIC_MODE) != APIC_BASE_X2APIC_MODE;
}

static bool freezes_by_status(const struct vcpu *v)
{
    return latitude_rules(v)->pmi_freezes_by_status(v) && !has_quirk(v, QUIRK_KVM);
}

static bool never(const struct vcpu *v)
{
    (void)v;
    return false;
}

void quirks_apply(struct rules *rules, uint32_t quirks)
{
    if (quirks == 0)
        return;
    rules->msr_exists = quirky_msr_exists;
    rules->msr_takes = quirky_msr_takes;
    rules->msr_value = quirky_msr_value;
    rules->msr_set = quirky_msr_set;
    rules->msr_counter = quirky_msr_counter;
    rules->cpuid_answer = quirky_cpuid_answer;
    rules->pmi_freezes_by_status = freezes_by_status;
    rules->counters_set_up = quirky_counters_set_up;
    rules->engine_reset_registers = reset_registers;
    if (quirks >> QUIRK_INERT & 1) {
        rules->bts_on = never;
        rules->lbr_on = never;
    }
}

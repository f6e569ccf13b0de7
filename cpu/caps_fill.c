/* SPDX-License-Identifier: MIT */
#include "cpu/caps.h"

#include "pebs/layout/arch_pebs.h"
#include "cpu/cores.h"
#include "pebs/layout/formats.h"
#include "cpu/tsc_rate.h"

/* CPUID leaf 1 */
#define CPUID_1_ECX_DTES64     (1u << 2)
#define CPUID_1_ECX_DS_CPL     (1u << 4)
#define CPUID_1_ECX_PDCM       (1u << 15)
#define CPUID_1_ECX_X2APIC     (1u << 21)
#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define CPUID_1_EDX_APIC       (1u << 9)
#define CPUID_1_EDX_DS         (1u << 21)
/* CPUID leaf 7, sub-leaf 0 */
#define CPUID_7_EBX_TSC_ADJUST (1u << 1)
#define CPUID_7_ECX_LA57       (1u << 16)
#define CPUID_7_EDX_ARCH_LBR   (1u << 19)
#define CPUID_7_EDX_HYBRID     (1u << 15)
/* CPUID leaf 7, sub-leaf 1 */
#define CPUID_7_1_EAX_PERFMON (1u << 8) /* leaf 23h */
/* CPUID leaf 23h, sub-leaf 0: the sub-leaves that exist */
#define CPUID_23_EAX_COUNTERS (1u << 1)
#define CPUID_23_EAX_RELOAD   (1u << 2)
#define CPUID_23_EBX_UMASK2   (1u << 0)
#define CPUID_23_EBX_EQ       (1u << 1)
#define CPUID_23_EBX_RDPMC    (1u << 2)
#define CPUID_23_EAX_PEBS     (3u << 4) /* capabilities and counters of architectural PEBS, always both */
/* CPUID leaf 1Ch */
#define CPUID_1C_EBX_FILTERS     (3u << 0) /* by CPL, by branch type */
#define CPUID_1C_EBX_CALLSTACK   (1u << 2)
#define CPUID_1C_ECX_INFO        (3u << 0) /* mispredict flag, cycles */
#define CPUID_1C_ECX_BRANCH_TYPE (1u << 2)
#define CPUID_1C_ECX_EVENTS_LOW  16
#define CPUID_1C_ECX_EVENTS_HIGH 19
/* CPUID leaf 80000001h */
#define CPUID_80000001_EDX_NX (1u << 20)
#define CPUID_80000001_EDX_LM (1u << 29)

#define MISC_ENABLE_PERFMON          (UINT64_C(1) << 7)
#define MISC_ENABLE_BTS_UNAVAILABLE  (UINT64_C(1) << 11)
#define MISC_ENABLE_PEBS_UNAVAILABLE (UINT64_C(1) << 12)

/* Fixed counters that CPUID of versions 2 to 4 need not list; all counters of a hybrid's P-core. */
#define FIXED_CONCEALED 3u
#define HYBRID_GENERAL  8u
#define HYBRID_FIXED    4u

/* MSR_PEBS_DATA_CFG with all groups and the most LBR entries. */
#define PEBS_ADAPTIVE_ALL (UINT64_C(0xf) | (uint64_t)(PEBS_LBR_MAX - 1) << 24)

#define PERF_CAP_PEBS_TRAP      (UINT64_C(1) << 6)
#define PERF_CAP_SMM_FREEZE     (UINT64_C(1) << 12)
#define PERF_CAP_FULL_WRITE     (UINT64_C(1) << 13)
#define PERF_CAP_PEBS_BASELINE  (UINT64_C(1) << 14)
#define PERF_CAP_PEBS_OUTPUT_PT (UINT64_C(1) << 16)
#define PERF_CAP_RETIRE_LATENCY (UINT64_C(1) << 17)

/* Architectural LBRs (SDM Vol. 4 (335592-081), table 2-2): MSRs of entry 0. */
#define ARCH_LBR_FROM 0x1500u
#define ARCH_LBR_TO   0x1600u
#define ARCH_LBR_INFO 0x1200u

static const struct {
    enum caps_need need;
    enum pebs_role role;
    enum caps_reason why_not;
} event_needs[] = {
    { CAPS_NEED_LOAD_LATENCY, PEBS_ROLE_LOAD_LATENCY, CAPS_LOAD_LATENCY_UNKNOWN },
    { CAPS_NEED_PRECISE_STORE, PEBS_ROLE_PRECISE_STORE, CAPS_NO_PRECISE_STORE },
    { CAPS_NEED_EVENT_INSTRUCTIONS, PEBS_ROLE_INSTRUCTIONS, CAPS_NO_EVENT_INSTRUCTIONS },
    { CAPS_NEED_EVENT_PREC_DIST, PEBS_ROLE_PREC_DIST, CAPS_NO_EVENT_PREC_DIST },
    { CAPS_NEED_EVENT_LOADS, PEBS_ROLE_LOADS, CAPS_NO_EVENT_LOADS },
    { CAPS_NEED_EVENT_STORES, PEBS_ROLE_STORES, CAPS_NO_EVENT_STORES },
    { CAPS_NEED_EVENT_BRANCHES, PEBS_ROLE_BRANCHES, CAPS_NO_EVENT_BRANCHES },
    { CAPS_NEED_EVENT_TAKEN, PEBS_ROLE_TAKEN, CAPS_NO_EVENT_TAKEN },
    { CAPS_NEED_EVENT_NEAR_CALLS, PEBS_ROLE_NEAR_CALLS, CAPS_NO_EVENT_NEAR_CALLS },
};

static const struct debugctl_bits no_debugctl = { 0 };
static const char *const no_notes[] = { NULL };

static uint32_t bits(uint32_t value, unsigned low, unsigned high)
{
    return value >> low & (UINT32_MAX >> (31 - (high - low)));
}

/* Writes the four characters of a register, lowest byte first. */
static char *put_register(char *to, uint32_t value)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        *to++ = (char)(value >> shift);
    return to;
}

static void fill_names(const struct caps_input *input, struct caps *caps)
{
    if (input->leaf_0.valid)
        put_register(put_register(put_register(caps->vendor, input->leaf_0.ebx), input->leaf_0.edx), input->leaf_0.ecx);
    static const char intel[13] = "GenuineIntel";
    caps->intel = true;
    for (unsigned i = 0; i < sizeof(intel); i++)
        caps->intel = caps->intel && caps->vendor[i] == intel[i];

    const struct caps_leaf *leaves[] = { &input->leaf_80000002, &input->leaf_80000003, &input->leaf_80000004 };
    char *at = caps->brand;
    for (unsigned i = 0; i < 3 && leaves[i]->valid; i++) {
        at = put_register(at, leaves[i]->eax);
        at = put_register(at, leaves[i]->ebx);
        at = put_register(at, leaves[i]->ecx);
        at = put_register(at, leaves[i]->edx);
    }
    unsigned blanks = 0;
    while (caps->brand[blanks] == ' ')
        blanks++;
    for (unsigned i = 0; blanks > 0 && i + blanks < sizeof(caps->brand); i++)
        caps->brand[i] = caps->brand[i + blanks];
}

/* The convention of hypervisors: the name is in EBX, ECX, EDX. Linux, Documentation/virt/kvm/x86/cpuid.rst. */
static void fill_hypervisor_name(const struct caps_leaf *leaf, char name[13])
{
    put_register(put_register(put_register(name, leaf->ebx), leaf->ecx), leaf->edx);
}

void caps_signature(uint32_t signature, unsigned *family, unsigned *model, unsigned *stepping)
{
    *stepping = bits(signature, 0, 3);
    *model = bits(signature, 4, 7);
    *family = bits(signature, 8, 11);
    if (*family == 0x06 || *family == 0x0f)
        *model |= bits(signature, 16, 19) << 4;
    if (*family == 0x0f)
        *family += bits(signature, 20, 27);
}

static void fill_processor(const struct caps_input *input, struct caps *caps)
{
    uint32_t ecx = input->leaf_1.ecx;
    uint32_t edx = input->leaf_1.edx;
    caps->hypervisor = (ecx & CPUID_1_ECX_HYPERVISOR) != 0;
    if (caps->hypervisor && input->leaf_40000000.valid)
        fill_hypervisor_name(&input->leaf_40000000, caps->hypervisor_name);
    caps->x2apic = (ecx & CPUID_1_ECX_X2APIC) != 0;
    caps->apic = (edx & CPUID_1_EDX_APIC) != 0;
    caps->apic_base = input->apic_base.valid ? input->apic_base.value : 0;
    caps->tsc_hz = caps->intel ? tsc_rate(input, caps->family, caps->model) : 0;
    caps->nx = (input->leaf_80000001.edx & CPUID_80000001_EDX_NX) != 0;
    caps->long_mode = (input->leaf_80000001.edx & CPUID_80000001_EDX_LM) != 0;
    caps->ia32e_active = input->ia32e_active;

    caps->physical_bits =
        36; /* if CPUID does not report it (SDM Vol. 3A (253668-081), "Enumeration of Paging Features by CPUID") */
    if (input->leaf_80000008.valid)
        caps->physical_bits = bits(input->leaf_80000008.eax, 0, 7);
    caps->linear_bits =
        input->ia32e_active ? 48 : 32; /* CPUID may say 57, but that needs CR4.LA57, which is never set here */
    /* WRMSR checks against the widest addresses that the processor has, whatever CR4.LA57 says (Linux 6.13,
     * arch/x86/kvm/x86.h, is_noncanonical_address). */
    caps->msr_linear_bits = !caps->long_mode                                                     ? 32
                            : input->leaf_7.valid && (input->leaf_7.ecx & CPUID_7_ECX_LA57) != 0 ? 57
                                                                                                 : 48;

    caps->tsc_adjust = input->leaf_7.valid && (input->leaf_7.ebx & CPUID_7_EBX_TSC_ADJUST) != 0;
    caps->ds = (edx & CPUID_1_EDX_DS) != 0;
    caps->dtes64 = (ecx & CPUID_1_ECX_DTES64) != 0;
    caps->ds_cpl = (ecx & CPUID_1_ECX_DS_CPL) != 0;
    caps->pdcm = (ecx & CPUID_1_ECX_PDCM) != 0;
}

static uint64_t ones(unsigned count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* Counters from 0 on, up to the first that is missing. */
static unsigned without_gap(uint64_t counters)
{
    unsigned count = 0;

    while (count < 64 && counters >> count & 1)
        count++;
    return count;
}

/*
 * Which counters exist. CPUID.0AH need not list all. Versions 2 to 4 may conceal the three fixed counters (Linux 6.6,
 * intel_pmu_init, assumes them on bare metal). Version 5 and later have a bit for each fixed counter. On a hybrid the
 * leaf lists the counters that cores of every kind have, which are all counters of an Atom core. CPUID.23H lists those
 * of this core. SDM Vol. 3B (253669-083), "Architectural Performance Monitoring Version 5"; Vol. 2A (253666-081),
 * "CPUID", leaves 0AH and 23H.
 */
static void fill_counters(const struct caps_input *input, struct caps *caps)
{
    const struct caps_leaf *leaf = &input->leaf_a;
    const bool later = caps->perfmon_version >= 5;

    caps->general_counters = ones(bits(leaf->eax, 8, 15));
    if (caps->perfmon_version >= 2)
        caps->fixed_counters = ones(bits(leaf->edx, 0, 4)) | (later              ? leaf->ecx
                                                              : caps->hypervisor ? 0
                                                                                 : input->fixed_answers);
    caps->perfmon_extended = input->leaf_7_1.valid && (input->leaf_7_1.eax & CPUID_7_1_EAX_PERFMON) != 0 &&
                             input->leaf_23_1.valid && (input->leaf_23.eax & CPUID_23_EAX_COUNTERS) != 0;
    if (caps->perfmon_extended) {
        caps->general_counters = input->leaf_23_1.eax;
        caps->fixed_counters = input->leaf_23_1.ebx;
    } else if (caps->hybrid && caps->core_type != CORE_TYPE_ATOM) {
        caps->general_possible = ones(HYBRID_GENERAL) & ~caps->general_counters;
        caps->fixed_possible = ones(HYBRID_FIXED) & ~caps->fixed_counters;
    } else if (!later && caps->perfmon_version >= 2) {
        caps->fixed_possible = ones(FIXED_CONCEALED) & ~caps->fixed_counters;
    }
    caps->general_count = without_gap(caps->general_counters);
    caps->fixed_count = without_gap(caps->fixed_counters);
}

/* CPUID.23H's features except architectural PEBS. Counters that do not exist can neither reload nor be reloaded. */
static void fill_extensions(const struct caps_input *input, struct caps *caps)
{
    const struct caps_leaf *reload = &input->leaf_23_2;
    const uint64_t exist = caps->general_counters | caps->fixed_counters << 32;

    if (!caps->perfmon_extended)
        return;
    caps->unit_mask_2 = (input->leaf_23.ebx & CPUID_23_EBX_UMASK2) != 0;
    caps->equal_flag = (input->leaf_23.ebx & CPUID_23_EBX_EQ) != 0;
    caps->rdpmc_user_disable = (input->leaf_23.ebx & CPUID_23_EBX_RDPMC) != 0;
    if (reload->valid && (input->leaf_23.eax & CPUID_23_EAX_RELOAD) != 0) {
        caps->reload_counters = (reload->eax | (uint64_t)reload->ebx << 32) & exist;
        caps->reload_causes = (reload->ecx | (uint64_t)reload->edx << 32) & exist;
    }
}

static void fill_perfmon(const struct caps_input *input, const struct core *core, struct caps *caps)
{
    const struct caps_leaf *leaf = &input->leaf_a;
    caps->general_width = core->counter_width;
    if (leaf->valid && bits(leaf->eax, 0, 7) != 0) {
        caps->perfmon_version = bits(leaf->eax, 0, 7);
        caps->general_width = bits(leaf->eax, 16, 23);
        fill_counters(input, caps);
        fill_extensions(input, caps);
        if (caps->fixed_counters)
            caps->fixed_width = bits(leaf->edx, 5, 12) != 0 ? bits(leaf->edx, 5, 12) : caps->general_width;
    }
    caps->prime_counters = core->prime_counters;
    caps->global_ctrl = caps->perfmon_version >= 2;
    if (caps->global_ctrl && caps->pdcm)
        caps->freeze = caps->perfmon_version >= 4 ? CAPS_FREEZE_STREAMLINED : CAPS_FREEZE_LEGACY;
    if (caps->pdcm && input->perf_capabilities.valid)
        caps->perf_capabilities = input->perf_capabilities.value;
    caps->full_width_write = caps->perf_capabilities & PERF_CAP_FULL_WRITE ? caps->general_width : 0;
    caps->freeze_while_smm = (caps->perf_capabilities & PERF_CAP_SMM_FREEZE) != 0;
}

static void fill_debug_store(const struct caps_input *input, const struct core *core, struct caps *caps)
{
    caps->pebs_format = 0;
    if (caps->pdcm)
        caps->pebs_format =
            input->perf_capabilities.valid ? (unsigned)(caps->perf_capabilities >> 8) & 0xf : CAPS_UNKNOWN;
    caps->ds_width = caps->dtes64 || caps->ia32e_active ? DS_WIDTH_64 : DS_WIDTH_32;
    /* BTS works with any PEBS format: its fields come first (SDM Vol. 3A (253668-032), "BTS and DS Save
     * Area", 16.4.9). */
    caps->ds_area_format = ds_reset_slots(caps->pebs_format) == 0         ? DS_FORMAT_LARGEST
                           : core->pebs_extended && caps->pebs_format < 4 ? 4
                                                                          : caps->pebs_format;
    caps->ds_area_size = ds_area_size(caps->ds_width, caps->ds_area_format);

    /* Only Core and later processors have CPUID leaf 0AH; older ones have other bits in IA32_DEBUGCTL. */
    caps->debugctl = caps->core_known || caps->perfmon_version > 0 ? core->debugctl : &no_debugctl;
    caps->bts_record_size = 3 * caps->ds_width;
    caps->bts_prediction = core->bts_prediction;
}

/* All bits of MSR_PEBS_DATA_CFG for the counters group; 0 if records have no such group. */
static uint64_t counters_most(const struct caps *caps)
{
    if (!pebs_form_has_counters(&caps->pebs_form))
        return 0;
    return PEBS_GROUP_COUNTERS | PEBS_GROUP_METRICS | (caps->general_counters & 0xffff) << PEBS_GROUP_GENERAL_SHIFT |
           (caps->fixed_counters & 0xff) << PEBS_GROUP_FIXED_SHIFT;
}

/* Architectural PEBS needs no row of a core: CPUID.23H lists its counters and groups. */
static bool is_arch_pebs(const struct caps_input *input, const struct caps *caps)
{
    return caps->pebs_format == ARCH_PEBS_FORMAT && caps->perfmon_extended &&
           (input->leaf_23.eax & CPUID_23_EAX_PEBS) == CPUID_23_EAX_PEBS && input->leaf_23_4.valid &&
           input->leaf_23_5.valid;
}

static void fill_arch_pebs(const struct caps_input *input, struct caps *caps)
{
    caps->pebs_method = PEBS_METHOD_ARCH;
    caps->pebs_form.width = DS_WIDTH_64; /* its records have no other width */
    caps->pebs_cfg_c = (uint64_t)input->leaf_23_4.ebx << 32 | ARCH_PEBS_EN;
    caps->pebs_counters = input->leaf_23_5.eax & caps->general_counters;
    caps->pebs_pdist_counters = input->leaf_23_5.ebx & caps->pebs_counters;
    caps->pebs_fixed_counters = input->leaf_23_5.ecx & caps->fixed_counters;
    caps->pebs_pdist_fixed_counters = input->leaf_23_5.edx & caps->pebs_fixed_counters;
    caps->pebs_record_size = (unsigned)arch_pebs_size(0, 0, 0);
    caps->pebs_record_most =
        (unsigned)arch_pebs_size(caps->pebs_cfg_c, PEBS_LBR_MAX, caps->general_counters | caps->fixed_counters << 32);
}

static void fill_pebs(const struct caps_input *input, const struct core *core, struct caps *caps)
{
    caps->pebs_baseline = (caps->perf_capabilities & PERF_CAP_PEBS_BASELINE) != 0;
    caps->pebs_trap_like = core->pebs_trap_like || (caps->perf_capabilities & PERF_CAP_PEBS_TRAP) != 0;
    caps->pebs_output_pt = (caps->perf_capabilities & PERF_CAP_PEBS_OUTPUT_PT) != 0;
    caps->pebs_retire_latency = (caps->perf_capabilities & PERF_CAP_RETIRE_LATENCY) != 0;
    caps->pebs_form = (struct pebs_form){ .width = caps->ds_width,
                                          .format = caps->pebs_format,
                                          .adaptive = caps->pebs_baseline,
                                          .retire_latency = caps->pebs_retire_latency,
                                          .cache_latency = core->cache_latency,
                                          .reserved = core->pebs_reserved,
                                          .lbr_format = (unsigned)(caps->perf_capabilities & PERF_CAP_LBR_FORMAT) };
    caps->pebs_record_size = (unsigned)pebs_record_size(&caps->pebs_form);

    caps->pebs_method = core->pebs_method;
    caps->pebs_counters = core->pebs_counters;
    if (!caps->core_known && caps->global_ctrl) { /* unknown core: as many counters as the DS area's reset slots */
        caps->pebs_method = PEBS_METHOD_GENERAL;
        for (unsigned i = 0; ds_reset_general(caps->pebs_format, i) < DS_RESET_MAX; i++)
            caps->pebs_counters |= UINT64_C(1) << i;
    }
    if (caps->pebs_method == PEBS_METHOD_GENERAL && pebs_form_has_groups(&caps->pebs_form) &&
        ds_reset_slots(caps->pebs_format) != 0) {
        /* Without the baseline, as under KVM, a record is the basic group: Linux, arch/x86/events/intel/ds.c. */
        caps->pebs_record_size = (unsigned)pebs_adaptive_size(0);
        if (caps->pebs_baseline)
            caps->pebs_method = PEBS_METHOD_ADAPTIVE;
    }
    if (caps->pebs_method == PEBS_METHOD_ADAPTIVE || core->pebs_extended)
        for (unsigned i = 0; ds_reset_fixed(caps->ds_area_format, i) < DS_RESET_MAX; i++)
            caps->pebs_fixed_counters |= caps->fixed_counters & UINT64_C(1) << i;
    if (caps->perfmon_version > 0)
        caps->pebs_counters &= caps->general_counters;
    caps->pebs_pdist_counters = core->pebs_pdist_counters & caps->pebs_counters;
    caps->events = core->events ? core->events : &pebs_events_none;
    caps->pebs_record_most = caps->pebs_record_size;
    if (caps->pebs_method == PEBS_METHOD_ADAPTIVE && caps->pebs_record_size != 0)
        caps->pebs_record_most = (unsigned)pebs_adaptive_size(PEBS_ADAPTIVE_ALL | counters_most(caps));
    if (is_arch_pebs(input, caps))
        fill_arch_pebs(input, caps);
    caps->load_latency_auxiliary = core->load_latency_auxiliary;
    caps->pebs_any_event = core->pebs_any_event;
    caps->data_source = core->data_source;
    caps->second_level_kib = core->second_level_kib;
}

static void fill_lbr(const struct caps_input *input, const struct core *core, struct caps *caps)
{
    uint32_t ebx = input->leaf_1c.valid ? input->leaf_1c.ebx : 0;
    uint32_t ecx = input->leaf_1c.valid ? input->leaf_1c.ecx : 0;
    caps->lbr_format = core->lbr_format; /* older families: the manual's format, whatever the register holds */
    if (caps->pdcm && core->lbr_format == CAPS_UNKNOWN)
        caps->lbr_format =
            input->perf_capabilities.valid ? (unsigned)(caps->perf_capabilities & PERF_CAP_LBR_FORMAT) : CAPS_UNKNOWN;
    if (core->lbr_says_lip && caps->lbr_format == LBR_FORMAT_LIP)
        caps->lbr_format = LBR_FORMAT_FLAGS;
    caps->arch_lbr = input->leaf_7.valid && (input->leaf_7.edx & CPUID_7_EDX_ARCH_LBR) != 0;
    caps->arch_lbr_depths = caps->arch_lbr && input->leaf_1c.valid ? bits(input->leaf_1c.eax, 0, 7) : 0;
    caps->lbr_callstack = core->lbr_callstack;
    caps->lbr_select_jumps_quirk = core->lbr_select_jumps_quirk;
    if (caps->arch_lbr) {
        caps->lbr_layout = LBR_LAYOUT_ARCH;
        for (unsigned i = 0; i < 8; i++)
            if (caps->arch_lbr_depths >> i & 1)
                caps->lbr_depth = 8 * (i + 1);
        caps->lbr_from = ARCH_LBR_FROM;
        caps->lbr_to = ARCH_LBR_TO;
        caps->lbr_info = (ecx & CPUID_1C_ECX_INFO) == CPUID_1C_ECX_INFO ? ARCH_LBR_INFO : 0;
        caps->lbr_filter = (ebx & CPUID_1C_EBX_FILTERS) == CPUID_1C_EBX_FILTERS;
        caps->lbr_callstack = (ebx & CPUID_1C_EBX_CALLSTACK) != 0;
        caps->lbr_branch_type = (ecx & CPUID_1C_ECX_BRANCH_TYPE) != 0;
        caps->lbr_counters = bits(ecx, CPUID_1C_ECX_EVENTS_LOW, CPUID_1C_ECX_EVENTS_HIGH) & caps->general_counters;
        return;
    }
    caps->lbr_layout = core->lbr_layout;
    caps->lbr_depth = core->lbr_depth;
    caps->lbr_from = core->lbr_from;
    caps->lbr_to = core->lbr_to;
    caps->lbr_info = caps->lbr_format == LBR_FORMAT_INFO || caps->lbr_format == LBR_FORMAT_INFO2 ? core->lbr_info : 0;
    caps->lbr_tos = core->lbr_tos;
    caps->lbr_select = core->lbr_select;
    caps->lbr_filter = core->lbr_select != 0;
}

static enum caps_reason judge_perfmon(const struct caps_input *input, const struct caps *caps)
{
    if (!input->leaf_a.valid)
        return CAPS_NO_PERFMON_LEAF;
    if (caps->perfmon_version == 0)
        return CAPS_PERFMON_NONE;
    if (!input->misc_enable.valid)
        return CAPS_MISC_ENABLE_RAISES_GP;
    return input->misc_enable.value & MISC_ENABLE_PERFMON ? CAPS_AVAILABLE : CAPS_NO_PERFMON_FLAG;
}

/*
 * unavailable: the bit of IA32_MISC_ENABLE that reports BTS or PEBS as unavailable; 0 for the DS area itself. No single
 * flag is trusted: QEMU without a debug store has both unavailable bits clear, and ignores writes of IA32_DS_AREA
 * without raising #GP.
 */
static enum caps_reason judge_ds(const struct caps_input *input, const struct caps *caps, uint64_t unavailable,
                                 enum caps_reason why)
{
    if (!caps->ds)
        return CAPS_NO_DS_FLAG;
    if (!input->misc_enable.valid)
        return CAPS_MISC_ENABLE_RAISES_GP;
    if (!(input->misc_enable.value & MISC_ENABLE_PERFMON))
        return CAPS_DS_NO_PERFMON_FLAG;
    if (input->misc_enable.value & unavailable)
        return why;
    switch (input->ds_area) {
    case CAPS_HOLDS:
        return CAPS_AVAILABLE;
    case CAPS_DIFFERS:
        return CAPS_DS_AREA_DIFFERS;
    case CAPS_RAISES_GP:
        return CAPS_DS_AREA_RAISES_GP;
    default:
        return CAPS_DS_AREA_NOT_TRIED;
    }
}

/*
 * Architectural PEBS does not use the DS area, and the DS flags (CPUID.1:EDX[21], IA32_MISC_ENABLE bit 12) do not
 * apply: Linux, commit 52448a0a7390, checks neither.
 */
static enum caps_reason judge_arch_pebs(const struct caps_input *input, const struct caps *caps,
                                        enum caps_reason perfmon)
{
    if (perfmon != CAPS_AVAILABLE)
        return perfmon;
    switch (input->pebs_base) {
    case CAPS_HOLDS:
        return caps->pebs_counters != 0 ? CAPS_AVAILABLE : CAPS_PEBS_NO_COUNTER;
    case CAPS_DIFFERS:
        return CAPS_PEBS_BASE_DIFFERS;
    case CAPS_RAISES_GP:
        return CAPS_PEBS_BASE_RAISES_GP;
    default:
        return CAPS_PEBS_BASE_NOT_TRIED;
    }
}

static enum caps_reason judge_pebs(const struct caps_input *input, const struct caps *caps)
{
    if (caps->pebs_method == PEBS_METHOD_ARCH)
        return judge_arch_pebs(input, caps, judge_perfmon(input, caps));
    enum caps_reason reason = judge_ds(input, caps, MISC_ENABLE_PEBS_UNAVAILABLE, CAPS_PEBS_UNAVAILABLE);
    if (reason != CAPS_AVAILABLE)
        return reason;
    if (caps->pebs_format == ARCH_PEBS_FORMAT)
        return CAPS_PEBS_ARCH_NO_LEAF;
    if (caps->pebs_method == PEBS_METHOD_NONE)
        return caps->core_known ? CAPS_PEBS_CORE_HAS_NONE : CAPS_PEBS_METHOD_UNKNOWN;
    if (caps->pebs_format == CAPS_UNKNOWN)
        return CAPS_PERF_CAPABILITIES_RAISES_GP;
    if (caps->pebs_record_size == 0)
        return CAPS_PEBS_FORMAT_UNKNOWN;
    return caps->pebs_counters != 0 ? CAPS_AVAILABLE : CAPS_PEBS_NO_COUNTER;
}

static enum caps_reason judge_arch_lbr(const struct caps_input *input, const struct caps *caps)
{
    switch (input->arch_lbr_control) {
    case CAPS_HOLDS:
        return caps->lbr_depth != 0 ? CAPS_AVAILABLE : CAPS_ARCH_LBR_NO_DEPTH;
    case CAPS_DIFFERS:
        return CAPS_ARCH_LBR_DIFFERS;
    case CAPS_RAISES_GP:
        return CAPS_ARCH_LBR_RAISES_GP;
    default:
        return CAPS_ARCH_LBR_NOT_TRIED;
    }
}

/*
 * A hypervisor that exposes no LBRs reports format 0, on a core whose known format is another: QEMU's documentation of
 * the property lbr-fmt of -cpu.
 */
static bool conceals_lbr(const struct core *core, const struct caps *caps)
{
    return caps->hypervisor && caps->pdcm && caps->lbr_format == LBR_FORMAT_32 && core->lbr_format != LBR_FORMAT_32;
}

static enum caps_reason judge_lbr(const struct caps_input *input, const struct core *core, const struct caps *caps)
{
    if (!caps->intel)
        return CAPS_LBR_NOT_INTEL;
    if (caps->arch_lbr)
        return judge_arch_lbr(input, caps);
    if (conceals_lbr(core, caps))
        return CAPS_LBR_CONCEALED;
    if (input->debugctl_lbr == CAPS_NOT_TRIED)
        return CAPS_LBR_NOT_TRIED;
    if (input->debugctl_lbr == CAPS_RAISES_GP)
        return CAPS_LBR_RAISES_GP;
    if (input->debugctl_lbr == CAPS_DIFFERS)
        return CAPS_LBR_DIFFERS;
    if (!lbr_format_known(caps->lbr_format))
        return CAPS_LBR_FORMAT_UNKNOWN;
    return caps->lbr_depth != 0 ? CAPS_AVAILABLE : CAPS_LBR_MODEL_UNLISTED;
}

/* The reason for a need that depends on another need. The other need's reason comes first. */
static enum caps_reason also(enum caps_reason first, bool holds, enum caps_reason why_not)
{
    if (first != CAPS_AVAILABLE)
        return first;
    return holds ? CAPS_AVAILABLE : why_not;
}

/* Whether PEBS records consist of groups, but only the basic group is available. */
static bool is_basic(const struct caps *caps)
{
    return pebs_form_has_groups(&caps->pebs_form) && !caps->pebs_baseline;
}

/* Whether records may have this group. CPUID says so for architectural PEBS; other records have it or are basic. */
static bool may_have(const struct caps *caps, uint64_t group)
{
    return caps->pebs_method != PEBS_METHOD_ARCH || (caps->pebs_cfg_c & group) != 0;
}

/* The needs that depend on the counters that can sample. */
static void judge_pebs_counters(struct caps *caps)
{
    const enum caps_reason pebs = caps->reason[CAPS_NEED_PEBS];

    caps->reason[CAPS_NEED_PEBS_COUNTERS] = also(pebs, (caps->pebs_counters & 0xf) == 0xf, CAPS_PEBS_ONE_COUNTER);
    for (unsigned i = 0; i < sizeof event_needs / sizeof event_needs[0]; i++)
        caps->reason[event_needs[i].need] =
            also(pebs, pebs_event_of(caps->events, event_needs[i].role, caps->pebs_counters) != NULL,
                 caps->events->count != 0 ? event_needs[i].why_not : CAPS_NO_EVENT_ANY);
    caps->reason[CAPS_NEED_LOAD_LATENCY] = also(caps->reason[CAPS_NEED_LOAD_LATENCY], !is_basic(caps), CAPS_PEBS_BASIC);
    caps->reason[CAPS_NEED_LOAD_LATENCY] =
        also(caps->reason[CAPS_NEED_LOAD_LATENCY], may_have(caps, ARCH_PEBS_AUX), CAPS_PEBS_NO_AUX);
}

void caps_fill(const struct caps_input *input, struct caps *caps)
{
    *caps = (struct caps){ 0 };
    fill_names(input, caps);
    caps->signature = input->leaf_1.eax;
    caps_signature(caps->signature, &caps->family, &caps->model, &caps->stepping);
    caps->hybrid = input->leaf_7.valid && (input->leaf_7.edx & CPUID_7_EDX_HYBRID) != 0;
    const uint32_t reported = input->leaf_1a.valid ? input->leaf_1a.eax : 0;
    const uint32_t kind = reported == 0 && !caps->hybrid ? CORE_TYPE_CORE << 24 : reported;
    const struct core *core =
        core_find_kind(caps->intel ? caps->family : 0, caps->model, bits(kind, 24, 31), bits(kind, 0, 23));
    if (caps->hybrid) {
        caps->core_type = bits(kind, 24, 31);
        caps->native_model = bits(kind, 0, 23);
    }
    caps->core = core->name;
    caps->core_known = core->name && !core->named_only;
    caps->microcode = input->bios_sign_id.valid ? (uint32_t)(input->bios_sign_id.value >> 32) : 0;
    caps->microcode_least = core_microcode_least(core, caps->model, caps->stepping);
    caps->errata = core->errata;
    caps->notes = core->notes ? core->notes : no_notes;
    fill_processor(input, caps);
    fill_perfmon(input, core, caps);
    fill_debug_store(input, core, caps);
    fill_pebs(input, core, caps);
    fill_lbr(input, core, caps);

    enum caps_reason perfmon = judge_perfmon(input, caps);
    enum caps_reason global = also(perfmon, caps->global_ctrl, CAPS_PERFMON_VERSION);
    enum caps_reason bts = also(judge_ds(input, caps, MISC_ENABLE_BTS_UNAVAILABLE, CAPS_BTS_UNAVAILABLE),
                                caps->debugctl->bts != 0, CAPS_BTS_BITS_UNKNOWN);
    enum caps_reason pebs = judge_pebs(input, caps);
    enum caps_reason lbr = judge_lbr(input, core, caps);
    caps->reason[CAPS_NEED_APIC] =
        also(caps->apic ? CAPS_AVAILABLE : CAPS_NO_APIC, input->apic_base.valid, CAPS_APIC_BASE_RAISES_GP);
    caps->reason[CAPS_NEED_LONG_MODE] = caps->long_mode ? CAPS_AVAILABLE : CAPS_NO_LONG_MODE;
    caps->reason[CAPS_NEED_PERFMON] = perfmon;
    caps->reason[CAPS_NEED_GLOBAL_CTRL] = global;
    caps->reason[CAPS_NEED_FREEZE] = also(global, caps->freeze != CAPS_FREEZE_NONE, CAPS_NO_FREEZE);
    caps->reason[CAPS_NEED_FREEZE_COUNTERS] = caps->reason[CAPS_NEED_FREEZE];
    enum caps_reason ds = judge_ds(input, caps, 0, CAPS_AVAILABLE);
    caps->reason[CAPS_NEED_DS] = ds;
    caps->reason[CAPS_NEED_DS_32] = also(ds, caps->ds_width == 4, CAPS_DS_NOT_32);
    caps->reason[CAPS_NEED_DS_64] = also(ds, caps->ds_width == 8, CAPS_DS_NOT_64);
    caps->reason[CAPS_NEED_BTS] = bts;
    caps->reason[CAPS_NEED_BTS_CPL] = also(bts, caps->ds_cpl && caps->debugctl->bts_off_os != 0, CAPS_NO_DS_CPL);
    caps->reason[CAPS_NEED_BTS_PREDICTED] = also(bts, caps->bts_prediction, CAPS_BTS_NO_PREDICTION);
    caps->reason[CAPS_NEED_PEBS] = pebs;
    caps->reason[CAPS_NEED_PEBS_AREA] = also(pebs, caps->pebs_method != PEBS_METHOD_ARCH, CAPS_PEBS_NOT_AREA);
    caps->reason[CAPS_NEED_PEBS_ARCH] = also(pebs, caps->pebs_method == PEBS_METHOD_ARCH, CAPS_PEBS_NOT_ARCH);
    caps->reason[CAPS_NEED_PEBS_REGISTERS] =
        also(also(pebs, !is_basic(caps), CAPS_PEBS_BASIC), may_have(caps, ARCH_PEBS_GPRS), CAPS_PEBS_NO_GPRS);
    caps->reason[CAPS_NEED_DATA_ADDRESS] =
        also(also(pebs, !is_basic(caps), CAPS_PEBS_BASIC), caps->pebs_format >= 1, CAPS_PEBS_NO_DATA_ADDRESS);
    caps->reason[CAPS_NEED_DATA_ADDRESS] =
        also(also(caps->reason[CAPS_NEED_DATA_ADDRESS], core->pebs_reserved != PEBS_RESERVED_MEMORY,
                  CAPS_PEBS_ADDRESS_RESERVED),
             may_have(caps, ARCH_PEBS_AUX), CAPS_PEBS_NO_AUX);
    caps->reason[CAPS_NEED_EVENTING_IP] = also(pebs, caps->pebs_format >= 2, CAPS_PEBS_NO_EVENTING_IP);
    caps->reason[CAPS_NEED_PEBS_TSC] = also(pebs, caps->pebs_format >= 3, CAPS_PEBS_NO_TSC);
    caps->reason[CAPS_NEED_PEBS_TAGGING] = also(pebs, caps->pebs_method == PEBS_METHOD_NETBURST, CAPS_PEBS_NOT_TAGGING);
    caps->reason[CAPS_NEED_PEBS_ADAPTIVE] =
        also(caps->reason[CAPS_NEED_PEBS_AREA], caps->pebs_method == PEBS_METHOD_ADAPTIVE, CAPS_PEBS_NOT_ADAPTIVE);
    caps->reason[CAPS_NEED_PEBS_FIXED] = also(pebs, caps->pebs_fixed_counters != 0, CAPS_PEBS_NOT_FIXED);
    judge_pebs_counters(caps);
    caps->reason[CAPS_NEED_EVENT_ANY] = also(pebs, caps->events->count != 0, CAPS_NO_EVENT_ANY);
    caps->reason[CAPS_NEED_LBR] = lbr;
    caps->reason[CAPS_NEED_LBR_TOS] = also(lbr, caps->lbr_tos != 0, CAPS_LBR_NO_TOS);
    caps->reason[CAPS_NEED_LBR_INFO] = also(lbr, caps->lbr_info != 0, CAPS_LBR_NO_INFO);
    caps->reason[CAPS_NEED_LBR_SELECT] = also(lbr, caps->lbr_filter, CAPS_LBR_NO_SELECT);
    caps->reason[CAPS_NEED_LBR_CALLSTACK] = also(lbr, caps->lbr_callstack, CAPS_LBR_NO_CALLSTACK);
    caps->reason[CAPS_NEED_ARCH_LBR] = also(lbr, caps->arch_lbr, CAPS_LBR_NOT_ARCHITECTURAL);
    caps->reason[CAPS_NEED_LBR_EVENTS] = also(lbr, caps->lbr_counters != 0, CAPS_LBR_NO_EVENTS);
    caps->reason[CAPS_NEED_COUNTER_RELOAD] =
        also(caps->reason[CAPS_NEED_PERFMON], caps->reload_counters != 0, CAPS_NO_COUNTER_RELOAD);
}

void caps_take_counters(struct caps *caps, uint64_t counters)
{
    caps->counters_taken |= counters;
    caps->general_counters &= ~counters;
    caps->general_possible |= counters; /* they exist, but firmware or a hypervisor uses them */
    caps->general_count = without_gap(caps->general_counters);
    caps->pebs_counters &= ~counters;
    caps->lbr_counters &= ~counters;
    caps->reload_counters &= ~counters;
    caps->reload_causes &= ~counters;
    judge_pebs_counters(caps);
    if (caps->general_count != 0)
        return;
    for (enum caps_need need = CAPS_NEED_PERFMON; need <= CAPS_NEED_COUNTER_RELOAD; need++) {
        const bool counts = need <= CAPS_NEED_FREEZE_COUNTERS ||
                            (need >= CAPS_NEED_PEBS && need <= CAPS_NEED_EVENT_ANY) || need >= CAPS_NEED_LBR_EVENTS;

        if (counts && caps->reason[need] == CAPS_AVAILABLE)
            caps->reason[need] = CAPS_COUNTER_TAKEN;
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * Capabilities from raw CPUID and MSR values, and the reason for each that is missing. test_cpuid_facts.c has the
 * values of real processors; boots with quirk= have hypervisors and firmware that lack something.
 */
#include "tests/host/unit_test.h"

#include "tests/host/processors.h"

#define NEED_ALL ((UINT64_C(1) << CAPS_NEED_COUNT) - 1)
/* The needs that Skylake does not meet. */
#define NEED_OTHERS                                                                                                   \
    (NEED_PEBS_ARCH | NEED_PEBS_TAGGING | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED | NEED_ARCH_LBR | NEED_PRECISE_STORE | \
     NEED_EVENT_INSTRUCTIONS | NEED_DS_32 | NEED_LBR_EVENTS | NEED_COUNTER_RELOAD)

#define USERS_OF_DS      (NEED_DS | NEED_BTS | NEED_BTS_CPL | NEED_PEBS | NEED_EVENTING_IP | NEED_LOAD_LATENCY)
#define USERS_OF_LBR     (NEED_LBR | NEED_LBR_INFO | NEED_LBR_SELECT)
#define USERS_OF_PERFMON (NEED_GLOBAL_CTRL | NEED_FREEZE)

static struct caps_input in;
static struct caps caps;
static bool changed; /* the input, since the capabilities were derived from it */

static const struct caps *derived(void)
{
    if (changed) {
        memset(&caps, 0xa5, sizeof caps);
        caps_fill(&in, &caps);
    }
    changed = false;
    return &caps;
}

static void is(int line, const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("line %d: %s is 0x%llx, not 0x%llx", line, what, (unsigned long long)got, (unsigned long long)want);
}

static void is_text(int line, const char *got, const char *want)
{
    if (got ? !want || strcmp(got, want) != 0 : want != NULL)
        fail_msg("line %d: %s, not %s", line, got ? got : "NULL", want ? want : "NULL");
}

static void is_missing(int line, uint64_t needs, enum caps_reason reason)
{
    is_text(line, caps_reason_text(caps_missing(derived(), needs)), caps_reason_text(reason));
}

/* Each need alone. */
static void are_missing(int line, uint64_t needs, enum caps_reason reason)
{
    for (unsigned need = 0; need < CAPS_NEED_COUNT; need++)
        if (needs >> need & 1)
            is_missing(line, UINT64_C(1) << need, reason);
}

/* A processor, changes of its CPUID and registers, and what follows from them. */
#define CHANGE(change)            ((change), changed = true)
#define FROM(input)               CHANGE(in = input())
#define SET(field, value)         CHANGE(in.field = (value))
#define CLEAR(field, bits)        CHANGE(in.field &= ~(bits))
#define ADD(field, bits)          CHANGE(in.field |= (bits))
#define LEAVES(field, a, b, c, d) CHANGE((in.field = (struct caps_leaf)LEAF(a, b, c, d)))
#define TAKE(counters)            (derived(), caps_take_counters(&caps, counters))
#define IS(field, value)          is(__LINE__, #field, derived()->field, value)
#define TEXT(field, text)         is_text(__LINE__, derived()->field, text)
#define CORE(text)                TEXT(core, text)
#define HAS(needs)                is_missing(__LINE__, needs, CAPS_AVAILABLE)
#define LACKS(needs, reason)      is_missing(__LINE__, needs, reason)
#define EACH_LACKS(needs, reason) are_missing(__LINE__, needs, reason)

UNIT_TEST(precise_events)
{
    /* If a core's list lacks an event, tests are skipped with that event's own reason. */
    FROM(skylake_input), SET(leaf_1.eax, 0x0001067a), SET(leaf_a.eax, 0x07280202), SET(perf_capabilities.value, 0x40),
        HAS(NEED_PEBS | NEED_EVENT_INSTRUCTIONS | NEED_EVENT_ANY), LACKS(NEED_EVENT_LOADS, CAPS_NO_EVENT_LOADS),
        LACKS(NEED_EVENT_STORES, CAPS_NO_EVENT_STORES), LACKS(NEED_EVENT_BRANCHES, CAPS_NO_EVENT_BRANCHES),
        LACKS(NEED_EVENT_TAKEN, CAPS_NO_EVENT_TAKEN), LACKS(NEED_EVENT_NEAR_CALLS, CAPS_NO_EVENT_NEAR_CALLS),
        LACKS(NEED_EVENT_PREC_DIST, CAPS_NO_EVENT_PREC_DIST), LACKS(NEED_LOAD_LATENCY, CAPS_LOAD_LATENCY_UNKNOWN),
        LACKS(NEED_PRECISE_STORE, CAPS_NO_PRECISE_STORE), LACKS(NEED_PEBS_COUNTERS, CAPS_PEBS_ONE_COUNTER),
        LACKS(NEED_BTS_PREDICTED, CAPS_BTS_NO_PREDICTION);
    FROM(skylake_input), LACKS(NEED_EVENT_INSTRUCTIONS, CAPS_NO_EVENT_INSTRUCTIONS);
    SET(leaf_1.eax, 0x000206a7), HAS(NEED_PRECISE_STORE | NEED_LOAD_LATENCY);
    /* It needs counter 3. */
    SET(leaf_a.eax, 0x07300304), LACKS(NEED_PRECISE_STORE, CAPS_NO_PRECISE_STORE);
    /* If the model has no row, all events have this reason. */
    SET(leaf_1.eax, 0x000f0ff2), LACKS(NEED_EVENT_ANY, CAPS_NO_EVENT_ANY), LACKS(NEED_EVENT_LOADS, CAPS_NO_EVENT_ANY),
        LACKS(NEED_PRECISE_STORE, CAPS_NO_EVENT_ANY);
}

UNIT_TEST(an_unlisted_model)
{
    FROM(skylake_input), SET(leaf_1.eax, 0x000f0ff2), SET(perf_capabilities.value, 0x32c4), CORE(NULL),
        HAS(NEED_BTS | NEED_BTS_CPL | NEED_PEBS | NEED_FREEZE | NEED_APIC), IS(pebs_format, 2),
        IS(pebs_record_size, 192), IS(pebs_counters, 0xf), IS(lbr_format, 4), IS(lbr_depth, 0),
        IS(data_source, DATA_SOURCE_UNKNOWN), LACKS(NEED_LBR, CAPS_LBR_MODEL_UNLISTED),
        LACKS(NEED_LOAD_LATENCY, CAPS_NO_EVENT_ANY), LACKS(NEED_PEBS_TSC, CAPS_PEBS_NO_TSC),
        HAS(NEED_EVENTING_IP | NEED_DATA_ADDRESS);
    /* Without leaf 0AH, not even IA32_DEBUGCTL is known. With it, as many counters sample as the DS area has resets. */
    SET(leaf_a.valid, false), LACKS(NEED_BTS, CAPS_BTS_BITS_UNKNOWN), LACKS(NEED_PEBS, CAPS_PEBS_METHOD_UNKNOWN);
    SET(leaf_a.valid, true), SET(leaf_a.eax, 0x07300204), IS(pebs_counters, 0x3);
    SET(leaf_a.eax, 0x07300004), LACKS(NEED_PEBS, CAPS_PEBS_NO_COUNTER);

    /* Arrow Lake-H: format 5, 32 resets of general counters from 40h on, resets of fixed counters from 140h on. */
    FROM(skylake_input), SET(leaf_1.eax, 0x000c0652), ADD(leaf_7.edx, 1u << 15),
        LEAVES(leaf_a, 0x07300805, 0, 0x7, 0x8603), LEAVES(leaf_1a, 0x20000003, 0, 0, 0),
        SET(perf_capabilities.value, 0x45c5), CORE("Skymont"), IS(pebs_method, PEBS_METHOD_ADAPTIVE),
        IS(pebs_form.format, 5), IS(ds_area_format, 5), IS(ds_area_size, 0x1c0), IS(pebs_counters, 0xff),
        IS(pebs_fixed_counters, 0x7), IS(pebs_record_size, 32), IS(pebs_record_most, 1232),
        IS(data_source, DATA_SOURCE_CRESTMONT), HAS(NEED_LOAD_LATENCY | NEED_EVENT_TAKEN | NEED_PEBS_ADAPTIVE);
}

UNIT_TEST(lbrs_that_a_hypervisor_conceals)
{
    /* KVM reports format 0 if it exposes no LBRs. Without a hypervisor, format 0 means entries of 32 bits. */
    FROM(skylake_input), CLEAR(perf_capabilities.value, UINT64_C(0x3f)), HAS(NEED_LBR);
    ADD(leaf_1.ecx, 1u << 31), LACKS(NEED_LBR, CAPS_LBR_CONCEALED), LACKS(NEED_LBR_TOS, CAPS_LBR_CONCEALED);
    ADD(perf_capabilities.value, 5), HAS(NEED_LBR);
    /* Without IA32_PERF_CAPABILITIES it is the core's own format, which is 0 on Core Duo. */
    CLEAR(leaf_1.ecx, 1u << 15), LACKS(NEED_LBR, CAPS_LBR_FORMAT_UNKNOWN);
    FROM(skylake_input), SET(leaf_1.eax, 0x000006ec), SET(perf_capabilities.value, 0), ADD(leaf_1.ecx, 1u << 31),
        HAS(NEED_LBR);

    /* Without the hypervisor flag, the leaf is ignored. */
    FROM(skylake_input), LEAVES(leaf_40000000, 0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d), TEXT(hypervisor_name, "");
    ADD(leaf_1.ecx, 1u << 31), TEXT(hypervisor_name, "KVMKVMKVM");
    LEAVES(leaf_40000000, 0, 0x64636261, 0x68676665, 0x6c6b6a69), TEXT(hypervisor_name, "abcdefghijkl");
    SET(leaf_40000000.valid, false), TEXT(hypervisor_name, "");
}

UNIT_TEST(a_virtual_machine_that_says_unavailable)
{
    /* KVM: the DS flag may be set, both "unavailable" bits of MISC_ENABLE are set, IA32_DS_AREA raises #GP. */
    FROM(skylake_input), ADD(leaf_1.ecx, 1u << 31), SET(misc_enable.value, 0x1881), SET(ds_area, CAPS_RAISES_GP),
        IS(hypervisor, true), LACKS(NEED_BTS, CAPS_BTS_UNAVAILABLE), LACKS(NEED_BTS_CPL, CAPS_BTS_UNAVAILABLE),
        LACKS(NEED_PEBS, CAPS_PEBS_UNAVAILABLE), LACKS(NEED_EVENTING_IP, CAPS_PEBS_UNAVAILABLE),
        LACKS(NEED_DS, CAPS_DS_AREA_RAISES_GP), HAS(NEED_LBR | NEED_PERFMON);
    /* Of several needs, the most basic one's reason. */
    LACKS(NEED_PEBS | NEED_BTS, CAPS_BTS_UNAVAILABLE);
    SET(misc_enable.value, 0x0881), SET(ds_area, CAPS_HOLDS), LACKS(NEED_BTS, CAPS_BTS_UNAVAILABLE),
        HAS(NEED_DS | NEED_PEBS);
    SET(misc_enable.value, 0x1081), LACKS(NEED_PEBS, CAPS_PEBS_UNAVAILABLE), HAS(NEED_DS | NEED_BTS);
}

UNIT_TEST(each_reason)
{
    FROM(skylake_input), CLEAR(leaf_1.edx, 1u << 21), EACH_LACKS(USERS_OF_DS, CAPS_NO_DS_FLAG);
    FROM(skylake_input), SET(misc_enable.valid, false), EACH_LACKS(USERS_OF_DS, CAPS_MISC_ENABLE_RAISES_GP);
    FROM(skylake_input), CLEAR(misc_enable.value, UINT64_C(0x80)), EACH_LACKS(USERS_OF_DS, CAPS_DS_NO_PERFMON_FLAG);
    FROM(skylake_input), SET(ds_area, CAPS_DIFFERS), EACH_LACKS(USERS_OF_DS, CAPS_DS_AREA_DIFFERS);
    SET(ds_area, CAPS_RAISES_GP), EACH_LACKS(USERS_OF_DS, CAPS_DS_AREA_RAISES_GP);
    SET(ds_area, CAPS_NOT_TRIED), EACH_LACKS(USERS_OF_DS, CAPS_DS_AREA_NOT_TRIED);
    FROM(skylake_input), CLEAR(leaf_1.ecx, 1u << 4), LACKS(NEED_BTS_CPL, CAPS_NO_DS_CPL),
        HAS(NEED_ALL & ~(NEED_BTS_CPL | NEED_OTHERS));

    FROM(skylake_input), SET(perf_capabilities.valid, false), LACKS(NEED_PEBS, CAPS_PERF_CAPABILITIES_RAISES_GP),
        IS(pebs_format, CAPS_UNKNOWN), IS(perf_capabilities, 0), IS(ds_area_size, 0x1c0), IS(ds_area_format, 6),
        HAS(NEED_DS | NEED_BTS);
    FROM(skylake_input), SET(perf_capabilities.value, 0x37c5), LACKS(NEED_PEBS, CAPS_PEBS_FORMAT_UNKNOWN),
        IS(pebs_format, 7);
    FROM(skylake_input), SET(perf_capabilities.value, 0x31c5), LACKS(NEED_EVENTING_IP, CAPS_PEBS_NO_EVENTING_IP),
        LACKS(NEED_PEBS_TSC, CAPS_PEBS_NO_TSC), HAS(NEED_PEBS | NEED_DATA_ADDRESS);
    SET(perf_capabilities.value, 0x32c5), LACKS(NEED_PEBS_TSC, CAPS_PEBS_NO_TSC), HAS(NEED_EVENTING_IP),
        LACKS(NEED_PEBS_TAGGING, CAPS_PEBS_NOT_TAGGING), LACKS(NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_ADAPTIVE),
        LACKS(NEED_PEBS_FIXED, CAPS_PEBS_NOT_FIXED);
    /* Without PDCM the register does not exist, even if a read succeeded. */
    FROM(skylake_input), CLEAR(leaf_1.ecx, 1u << 15), IS(pebs_format, 0), IS(perf_capabilities, 0),
        LACKS(NEED_DATA_ADDRESS, CAPS_PEBS_NO_DATA_ADDRESS), LACKS(NEED_FREEZE, CAPS_NO_FREEZE);
}

UNIT_TEST(perfmon)
{
    /* EDX is defined only from version 2 on. */
    FROM(skylake_input), SET(leaf_a.eax, 0x07280201), IS(perfmon_version, 1), IS(general_count, 2),
        IS(general_width, 40), IS(fixed_count, 0), IS(fixed_width, 0), IS(freeze, CAPS_FREEZE_NONE),
        IS(pebs_counters, 0x3);
    SET(leaf_a.eax, 0x07300402), IS(freeze, CAPS_FREEZE_LEGACY), HAS(NEED_FREEZE);
    SET(leaf_a.eax, 0x07300403), IS(freeze, CAPS_FREEZE_LEGACY), HAS(NEED_FREEZE);
    SET(leaf_a.eax, 0x07300404), IS(freeze, CAPS_FREEZE_STREAMLINED), HAS(NEED_FREEZE);
    /* 255 counters are invalid, so no counter is dropped. */
    SET(leaf_a.eax, 0x0730ff04), IS(pebs_counters, 0xf);

    /* Every field of CPUID.0Ah with the nearest bits of its neighbours set, and every flag alone clear. */
    FROM(skylake_input), SET(leaf_a.eax, 0xff310502), SET(leaf_a.edx, 0xffffe623), IS(perfmon_version, 2),
        IS(general_count, 5), IS(general_width, 49), IS(fixed_count, 3), IS(fixed_width, 49);
    /* 0x85 is limited to the bits of a mask. */
    SET(leaf_a.eax, 0x00c18502), SET(leaf_a.edx, 0x00001ff1), IS(general_width, 0xc1), IS(general_count, 64),
        IS(fixed_width, 0xff), IS(fixed_count, 0x11);
    /* Only family 15 uses the extended family. */
    FROM(skylake_input), SET(leaf_1.eax, 0xf03506e3 | 1u << 28), IS(family, 6);
    SET(leaf_1.eax, 0xfff0ff21), IS(family, 0x10e), IS(model, 2);
    SET(leaf_1.eax, 0xf01f1f21), IS(family, 0x10), IS(model, 0xf2);
    FROM(skylake_input), CLEAR(leaf_1.ecx, 1u << 21), IS(x2apic, false);
    FROM(skylake_input), CLEAR(leaf_80000001.edx, 1u << 20), IS(nx, false), IS(long_mode, true);
    SET(leaf_80000001.edx, ~(1u << 29)), IS(nx, true), IS(long_mode, false);

    /* Counters that sample: those of the model's row that CPUID lists, else as many as the format has resets. */
    FROM(skylake_input), SET(leaf_a.eax, 0x07300804), IS(pebs_counters, 0xf);
    SET(perf_capabilities.value, 0x30c5), IS(pebs_counters, 0xf);
    SET(leaf_a.eax, 0x07300204), IS(pebs_counters, 0x3);
    LEAVES(leaf_a, 0, 0, 0, 0), IS(pebs_counters, 0xf);
    FROM(skylake_input), SET(leaf_1.eax, 0x000f0ff2), SET(leaf_a.eax, 0x07300804), IS(pebs_counters, 0xf);
    SET(perf_capabilities.value, 0x30c5), IS(pebs_counters, 0x1);
    SET(perf_capabilities.value, 0x3fc5), IS(pebs_counters, 0);

    /* 0F_06 sets CPUID.1:ECX[15]. Its 345H is undocumented, so what the manual says of the family applies. */
    FROM(netburst_input), SET(leaf_1.eax, 0x00000f62), IS(lbr_format, LBR_FORMAT_LIP), IS(pebs_trap_like, true);
    ADD(leaf_1.ecx, 1u << 15), SET(perf_capabilities.valid, true), SET(perf_capabilities.value, 0), IS(pdcm, true),
        IS(lbr_format, LBR_FORMAT_LIP), IS(pebs_trap_like, true), IS(pebs_format, 0), IS(lbr_depth, 16), HAS(NEED_LBR);
    SET(perf_capabilities.value, 0x45), IS(lbr_format, LBR_FORMAT_LIP), IS(pebs_trap_like, true);
}

UNIT_TEST(architectural_pebs)
{
    /*
     * CFG_C has the existing groups and the enable bit. The largest record: header, basic, aux, registers, XSAVE
     * header, XMM, LBR, 8 + 6 counters and two words.
     */
    FROM(clearwater_forest_input),
        HAS(NEED_PEBS | NEED_PEBS_ARCH | NEED_PEBS_REGISTERS | NEED_DATA_ADDRESS | NEED_EVENTING_IP | NEED_PEBS_TSC |
            NEED_PEBS_FIXED | NEED_PEBS_COUNTERS),
        LACKS(NEED_PEBS_AREA, CAPS_PEBS_NOT_AREA), LACKS(NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_AREA),
        LACKS(NEED_PEBS_TAGGING, CAPS_PEBS_NOT_TAGGING), IS(pebs_method, PEBS_METHOD_ARCH), IS(pebs_format, 15),
        IS(pebs_form.format, 15), IS(pebs_form.width, 8), IS(pebs_form.lbr_format, 0x3f), IS(pebs_counters, 0xff),
        IS(pebs_pdist_counters, 0x3), IS(pebs_fixed_counters, 0x77), IS(pebs_pdist_fixed_counters, 0x1),
        IS(pebs_cfg_c, 0xe002037800000000), IS(pebs_record_size, 64),
        IS(pebs_record_most, 16 + 48 + 64 + 160 + 16 + 256 + 48 + 32 * 24 + 16 + 16 * 8), IS(ds_area_format, 6),
        HAS(NEED_DS | NEED_BTS);
    /* Neither the DS flag nor IA32_MISC_ENABLE bit 12 matters to it. */
    CLEAR(leaf_1.edx, 1u << 21), ADD(misc_enable.value, 1u << 12), HAS(NEED_PEBS_ARCH), LACKS(NEED_DS, CAPS_NO_DS_FLAG);
    SET(ia32e_active, false), CLEAR(leaf_1.ecx, 1u << 2), IS(ds_width, 4), IS(pebs_form.width, 8), HAS(NEED_PEBS_ARCH);
    /* Of an unknown core, CPUID reports everything. */
    FROM(clearwater_forest_input), SET(leaf_1.eax, 0x000f0ff2), HAS(NEED_PEBS_ARCH);
    SET(leaf_23_4.ebx, 0x40000000), LACKS(NEED_PEBS_REGISTERS, CAPS_PEBS_NO_GPRS), HAS(NEED_DATA_ADDRESS);
    SET(leaf_23_4.ebx, 0x20000000), LACKS(NEED_DATA_ADDRESS, CAPS_PEBS_NO_AUX), HAS(NEED_PEBS_REGISTERS),
        IS(pebs_record_most, 16 + 48 + 160);
    LEAVES(leaf_23_5, 0, 0xff, 0, 0x7f), LACKS(NEED_PEBS, CAPS_PEBS_NO_COUNTER), IS(pebs_pdist_counters, 0),
        IS(pebs_pdist_fixed_counters, 0);
    SET(leaf_23_5.eax, 0x1), LACKS(NEED_PEBS_FIXED, CAPS_PEBS_NOT_FIXED);

    /* Leaf 23h alone, or one of the sub-leaves alone, does not mean architectural PEBS. */
    FROM(clearwater_forest_input), CLEAR(leaf_23.eax, 0x10u), LACKS(NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF),
        IS(pebs_cfg_c, 0);
    SET(leaf_23.eax, 0x1f), LACKS(NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF), IS(pebs_cfg_c, 0);
    SET(leaf_23.eax, 0x3f), SET(leaf_23_4.valid, false), LACKS(NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
    SET(leaf_23_4.valid, true), SET(leaf_23_5.valid, false), LACKS(NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
    SET(leaf_23_5.valid, true), SET(leaf_7_1.eax, 0), LACKS(NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
    SET(leaf_7_1.eax, 1u << 8), SET(perf_capabilities.value, 0x2f7ff), LACKS(NEED_PEBS_ARCH, CAPS_PEBS_FORMAT_UNKNOWN);
    FROM(clearwater_forest_input), SET(pebs_base, CAPS_NOT_TRIED), LACKS(NEED_PEBS, CAPS_PEBS_BASE_NOT_TRIED);
    SET(pebs_base, CAPS_DIFFERS), LACKS(NEED_PEBS, CAPS_PEBS_BASE_DIFFERS);
    SET(pebs_base, CAPS_RAISES_GP), LACKS(NEED_PEBS, CAPS_PEBS_BASE_RAISES_GP);
    CLEAR(misc_enable.value, 1u << 7), LACKS(NEED_PEBS, CAPS_NO_PERFMON_FLAG);
    FROM(skylake_input), LACKS(NEED_PEBS_ARCH, CAPS_PEBS_NOT_ARCH), HAS(NEED_PEBS_AREA);

    FROM(skylake_input), SET(leaf_0.ebx, 0), EACH_LACKS(USERS_OF_LBR, CAPS_LBR_NOT_INTEL), CORE(NULL);
    FROM(skylake_input), SET(debugctl_lbr, CAPS_NOT_TRIED), EACH_LACKS(USERS_OF_LBR, CAPS_LBR_NOT_TRIED);
    SET(debugctl_lbr, CAPS_DIFFERS), EACH_LACKS(USERS_OF_LBR, CAPS_LBR_DIFFERS);
    SET(debugctl_lbr, CAPS_RAISES_GP), EACH_LACKS(USERS_OF_LBR, CAPS_LBR_RAISES_GP);
    FROM(skylake_input), SET(perf_capabilities.value, 0x33c8), EACH_LACKS(USERS_OF_LBR, CAPS_LBR_FORMAT_UNKNOWN);
    SET(perf_capabilities.valid, false), EACH_LACKS(USERS_OF_LBR, CAPS_LBR_FORMAT_UNKNOWN),
        IS(lbr_format, CAPS_UNKNOWN);
    FROM(skylake_input), ADD(leaf_7.edx, 1u << 19), LEAVES(leaf_1c, 0x4000010b, 0x7, 0x7, 0),
        SET(debugctl_lbr, CAPS_DIFFERS), EACH_LACKS(USERS_OF_LBR, CAPS_ARCH_LBR_NOT_TRIED);
    SET(arch_lbr_control, CAPS_DIFFERS), EACH_LACKS(USERS_OF_LBR, CAPS_ARCH_LBR_DIFFERS);
    SET(arch_lbr_control, CAPS_RAISES_GP), EACH_LACKS(USERS_OF_LBR, CAPS_ARCH_LBR_RAISES_GP);
    SET(arch_lbr_control, CAPS_HOLDS), IS(arch_lbr, true), IS(arch_lbr_depths, 0x0b);
    LEAVES(leaf_1c, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX), SET(leaf_1c.valid, false), IS(arch_lbr_depths, 0),
        IS(lbr_filter, 0), IS(lbr_callstack, 0), IS(lbr_branch_type, 0), IS(lbr_info, 0), IS(lbr_counters, 0),
        EACH_LACKS(USERS_OF_LBR, CAPS_ARCH_LBR_NO_DEPTH);
    /* Format 6 has the cycles in TO. */
    FROM(skylake_input), SET(perf_capabilities.value, 0x33c6), LACKS(NEED_LBR_INFO, CAPS_LBR_NO_INFO),
        HAS(NEED_LBR | NEED_LBR_SELECT);
    SET(perf_capabilities.value, 0x33c7), HAS(NEED_LBR_INFO);

    FROM(skylake_input), CLEAR(leaf_1.edx, 1u << 9), LACKS(NEED_APIC, CAPS_NO_APIC);
    FROM(skylake_input), SET(apic_base.valid, false), LACKS(NEED_APIC, CAPS_APIC_BASE_RAISES_GP), IS(apic_base, 0);
    FROM(skylake_input), CLEAR(leaf_80000001.edx, 1u << 29), LACKS(NEED_LONG_MODE, CAPS_NO_LONG_MODE);
    /* Without IA32_PERF_CAPABILITIES, only NetBurst is trap-like. */
    FROM(skylake_input), CLEAR(leaf_1.ecx, 1u << 15), IS(pebs_trap_like, false);
    SET(leaf_1.eax, 0x00000f29), IS(pebs_trap_like, true);
    FROM(skylake_input), SET(leaf_a.valid, false), EACH_LACKS(USERS_OF_PERFMON, CAPS_NO_PERFMON_LEAF);
    FROM(skylake_input), SET(leaf_a.eax, 0x07280201), EACH_LACKS(USERS_OF_PERFMON, CAPS_PERFMON_VERSION);
    FROM(skylake_input), SET(misc_enable.valid, false), EACH_LACKS(USERS_OF_PERFMON, CAPS_MISC_ENABLE_RAISES_GP);
    FROM(skylake_input), CLEAR(misc_enable.value, UINT64_C(0x80)), EACH_LACKS(USERS_OF_PERFMON, CAPS_NO_PERFMON_FLAG);
}

UNIT_TEST(taken_counters)
{
    /* A counter that is in use. Those below it count, all others sample; without the first, nothing works. */
    FROM(skylake_input), TAKE(0), IS(counters_taken, 0), IS(general_count, 4);
    TAKE(0x4), IS(counters_taken, 0x4), IS(general_count, 2), IS(general_counters, 0xb), IS(general_possible, 0x4),
        IS(pebs_counters, 0xb), HAS(NEED_PERFMON | NEED_PEBS), LACKS(NEED_PEBS_COUNTERS, CAPS_PEBS_ONE_COUNTER);
    TAKE(0x1), IS(counters_taken, 0x5),
        EACH_LACKS(NEED_PERFMON | NEED_GLOBAL_CTRL | NEED_FREEZE | NEED_PEBS | NEED_EVENT_ANY, CAPS_COUNTER_TAKEN),
        HAS(NEED_APIC | NEED_LONG_MODE | NEED_DS | NEED_DS_64 | NEED_BTS | NEED_LBR | NEED_LBR_INFO),
        LACKS(NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_ADAPTIVE); /* the first reason stays */
}

/* CPUID.1CH: each combination of its flags (SDM Vol. 3B (253669-081), "CPUID.1CH"). */
UNIT_TEST(flags_of_architectural_lbrs)
{
    for (uint32_t flags = 0; flags < 8; flags++) {
        struct caps_input input = skylake_input();
        input.leaf_7.edx |= 1u << 19;
        input.leaf_1c = (struct caps_leaf)LEAF(0xb, flags, 0, 0);
        assert_int_equal(caps_of(input).lbr_filter, (flags & 3) == 3);
        assert_int_equal(caps_of(input).lbr_callstack, flags >> 2);
        assert_int_equal(caps_of(input).lbr_info, 0);
        assert_false(caps_of(input).lbr_branch_type);
        input.leaf_1c = (struct caps_leaf)LEAF(0xb, 0, flags, 0);
        assert_int_equal(caps_of(input).lbr_info, (flags & 3) == 3 ? 0x1200 : 0);
        assert_int_equal(caps_of(input).lbr_branch_type, flags >> 2);
        assert_false(caps_of(input).lbr_filter);
        assert_false(caps_of(input).lbr_callstack);
    }
    for (unsigned bit = 0; bit < 9; bit++) { /* depths of 8 to 64 */
        struct caps_input input = skylake_input();
        input.leaf_7.edx |= 1u << 19;
        input.leaf_1c = (struct caps_leaf)LEAF(1u << bit, 0, 0, 0);
        assert_int_equal(caps_of(input).lbr_depth, bit < 8 ? 8 * (bit + 1) : 0);
    }
}

/* Each bit of IA32_PERF_CAPABILITIES alone (SDM Vol. 3B (253669-081), "Layout of IA32_PERF_CAPABILITIES MSR"). */
UNIT_TEST(bits_of_perf_capabilities)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        struct caps_input input = skylake_input();
        input.perf_capabilities.value = UINT64_C(1) << bit;
        struct caps caps = caps_of(input);
        assert_int_equal(caps.lbr_format, bit < 6 ? 1u << bit : 0);
        assert_int_equal(caps.pebs_trap_like, bit == 6);
        assert_int_equal(caps.pebs_format, bit >= 8 && bit < 12 ? 1u << (bit - 8) : 0);
        assert_int_equal(caps.freeze_while_smm, bit == 12);
        assert_int_equal(caps.full_width_write != 0, bit == 13);
        assert_int_equal(caps.pebs_baseline, bit == 14);
        assert_int_equal(caps.pebs_output_pt, bit == 16);
        assert_int_equal(caps.pebs_retire_latency, bit == 17);
    }
}

/* SDM Vol. 3B (253669-059), "64 Bit Format of the DS Save Area", 17.4.9.1: 64-bit with DTES64 or in IA-32e mode, else
 * 32-bit. */
UNIT_TEST(width_of_the_ds_area)
{
    for (unsigned i = 0; i < 4; i++) {
        struct caps_input input = skylake_input();
        input.ia32e_active = (i & 1) != 0;
        if ((i & 2) == 0)
            input.leaf_1.ecx &= ~(1u << 2);
        struct caps caps = caps_of(input);
        assert_int_equal(caps.dtes64, (i & 2) != 0);
        assert_int_equal(caps.ds_width, i == 0 ? 4 : 8);
        assert_int_equal(caps.ds_area_size, i == 0 ? 0x30 : 0x60);
        if (i == 0) {
            assert_int_equal(caps_missing(&caps, NEED_DS_32), CAPS_AVAILABLE);
            assert_int_equal(caps_missing(&caps, NEED_DS_64), CAPS_DS_NOT_64);
        } else {
            assert_int_equal(caps_missing(&caps, NEED_DS_64), CAPS_AVAILABLE);
            assert_int_equal(caps_missing(&caps, NEED_DS_32), CAPS_DS_NOT_32);
        }
        assert_int_equal(caps.bts_record_size, i == 0 ? 12 : 24);
        assert_int_equal(caps.pebs_record_size, i == 0 ? 0 : 200);
        assert_int_equal(caps.pebs_form.width, caps.ds_width);
        assert_int_equal(caps.pebs_form.format, 3);
        input.leaf_1.ecx &= ~(1u << 15); /* without IA32_PERF_CAPABILITIES it is format 0, in both widths */
        assert_int_equal(caps_of(input).pebs_record_size, i == 0 ? 40 : 144);
        assert_int_equal(caps.linear_bits, (i & 1) ? 48 : 32);
        assert_int_equal(caps.msr_linear_bits, 48); /* depends on the processor, not on its mode */
    }
}

/* Fixed counters: a number up to version 4, which may conceal three of them; from version 5 on also a bit for each. */
UNIT_TEST(fixed_counters)
{
    static const struct {
        uint32_t version, edx, ecx;
        unsigned answers;
        uint64_t counters, possible;
        unsigned count, width;
    } rows[] = {
        { 2, 0x503, 0xff, 7, 0x7, 0, 3, 40 },   { 2, 0, 0xff, 7, 0x7, 0, 3, 48 },
        { 4, 0x601, 0, 3, 0x3, 0x4, 2, 48 },    { 4, 0x603, 0, 0, 0x7, 0, 3, 48 },
        { 3, 0, 0, 0, 0, 0x7, 0, 0 },           { 3, 0, 0, 4, 0x4, 0x3, 0, 48 },
        { 1, 0x603, 0xff, 7, 0, 0, 0, 0 },      { 5, 0x8604, 0x0f, 7, 0xf, 0, 4, 48 },
        { 5, 0x8603, 0x77, 0, 0x77, 0, 3, 48 }, { 5, 0x8600, 0x02, 0, 0x2, 0, 0, 48 },
        { 6, 0x8602, 0, 0, 0x3, 0, 2, 48 },
    };
    struct caps_input input = skylake_input();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        input.leaf_a = (struct caps_leaf)LEAF(0x07300400 | rows[i].version, 0, rows[i].ecx, rows[i].edx);
        input.fixed_answers = rows[i].answers;
        struct caps caps = caps_of(input);
        assert_int_equal(caps.fixed_counters, rows[i].counters);
        assert_int_equal(caps.fixed_possible, rows[i].possible);
        assert_int_equal(caps.fixed_count, rows[i].count);
        assert_int_equal(caps.fixed_width, rows[i].width);
        assert_int_equal(caps.general_counters, 0xf);
        assert_int_equal(caps.general_possible, 0);
        assert_false(caps.hybrid);
        assert_false(caps.perfmon_extended);
    }
    input.leaf_a = (struct caps_leaf)LEAF(0x07300402, 0, 0, 0);
    input.leaf_1.ecx |= 1u << 31; /* under a hypervisor, no counters means that there are none */
    input.fixed_answers = 7;
    assert_int_equal(caps_of(input).fixed_counters, 0);
}

/* All other reasons mean that the feature exists, but is refused or unknown. */
UNIT_TEST(reasons_of_absent_features)
{
    static const bool absent[CAPS_REASON_COUNT] = {
        [CAPS_NO_DS_FLAG] = true,       [CAPS_DS_NO_PERFMON_FLAG] = true, [CAPS_BTS_UNAVAILABLE] = true,
        [CAPS_PEBS_UNAVAILABLE] = true, [CAPS_PEBS_CORE_HAS_NONE] = true, [CAPS_LBR_NOT_INTEL] = true,
        [CAPS_LBR_CONCEALED] = true,    [CAPS_LBR_DIFFERS] = true,
    };

    for (unsigned reason = 0; reason < CAPS_REASON_COUNT; reason++)
        assert_int_equal(caps_reason_absent((enum caps_reason)reason), absent[reason]);
}

/* Each reason has a text of its own, which begins with the missing feature. */
UNIT_TEST(texts)
{
    static const char *const begins[] = { "no ", "PEBS records have " };

    assert_string_equal(caps_reason_text(CAPS_AVAILABLE), "available");
    assert_string_equal(caps_reason_text(CAPS_NO_DS_FLAG), "no DS (CPUID.1:EDX bit 21 clear)");
    assert_string_equal(caps_reason_text(CAPS_REASON_COUNT), "unknown reason");
    for (unsigned i = CAPS_AVAILABLE + 1; i < CAPS_REASON_COUNT; i++) {
        const char *const text = caps_reason_text((enum caps_reason)i);

        assert_true(strncmp(text, begins[0], strlen(begins[0])) == 0 ||
                    strncmp(text, begins[1], strlen(begins[1])) == 0);
        for (unsigned other = 0; other < i; other++)
            assert_string_not_equal(text, caps_reason_text((enum caps_reason)other));
    }
}

#define TRAP        (1u << 6)
#define BASELINE    (1u << 14)
#define FORMAT(n)   ((n) << 8)
#define FORMAT_BITS FORMAT(15u)
#define OUTPUT_PT   (1u << 16)

/*
 * What public boot logs of Linux print of IA32_PERF_CAPABILITIES and of the LBR stack ("PEBS fmt4+-baseline,
 * PEBS-via-PT, .., 32-deep LBR"), against what the kernel concludes from this register.
 */
UNIT_TEST(boot_logs_of_linux)
{
    static const struct {
        uint32_t signature, known, value; /* bits of IA32_PERF_CAPABILITIES: those that Linux printed, their values */
        const char *core;
        unsigned depth; /* of model-specific LBRs */
        const char *seen;
    } rows[] = {
        { 0x6f2, TRAP | FORMAT_BITS, 0, "Core 2", 4, "T5600, T7400, 6300, 6400, 6600, U7500" },
        { 0x6f6, TRAP | FORMAT_BITS, 0, "Core 2", 4, "T7400, 6600" },
        { 0x10661, TRAP | FORMAT_BITS, 0, "Core 2", 4, "Celeron 550" },
        { 0x6fb, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "E6550, E6750, E6850, T7250" },
        { 0x6fd, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "E4500, T5550, T5800" },
        { 0x10676, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "T8300" },
        { 0x1067a, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "E5300, E5700, Q9650" },
        { 0x106c2, TRAP | FORMAT_BITS, TRAP, "Bonnell", 8, "N270" },
        { 0x106ca, TRAP | FORMAT_BITS, TRAP, "Bonnell", 8, "N450, D525" },
        { 0x30678, TRAP | FORMAT_BITS, TRAP | FORMAT(2), "Silvermont", 8, "N2930, E3815" },
        { 0x406c3, TRAP | FORMAT_BITS, TRAP | FORMAT(2), "Silvermont", 8, "N3150, N3700, Z8300" },
        { 0x906c0, TRAP | FORMAT_BITS | BASELINE | OUTPUT_PT, TRAP | FORMAT(4) | BASELINE | OUTPUT_PT, "Tremont", 32,
          "N5105" },
        { 0xb06e0, TRAP | FORMAT_BITS | BASELINE | OUTPUT_PT, TRAP | FORMAT(4) | BASELINE | OUTPUT_PT, "Gracemont", 0,
          "N100" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct caps_input input = skylake_input();

        input.leaf_1.eax = rows[i].signature;
        input.perf_capabilities.value = rows[i].value;
        const struct caps caps = caps_of(input);

        print_message("# %x, %s\n", rows[i].signature, rows[i].seen);
        assert_string_equal(caps.core, rows[i].core);
        assert_int_equal(caps.pebs_trap_like, (rows[i].value & TRAP) != 0);
        assert_int_equal(caps.pebs_form.format, rows[i].value >> 8 & 15);
        assert_int_equal(caps.pebs_baseline, (rows[i].value & BASELINE) != 0);
        assert_int_equal(caps.pebs_output_pt, (rows[i].value & OUTPUT_PT) != 0);
        if (rows[i].depth)
            assert_int_equal(caps.lbr_depth, rows[i].depth);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * Capabilities from raw CPUID and MSR values, and the reason for each that is missing. The trap to avoid:
 * QEMU without a debug store shows the "unavailable" bits clear and swallows writes, so no single flag proves anything.
 */
#include "tests/host/unit_test.h"

#include "tests/host/processors.h"

static struct caps_input nothing(void)
{
    return (struct caps_input){ 0 };
}

/* -cpu qemu64 under TCG, no debug store: MISC_ENABLE reads 1, unknown MSRs swallow writes. */
static struct caps_input qemu(void)
{
    return (struct caps_input){
        .leaf_0 = LEAF(0xd, 0x68747541, 0x444d4163, 0x69746e65), /* AuthenticAMD */
        .leaf_1 = LEAF(0x00000f61, 0x00000800, 0x80802001, 0x078bfbfd & ~(1u << 21)),
        .leaf_7 = LEAF(0, 0, 0, 0),
        .leaf_a = LEAF(0, 0, 0, 0),
        .leaf_80000001 = LEAF(0xf61, 0, 0x5, 0x2191abfd),
        .leaf_80000008 = LEAF(0x3028, 0, 0, 0),
        .misc_enable = MSR(1),
        .apic_base = MSR(0xfee00900),
        .ds_area = CAPS_DIFFERS,
        .debugctl_lbr = CAPS_DIFFERS,
        .ia32e_active = true,
    };
}

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
#define LIST(list)                assert_ptr_equal(derived()->events, list)
#define HAS(needs)                is_missing(__LINE__, needs, CAPS_AVAILABLE)
#define LACKS(needs, reason)      is_missing(__LINE__, needs, reason)
#define EACH_LACKS(needs, reason) are_missing(__LINE__, needs, reason)

UNIT_TEST(a_skylake)
{
    FROM(skylake_input), HAS(NEED_ALL & ~NEED_OTHERS), HAS(0), TEXT(vendor, "GenuineIntel"),
        TEXT(brand, "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz"), IS(intel, true), IS(signature, 0x506e3), IS(family, 6),
        IS(model, 0x5e), IS(stepping, 3), CORE("Skylake"), IS(hypervisor, false), IS(nx, true), IS(long_mode, true),
        IS(ia32e_active, true), IS(physical_bits, 39), IS(linear_bits, 48), IS(msr_linear_bits, 48), IS(apic, true),
        IS(x2apic, true), IS(apic_base, 0xfee00900), IS(perfmon_version, 4), IS(general_count, 4),
        IS(general_width, 48), IS(fixed_count, 3), IS(fixed_width, 48), IS(freeze, CAPS_FREEZE_STREAMLINED),
        IS(ds, true), IS(dtes64, true), IS(ds_cpl, true), IS(ds_width, 8), IS(ds_area_size, 0x60),
        IS(bts_record_size, 24), IS(bts_prediction, true), IS(pebs_method, PEBS_METHOD_GENERAL), IS(ds_area_format, 3),
        IS(pebs_record_size, 200), IS(pebs_record_most, 200), IS(pebs_form.width, 8), IS(pebs_form.format, 3),
        IS(pebs_form.lbr_format, 5), IS(pebs_form.adaptive, false), IS(pebs_form.retire_latency, false),
        IS(pebs_form.cache_latency, false), IS(pebs_baseline, false), IS(global_ctrl, true), IS(second_level_kib, 1024),
        IS(pebs_counters, 0xf), IS(pebs_fixed_counters, 0), LIST(&pebs_events_skylake),
        IS(data_source, DATA_SOURCE_SKYLAKE), IS(lbr_layout, LBR_LAYOUT_PAIRS), IS(lbr_depth, 32), IS(lbr_from, 0x680),
        IS(lbr_to, 0x6c0), IS(lbr_info, 0xdc0), IS(lbr_tos, 0x1c9), IS(lbr_select, 0x1c8), IS(arch_lbr, false),
        IS(arch_lbr_depths, 0);
}

UNIT_TEST(values_of_perf_capabilities)
{
    /* Silvermont's records reserve the data address. Goldmont's have it, but no other memory field. */
    FROM(skylake_input), SET(perf_capabilities.value, 0x32c1), SET(leaf_1.eax, 0x00030678),
        LACKS(NEED_DATA_ADDRESS, CAPS_PEBS_ADDRESS_RESERVED), HAS(NEED_EVENTING_IP | NEED_EVENT_BRANCHES),
        LACKS(NEED_LOAD_LATENCY, CAPS_LOAD_LATENCY_UNKNOWN);
    /* Format 0 has no data address. */
    SET(perf_capabilities.value, 0x30c1), LACKS(NEED_DATA_ADDRESS, CAPS_PEBS_NO_DATA_ADDRESS);
    SET(perf_capabilities.value, 0x33c6), SET(leaf_1.eax, 0x000506c9),
        HAS(NEED_DATA_ADDRESS | NEED_PEBS_TSC | NEED_EVENT_LOADS | NEED_EVENT_INSTRUCTIONS),
        LACKS(NEED_LOAD_LATENCY, CAPS_LOAD_LATENCY_UNKNOWN), LACKS(NEED_PEBS_COUNTERS, CAPS_PEBS_ONE_COUNTER),
        LACKS(NEED_PEBS_FIXED, CAPS_PEBS_NOT_FIXED), IS(ds_area_format, 3);
    /* Goldmont Plus: extended PEBS, with format 4's area */
    SET(leaf_1.eax, 0x000706a8), IS(pebs_method, PEBS_METHOD_GENERAL), IS(pebs_counters, 0xf),
        IS(pebs_fixed_counters, 0x7), IS(pebs_record_size, 200), IS(ds_area_format, 4), IS(ds_area_size, 0xa0),
        HAS(NEED_PEBS_FIXED), LACKS(NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_ADAPTIVE);

    /* Without leaf 0Ah and IA32_PERF_CAPABILITIES, the values are from the core's row. */
    FROM(skylake_input), SET(leaf_1.eax, 0x00000f43), CLEAR(leaf_1.ecx, 1u << 15), SET(leaf_a.valid, false),
        SET(leaf_7.valid, false), SET(leaf_1c.valid, false), SET(perf_capabilities.valid, false),
        HAS(NEED_PEBS | NEED_PEBS_TAGGING | NEED_BTS | NEED_BTS_CPL | NEED_BTS_PREDICTED | NEED_LBR),
        IS(general_width, 40), IS(pebs_format, 0), IS(pebs_record_size, 144), IS(ds_area_size, 0x50), IS(lbr_format, 1),
        IS(pebs_trap_like, true), IS(bts_prediction, true), LACKS(NEED_GLOBAL_CTRL, CAPS_NO_PERFMON_LEAF),
        LACKS(NEED_EVENTING_IP, CAPS_PEBS_NO_EVENTING_IP);
}

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

UNIT_TEST(adaptive_pebs)
{
    /* Without the baseline, records have only the basic group: a capability register overrides the core's row. */
    FROM(skylake_input), SET(leaf_1.eax, 0x000606a6), SET(leaf_a.eax, 0x08300805), SET(leaf_a.edx, 0x00008604),
        SET(perf_capabilities.value, 0x34c5), IS(pebs_method, PEBS_METHOD_GENERAL), IS(pebs_fixed_counters, 0),
        IS(pebs_counters, 0xff), IS(pebs_record_size, 32), IS(pebs_record_most, 32), IS(pebs_form.adaptive, false),
        HAS(NEED_PEBS | NEED_EVENTING_IP | NEED_PEBS_TSC | NEED_PEBS_COUNTERS | NEED_EVENT_LOADS),
        LACKS(NEED_PEBS_REGISTERS, CAPS_PEBS_BASIC), LACKS(NEED_DATA_ADDRESS, CAPS_PEBS_BASIC),
        LACKS(NEED_LOAD_LATENCY, CAPS_PEBS_BASIC), LACKS(NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_ADAPTIVE);
    /* With it, records have all groups, and the area 8 + 4 resets. */
    SET(perf_capabilities.value, 0x74c5), HAS(NEED_PEBS_REGISTERS | NEED_DATA_ADDRESS),
        IS(pebs_method, PEBS_METHOD_ADAPTIVE), IS(pebs_counters, 0xff), IS(pebs_fixed_counters, 0xf),
        IS(pebs_record_size, 32), IS(pebs_record_most, 1232), IS(load_latency_auxiliary, 0), IS(pebs_baseline, true),
        IS(pebs_form.adaptive, true), IS(pebs_form.retire_latency, false), IS(pebs_form.format, 4),
        IS(ds_area_format, 4), IS(ds_area_size, 0xa0),
        HAS(NEED_PEBS | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED | NEED_LOAD_LATENCY), IS(pebs_retire_latency, false);
    /* The cache latency depends on the core, not on this bit. */
    SET(perf_capabilities.value, 0x274c5), IS(pebs_retire_latency, true), IS(pebs_form.retire_latency, true),
        IS(pebs_form.cache_latency, false);
    /* As many as there are fixed counters, at most one per reset; formats 5 and 6 have 16. */
    SET(leaf_a.edx, 0x00008602), IS(pebs_fixed_counters, 0x3);
    SET(leaf_a.edx, 0x00008606), IS(pebs_fixed_counters, 0xf);
    SET(leaf_a.edx, 0x00008600), LACKS(NEED_PEBS_FIXED, CAPS_PEBS_NOT_FIXED);
    SET(perf_capabilities.value, 0x75c5), SET(leaf_a.edx, 0x00008611), IS(pebs_fixed_counters, 0xffff);
    /* The area of format 7 is unknown. */
    SET(perf_capabilities.value, 0x77c5), IS(pebs_fixed_counters, 0), LACKS(NEED_PEBS, CAPS_PEBS_FORMAT_UNKNOWN),
        IS(pebs_record_most, 0), IS(ds_area_format, 6);
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

UNIT_TEST(architectural_lbrs)
{
    FROM(skylake_input), SET(leaf_1.eax, 0x000806f8), ADD(leaf_7.edx, 1u << 19),
        LEAVES(leaf_1c, 0x4000000b, 0x7, 0x7, 0), SET(perf_capabilities.value, 0x3fff),
        IS(load_latency_auxiliary, 0x8203), IS(lbr_layout, LBR_LAYOUT_ARCH), IS(lbr_depth, 32), IS(lbr_from, 0x1500),
        IS(lbr_to, 0x1600), IS(lbr_info, 0x1200), IS(lbr_tos, 0), IS(lbr_select, 0), IS(lbr_callstack, true),
        IS(lbr_filter, true), IS(lbr_branch_type, true);
    /* IA32_DEBUGCTL bit 0 reads 0. */
    SET(debugctl_lbr, CAPS_DIFFERS), SET(arch_lbr_control, CAPS_HOLDS),
        HAS(NEED_LBR | NEED_LBR_INFO | NEED_LBR_SELECT | NEED_LBR_CALLSTACK | NEED_ARCH_LBR),
        LACKS(NEED_LBR_TOS, CAPS_LBR_NO_TOS);
    SET(leaf_1c.ebx, 0x6), LACKS(NEED_LBR_SELECT, CAPS_LBR_NO_SELECT);
    SET(leaf_1c.ecx, 0x1), LACKS(NEED_LBR_INFO, CAPS_LBR_NO_INFO);
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

UNIT_TEST(small_things)
{
    /* All 48 characters; only blanks, which are removed at the beginning; a partial name is not used. */
    FROM(skylake_input), LEAVES(leaf_80000002, 0x20202020, 0x20202020, 0x65746e49, 0x2952286c),
        LEAVES(leaf_80000003, 0x37692029, 0x3037362d, 0x50432030, 0x20402055),
        LEAVES(leaf_80000004, 0x41414141, 0x41414141, 0x41414141, 0x41414141),
        TEXT(brand, "Intel(R)) i7-6700 CPU @ AAAAAAAAAAAAAAAA");
    LEAVES(leaf_80000002, 0x20202020, 0x20202020, 0x20202020, 0x20202020),
        LEAVES(leaf_80000003, 0x20202020, 0x20202020, 0x20202020, 0x20202020),
        LEAVES(leaf_80000004, 0x20202020, 0x20202020, 0x20202020, 0x20202020), TEXT(brand, "");
    FROM(skylake_input), SET(leaf_80000003.valid, false), TEXT(brand, "Intel(R) Core(TM");
    SET(leaf_80000008.valid, false), IS(physical_bits, 36);
    /* 57 bits of linear address require CR4.LA57. With 5-level paging MSRs accept them, whatever the paging mode is. */
    FROM(skylake_input), SET(leaf_80000008.eax, 0x392e), IS(physical_bits, 46), IS(linear_bits, 48);
    SET(leaf_7.ecx, 1u << 16), IS(msr_linear_bits, 57), IS(linear_bits, 48);
    SET(leaf_7.valid, false), IS(msr_linear_bits, 48);
    CLEAR(leaf_80000001.edx, 1u << 29), IS(msr_linear_bits, 32); /* no long mode */
    FROM(nothing), TEXT(vendor, ""), LACKS(NEED_APIC, CAPS_NO_APIC), IS(ds_width, 4);
}

UNIT_TEST(counters_of_hybrids)
{
    /* On a hybrid, CPUID.0AH has what all kinds of cores have. CPUID.23H has what this core has, and has priority. */
    FROM(skylake_input), SET(leaf_1.eax, 0x000906a3), ADD(leaf_7.edx, 1u << 15),
        LEAVES(leaf_a, 0x07300605, 0, 0x7, 0x8603), LEAVES(leaf_1a, 0x40000001, 0, 0, 0),
        SET(perf_capabilities.value, 0x74c5), IS(hybrid, true), IS(core_type, 0x40), IS(native_model, 1),
        CORE("Golden Cove"), IS(core_known, true), IS(pebs_form.cache_latency, true),
        IS(pebs_form.retire_latency, false), IS(general_counters, 0x3f), IS(general_possible, 0xc0),
        IS(fixed_counters, 0x7), IS(fixed_possible, 0x8), IS(pebs_counters, 0x3f);
    SET(leaf_1a.eax, 0x20000001), CORE("Gracemont"), IS(core_type, 0x20), IS(general_possible, 0),
        IS(fixed_possible, 0), IS(general_counters, 0x3f), IS(core_known, true), IS(pebs_form.cache_latency, true),
        IS(pebs_method, PEBS_METHOD_ADAPTIVE), LIST(&pebs_events_gracemont), IS(data_source, DATA_SOURCE_GRACEMONT),
        IS(pebs_counters, 0x3f);
    SET(leaf_1.eax, 0x000906a3), SET(leaf_1a.valid, false), IS(core_type, 0), IS(native_model, 0),
        IS(general_possible, 0xc0), CORE("Golden Cove or Gracemont"), IS(core_known, false);
    /* A processor with only P-cores has the model of a hybrid, but no kinds: i5-12400, i3-12100, Xeon 6315P. */
    CLEAR(leaf_7.edx, 1u << 15), CORE("Golden Cove"), IS(core_known, true), IS(hybrid, false), IS(core_type, 0),
        IS(general_possible, 0), LIST(&pebs_events_ice_lake);
    LEAVES(leaf_1a, 0, 0, 0, 0), CORE("Golden Cove");
    SET(leaf_1a.eax, 0x20000001), CORE("Gracemont"), IS(core_type, 0);
    LEAVES(leaf_1a, 0, 0, 0, 0), ADD(leaf_7.edx, 1u << 15), CORE("Golden Cove or Gracemont");
    LEAVES(leaf_7_1, 1u << 8, 0, 0, 0), LEAVES(leaf_23, 0x3, 0, 0, 0), LEAVES(leaf_23_1, 0xff, 0x77, 0, 0),
        IS(perfmon_extended, true), IS(general_counters, 0xff), IS(fixed_counters, 0x77), IS(general_count, 8),
        IS(fixed_count, 3), IS(pebs_fixed_counters, 0x7), IS(general_possible, 0), IS(fixed_possible, 0);
    /* Only the counters before a gap are counted. Without leaf 23h or its sub-leaf 1, leaf 0AH has them. */
    SET(leaf_23_1.eax, 0xfd), IS(general_count, 1), IS(general_counters, 0xfd);
    SET(leaf_23.eax, 0x1), IS(general_counters, 0x3f);
    SET(leaf_23.eax, 0x2), SET(leaf_7_1.eax, ~(1u << 8)), IS(general_counters, 0x3f);

    FROM(skylake_input), IS(microcode, 0xf0), IS(microcode_least, 0);
    SET(bios_sign_id.valid, true), SET(bios_sign_id.value, 0xf000000012), IS(microcode, 0xf0);
    SET(bios_sign_id.valid, false), IS(microcode, 0);
    SET(leaf_1.eax, 0x000206a7), IS(microcode_least, 0x28);
}

UNIT_TEST(extensions_of_counters)
{
    /* Leaf 23h without architectural PEBS: reload, and counts in LBR entries. Bits of absent counters are dropped. */
    FROM(clearwater_forest_input), LEAVES(leaf_23_2, 0x1fc, 0x7e, 0x2fb, 0x7d),
        IS(reload_counters, UINT64_C(0x76000000fc)), IS(reload_causes, UINT64_C(0x75000000fb)),
        HAS(NEED_COUNTER_RELOAD);
    TAKE(0x8), IS(reload_counters, UINT64_C(0x76000000f4)), IS(reload_causes, UINT64_C(0x75000000f3)),
        HAS(NEED_COUNTER_RELOAD);
    TAKE(0x1), LACKS(NEED_COUNTER_RELOAD, CAPS_COUNTER_TAKEN);
    SET(leaf_23_2.eax, 0), SET(leaf_23_2.ebx, 0), LACKS(NEED_COUNTER_RELOAD, CAPS_NO_COUNTER_RELOAD);
    SET(leaf_23_2.ebx, 1), HAS(NEED_COUNTER_RELOAD);
    SET(leaf_23_2.valid, false), LACKS(NEED_COUNTER_RELOAD, CAPS_NO_COUNTER_RELOAD);
    SET(leaf_23_2.valid, true), CLEAR(leaf_23.eax, 0x4u), LACKS(NEED_COUNTER_RELOAD, CAPS_NO_COUNTER_RELOAD),
        IS(reload_causes, 0);
    SET(leaf_23.ebx, 1), IS(unit_mask_2, true), IS(equal_flag, false), IS(rdpmc_user_disable, false);
    SET(leaf_23.ebx, 2), IS(unit_mask_2, false), IS(equal_flag, true), IS(rdpmc_user_disable, false);
    SET(leaf_23.ebx, 4), IS(unit_mask_2, false), IS(equal_flag, false), IS(rdpmc_user_disable, true);
    SET(leaf_23.ebx, 7), SET(leaf_7_1.valid, false), IS(unit_mask_2, false), IS(equal_flag, false),
        IS(rdpmc_user_disable, false);
    FROM(clearwater_forest_input), ADD(leaf_7.edx, 1u << 19), SET(arch_lbr_control, CAPS_HOLDS),
        LEAVES(leaf_1c, 0xb, 7, 0xfff00007, 0), IS(lbr_counters, 0), LACKS(NEED_LBR_EVENTS, CAPS_LBR_NO_EVENTS);
    LEAVES(leaf_1c, 0xb, 7, 0xfffa0007, 0), IS(lbr_counters, 0xa), HAS(NEED_LBR_EVENTS);
    LEAVES(leaf_1c, 0xb, 7, 0xffff0007, 0), IS(lbr_counters, 0xf);
    SET(leaf_23_1.eax, 0x3), IS(lbr_counters, 0x3);
    TAKE(0x2), IS(lbr_counters, 0x1), HAS(NEED_LBR_EVENTS);
    TAKE(0x1), LACKS(NEED_LBR_EVENTS, CAPS_COUNTER_TAKEN), HAS(NEED_LBR | NEED_ARCH_LBR);
    CLEAR(leaf_7.edx, 1u << 19), IS(lbr_counters, 0);
}

UNIT_TEST(qemu_without_a_debug_store)
{
    FROM(qemu), IS(hypervisor, true), IS(intel, false), TEXT(vendor, "AuthenticAMD"), TEXT(brand, ""),
        IS(physical_bits, 40), IS(freeze, CAPS_FREEZE_NONE), IS(perfmon_version, 0), IS(general_count, 0),
        HAS(NEED_APIC), EACH_LACKS(USERS_OF_DS, CAPS_NO_DS_FLAG), LACKS(NEED_LBR, CAPS_LBR_NOT_INTEL),
        LACKS(NEED_PERFMON, CAPS_PERFMON_NONE), LACKS(NEED_FREEZE, CAPS_PERFMON_NONE);
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

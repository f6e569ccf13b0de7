/* SPDX-License-Identifier: MIT */
/*
 * Capabilities from raw CPUID and MSR values, and the reason for each that is missing. The trap to avoid:
 * QEMU without a debug store shows the "unavailable" bits clear and swallows writes, so no single flag proves anything.
 */
#include "tests/host/host_test.h"

#include "cpu/caps.h"
#include "cpu/cores.h"

#define LEAF(a, b, c, d)                                              \
    {                                                                 \
        .valid = true, .eax = (a), .ebx = (b), .ecx = (c), .edx = (d) \
    }
#define MSR(v)                      \
    {                               \
        .valid = true, .value = (v) \
    }

/* A Skylake client part, 06_5E stepping 3, in 64-bit mode. */
static struct caps_input skylake(void)
{
    return (struct caps_input){
        .leaf_0 = LEAF(0x16, 0x756e6547, 0x6c65746e, 0x49656e69),
        .leaf_1 = LEAF(0x000506e3, 0x00100800, 0x7ffafbbf, 0xbfebfbff),
        .leaf_7 = LEAF(0, 0x029c6fbb, 0, 0xbc000600),
        .leaf_a = LEAF(0x07300404, 0, 0, 0x00000603),
        .leaf_80000001 = LEAF(0, 0, 0x121, 0x2c100800),
        /* "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz" */
        .leaf_80000002 = LEAF(0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865),
        .leaf_80000003 = LEAF(0x37692029, 0x3037362d, 0x50432030, 0x20402055),
        .leaf_80000004 = LEAF(0x30342e33, 0x007a4847, 0, 0),
        .leaf_80000008 = LEAF(0x3027, 0, 0, 0),
        .perf_capabilities = MSR(0x33c5),
        .misc_enable = MSR(0x850089),
        .apic_base = MSR(0xfee00900),
        .ds_area = CAPS_HOLDS,
        .debugctl_lbr = CAPS_HOLDS,
        .ia32e_active = true,
    };
}

static struct caps fill(const struct caps_input *input)
{
    struct caps caps;
    memset(&caps, 0xa5, sizeof(caps));
    caps_fill(input, &caps);
    return caps;
}

static void assert_missing(const struct caps_input *input, uint64_t needs, enum caps_reason reason)
{
    struct caps caps = fill(input);
    assert_int_equal(caps_missing(&caps, needs), reason);
}

static void assert_available(const struct caps_input *input, uint64_t needs)
{
    struct caps caps = fill(input);
    enum caps_reason reason = caps_missing(&caps, needs);
    if (reason != CAPS_AVAILABLE)
        fail_msg("%s", caps_reason_text(reason));
}

#define NEED_ALL ((UINT64_C(1) << CAPS_NEED_COUNT) - 1)
/* The needs that a Skylake lacks. */
#define NEED_OTHERS                                                                                  \
    (NEED_BTS_PREDICTED | NEED_PEBS_TAGGING | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED | NEED_ARCH_LBR | \
     NEED_PRECISE_STORE | NEED_EVENT_INSTRUCTIONS | NEED_DS_32)

static void a_skylake(void **state)
{
    struct caps_input input = skylake();
    struct caps caps = fill(&input);
    (void)state;
    assert_int_equal(caps_missing(&caps, NEED_ALL & ~NEED_OTHERS), CAPS_AVAILABLE);
    assert_int_equal(caps_missing(&caps, 0), CAPS_AVAILABLE);

    assert_string_equal(caps.vendor, "GenuineIntel");
    assert_string_equal(caps.brand, "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz");
    assert_true(caps.intel);
    assert_int_equal(caps.signature, 0x506e3);
    assert_int_equal(caps.family, 6);
    assert_int_equal(caps.model, 0x5e);
    assert_int_equal(caps.stepping, 3);
    assert_string_equal(caps.core, "Skylake");
    assert_false(caps.hypervisor);
    assert_true(caps.nx);
    assert_true(caps.long_mode);
    assert_true(caps.ia32e_active);
    assert_int_equal(caps.physical_bits, 39);
    assert_int_equal(caps.linear_bits, 48);
    assert_true(caps.apic);
    assert_true(caps.x2apic);
    assert_int_equal(caps.apic_base, 0xfee00900);

    assert_int_equal(caps.perfmon_version, 4);
    assert_int_equal(caps.general_count, 4);
    assert_int_equal(caps.general_width, 48);
    assert_int_equal(caps.fixed_count, 3);
    assert_int_equal(caps.fixed_width, 48);
    assert_int_equal(caps.freeze, CAPS_FREEZE_STREAMLINED);

    assert_true(caps.ds);
    assert_true(caps.dtes64);
    assert_true(caps.ds_cpl);
    assert_int_equal(caps.ds_width, 8);
    assert_int_equal(caps.ds_area_size, 0x60);
    assert_int_equal(caps.bts_record_size, 24);
    assert_false(caps.bts_prediction);
    assert_int_equal(caps.pebs_method, PEBS_METHOD_GENERAL);
    assert_int_equal(caps.pebs_record_size, 200);
    assert_int_equal(caps.pebs_counters, 0xf);
    assert_int_equal(caps.pebs_fixed_counters, 0);
    assert_ptr_equal(caps.events, &pebs_events_skylake);
    assert_int_equal(caps.data_source, DATA_SOURCE_SKYLAKE);

    assert_int_equal(caps.lbr_layout, LBR_LAYOUT_PAIRS);
    assert_int_equal(caps.lbr_depth, 32);
    assert_int_equal(caps.lbr_from, 0x680);
    assert_int_equal(caps.lbr_to, 0x6c0);
    assert_int_equal(caps.lbr_info, 0xdc0);
    assert_int_equal(caps.lbr_tos, 0x1c9);
    assert_int_equal(caps.lbr_select, 0x1c8);
    assert_false(caps.arch_lbr);
    assert_int_equal(caps.arch_lbr_depths, 0);
}

/* 33C5h, read on a Kaby Lake: LBR format 5, trap-like, format 3, full-width writes. */
static void perf_capabilities_33c5(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x000806e9;
    struct caps caps = fill(&input);
    assert_int_equal(caps.model, 0x8e);
    assert_string_equal(caps.core, "Skylake");
    assert_true(caps.pdcm);
    assert_int_equal(caps.perf_capabilities, 0x33c5);
    assert_int_equal(caps.lbr_format, 5);
    assert_true(caps.pebs_trap_like);
    assert_int_equal(caps.pebs_format, 3);
    assert_true(caps.full_width_write);
    assert_true(caps.freeze_while_smm);

    input.perf_capabilities.value = 0;
    caps = fill(&input);
    assert_int_equal(caps.lbr_format, 0);
    assert_false(caps.pebs_trap_like);
    assert_int_equal(caps.pebs_format, 0);
    assert_int_equal(caps.pebs_record_size, 144);
    assert_int_equal(caps.ds_area_size, 0x50);
    assert_false(caps.full_width_write);
    assert_false(caps.freeze_while_smm);
    assert_int_equal(caps.lbr_info, 0); /* this format has none, whatever the model */
}

static void models(void **state)
{
    static const struct {
        uint32_t signature;
        unsigned family, model, stepping;
        const char *core;
    } known[] = {
        { 0x000406e3, 6, 0x4e, 3, "Skylake" },
        { 0x000506e3, 6, 0x5e, 3, "Skylake" },
        { 0x00050654, 6, 0x55, 4, "Skylake" },
        { 0x000806ea, 6, 0x8e, 10, "Skylake" },
        { 0x000906ed, 6, 0x9e, 13, "Skylake" },
        { 0x000106a5, 6, 0x1a, 5, "Nehalem" },
        { 0x00000f29, 15, 2, 9, "NetBurst" },
        { 0x00000f43, 15, 4, 3, "NetBurst" },
        { 0x000006d8, 6, 0x0d, 8, "Pentium M" },
        { 0x000006ec, 6, 0x0e, 12, "Core Duo" },
        { 0x0001067a, 6, 0x17, 10, "Core 2" },
        { 0x000206a7, 6, 0x2a, 7, "Sandy Bridge" },
        { 0x000306c3, 6, 0x3c, 3, "Haswell" },
        { 0x000306d4, 6, 0x3d, 4, "Broadwell" },
        { 0x000606a6, 6, 0x6a, 6, "Ice Lake" },
        { 0x000806f8, 6, 0x8f, 8, "Golden Cove" },
        { 0x00000683, 6, 0x08, 3, NULL },    /* Pentium III: no debug store at all */
        { 0x00000f51, 15, 5, 1, NULL },      /* never built */
        { 0x00a20f12, 0x19, 0x21, 2, NULL }, /* the extended family counts from 15 on */
        { 0x00000543, 5, 4, 3, NULL },
        { 0x00020572, 5, 7, 2, NULL }, /* and the extended model only for 6 and 15 */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct caps_input input = skylake();
        input.leaf_1.eax = known[i].signature;
        struct caps caps = fill(&input);
        assert_int_equal(caps.family, known[i].family);
        assert_int_equal(caps.model, known[i].model);
        assert_int_equal(caps.stepping, known[i].stepping);
        if (known[i].core)
            assert_string_equal(caps.core, known[i].core);
        else
            assert_null(caps.core);
    }
}

/* The registers of each family, as the manual prints them. */
static void families(void **state)
{
    static const struct {
        uint32_t signature;
        unsigned tr, bts, btint, off_os, freeze; /* bits of 1D9h; 0 = none */
        enum lbr_layout layout;
        unsigned depth, from, to, tos, select, info;
        enum pebs_method method;
        unsigned counters;
        const struct pebs_event_list *events;
    } known[] = {
        { 0x00000f29, 2, 3, 4, 5, 0, LBR_LAYOUT_PACKED, 4, 0x1db, 0, 0x1da, 0, 0, PEBS_METHOD_NETBURST, 1,
          &pebs_events_netburst },
        { 0x00000f43, 2, 3, 4, 5, 0, LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0x1da, 0, 0, PEBS_METHOD_NETBURST, 1,
          &pebs_events_netburst },
        { 0x000006d8, 6, 7, 8, 0, 0, LBR_LAYOUT_PACKED, 8, 0x40, 0, 0x1c9, 0, 0, PEBS_METHOD_NONE, 0,
          &pebs_events_none },
        { 0x000006ec, 6, 7, 8, 0, 0, LBR_LAYOUT_PACKED, 8, 0x40, 0, 0x1c9, 0, 0, PEBS_METHOD_NONE, 0,
          &pebs_events_none },
        { 0x0001067a, 6, 7, 8, 9, 11, LBR_LAYOUT_PAIRS, 4, 0x40, 0x60, 0x1c9, 0, 0, PEBS_METHOD_GENERAL, 1,
          &pebs_events_core2 },
        { 0x000106a5, 6, 7, 8, 9, 11, LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0x1c9, 0x1c8, 0, PEBS_METHOD_GENERAL, 0xf,
          &pebs_events_nehalem },
        { 0x000206a7, 6, 7, 8, 9, 11, LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0x1c9, 0x1c8, 0, PEBS_METHOD_GENERAL, 0xf,
          &pebs_events_sandy_bridge },
        { 0x000306c3, 6, 7, 8, 9, 11, LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0x1c9, 0x1c8, 0, PEBS_METHOD_GENERAL, 0xf,
          &pebs_events_haswell },
        { 0x000306d4, 6, 7, 8, 9, 11, LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0x1c9, 0x1c8, 0, PEBS_METHOD_GENERAL, 0xf,
          &pebs_events_broadwell },
        { 0x000506e3, 6, 7, 8, 9, 11, LBR_LAYOUT_PAIRS, 32, 0x680, 0x6c0, 0x1c9, 0x1c8, 0xdc0, PEBS_METHOD_GENERAL, 0xf,
          &pebs_events_skylake },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct caps_input input = skylake();
        input.leaf_1.eax = known[i].signature;
        struct caps caps = fill(&input);
        assert_int_equal(caps.debugctl->lbr, 1);
        assert_int_equal(caps.debugctl->tr, 1u << known[i].tr);
        assert_int_equal(caps.debugctl->bts, 1u << known[i].bts);
        assert_int_equal(caps.debugctl->btint, 1u << known[i].btint);
        assert_int_equal(caps.debugctl->bts_off_os, known[i].off_os ? 1u << known[i].off_os : 0);
        assert_int_equal(caps.debugctl->bts_off_usr, known[i].off_os ? 2u << known[i].off_os : 0);
        assert_int_equal(caps.debugctl->freeze_lbrs, known[i].freeze ? 1u << known[i].freeze : 0);
        assert_int_equal(caps.debugctl->freeze_perfmon, known[i].freeze ? 2u << known[i].freeze : 0);
        assert_int_equal(caps.lbr_layout, known[i].layout);
        assert_int_equal(caps.lbr_depth, known[i].depth);
        assert_int_equal(caps.lbr_from, known[i].from);
        assert_int_equal(caps.lbr_to, known[i].to);
        assert_int_equal(caps.lbr_tos, known[i].tos);
        assert_int_equal(caps.lbr_select, known[i].select);
        assert_int_equal(caps.lbr_info, known[i].info);
        assert_int_equal(caps.pebs_method, known[i].method);
        assert_int_equal(caps.pebs_counters, known[i].counters);
        assert_ptr_equal(caps.events, known[i].events);
        if (!known[i].off_os)
            assert_int_equal(caps_missing(&caps, NEED_BTS_CPL), CAPS_NO_DS_CPL);
        if (known[i].method == PEBS_METHOD_NONE)
            assert_int_equal(caps_missing(&caps, NEED_PEBS), CAPS_PEBS_CORE_HAS_NONE);
    }
}

/* Where loads have a data source, tests look for it in rings that the second level cannot hold. */
static void second_levels(void **state)
{
    (void)state;
    for (unsigned family = 0; family <= 0xf; family++)
        for (unsigned model = 0; model <= 0xff; model++) {
            const struct core *core = core_find(family, model);
            assert_int_equal(core->second_level_kib >= 256, core->data_source != DATA_SOURCE_UNKNOWN);
        }
}

/* Without leaf 0Ah and IA32_PERF_CAPABILITIES the core's row tells what they would. */
static void netburst(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x00000f43;
    input.leaf_1.ecx &= ~(1u << 15);
    input.leaf_a.valid = input.leaf_7.valid = input.leaf_1c.valid = input.perf_capabilities.valid = false;
    struct caps caps = fill(&input);
    assert_int_equal(
        caps_missing(&caps, NEED_PEBS | NEED_PEBS_TAGGING | NEED_BTS | NEED_BTS_CPL | NEED_BTS_PREDICTED | NEED_LBR),
        CAPS_AVAILABLE);
    assert_int_equal(caps.general_width, 40);
    assert_int_equal(caps.pebs_format, 0);
    assert_int_equal(caps.pebs_record_size, 144);
    assert_int_equal(caps.ds_area_size, 0x50);
    assert_int_equal(caps.lbr_format, 1);
    assert_true(caps.pebs_trap_like);
    assert_true(caps.bts_prediction);
    assert_missing(&input, NEED_GLOBAL_CTRL, CAPS_NO_PERFMON_LEAF);
    assert_missing(&input, NEED_EVENTING_IP, CAPS_PEBS_NO_EVENTING_IP);
}

/* An event that a core's list lacks has its reason, with which tests are skipped. */
static void precise_events(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x0001067a;
    input.leaf_a.eax = 0x07280202;
    input.perf_capabilities.value = 0x40;
    assert_available(&input, NEED_PEBS | NEED_EVENT_INSTRUCTIONS | NEED_EVENT_ANY);
    assert_missing(&input, NEED_EVENT_LOADS, CAPS_NO_EVENT_LOADS);
    assert_missing(&input, NEED_EVENT_STORES, CAPS_NO_EVENT_STORES);
    assert_missing(&input, NEED_EVENT_BRANCHES, CAPS_NO_EVENT_BRANCHES);
    assert_missing(&input, NEED_EVENT_TAKEN, CAPS_NO_EVENT_TAKEN);
    assert_missing(&input, NEED_EVENT_NEAR_CALLS, CAPS_NO_EVENT_NEAR_CALLS);
    assert_missing(&input, NEED_EVENT_PREC_DIST, CAPS_NO_EVENT_PREC_DIST);
    assert_missing(&input, NEED_LOAD_LATENCY, CAPS_LOAD_LATENCY_UNKNOWN);
    assert_missing(&input, NEED_PRECISE_STORE, CAPS_NO_PRECISE_STORE);
    assert_missing(&input, NEED_PEBS_COUNTERS, CAPS_PEBS_ONE_COUNTER);

    input = skylake();
    assert_missing(&input, NEED_EVENT_INSTRUCTIONS, CAPS_NO_EVENT_INSTRUCTIONS);
    input.leaf_1.eax = 0x000206a7;
    assert_available(&input, NEED_PRECISE_STORE | NEED_LOAD_LATENCY);
    input.leaf_a.eax = 0x07300304; /* without counter 3 there is neither */
    assert_missing(&input, NEED_PRECISE_STORE, CAPS_NO_PRECISE_STORE);
    input.leaf_1.eax = 0x000f0ff2;
    assert_missing(&input, NEED_EVENT_ANY, CAPS_NO_EVENT_ANY);
}

/* Baseline PEBS: a capability register overrides the core's row. */
static void adaptive_pebs(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x000606a6;
    input.leaf_a.eax = 0x08300805;
    input.leaf_a.edx = 0x00008604;
    input.perf_capabilities.value = 0x34c5;
    struct caps caps = fill(&input);
    assert_int_equal(caps.pebs_method, PEBS_METHOD_GENERAL);
    assert_int_equal(caps.pebs_fixed_counters, 0);
    input.perf_capabilities.value = 0x74c5;
    caps = fill(&input);
    assert_int_equal(caps.pebs_method, PEBS_METHOD_ADAPTIVE);
    assert_int_equal(caps.pebs_counters, 0xff);
    assert_int_equal(caps.pebs_fixed_counters, 0xf);
    assert_int_equal(caps.pebs_record_size, 32);
    assert_int_equal(caps.pebs_record_most, 1232);
    assert_int_equal(caps.load_latency_auxiliary, 0);
    assert_available(&input, NEED_PEBS | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED | NEED_LOAD_LATENCY);
    assert_false(caps.pebs_retire_latency);
    input.perf_capabilities.value = 0x274c5;
    assert_true(fill(&input).pebs_retire_latency);
}

static void architectural_lbrs(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x000806f8;
    input.leaf_7.edx |= 1u << 19;
    input.leaf_1c = (struct caps_leaf)LEAF(0x4000000b, 0x7, 0x7, 0);
    input.perf_capabilities.value = 0x3fff;
    struct caps caps = fill(&input);
    assert_int_equal(caps.load_latency_auxiliary, 0x8203);
    assert_int_equal(caps.lbr_layout, LBR_LAYOUT_ARCH);
    assert_int_equal(caps.lbr_depth, 32);
    assert_int_equal(caps.lbr_from, 0x1500);
    assert_int_equal(caps.lbr_to, 0x1600);
    assert_int_equal(caps.lbr_info, 0x1200);
    assert_int_equal(caps.lbr_tos, 0);
    assert_int_equal(caps.lbr_select, 0);
    assert_true(caps.lbr_callstack);
    assert_true(caps.lbr_filter);
    assert_true(caps.lbr_branch_type);
    input.debugctl_lbr = CAPS_DIFFERS; /* its bit 0 reads as 0 here */
    input.arch_lbr_control = CAPS_HOLDS;
    assert_available(&input, NEED_LBR | NEED_LBR_INFO | NEED_LBR_SELECT | NEED_LBR_CALLSTACK | NEED_ARCH_LBR);
    assert_missing(&input, NEED_LBR_TOS, CAPS_LBR_NO_TOS);
    input.leaf_1c.ebx = 0x3;
    assert_false(fill(&input).lbr_callstack);
    input.leaf_1c.ebx = 0x6;
    assert_missing(&input, NEED_LBR_SELECT, CAPS_LBR_NO_SELECT);
    input.leaf_1c.ecx = 0x1;
    assert_missing(&input, NEED_LBR_INFO, CAPS_LBR_NO_INFO);
    assert_false(fill(&input).lbr_branch_type);
    input.leaf_1c.eax = 0x40000001;
    assert_int_equal(fill(&input).lbr_depth, 8);
}

static void an_unlisted_model(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x000f0ff2; /* 06_FF */
    input.perf_capabilities.value = 0x32c4;
    struct caps caps = fill(&input);
    assert_null(caps.core);
    assert_int_equal(caps_missing(&caps, NEED_BTS | NEED_BTS_CPL | NEED_PEBS | NEED_FREEZE | NEED_APIC),
                     CAPS_AVAILABLE);
    assert_int_equal(caps.pebs_format, 2);
    assert_int_equal(caps.pebs_record_size, 192);
    assert_int_equal(caps.pebs_counters, 0xf); /* as many as the DS area has resets */
    assert_int_equal(caps.lbr_format, 4);
    assert_int_equal(caps.lbr_depth, 0);
    assert_int_equal(caps.data_source, DATA_SOURCE_UNKNOWN);
    assert_int_equal(caps_missing(&caps, NEED_LBR), CAPS_LBR_MODEL_UNLISTED);
    assert_int_equal(caps_missing(&caps, NEED_LOAD_LATENCY), CAPS_LOAD_LATENCY_UNKNOWN);
    assert_int_equal(caps_missing(&caps, NEED_PEBS_TSC), CAPS_PEBS_NO_TSC);
    assert_int_equal(caps_missing(&caps, NEED_EVENTING_IP | NEED_DATA_ADDRESS), CAPS_AVAILABLE);

    input.leaf_a.eax = 0x07300204; /* two general counters */
    caps = fill(&input);
    assert_int_equal(caps.pebs_counters, 0x3);
    input.leaf_a.eax = 0x07300004;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_NO_COUNTER);
}

/* -cpu qemu64 and -cpu Skylake-Client under TCG, no debug store: MISC_ENABLE reads 1, unknown MSRs swallow writes. */
static void qemu_without_a_debug_store(void **state)
{
    struct caps_input input = {
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
    struct caps caps = fill(&input);
    (void)state;
    assert_true(caps.hypervisor);
    assert_false(caps.intel);
    assert_string_equal(caps.vendor, "AuthenticAMD");
    assert_string_equal(caps.brand, "");
    assert_int_equal(caps.physical_bits, 40);
    assert_int_equal(caps.freeze, CAPS_FREEZE_NONE);
    assert_int_equal(caps.perfmon_version, 0);
    assert_int_equal(caps.general_count, 0);
    assert_int_equal(caps_missing(&caps, NEED_APIC), CAPS_AVAILABLE);
    static const uint64_t ds[] = { NEED_DS, NEED_BTS, NEED_BTS_CPL, NEED_PEBS, NEED_EVENTING_IP, NEED_LOAD_LATENCY };
    for (size_t i = 0; i < COUNT_OF(ds); i++)
        assert_int_equal(caps_missing(&caps, ds[i]), CAPS_NO_DS_FLAG);
    assert_int_equal(caps_missing(&caps, NEED_LBR), CAPS_LBR_NOT_INTEL);
    assert_int_equal(caps_missing(&caps, NEED_PERFMON), CAPS_PERFMON_NONE);
    assert_int_equal(caps_missing(&caps, NEED_FREEZE), CAPS_PERFMON_NONE);

    struct caps_input named = skylake(); /* Skylake-Client: the signature alone makes no debug store and no LBR */
    named.leaf_1.ecx = 0xfffa3203 & ~(1u << 15);
    named.leaf_1.edx = 0x078bfbff & ~(1u << 21);
    named.leaf_a = (struct caps_leaf)LEAF(0, 0, 0, 0);
    named.perf_capabilities = (struct caps_msr){ .valid = false };
    named.misc_enable.value = 1;
    named.ds_area = CAPS_DIFFERS;
    named.debugctl_lbr = CAPS_DIFFERS;
    assert_missing(&named, NEED_BTS, CAPS_NO_DS_FLAG);
    assert_missing(&named, NEED_LBR, CAPS_LBR_DIFFERS);
}

/* KVM: the DS flag may be there, MISC_ENABLE has both unavailable bits set, IA32_DS_AREA raises #GP. */
static void a_virtual_machine_that_says_unavailable(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.ecx |= 1u << 31;
    input.misc_enable.value = 0x1881;
    input.ds_area = CAPS_RAISES_GP;
    struct caps caps = fill(&input);
    assert_true(caps.hypervisor);
    assert_int_equal(caps_missing(&caps, NEED_BTS), CAPS_BTS_UNAVAILABLE);
    assert_int_equal(caps_missing(&caps, NEED_BTS_CPL), CAPS_BTS_UNAVAILABLE);
    assert_int_equal(caps_missing(&caps, NEED_PEBS), CAPS_PEBS_UNAVAILABLE);
    assert_int_equal(caps_missing(&caps, NEED_EVENTING_IP), CAPS_PEBS_UNAVAILABLE);
    assert_int_equal(caps_missing(&caps, NEED_DS), CAPS_DS_AREA_RAISES_GP);
    assert_int_equal(caps_missing(&caps, NEED_LBR | NEED_PERFMON), CAPS_AVAILABLE);
    /* what others build on comes first */
    assert_int_equal(caps_missing(&caps, NEED_PEBS | NEED_BTS), CAPS_BTS_UNAVAILABLE);

    input.misc_enable.value = 0x0881; /* one of the two */
    input.ds_area = CAPS_HOLDS;
    assert_missing(&input, NEED_BTS, CAPS_BTS_UNAVAILABLE);
    assert_available(&input, NEED_DS | NEED_PEBS);
    input.misc_enable.value = 0x1081;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_UNAVAILABLE);
    assert_available(&input, NEED_DS | NEED_BTS);
}

static void each_reason_of_the_debug_store(void **state)
{
    static const uint64_t users[] = { NEED_DS, NEED_BTS, NEED_BTS_CPL, NEED_PEBS, NEED_EVENTING_IP, NEED_LOAD_LATENCY };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(users); i++) {
        struct caps_input input = skylake();
        input.leaf_1.edx &= ~(1u << 21);
        assert_missing(&input, users[i], CAPS_NO_DS_FLAG);

        input = skylake();
        input.misc_enable.valid = false;
        assert_missing(&input, users[i], CAPS_MISC_ENABLE_RAISES_GP);

        input = skylake();
        input.misc_enable.value &= ~UINT64_C(0x80);
        assert_missing(&input, users[i], CAPS_DS_NO_PERFMON_FLAG);

        input = skylake();
        input.ds_area = CAPS_DIFFERS;
        assert_missing(&input, users[i], CAPS_DS_AREA_DIFFERS);
        input.ds_area = CAPS_RAISES_GP;
        assert_missing(&input, users[i], CAPS_DS_AREA_RAISES_GP);
        input.ds_area = CAPS_NOT_TRIED;
        assert_missing(&input, users[i], CAPS_DS_AREA_NOT_TRIED);
    }

    struct caps_input input = skylake();
    input.leaf_1.ecx &= ~(1u << 4);
    assert_missing(&input, NEED_BTS_CPL, CAPS_NO_DS_CPL);
    assert_available(&input, NEED_ALL & ~(NEED_BTS_CPL | NEED_OTHERS));
}

static void each_reason_of_pebs(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.perf_capabilities.valid = false;
    assert_missing(&input, NEED_PEBS, CAPS_PERF_CAPABILITIES_RAISES_GP);
    assert_int_equal(fill(&input).pebs_format, CAPS_UNKNOWN);
    assert_int_equal(fill(&input).perf_capabilities, 0);
    assert_int_equal(fill(&input).ds_area_size, 0x1c0);
    assert_available(&input, NEED_DS | NEED_BTS);

    for (unsigned format = 4; format < 16; format++) {
        input = skylake();
        input.perf_capabilities.value = 0x30c5 | format << 8;
        assert_missing(&input, NEED_PEBS, CAPS_PEBS_FORMAT_UNKNOWN);
        assert_int_equal(fill(&input).pebs_format, format);
    }

    input = skylake();
    input.perf_capabilities.value = 0x31c5;
    assert_missing(&input, NEED_EVENTING_IP, CAPS_PEBS_NO_EVENTING_IP);
    assert_missing(&input, NEED_PEBS_TSC, CAPS_PEBS_NO_TSC);
    assert_available(&input, NEED_PEBS | NEED_DATA_ADDRESS);
    input.perf_capabilities.value = 0x32c5;
    assert_missing(&input, NEED_PEBS_TSC, CAPS_PEBS_NO_TSC);
    assert_available(&input, NEED_EVENTING_IP);
    assert_missing(&input, NEED_BTS_PREDICTED, CAPS_BTS_NO_PREDICTION);
    assert_missing(&input, NEED_PEBS_TAGGING, CAPS_PEBS_NOT_TAGGING);
    assert_missing(&input, NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_ADAPTIVE);
    assert_missing(&input, NEED_PEBS_FIXED, CAPS_PEBS_NOT_FIXED);

    input = skylake(); /* without PDCM there is no such register, even if a read of it gave something */
    input.leaf_1.ecx &= ~(1u << 15);
    assert_int_equal(fill(&input).pebs_format, 0);
    assert_int_equal(fill(&input).perf_capabilities, 0);
    assert_missing(&input, NEED_DATA_ADDRESS, CAPS_PEBS_NO_DATA_ADDRESS);
    assert_missing(&input, NEED_FREEZE, CAPS_NO_FREEZE);
}

static void each_reason_of_the_lbr(void **state)
{
    static const uint64_t users[] = { NEED_LBR, NEED_LBR_INFO, NEED_LBR_SELECT };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(users); i++) {
        struct caps_input input = skylake();
        input.leaf_0.ebx = 0;
        assert_missing(&input, users[i], CAPS_LBR_NOT_INTEL);
        assert_null(fill(&input).core);

        input = skylake();
        input.debugctl_lbr = CAPS_NOT_TRIED;
        assert_missing(&input, users[i], CAPS_LBR_NOT_TRIED);
        input.debugctl_lbr = CAPS_DIFFERS;
        assert_missing(&input, users[i], CAPS_LBR_DIFFERS);
        input.debugctl_lbr = CAPS_RAISES_GP;
        assert_missing(&input, users[i], CAPS_LBR_RAISES_GP);

        input = skylake();
        input.perf_capabilities.value = 0x33c8;
        assert_missing(&input, users[i], CAPS_LBR_FORMAT_UNKNOWN);
        input.perf_capabilities.valid = false;
        assert_missing(&input, users[i], CAPS_LBR_FORMAT_UNKNOWN);
        assert_int_equal(fill(&input).lbr_format, CAPS_UNKNOWN);
        input.leaf_1.ecx &= ~(1u << 15);
        assert_missing(&input, users[i], CAPS_LBR_FORMAT_UNKNOWN);

        input = skylake();
        input.leaf_7.edx |= 1u << 19;
        input.leaf_1c = (struct caps_leaf)LEAF(0x4000010b, 0x7, 0x7, 0);
        input.debugctl_lbr = CAPS_DIFFERS;
        assert_missing(&input, users[i], CAPS_ARCH_LBR_NOT_TRIED);
        input.arch_lbr_control = CAPS_DIFFERS;
        assert_missing(&input, users[i], CAPS_ARCH_LBR_DIFFERS);
        input.arch_lbr_control = CAPS_RAISES_GP;
        assert_missing(&input, users[i], CAPS_ARCH_LBR_RAISES_GP);
        input.arch_lbr_control = CAPS_HOLDS;
        assert_true(fill(&input).arch_lbr);
        assert_int_equal(fill(&input).arch_lbr_depths, 0x0b);
        input.leaf_1c.valid = false;
        assert_int_equal(fill(&input).arch_lbr_depths, 0);
        assert_missing(&input, users[i], CAPS_ARCH_LBR_NO_DEPTH);
    }

    struct caps_input input = skylake();
    input.perf_capabilities.value = 0x33c6; /* format 6 has its cycles in TO */
    assert_missing(&input, NEED_LBR_INFO, CAPS_LBR_NO_INFO);
    assert_available(&input, NEED_LBR | NEED_LBR_SELECT);
    input.perf_capabilities.value = 0x33c7;
    assert_available(&input, NEED_LBR_INFO);
}

static void each_reason_of_the_others(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.edx &= ~(1u << 9);
    assert_missing(&input, NEED_APIC, CAPS_NO_APIC);
    input = skylake();
    input.apic_base.valid = false;
    assert_missing(&input, NEED_APIC, CAPS_APIC_BASE_RAISES_GP);
    assert_int_equal(fill(&input).apic_base, 0);

    input = skylake();
    input.leaf_80000001.edx &= ~(1u << 29);
    assert_missing(&input, NEED_LONG_MODE, CAPS_NO_LONG_MODE);
    input = skylake(); /* a register that is not there cannot say trap-like: NetBurst is, all the same */
    input.leaf_1.ecx &= ~(1u << 15);
    assert_false(fill(&input).pebs_trap_like);
    input.leaf_1.eax = 0x00000f29;
    assert_true(fill(&input).pebs_trap_like);

    static const uint64_t users[] = { NEED_GLOBAL_CTRL, NEED_FREEZE };
    for (size_t i = 0; i < COUNT_OF(users); i++) {
        input = skylake();
        input.leaf_a.valid = false;
        assert_missing(&input, users[i], CAPS_NO_PERFMON_LEAF);
        input = skylake();
        input.leaf_a.eax = 0x07280201; /* Core Duo */
        assert_missing(&input, users[i], CAPS_PERFMON_VERSION);
        input = skylake();
        input.misc_enable.valid = false;
        assert_missing(&input, users[i], CAPS_MISC_ENABLE_RAISES_GP);
        input = skylake();
        input.misc_enable.value &= ~UINT64_C(0x80);
        assert_missing(&input, users[i], CAPS_NO_PERFMON_FLAG);
    }
}

static void perfmon_versions(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_a.eax = 0x07280201;
    struct caps caps = fill(&input);
    assert_int_equal(caps.perfmon_version, 1);
    assert_int_equal(caps.general_count, 2);
    assert_int_equal(caps.general_width, 40);
    assert_int_equal(caps.fixed_count, 0); /* EDX is defined from version 2 on */
    assert_int_equal(caps.fixed_width, 0);
    assert_int_equal(caps.freeze, CAPS_FREEZE_NONE);
    assert_int_equal(caps.pebs_counters, 0x3);

    static const enum caps_freeze freeze[] = { CAPS_FREEZE_LEGACY, CAPS_FREEZE_LEGACY, CAPS_FREEZE_STREAMLINED,
                                               CAPS_FREEZE_STREAMLINED };
    for (unsigned version = 2; version < 6; version++) {
        input.leaf_a.eax = 0x07300400 | version;
        assert_int_equal(fill(&input).freeze, freeze[version - 2]);
        assert_available(&input, NEED_FREEZE);
    }
    input.leaf_a.eax = 0x0730ff04; /* no processor has 255: no bit is taken away */
    assert_int_equal(fill(&input).pebs_counters, 0xf);
}

/* Every field of CPUID.0Ah with all of its neighbours\x27 nearest bits set, and every flag alone clear. */
static void fields_end_where_they_end(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_a.eax = 0xff310502;
    input.leaf_a.edx = 0xffffe623;
    struct caps caps = fill(&input);
    assert_int_equal(caps.perfmon_version, 2);
    assert_int_equal(caps.general_count, 5);
    assert_int_equal(caps.general_width, 49);
    assert_int_equal(caps.fixed_count, 3);
    assert_int_equal(caps.fixed_width, 49);

    input = skylake();
    input.leaf_1.eax = 0xf03506e3 | 1u << 28; /* the extended family counts for family 15 only */
    assert_int_equal(fill(&input).family, 6);
    input.leaf_1.eax = 0xfff0ff21;
    assert_int_equal(fill(&input).family, 0x10e);
    assert_int_equal(fill(&input).model, 2);
    input.leaf_1.eax = 0xf01f1f21;
    assert_int_equal(fill(&input).family, 0x10);
    assert_int_equal(fill(&input).model, 0xf2);

    input = skylake();
    input.leaf_1.ecx &= ~(1u << 21);
    assert_false(fill(&input).x2apic);
    input = skylake();
    input.leaf_80000001.edx &= ~(1u << 20);
    assert_false(fill(&input).nx);
    assert_true(fill(&input).long_mode);
    input.leaf_80000001.edx = ~(1u << 29);
    assert_true(fill(&input).nx);
    assert_false(fill(&input).long_mode);
    input.perf_capabilities.value = ~UINT64_C(0x2040);
    assert_false(fill(&input).pebs_trap_like);
    assert_false(fill(&input).full_width_write);
}

static void pebs_counters(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_a.eax = 0x07300804; /* eight counters, with hyper-threading off: PEBS on four */
    assert_int_equal(fill(&input).pebs_counters, 0xf);
    input.perf_capabilities.value = 0x30c5; /* the model\x27s row counts, not the format */
    assert_int_equal(fill(&input).pebs_counters, 0xf);
    input.leaf_a.eax = 0x07300204;
    assert_int_equal(fill(&input).pebs_counters, 0x3);
    input.leaf_a = (struct caps_leaf)LEAF(0, 0, 0, 0); /* no word about counters: the row again */
    assert_int_equal(fill(&input).pebs_counters, 0xf);

    input = skylake();
    input.leaf_1.eax = 0x000f0ff2; /* without a row: the format\x27s resets */
    input.leaf_a.eax = 0x07300804;
    assert_int_equal(fill(&input).pebs_counters, 0xf);
    input.perf_capabilities.value = 0x30c5;
    assert_int_equal(fill(&input).pebs_counters, 0x1);
    input.perf_capabilities.value = 0x3fc5; /* a format that is not decoded: nothing is claimed */
    assert_int_equal(fill(&input).pebs_counters, 0);
}

/* SDM Vol. 3B (253669-059), "64 Bit Format of the DS Save Area", 17.4.9.1: 64-bit with DTES64 or in IA-32e mode, else
 * 32-bit. */
static void width_of_the_ds_area(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct caps_input input = skylake();
        input.ia32e_active = (i & 1) != 0;
        if ((i & 2) == 0)
            input.leaf_1.ecx &= ~(1u << 2);
        struct caps caps = fill(&input);
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
        input.leaf_1.ecx &= ~(1u << 15); /* without IA32_PERF_CAPABILITIES it is format 0, in either width */
        assert_int_equal(fill(&input).pebs_record_size, i == 0 ? 40 : 144);
        assert_int_equal(caps.linear_bits, (i & 1) ? 48 : 32);
    }
}

static void small_things(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_80000002 = (struct caps_leaf)LEAF(0x20202020, 0x20202020, 0x65746e49, 0x2952286c);
    input.leaf_80000003 = (struct caps_leaf)LEAF(0x37692029, 0x3037362d, 0x50432030, 0x20402055);
    input.leaf_80000004 = (struct caps_leaf)LEAF(0x41414141, 0x41414141, 0x41414141, 0x41414141);
    assert_string_equal(fill(&input).brand, "Intel(R)) i7-6700 CPU @ AAAAAAAAAAAAAAAA");

    input = skylake(); /* all 48 characters in use, and blanks only */
    input.leaf_80000002 = input.leaf_80000003 = input.leaf_80000004 =
        (struct caps_leaf)LEAF(0x41414141, 0x41414141, 0x41414141, 0x41414141);
    assert_int_equal(strlen(fill(&input).brand), 48);
    input.leaf_80000002 = input.leaf_80000003 = input.leaf_80000004 =
        (struct caps_leaf)LEAF(0x20202020, 0x20202020, 0x20202020, 0x20202020);
    assert_string_equal(fill(&input).brand, "");

    input = skylake();
    input.leaf_80000003.valid = false; /* not half a name */
    assert_int_equal(strlen(fill(&input).brand), 16);
    input.leaf_80000008.valid = false;
    assert_int_equal(fill(&input).physical_bits, 36);
    input = skylake();
    input.leaf_80000008.eax = 0x392e; /* 57 bits of linear address, which take CR4.LA57 */
    assert_int_equal(fill(&input).physical_bits, 46);
    assert_int_equal(fill(&input).linear_bits, 48);

    struct caps_input nothing = { 0 };
    struct caps caps = fill(&nothing);
    assert_string_equal(caps.vendor, "");
    assert_int_not_equal(caps_missing(&caps, NEED_APIC), CAPS_AVAILABLE);
    assert_int_equal(caps.ds_width, 4);
}

static void texts(void **state)
{
    static const char *const known[CAPS_REASON_COUNT] = {
        [CAPS_AVAILABLE] = "available",
        [CAPS_NO_APIC] = "no local APIC: CPUID.1:EDX bit 9 clear",
        [CAPS_APIC_BASE_RAISES_GP] = "no local APIC: IA32_APIC_BASE cannot be read",
        [CAPS_APIC_UNUSABLE] = "no local APIC: it cannot be used in xAPIC mode",
        [CAPS_NO_LONG_MODE] = "no 64-bit addresses: CPUID.80000001H:EDX bit 29 clear",
        [CAPS_NO_PERFMON_LEAF] = "no performance monitoring: CPUID has no leaf 0Ah",
        [CAPS_PERFMON_NONE] = "no performance monitoring: CPUID.0AH:EAX has version 0",
        [CAPS_PERFMON_VERSION] = "no global counter control: CPUID.0AH:EAX version below 2",
        [CAPS_NO_FREEZE] = "no freeze on PMI: CPUID.1:ECX bit 15 clear",
        [CAPS_GLOBAL_CTRL_RAISES_GP] = "no performance monitoring: IA32_PERF_GLOBAL_CTRL cannot be written",
        [CAPS_COUNTER_RAISES_GP] = "no performance monitoring: IA32_PERFEVTSEL0 and IA32_PMC0 cannot be written",
        [CAPS_FREEZE_DEBUGCTL_RAISES_GP] = "no freeze on PMI: IA32_DEBUGCTL cannot be written",
        [CAPS_BTS_DEBUGCTL_RAISES_GP] = "no BTS: IA32_DEBUGCTL cannot be written",
        [CAPS_PEBS_ENABLE_RAISES_GP] = "no PEBS: IA32_PEBS_ENABLE cannot be written",
        [CAPS_LBR_STACK_RAISES_GP] = "no LBR: its stack cannot be read",
        [CAPS_MISC_ENABLE_RAISES_GP] = "no performance monitoring: IA32_MISC_ENABLE cannot be read",
        [CAPS_NO_PERFMON_FLAG] = "no performance monitoring: IA32_MISC_ENABLE bit 7 clear",
        [CAPS_NO_DS_FLAG] = "no DS: CPUID.1:EDX bit 21 clear",
        [CAPS_DS_NO_PERFMON_FLAG] = "no DS: IA32_MISC_ENABLE bit 7 clear",
        [CAPS_DS_AREA_NOT_TRIED] = "no DS: IA32_DS_AREA was not probed",
        [CAPS_DS_AREA_DIFFERS] = "no DS: IA32_DS_AREA does not read back what was written",
        [CAPS_DS_AREA_RAISES_GP] = "no DS: IA32_DS_AREA cannot be written",
        [CAPS_DS_NOT_32] = "no 32-bit DS area: with DTES64 or in IA-32e mode the layout is the 64-bit one",
        [CAPS_DS_NOT_64] = "no 64-bit DS area: without DTES64 and IA-32e mode the layout is the 32-bit one",
        [CAPS_BTS_UNAVAILABLE] = "no BTS: IA32_MISC_ENABLE bit 11 set",
        [CAPS_BTS_BITS_UNKNOWN] = "no BTS: the layout of IA32_DEBUGCTL is unknown for this processor model",
        [CAPS_NO_DS_CPL] = "no BTS by privilege level: CPUID.1:ECX bit 4 clear",
        [CAPS_BTS_NO_PREDICTION] = "no BTS prediction flag: this core does not define bit 4 of a record's flags",
        [CAPS_PEBS_UNAVAILABLE] = "no PEBS: IA32_MISC_ENABLE bit 12 set",
        [CAPS_PEBS_CORE_HAS_NONE] = "no PEBS: this core does not implement it",
        [CAPS_PEBS_METHOD_UNKNOWN] = "no PEBS: its programming is unknown for this processor model",
        [CAPS_PERF_CAPABILITIES_RAISES_GP] = "no PEBS: IA32_PERF_CAPABILITIES cannot be read",
        [CAPS_PEBS_FORMAT_UNKNOWN] = "no PEBS: record format unknown (IA32_PERF_CAPABILITIES bits 11:8)",
        [CAPS_PEBS_NO_COUNTER] = "no PEBS: no general counter is known to support it",
        [CAPS_PEBS_NO_DATA_ADDRESS] = "no data address: PEBS format 0 records have none",
        [CAPS_PEBS_NO_EVENTING_IP] = "no EventingIP: PEBS formats 0 and 1 have none",
        [CAPS_PEBS_NO_TSC] = "no time stamp: records of PEBS formats 0 to 2 have none",
        [CAPS_PEBS_NOT_TAGGING] = "no tagged uops: only NetBurst's PEBS samples them",
        [CAPS_PEBS_NOT_ADAPTIVE] = "no adaptive PEBS: IA32_PERF_CAPABILITIES bit 14 clear",
        [CAPS_PEBS_NOT_FIXED] = "no PEBS on fixed counters: IA32_PERF_CAPABILITIES bit 14 clear, or there are none",
        [CAPS_LOAD_LATENCY_UNKNOWN] = "no load latency: its event is unknown for this processor model",
        [CAPS_PEBS_ONE_COUNTER] = "no PEBS on general counters 1 to 3 of this core",
        [CAPS_NO_PRECISE_STORE] = "no precise store event on this processor model",
        [CAPS_NO_EVENT_INSTRUCTIONS] = "no precise event of all instructions without PREC_DIST on this processor model",
        [CAPS_NO_EVENT_PREC_DIST] = "no INST_RETIRED.PREC_DIST on this processor model",
        [CAPS_NO_EVENT_LOADS] = "no precise event of all loads on this processor model",
        [CAPS_NO_EVENT_STORES] = "no precise event of all stores on this processor model",
        [CAPS_NO_EVENT_BRANCHES] = "no precise event of all branches on this processor model",
        [CAPS_NO_EVENT_TAKEN] = "no precise event of taken branches on this processor model",
        [CAPS_NO_EVENT_NEAR_CALLS] = "no precise event of near calls on this processor model",
        [CAPS_NO_EVENT_ANY] = "no precise event is known for this processor model",
        [CAPS_LBR_NOT_INTEL] = "no LBR: not an Intel processor",
        [CAPS_ARCH_LBR_NOT_TRIED] = "no LBR: IA32_LBR_CTL was not probed",
        [CAPS_ARCH_LBR_DIFFERS] = "no LBR: IA32_LBR_CTL bit 0 does not stay set",
        [CAPS_ARCH_LBR_RAISES_GP] = "no LBR: IA32_LBR_CTL cannot be written",
        [CAPS_ARCH_LBR_NO_DEPTH] = "no LBR: CPUID.1CH:EAX lists no supported depth",
        [CAPS_LBR_MODEL_UNLISTED] = "no LBR: its depth is unknown for this processor model",
        [CAPS_LBR_FORMAT_UNKNOWN] = "no LBR: entry format unknown (IA32_PERF_CAPABILITIES bits 5:0)",
        [CAPS_LBR_NOT_TRIED] = "no LBR: IA32_DEBUGCTL was not probed",
        [CAPS_LBR_DIFFERS] = "no LBR: IA32_DEBUGCTL bit 0 does not stay set",
        [CAPS_LBR_RAISES_GP] = "no LBR: IA32_DEBUGCTL cannot be written",
        [CAPS_LBR_NO_TOS] = "no top of stack: architectural LBRs shift, entry 0 is always the newest",
        [CAPS_LBR_NO_INFO] = "no LBR cycles: no MSR_LBR_INFO_x, and CPUID.1CH:ECX bits 1:0 are not both set",
        [CAPS_LBR_NO_CALLSTACK] = "no LBR call stack: this core does not implement it",
        [CAPS_LBR_NOT_ARCHITECTURAL] = "no architectural LBRs: CPUID.7:EDX bit 19 clear",
        [CAPS_LBR_NO_SELECT] = "no LBR filter: neither MSR_LBR_SELECT nor CPUID.1CH:EBX bits 0 and 1",
    };

    (void)state;
    for (unsigned i = 0; i < CAPS_REASON_COUNT; i++)
        assert_string_equal(caps_reason_text((enum caps_reason)i), known[i]);
    assert_string_equal(caps_reason_text(CAPS_REASON_COUNT), "unknown reason");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skylake),
        cmocka_unit_test(perf_capabilities_33c5),
        cmocka_unit_test(models),
        cmocka_unit_test(families),
        cmocka_unit_test(second_levels),
        cmocka_unit_test(netburst),
        cmocka_unit_test(precise_events),
        cmocka_unit_test(adaptive_pebs),
        cmocka_unit_test(architectural_lbrs),
        cmocka_unit_test(an_unlisted_model),
        cmocka_unit_test(qemu_without_a_debug_store),
        cmocka_unit_test(a_virtual_machine_that_says_unavailable),
        cmocka_unit_test(each_reason_of_the_debug_store),
        cmocka_unit_test(each_reason_of_pebs),
        cmocka_unit_test(each_reason_of_the_lbr),
        cmocka_unit_test(each_reason_of_the_others),
        cmocka_unit_test(perfmon_versions),
        cmocka_unit_test(fields_end_where_they_end),
        cmocka_unit_test(pebs_counters),
        cmocka_unit_test(width_of_the_ds_area),
        cmocka_unit_test(small_things),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests_name("caps", tests, NULL, NULL);
}

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
#define NEED_OTHERS                                                                                                   \
    (NEED_BTS_PREDICTED | NEED_PEBS_ARCH | NEED_PEBS_TAGGING | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED | NEED_ARCH_LBR | \
     NEED_PRECISE_STORE | NEED_EVENT_INSTRUCTIONS | NEED_DS_32 | NEED_LBR_EVENTS | NEED_COUNTER_RELOAD)

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
    assert_int_equal(caps.msr_linear_bits, 48);
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
    assert_int_equal(caps.ds_area_format, 3);
    assert_int_equal(caps.pebs_record_size, 200);
    assert_int_equal(caps.pebs_record_most, 200);
    assert_int_equal(caps.pebs_form.width, 8);
    assert_int_equal(caps.pebs_form.format, 3);
    assert_int_equal(caps.pebs_form.lbr_format, 5);
    assert_false(caps.pebs_form.adaptive);
    assert_false(caps.pebs_form.retire_latency);
    assert_false(caps.pebs_form.cache_latency);
    assert_false(caps.pebs_baseline);
    assert_true(caps.global_ctrl);
    assert_int_equal(caps.second_level_kib, 1024);
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
        { 0x00400f10, 0x13, 0x01, 0, "Panther Cove" }, /* the families of now use the extended field */
        { 0x00300f10, 0x12, 0x01, 0, "Coyote Cove or Arctic Wolf" },
        { 0x00300f30, 0x12, 0x03, 0, "Coyote Cove or Arctic Wolf" },
        { 0x000a06f3, 6, 0xaf, 3, "Crestmont" },
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

/* What the core's row says of registers and PEBS arrives unchanged (test_cores.c holds the rows); a part it lacks is
 * said. */
static void what_the_core_says(void **state)
{
    static const uint32_t signatures[] = { 0x00000f29, 0x00000f43, 0x000006d8, 0x0001067a, 0x000106c2,
                                           0x000106a5, 0x000206a7, 0x000306c3, 0x000506e3, 0x00050654,
                                           0x000606a6, 0x00030678, 0x000506c9, 0x000706a1 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(signatures); i++) {
        struct caps_input input = skylake();
        input.leaf_1.eax = signatures[i];
        input.leaf_a.eax = 0x07300804;
        struct caps caps = fill(&input);
        const struct core *core = core_find(caps.family, caps.model);
        assert_ptr_equal(caps.core, core->name);
        assert_ptr_equal(caps.debugctl, core->debugctl);
        assert_int_equal(caps.bts_prediction, core->bts_prediction);
        assert_int_equal(caps.lbr_layout, core->lbr_layout);
        assert_int_equal(caps.lbr_depth, core->lbr_depth);
        assert_int_equal(caps.lbr_from, core->lbr_from);
        assert_int_equal(caps.lbr_to, core->lbr_to);
        assert_int_equal(caps.lbr_info, core->lbr_info);
        assert_int_equal(caps.lbr_tos, core->lbr_tos);
        assert_int_equal(caps.lbr_select, core->lbr_select);
        assert_int_equal(caps.lbr_filter, core->lbr_select != 0);
        assert_int_equal(caps.lbr_callstack, core->lbr_callstack);
        assert_int_equal(caps.lbr_select_jumps_quirk, core->lbr_select_jumps_quirk);
        assert_int_equal(caps.pebs_method, core->pebs_method);
        assert_int_equal(caps.pebs_counters, core->pebs_counters);
        assert_ptr_equal(caps.events, core->events ? core->events : &pebs_events_none);
        assert_int_equal(caps.load_latency_auxiliary, core->load_latency_auxiliary);
        assert_int_equal(caps.data_source, core->data_source);
        assert_int_equal(caps.pebs_form.reserved, core->pebs_reserved);
        assert_int_equal(caps.pebs_pdist_counters, core->pebs_pdist_counters);
        assert_int_equal(caps.second_level_kib, core->second_level_kib);
        assert_non_null(caps.notes);
        if (core->notes)
            assert_ptr_equal(caps.notes, core->notes);
        else
            assert_null(caps.notes[0]);
        if (!core->lbr_callstack)
            assert_int_equal(caps_missing(&caps, NEED_LBR_CALLSTACK), CAPS_LBR_NO_CALLSTACK);
    }
    struct caps_input input = skylake();
    input.leaf_1.eax = 0x000006d8;
    assert_missing(&input, NEED_BTS_CPL, CAPS_NO_DS_CPL);
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_CORE_HAS_NONE);
    assert_missing(&input, NEED_LBR_SELECT, CAPS_LBR_NO_SELECT);
}

/* Silvermont's records reserve the field of the data address; Goldmont's have it, and no more of memory. */
static void reserved_fields(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.perf_capabilities.value = 0x32c1;
    input.leaf_1.eax = 0x00030678;
    assert_missing(&input, NEED_DATA_ADDRESS, CAPS_PEBS_ADDRESS_RESERVED);
    assert_missing(&input, NEED_EVENTING_IP | NEED_EVENT_BRANCHES, CAPS_AVAILABLE);
    assert_missing(&input, NEED_LOAD_LATENCY, CAPS_LOAD_LATENCY_UNKNOWN);
    input.perf_capabilities.value = 0x30c1; /* format 0 has none anyway */
    assert_missing(&input, NEED_DATA_ADDRESS, CAPS_PEBS_NO_DATA_ADDRESS);
    input.perf_capabilities.value = 0x33c6;
    input.leaf_1.eax = 0x000506c9;
    assert_missing(&input, NEED_DATA_ADDRESS | NEED_PEBS_TSC | NEED_EVENT_LOADS | NEED_EVENT_INSTRUCTIONS,
                   CAPS_AVAILABLE);
    assert_missing(&input, NEED_LOAD_LATENCY, CAPS_LOAD_LATENCY_UNKNOWN);
    assert_missing(&input, NEED_PEBS_COUNTERS, CAPS_PEBS_ONE_COUNTER);
}

/* Where loads have a data source, tests look for it in rings that the second level cannot hold. */
static void second_levels(void **state)
{
    (void)state;
    for (unsigned family = 0; family <= 0x13; family++)
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
    assert_int_equal(caps.pebs_counters, 0xff);
    assert_int_equal(caps.pebs_record_size, 32); /* the basic group */
    assert_int_equal(caps.pebs_record_most, 32);
    assert_false(caps.pebs_form.adaptive);
    assert_available(&input, NEED_PEBS | NEED_EVENTING_IP | NEED_PEBS_TSC | NEED_PEBS_COUNTERS | NEED_EVENT_LOADS);
    assert_missing(&input, NEED_PEBS_REGISTERS, CAPS_PEBS_BASIC);
    assert_missing(&input, NEED_DATA_ADDRESS, CAPS_PEBS_BASIC);
    assert_missing(&input, NEED_LOAD_LATENCY, CAPS_PEBS_BASIC);
    assert_missing(&input, NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_ADAPTIVE);
    input.perf_capabilities.value = 0x74c5;
    assert_available(&input, NEED_PEBS_REGISTERS | NEED_DATA_ADDRESS);
    caps = fill(&input);
    assert_int_equal(caps.pebs_method, PEBS_METHOD_ADAPTIVE);
    assert_int_equal(caps.pebs_counters, 0xff);
    assert_int_equal(caps.pebs_fixed_counters, 0xf);
    assert_int_equal(caps.pebs_record_size, 32);
    assert_int_equal(caps.pebs_record_most, 1232);
    assert_int_equal(caps.load_latency_auxiliary, 0);
    assert_true(caps.pebs_baseline);
    assert_true(caps.pebs_form.adaptive);
    assert_false(caps.pebs_form.retire_latency);
    assert_int_equal(caps.pebs_form.format, 4);
    assert_int_equal(caps.ds_area_format, 4);
    assert_int_equal(caps.ds_area_size, 0xa0); /* 8 + 4 resets */
    assert_available(&input, NEED_PEBS | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED | NEED_LOAD_LATENCY);
    assert_false(caps.pebs_retire_latency);
    input.perf_capabilities.value = 0x274c5;
    assert_true(fill(&input).pebs_retire_latency);
    assert_true(fill(&input).pebs_form.retire_latency);
    assert_false(fill(&input).pebs_form.cache_latency); /* goes by the core, not by that bit */
    input.leaf_a.edx = 0x00008602;                      /* as many fixed counters as there are, or as have resets */
    assert_int_equal(fill(&input).pebs_fixed_counters, 0x3);
    input.leaf_a.edx = 0x00008606;
    assert_int_equal(fill(&input).pebs_fixed_counters, 0xf);
    input.leaf_a.edx = 0x00008600;
    assert_missing(&input, NEED_PEBS_FIXED, CAPS_PEBS_NOT_FIXED);
    input.perf_capabilities.value = 0x75c5;
    input.leaf_a.edx = 0x00008611;
    assert_int_equal(fill(&input).pebs_fixed_counters, 0xffff); /* 16 in formats 5 and 6 */
    input.perf_capabilities.value = 0x77c5;                     /* a format without a known area */
    assert_int_equal(fill(&input).pebs_fixed_counters, 0);
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_FORMAT_UNKNOWN);
    assert_int_equal(fill(&input).pebs_record_most, 0);
    assert_int_equal(fill(&input).ds_area_format, 6);
}

/*
 * KVM says by format 0 that it hands on no LBRs. So does a processor whose entries have 32 bits, without a hypervisor.
 */
static void lbrs_that_a_hypervisor_conceals(void **state)
{
    struct caps_input input = skylake();

    (void)state;
    input.perf_capabilities.value &= ~UINT64_C(0x3f);
    assert_available(&input, NEED_LBR);
    input.leaf_1.ecx |= 1u << 31;
    assert_missing(&input, NEED_LBR, CAPS_LBR_CONCEALED);
    assert_missing(&input, NEED_LBR_TOS, CAPS_LBR_CONCEALED);
    input.perf_capabilities.value |= 5;
    assert_available(&input, NEED_LBR);
    input.leaf_1.ecx &= ~(1u << 15); /* no IA32_PERF_CAPABILITIES: the core's own format */
    struct caps caps = fill(&input);
    assert_int_not_equal(caps_missing(&caps, NEED_LBR), CAPS_LBR_CONCEALED);
    input = skylake();
    input.leaf_1.eax = 0x000006ec; /* Core Duo: its own format is 0 */
    input.perf_capabilities.value = 0;
    input.leaf_1.ecx |= 1u << 31;
    assert_available(&input, NEED_LBR);
}

static void the_hypervisors_name(void **state)
{
    struct caps_input input = skylake();

    (void)state;
    input.leaf_40000000 = (struct caps_leaf)LEAF(0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d);
    assert_string_equal(fill(&input).hypervisor_name, ""); /* the leaf is another's without the flag */
    input.leaf_1.ecx |= 1u << 31;
    assert_string_equal(fill(&input).hypervisor_name, "KVMKVMKVM");
    input.leaf_40000000 = (struct caps_leaf)LEAF(0, 0x64636261, 0x68676665, 0x6c6b6a69);
    assert_string_equal(fill(&input).hypervisor_name, "abcdefghijkl");
    input.leaf_40000000.valid = false;
    assert_string_equal(fill(&input).hypervisor_name, "");
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

/* CPUID.1CH: each combination of its flags (SDM Vol. 3B (253669-081), "CPUID.1CH"). */
static void flags_of_architectural_lbrs(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags < 8; flags++) {
        struct caps_input input = skylake();
        input.leaf_7.edx |= 1u << 19;
        input.leaf_1c = (struct caps_leaf)LEAF(0xb, flags, 0, 0);
        assert_int_equal(fill(&input).lbr_filter, (flags & 3) == 3);
        assert_int_equal(fill(&input).lbr_callstack, flags >> 2);
        assert_int_equal(fill(&input).lbr_info, 0);
        assert_false(fill(&input).lbr_branch_type);
        input.leaf_1c = (struct caps_leaf)LEAF(0xb, 0, flags, 0);
        assert_int_equal(fill(&input).lbr_info, (flags & 3) == 3 ? 0x1200 : 0);
        assert_int_equal(fill(&input).lbr_branch_type, flags >> 2);
        assert_false(fill(&input).lbr_filter);
        assert_false(fill(&input).lbr_callstack);
    }
    for (unsigned bit = 0; bit < 9; bit++) { /* depths of 8 to 64 */
        struct caps_input input = skylake();
        input.leaf_7.edx |= 1u << 19;
        input.leaf_1c = (struct caps_leaf)LEAF(1u << bit, 0, 0, 0);
        assert_int_equal(fill(&input).lbr_depth, bit < 8 ? 8 * (bit + 1) : 0);
    }
}

/* Each bit of IA32_PERF_CAPABILITIES alone (SDM Vol. 3B (253669-081), "Layout of IA32_PERF_CAPABILITIES MSR"). */
static void bits_of_perf_capabilities(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        struct caps_input input = skylake();
        input.perf_capabilities.value = UINT64_C(1) << bit;
        struct caps caps = fill(&input);
        assert_int_equal(caps.lbr_format, bit < 6 ? 1u << bit : 0);
        assert_int_equal(caps.pebs_trap_like, bit == 6);
        assert_int_equal(caps.pebs_format, bit >= 8 && bit < 12 ? 1u << (bit - 8) : 0);
        assert_int_equal(caps.freeze_while_smm, bit == 12);
        assert_int_equal(caps.full_width_write, bit == 13);
        assert_int_equal(caps.pebs_baseline, bit == 14);
        assert_int_equal(caps.pebs_retire_latency, bit == 17);
    }
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

    /* Of one without architectural performance monitoring not even IA32_DEBUGCTL is known. */
    struct caps_input older = input;
    older.leaf_a.valid = false;
    assert_int_equal(fill(&older).debugctl->lbr, 0);
    assert_int_equal(fill(&older).debugctl->bts, 0);
    assert_int_equal(fill(&older).debugctl->tr, 0);
    assert_missing(&older, NEED_BTS, CAPS_BTS_BITS_UNKNOWN);
    assert_missing(&older, NEED_PEBS, CAPS_PEBS_METHOD_UNKNOWN);

    input.leaf_a.eax = 0x07300204; /* two general counters */
    caps = fill(&input);
    assert_int_equal(caps.pebs_counters, 0x3);
    input.leaf_a.eax = 0x07300004;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_NO_COUNTER);
}

/* Models that are still to come: families 6, 12h and 13h, by their registers alone. */
static void models_to_come(void **state)
{
    static const uint32_t signatures[] = { 0x000f0ff2, 0x00300f70, 0x00400fa0 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(signatures); i++) {
        struct caps_input input = skylake();
        input.leaf_1.eax = signatures[i];
        input.leaf_a = (struct caps_leaf)LEAF(0x07300a05, 0, 0xf, 0x8604);
        for (unsigned format = 4; format <= 5; format++) {
            input.perf_capabilities.value = 0x40c5 | format << 8;
            struct caps caps = fill(&input);
            assert_null(caps.core);
            assert_false(caps.core_known);
            assert_int_equal(caps_missing(&caps, NEED_BTS | NEED_PEBS | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED |
                                                     NEED_DATA_ADDRESS | NEED_EVENTING_IP | NEED_PEBS_TSC),
                             CAPS_AVAILABLE);
            assert_int_equal(caps_missing(&caps, NEED_EVENT_ANY), CAPS_NO_EVENT_ANY);
            assert_int_equal(caps.pebs_format, format);
            assert_int_equal(caps.pebs_counters, format == 4 ? 0xff : 0x3ff); /* as many as the area has resets */
            assert_int_equal(caps.pebs_fixed_counters, 0xf);
            assert_int_equal(caps.ds_area_size, format == 4 ? 0xa0 : 0x1c0);
            assert_int_equal(caps.pebs_record_size, 32);
            assert_int_equal(caps.pebs_record_most, 1232);
            assert_int_equal(caps.data_source, DATA_SOURCE_UNKNOWN);
            assert_int_equal(caps.pebs_pdist_counters, 0);
        }
        input.perf_capabilities.value = 0x3ec5; /* a format that nobody knows yet */
        assert_missing(&input, NEED_PEBS, CAPS_PEBS_FORMAT_UNKNOWN);
        assert_missing(&input, NEED_BTS, CAPS_AVAILABLE);
    }
}

/* Arrow Lake-H: format 5, 32 reset fields of general counters from 40h on, those of fixed ones from 140h on. */
static void format_5(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x000c0652;
    input.leaf_7.edx |= 1u << 15;
    input.leaf_a = (struct caps_leaf)LEAF(0x07300805, 0, 0x7, 0x8603);
    input.leaf_1a = (struct caps_leaf)LEAF(0x20000003, 0, 0, 0);
    input.perf_capabilities.value = 0x45c5;
    struct caps caps = fill(&input);
    assert_string_equal(caps.core, "Skymont");
    assert_int_equal(caps.pebs_method, PEBS_METHOD_ADAPTIVE);
    assert_int_equal(caps.pebs_form.format, 5);
    assert_int_equal(caps.ds_area_format, 5);
    assert_int_equal(caps.ds_area_size, 0x1c0);
    assert_int_equal(caps.pebs_counters, 0xff);
    assert_int_equal(caps.pebs_fixed_counters, 0x7);
    assert_int_equal(caps.pebs_record_size, 32);
    assert_int_equal(caps.pebs_record_most, 1232);
    assert_int_equal(caps.data_source, DATA_SOURCE_CRESTMONT);
    assert_int_equal(caps_missing(&caps, NEED_LOAD_LATENCY | NEED_EVENT_TAKEN | NEED_PEBS_ADAPTIVE), CAPS_AVAILABLE);
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
    assert_int_equal(fill(&input).ds_area_format, 6);
    assert_available(&input, NEED_DS | NEED_BTS);

    for (unsigned format = 7; format < 15; format++) {
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

/* Clearwater Forest: what Intel's tests expect of leaf 23h (intel/lkvs, BM/pmu, "bitmap_6"). */
static struct caps_input clearwater_forest(void)
{
    struct caps_input input = skylake();

    input.leaf_1.eax = 0x000d06d0;
    input.leaf_a = (struct caps_leaf)LEAF(0x07300806, 0, 0x77, 0x8603);
    input.leaf_7_1 = (struct caps_leaf)LEAF(1u << 8, 0, 0, 0);
    input.leaf_23 = (struct caps_leaf)LEAF(0x3f, 0x7, 0, 0);
    input.leaf_23_1 = (struct caps_leaf)LEAF(0xff, 0x77, 0, 0);
    input.leaf_23_4 = (struct caps_leaf)LEAF(0, 0x60020378, 0, 0);
    input.leaf_23_5 = (struct caps_leaf)LEAF(0x1ff, 0x103, 0x7f, 0x9);
    input.perf_capabilities.value = 0x2ffff;
    input.pebs_base = CAPS_HOLDS;
    return input;
}

static void architectural_pebs(void **state)
{
    struct caps_input input = clearwater_forest();
    struct caps caps = fill(&input);

    (void)state;
    assert_available(&input, NEED_PEBS | NEED_PEBS_ARCH | NEED_PEBS_REGISTERS | NEED_DATA_ADDRESS | NEED_EVENTING_IP |
                                 NEED_PEBS_TSC | NEED_PEBS_FIXED | NEED_PEBS_COUNTERS);
    assert_missing(&input, NEED_PEBS_AREA, CAPS_PEBS_NOT_AREA);
    assert_missing(&input, NEED_PEBS_ADAPTIVE, CAPS_PEBS_NOT_AREA);
    assert_missing(&input, NEED_PEBS_TAGGING, CAPS_PEBS_NOT_TAGGING);
    assert_int_equal(caps.pebs_method, PEBS_METHOD_ARCH);
    assert_int_equal(caps.pebs_format, 15);
    assert_int_equal(caps.pebs_form.format, 15);
    assert_int_equal(caps.pebs_form.width, 8);
    assert_int_equal(caps.pebs_form.lbr_format, 0x3f);
    assert_int_equal(caps.pebs_counters, 0xff); /* of those that exist */
    assert_int_equal(caps.pebs_pdist_counters, 0x3);
    assert_int_equal(caps.pebs_fixed_counters, 0x77);
    assert_int_equal(caps.pebs_pdist_fixed_counters, 0x1);
    assert_int_equal(caps.pebs_cfg_c, 0xe002037800000000); /* and the enable bit */
    assert_int_equal(caps.pebs_record_size, 64);
    /* header, basic, aux, registers, XSAVE header, XMM, LBR, 8 + 6 counters and two words */
    assert_int_equal(caps.pebs_record_most, 16 + 48 + 64 + 160 + 16 + 256 + 48 + 32 * 24 + 16 + 16 * 8);
    assert_int_equal(caps.ds_area_format, 6); /* BTS goes on */
    assert_available(&input, NEED_DS | NEED_BTS);

    input.leaf_1.edx &= ~(1u << 21); /* no debug store, and IA32_MISC_ENABLE bit 12 set: neither is asked */
    input.misc_enable.value |= 1u << 12;
    assert_available(&input, NEED_PEBS_ARCH);
    assert_missing(&input, NEED_DS, CAPS_NO_DS_FLAG);
    input.ia32e_active = false;
    input.leaf_1.ecx &= ~(1u << 2);
    assert_int_equal(fill(&input).ds_width, 4);
    assert_int_equal(fill(&input).pebs_form.width, 8);
    assert_available(&input, NEED_PEBS_ARCH);

    input = clearwater_forest();
    input.leaf_1.eax = 0x000f0ff2; /* a core that nobody knows: CPUID tells all */
    assert_available(&input, NEED_PEBS_ARCH);
    input.leaf_23_4.ebx = 0x40000000;
    assert_missing(&input, NEED_PEBS_REGISTERS, CAPS_PEBS_NO_GPRS);
    assert_available(&input, NEED_DATA_ADDRESS);
    input.leaf_23_4.ebx = 0x20000000;
    assert_missing(&input, NEED_DATA_ADDRESS, CAPS_PEBS_NO_AUX);
    assert_available(&input, NEED_PEBS_REGISTERS);
    assert_int_equal(fill(&input).pebs_record_most, 16 + 48 + 160);
    input.leaf_23_5 = (struct caps_leaf)LEAF(0, 0xff, 0, 0x7f);
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_NO_COUNTER);
    assert_int_equal(fill(&input).pebs_pdist_counters | fill(&input).pebs_pdist_fixed_counters, 0);
    input.leaf_23_5.eax = 0x1;
    assert_missing(&input, NEED_PEBS_FIXED, CAPS_PEBS_NOT_FIXED);
}

static void each_reason_of_architectural_pebs(void **state)
{
    struct caps_input input = clearwater_forest();

    (void)state;
    for (unsigned bit = 4; bit <= 5; bit++) {
        input.leaf_23.eax = 0x3f & ~(1u << bit);
        assert_missing(&input, NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
        assert_int_equal(fill(&input).pebs_cfg_c, 0);
    }
    input = clearwater_forest();
    input.leaf_1.eax = 0x000f0ff2;
    input.leaf_23.eax = 0x2f;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
    input.leaf_23.eax = 0x3f;
    input.leaf_23_4.valid = false;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
    input.leaf_23_4.valid = true;
    input.leaf_23_5.valid = false;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
    input.leaf_23_5.valid = true;
    input.leaf_7_1.eax = 0;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_ARCH_NO_LEAF);
    input.leaf_7_1.eax = 1u << 8;
    input.perf_capabilities.value = 0x2f7ff; /* leaf 23h alone does not make it architectural */
    assert_missing(&input, NEED_PEBS_ARCH, CAPS_PEBS_FORMAT_UNKNOWN);

    input = clearwater_forest();
    input.pebs_base = CAPS_NOT_TRIED;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_BASE_NOT_TRIED);
    input.pebs_base = CAPS_DIFFERS;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_BASE_DIFFERS);
    input.pebs_base = CAPS_RAISES_GP;
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_BASE_RAISES_GP);
    input.misc_enable.value &= ~(1u << 7);
    assert_missing(&input, NEED_PEBS, CAPS_NO_PERFMON_FLAG);
    input = skylake();
    assert_missing(&input, NEED_PEBS_ARCH, CAPS_PEBS_NOT_ARCH);
    assert_available(&input, NEED_PEBS_AREA);
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
        input.leaf_1c = (struct caps_leaf)LEAF(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
        input.leaf_1c.valid = false;
        const struct caps untold = fill(&input);
        assert_int_equal(untold.arch_lbr_depths, 0);
        assert_false(untold.lbr_filter || untold.lbr_callstack || untold.lbr_branch_type);
        assert_int_equal(untold.lbr_info, 0);
        assert_int_equal(untold.lbr_counters, 0);
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

    input.leaf_a.eax = 0x00c18502;
    input.leaf_a.edx = 0x00001ff1;
    assert_int_equal(fill(&input).general_width, 0xc1);
    assert_int_equal(fill(&input).general_count, 64); /* 0x85, of which a mask has so many */
    assert_int_equal(fill(&input).fixed_width, 0xff);
    assert_int_equal(fill(&input).fixed_count, 0x11);

    for (unsigned i = 0; i < 12; i++) { /* each character of the vendor's name */
        input = skylake();
        *(i < 4 ? &input.leaf_0.ebx : i < 8 ? &input.leaf_0.edx : &input.leaf_0.ecx) ^= 1u << 8 * (i % 4);
        assert_false(fill(&input).intel);
    }

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
        assert_int_equal(caps.msr_linear_bits, 48); /* a property of the processor, not of its mode */
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

    /* 5-level paging: the paging mode's addresses stay as they are, those that WRMSR takes are of 57 bits. */
    for (unsigned bit = 0; bit < 32; bit++) {
        input = skylake();
        input.leaf_7.ecx = 1u << bit;
        assert_int_equal(fill(&input).msr_linear_bits, bit == 16 ? 57 : 48);
        assert_int_equal(fill(&input).linear_bits, 48);
        input.leaf_7.valid = false;
        assert_int_equal(fill(&input).msr_linear_bits, 48);
    }
    input.leaf_80000001.edx &= ~(1u << 29); /* no long mode */
    assert_int_equal(fill(&input).msr_linear_bits, 32);

    struct caps_input nothing = { 0 };
    struct caps caps = fill(&nothing);
    assert_string_equal(caps.vendor, "");
    assert_int_not_equal(caps_missing(&caps, NEED_APIC), CAPS_AVAILABLE);
    assert_int_equal(caps.ds_width, 4);
}

/* All others mean that there is one: it is refused, or unknown. */
static void reasons_that_say_there_is_none(void **state)
{
    static const bool absent[CAPS_REASON_COUNT] = {
        [CAPS_NO_DS_FLAG] = true,       [CAPS_DS_NO_PERFMON_FLAG] = true, [CAPS_BTS_UNAVAILABLE] = true,
        [CAPS_PEBS_UNAVAILABLE] = true, [CAPS_PEBS_CORE_HAS_NONE] = true, [CAPS_LBR_NOT_INTEL] = true,
        [CAPS_LBR_CONCEALED] = true,    [CAPS_LBR_DIFFERS] = true,
    };

    (void)state;
    for (unsigned reason = 0; reason < CAPS_REASON_COUNT; reason++)
        assert_int_equal(caps_reason_absent((enum caps_reason)reason), absent[reason]);
}

/*
 * Fixed counters: a number up to version 4, which may conceal three of them; from version 5 on a bit for each as well.
 */
static void fixed_counters(void **state)
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
    struct caps_input input = skylake();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        input.leaf_a = (struct caps_leaf)LEAF(0x07300400 | rows[i].version, 0, rows[i].ecx, rows[i].edx);
        input.fixed_answers = rows[i].answers;
        struct caps caps = fill(&input);
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
    input.leaf_1.ecx |= 1u << 31; /* a hypervisor does not conceal, it has none */
    input.fixed_answers = 7;
    assert_int_equal(fill(&input).fixed_counters, 0);
}

/* Of a hybrid CPUID.0AH tells what cores of each kind have; CPUID.23H tells what this one has, and outweighs it. */
static void counters_of_hybrids(void **state)
{
    struct caps_input input = skylake();
    (void)state;
    input.leaf_1.eax = 0x000906a3;
    input.leaf_7.edx |= 1u << 15;
    input.leaf_a = (struct caps_leaf)LEAF(0x07300605, 0, 0x7, 0x8603);
    input.leaf_1a = (struct caps_leaf)LEAF(0x40000001, 0, 0, 0);
    input.perf_capabilities.value = 0x74c5;
    struct caps caps = fill(&input);
    assert_true(caps.hybrid);
    assert_int_equal(caps.core_type, 0x40);
    assert_int_equal(caps.native_model, 1);
    assert_string_equal(caps.core, "Golden Cove");
    assert_true(caps.core_known);
    assert_true(caps.pebs_form.cache_latency);
    assert_false(caps.pebs_form.retire_latency);
    assert_int_equal(caps.general_counters, 0x3f);
    assert_int_equal(caps.general_possible, 0xc0);
    assert_int_equal(caps.fixed_counters, 0x7);
    assert_int_equal(caps.fixed_possible, 0x8);
    assert_int_equal(caps.pebs_counters, 0x3f);

    input.leaf_1a.eax = 0x20000001;
    caps = fill(&input);
    assert_string_equal(caps.core, "Gracemont");
    assert_int_equal(caps.core_type, 0x20);
    assert_int_equal(caps.general_possible | caps.fixed_possible, 0); /* it has what all have */
    assert_int_equal(caps.general_counters, 0x3f);
    assert_true(caps.core_known);
    assert_true(caps.pebs_form.cache_latency);
    assert_int_equal(caps.pebs_method, PEBS_METHOD_ADAPTIVE); /* as its registers tell */
    assert_ptr_equal(caps.events, &pebs_events_gracemont);
    assert_int_equal(caps.data_source, DATA_SOURCE_GRACEMONT);
    assert_int_equal(caps.pebs_counters, 0x3f);
    input.leaf_1.eax = 0x000c0652; /* Arrow Lake-H: the native model id tells Skymont from Crestmont */
    input.leaf_1a.eax = 0x20000003;
    assert_string_equal(fill(&input).core, "Skymont");
    input.leaf_1a.eax = 0x20000002;
    assert_string_equal(fill(&input).core, "Crestmont");
    input.leaf_1a.eax = 0x40000003;
    assert_string_equal(fill(&input).core, "Lion Cove");
    input.leaf_1.eax = 0x000906a3;
    input.leaf_1a.valid = false;
    caps = fill(&input);
    assert_int_equal(caps.core_type | caps.native_model, 0);
    assert_int_equal(caps.general_possible, 0xc0);
    assert_string_equal(fill(&input).core, "Golden Cove or Gracemont");

    input.leaf_7_1 = (struct caps_leaf)LEAF(1u << 8, 0, 0, 0);
    input.leaf_23 = (struct caps_leaf)LEAF(0x3, 0, 0, 0);
    input.leaf_23_1 = (struct caps_leaf)LEAF(0xff, 0x77, 0, 0);
    caps = fill(&input);
    assert_true(caps.perfmon_extended);
    assert_int_equal(caps.general_counters, 0xff);
    assert_int_equal(caps.fixed_counters, 0x77);
    assert_int_equal(caps.general_count, 8);
    assert_int_equal(caps.fixed_count, 3);
    assert_int_equal(caps.pebs_fixed_counters, 0x7); /* of the four slots of format 4 */
    assert_int_equal(caps.general_possible | caps.fixed_possible, 0);
    input.leaf_23_1.eax = 0xfd; /* a gap */
    caps = fill(&input);
    assert_int_equal(caps.general_count, 1);
    assert_int_equal(caps.general_counters, 0xfd);

    input.leaf_23.eax = 0x1; /* no such sub-leaf */
    assert_int_equal(fill(&input).general_counters, 0x3f);
    input.leaf_23.eax = 0x2;
    input.leaf_7_1.eax = ~(1u << 8);
    assert_int_equal(fill(&input).general_counters, 0x3f);
    input.leaf_7_1 = (struct caps_leaf)LEAF(1u << 8, 0, 0, 0);
    assert_int_equal(fill(&input).general_counters, 0xfd);
    input.leaf_23_1.valid = false;
    assert_int_equal(fill(&input).general_counters, 0x3f);
    input.leaf_23_1.valid = true;
    input.leaf_7_1.valid = false;
    assert_int_equal(fill(&input).general_counters, 0x3f);
}

/*
 * Leaf 23h beside architectural PEBS, and what LBR entries can count: bits of counters that do not exist are dropped.
 */
static void extensions_of_counters(void **state)
{
    struct caps_input input = clearwater_forest();
    struct caps caps;

    (void)state;
    input.leaf_23_2 = (struct caps_leaf)LEAF(0x1fc, 0x7e, 0x2fb, 0x7d);
    caps = fill(&input);
    assert_int_equal(caps.reload_counters, UINT64_C(0x76000000fc));
    assert_int_equal(caps.reload_causes, UINT64_C(0x75000000fb));
    assert_available(&input, NEED_COUNTER_RELOAD);
    caps_take_counters(&caps, 0x8);
    assert_int_equal(caps.reload_counters, UINT64_C(0x76000000f4));
    assert_int_equal(caps.reload_causes, UINT64_C(0x75000000f3));
    assert_int_equal(caps_missing(&caps, NEED_COUNTER_RELOAD), CAPS_AVAILABLE);
    caps_take_counters(&caps, 0x1);
    assert_int_equal(caps_missing(&caps, NEED_COUNTER_RELOAD), CAPS_COUNTER_TAKEN);
    input.leaf_23_2.eax = input.leaf_23_2.ebx = 0;
    assert_missing(&input, NEED_COUNTER_RELOAD, CAPS_NO_COUNTER_RELOAD);
    input.leaf_23_2.ebx = 1;
    assert_available(&input, NEED_COUNTER_RELOAD);
    input.leaf_23_2.valid = false;
    assert_missing(&input, NEED_COUNTER_RELOAD, CAPS_NO_COUNTER_RELOAD);
    input.leaf_23_2.valid = true;
    input.leaf_23.eax &= ~0x4u;
    assert_missing(&input, NEED_COUNTER_RELOAD, CAPS_NO_COUNTER_RELOAD);
    assert_int_equal(fill(&input).reload_causes, 0);
    for (uint32_t flags = 0; flags < 8; flags++) {
        input.leaf_23.ebx = flags;
        caps = fill(&input);
        assert_int_equal(caps.unit_mask_2, flags & 1);
        assert_int_equal(caps.equal_flag, flags >> 1 & 1);
        assert_int_equal(caps.rdpmc_user_disable, flags >> 2);
    }
    input.leaf_7_1.valid = false; /* no leaf 23h */
    caps = fill(&input);
    assert_false(caps.unit_mask_2 || caps.equal_flag || caps.rdpmc_user_disable);

    input = clearwater_forest();
    input.leaf_7.edx |= 1u << 19;
    input.arch_lbr_control = CAPS_HOLDS;
    for (uint32_t counters = 0; counters < 16; counters++) {
        input.leaf_1c = (struct caps_leaf)LEAF(0xb, 7, counters << 16 | 0xfff00007, 0);
        assert_int_equal(fill(&input).lbr_counters, counters);
        assert_missing(&input, NEED_LBR_EVENTS, counters ? CAPS_AVAILABLE : CAPS_LBR_NO_EVENTS);
    }
    input.leaf_23_1.eax = 0x3; /* two general counters */
    caps = fill(&input);
    assert_int_equal(caps.lbr_counters, 0x3);
    caps_take_counters(&caps, 0x2);
    assert_int_equal(caps.lbr_counters, 0x1);
    assert_int_equal(caps_missing(&caps, NEED_LBR_EVENTS), CAPS_AVAILABLE);
    caps_take_counters(&caps, 0x1);
    assert_int_equal(caps_missing(&caps, NEED_LBR_EVENTS), CAPS_COUNTER_TAKEN);
    assert_int_equal(caps_missing(&caps, NEED_LBR | NEED_ARCH_LBR), CAPS_AVAILABLE);
    input.leaf_7.edx &= ~(1u << 19);
    assert_int_equal(fill(&input).lbr_counters, 0);
}

/*
 * A counter that somebody else uses. Those below it count, all others sample, and without the first there is nothing.
 */
static void taken_counters(void **state)
{
    struct caps_input input = skylake();
    struct caps caps = fill(&input);
    (void)state;
    caps_take_counters(&caps, 0);
    assert_int_equal(caps.counters_taken, 0);
    assert_int_equal(caps.general_count, 4);
    caps_take_counters(&caps, 0x4);
    assert_int_equal(caps.counters_taken, 0x4);
    assert_int_equal(caps.general_count, 2);
    assert_int_equal(caps.general_counters, 0xb);
    assert_int_equal(caps.general_possible, 0x4);
    assert_int_equal(caps.pebs_counters, 0xb);
    assert_int_equal(caps_missing(&caps, NEED_PERFMON | NEED_PEBS), CAPS_AVAILABLE);
    assert_int_equal(caps_missing(&caps, NEED_PEBS_COUNTERS), CAPS_PEBS_ONE_COUNTER);

    static const uint64_t gone[] = { NEED_PERFMON, NEED_GLOBAL_CTRL, NEED_FREEZE, NEED_PEBS, NEED_EVENT_ANY };
    static const uint64_t stay[] = {
        NEED_APIC, NEED_LONG_MODE, NEED_DS, NEED_DS_64, NEED_BTS, NEED_LBR, NEED_LBR_INFO
    };
    caps_take_counters(&caps, 0x1);
    assert_int_equal(caps.counters_taken, 0x5);
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        assert_int_equal(caps_missing(&caps, gone[i]), CAPS_COUNTER_TAKEN);
    for (size_t i = 0; i < COUNT_OF(stay); i++)
        assert_int_equal(caps_missing(&caps, stay[i]), CAPS_AVAILABLE);
    assert_int_equal(caps_missing(&caps, NEED_PEBS_ADAPTIVE), CAPS_PEBS_NOT_ADAPTIVE); /* the first reason stays */
}

static void microcode(void **state)
{
    struct caps_input input = skylake();
    struct caps caps = fill(&input);
    (void)state;
    assert_int_equal(caps.microcode, 0);
    assert_int_equal(caps.microcode_least, 0);
    input.bios_sign_id = (struct caps_msr)MSR(UINT64_C(0xf000000012));
    assert_int_equal(fill(&input).microcode, 0xf0);
    input.bios_sign_id.valid = false;
    assert_int_equal(fill(&input).microcode, 0);
    input.leaf_1.eax = 0x000206a7;
    assert_int_equal(fill(&input).microcode_least, 0x28);
    input.leaf_1.eax = 0x000206d6;
    assert_int_equal(fill(&input).microcode_least, 0x618);
    input.leaf_1.eax = 0x000206d5;
    assert_int_equal(fill(&input).microcode_least, UINT32_MAX);
}

/* Knights Landing says that its entries are bare addresses, and has the mispredict flag in them (Linux). */
static void lbr_of_knights_landing(void **state)
{
    static const uint32_t signatures[] = { 0x00050671, 0x00080650 };
    struct caps_input input = skylake();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(signatures); i++) {
        input.leaf_1.eax = signatures[i];
        for (unsigned format = 0; format < 64; format++) {
            input.perf_capabilities.value = format;
            assert_int_equal(fill(&input).lbr_format, format == 1 ? 3 : format);
        }
    }
    input.leaf_1.eax = 0x000506c9;
    input.perf_capabilities.value = 1;
    assert_int_equal(fill(&input).lbr_format, 1);
}

static void texts(void **state)
{
    static const char *const known[CAPS_REASON_COUNT] = {
        [CAPS_AVAILABLE] = "available",
        [CAPS_NO_APIC] = "no local APIC: CPUID.1:EDX bit 9 clear",
        [CAPS_APIC_BASE_RAISES_GP] = "no local APIC: IA32_APIC_BASE cannot be read",
        [CAPS_APIC_UNUSABLE] = "no local APIC: it cannot be used",
        [CAPS_NO_LONG_MODE] = "no 64-bit addresses: CPUID.80000001H:EDX bit 29 clear",
        [CAPS_NO_PERFMON_LEAF] = "no performance monitoring: CPUID has no leaf 0Ah",
        [CAPS_PERFMON_NONE] = "no performance monitoring: CPUID.0AH:EAX has version 0",
        [CAPS_PERFMON_VERSION] = "no global counter control: CPUID.0AH:EAX version below 2",
        [CAPS_NO_FREEZE] = "no freeze on PMI: CPUID.1:ECX bit 15 clear",
        [CAPS_GLOBAL_CTRL_RAISES_GP] = "no performance monitoring: IA32_PERF_GLOBAL_CTRL cannot be written",
        [CAPS_COUNTER_RAISES_GP] = "no performance monitoring: IA32_PERFEVTSEL0 and IA32_PMC0 cannot be written",
        [CAPS_COUNTER_TAKEN] =
            "no performance monitoring: IA32_PMC0 does not hold what is written, somebody else uses it",
        [CAPS_FREEZE_DEBUGCTL_RAISES_GP] = "no freeze on PMI: IA32_DEBUGCTL cannot be written",
        [CAPS_FREEZE_COUNTERS_RAISES_GP] = "no freeze of counters on PMI: IA32_DEBUGCTL bit 12 cannot be set",
        [CAPS_PEBS_BASIC] = "PEBS records have the basic group alone: IA32_PERF_CAPABILITIES bit 14 clear",
        [CAPS_BTS_DEBUGCTL_RAISES_GP] = "no BTS: IA32_DEBUGCTL cannot be written",
        [CAPS_PEBS_ENABLE_RAISES_GP] = "no PEBS: IA32_PEBS_ENABLE cannot be written",
        [CAPS_PEBS_INDEX_RAISES_GP] = "no PEBS: IA32_PEBS_INDEX cannot be written",
        [CAPS_PEBS_ARCH_NO_LEAF] = "no PEBS: it is architectural, and CPUID.23H:EAX bits 5:4 are not both set",
        [CAPS_PEBS_BASE_NOT_TRIED] = "no PEBS: IA32_PEBS_BASE was not probed",
        [CAPS_PEBS_BASE_DIFFERS] = "no PEBS: IA32_PEBS_BASE does not read back what was written",
        [CAPS_PEBS_BASE_RAISES_GP] = "no PEBS: IA32_PEBS_BASE cannot be written",
        [CAPS_PEBS_NOT_AREA] = "no PEBS in the DS area: it is architectural, with a buffer of its own",
        [CAPS_PEBS_NOT_ARCH] = "no architectural PEBS: not format 15",
        [CAPS_PEBS_NO_GPRS] = "PEBS records have no registers: CPUID.23H.4:EBX bit 29 clear",
        [CAPS_PEBS_NO_AUX] = "PEBS records have no data address: CPUID.23H.4:EBX bit 30 clear",
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
        [CAPS_PEBS_ADDRESS_RESERVED] = "no data address: its field is reserved in this core's PEBS records",
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
        [CAPS_LBR_CONCEALED] = "no LBR: the hypervisor hands on none (IA32_PERF_CAPABILITIES bits 5:0 are 0)",
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
        [CAPS_LBR_NO_EVENTS] = "no counts of events in LBR entries: CPUID.1CH:ECX bits 19 to 16 clear",
        [CAPS_NO_COUNTER_RELOAD] = "no auto counter reload: CPUID.23H.2 lists no counter",
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
        cmocka_unit_test(what_the_core_says),
        cmocka_unit_test(reserved_fields),
        cmocka_unit_test(second_levels),
        cmocka_unit_test(netburst),
        cmocka_unit_test(precise_events),
        cmocka_unit_test(adaptive_pebs),
        cmocka_unit_test(lbrs_that_a_hypervisor_conceals),
        cmocka_unit_test(the_hypervisors_name),
        cmocka_unit_test(architectural_lbrs),
        cmocka_unit_test(flags_of_architectural_lbrs),
        cmocka_unit_test(bits_of_perf_capabilities),
        cmocka_unit_test(an_unlisted_model),
        cmocka_unit_test(models_to_come),
        cmocka_unit_test(format_5),
        cmocka_unit_test(qemu_without_a_debug_store),
        cmocka_unit_test(a_virtual_machine_that_says_unavailable),
        cmocka_unit_test(each_reason_of_the_debug_store),
        cmocka_unit_test(each_reason_of_pebs),
        cmocka_unit_test(architectural_pebs),
        cmocka_unit_test(each_reason_of_architectural_pebs),
        cmocka_unit_test(extensions_of_counters),
        cmocka_unit_test(each_reason_of_the_lbr),
        cmocka_unit_test(each_reason_of_the_others),
        cmocka_unit_test(perfmon_versions),
        cmocka_unit_test(fields_end_where_they_end),
        cmocka_unit_test(pebs_counters),
        cmocka_unit_test(width_of_the_ds_area),
        cmocka_unit_test(small_things),
        cmocka_unit_test(reasons_that_say_there_is_none),
        cmocka_unit_test(fixed_counters),
        cmocka_unit_test(counters_of_hybrids),
        cmocka_unit_test(taken_counters),
        cmocka_unit_test(microcode),
        cmocka_unit_test(lbr_of_knights_landing),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests_name("caps", tests, NULL, NULL);
}

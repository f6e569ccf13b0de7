/* SPDX-License-Identifier: MIT */
/* Capabilities of every listed core, and for every possible value of a field of CPUID or of a register. */
#include "tests/host/unit_test.h"

#include "cpu/cores.h"
#include "tests/host/processors.h"

static struct caps fill(const struct caps_input *input)
{
    return caps_of(*input);
}

static void assert_missing(const struct caps_input *input, uint64_t needs, enum caps_reason reason)
{
    const struct caps caps = caps_of(*input);

    assert_int_equal(caps_missing(&caps, needs), reason);
}

UNIT_TEST(vendors)
{
    for (unsigned i = 0; i < 12; i++) {
        struct caps_input input = skylake_input();

        *(i < 4 ? &input.leaf_0.ebx : i < 8 ? &input.leaf_0.edx : &input.leaf_0.ecx) ^= 1u << 8 * (i % 4);
        assert_false(fill(&input).intel);
    }
}

/* The fields of a signature; test_cores.c has every model. */
UNIT_TEST(models)
{
    static const struct {
        uint32_t signature;
        unsigned family, model, stepping;
        const char *core;
    } known[] = {
        { 0x000506e3, 6, 0x5e, 3, "Skylake" },
        { 0x000106a5, 6, 0x1a, 5, "Nehalem" },
        { 0x00000f43, 15, 4, 3, "NetBurst" },
        { 0x000806f8, 6, 0x8f, 8, "Golden Cove" },
        { 0x00400f10, 0x13, 0x01, 0, "Panther Cove" }, /* new families use the extended field */
        { 0x00300f10, 0x12, 0x01, 0, "Coyote Cove" },  /* a hybrid's model, without its flag */
        { 0x00000683, 6, 0x08, 3, NULL },              /* Pentium III: no debug store at all */
        { 0x00000f51, 15, 5, 1, NULL },                /* never built */
        { 0x00a20f12, 0x19, 0x21, 2, NULL },           /* families from 15 on use the extended family */
        { 0x00000543, 5, 4, 3, NULL },
        { 0x00020572, 5, 7, 2, NULL }, /* families 6 and 15 use the extended model */
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct caps_input input = skylake_input();
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

/* Capabilities from the core's row that test_caps.c does not check. A missing part is reported. */
UNIT_TEST(values_of_the_core)
{
    static const uint32_t signatures[] = { 0x00000f29, 0x00000f43, 0x000006d8, 0x0001067a, 0x000106c2,
                                           0x000106a5, 0x000206a7, 0x000306c3, 0x000506e3, 0x00050654,
                                           0x000606a6, 0x00030678, 0x000506c9, 0x000706a1 };
    for (size_t i = 0; i < COUNT_OF(signatures); i++) {
        struct caps_input input = skylake_input();
        input.leaf_1.eax = signatures[i];
        input.leaf_a.eax = 0x07300804;
        struct caps caps = fill(&input);
        const struct core *core = core_find(caps.family, caps.model);
        assert_ptr_equal(caps.core, core->name);
        assert_ptr_equal(caps.debugctl, core->debugctl);
        assert_int_equal(caps.lbr_callstack, core->lbr_callstack);
        assert_int_equal(caps.lbr_select_jumps_quirk, core->lbr_select_jumps_quirk);
        assert_ptr_equal(caps.events, core->events ? core->events : &pebs_events_none);
        assert_int_equal(caps.pebs_form.reserved, core->pebs_reserved);
        assert_non_null(caps.notes);
        if (core->notes)
            assert_ptr_equal(caps.notes, core->notes);
        else
            assert_null(caps.notes[0]);
        if (!core->lbr_callstack)
            assert_int_equal(caps_missing(&caps, NEED_LBR_CALLSTACK), CAPS_LBR_NO_CALLSTACK);
    }
    struct caps_input input = skylake_input();
    input.leaf_1.eax = 0x000006d8;
    assert_missing(&input, NEED_BTS_CPL, CAPS_NO_DS_CPL);
    assert_missing(&input, NEED_PEBS, CAPS_PEBS_CORE_HAS_NONE);
    assert_missing(&input, NEED_LBR_SELECT, CAPS_LBR_NO_SELECT);
}

/* If loads have a data source, tests look for it in rings that do not fit into the second level. */
UNIT_TEST(second_levels)
{
    for (unsigned family = 0; family <= 0x13; family++)
        for (unsigned model = 0; model <= 0xff; model++) {
            const struct core *core = core_find(family, model);
            assert_int_equal(core->second_level_kib >= 256, core->data_source != DATA_SOURCE_UNKNOWN);
        }
}

/* CPUID.1CH: each combination of its flags (SDM Vol. 3B (253669-081), "CPUID.1CH"). */
UNIT_TEST(flags_of_architectural_lbrs)
{
    for (uint32_t flags = 0; flags < 8; flags++) {
        struct caps_input input = skylake_input();
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
        struct caps_input input = skylake_input();
        input.leaf_7.edx |= 1u << 19;
        input.leaf_1c = (struct caps_leaf)LEAF(1u << bit, 0, 0, 0);
        assert_int_equal(fill(&input).lbr_depth, bit < 8 ? 8 * (bit + 1) : 0);
    }
}

/* Each bit of IA32_PERF_CAPABILITIES alone (SDM Vol. 3B (253669-081), "Layout of IA32_PERF_CAPABILITIES MSR"). */
UNIT_TEST(bits_of_perf_capabilities)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        struct caps_input input = skylake_input();
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

/* Future models: families 6, 12h and 13h, by their registers alone. */
UNIT_TEST(future_models)
{
    static const uint32_t signatures[] = { 0x000f0ff2, 0x00300f70, 0x00400fa0 };
    for (size_t i = 0; i < COUNT_OF(signatures); i++) {
        struct caps_input input = skylake_input();
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
        input.perf_capabilities.value = 0x3ec5; /* an unknown format */
        assert_missing(&input, NEED_PEBS, CAPS_PEBS_FORMAT_UNKNOWN);
        assert_missing(&input, NEED_BTS, CAPS_AVAILABLE);
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
        input.leaf_1.ecx &= ~(1u << 15); /* without IA32_PERF_CAPABILITIES it is format 0, in both widths */
        assert_int_equal(fill(&input).pebs_record_size, i == 0 ? 40 : 144);
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
    input.leaf_1.ecx |= 1u << 31; /* under a hypervisor, no counters means that there are none */
    input.fixed_answers = 7;
    assert_int_equal(fill(&input).fixed_counters, 0);
}

/* Knights Landing reports entries of bare addresses, but they have the mispredict flag (Linux). */
UNIT_TEST(lbr_of_knights_landing)
{
    static const uint32_t signatures[] = { 0x00050671, 0x00080650 };
    struct caps_input input = skylake_input();
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

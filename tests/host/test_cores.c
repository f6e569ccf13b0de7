/* SPDX-License-Identifier: MIT */
/*
 * Each model has its core, and each row of cpu/cores.c equals what the manuals say about that core: its models, the
 * bits of register 1D9h, the LBR stack, how PEBS is programmed, and the errata that change it.
 */
#include "tests/host/unit_test.h"

#include "cpu/cores.h"
#include "cpu/errata.h"
#include "tests/host/intel_events.h"

/*
 * Models that Intel's map lacks. Older models and 06_5D: SDM Vol. 4 (335592-081), table 2-1; models listed without
 * details: Linux 6.19, arch/x86/include/asm/intel-family.h. 06_15 (EP80579) is a Pentium M by its CPUID, and 06_75 is
 * programmed as in Linux.
 */
static const struct {
    unsigned family, model;
    const char *core;
    bool named_only;
} others[] = {
    { 0x0f, 0x00, "NetBurst", false },     { 0x0f, 0x01, "NetBurst", false },
    { 0x0f, 0x02, "NetBurst", false },     { 0x0f, 0x03, "NetBurst", false },
    { 0x0f, 0x04, "NetBurst", false },     { 0x0f, 0x06, "NetBurst", false },
    { 0x06, 0x09, "Pentium M", false },    { 0x06, 0x0d, "Pentium M", false },
    { 0x06, 0x0e, "Core Duo", false },     { 0x06, 0x0f, "Core 2", false },
    { 0x06, 0x16, "Core 2", false },       { 0x06, 0x17, "Core 2", false },
    { 0x06, 0x1d, "Core 2", false },       { 0x06, 0x5d, "Silvermont", false },
    { 0x06, 0x15, "Pentium M", false },    { 0x06, 0x75, "Silvermont", false },
    { 0x06, 0x66, "Palm Cove", true },     { 0x06, 0x8a, "Sunny Cove or Tremont", true },
    { 0x06, 0x9d, "Sunny Cove", true },    { 0x06, 0xd7, "Raptor Cove", false },
    { 0x13, 0x01, "Panther Cove", false },
};

/* Every model of Intel's map has a row with more than a name. */
UNIT_TEST(mapped)
{
    for (size_t k = 0; k < COUNT_OF(intel_kinds); k++) {
        const struct intel_kind *const kind = &intel_kinds[k];

        for (const uint8_t *model = kind->models; *model; model++) {
            const struct core *const got = core_find_kind(kind->family, *model, kind->type, kind->native);

            if (!got->name || strcmp(kind->core, got->name) != 0 || got->named_only)
                fail_msg("%02x_%02x %s is %s%s", kind->family, *model, kind->folder,
                         got->name ? got->name : "not listed", got->named_only ? ", no more" : "");
        }
    }
}

static bool is_mapped(unsigned family, unsigned model)
{
    for (size_t k = 0; k < COUNT_OF(intel_kinds); k++)
        if (intel_kinds[k].family == family &&
            memchr(intel_kinds[k].models, (int)model, sizeof intel_kinds[k].models) && model)
            return true;
    return false;
}

UNIT_TEST(models)
{
    for (unsigned family = 0; family <= 0x14; family++)
        for (unsigned model = 0; model <= 0xff; model++) {
            const struct core *got = core_find(family, model);
            const char *want = NULL;
            bool named_only = false;

            if (is_mapped(family, model))
                continue;
            for (size_t i = 0; i < COUNT_OF(others); i++)
                if (others[i].family == family && others[i].model == model) {
                    want = others[i].core;
                    named_only = others[i].named_only;
                }
            if ((want == NULL) != (got->name == NULL) || (want && strcmp(want, got->name) != 0) ||
                got->named_only != named_only)
                fail_msg("%02x_%02x is %s, must be %s", family, model, got->name ? got->name : "not listed",
                         want ? want : "not listed");
        }
}

/* The row of the model, for a hybrid with an unknown kind of core, and for a processor that is not a hybrid. */
UNIT_TEST(kinds)
{
    assert_string_equal(core_find(6, 0x97)->name, "Golden Cove or Gracemont");
    assert_true(core_find(6, 0x97)->named_only);
    assert_ptr_equal(core_find_kind(6, 0x97, 0, 0), core_find(6, 0x97));
    assert_ptr_equal(core_find_kind(6, 0x97, 0x30, 1), core_find(6, 0x97));
    assert_ptr_equal(core_find_kind(6, 0xbf, 0x40, 1), core_find(6, 0x8f));
    assert_string_equal(core_find_kind(6, 0x8a, 0x40, 0)->name, "Sunny Cove");
    assert_string_equal(core_find_kind(6, 0x8a, 0x20, 0)->name, "Tremont");
    assert_true(core_find_kind(6, 0x8a, 0x20, 0)->named_only);
    assert_ptr_equal(core_find_kind(6, 0x5e, 0x40, 1), core_find(6, 0x5e));
    assert_ptr_equal(core_find_kind(6, 0xaa, 0x20, 2), core_find_kind(6, 0xc5, 0x20, 2));
    assert_string_equal(core_find(6, 0xaa)->name, "Redwood Cove or Crestmont");
    assert_string_equal(core_find(6, 0xc5)->name, "Lion Cove, Skymont or Crestmont");
    assert_true(core_find(0x12, 0x03)->named_only);

    /* The type does not distinguish Arrow Lake-H's two E-cores; an unknown ID is an unknown kind. */
    assert_ptr_equal(core_find_kind(6, 0xc5, 0x20, 1), core_find(6, 0xc5));
    assert_ptr_equal(core_find_kind(6, 0xc5, 0x20, 0), core_find(6, 0xc5));
    assert_string_equal(core_find_kind(6, 0xc6, 0x20, 0)->name, "Skymont");
}

/* Linux, arch/x86/events/intel/core.c, intel_snb_pebs_broken: 06_2A from 28h; 06_2D from 618h or 70Ch, by stepping. */
UNIT_TEST(microcode)
{
    static const struct {
        unsigned model, stepping;
        uint32_t least;
    } rows[] = {
        { 0x2a, 7, 0x28 },       { 0x2a, 6, UINT32_MAX }, { 0x2d, 6, 0x618 }, { 0x2d, 7, 0x70c },
        { 0x2d, 5, UINT32_MAX }, { 0x2d, 8, UINT32_MAX }, { 0x3a, 7, 0 },     { 0x1a, 5, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(core_microcode_least(core_find(6, rows[i].model), rows[i].model, rows[i].stepping),
                         rows[i].least);
}

/* SDM Vol. 3A (253668-032), "MSR_DEBUGCTLA MSR", "MSR_DEBUGCTLB MSR", "IA32_DEBUGCTL MSR". */
static const struct debugctl_bits netburst_debugctl = { 0x1, 0x4, 0x8, 0x10, 0x20, 0x40, 0, 0 };
static const struct debugctl_bits pentium_m_debugctl = { 0x1, 0x40, 0x80, 0x100, 0, 0, 0, 0 };
static const struct debugctl_bits core_debugctl = { 0x1, 0x40, 0x80, 0x100, 0x200, 0x400, 0x800, 0x1000 };

/*
 * LBR stacks: SDM Vol. 3B (253669-059), table 17-4 ("LBR Stack Size and TOS Pointer Range"), and the sections of each
 * core in "Last Branch, Call Stack, Interrupt, and Exception Recording"; call stacks "Haswell" and later. Counters of
 * PEBS: the sections of each core in "Performance Monitoring"; IA32_PMC0 alone on Core, Atom, and Knights Landing; from
 * Golden Cove on Intel's event lists, which also have the counters with precise distribution. The second level: the
 * largest of the core's models. Reserved fields: table 18-13 (Silvermont), and "PEBS Data Linear Address Profiling",
 * 18.7.1.1 (Goldmont). Encodings of data sources from Golden Cove on: Linux 7.1, arch/x86/events/intel/ds.c.
 */
static const struct lbr {
    enum lbr_layout layout;
    unsigned depth, from, to, info, tos, select, format;
    bool callstack;
} netburst_lbr = { LBR_LAYOUT_PACKED, 4, 0x1db, 0, 0, 0x1da, 0, 0, false },
  netburst64_lbr = { LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0, 0x1da, 0, 1, false },
  pentium_m_lbr = { LBR_LAYOUT_PACKED, 8, 0x40, 0, 0, 0x1c9, 0, 0, false },
  core_lbr = { LBR_LAYOUT_PAIRS, 4, 0x40, 0x60, 0, 0x1c9, 0, CAPS_UNKNOWN, false },
  bonnell_lbr = { LBR_LAYOUT_PAIRS, 8, 0x40, 0x60, 0, 0x1c9, 0, CAPS_UNKNOWN, false },
  silvermont_lbr = { LBR_LAYOUT_PAIRS, 8, 0x40, 0x60, 0, 0x1c9, 0x1c8, CAPS_UNKNOWN, false },
  goldmont_lbr = { LBR_LAYOUT_PAIRS, 32, 0x680, 0x6c0, 0, 0x1c9, 0x1c8, CAPS_UNKNOWN, true },
  knights_lbr = { LBR_LAYOUT_PAIRS, 8, 0x680, 0x6c0, 0, 0x1c9, 0x1c8, CAPS_UNKNOWN, false },
  nehalem_lbr = { LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0, 0x1c9, 0x1c8, CAPS_UNKNOWN, false },
  haswell_lbr = { LBR_LAYOUT_PAIRS, 16, 0x680, 0x6c0, 0, 0x1c9, 0x1c8, CAPS_UNKNOWN, true },
  skylake_lbr = { LBR_LAYOUT_PAIRS, 32, 0x680, 0x6c0, 0xdc0, 0x1c9, 0x1c8, CAPS_UNKNOWN, true },
  no_lbr = { LBR_LAYOUT_NONE, 0, 0, 0, 0, 0, 0, CAPS_UNKNOWN, false };

static const struct row {
    unsigned family, model;
    const struct lbr *lbr;
    uint64_t counters;
    enum data_source_encoding source;
    unsigned second_level_kib;
    unsigned type; /* of a hybrid's core; 0: not a hybrid */
    uint64_t pdist;
    unsigned auxiliary;
    enum pebs_reserved reserved;
} rows[] = {
    { 0x0f, 0x00, &netburst_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x0f, 0x02, &netburst_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x0f, 0x03, &netburst64_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x0f, 0x06, &netburst64_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x06, 0x0d, &pentium_m_lbr, 0, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x06, 0x0e, &pentium_m_lbr, 0, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x06, 0x17, &core_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x06, 0x1c, &bonnell_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x06, 0x37, &silvermont_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .reserved = PEBS_RESERVED_MEMORY },
    { 0x06, 0x5c, &goldmont_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .pdist = 0x1, .reserved = PEBS_RESERVED_SOURCE },
    { 0x06, 0x7a, &goldmont_lbr, 0xf, DATA_SOURCE_UNKNOWN, 0, .pdist = 0x1, .reserved = PEBS_RESERVED_SOURCE },
    { 0x06, 0x96, &skylake_lbr, 0xf, DATA_SOURCE_UNKNOWN, 0, .pdist = 0x1 },
    { 0x06, 0x57, &knights_lbr, 0x1, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
    { 0x06, 0x1a, &nehalem_lbr, 0xf, DATA_SOURCE_NEHALEM, 256, .type = 0 },
    { 0x06, 0x2e, &nehalem_lbr, 0xf, DATA_SOURCE_NEHALEM, 256, .type = 0 },
    { 0x06, 0x2c, &nehalem_lbr, 0xf, DATA_SOURCE_WESTMERE, 256, .type = 0 },
    { 0x06, 0x2a, &nehalem_lbr, 0xf, DATA_SOURCE_GENERIC, 256, .type = 0 },
    { 0x06, 0x3a, &nehalem_lbr, 0xf, DATA_SOURCE_GENERIC, 256, .type = 0 },
    { 0x06, 0x3c, &haswell_lbr, 0xf, DATA_SOURCE_GENERIC, 256, .type = 0 },
    { 0x06, 0x3d, &haswell_lbr, 0xf, DATA_SOURCE_GENERIC, 256, .type = 0 },
    { 0x06, 0x5e, &skylake_lbr, 0xf, DATA_SOURCE_SKYLAKE, 1024, .type = 0 },
    { 0x06, 0x55, &skylake_lbr, 0xf, DATA_SOURCE_SKYLAKE, 1024, .type = 0 },
    { 0x06, 0x6a, &skylake_lbr, 0xff, DATA_SOURCE_SKYLAKE, 1280, .type = 0 },
    { 0x06, 0x8f, &no_lbr, 0xff, DATA_SOURCE_GOLDEN_COVE, 2048, .pdist = 0x1, .auxiliary = 0x8203 },
    { 0x06, 0xcf, &no_lbr, 0xff, DATA_SOURCE_GOLDEN_COVE, 2048, .pdist = 0x1, .auxiliary = 0x8203 },
    { 0x06, 0xd7, &no_lbr, 0xff, DATA_SOURCE_GOLDEN_COVE, 2048, .pdist = 0x1, .auxiliary = 0x8203 },
    { 0x06, 0xad, &no_lbr, 0xff, DATA_SOURCE_GOLDEN_COVE, 2048, .pdist = 0x1 },
    { 0x06, 0xc6, &no_lbr, 0x3ff, DATA_SOURCE_LION_COVE, 3072, .type = 0x40, .pdist = 0x3 },
    { 0x06, 0xcc, &no_lbr, 0x3ff, DATA_SOURCE_LION_COVE, 3072, .type = 0x40, .pdist = 0x3 },
    { 0x12, 0x01, &no_lbr, 0xff, DATA_SOURCE_PANTHER_COVE, 4096, .type = 0x40, .pdist = 0x3 },
    { 0x13, 0x01, &no_lbr, 0xff, DATA_SOURCE_PANTHER_COVE, 4096, .pdist = 0x3 },
    { 0x06, 0xbe, &no_lbr, 0x3f, DATA_SOURCE_GRACEMONT, 4096, .pdist = 0x1 },
    { 0x06, 0xaf, &no_lbr, 0xff, DATA_SOURCE_CRESTMONT, 4096, .pdist = 0x3 },
    { 0x06, 0xbd, &no_lbr, 0xff, DATA_SOURCE_CRESTMONT, 4096, .type = 0x20, .pdist = 0x3 },
    { 0x06, 0xdd, &no_lbr, 0xff, DATA_SOURCE_CRESTMONT, 4096, .pdist = 0x3 },
    { 0x12, 0x03, &no_lbr, 0xff, DATA_SOURCE_ARCTIC_WOLF, 4096, .type = 0x20, .pdist = 0x3 },
    { 0x06, 0xff, &no_lbr, 0, DATA_SOURCE_UNKNOWN, 0, .type = 0 },
};

UNIT_TEST(registers)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *want = &rows[i];
        const struct core *got = core_find_kind(want->family, want->model, want->type, 0);

        assert_memory_equal(got->debugctl,
                            want->family == 0xf           ? &netburst_debugctl
                            : want->lbr == &pentium_m_lbr ? &pentium_m_debugctl
                                                          : &core_debugctl,
                            sizeof core_debugctl);
        assert_int_equal(got->lbr_layout, want->lbr->layout);
        assert_int_equal(got->lbr_depth, want->lbr->depth);
        assert_int_equal(got->lbr_from, want->lbr->from);
        assert_int_equal(got->lbr_to, want->lbr->to);
        assert_int_equal(got->lbr_info, want->lbr->info);
        assert_int_equal(got->lbr_tos, want->lbr->tos);
        assert_int_equal(got->lbr_select, want->lbr->select);
        assert_int_equal(got->lbr_format, want->lbr->format);
        assert_int_equal(got->lbr_callstack, want->lbr->callstack);
        assert_int_equal(got->pebs_method, want->family == 0xf ? PEBS_METHOD_NETBURST
                                           : want->counters    ? PEBS_METHOD_GENERAL
                                                               : PEBS_METHOD_NONE);
        assert_int_equal(got->pebs_counters, want->counters);
        assert_int_equal(got->data_source, want->source);
        assert_int_equal(got->second_level_kib, want->second_level_kib);
        assert_int_equal(got->load_latency_auxiliary, want->auxiliary);

        assert_int_equal(got->pebs_pdist_counters, want->pdist);
        assert_int_equal(got->pebs_reserved, want->reserved);
        assert_int_equal(got->cache_latency, want->lbr == &no_lbr && want->counters);

        /* Errata of Nehalem and Westmere; the LBR format of Knights Landing, which it does not report. */
        const bool nehalem = got->data_source == DATA_SOURCE_NEHALEM || got->data_source == DATA_SOURCE_WESTMERE;
        assert_int_equal(got->prime_counters, nehalem);
        assert_int_equal(got->lbr_select_jumps_quirk, nehalem);
        assert_int_equal(got->lbr_says_lip, want->model == 0x57);

        /* Bit 4 of BTS flags: errata SKL088, KBL054, CML054. */
        assert_int_equal(got->bts_prediction, want->family == 0xf || want->model == 0x5e || want->model == 0x55);

        /* Only NetBurst has trap-like records, and counters of 40 bits without a CPUID leaf. */
        assert_int_equal(got->pebs_trap_like, want->family == 0xf);
        assert_int_equal(got->counter_width, want->family == 0xf ? 40 : 0);
    }
}

/*
 * The folders whose lists name an erratum of these counts (github.com/intel/perfmon, August 2026, field "Errata" of
 * BR_INST_RETIRED.ALL_BRANCHES and NEAR_CALL, and of INST_RETIRED.ANY_P; MTL013 of all BR_INST_RETIRED, HSD76 of
 * MEM_UOPS_RETIRED.LOCK_LOADS, BDM100 of MEM_LOAD_UOPS_RETIRED.L3_MISS). Grand Ridge has Sierra Forest's core.
 */
UNIT_TEST(errata_of_counts)
{
    static const struct {
        unsigned erratum;
        const char *folders;
    } want[] = {
        { HAS_ERRATUM(SRF6), "SRF MTL-E ARL-LP GRR" },    { HAS_ERRATUM(HSD140), "HSW HSX BDW BDX BDW-DE" },
        { HAS_ERRATUM(SKL091), "SKL SKX CLX" },           { HAS_ERRATUM(MTL013), "MTL-E ARL-LP" },
        { HAS_ERRATUM(HSD76), "HSW HSX BDW BDX BDW-DE" }, { HAS_ERRATUM(BDM100), "BDW BDX BDW-DE" },
    };

    for (size_t k = 0; k < COUNT_OF(intel_kinds); k++) {
        const struct intel_kind *kind = &intel_kinds[k];
        const struct core *got = core_find_kind(kind->family, kind->models[0], kind->type, kind->native);

        for (size_t i = 0; i < COUNT_OF(want); i++)
            if (intel_has_word(want[i].folders, kind->folder) != ((got->errata & want[i].erratum) != 0))
                fail_msg("%s: erratum %x", kind->folder, want[i].erratum);
    }
}

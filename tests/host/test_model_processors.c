/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of processors, and what their CPUID and registers have that test_model_facts.c cannot compare with measured
 * values: what depends on QEMU's answer, leaves that the facts lack, and registers that do not exist.
 * test_model_events.c compares events with Intel's lists; boots compare the rest with the kernel's tables.
 */
#include "tests/host/model_machine.h"

#include <inttypes.h>

UNIT_TEST(list)
{
    static const char narrow[] = "netburst pentium-m core-duo ";
    unsigned count = 0;

    for (const char *name; (name = profile_name(count)) != NULL; count++) {
        char word[32];

        snprintf(word, sizeof(word), "%s ", name);
        assert_ptr_equal(profile_find(name), profile_at(count));
        assert_ptr_equal(profile_brand(count), profile_at(count)->brand);
        assert_int_equal(profile_width(count), strstr(narrow, word) != NULL ? 32 : 64);
    }
    assert_in_range(count, 30, 100);
    assert_null(profile_at(count));
    assert_null(profile_brand(count));
    assert_int_equal(profile_width(count), 0);
    assert_null(profile_find("nosuch"));
}

/*
 * All kinds of a processor's cores share these values, and each block of code, which they share, has one slot for a
 * branch.
 */
UNIT_TEST(kinds_of_cores)
{
    unsigned further = 0;

    for (unsigned i = 0; profile_at(i) != NULL; i++) {
        const struct profile *const first = profile_at(i), *p;
        unsigned kind = 0;

        assert_ptr_equal(profile_kind(first, 0), first);
        for (; (p = profile_kind(first, kind)) != NULL; kind++) {
            assert_ptr_equal(p->kinds, first->kinds);
            assert_ptr_equal(p->name, first->name);
            assert_ptr_equal(p->brand, first->brand);
            assert_int_equal(p->microcode, first->microcode);
            assert_int_equal(p->predictor_slots, first->predictor_slots);
            assert_true((p->core != NULL) == (first->kinds != NULL));
            for (unsigned other = 0; first->kinds != NULL && other < kind; other++)
                assert_int_not_equal(p->letter, profile_kind(first, other)->letter);
        }
        assert_true(kind <= PROFILE_KINDS);
        assert_true(first->kinds == NULL ? kind == 1 : kind > 1);
        assert_null(profile_kind(first, kind + 1));
        further += kind - 1;
    }
    /* The E-cores of Alder, Raptor, Meteor, Lunar, Panther and Nova Lake, and Arrow Lake-H's two kinds. */
    assert_int_equal(further, 8);
}

/* Leaf 15H: QEMU's crystal is 1 GHz. Processors before Skylake lack the leaf. */
UNIT_TEST(clock)
{
    static const struct {
        const char *profile;
        uint64_t hz;
        uint32_t regs[4];
    } of[] = {
        { "skylake", 2394567890, { 1399, 3350, 1000000000, 0 } },
        { "goldmont", 1000000000, { 1, 1, 1000000000, 0 } },
        { "clearwaterforest", 0, { 0 } },
        { "clearwaterforest", 1, { 1, 0, 1000000000, 0 } },
        { "broadwell", 2394567890, { 5, 6, 7, 8 } },
    };
    for (unsigned i = 0; i < COUNT_OF(of); i++) {
        struct machine *m = machine_of(of[i].profile);
        uint32_t regs[4] = { 5, 6, 7, 8 };

        m->tsc_hz = of[i].hz;
        cpuid_read(&m->v, 0x15, 0, regs);
        assert_memory_equal(regs, of[i].regs, sizeof(regs));
    }
}

/* Leaf 4, in addition to what test_model_facts.c compares: QEMU says how caches are shared, if its -cpu has such a
 * leaf. */
UNIT_TEST(caches)
{
    static const struct {
        const char *profile;
        uint32_t subleaf, regs[4];
    } of[] = {
        { "skylake", 0, { 0x121, 0x1c0003f, 0x3f, 0 } },
        { "skylake", 4, { 0 } },
        { "core2", 2, { 0x143, 0x5c0003f, 0xfff, 1 } },
    };
    for (unsigned i = 0; i < COUNT_OF(of); i++) {
        for (unsigned shared = 0; shared < 2; shared++) {
            struct machine *m = machine_of(of[i].profile);
            uint32_t regs[4] = { shared ? 0x1c03c163 : 0, 5, 6, 7 }, want[4];

            memcpy(want, of[i].regs, sizeof(want));
            want[0] |= shared && want[0] ? 0x1c03c000 : 0;
            cpuid_read(&m->v, 4, of[i].subleaf, regs);
            assert_memory_equal(regs, want, sizeof(want));
        }
    }
}

/* Which leaf of QEMU's answers: leaf 1FH is leaf 0BH, and the processor's last cache is QEMU's third. */
UNIT_TEST(asked)
{
    static const struct {
        const char *profile;
        uint32_t leaf, subleaf, of_qemu, its_subleaf;
    } of[] = {
        { "skylake", 4, 0, 4, 0 },         { "skylake", 4, 1, 4, 1 },
        { "skylake", 4, 2, 4, 2 },         { "skylake", 4, 3, 4, 3 },
        { "skylake", 4, 4, 4, 4 },         { "skylake", 2, 2, 2, 2 },
        { "core2", 4, 1, 4, 1 },           { "core2", 4, 2, 4, 3 },
        { "core2", 4, 3, 4, 3 },           { "netburst64", 4, 0, 4, 0 },
        { "netburst64", 4, 1, 4, 3 },      { "netburst64", 4, 0xffffffff, 4, 0xffffffff },
        { "alderlake", 0x1f, 1, 0x0b, 1 }, { "alderlake", 0x1e, 1, 0x1e, 1 },
    };
    for (unsigned i = 0; i < COUNT_OF(of); i++) {
        uint32_t leaf = of[i].leaf, subleaf = of[i].subleaf;

        cpuid_ask(&machine_of(of[i].profile)->v, &leaf, &subleaf);
        assert_int_equal(leaf, of[i].of_qemu);
        assert_int_equal(subleaf, of[i].its_subleaf);
    }
}

#define KEPT 0xffffffff

/*
 * The model's result if QEMU's answer has no bit (`least`) or every bit (`most`). Sources: public CPUID dumps of these
 * parts (InstLatX64; for 0F_04 VirtualBox's CPU database).
 */
UNIT_TEST(leaves)
{
    static const struct {
        const char *profile;
        uint32_t leaf, subleaf, least[4], most[4];
    } rows[] = {
        { "netburst", 0x00, 0, { 2, 0x756e6547, 0x6c65746e, 0x49656e69 }, { 2, 0x756e6547, 0x6c65746e, 0x49656e69 } },
        { "netburst", 0x02, 0, { 0x665b5001, 0, 0, 0x7b7040 }, { 0x665b5001, 0, 0, 0x7b7040 } },
        { "netburst64", 0x02, 0, { 0x605b5001, 0, 0, 0x7d7040 }, { 0x605b5001, 0, 0, 0x7d7040 } },
        { "netburst64", 0x80000006, 0, { 0, 0, 0x8006040, 0 }, { 0, 0, 0x8006040, 0 } },
        { "netburst64", 0x80000008, 0, { 0x3024, 0, 0, 0 }, { 0x3024, 0, 0, 0 } },
        { "pentium-m", 0x02, 0, { 0x2b3b001, 0xf0, 0, 0x2c04307d }, { 0x2b3b001, 0xf0, 0, 0x2c04307d } },
        { "core-duo", 0x80000008, 0, { 0x2000, 0, 0, 0 }, { 0x2020, 0, 0, 0 } },
        { "core2", 0x02, 0, { 0xff01, 0, 0, 0 }, { 0xff01, 0, 0, 0 } }, /* see leaf 4 */
        { "core2", 0x0b, 0, { 0 }, { 0 } },
        { "core2", 0x80000000, 0, { 0x80000008, 0, 0, 0 }, { 0x80000008, 0, 0, 0 } },
        { "core2", 0x80000008, 0, { 0x3000, 0, 0, 0 }, { 0x3024, 0, 0, 0 } },
        { "haswell", 0x80000008, 0, { 0x3000, 0, 0, 0 }, { 0x3027, 0, 0, 0 } },
        { "skylake",
          0x80000002,
          0,
          { 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865 },
          { 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865 } },
        { "skylake", 0x0e, 0, { 0 }, { 0 } },
        { "icelake",
          0x07,
          0,
          { 0, 2, 0, 0 },
          { KEPT, KEPT, KEPT, 0xfff77fff } }, /* neither architectural LBR nor hybrid */
        { "icelake", 0x07, 1, { 0 }, { 0xfffffeff, KEPT, KEPT, KEPT } },
        { "icelake", 0x1b, 0, { 0 }, { 0 } },
        { "icelake", 0x80000008, 0, { 0x3900, 0, 0, 0 }, { 0x39ff, 0, 0, 0 } },
        { "alderlake", 0x07, 0, { 0, 2, 0, 0x88000 }, { KEPT, KEPT, 0xfffeffff, KEPT } }, /* no 5-level paging */
        { "alderlake", 0x80000001, 0, { 0 }, { 0, 0, 0x121, 0x2c100800 } },
        { "goldmont", 0x0e, 0, { 0 }, { 0 } },
        { "sierraforest", 0x07, 1, { 0x100, 0, 0, 0 }, { KEPT, KEPT, KEPT, KEPT } }, /* leaf 23H */
        { "clearwaterforest", 0x01, 0, { 0xd06d1, 0, 0x8014, 0x200000 }, { 0xd06d1, KEPT, KEPT, KEPT } },
        { "clearwaterforest", 0x07, 0, { 1, 2, 0, 0x80000 }, { 1, KEPT, KEPT, KEPT } },
        { "clearwaterforest", 0x0a, 0, { 0x0d300806, 0x80, 0x77, 0x8603 }, { 0x0d300806, 0x80, 0x77, 0x8603 } },
        { "clearwaterforest", 0x23, 4, { 0, 0x60060338, 0, 0 }, { 0, 0x60060338, 0, 0 } },
    };

    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i / 2].profile);
        const uint32_t *expected = i % 2 ? rows[i / 2].most : rows[i / 2].least;
        uint32_t regs[4];

        memset(regs, i % 2 ? 0xff : 0, sizeof(regs));
        cpuid_read(&m->v, rows[i / 2].leaf, rows[i / 2].subleaf, regs);
        if (memcmp(regs, expected, sizeof(regs)) != 0)
            fail_msg("%s: leaf %x.%x is %x %x %x %x", rows[i / 2].profile, rows[i / 2].leaf, rows[i / 2].subleaf,
                     regs[0], regs[1], regs[2], regs[3]);
    }
}

/* Leaves above the last answer like the last; those of a hypervisor are QEMU's. */
UNIT_TEST(last_leaves)
{
    struct machine *m = machine_of("skylake");

    assert_int_equal(cpuid_leaf(&m->v, 0x16), 0x16);
    assert_int_equal(cpuid_leaf(&m->v, 0x17), 0x16);
    assert_int_equal(cpuid_leaf(&m->v, 0x80000008), 0x80000008);
    assert_int_equal(cpuid_leaf(&m->v, 0x80000009), 0x16);
    assert_int_equal(cpuid_leaf(&m->v, 0x40000017), 0x40000017);
}

/* Features that QEMU's -cpu must have. */
UNIT_TEST(features)
{
    static const struct {
        const char *profile;
        uint32_t leaf;
        unsigned reg, bit;
        const char *name; /* NULL: not needed */
        bool firmware;
    } rows[] = {
        { "pentium-m", 0x01, 3, 5, "MSRs", false },
        { "pentium-m", 0x01, 3, 6, NULL, false },
        { "core2", 0x01, 3, 6, "physical address extension", false },
        { "core2", 0x01, 3, 9, "a local APIC", true },
        { "core2", 0x80000001, 3, 20, "the no-execute bit", true },
        { "core2", 0x80000001, 3, 29, "long mode", false },
        { "core2", 0x07, 2, 16, NULL, false },
        { "icelake", 0x07, 2, 16, "5-level paging", false },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t regs[4] = { KEPT, KEPT, KEPT, KEPT };
        const struct profile_feature *missing;

        regs[rows[i].reg] &= ~(UINT32_C(1) << rows[i].bit);
        missing = cpuid_missing_feature(&machine_of(rows[i].profile)->v, rows[i].leaf, regs);
        assert_true((missing == NULL) == (rows[i].name == NULL));
        if (missing != NULL) {
            assert_string_equal(missing->name, rows[i].name);
            assert_int_equal(missing->firmware, rows[i].firmware);
        }
    }
}

#define B(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define OVERFLOWS    (B(62, 58) | UINT64_C(1) << 55) /* OvfBuf, uncore, ASCI, CTR_Frz, LBR_Frz, trace PMI */
#define SELECT       (B(47, 40) | B(36, 36) | B(31, 22) | B(20, 20) | B(18, 0))
#define CFG_C        (B(63, 61) | B(50, 49) | B(41, 40) | B(37, 35) | B(31, 0))

/*
 * Processors that msr_facts.h does not have: the bits that WRMSR accepts, and of these the bits that it drops; the
 * value after a reset. Only registers that boots do not compare bit by bit. Sources: SDM Vol. 4 (335592-083),
 * "Model-Specific Registers (MSRs)", and Vol. 3B of the same edition; Clearwater Forest: Linux 6.19
 * (arch/x86/events/intel/core.c, asm/perf_event.h), reserved bits of Intel's KVM for guests with architectural PEBS.
 */
UNIT_TEST(registers)
{
    static const struct {
        const char *profiles;
        uint32_t first, count, stride;
        uint64_t accepted, dropped, reset;
    } rows[] = {
        { "icelake goldencove alderlake alderlake/E goldmont sierraforest", 0x1a0, 1, 1, 0x4400d51889, 0x1880,
          0x850089 },
        { "goldmont", 0x1d9, 1, 1, 0x5fc3, 0, 0 },
        { "icelake", 0x1d9, 1, 1, 0xdfc3, 0, 0 },
        { "goldencove alderlake alderlake/E sierraforest clearwaterforest", 0x1d9, 1, 1, 0xdfc3, 1, 0 },
        { "icelake", 0x345, 1, 1, 0, 0, 0xf4c5 },
        { "goldencove alderlake", 0x345, 1, 1, 0, 0, 0xf4ff },
        { "alderlake/E", 0x345, 1, 1, 0, 0, 0x74ff },
        { "goldmont", 0x345, 1, 1, 0, 0, 0x33c6 },
        { "sierraforest", 0x345, 1, 1, 0, 0, 0x274ff },
        /* counters */
        { "goldmont", 0x186, 4, 1, 0xfff7ffff, 0, 0 },
        { "icelake goldencove alderlake", 0x186, 8, 1, 0x4fff7ffff, 1 << 21, 0 },
        { "alderlake/E", 0x186, 6, 1, 0x4fff7ffff, 1 << 21, 0 },
        { "sierraforest", 0x186, 4, 1, 0xcfff7ffff, 1 << 21, 0 },
        { "sierraforest", 0x18a, 4, 1, 0x4fff7ffff, 1 << 21, 0 },
        { "clearwaterforest", 0x186, 4, 1, SELECT | B(35, 35) | 1 << 21, 1 << 21, 0 },
        { "clearwaterforest", 0x18a, 4, 1, SELECT | 1 << 21, 1 << 21, 0 },
        { "goldmont", 0x38d, 1, 1, 0xfff, 0, 0 },
        { "alderlake/E sierraforest", 0x38d, 1, 1, 0x11100000fff, 0x444, 0 },
        { "icelake goldencove alderlake", 0x38d, 1, 1, 0x11110000ffff, 0x4444, 0 },
        { "clearwaterforest", 0x38d, 1, 1, 0x0fff0fff, 0x04440444, 0 }, /* fixed counters 0 to 2 and 4 to 6 */
        { "goldmont", 0x38f, 1, 1, 0x70000000f, 0, 0xf },
        { "alderlake/E", 0x38f, 1, 1, 0x70000003f, 0, 0x3f },
        { "sierraforest", 0x38f, 1, 1, 0x7000000ff, 0, 0xff },
        { "clearwaterforest", 0x38f, 1, 1, 0x77000000ff, 0, 0xff },
        { "icelake goldencove alderlake", 0x38f, 1, 1, 0x1000f000000ff, 0, 0xff },
        { "goldmont", 0x390, 1, 1, B(63, 63) | OVERFLOWS | 0x70000000f, 0, 0 },
        { "goldmont", 0x391, 1, 1, OVERFLOWS | 0x70000000f, 0, 0 },
        { "alderlake/E", 0x390, 1, 1, B(63, 63) | OVERFLOWS | 0x70000003f, 0, 0 },
        { "alderlake/E", 0x391, 1, 1, OVERFLOWS | 0x70000003f, 0, 0 },
        { "sierraforest", 0x390, 1, 1, B(63, 63) | OVERFLOWS | 0x7000000ff, 0, 0 },
        { "sierraforest", 0x391, 1, 1, OVERFLOWS | 0x7000000ff, 0, 0 },
        { "icelake goldencove alderlake", 0x390, 1, 1, B(63, 63) | OVERFLOWS | 0x1000f000000ff, 0, 0 },
        { "icelake goldencove alderlake", 0x391, 1, 1, OVERFLOWS | 0x1000f000000ff, 0, 0 },
        { "goldmont icelake sierraforest", 0x392, 1, 1, 0, 0, 0 }, /* no counter is in use */
        /* PEBS */
        { "goldmont", 0x3f1, 1, 1, 1, 0, 0 },
        { "icelake goldencove alderlake", 0x3f1, 1, 1, 0xf000000ff, 0, 0 },
        { "alderlake/E", 0x3f1, 1, 1, 0x70000003f, 0, 0 },
        { "sierraforest", 0x3f1, 1, 1, 0x7000000ff, 0, 0 },
        { "icelake goldencove alderlake alderlake/E sierraforest", 0x3f2, 1, 1, B(31, 24) | 0xf, 0, 0 },
        { "icelake goldencove alderlake alderlake/E sierraforest clearwaterforest", 0x3f6, 1, 1, B(15, 0), 0, 0 },
        { "icelake goldencove alderlake", 0x3f7, 1, 1, B(23, 0), 0, 0 },
        { "clearwaterforest", 0x3f5, 1, 1, B(58, 36) | B(32, 31) | B(26, 4), 0, 0 },
        { "clearwaterforest", 0x1901, 4, 4, SELECT | B(35, 35) | 1 << 21, 1 << 21, 0 },
        { "clearwaterforest", 0x1911, 4, 4, SELECT | 1 << 21, 1 << 21, 0 },
        { "clearwaterforest", 0x1902, 2, 4, 0, 0, 0 },
        { "clearwaterforest", 0x190a, 6, 4, 0x3000000fc, 0, 0 }, /* reloads of counters 2 to 7, fixed ones 0 and 1 */
        { "clearwaterforest", 0x1982, 2, 4, 0x3000000fc, 0, 0 },
        { "clearwaterforest", 0x1903, 8, 4, CFG_C, 0, 0 },
        { "clearwaterforest", 0x1983, 3, 4, CFG_C, 0, 0 },
        { "clearwaterforest", 0x1993, 3, 4, CFG_C, 0, 0 },
        /* LBR stacks */
        { "icelake goldmont", 0x1c8, 1, 1, B(9, 0), 0, 0 },
        { "icelake", 0xdc0, 32, 1, B(63, 61) | B(15, 0), 0, 0 },
        { "goldencove alderlake alderlake/E sierraforest clearwaterforest", 0x14ce, 1, 1, 0x7f000f, 0, 0 },
        { "goldencove alderlake alderlake/E sierraforest clearwaterforest", 0x14cf, 1, 1, ~UINT64_C(0), 0, 32 },
        { "goldencove alderlake alderlake/E", 0x1200, 32, 1, ~UINT64_C(0), B(55, 16), 0 },
        { "sierraforest clearwaterforest", 0x1200, 32, 1, ~UINT64_C(0), B(55, 40) | B(31, 16), 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char profiles[100], *name = profiles;

        snprintf(profiles, sizeof(profiles), "%s", rows[i].profiles);
        for (char *end = name; end != NULL; name = end + 1) {
            end = strchr(name, ' ');
            if (end != NULL)
                *end = '\0';
            struct machine *m = machine_of(name);

            for (unsigned n = 0; n < rows[i].count; n++) {
                const uint32_t address = rows[i].first + n * rows[i].stride;
                const struct profile_msr *msr = profile_find_msr(profile_named(name), address);

                assert_non_null(msr);
                assert_int_equal(rdmsr(m, address), rows[i].reset);
                if ((msr->writable | msr->ignored) != rows[i].accepted || msr->ignored != rows[i].dropped)
                    fail_msg("%s: WRMSR %x accepts %" PRIx64 " and drops %" PRIx64, name, address,
                             msr->writable | msr->ignored, msr->ignored);
            }
            if (end == NULL)
                break;
        }
    }
}

/* Registers that a processor lacks although a relative has them, so RDMSR and WRMSR raise #GP even if QEMU has them. */
UNIT_TEST(absent_registers)
{
    static const struct {
        const char *profile;
        uint32_t first, last;
    } rows[] = {
        { "netburst", 0x0c1, 0x0c8 },     { "netburst", 0x38d, 0x392 },         { "netburst", 0x680, 0x68f },
        { "pentium-m", 0x300, 0x311 },    { "core-duo", 0x309, 0x30b },         { "core2", 0x680, 0x69f },
        { "core2", 0x4c1, 0x4c8 },        { "nehalem", 0x3f2, 0x3f2 },          { "skylake", 0x040, 0x047 },
        { "skylake", 0x0c5, 0x0c8 },      { "skylake", 0x14ce, 0x14cf },        { "icelake", 0x1500, 0x151f },
        { "goldencove", 0x1c8, 0x1c9 },   { "goldencove", 0x680, 0x69f },       { "alderlake/E", 0x0c7, 0x0c8 },
        { "sierraforest", 0x30c, 0x30c }, { "clearwaterforest", 0x3f1, 0x3f2 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        uint64_t value;

        for (uint32_t address = rows[i].first; address <= rows[i].last; address++)
            if (engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS) != MSR_GP || try_write(m, address, 0) != MSR_GP)
                fail_msg("%s has register %x", rows[i].profile, address);
    }
}

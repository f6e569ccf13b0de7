/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUID and MSRs of the processors against independent facts: a table for each subject, with a letter or a row for each
 * processor. A processor must not have what a table does not name. Clearwater Forest has its own file.
 * test_model_events.c compares events with Intel's lists; boots compare the rest with the kernel's tables.
 */
#include "tests/host/model_machine.h"

#include <inttypes.h>

#include "model/engine/msr.h"
#include "tests/host/msr_facts.h"

/* The processors' columns in the tables below. */
static const char columns[] = "WXMD2NSHBKIGAELF";
static const char *const column_names[] = { "netburst",  "netburst64",  "pentium-m",   "core-duo",
                                            "core2",     "nehalem",     "sandybridge", "haswell",
                                            "broadwell", "skylake",     "icelake",     "goldencove",
                                            "alderlake", "alderlake/E", "goldmont",    "sierraforest" };

/* The letters of processors with more CPUID leaves than QEMU; of additional kinds of cores. */
static const char long_leaves[] = "KIGAELF", kinds[] = "E";

static bool is_in(const char *letters, unsigned i)
{
    return strchr(letters, columns[i]) != NULL;
}

static const struct profile *processor(unsigned i)
{
    const struct profile *p = profile_named(column_names[i]);

    assert_non_null(p);
    return p;
}

UNIT_TEST(by_release)
{
    unsigned count = 0;

    for (unsigned i = 0; i < COUNT_OF(column_names); i++) {
        assert_non_null(processor(i));
        if (is_in(kinds, i))
            continue;
        while (profile_name(count) != NULL && strcmp(profile_name(count), column_names[i]) != 0)
            count++; /* a processor without a column */
        assert_non_null(profile_name(count));
        assert_ptr_equal(profile_at(count), processor(i));
        assert_ptr_equal(profile_brand(count), processor(i)->brand);
        assert_int_equal(profile_width(count), strchr("WMD", columns[i]) != NULL ? 32 : 64);
        count++;
    }
    while (profile_name(count) != NULL) {
        assert_ptr_equal(profile_find(profile_name(count)), profile_at(count));
        count++;
    }
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
    /* And the E-cores of Raptor, Meteor, Lunar, Panther and Nova Lake, and Arrow Lake-H's two kinds. */
    assert_int_equal(further, strlen(kinds) + 7);
}

#define KEPT 0xffffffff

/*
 * The model's result if QEMU's answer has every bit (`most`) or none (`least`, if different). A row with ANY_SUBLEAF
 * applies to all subleaves. Sources: public CPUID dumps of these parts (InstLatX64; for 0F_04 VirtualBox's CPU
 * database), with the bits that depend on the machine: OSXSAVE, hypervisor, HTT.
 */
#define ANY_SUBLEAF (-1)

static const struct {
    char letter;
    uint32_t leaf;
    int subleaf;
    uint32_t most[4], least[4];
} leaves[] = {
    { 'W', 0x02, ANY_SUBLEAF, { 0x665b5001, 0, 0, 0x7b7040 }, { 0x665b5001, 0, 0, 0x7b7040 } },
    { 'X', 0x02, ANY_SUBLEAF, { 0x605b5001, 0, 0, 0x7d7040 }, { 0x605b5001, 0, 0, 0x7d7040 } },
    { 'M', 0x02, ANY_SUBLEAF, { 0x2b3b001, 0xf0, 0, 0x2c04307d }, { 0x2b3b001, 0xf0, 0, 0x2c04307d } },
    { '2', 0x0b, ANY_SUBLEAF, { 0 }, { 0 } },
    { 'X', 0x03, ANY_SUBLEAF, { 0 }, { 0 } },
    { 'X', 0x05, ANY_SUBLEAF, { 0x40, 0x40, 0, 0 }, { 0x40, 0x40, 0, 0 } },
    { 'X', 0x80000005, ANY_SUBLEAF, { 0 }, { 0 } },
    { 'X', 0x80000006, ANY_SUBLEAF, { 0, 0, 0x8006040, 0 }, { 0, 0, 0x8006040, 0 } },
    { 'X', 0x80000007, ANY_SUBLEAF, { 0 }, { 0 } },
    { 'X', 0x80000008, ANY_SUBLEAF, { 0x3024, 0, 0, 0 }, { 0x3024, 0, 0, 0 } },
    { 'I', 0x01, ANY_SUBLEAF, { 0x606a6, KEPT, KEPT, KEPT }, { 0x606a6, 0, 0x8014, 0x200000 } },
    { 'I', 0x07, 0, { KEPT, KEPT, KEPT, 0xfff77fff }, { 0, 2 } }, /* neither architectural LBR nor hybrid */
    { 'I', 0x07, 1, { 0xfffffeff, KEPT, KEPT, KEPT }, { 0 } },
    { 'I', 0x80000001, ANY_SUBLEAF, { 0, 0, 0x121, 0x2c100800 }, { 0 } },
    { 'G', 0x01, ANY_SUBLEAF, { 0x806f8, KEPT, KEPT, KEPT }, { 0x806f8, 0, 0x8014, 0x200000 } },
    { 'G', 0x07, 0, { KEPT, KEPT, KEPT, 0xffff7fff }, { 0, 2, 0, 0x80000 } }, /* architectural LBR */
    { 'G', 0x07, 1, { 0xfffffeff, KEPT, KEPT, KEPT }, { 0 } },
    { 'G', 0x80000001, ANY_SUBLEAF, { 0, 0, 0x121, 0x2c100800 }, { 0 } },
    /* Alder Lake: both kinds report the counters that both have (Linux, intel_pmu_init()); no 5-level paging; hybrid */
    { 'A', 0x01, ANY_SUBLEAF, { 0x90672, KEPT, KEPT, KEPT }, { 0x90672, 0, 0x8014, 0x200000 } },
    { 'A', 0x07, 0, { KEPT, KEPT, 0xfffeffff, KEPT }, { 0, 2, 0, 0x88000 } },
    { 'A', 0x07, 1, { 0xfffffeff, KEPT, KEPT, KEPT }, { 0 } },
    { 'A', 0x80000001, ANY_SUBLEAF, { 0, 0, 0x121, 0x2c100800 }, { 0 } },
    { 'E', 0x01, ANY_SUBLEAF, { 0x90672, KEPT, KEPT, KEPT }, { 0x90672, 0, 0x8014, 0x200000 } },
    { 'E', 0x07, 0, { KEPT, KEPT, 0xfffeffff, KEPT }, { 0, 2, 0, 0x88000 } },
    { 'E', 0x07, 1, { 0xfffffeff, KEPT, KEPT, KEPT }, { 0 } },
    { 'E', 0x80000001, ANY_SUBLEAF, { 0, 0, 0x121, 0x2c100800 }, { 0 } },
    { 'L', 0x0d, ANY_SUBLEAF, { KEPT, KEPT, KEPT, KEPT }, { 0 } },
    { 'L', 0x0e, ANY_SUBLEAF, { 0 }, { 0 } },
    { 'L', 0x15, ANY_SUBLEAF, { 0 }, { 0 } },
    { 'F', 0x01, ANY_SUBLEAF, { 0xa06f3, KEPT, KEPT, KEPT }, { 0xa06f3, 0, 0x8014, 0x200000 } },
    { 'F', 0x07, 0, { 1, KEPT, KEPT, KEPT }, { 1, 2, 0, 0x80000 } },  /* architectural LBR */
    { 'F', 0x07, 1, { KEPT, KEPT, KEPT, KEPT }, { 0x100, 0, 0, 0 } }, /* leaf 23H */
    { 'F', 0x0d, ANY_SUBLEAF, { KEPT, KEPT, KEPT, KEPT }, { 0 } },
    { 'F', 0x0e, ANY_SUBLEAF, { 0 }, { 0 } },
    { 'F', 0x80000001, ANY_SUBLEAF, { 0, 0, 0x121, 0x2c100800 }, { 0 } },
};

/* The last leaves, the microcode's revision, and the model's brand string. For Linux, Sandy Bridge needs revision 28h.
 */
static const struct {
    uint32_t last, last_extended, microcode;
    const char *brand;
} ends[] = {
    { 0x02, 0x80000004, 0x38, "Intel(R) Pentium(R) 4 CPU 2.80GHz (modelled)" },
    { 0x05, 0x80000008, 0x5, "Intel(R) Pentium(R) 4 CPU 3.00GHz (modelled)" },
    { 0x02, 0x80000004, 0x20, "Intel(R) Pentium(R) M processor (modelled)" },
    { 0x0a, 0x80000008, 0x59, "Intel(R) Core(TM) Duo CPU T2400 (modelled)" },
    { 0x0d, 0x80000008, 0xa0b, "Intel(R) Core(TM)2 Duo CPU E8400 (modelled)" },
    { 0x0b, 0x80000008, 0x1d, "Intel(R) Core(TM) i7 CPU 920 (modelled)" },
    { 0x0d, 0x80000008, 0x2f, "Intel(R) Core(TM) i7-2600 CPU (modelled)" },
    { 0x0d, 0x80000008, 0x28, "Intel(R) Core(TM) i7-4770 CPU (modelled)" },
    { 0x0d, 0x80000008, 0x2f, "Intel(R) Core(TM) i7-5600U CPU (modelled)" },
    { 0x16, 0x80000008, 0xf0, "Intel(R) Core(TM) i7-6700 (modelled)" },
    { 0x1b, 0x80000008, 0xd0003e7, "Intel(R) Xeon(R) Gold 6338 CPU (modelled)" },
    { 0x20, 0x80000008, 0x2b000603, "Intel(R) Xeon(R) Platinum 8480+ (modelled)" },
    { 0x20, 0x80000008, 0x38, "12th Gen Intel(R) Core(TM) i9-12900K (modelled)" },
    { 0x20, 0x80000008, 0x38, "12th Gen Intel(R) Core(TM) i9-12900K (modelled)" },
    { 0x15, 0x80000008, 0x40, "Intel(R) Celeron(R) CPU N3350 (modelled)" },
    { 0x23, 0x80000008, 0x30003b2, "Intel(R) Xeon(R) 6780E (modelled)" },
};

/* Whether test_model_facts.c compares the leaf. On later processors QEMU's -cpu has most of the features. */
static bool in_facts(uint32_t leaf, char letter)
{
    return leaf == 0x04 || leaf == 0x0a || leaf == 0x1a || leaf == 0x1c || leaf == 0x23 ||
           ((leaf == 0x01 || leaf == 0x07 || leaf == 0x80000001) && strchr("WXMD2NSHBKL", letter) != NULL);
}

/* Checks the result if QEMU's answer has this word in all four registers. */
static void expect_leaf(struct machine *m, unsigned i, uint32_t leaf, uint32_t subleaf, uint32_t word)
{
    uint32_t expected[4] = { word, word, word, word }, regs[4] = { word, word, word, word };

    if (leaf == 0) {
        expected[0] = ends[i].last;
        memcpy(&expected[1], "Genu", 4);
        memcpy(&expected[3], "ineI", 4);
        memcpy(&expected[2], "ntel", 4);
    } else if (leaf == 0x80000000) {
        memset(expected, 0, sizeof(expected));
        expected[0] = ends[i].last_extended;
    } else if (in_facts(leaf, columns[i])) {
        return;
    } else if (leaf == 0x80000008) {
        memset(expected, 0, sizeof(expected));
        expected[0] = (is_in("WMD", i)   ? 0x2000
                       : is_in("IGF", i) ? 0x3900
                                         : 0x3000) |
                      (word == 0          ? 0
                       : is_in("D", i)    ? 32
                       : is_in("2NS", i)  ? 36
                       : is_in("HBKL", i) ? 39
                                          : 0xff);
    } else if (leaf >= 0x80000002 && leaf <= 0x80000004) {
        char brand[48] = { 0 };

        memcpy(brand, ends[i].brand, strlen(ends[i].brand));
        memcpy(expected, brand + 16 * (leaf - 0x80000002), 16);
    } else if (leaf == 2 && ends[i].last >= 4) {
        memcpy(expected, (const uint32_t[4]){ 0xff01 }, sizeof(expected)); /* see leaf 4 */
    } else if (is_in(long_leaves, i) && leaf >= 0x0e && leaf <= ends[i].last &&
               leaf != 0x1f) { /* beyond QEMU's last leaf */
        memset(expected, 0, sizeof(expected));
    }
    for (size_t r = COUNT_OF(leaves); r-- > 0;)
        if (leaves[r].letter == columns[i] && leaves[r].leaf == leaf &&
            (leaves[r].subleaf == ANY_SUBLEAF || (uint32_t)leaves[r].subleaf == subleaf))
            memcpy(expected, word != 0 ? leaves[r].most : leaves[r].least, sizeof(expected));
    cpuid_read(&m->v, leaf, subleaf, regs);
    if (memcmp(regs, expected, sizeof(regs)) != 0)
        fail_msg("%s: leaf %x.%u is %x %x %x %x", column_names[i], leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
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

UNIT_TEST(cpuid)
{
    for (unsigned i = 0; i < COUNT_OF(column_names); i++) {
        struct machine *m = machine_of(column_names[i]);

        for (uint32_t leaf = 0; leaf <= 0x24; leaf++) {
            for (uint32_t subleaf = 0; subleaf < 3; subleaf++) {
                expect_leaf(m, i, leaf, subleaf, 0);
                expect_leaf(m, i, leaf, subleaf, 0xffffffff);
                expect_leaf(m, i, 0x80000000 + leaf, subleaf, 0);
                expect_leaf(m, i, 0x80000000 + leaf, subleaf, 0xffffffff);
            }
            assert_int_equal(cpuid_leaf(&m->v, leaf), leaf <= ends[i].last ? leaf : ends[i].last);
            assert_int_equal(cpuid_leaf(&m->v, 0x80000000 + leaf),
                             0x80000000 + leaf <= ends[i].last_extended ? 0x80000000 + leaf : ends[i].last);
            assert_int_equal(cpuid_leaf(&m->v, 0x40000000 + leaf), 0x40000000 + leaf); /* the hypervisor's */
        }
    }
}

/* Features that QEMU's -cpu must have. */
UNIT_TEST(features)
{
    static const struct {
        const char *on, *name;
        uint32_t leaf;
        unsigned bit; /* in EAX, EBX, ECX and EDX, concatenated */
        bool firmware;
    } rows[] = {
        { "WXMD2NSHBKIGAELF", "MSRs", 0x01, 96 + 5, false },
        { "WX2NSHBKIGAELF", "physical address extension", 0x01, 96 + 6, false },
        { "WXMD2NSHBKIGAELF", "a local APIC", 0x01, 96 + 9, true },
        { "IGF", "5-level paging", 0x07, 64 + 16, false },
        { "X2NSHBKIGAELF", "the no-execute bit", 0x80000001, 96 + 20, true },
        { "X2NSHBKIGAELF", "long mode", 0x80000001, 96 + 29, false },
    };
    static const uint32_t asked[] = { 0x01, 0x07, 0x0a, 0x80000001 };

    for (unsigned i = 0; i < COUNT_OF(column_names); i++) {
        struct machine *m = machine_of(column_names[i]);

        for (unsigned k = 0; k < COUNT_OF(asked) * 4 * 32; k++) {
            const uint32_t leaf = asked[k / 128];
            uint32_t regs[4] = { KEPT, KEPT, KEPT, KEPT };
            const char *expected = NULL;
            bool firmware = false;

            regs[k / 32 % 4] &= ~(UINT32_C(1) << k % 32);
            for (size_t r = 0; r < COUNT_OF(rows); r++) {
                if (strchr(rows[r].on, columns[i]) != NULL && rows[r].leaf == leaf && k % 128 == rows[r].bit) {
                    expected = rows[r].name;
                    firmware = rows[r].firmware;
                }
            }
            const struct profile_feature *missing = cpuid_missing_feature(&m->v, leaf, regs);

            assert_true((missing == NULL) == (expected == NULL));
            assert_true(missing == NULL || (strcmp(missing->name, expected) == 0 && missing->firmware == firmware));
        }
    }
}

#define B(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define EVERY        (~UINT64_C(0))
#define CANONICAL    .check = CHECK_CANONICAL

/*
 * Registers of each processor: the bits that WRMSR accepts, and of these the bits that it drops; the value after a
 * reset; whether WRMSR always raises #GP. Sources: SDM Vol. 4 (335592-083), "Model-Specific Registers (MSRs)", and Vol.
 * 3B of the same edition; NetBurst: SDM Vol. 3C (253669-059), "MSRs in the Pentium 4 and Intel Xeon Processors", and
 * for reserved bits of its ESCRs and CCCRs VirtualBox's CPU database, "Intel Pentium 4 3.00GHz". Registers without a
 * row are as measured (msr_facts.h), with a reset value of 0; both NetBursts share these.
 */
static const struct msr_row {
    const char *on;
    uint32_t first, count;
    uint64_t accepted, dropped, reset;
    bool read_only;
    enum msr_check check;
} msr_rows[] = {
    /* IA32_MISC_ENABLE: bit 7 is read-only; 11 and 12 report the features */
    { "W", 0x1a0, 1, .accepted = 0x7dd, .dropped = 0x80, .reset = 0x89 },
    { "X", 0x1a0, 1, .accepted = 0x423ef07ff, .dropped = 0x20800080, .reset = 0x22850089 },
    { "M", 0x1a0, 1, .accepted = 0x811c88, .dropped = 0x1880, .reset = 0x1080 },
    { "D", 0x1a0, 1, .accepted = 0x400d53c88, .dropped = 0x1880, .reset = 0x41080 },
    { "2", 0x1a0, 1, .accepted = 0xe400dd3e89, .dropped = 0x1880, .reset = 0x40089 },
    { "NSHBKIGAE", 0x1a0, 1, .accepted = 0x4400d51889, .dropped = 0x1880, .reset = 0x850089 },
    { "WXMD2NSHBKIGAELF", 0x010, 1, .accepted = EVERY, .reset = 1 }, /* the TSC, which advances at each use */
    { "HBKIGAELF", 0x03b, 1, .accepted = EVERY },                    /* IA32_TSC_ADJUST */
    /* MSR_DEBUGCTLA, MSR_DEBUGCTLB, IA32_DEBUGCTL */
    { "W", 0x1d9, 1, .accepted = B(4, 0) },
    { "NS", 0x1d9, 1, .accepted = 0x7fc3 },
    { "HBK", 0x1d9, 1, .accepted = 0xffc3 },
    { "I", 0x1d9, 1, .accepted = 0xdfc3 },
    { "GAE", 0x1d9, 1, .accepted = 0xdfc3, .dropped = 1 },
    { "NSHBKIGAE", 0x034, 1, .read_only = true }, /* MSR_SMI_COUNT */
    { "W", 0x600, 1, .accepted = B(31, 0) },
    { "X2NSHBKIGAE", 0x600, 1, .accepted = EVERY, CANONICAL },
    { "2", 0x345, 1, .read_only = true, .reset = 0x10c2 },
    { "N", 0x345, 1, .read_only = true, .reset = 0x11c3 },
    { "S", 0x345, 1, .read_only = true, .reset = 0x31c3 },
    { "HB", 0x345, 1, .read_only = true, .reset = 0x32c4 },
    { "K", 0x345, 1, .read_only = true, .reset = 0x33c5 },
    { "I", 0x345, 1, .read_only = true, .reset = 0xf4c5 },
    { "G", 0x345, 1, .read_only = true, .reset = 0xf4ff },
    { "A", 0x345, 1, .read_only = true, .reset = 0xf4ff },
    { "E", 0x345, 1, .read_only = true, .reset = 0x74ff },
    /* counters */
    { "MD2", 0x0c1, 2, .accepted = EVERY },
    { "NSHBK", 0x0c1, 4, .accepted = EVERY },
    { "IGA", 0x0c1, 8, .accepted = EVERY },
    { "SHBK", 0x4c1, 4, .accepted = B(47, 0) },
    { "IGA", 0x4c1, 8, .accepted = B(47, 0) },
    { "N", 0x186, 4, .accepted = B(31, 0) },
    { "SHBK", 0x186, 4, .accepted = 0xfff7ffff },
    { "IGA", 0x186, 8, .accepted = 0x4fff7ffff, .dropped = 1 << 21 },
    { "NSHBK", 0x309, 3, .accepted = B(47, 0) },
    { "IGA", 0x309, 4, .accepted = B(47, 0) },
    { "NSHBK", 0x38d, 1, .accepted = 0xfff },
    { "IGA", 0x38d, 1, .accepted = 0x11110000ffff, .dropped = 0x4444 },
    { "IGA", 0x329, 1, .accepted = EVERY },
    { "2NSHBKIGAE", 0x38e, 1, .read_only = true },
    { "2", 0x38f, 1, .accepted = 0x700000003, .reset = 0x3 },
    { "NSHBK", 0x38f, 1, .accepted = 0x70000000f, .reset = 0xf },
    { "IGA", 0x38f, 1, .accepted = 0x1000f000000ff, .reset = 0xff },
    { "2", 0x390, 1, .accepted = B(63, 62) | 0x700000003 },
    { "NSH", 0x390, 1, .accepted = B(63, 61) | 0x70000000f },
    { "IGA", 0x390, 1, .accepted = B(63, 58) | UINT64_C(1) << 55 | 0x1000f000000ff },
    { "IGA", 0x391, 1, .accepted = B(62, 58) | UINT64_C(1) << 55 | 0x1000f000000ff },
    { "KIGAE", 0x392, 1, .read_only = true },
    /* an E-core's six general and three fixed counters */
    { "E", 0x0c1, 6, .accepted = EVERY },
    { "E", 0x4c1, 6, .accepted = B(47, 0) },
    { "E", 0x186, 6, .accepted = 0x4fff7ffff, .dropped = 1 << 21 },
    { "E", 0x309, 3, .accepted = B(47, 0) },
    { "E", 0x38d, 1, .accepted = 0x11100000fff, .dropped = 0x444 },
    { "E", 0x38f, 1, .accepted = 0x70000003f, .reset = 0x3f },
    { "E", 0x390, 1, .accepted = B(63, 58) | UINT64_C(1) << 55 | 0x70000003f },
    { "E", 0x391, 1, .accepted = B(62, 58) | UINT64_C(1) << 55 | 0x70000003f },
    /* PEBS */
    { "E", 0x3f1, 1, .accepted = 0x70000003f },
    { "NHBK", 0x3f1, 1, .accepted = 0xf0000000f },
    { "IGA", 0x3f1, 1, .accepted = 0xf000000ff },
    { "IGAE", 0x3f2, 1, .accepted = B(31, 24) | 0xf },
    { "NIGAE", 0x3f6, 1, .accepted = B(15, 0) },
    { "SHBK", 0x3f6, 1, .accepted = EVERY, .dropped = B(63, 16), .reset = 0xffff },
    { "K", 0x3f7, 1, .accepted = 0x7fff17, .reset = 0x800 },
    { "IGA", 0x3f7, 1, .accepted = B(23, 0) },
    { "N", 0x1a6, 1, .accepted = B(15, 0) },
    { "SHB", 0x1a6, 2, .accepted = 0x3fffff8fff },
    { "IGA", 0x1a6, 2, .accepted = B(37, 0) },
    { "E", 0x1a6, 1, .accepted = UINT64_C(0x8003f03fffffffff) },
    { "E", 0x1a7, 1, .accepted = UINT64_C(0x3f03fffffffff) },
    /* LBR stacks */
    { "NS", 0x1c8, 1, .accepted = B(8, 0) },
    { "HBKI", 0x1c8, 1, .accepted = B(9, 0) },
    { "D", 0x1c9, 1, .accepted = B(2, 0) },
    { "2", 0x1c9, 1, .accepted = B(1, 0) },
    { "NSHB", 0x1c9, 1, .accepted = B(3, 0) },
    { "KI", 0x1c9, 1, .accepted = B(4, 0) },
    { "D", 0x040, 8, .accepted = EVERY },
    { "2", 0x040, 4, .accepted = EVERY, CANONICAL },
    { "2", 0x060, 4, .accepted = EVERY, CANONICAL },
    { "NSHB", 0x680, 16, .accepted = EVERY, .check = CHECK_FLAG_AND_ADDRESS },
    { "NSHB", 0x6c0, 16, .accepted = EVERY, CANONICAL },
    { "KI", 0x680, 32, .accepted = EVERY, CANONICAL },
    { "KI", 0x6c0, 32, .accepted = EVERY, CANONICAL },
    { "KI", 0xdc0, 32, .accepted = B(63, 61) | B(15, 0) },
    { "GAE", 0x14ce, 1, .accepted = 0x7f000f },
    { "GAE", 0x14cf, 1, .accepted = EVERY, .reset = 32, .check = CHECK_LBR_DEPTH },
    { "GAE", 0x1500, 32, .accepted = EVERY, CANONICAL },
    { "GAE", 0x1600, 32, .accepted = EVERY, CANONICAL },
    { "GAE", 0x1200, 32, .accepted = EVERY, .dropped = B(55, 16) },
    /* NetBurst */
    { "W", 0x1da, 1, .accepted = EVERY, .dropped = B(63, 2) },
    { "W", 0x1db, 4, .accepted = EVERY },
    { "X", 0x680, 16, .accepted = EVERY, CANONICAL },
    { "X", 0x6c0, 16, .accepted = EVERY, CANONICAL },
    { "W", 0x3ba, 2, .accepted = ~B(31, 31), .dropped = B(63, 32) },
    { "WX", 0x3f0, 1, .accepted = EVERY, .dropped = ~B(17, 5), .reset = 0xfc00 },
    /* Goldmont and Sierra Forest */
    { "LF", 0x034, 1, .read_only = true }, /* MSR_SMI_COUNT */
    { "LF", 0x1a0, 1, .accepted = 0x4400d51889, .dropped = 0x1880, .reset = 0x850089 },
    { "L", 0x1d9, 1, .accepted = 0x5fc3 },
    { "F", 0x1d9, 1, .accepted = 0xdfc3, .dropped = 1 },
    { "LF", 0x600, 1, .accepted = EVERY, CANONICAL },
    { "L", 0x345, 1, .read_only = true, .reset = 0x33c6 },
    { "F", 0x345, 1, .read_only = true, .reset = 0x274ff },
    /* counters */
    { "L", 0x0c1, 4, .accepted = EVERY },
    { "F", 0x0c1, 8, .accepted = EVERY },
    { "L", 0x4c1, 4, .accepted = B(47, 0) },
    { "F", 0x4c1, 8, .accepted = B(47, 0) },
    { "L", 0x186, 4, .accepted = 0xfff7ffff },
    { "F", 0x186, 4, .accepted = 0xcfff7ffff, .dropped = 1 << 21 },
    { "F", 0x18a, 4, .accepted = 0x4fff7ffff, .dropped = 1 << 21 },
    { "LF", 0x309, 3, .accepted = B(47, 0) },
    { "L", 0x38d, 1, .accepted = 0xfff },
    { "F", 0x38d, 1, .accepted = 0x11100000fff, .dropped = 0x444 },
    { "LF", 0x38e, 1, .read_only = true },
    { "L", 0x38f, 1, .accepted = 0x70000000f, .reset = 0xf },
    { "F", 0x38f, 1, .accepted = 0x7000000ff, .reset = 0xff },
    { "L", 0x390, 1, .accepted = B(63, 58) | UINT64_C(1) << 55 | 0x70000000f },
    { "F", 0x390, 1, .accepted = B(63, 58) | UINT64_C(1) << 55 | 0x7000000ff },
    { "L", 0x391, 1, .accepted = B(62, 58) | UINT64_C(1) << 55 | 0x70000000f },
    { "F", 0x391, 1, .accepted = B(62, 58) | UINT64_C(1) << 55 | 0x7000000ff },
    { "LF", 0x392, 1, .read_only = true },
    /* PEBS */
    { "L", 0x3f1, 1, .accepted = 1 },
    { "F", 0x3f1, 1, .accepted = 0x7000000ff },
    { "F", 0x3f2, 1, .accepted = B(31, 24) | 0xf },
    { "F", 0x3f6, 1, .accepted = B(15, 0) },
    { "L", 0x1a6, 1, .accepted = B(38, 0) },
    { "L", 0x1a7, 1, .accepted = B(37, 0) },
    { "F", 0x1a6, 1, .accepted = UINT64_C(0x800ff3ffffffffff) },
    { "F", 0x1a7, 1, .accepted = UINT64_C(0xff3ffffffffff) },
    { "F", 0x1328, 2, .accepted = EVERY },
    /* LBR stacks */
    { "L", 0x1c8, 1, .accepted = B(9, 0) },
    { "L", 0x1c9, 1, .accepted = B(4, 0) },
    { "L", 0x680, 32, .accepted = EVERY, .check = CHECK_FLAG_AND_ADDRESS },
    { "L", 0x6c0, 32, .accepted = EVERY }, /* with cycles */
    { "F", 0x14ce, 1, .accepted = 0x7f000f },
    { "F", 0x14cf, 1, .accepted = EVERY, .reset = 32, .check = CHECK_LBR_DEPTH },
    { "F", 0x1500, 32, .accepted = EVERY, CANONICAL },
    { "F", 0x1600, 32, .accepted = EVERY, CANONICAL },
    { "F", 0x1200, 32, .accepted = EVERY, .dropped = B(55, 40) | B(31, 16) },
};

static const struct msr_row *row_of(char letter, uint32_t address)
{
    static struct msr_row measured;

    if (address == 0x08b) { /* IA32_BIOS_SIGN_ID */
        const uint64_t revision = ends[strchr(columns, letter) - columns].microcode;

        measured = (struct msr_row){ .accepted = EVERY, .dropped = EVERY, .reset = revision << 32 };
        return &measured;
    }
    for (size_t r = 0; r < COUNT_OF(msr_rows); r++)
        if (strchr(msr_rows[r].on, letter) != NULL && address - msr_rows[r].first < msr_rows[r].count)
            return &msr_rows[r];
    for (size_t f = 0; f < COUNT_OF(msr_facts); f++) {
        const struct msr_fact *fact = &msr_facts[f];

        if (strchr(fact->letters, letter == 'W' ? 'X' : letter) != NULL && address - fact->first < fact->count) {
            measured = (struct msr_row){ .accepted = fact->accepted, .dropped = fact->dropped };
            measured.read_only = fact->accepted == 0;
            return &measured;
        }
    }
    return NULL;
}

/* Registers that a processor lacks although the rule of is_absent() does not say so. */
static const struct {
    const char *on;
    uint32_t first, count;
} absent_rows[] = {
    { "WXMD2NSHBKIGAELF", 0x064, 4 }, /* TO, of a deeper stack at these addresses */
    { "MD2NSHBKIGAELF", 0x300, 18 },  /* counters of NetBurst */
    { "BK", 0x570, 1 },
    { "K", 0x10f, 1 },
    { "WX", 0x03b, 1 },
    { "WX", 0x040, 8 },
    { "WX", 0x060, 4 },
    { "WX", 0x0c1, 8 },
    { "WX", 0x1c8, 2 },
    { "WX", 0x345, 1 },
    { "WX", 0x38d, 6 },
    { "WX", 0x4c1, 8 },
    { "W", 0x680, 16 },
    { "W", 0x6c0, 16 },
    { "X", 0x1db, 4 },
};

/* Whether any processor of the P6 family has the register. */
static bool in_family[0x2000];

static void find_family(void)
{
    for (unsigned i = 0; i < COUNT_OF(column_names); i++)
        for (uint32_t address = 0; address < COUNT_OF(in_family) && !is_in("WX", i); address++)
            in_family[address] = in_family[address] || row_of(columns[i], address) != NULL;
}

/*
 * Whether the processor lacks the register: RDMSR and WRMSR raise #GP. In the P6 family it does if another processor of
 * the family has the register, except MSR_SMI_COUNT and MSR_SNOOP_RSP_0 and _1. QEMU answers for all others.
 */
static bool is_absent(unsigned i, uint32_t address)
{
    for (size_t r = 0; r < COUNT_OF(absent_rows); r++)
        if (is_in(absent_rows[r].on, i) && address - absent_rows[r].first < absent_rows[r].count)
            return true;
    return !is_in("WX", i) && in_family[address] && address != 0x034 && address - 0x1328 >= 2;
}

UNIT_TEST(msrs)
{
    find_family();
    for (unsigned i = 0; i < COUNT_OF(column_names); i++) {
        struct machine *m = machine_of(column_names[i]);

        for (uint32_t address = 0; address < COUNT_OF(in_family); address++) {
            const struct msr_row *row = row_of(columns[i], address);
            const struct profile_msr *msr = profile_find_msr(m->v.profile, address);
            uint64_t value = 0;
            enum msr_answer answer = engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS);
            enum msr_answer expected = row != NULL ? MSR_DONE : is_absent(i, address) ? MSR_GP : MSR_UNKNOWN;

            if (answer != expected || (row != NULL && value != row->reset))
                fail_msg("%s: RDMSR %x: %d, %" PRIx64, column_names[i], address, answer, value);
            if (row == NULL) {
                assert_int_equal(engine_wrmsr(&m->v, address, 0, BETWEEN_BLOCKS), expected);
                continue;
            }
            if (msr->read_only != row->read_only || msr->check != row->check ||
                (msr->writable | msr->ignored) != row->accepted || msr->ignored != row->dropped)
                fail_msg("%s: WRMSR %x", column_names[i], address);
        }
    }
}

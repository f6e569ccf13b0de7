/* SPDX-License-Identifier: MIT */
/*
 * caps_fill() on CPUID of real processors (cpuid_facts.tsv): core, counters, LBRs and architectural PEBS, and that
 * every feature is tested. The expected values are derived here again, from the registers.
 */
#include "tests/host/unit_test.h"

#include "pebs/layout/formats.h"
#include "tests/host/cpuid_facts.h"
#include "tests/host/processors.h"

#define HYBRID       (1u << 15) /* CPUID.7:EDX */
#define ARCH_LBR     (1u << 19)
#define PDCM         (1u << 15) /* CPUID.1:ECX */
#define DTES64       (1u << 2)
#define DS           (1u << 21) /* CPUID.1:EDX */
#define LEAF_23      (1u << 8)  /* CPUID.7.1:EAX */
#define LONG_MODE    (1u << 29) /* CPUID.80000001H:EDX */
#define NO_BTS       (1u << 11) /* IA32_MISC_ENABLE */
#define NO_PEBS      (1u << 12)
#define COUNTS       (1u << 7)
#define MODEL(f)     (((f)->signature >> 4 & 0xf) | ((f)->signature >> 12 & 0xf0))
#define LAKEFIELD    0x8a
#define USUAL_MISC   0x850089
#define ARCH_FORMAT  15
#define NOT_IN_LINUX "Linux knows it by its architectural counters alone"

/*
 * Each core of the facts: the kernel's name for it; the depth of its LBR stack, SDM Vol. 3B (253669-083), "LBR Stack
 * Depth"; and IA32_PERF_CAPABILITIES, which no dump has: the formats that the manual and Linux name for the core.
 */
static const struct {
    const char *core, *name;
    unsigned depth;
    uint64_t capabilities;
    const char *untested; /* why PEBS and LBR need no test; NULL: both must be tested */
} cores[] = {
    { "NetBurst", "NetBurst", 16, 0, NULL },
    { "Banias/Timna", "Pentium M", 8, 0, "no PEBS" },
    { "Banias/Dothan", "Pentium M", 8, 0, "no PEBS" },
    { "Yonah", "Core Duo", 8, 0, "no PEBS" },
    { "Merom", "Core 2", 4, 0x10c2, NULL },
    { "Penryn", "Core 2", 4, 0x10c2, NULL },
    { "Bonnell", "Bonnell", 8, 0x10c2, NULL },
    { "Saltwell", "Bonnell", 8, 0x10c2, NULL },
    { "Silvermont", "Silvermont", 8, 0x32c1, NULL },
    { "Airmont", "Silvermont", 8, 0x32c1, NULL },
    { "Goldmont", "Goldmont", 32, 0x33c6, NULL },
    { "Goldmont Plus", "Goldmont Plus", 32, 0x33c6, NULL },
    { "Tremont", "Tremont", 32, 0x174c5, NULL },
    { "Knights Landing", "Knights Landing", 8, 0x32c1, NULL },
    { "Nehalem", "Nehalem", 16, 0x11c3, NULL },
    { "Westmere", "Westmere", 16, 0x11c3, NULL },
    { "Sandy Bridge", "Sandy Bridge", 16, 0x31c3, NULL },
    { "Ivy Bridge", "Ivy Bridge", 16, 0x31c3, NULL },
    { "Haswell", "Haswell", 16, 0x32c4, NULL },
    { "Broadwell", "Broadwell", 16, 0x32c4, NULL },
    { "Skylake", "Skylake", 32, 0x33c5, NULL },
    { "Palm Cove", "Palm Cove", 0, 0x33c5, NOT_IN_LINUX },
    { "Sunny Cove", "Ice Lake", 32, 0xf4c5, NULL },
    { "Cypress Cove", "Ice Lake", 32, 0xf4c5, NULL },
    { "Willow Cove", "Ice Lake", 32, 0xf4c5, NULL },
    { "Golden Cove", "Golden Cove", 0, 0xf4ff, NULL },
    { "Golden Cove/Raptor Cove", "Golden Cove", 0, 0xf4ff, NULL },
    { "Raptor Cove", "Raptor Cove", 0, 0xf4ff, NULL },
    { "Redwood Cove", "Redwood Cove", 0, 0x2f4ff, NULL },
    { "Lion Cove", "Lion Cove", 0, 0x2f6ff, NULL },
    { "Cougar Cove", "Cougar Cove", 0, 0x23fff, NULL },
    { "Gracemont", "Gracemont", 0, 0x74ff, NULL },
    { "Crestmont", "Crestmont", 0, 0x74ff, NULL },
    { "Skymont", "Skymont", 0, 0x276ff, NULL },
    { "Darkmont", "Darkmont", 0, 0x23fff, NULL },
};

static struct fact *facts;
static size_t fact_count, checks, wrong;
static const struct fact *of; /* what is being checked */

static void check(const char *what, uint64_t got, uint64_t want)
{
    checks++;
    if (got == want)
        return;
    wrong++;
    print_message("# signature %x kind %x, %s: %s is %llx, must be %llx\n", of->signature, of->kind, of->core, what,
                  (unsigned long long)got, (unsigned long long)want);
}

static void check_available(const struct caps *caps, const char *what, uint64_t needs)
{
    const enum caps_reason missing = caps_missing(caps, needs);

    check(what, missing, CAPS_AVAILABLE);
    if (missing != CAPS_AVAILABLE)
        print_message("#   %s\n", caps_reason_text(missing));
}

static struct caps_leaf leaf(const struct fact_leaf *of_fact)
{
    return (struct caps_leaf){ of_fact->there, of_fact->regs[0], of_fact->regs[1], of_fact->regs[2], of_fact->regs[3] };
}

/* Registers that no dump has, as on a processor that has what its flags report. */
static struct caps_input input_of(const struct fact *f, uint64_t capabilities, uint64_t misc)
{
    return (struct caps_input){
        .leaf_0 = LEAF(f->max, 0x756e6547, 0x6c65746e, 0x49656e69),
        .leaf_1 = LEAF(f->signature, 0, f->leaf_1.regs[2], f->leaf_1.regs[3]),
        .leaf_7 = leaf(&f->leaf_7),
        .leaf_7_1 = leaf(&f->leaf_7_1),
        .leaf_a = leaf(&f->leaf_a),
        .leaf_15 = leaf(&f->leaf_15),
        .leaf_16 = leaf(&f->leaf_16),
        .leaf_1a = LEAF(f->kind, 0, 0, 0),
        .leaf_1c = leaf(&f->leaf_1c),
        .leaf_23 = leaf(&f->leaf_23[0]),
        .leaf_23_1 = leaf(&f->leaf_23[1]),
        .leaf_23_2 = leaf(&f->leaf_23[2]),
        .leaf_23_3 = leaf(&f->leaf_23[3]),
        .leaf_23_4 = leaf(&f->leaf_23[4]),
        .leaf_23_5 = leaf(&f->leaf_23[5]),
        .leaf_80000001 = leaf(&f->leaf_80000001),
        .perf_capabilities = { (f->leaf_1.regs[2] & PDCM) != 0, capabilities },
        .misc_enable = MSR(misc),
        .apic_base = MSR(0xfee00900),
        .ds_area = f->leaf_1.regs[3] & DS ? CAPS_HOLDS : CAPS_RAISES_GP,
        .debugctl_lbr = CAPS_HOLDS,
        .arch_lbr_control = f->leaf_7.regs[3] & ARCH_LBR ? CAPS_HOLDS : CAPS_NOT_TRIED,
        .pebs_base = f->leaf_23[0].regs[0] & 0x30 ? CAPS_HOLDS : CAPS_NOT_TRIED,
        .ia32e_active = f->leaf_80000001.regs[3] & LONG_MODE,
    };
}

/* Bits from..to of a register. */
static uint32_t field(uint32_t value, unsigned from, unsigned to)
{
    return (uint32_t)(value & ((UINT64_C(2) << to) - 1)) >> from;
}

static void check_counters(const struct fact *f, const struct caps *caps)
{
    const uint32_t *const a = f->leaf_a.regs;
    const unsigned version = f->leaf_a.there ? field(a[0], 0, 7) : 0;
    const bool listed = f->leaf_7_1.regs[0] & LEAF_23;
    uint64_t general = version ? (UINT64_C(1) << field(a[0], 8, 15)) - 1 : 0;
    uint64_t fixed = version < 2 ? 0 : ((UINT64_C(1) << field(a[3], 0, 4)) - 1) | (version >= 5 ? a[2] : 0);

    if (listed) {
        general = f->leaf_23[1].regs[0];
        fixed = f->leaf_23[1].regs[1];
    }
    check("version", caps->perfmon_version, version);
    check("general counters", caps->general_counters, general);
    check("fixed counters", caps->fixed_counters, fixed);
    if (version) {
        check("width", caps->general_width, field(a[0], 16, 23));
        check("width of fixed counters", caps->fixed_width, fixed ? field(a[3], 5, 12) : 0);
    }
    check("counters that can be reloaded", caps->reload_counters,
          listed ? f->leaf_23[2].regs[0] | (uint64_t)f->leaf_23[2].regs[1] << 32 : 0);
    check("causes of a reload", caps->reload_causes,
          listed ? f->leaf_23[2].regs[2] | (uint64_t)f->leaf_23[2].regs[3] << 32 : 0);
    check("second unit mask", caps->unit_mask_2, listed && (f->leaf_23[0].regs[1] & 1));
    check("EQ", caps->equal_flag, listed && (f->leaf_23[0].regs[1] & 2));
    check("RDPMC user disable", caps->rdpmc_user_disable, listed && (f->leaf_23[0].regs[1] & 4));
}

static void check_lbr(const struct fact *f, const struct caps *caps, unsigned depth)
{
    const uint32_t *const l = f->leaf_1c.regs;
    const bool architectural = f->leaf_7.regs[3] & ARCH_LBR;

    if (architectural)
        for (unsigned bit = 0; bit < 8; bit++)
            depth = l[0] >> bit & 1 ? 8 * (bit + 1) : depth;
    else if (f->signature < 0xf30 && f->signature >= 0xf00)
        depth = 4; /* the first NetBurst models */
    check("architectural LBRs", caps->arch_lbr, architectural);
    check("LBR depth", caps->lbr_depth, depth);
    if (!architectural)
        return;
    check("LBR filter", caps->lbr_filter, (l[1] & 3) == 3);
    check("LBR call stack", caps->lbr_callstack, l[1] >> 2 & 1);
    check("LBR cycles", caps->lbr_info != 0, (l[2] & 3) == 3);
    check("LBR branch types", caps->lbr_branch_type, l[2] >> 2 & 1);
    check("LBR counters", caps->lbr_counters, field(l[2], 16, 19));
}

static void check_pebs(const struct fact *f, const struct caps *caps)
{
    const uint32_t *const p = f->leaf_23[5].regs;
    const bool architectural = (f->leaf_7_1.regs[0] & LEAF_23) && (f->leaf_23[0].regs[0] & 0x30) == 0x30;

    check("architectural PEBS", caps->pebs_method == PEBS_METHOD_ARCH, architectural);
    if (!architectural)
        return;
    check("PEBS groups", caps->pebs_cfg_c, UINT64_C(1) << 63 | (uint64_t)f->leaf_23[4].regs[1] << 32);
    check("PEBS counters", caps->pebs_counters, p[0]);
    check("PEBS PDist", caps->pebs_pdist_counters, p[1]);
    check("PEBS fixed counters", caps->pebs_fixed_counters, p[2]);
    check("PEBS fixed PDist", caps->pebs_pdist_fixed_counters, p[3]);
}

/* The kernel tests every feature that a processor reports and Linux would use, also without a row for its model. */
static void check_use(const struct fact *f, const struct caps *caps, uint64_t misc, const char *untested)
{
    const bool store = (f->leaf_1.regs[3] & DS) && (misc & COUNTS);

    check("DS", caps->ds, (f->leaf_1.regs[3] & DS) != 0);
    check("DS width", caps->ds_width, (f->leaf_1.regs[2] & DTES64) || caps->ia32e_active ? 8 : 4);
    if (store && !(misc & NO_BTS))
        check_available(caps, "BTS", NEED_BTS);
    if (!untested && ((store && !(misc & NO_PEBS)) || (f->leaf_23[0].regs[0] & 0x30)))
        check_available(caps, "PEBS and its events", NEED_PEBS | NEED_EVENT_ANY);
    if (!untested || caps->lbr_depth)
        check_available(caps, "LBR", NEED_LBR);
}

/* The crystal's rate times the ratio; if CPUID lacks the crystal, a rate near the rounded base frequency. */
static void check_rate(const struct fact *f, const struct caps *caps)
{
    const uint32_t *const ratio = f->leaf_15.regs;
    const uint64_t hz = f->leaf_16.regs[0] * UINT64_C(1000000);

    if (ratio[0] && ratio[1] && ratio[2])
        check("rate of the time-stamp counter", caps->tsc_hz, (uint64_t)ratio[2] * ratio[1] / ratio[0]);
    else if (ratio[0] && ratio[1] && hz)
        check("rate of the time-stamp counter within 0.8 %",
              caps->tsc_hz * 1000 >= hz * 992 && caps->tsc_hz * 1000 <= hz * 1008, true);
}

static void check_fact(const struct fact *f, uint64_t misc)
{
    size_t i = 0;

    while (i < COUNT_OF(cores) && strcmp(cores[i].core, f->core) != 0)
        i++;
    if (i == COUNT_OF(cores)) {
        check("core, which is not in the test's table of cores", 0, 1);
        return;
    }
    /* The kernel knows Lakefield's kinds by name. */
    const bool lakefield = MODEL(f) == LAKEFIELD;
    const struct caps caps = caps_of(input_of(f, cores[i].capabilities, misc));
    const char *const name = lakefield ? cores[i].core : cores[i].name, *const untested = lakefield ? NOT_IN_LINUX
                                                                                                    : cores[i].untested;
    const bool hybrid = f->leaf_7.regs[3] & HYBRID;

    check(caps.core ? caps.core : "no core", caps.core && strcmp(caps.core, name) == 0, true);
    check("core known", caps.core_known, !untested || strcmp(untested, NOT_IN_LINUX) != 0);
    check("hybrid", caps.hybrid, hybrid);
    check("type of core", caps.core_type, hybrid ? f->kind >> 24 : 0);
    check("native model", caps.native_model, hybrid ? f->kind & 0xffffff : 0);
    check("bits of an address", caps.msr_linear_bits, !caps.long_mode ? 32 : f->leaf_7.regs[2] & (1u << 16) ? 57 : 48);
    check_counters(f, &caps);
    check_lbr(f, &caps, lakefield ? 0 : cores[i].depth);
    check_pebs(f, &caps);
    check_use(f, &caps, misc, untested);
    check_rate(f, &caps);
}

UNIT_TEST(every_fact)
{
    fact_count = facts_read(&facts);
    assert_in_range(fact_count, 170, 1000);
    for (size_t n = 0; n < fact_count; n++) {
        of = &facts[n];
        check_fact(of, USUAL_MISC);
        for (unsigned m = 0; m < of->miscs; m++)
            check_fact(of, of->misc[m]);
    }
    print_message("# %u processors, %u checks, %u wrong\n", (unsigned)fact_count, (unsigned)checks, (unsigned)wrong);
    free(facts);
    assert_int_equal(wrong, 0);
}

/* A row is read exactly, and an incomplete row is refused. */
UNIT_TEST(rows)
{
    char good[] =
        "c0662\t20000003\tSkymont\t23\t77fafbff-bfebfbff\t2-1-2-3\t.\td300806-280-7-8603\t.\t2-a0-249f000-0\t.\t"
        "c000000b-7-f0007-0\tf-3-8-0\tff-77-0-0\tfc-3-fc-3\t1f7f-0-0-0\t.\t0-0-0-0\t0:1-2-3-4 1:5-6-7-8 "
        "2:1-2-3-4 3:5-6-7-8\t121-2c100800\t850089,4000840089\t7\t88\n",
         cut[] = "c0662\t20000003\tSkymont\t23\n";
    struct fact f;

    assert_true(fact_read(good, &f));
    assert_int_equal(f.signature, 0xc0662);
    assert_int_equal(f.leaf_1.regs[3], 0xbfebfbff);
    assert_int_equal(f.leaf_7.regs[2], 2);
    assert_false(f.leaf_7_1.there);
    assert_int_equal(f.leaf_23[2].regs[3], 3);
    assert_false(f.leaf_23[4].there);
    assert_int_equal(f.caches, 2);
    assert_int_equal(f.leaf_4[1].regs[3], 8);
    assert_int_equal(f.miscs, 2);
    assert_int_equal(f.misc[1], UINT64_C(0x4000840089));
    assert_false(fact_read(cut, &f));
}

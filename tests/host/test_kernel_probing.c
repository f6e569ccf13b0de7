/* SPDX-License-Identifier: MIT */
/*
 * What the kernel reads from a processor (arch/x86/probe.c), on a simulated machine: which leaves and registers, under
 * which condition, and which values it tries and restores. Boots with fault=msr:..:absent test which features are
 * missing if a register raises #GP. Registers by their numbers from SDM Vol. 4 (335592-086): 1BH IA32_APIC_BASE,
 * 8BH IA32_BIOS_SIGN_ID, 187H IA32_PERFEVTSEL1, C2H IA32_PMC1, 1A0H IA32_MISC_ENABLE, 1D9H IA32_DEBUGCTL, 345H
 * IA32_PERF_CAPABILITIES, 3F4H IA32_PEBS_BASE, 600H IA32_DS_AREA, 14CEH IA32_LBR_CTL, C0000080H IA32_EFER.
 */
#include "tests/host/unit_test.h"

#include "arch/x86/probe.c"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

static struct caps_input in;
static struct caps caps;

/* CPUID: each leaf has its number in all registers, except these. */
static struct {
    uint32_t most, most_extended;
    uint32_t ebx_0, ecx_0, edx_0, ecx_1, edx_1, eax_7, edx_7, eax_a, eax_7_1, eax_23;
} cpu;

static struct cpuid leaves(uint32_t leaf, uint32_t subleaf)
{
    const uint32_t value = leaf << 4 | subleaf;
    struct cpuid r = { value | 0x10000000, value | 0x20000000, value | 0x30000000, value | 0x40000000 };

    assert_true(subleaf == 0 || leaf == 7 || leaf == 0x23);
    if (leaf == 0)
        r = (struct cpuid){ cpu.most, cpu.ebx_0, cpu.ecx_0, cpu.edx_0 };
    else if (leaf == 0x80000000u)
        r.eax = cpu.most_extended;
    else if (leaf == 1)
        r = (struct cpuid){ r.eax, r.ebx, cpu.ecx_1, cpu.edx_1 };
    else if (leaf == 7 && subleaf == 1)
        r.eax = cpu.eax_7_1;
    else if (leaf == 7)
        r = (struct cpuid){ cpu.eax_7, r.ebx, r.ecx, cpu.edx_7 };
    else if (leaf == 0xa)
        r.eax = cpu.eax_a;
    else if (leaf == 0x23 && subleaf == 0)
        r.eax = cpu.eax_23;
    if (leaf == 1 && msr_get(0x8b) == 0)
        machine_set(0x8b, UINT64_C(0x1234) << 32);
    return r;
}

/* A processor with all features. */
static void start(void)
{
    machine_start();
    machine.leaves = leaves;
    memset(&cpu, 0, sizeof cpu);
    cpu.most = 0x23;
    cpu.most_extended = 0x80000008;
    cpu.ebx_0 = 0x756e6547; /* Genu, ntel, ineI */
    cpu.ecx_0 = 0x6c65746e;
    cpu.edx_0 = 0x49656e69;
    cpu.ecx_1 = 1u << 15 | 1u << 31;
    cpu.edx_1 = 1u << 21;
    cpu.eax_7 = 1;
    cpu.edx_7 = 1u << 19;
    cpu.eax_a = 4;
    cpu.eax_7_1 = 1u << 8;
    cpu.eax_23 = 0x7f; /* one unknown sub-leaf */
    machine_set(0x345, 0x345345);
    machine_set(0x1a0, 0x1a01a0);
    machine_set(0x1b, 0xfee00900);
    machine_set(0x8b, 7);
    machine_set(0x600, 0x600600);
    machine_set(0x3f4, 0x3f4000);
    machine_set(0x1d9, 0x4000);
    machine_set(0x14ce, 0x6);
    machine_set(0xc0000080, 1 << 10);
}

static void is_leaf(const struct caps_leaf *leaf, uint32_t number, uint32_t subleaf)
{
    const uint32_t value = number << 4 | subleaf;

    assert_true(leaf->valid);
    assert_int_equal(leaf->eax, value | 0x10000000);
    assert_int_equal(leaf->ebx, value | 0x20000000);
    assert_int_equal(leaf->ecx, value | 0x30000000);
    assert_int_equal(leaf->edx, value | 0x40000000);
}

/* The leaves that are read. From WITH_NUMBERS on, each leaf has its number in all registers. */
static const struct {
    const struct caps_leaf *leaf;
    uint32_t number, subleaf;
} read_leaves[] = { { &in.leaf_0, 0, 0 },
                    { &in.leaf_1, 1, 0 },
                    { &in.leaf_7, 7, 0 },
                    { &in.leaf_7_1, 7, 1 },
                    { &in.leaf_a, 0xa, 0 },
                    { &in.leaf_23, 0x23, 0 },
                    { &in.leaf_15, 0x15, 0 },
                    { &in.leaf_16, 0x16, 0 },
                    { &in.leaf_1a, 0x1a, 0 },
                    { &in.leaf_1c, 0x1c, 0 },
                    { &in.leaf_23_1, 0x23, 1 },
                    { &in.leaf_23_2, 0x23, 2 },
                    { &in.leaf_23_3, 0x23, 3 },
                    { &in.leaf_23_4, 0x23, 4 },
                    { &in.leaf_23_5, 0x23, 5 },
                    { &in.leaf_80000001, 0x80000001, 0 },
                    { &in.leaf_80000002, 0x80000002, 0 },
                    { &in.leaf_80000003, 0x80000003, 0 },
                    { &in.leaf_80000004, 0x80000004, 0 },
                    { &in.leaf_80000008, 0x80000008, 0 } };
#define WITH_NUMBERS 6u

UNIT_TEST(everything)
{
    start();
    ds_probe(&in);
    assert_true(in.leaf_0.valid && in.leaf_0.eax == 0x23 && in.leaf_0.ebx == cpu.ebx_0 && in.leaf_0.ecx == cpu.ecx_0 &&
                in.leaf_0.edx == cpu.edx_0);
    assert_true(in.leaf_1.valid && in.leaf_1.eax == 0x10000010 && in.leaf_1.ebx == 0x20000010 &&
                in.leaf_1.ecx == cpu.ecx_1 && in.leaf_1.edx == cpu.edx_1);
    assert_true(in.leaf_7.valid && in.leaf_7.eax == 1 && in.leaf_7.edx == cpu.edx_7);
    assert_true(in.leaf_7_1.valid && in.leaf_7_1.eax == 0x100 && in.leaf_7_1.ebx == 0x20000071);
    assert_true(in.leaf_a.valid && in.leaf_a.eax == 4 && in.leaf_a.edx == 0x400000a0);
    assert_true(in.leaf_23.valid && in.leaf_23.eax == 0x7f && in.leaf_23.ecx == 0x30000230);
    for (unsigned i = WITH_NUMBERS; i < COUNT_OF(read_leaves); i++)
        is_leaf(read_leaves[i].leaf, read_leaves[i].number, read_leaves[i].subleaf);
    is_leaf(&in.leaf_40000000, 0x40000000, 0);
    assert_true(in.perf_capabilities.valid && in.perf_capabilities.value == 0x345345);
    assert_true(in.misc_enable.valid && in.misc_enable.value == 0x1a01a0);
    assert_true(in.apic_base.valid && in.apic_base.value == 0xfee00900);
    assert_true(in.bios_sign_id.valid && in.bios_sign_id.value == UINT64_C(0x1234) << 32);
    assert_int_equal(in.ds_area, CAPS_HOLDS);
    assert_int_equal(in.debugctl_lbr, CAPS_HOLDS);
    assert_int_equal(in.pebs_base, CAPS_HOLDS);
    assert_int_equal(in.arch_lbr_control, CAPS_HOLDS);
    assert_true(in.ia32e_active);
    machine_holds("600 600600, 3f4 3f4000, 1d9 4000, 14ce 6");
}

enum { CAPABILITIES = 1, HYPERVISOR = 2, DS_AREA = 4, LEAF_7_1 = 8, LEAF_23 = 16, PEBS_BASE = 32, LBR_CONTROL = 64 };

/* What ds_probe() has read or tried. */
static unsigned found(void)
{
    return (in.perf_capabilities.valid ? CAPABILITIES : 0u) | (in.leaf_40000000.valid ? HYPERVISOR : 0u) |
           (in.ds_area != CAPS_NOT_TRIED ? DS_AREA : 0u) | (in.leaf_7_1.valid ? LEAF_7_1 : 0u) |
           (in.leaf_23.valid ? LEAF_23 : 0u) | (in.pebs_base != CAPS_NOT_TRIED ? PEBS_BASE : 0u) |
           (in.arch_lbr_control != CAPS_NOT_TRIED ? LBR_CONTROL : 0u);
}

/* If one condition is not met, the registers that depend on it are not accessed. */
UNIT_TEST(conditions)
{
    static const struct {
        uint32_t *flags, without;
        unsigned missing;
    } rows[] = {
        { &cpu.ecx_1, 0, 0 },
        { &cpu.ecx_1, 1u << 15, CAPABILITIES },
        { &cpu.ecx_1, 1u << 31, HYPERVISOR },
        { &cpu.edx_1, 1u << 21, DS_AREA },
        { &cpu.eax_7, 1, LEAF_7_1 | LEAF_23 | PEBS_BASE },
        { &cpu.eax_7_1, 1u << 8, LEAF_23 | PEBS_BASE },
        { &cpu.edx_7, 1u << 19, LBR_CONTROL },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        *rows[i].flags &= ~rows[i].without;
        ds_probe(&in);
        assert_int_equal(found(), 127 & ~rows[i].missing);
    }
    for (unsigned i = 1; i <= 5; i++) {
        const struct caps_leaf *const subleaves[] = { &in.leaf_23_1, &in.leaf_23_2, &in.leaf_23_3, &in.leaf_23_4,
                                                      &in.leaf_23_5 };
        start();
        cpu.eax_23 = 0x7f & ~(1u << i);
        ds_probe(&in);
        for (unsigned k = 1; k <= 5; k++)
            assert_int_equal(subleaves[k - 1]->valid, k != i);
        assert_int_equal(in.pebs_base, i < 4 ? CAPS_HOLDS : CAPS_NOT_TRIED);
    }
    start();
    machine_set(0xc0000080, 1 << 8 | 1 << 11);
    ds_probe(&in);
    assert_false(in.ia32e_active);
}

/* On other vendors' processors the register may mean something else, or raise #GP. */
UNIT_TEST(microcode)
{
    for (unsigned i = 0; i < 3; i++) {
        start();
        *(i == 0 ? &cpu.ebx_0 : i == 1 ? &cpu.ecx_0 : &cpu.edx_0) ^= 1;
        ds_probe(&in);
        assert_false(in.bios_sign_id.valid);
        assert_int_equal(msr_get(0x8b), 7);
    }
    start();
    machine_refuse(0x8b);
    ds_probe(&in);
    assert_false(in.bios_sign_id.valid);
    start();
    machine_refuse(0x1a0);
    machine_refuse(0x1b);
    machine_refuse(0x345);
    ds_probe(&in);
    assert_false(in.misc_enable.valid || in.apic_base.valid || in.perf_capabilities.valid);
}

static unsigned stuck; /* 1: the counter differs from the first value that is written; 2: from both */

static void write_stuck(uint32_t msr, uint64_t value)
{
    if (msr == 0xc2 && (stuck == 2 || value == 0x2aaaaaaa))
        machine_set(msr, 0x777);
}

/* A counter that is in use differs from both values; a difference from one may be a count. */
UNIT_TEST(counters_taken)
{
    for (stuck = 1; stuck <= 2; stuck++) {
        start();
        caps = caps_of(skylake_input());
        caps.general_count = 4;
        caps.general_counters = 0xf;
        machine_sets("187 4300c0, 18a 5, c5 6"); /* 18AH and C5H: of a fifth counter */
        machine.write = write_stuck;
        ds_probe_registers(&caps);
        assert_int_equal(caps.counters_taken, stuck == 2 ? 2 : 0);
        assert_int_equal(caps.general_counters, stuck == 2 ? 0xd : 0xf);
        machine_holds("187 0, 18a 5, c5 6");
    }
}

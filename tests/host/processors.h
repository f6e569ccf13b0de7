/* SPDX-License-Identifier: MIT */
/*
 * Processors for host tests: CPUID and registers of real parts, from which caps_fill() derives the capabilities, as in
 * the kernel. A test that needs another processor changes a value of these.
 */
#ifndef TESTS_HOST_PROCESSORS_H
#define TESTS_HOST_PROCESSORS_H

#include "cpu/caps.h"

#define LEAF(a, b, c, d)                                              \
    {                                                                 \
        .valid = true, .eax = (a), .ebx = (b), .ecx = (c), .edx = (d) \
    }
#define MSR(v)                      \
    {                               \
        .valid = true, .value = (v) \
    }

/* A Skylake client part, 06_5E stepping 3, in 64-bit mode. */
static inline struct caps_input skylake_input(void)
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
        .bios_sign_id = MSR(UINT64_C(0xf000000000)),
        .ds_area = CAPS_HOLDS,
        .debugctl_lbr = CAPS_HOLDS,
        .ia32e_active = true,
    };
}

/* A Pentium 4, 0F_04 stepping 3, in 32-bit mode: without leaf 0AH and IA32_PERF_CAPABILITIES. */
static inline struct caps_input netburst_input(void)
{
    struct caps_input input = skylake_input();

    input.leaf_1.eax = 0x00000f43;
    input.leaf_1.ecx &= ~(1u << 15 | 1u << 2);
    input.leaf_a.valid = input.leaf_7.valid = input.perf_capabilities.valid = false;
    input.ia32e_active = false;
    return input;
}

/* A P-core of an Alder Lake under a hypervisor that conceals BTS: adaptive PEBS, architectural LBRs. */
static inline struct caps_input golden_cove_input(void)
{
    struct caps_input input = skylake_input();

    input.leaf_1.eax = 0x00090672;
    input.leaf_1.ecx |= 1u << 31;
    input.leaf_7.edx |= 1u << 15 | 1u << 19;
    input.leaf_a = (struct caps_leaf)LEAF(0x07300805, 0, 0xf, 0x00008604);
    input.leaf_1a = (struct caps_leaf)LEAF(0x40000001, 0, 0, 0);
    input.leaf_1c = (struct caps_leaf)LEAF(0x4000000b, 0x7, 0x7, 0);
    input.leaf_80000002.valid = input.leaf_80000003.valid = input.leaf_80000004.valid = false;
    input.perf_capabilities.value = 0x74ff;
    input.misc_enable.value |= 1u << 11;
    input.bios_sign_id.value = UINT64_C(0x2b00000000);
    input.arch_lbr_control = CAPS_HOLDS;
    return input;
}

/* Clearwater Forest: leaf 23h as Intel's tests expect it (intel/lkvs, BM/pmu, "bitmap_6"). */
static inline struct caps_input clearwater_forest_input(void)
{
    struct caps_input input = skylake_input();

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

static inline struct caps caps_of(struct caps_input input)
{
    struct caps caps;

    caps_fill(&input, &caps);
    return caps;
}

#endif

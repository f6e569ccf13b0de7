/* SPDX-License-Identifier: MIT */
/*
 * Which bits WRMSR accepts on real processors, in the registers of performance monitoring and of LBRs, as VirtualBox's
 * program for new processors measured them: github.com/VirtualBox/virtualbox (4908d8d1), src/VBox/VMM/VMMR3/cpus. The
 * figures of a register that changed while it was measured are left out.
 */
#ifndef TESTS_HOST_MSR_FACTS_H
#define TESTS_HOST_MSR_FACTS_H

#include <stdint.h>

#define EVERY_BIT  UINT64_MAX
#define UPPER_HALF (UINT64_MAX << 32)
#define ESCR_BITS  (~UINT64_C(0x80000000))

static const struct msr_fact {
    const char *letters; /* the profiles, as in test_model_facts.c */
    uint32_t first, count;
    uint64_t accepted; /* other bits raise #GP; 0: read-only */
    uint64_t dropped;  /* of these, the bits that keep their value; not of registers that are written to clear bits */
    uint64_t value;    /* of IA32_PERF_CAPABILITIES; not compared of others */
} msr_facts[] = {
    /* Pentium 4 3.00 GHz, 0F_04. Registers whose bits were not tested are left out: IA32_DS_AREA and the LBR stack. */
    { "X", 0x180, 11, 0, 0, 0 },
    { "X", 0x1a0, 1, 0x423ef07ff, 0x20800080, 0 },
    { "X", 0x1d7, 2, 0, 0, 0 },
    { "X", 0x1d9, 1, 0x7f, 0, 0 },
    { "X", 0x1da, 1, EVERY_BIT, ~UINT64_C(0xf), 0 },
    { "X", 0x300, 18, EVERY_BIT, 0xffffff0000000000, 0 },
    { "X", 0x360, 12, EVERY_BIT, UPPER_HALF | 0xfff, 0 },
    { "X", 0x36c, 1, EVERY_BIT, UPPER_HALF | 0x7ff, 0 },
    { "X", 0x36d, 2, EVERY_BIT, UPPER_HALF | 0xfff, 0 },
    { "X", 0x36f, 1, EVERY_BIT, UPPER_HALF | 0x7ff, 0 },
    { "X", 0x370, 2, EVERY_BIT, UPPER_HALF | 0xff, 0 },
    { "X", 0x3a0, 2, ESCR_BITS, UPPER_HALF, 0 },
    { "X", 0x3a2, 2, ESCR_BITS, UPPER_HALF | 0x40000000, 0 },
    { "X", 0x3a4, 4, ESCR_BITS, UPPER_HALF, 0 },
    { "X", 0x3a8, 2, ESCR_BITS, UPPER_HALF | 0x61fe01f0, 0 },
    { "X", 0x3aa, 6, ESCR_BITS, UPPER_HALF, 0 },
    { "X", 0x3b0, 2, ESCR_BITS, UPPER_HALF | 0x71c001f0, 0 },
    { "X", 0x3b2, 2, ESCR_BITS, UPPER_HALF | 0x61fc0000, 0 },
    { "X", 0x3b4, 2, ESCR_BITS, UPPER_HALF | 0x71fe01f0, 0 },
    { "X", 0x3b6, 2, ESCR_BITS, UPPER_HALF | 0x0ffff1e0, 0 },
    { "X", 0x3b8, 2, ESCR_BITS, UPPER_HALF | 0x71fe01f0, 0 },
    { "X", 0x3ba, 2, ESCR_BITS, UPPER_HALF | 0x7fffffff, 0 },
    { "X", 0x3bc, 3, ESCR_BITS, UPPER_HALF, 0 },
    { "X", 0x3c0, 2, ESCR_BITS, UPPER_HALF | 0x61ff81e0, 0 },
    { "X", 0x3c2, 2, ESCR_BITS, UPPER_HALF | 0x71fe01f0, 0 },
    { "X", 0x3c4, 2, ESCR_BITS, UPPER_HALF | 0x61f801f0, 0 },
    { "X", 0x3c8, 2, ESCR_BITS, UPPER_HALF | 0x71fe01f0, 0 },
    { "X", 0x3ca, 2, ESCR_BITS, UPPER_HALF | 0x700001f0, 0 },
    { "X", 0x3cc, 2, ESCR_BITS, UPPER_HALF | 0x61f001f0, 0 },
    { "X", 0x3e0, 2, ESCR_BITS, UPPER_HALF | 0x71ff01f0, 0 },
    { "X", 0x3f0, 1, EVERY_BIT, 0xfffffffffffc001f, 0 },
    { "X", 0x3f1, 1, EVERY_BIT, 0xfffffffff8000000, 0 },
    { "X", 0x3f2, 1, EVERY_BIT, ~UINT64_C(0x1fff), 0 },
    /* Pentium M 2.00 GHz, 06_0D; Core Duo T2600, 06_0E; Xeon X5482, 06_17 */
    { "M", 0x040, 8, 0, 0, 0 },
    { "MD", 0x186, 2, EVERY_BIT, UPPER_HALF, 0 },
    { "2", 0x186, 2, 0xffdfffff, 0, 0 },
    { "M", 0x1c9, 1, 0, 0, 0 },
    { "M", 0x1d9, 1, EVERY_BIT, 0xffffffffffffc200, 0 },
    { "D", 0x1d9, 1, 0x1c3, 0, 0 },
    { "2", 0x1d9, 1, 0x5fc3, 0, 0 },
    { "2", 0x309, 3, 0xffffffffff, 0, 0 },
    { "D", 0x345, 1, 0, 0, 0 },
    { "2", 0x345, 1, 0, 0, 0x10c2 },
    { "2", 0x38d, 1, 0xbbb, 0, 0 },
    { "2", 0x38e, 1, 0, 0, 0 },
    { "2", 0x3f1, 1, EVERY_BIT, ~UINT64_C(1), 0 },
    { "MD", 0x600, 1, EVERY_BIT, UPPER_HALF, 0 },
    /* i7-2635QM, 06_2A; i5-3570, 06_3A, without Hyper-Threading; i7-5600U, 06_3D; i7-6700K, 06_5E */
    { "SK", 0x034, 1, 0, 0, 0 },
    { "S", 0x186, 4, 0xfff7ffff, 0, 0 },
    { "BK", 0x186, 2, 0x1fff7ffff, 0, 0 },
    { "BK", 0x188, 1, 0x3fff7ffff, 0, 0 },
    { "BK", 0x189, 1, 0x1fff7ffff, 0, 0 },
    { "SVB", 0x1a6, 2, 0x3fffff8fff, 0, 0 },
    { "K", 0x1a6, 2, 0x3fffff9fff, 0, 0 },
    { "SV", 0x1c8, 1, 0x1ff, 0, 0 },
    { "BK", 0x1c8, 1, 0x3ff, 0, 0 },
    { "SVB", 0x1c9, 1, 0xf, 0, 0 },
    { "K", 0x1c9, 1, 0x1f, 0, 0 },
    { "SV", 0x1d9, 1, 0x7fc3, 0, 0 },
    { "BK", 0x1d9, 1, 0xffc3, 0, 0 },
    { "SVBK", 0x309, 3, 0xffffffffffff, 0, 0 },
    { "SV", 0x345, 1, 0, 0, 0x31c3 },
    { "B", 0x345, 1, 0, 0, 0x32c4 },
    { "K", 0x345, 1, 0, 0, 0x33c5 },
    { "SVBK", 0x38d, 1, 0xfff, 0, 0 },
    { "SVBK", 0x38e, 1, 0, 0, 0 },
    { "SBK", 0x38f, 1, 0x70000000f, 0, 0 },
    { "V", 0x38f, 1, 0x7000000ff, 0, 0 },
    { "S", 0x390, 1, 0xe00000070000000f, 0, 0 },
    { "V", 0x390, 1, 0xe0000007000000ff, 0, 0 },
    { "B", 0x390, 1, 0xe08000070000000f, 0, 0 },
    { "K", 0x390, 2, 0xfc8000070000000f, 0, 0 },
    { "K", 0x392, 1, 0, 0, 0 },
    { "SV", 0x3f1, 1, 0x8000000f0000000f, 0, 0 },
    { "BK", 0x3f1, 1, 0xf0000000f, 0, 0 },
    { "SVBK", 0x3f6, 1, EVERY_BIT, ~UINT64_C(0xffff), 0 },
    { "K", 0x3f7, 1, 0x7fff17, 0, 0 },
    { "V", 0x4c1, 8, 0xffffffffffff, 0, 0 },
    { "B", 0x4c1, 4, 0xffffffffffff, 0, 0 },
    { "K", 0xdc0, 32, 0xe00000000000ffff, 0, 0 },
};

#endif

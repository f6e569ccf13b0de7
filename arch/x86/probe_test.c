/* SPDX-License-Identifier: MIT */
/* Probing reads CPUID correctly, and restores the registers that it tries. */
#include "arch/x86/probe.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "kernel/test.h"
#include "suite/support/sources.h"

static void compare_leaf(struct test_run *run, uint32_t leaf, const struct caps_leaf *got)
{
    const uint32_t most = cpuid(leaf & 0x80000000u, 0).eax;
    const bool valid = leaf <= most && (most & 0x80000000u) == (leaf & 0x80000000u);
    const struct cpuid want = valid ? cpuid(leaf, 0) : (struct cpuid){ 0 };

    if (got->valid != valid || got->eax != want.eax || got->ebx != want.ebx || got->ecx != want.ecx ||
        got->edx != want.edx)
        test_fail(run, "leaf 0x%x is read as %s 0x%x 0x%x 0x%x 0x%x, must be %s 0x%x 0x%x 0x%x 0x%x", (unsigned)leaf,
                  got->valid ? "valid" : "missing", (unsigned)got->eax, (unsigned)got->ebx, (unsigned)got->ecx,
                  (unsigned)got->edx, valid ? "valid" : "missing", (unsigned)want.eax, (unsigned)want.ebx,
                  (unsigned)want.ecx, (unsigned)want.edx);
}

static void leaves(struct test_run *run)
{
    struct caps_input in;

    ds_probe(&in);
    compare_leaf(run, 0x0, &in.leaf_0);
    compare_leaf(run, 0x1, &in.leaf_1);
    compare_leaf(run, 0x7, &in.leaf_7);
    compare_leaf(run, 0xa, &in.leaf_a);
    compare_leaf(run, 0x1c, &in.leaf_1c);
    compare_leaf(run, 0x80000001, &in.leaf_80000001);
    compare_leaf(run, 0x80000002, &in.leaf_80000002);
    compare_leaf(run, 0x80000003, &in.leaf_80000003);
    compare_leaf(run, 0x80000004, &in.leaf_80000004);
    compare_leaf(run, 0x80000008, &in.leaf_80000008);
}

/* Values to write, one after the other: the registers can hold them. */
static const struct {
    uint32_t msr;
    uint64_t values[2];
} tried[] = {
    { 0x1d9, { 0, 1 } },           /* IA32_DEBUGCTL: LBR */
    { 0x600, { 0, 0x12345000 } },  /* IA32_DS_AREA */
    { 0x14ce, { 0, 1 | 3 << 1 } }, /* IA32_LBR_CTL: LBREn, OS, USR */
};

static bool is_there(const struct caps *caps, uint32_t msr)
{
    const bool arch_lbr = caps->lbr_layout == LBR_LAYOUT_ARCH;

    return msr == 0x600 ? caps->ds : msr == 0x14ce ? arch_lbr : !arch_lbr;
}

static void registers(struct test_run *run)
{
    struct caps_input in;

    for (unsigned i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        for (unsigned n = 0; n < 2 && is_there(run->caps, tried[i].msr); n++) {
            const uint64_t before = msr_get(tried[i].msr);
            const uint64_t value = tried[i].values[n];

            msr_try(tried[i].msr, value);
            ds_probe(&in);
            if (msr_get(tried[i].msr) != value)
                test_fail(run, "MSR 0x%x is 0x%llx after the probe, was 0x%llx", (unsigned)tried[i].msr,
                          (unsigned long long)msr_get(tried[i].msr), (unsigned long long)value);
            msr_write(tried[i].msr, before);
        }
    }
}

/* A quirk of the model's hypervisor refuses the register (docs/model.md). */
static void refused(struct test_run *run)
{
    uint64_t value = 0x1234;

    if (msr_read(MSR_IA32_MISC_ENABLE, &value)) {
        test_skip(run, "IA32_MISC_ENABLE can be read here");
        return;
    }
    if (value || msr_get(MSR_IA32_MISC_ENABLE) || msr_write(MSR_IA32_MISC_ENABLE, 0))
        test_fail(run, "a refused read stores or returns another value than 0, or a refused write succeeds");
}

TESTS(probes) = {
    { "selftest.probe.leaves",
      "Each leaf of CPUID is read unchanged, and counts as missing if it is above the processor's highest leaf",
      OWN_PROBE, .on_request = true, .run = leaves },
    { "selftest.probe.registers", "The probe restores the registers that it tries", OWN_PROBE, .needs = NEED_LBR,
      .on_request = true, .run = registers },
    { "selftest.probe.refused", "If reading a register raises #GP, the value is 0 and the function returns false",
      OWN_PROBE, .on_request = true, .run = refused },
};

/* SPDX-License-Identifier: MIT */
/* Facilities that firmware left on are stopped, reported and restored: registers by number, SDM Vol. 4 (335592-081),
 * tables 2-2 and 2-20. */
#include "tests/host/unit_test.h"

#include "kernel/console.h"
#include "kernel/firmware.h"
#include "kernel/reset_state.h"
#include "tests/host/machine/machine.h"

/* The machine's CPUID and vendor. */
static struct processor {
    uint32_t leaf_0, signature, edx, leaf_a, leaf_7, leaf_7_b, leaf_7_1, leaf_23;
    bool other_vendor, limited;
} of;

static struct cpuid leaves(uint32_t leaf, uint32_t subleaf)
{
    if (leaf == 0)
        return (struct cpuid){ of.limited ? 2 : of.leaf_0, 0x756e6547, of.other_vendor ? 0 : 0x6c65746e, 0x49656e69 };
    if (leaf == 1)
        return (struct cpuid){ .eax = of.signature, .edx = of.edx };
    if (leaf == 7)
        return subleaf ? (struct cpuid){ .eax = of.leaf_7_1 }
                       : (struct cpuid){ .eax = of.leaf_7_1 ? 1 : 0, .ebx = of.leaf_7_b, .edx = of.leaf_7 };
    return (struct cpuid){ .eax = leaf == 0xa ? of.leaf_a : leaf == 0x23 ? of.leaf_23 : 0 };
}

static void write_limit(uint32_t msr, uint64_t value)
{
    if (msr == 0x1a0)
        of.limited = value >> 22 & 1;
}

static void start(struct processor processor)
{
    of = processor;
    machine_start();
    machine.leaves = leaves;
    machine.write = write_limit;
}

static const struct processor skylake = { .leaf_0 = 0x16, .signature = 0x506e3, .edx = 1u << 21, .leaf_a = 0x07300404 };

UNIT_TEST(firmware_left_no_state)
{
    start(skylake);
    machine_set(0x38f, 0xf); /* as after a reset */
    machine_set(0x186, 0xc0);
    machine_set(0x38d, 0xbbb); /* IA32_PERF_GLOBAL_CTRL does not enable them */
    machine_set(0x1d9, 1 << 14);
    machine_set(0x1a0, 0x850089);
    machine.dr7 = 0x400;
    firmware_take_over();
    firmware_text(&console_sink);
    firmware_give_back();
    machine_did("");
    machine_printed("");
}

UNIT_TEST(everything_left)
{
    start(skylake);
    machine.dr7 = 0x402;
    machine_set(0x1d9, 1 << 14 | 0x1c1); /* freeze in SMM; LBR, TR, BTS, BTINT */
    machine_set(0x3f1, 0x100000003);
    machine_set(0x38f, 0x30000000b);
    machine_set(0x186, 0x4300c0);
    machine_set(0x187, 0x300c0);  /* no enable bit of its own */
    machine_set(0x188, 0x4300c0); /* not enabled in IA32_PERF_GLOBAL_CTRL */
    machine_set(0x189, 0x5300c4);
    machine_set(0xc1, 0x1111);
    machine_set(0xc4, 0x4444);
    machine_set(0x38d, 0xb83); /* fixed counter 2 is not enabled globally, 1 only for PMI */
    machine_set(0x309, 0x9999);
    firmware_take_over();
    machine_did("dr7 400\n"
                "wrmsr 1d9 4100\n"
                "wrmsr 3f1 0\n"
                "wrmsr 186 300c0\n"
                "wrmsr 189 300c4\n"
                "wrmsr 38d b80\n");
    assert_int_equal(firmware_left(0x186), 0x4300c0);
    assert_int_equal(firmware_left(0x1d9), 1 << 14 | 0x1c1);
    assert_int_equal(firmware_left(0x187), 0x300c0);

    firmware_text(&console_sink);
    machine_printed("firmware left breakpoints enabled, DR7 at 0x402: cleared\n"
                    "firmware left IA32_DEBUGCTL (0x1d9) recording branches, at 0x41c1: stopped until the end\n"
                    "firmware left MSR_PEBS_ENABLE (0x3f1) sampling, at 0x100000003: stopped\n"
                    "firmware left IA32_PERFEVTSELx (0x186) counting, at 0x4300c0: stopped until the end\n"
                    "firmware left IA32_PERFEVTSELx (0x189) counting, at 0x5300c4: stopped until the end\n"
                    "firmware left IA32_FIXED_CTR_CTRL (0x38d) counting, at 0xb83: stopped until the end\n");

    /* The tests leave all registers 0. BTS and PEBS stay off, because firmware no longer owns their memory. */
    machine_set(0x186, 0);
    machine_set(0xc1, 7);
    firmware_give_back();
    machine_did("wrmsr c1 1111\n"
                "wrmsr c4 4444\n"
                "wrmsr 309 9999\n"
                "wrmsr 1d9 4101\n"
                "wrmsr 186 4300c0\n"
                "wrmsr 189 5300c4\n"
                "wrmsr 38d b83\n"
                "wrmsr 38f 30000000b\n");
}

static bool keeps_force_abort(uint32_t msr, uint64_t value)
{
    return msr == 0x10f && value & 1;
}

/* Errata BDM104 and SKL179. */
UNIT_TEST(trace_and_transactions)
{
    start((struct processor){ .leaf_0 = 0x16, .signature = 0x506e3, .leaf_7_b = 1u << 25, .leaf_7 = 1u << 13 });
    machine_set(0x570, 0x210d);
    machine_set(0x10f, 4);
    firmware_take_over();
    machine_did("wrmsr 570 210c\nwrmsr 10f 5\n");
    assert_int_equal(firmware_unreliable_counters(), 0);
    firmware_text(&console_sink);
    machine_printed("firmware left IA32_RTIT_CTL (0x570) tracing, at 0x210d: stopped until the end\n"
                    "firmware left TSX_FORCE_ABORT (0x10f) clear, which makes counter 3 unreliable, at 0x4: set until "
                    "the end\n");
    firmware_give_back();
    machine_did("wrmsr 570 210d\nwrmsr 10f 4\n");

    machine.refuses = keeps_force_abort;
    machine_set(0x570, 0);
    firmware_take_over();
    assert_int_equal(firmware_unreliable_counters(), 8);
    firmware_text(&console_sink);
    machine_printed("firmware keeps TSX_FORCE_ABORT clear: counter 3 is left out\n");
}

/* Each tested processor has its own saved state. */
UNIT_TEST(two_processors)
{
    start(skylake);
    machine_set(0x38f, 0x1);
    machine_set(0x186, 0x4300c0);
    machine_set(0xc1, 0x1111);
    firmware_take_over();
    machine_did("wrmsr 186 300c0\n");
    firmware_of(1); /* its registers equal the first processor's current ones */
    machine_set(0x1d9, 1);
    firmware_take_over();
    machine_did("wrmsr 1d9 0\n");
    assert_int_equal(firmware_left(0x186), 0x300c0);
    firmware_text(&console_sink);
    machine_printed("firmware left IA32_DEBUGCTL (0x1d9) recording branches, at 0x1: stopped until the end\n");
    firmware_give_back();
    machine_did("wrmsr 1d9 1\n");
    firmware_of(0);
    assert_int_equal(firmware_left(0x186), 0x4300c0);
    firmware_give_back();
    machine_did("wrmsr c1 1111\nwrmsr 186 4300c0\nwrmsr 38f 1\n");
}

/* A second take-over saves the state at that time. */
UNIT_TEST(second_take_over)
{
    start(skylake);
    machine_set(0x38f, 0xf);
    machine_set(0x186, 0x4300c0);
    firmware_take_over();
    machine_did("wrmsr 186 300c0\n");
    firmware_take_over();
    firmware_give_back();
    firmware_text(&console_sink);
    machine_did("");
    machine_printed("");
}

UNIT_TEST(a_limit)
{
    start(skylake);
    of.limited = true;
    machine_set(0x1a0, 0xc50089);
    machine_set(0x38f, 0xf);
    machine_set(0x186, 0x4300c0); /* in leaf 0Ah, concealed by the limit */
    machine_set(0xc1, 5);
    firmware_take_over();
    machine_did("wrmsr 1a0 850089\nwrmsr 186 300c0\n");
    firmware_text(&console_sink);
    machine_printed("firmware left CPUID limited to leaf 2 by IA32_MISC_ENABLE bit 22: cleared until the end\n"
                    "firmware left IA32_PERFEVTSELx (0x186) counting, at 0x4300c0: stopped until the end\n");
    firmware_give_back();
    machine_did("wrmsr c1 5\nwrmsr 186 4300c0\nwrmsr 38f f\nwrmsr 1a0 c50089\n");
}

/* The limit's bit stays set, with or without #GP. */
static void write_nothing(uint32_t msr, uint64_t value)
{
    if (msr == 0x1a0 && !(value >> 22 & 1))
        machine_set(msr, value | 1 << 22);
}

UNIT_TEST(a_limit_that_stays)
{
    start(skylake);
    of.limited = true;
    machine.write = write_nothing;
    machine_set(0x1a0, 0xc50089);
    firmware_take_over();
    machine_did("wrmsr 1a0 850089\n");
    firmware_text(&console_sink);
    machine_printed("firmware left CPUID limited to leaf 2 by IA32_MISC_ENABLE bit 22: it cannot be cleared\n");
    firmware_give_back();
    machine_did("");
}

/* Version 1 lacks IA32_PERF_GLOBAL_CTRL; a family 6 without leaf 0Ah has two counters; NetBurst has CCCRs. */
UNIT_TEST(other_counters)
{
    start((struct processor){ .leaf_0 = 0xa, .signature = 0x6ec, .leaf_a = 0x07280201 });
    machine_set(0x186, 0x4300c0);
    machine_set(0x188, 0x4300c0);
    machine_set(0x38d, 3);
    machine_set(0x38f, 0x100000000);
    machine_set(0x3f1, 1); /* not IA32_PEBS_ENABLE: there is no debug store */
    firmware_take_over();
    machine_did("wrmsr 186 300c0\n");
    firmware_give_back();
    machine_did("wrmsr c1 0\nwrmsr 186 4300c0\n");

    start((struct processor){ .leaf_0 = 0xa, .signature = 0x1067a, .leaf_a = 0x07280202 }); /* Core 2 */
    machine_set(0x38d, 0x333);
    machine_set(0x38f, 0x700000003);
    firmware_take_over();
    machine_did("wrmsr 38d 0\n");

    start((struct processor){ .leaf_0 = 2, .signature = 0x6d8, .edx = 1u << 21 });
    machine_set(0x187, 0x4300c0);
    machine_set(0x188, 0x4300c0);
    firmware_take_over();
    machine_did("wrmsr 187 300c0\n");

    start((struct processor){ .leaf_0 = 2, .signature = 0xf27, .edx = 1u << 21 });
    machine_set(0x1d9, 0xd); /* LBR, TR, BTS */
    machine_set(0x186, 0x4300c0);
    machine_set(0x360, 0x1000);
    machine_set(0x371, 0x39000);
    firmware_take_over();
    machine_did("wrmsr 1d9 0\nwrmsr 360 0\nwrmsr 371 38000\n");
    firmware_text(&console_sink);
    machine_printed("firmware left IA32_DEBUGCTL (0x1d9) recording branches, at 0xd: stopped until the end\n"
                    "firmware left CCCR (0x360) counting, at 0x1000: stopped until the end\n"
                    "firmware left CCCR (0x371) counting, at 0x39000: stopped until the end\n");
    firmware_give_back();
    machine_did("wrmsr 1d9 1\nwrmsr 360 1000\nwrmsr 371 39000\n");
}

UNIT_TEST(architectural_lbrs)
{
    start(skylake);
    machine_set(0x14ce, 7);
    firmware_take_over();
    machine_did("");
    of.leaf_7 = 1u << 19;
    firmware_take_over();
    machine_did("wrmsr 14ce 6\n");
    firmware_give_back();
    machine_did("wrmsr 14ce 7\n");
}

UNIT_TEST(not_intel)
{
    start(skylake);
    of.other_vendor = true;
    machine.dr7 = 0x401;
    machine_set(0x1d9, 1);
    machine_set(0x1a0, 1 << 22);
    firmware_take_over();
    machine_did("dr7 400\n");
    firmware_give_back();
    machine_did("");
}

UNIT_TEST(refused)
{
    static const uint32_t registers[] = { 0x1a0, 0x1d9, 0x3f1, 0x38d, 0x38f, 0x186, 0x187, 0x188, 0x189 };
    start(skylake);
    for (size_t i = 0; i < COUNT_OF(registers); i++)
        machine_refuse(registers[i]);
    firmware_take_over();
    firmware_give_back();
    machine_did("");
    assert_int_equal(firmware_left(0x186), 0);
}

/*
 * Every register of the largest processors fits: Lion Cove has ten general counters. If leaf 0AH lists only what all
 * kinds of cores have (Alder Lake), IA32_PERF_GLOBAL_CTRL shows which counters exist.
 */
UNIT_TEST(largest_processors)
{
    start(skylake);
    of.leaf_a = 0x07300606;
    machine_set(0x38f, UINT64_MAX);
    machine_set(0x38d, 0x33333333);
    machine_set(0x1d9, 1);
    machine_set(0x3f1, 1);
    for (unsigned n = 0; n < 10; n++) {
        machine_set(0x186 + n, 0x400000);
        machine_set(0xc1 + n, n + 1);
        machine_set(0x309 + n, n + 1);
    }
    firmware_take_over();
    machine_did(
        "wrmsr 1d9 0\nwrmsr 3f1 0\nwrmsr 186 0\nwrmsr 187 0\nwrmsr 188 0\nwrmsr 189 0\nwrmsr 18a 0\nwrmsr 18b 0\n"
        "wrmsr 18c 0\nwrmsr 18d 0\nwrmsr 18e 0\nwrmsr 18f 0\nwrmsr 38d 0\n");
    firmware_give_back();
    machine_did(
        "wrmsr c1 1\nwrmsr c2 2\nwrmsr c3 3\nwrmsr c4 4\nwrmsr c5 5\nwrmsr c6 6\nwrmsr c7 7\nwrmsr c8 8\nwrmsr c9 9\n"
        "wrmsr ca a\n"
        "wrmsr 309 1\nwrmsr 30a 2\nwrmsr 30b 3\nwrmsr 30c 4\nwrmsr 30d 5\nwrmsr 30e 6\nwrmsr 30f 7\nwrmsr 310 8\n"
        "wrmsr 1d9 1\nwrmsr 186 400000\nwrmsr 187 400000\nwrmsr 188 400000\nwrmsr 189 400000\nwrmsr 18a 400000\n"
        "wrmsr 18b 400000\nwrmsr 18c 400000\nwrmsr 18d 400000\nwrmsr 18e 400000\nwrmsr 18f 400000\n"
        "wrmsr 38d 33333333\nwrmsr 38f ffffffffffffffff\n");
}

/* Firmware no longer owns its buffer: PEBS stays off. Without CPUID.23H the register does not exist. */
UNIT_TEST(architectural_pebs)
{
    start(skylake);
    of.leaf_0 = 0x23;
    machine_set(0x3f5, 0x1000100000040);
    machine_set(0x38f, 1);
    machine_set(0x186, 0x4300c0);
    firmware_take_over();
    machine_did("wrmsr 186 300c0\n");
    machine_set(0x186, 0x4300c0);
    of.leaf_7_1 = 1u << 8;
    of.leaf_23 = 0x12; /* sub-leaf 4 (PEBS capabilities) without sub-leaf 5 (PEBS counters) */
    firmware_take_over();
    machine_did("wrmsr 186 300c0\n");
    machine_set(0x186, 0x4300c0);
    of.leaf_23 = 0x32;
    firmware_take_over();
    machine_did("wrmsr 3f5 1000000000040\nwrmsr 186 300c0\n");
    firmware_text(&console_sink);
    machine_printed("firmware left IA32_PEBS_INDEX (0x3f5) sampling, at 0x1000100000040: stopped\n"
                    "firmware left IA32_PERFEVTSELx (0x186) counting, at 0x4300c0: stopped until the end\n");
    firmware_give_back();
    machine_did("wrmsr c1 0\nwrmsr 186 4300c0\nwrmsr 38f 1\n");
}

/* "After reset" means the state that firmware left, before the kernel changes it. */
UNIT_TEST(after_reset)
{
    const struct caps caps = { .general_count = 4, .global_ctrl = true };
    start(skylake);
    machine_set(0x38f, 0xf);
    machine_set(0x187, 0x4300c0);
    firmware_take_over();
    reset_state_take(&caps);
    assert_int_equal(reset_state()->event_select[1], 0x4300c0);
    assert_int_equal(reset_state()->event_select[0], 0);
}

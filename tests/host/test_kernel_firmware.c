/* SPDX-License-Identifier: MIT */
/* Facilities that firmware left on are stopped, reported and restored: registers by number, SDM Vol. 4 (335592-081),
 * tables 2-2 and 2-20. Boots with quirk=left_running, trace_left, force_abort, cpuid_limited and apic_off test the
 * rest. */
#include "tests/host/unit_test.h"

#include "arch/x86/msr.h"
#include "kernel/console.h"
#include "kernel/firmware.h"
#include "tests/host/machine/machine.h"

/* The machine's CPUID and vendor, and whether CPUID is limited to leaf 2. */
static struct processor {
    uint32_t leaf_0, signature, edx, leaf_a, leaf_7, leaf_7_b, leaf_7_1, leaf_23;
    bool other_vendor, limited, stays_limited;
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

/* The limit's bit may stay set without #GP. */
static void write_limit(uint32_t msr, uint64_t value)
{
    if (msr == 0x1a0 && of.stays_limited)
        machine_set(msr, value | 1 << 22);
    else if (msr == 0x1a0)
        of.limited = value >> 22 & 1;
}

static void start(const struct processor *processor, const char *left)
{
    of = *processor;
    machine_start();
    machine.leaves = leaves;
    machine.write = write_limit;
    machine_sets(left);
}

#define SKYLAKE .leaf_0 = 0x16, .signature = 0x506e3, .edx = 1u << 21, .leaf_a = 0x07300404
#define LEAF_23 .leaf_0 = 0x23, .signature = 0x506e3, .leaf_a = 0x07300404
static const struct processor skylake = { SKYLAKE };

#define DEBUGCTL_AT(value) \
    "firmware left IA32_DEBUGCTL (0x1d9) recording branches, at 0x" value ": stopped until the end\n"
#define DR7_AT(value)       "firmware left breakpoints enabled, DR7 at 0x" value ": cleared\n"
#define PEBS_AT(how)        "firmware left MSR_PEBS_ENABLE (0x3f1) " how ": stopped\n"
#define INDEX_AT(value)     "firmware left IA32_PEBS_INDEX (0x3f5) sampling, at 0x" value ": stopped\n"
#define CCCR_AT(msr, value) "firmware left CCCR (0x" msr ") counting, at 0x" value ": stopped until the end\n"
#define FIXED_AT(value)     "firmware left IA32_FIXED_CTR_CTRL (0x38d) counting, at 0x" value ": stopped until the end\n"
#define LIMITED             "firmware left CPUID limited to leaf 2 by IA32_MISC_ENABLE bit 22: "
#define SELECT_AT(msr, value) \
    "firmware left IA32_PERFEVTSELx (0x" msr ") counting, at 0x" value ": stopped until the end\n"

/* A processor may ignore the write that switches its local APIC on again. */
UNIT_TEST(apic_that_stays_off)
{
    start(&(const struct processor){ .leaf_0 = 2, .signature = 0x6d8, .edx = 1u << 5 }, "1b fee00100");
    firmware_apic_on();
    machine_holds("1b fee00100");
    firmware_text(&console_sink);
    machine_printed("firmware left the local APIC off, IA32_APIC_BASE at 0xfee00100: it cannot be switched on\n");
    firmware_apic_off();
    machine_holds("1b fee00100");
    of.edx = 1u << 9; /* the next test finds it on */
    firmware_apic_on();
}

/*
 * The registers as firmware leaves them, after the kernel has stopped facilities, as its tests leave them, and after
 * the kernel has restored them; and what is printed.
 */
UNIT_TEST(registers)
{
    static const struct {
        struct processor of;
        uintptr_t dr7;
        const char *left, *taken, *tested, *given; /* taken, given: NULL if no register is written */
        const char *text;
    } rows[] = {
        /*
         * Freeze in SMM, LBR, TR, BTS, BTINT. 187H has no enable bit of its own; 188H and fixed counter 2 are not
         * enabled in IA32_PERF_GLOBAL_CTRL; fixed counter 1 is enabled only for PMI. BTS and PEBS stay off, because
         * firmware no longer owns their memory.
         */
        { .of = { SKYLAKE },
          .dr7 = 0x402,
          .left = "1d9 41c1, 3f1 100000003, 38f 30000000b, 186 4300c0, 187 300c0, 188 4300c0, 189 5300c4, c1 1111, "
                  "c4 4444, 38d b83, 309 9999",
          .taken = "1d9 4100, 3f1 0, 186 0, 187 300c0, 188 4300c0, 189 0, 38d b80",
          .tested = "186 0, c1 7, 38f 0",
          .given = "c1 1111, c4 4444, 309 9999, 1d9 4101, 186 4300c0, 189 5300c4, 38d b83, 38f 30000000b, 3f1 0",
          .text = DR7_AT("402") DEBUGCTL_AT("41c1") PEBS_AT("sampling, at 0x100000003") SELECT_AT("186", "4300c0")
              SELECT_AT("189", "5300c4") FIXED_AT("b83") },
        { .of = { .leaf_0 = 0x1b, .signature = 0x906c0, .edx = 1u << 21, .leaf_a = 0x07300404 },
          .left = "3f1 3000000000000001",
          .taken = "3f1 0",
          .given = "3f1 0",
          .text = PEBS_AT("sampling into Intel PT, at 0x3000000000000001") },
        { .of = { SKYLAKE, .limited = true, .stays_limited = true },
          .left = "1a0 c50089",
          .taken = "1a0 c50089",
          .text = LIMITED "it cannot be cleared\n" },
        /* Version 1 lacks IA32_PERF_GLOBAL_CTRL; without a debug store 3F1H is not IA32_PEBS_ENABLE. */
        { .of = { .leaf_0 = 0xa, .signature = 0x6ec, .leaf_a = 0x07280201 },
          .left = "186 4300c0, 188 4300c0, 38d 3, 38f 100000000, 3f1 1",
          .taken = "186 0, 188 4300c0, 38d 3, 38f 100000000, 3f1 1",
          .tested = "c1 9",
          .given = "c1 0, 186 4300c0",
          .text = SELECT_AT("186", "4300c0") },
        { .of = { .leaf_0 = 0xa, .signature = 0x1067a, .leaf_a = 0x07280202 },
          .left = "38d 333, 38f 700000003",
          .taken = "38d 0",
          .given = "38d 333",
          .text = FIXED_AT("333") },
        /* NetBurst has CCCRs. */
        { .of = { .leaf_0 = 2, .signature = 0xf27, .edx = 1u << 21 },
          .left = "1d9 d, 186 4300c0, 360 1000, 371 39000",
          .taken = "1d9 0, 186 4300c0, 360 0, 371 38000",
          .given = "1d9 1, 360 1000, 371 39000",
          .text = DEBUGCTL_AT("d") CCCR_AT("360", "1000") CCCR_AT("371", "39000") },
        /* Without its flag in CPUID, a register is not touched. */
        { .of = { .leaf_0 = 0x16, .signature = 0x506e3 }, .left = "14ce 7" },
        { .of = { .leaf_0 = 0x16, .signature = 0x506e3, .edx = 1u << 21, .other_vendor = true },
          .dr7 = 0x401,
          .left = "1d9 1, 1a0 400000",
          .text = DR7_AT("401") },
        /* Firmware no longer owns the buffer of architectural PEBS. Sub-leaf 4 alone does not mean it. */
        { .of = { LEAF_23 }, .left = "3f5 1000100000040" },
        { .of = { LEAF_23, .leaf_7_1 = 1u << 8, .leaf_23 = 0x12 }, .left = "3f5 1000100000040" },
        { .of = { LEAF_23, .leaf_7_1 = 1u << 8, .leaf_23 = 0x32 },
          .left = "3f5 1000100000040, 38f 1, 186 4300c0",
          .taken = "3f5 1000000000040, 186 0",
          .tested = "3f5 0, 38f 0, c1 9",
          .given = "3f5 0, c1 0, 186 4300c0, 38f 1",
          .text = INDEX_AT("1000100000040") SELECT_AT("186", "4300c0") },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start(&rows[i].of, rows[i].left);
        machine.dr7 = rows[i].dr7;
        firmware_take_over();
        machine_holds(rows[i].taken ? rows[i].taken : rows[i].left);
        if (!rows[i].taken)
            assert_int_equal(machine.writes, 0);
        assert_int_equal(machine.dr7, rows[i].dr7 & 0x400); /* without the breakpoints */
        firmware_text(&console_sink);
        machine_printed(rows[i].text ? rows[i].text : "");
        machine_sets(rows[i].tested ? rows[i].tested : "");
        const unsigned writes = machine.writes;
        firmware_give_back();
        if (rows[i].given)
            machine_holds(rows[i].given);
        else
            assert_int_equal(machine.writes, writes);
    }
}

/* Each tested processor has its own saved state. A second take-over saves the state at that time. */
UNIT_TEST(two_processors)
{
    start(&skylake, "38f 1, 186 4300c0, c1 1111");
    firmware_take_over();
    firmware_of(1); /* its registers equal the first processor's current ones */
    machine_set(0x1d9, 1);
    firmware_take_over();
    machine_holds("1d9 0, 186 0");
    assert_int_equal(firmware_left(0x186), 0);
    firmware_text(&console_sink);
    machine_printed(DEBUGCTL_AT("1"));
    firmware_give_back();
    machine_holds("1d9 1, 186 0");
    firmware_of(0);
    assert_int_equal(firmware_left(0x186), 0x4300c0);
    firmware_give_back();
    machine_holds("c1 1111, 186 4300c0, 38f 1, 1d9 1");
    start(&skylake, "38f f, 186 4300c0");
    firmware_take_over();
    firmware_take_over();
    firmware_give_back();
    firmware_text(&console_sink);
    machine_holds("186 0");
    machine_printed("");
}

/*
 * Every register of the largest processors fits: Lion Cove has ten general counters. If leaf 0AH lists only what all
 * kinds of cores have (Alder Lake), IA32_PERF_GLOBAL_CTRL shows which counters exist.
 */
UNIT_TEST(largest_processors)
{
    start(&skylake, "38f ffffffffffffffff, 38d 33333333, 1d9 1, 3f1 1");
    of.leaf_a = 0x07300606;
    for (unsigned n = 0; n < 10; n++) {
        machine_set(0x186 + n, 0x400000);
        machine_set(0xc1 + n, n + 1);
        machine_set(0x309 + n, n + 1);
    }
    firmware_take_over();
    for (unsigned n = 0; n < 10; n++) {
        assert_int_equal(msr_get(0x186 + n), 0);
        machine_set(0xc1 + n, 0);
        machine_set(0x309 + n, 0);
    }
    machine_holds("1d9 0, 3f1 0, 38d 0");
    firmware_give_back();
    for (unsigned n = 0; n < 10; n++) {
        assert_int_equal(msr_get(0x186 + n), 0x400000);
        assert_int_equal(msr_get(0xc1 + n), n + 1);
        assert_int_equal(msr_get(0x309 + n), n < 8 ? n + 1 : 0);
    }
    machine_holds("1d9 1, 38d 33333333, 38f ffffffffffffffff");
}

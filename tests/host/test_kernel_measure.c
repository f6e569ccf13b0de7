/* SPDX-License-Identifier: MIT */
/*
 * What measurements and far transfers set up, on a machine of variables; and positions in code of which every
 * instruction is known. Registers by their numbers from SDM Vol. 4 (335592-081): 174H and 176H IA32_SYSENTER_CS and
 * _EIP, 310H MSR_IQ_COUNTER4, 370H MSR_IQ_CCCR4, 38EH to 390H IA32_PERF_GLOBAL_STATUS, _CTRL and _OVF_CTRL, C0000080H
 * IA32_EFER, C0000081H IA32_STAR, C0000082H IA32_LSTAR, C0000084H IA32_FMASK.
 */
#include "tests/host/host_test.h"

#include "suite/measure/kinds.h"
#include "suite/measure/overflow.h"
#include "suite/support/transfers.h"
#include "tests/host/machine/machine.h"

/* The workloads' own entries and variable: their addresses are all that is asked of them. */
void workload_invalid_entry(void);
void workload_breakpoint_entry(void);
void workload_page_entry(void);
void workload_self_entry(void);
void workload_system_call_entry(void);

const struct workload workload_self, workload_far;
void workload_invalid_entry(void)
{
}
void workload_breakpoint_entry(void)
{
}
void workload_page_entry(void)
{
}
void workload_self_entry(void)
{
}
void workload_system_call_entry(void)
{
}

/* ---- far transfers ----------------------------------------------------------------------------------------------- */

static void (*const entries[])(void) = { workload_invalid_entry, workload_breakpoint_entry, workload_page_entry,
                                         workload_self_entry };
static const unsigned vectors[] = { 6, 3, 14, 0xe2 };
#define GATES "gate 6\ngate 3\ngate 14\ngate 226\n"

static void assert_gates(bool workloads)
{
    for (unsigned i = 0; i < COUNT_OF(vectors); i++)
        assert_int_equal(interrupt_gate_address(vectors[i]), workloads ? (uintptr_t)entries[i] : 1000 * vectors[i]);
}

/* SYSCALL: kernel code is selector 08h, user code 18h after it; RFLAGS.IF is cleared. */
static void transfers_64(void **state)
{
    const struct caps caps = { .ia32e_active = true };
    const unsigned long long entry = (uintptr_t)workload_system_call_entry;
    char did[256];
    (void)state;
    machine_start();
    machine_set(0xc0000080, 0xd00);
    machine_set(0xc0000082, 0x1234);
    assert_null(transfers_no_system_call(&caps));
    assert_gates(false);
    transfers_prepare(&caps, &workload_far);
    snprintf(did, sizeof(did),
             GATES "wrmsr c0000080 d01\nwrmsr c0000081 10000800000000\nwrmsr c0000082 %llx\nwrmsr c0000084 200\n",
             entry);
    machine_did(did);
    assert_gates(true);
    transfers_restore();
    machine_did("wrmsr c0000084 0\nwrmsr c0000082 1234\nwrmsr c0000081 0\nwrmsr c0000080 d00\n" GATES);
    assert_gates(false);
}

static void transfers_32(void **state)
{
    const struct caps caps = { .ia32e_active = false };
    char did[256];
    (void)state;
    machine_start();
    machine.cpuid_1_edx = ~(1u << 11);
    assert_string_equal(transfers_no_system_call(&caps), "no SYSENTER: CPUID.1:EDX bit 11 clear");
    transfers_prepare(&caps, &workload_far);
    machine_did(GATES);
    transfers_restore();
    machine_did(GATES);
    machine.cpuid_1_edx = 1u << 11;
    machine_set(0x174, 5);
    assert_null(transfers_no_system_call(&caps));
    transfers_prepare(&caps, &workload_far);
    snprintf(did, sizeof(did), GATES "wrmsr 174 8\nwrmsr 176 %llx\n",
             (unsigned long long)(uintptr_t)workload_system_call_entry);
    machine_did(did);
    transfers_restore();
    machine_did("wrmsr 176 0\nwrmsr 174 5\n" GATES);
}

/* Its interrupt is sent last, with interrupts off, and ended first. */
static void transfers_self(void **state)
{
    const struct caps caps = { .ia32e_active = false };
    (void)state;
    machine_start();
    transfers_prepare(&caps, &workload_self);
    machine_did(GATES "cli\nself e2\n");
    transfers_restore();
    machine_did("eoi\n" GATES);
    transfers_prepare(&caps, &workload_far);
    machine_did(GATES);
    transfers_restore();
    machine_did(GATES);
}

/* ---- interrupts without PEBS ------------------------------------------------------------------------------------- */

static const struct pebs_event taken = { "TAKEN", PEBS_ROLE_TAKEN, PEBS_FAMILY_NONE, 0x20c4, 0xe, false };
static const struct pebs_event memory_loads = { "memory_loads", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0, 1, true };

static const struct caps skylake = { .global_ctrl = true, .pebs_counters = 0xf, .pebs_method = PEBS_METHOD_GENERAL };

/* Each overflow starts the next period before counting resumes; another counter goes on meanwhile. */
static void overflow_again(void **state)
{
    const struct overflow o = {
        .event = &taken, .period = 31, .rings = PERFEVTSEL_USR, .counting = UINT64_C(1) << 33, .again = true
    };
    struct interrupt_frame frame = { .ip = 0x1234 };
    uint64_t ip;
    (void)state;
    machine_start();
    machine_set(0x38e, 0x2);
    assert_true(overflow_open(&skylake, &o));
    machine_did("wrmsr 38f 0\nwrmsr 187 0\nwrmsr c2 ffffffe1\nwrmsr 187 5120c4\nwrmsr 390 2\nlvt e1\n");
    const struct window window = overflow_window(&skylake, &o);
    assert_int_equal(window.msr, 0x38f);
    assert_int_equal(window.on, 2);
    assert_int_equal(window.off, 0);
    machine_set(0x38f, 0x200000002);
    machine.handler(&frame);
    machine_did("wrmsr 38f 200000000\nwrmsr 390 2\nwrmsr c2 ffffffe1\nlvt e1\neoi\nwrmsr 38f 200000002\n");
    frame.ip = 0x5678;
    machine.handler(&frame);
    machine_start();
    assert_int_equal(overflow_close(&ip), 2);
    assert_int_equal(ip, 0x5678);
    assert_true(machine.pauses >= 100);
    machine_did("lvt 10000\n");
}

/* One overflow alone: nothing is armed or counted after it. */
static void overflow_once(void **state)
{
    struct overflow o = { .event = &taken, .period = 31, .rings = PERFEVTSEL_OS };
    struct interrupt_frame frame = { .ip = 0x1234 };
    struct caps caps = skylake;
    uint64_t ip;
    (void)state;
    caps.full_width_write = true;
    machine_start();
    assert_true(overflow_open(&caps, &o));
    machine_did("wrmsr 38f 0\nwrmsr 187 0\nwrmsr 4c2 ffffffffffe1\nwrmsr 187 5220c4\nwrmsr 390 0\nlvt e1\n");
    machine.handler(&frame);
    machine_did("wrmsr 38f 0\nwrmsr 390 0\neoi\n");
    assert_int_equal(overflow_close(&ip), 1);
    assert_true(overflow_open(&caps, &o)); /* counts from 0 anew */
    assert_int_equal(overflow_close(&ip), 0);
    machine_start();
    machine_refuse(0x4c2);
    assert_false(overflow_open(&caps, &o));
    machine_did("wrmsr 38f 0\nwrmsr 187 0\n#GP wrmsr 4c2 ffffffffffe1\n");
}

/* NetBurst's flag for an interrupt at every overflow is in the window; its counter is written twice (erratum N15). */
static void overflow_netburst(void **state)
{
    const struct caps caps = { .pebs_counters = 1, .pebs_method = PEBS_METHOD_NETBURST };
    struct overflow o = { .event = &memory_loads, .period = 31, .rings = PERFEVTSEL_OS, .again = true };
    struct interrupt_frame frame = { .ip = 0x1234 };
    (void)state;
    machine_start();
    assert_true(overflow_open(&caps, &o));
    machine_did(
        "wrmsr 370 3a000\nwrmsr 3f1 0\nwrmsr 3f2 0\nwrmsr 3bc 4000408\nwrmsr 3cc 10000208\nwrmsr 310 ffffffffe1\n"
        "wrmsr 310 ffffffffe1\nwrmsr 3f1 0\nwrmsr 370 3a000\nlvt e1\n");
    const struct window window = overflow_window(&caps, &o);
    assert_int_equal(window.msr, 0x370);
    assert_int_equal(window.on, 0x403b000);
    assert_int_equal(window.off, 0x3a000);
    machine_set(0x370, 0x8403b000);
    machine.handler(&frame);
    machine_did("wrmsr 370 8403a000\nwrmsr 370 403a000\nwrmsr 310 ffffffffe1\nwrmsr 310 ffffffffe1\nlvt e1\neoi\n"
                "wrmsr 370 403b000\n");
    o.rings = PERFEVTSEL_USR;
    assert_true(overflow_open(&caps, &o));
    machine_refuse(0x3cc);
    assert_false(overflow_open(&caps, &o));
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

/* Four instructions, of which the third is executed before the second, and a tail of three. */
static const struct step four[] = {
    { 0x1000, STEP_LOAD | STEP_INSTRUCTION },
    { 0x1008, STEP_STORE | STEP_INSTRUCTION },
    { 0x1004, STEP_LOAD | STEP_WARM | STEP_INSTRUCTION },
    { 0x100c, STEP_INSTRUCTION },
};
static const struct workload seven = { .start = 0x1000, .limit = 0x1020 };
static const struct steps steps = { .workload = &seven, .all = four, .count = 4, .tail = 0x1014 };

static void positions(void **state)
{
    static const struct {
        uint64_t ip;
        int position;
    } at[] = {
        { 0x1000, 0 }, { 0x1008, 1 },  { 0x1004, 2 },  { 0x100c, 3 },  { 0x1014, 4 }, { 0x1018, 5 },  { 0x101c, 6 },
        { 0x1020, 7 }, { 0x1024, -1 }, { 0x1010, -1 }, { 0x1016, -1 }, { 0xffc, -1 }, { 0x1021, -1 }, { 0x1015, -1 },
    };
    (void)state;
    assert_int_equal(steps_count(&steps), 7);
    for (unsigned i = 0; i < COUNT_OF(at); i++)
        assert_int_equal(steps_position(&steps, at[i].ip), at[i].position);
    assert_true(steps_is(&steps, 0, STEP_LOAD));
    assert_false(steps_is(&steps, 1, STEP_LOAD));
    assert_true(steps_is(&steps, 2, STEP_WARM | STEP_STORE));
    assert_true(steps_is(&steps, 6, STEP_INSTRUCTION)); /* the tail's are of this kind alone */
    assert_false(steps_is(&steps, 6, ~STEP_INSTRUCTION));
    assert_false(steps_is(&steps, 7, STEP_INSTRUCTION));
    assert_int_equal(steps_before(&steps, STEP_LOAD, 0), 0);
    assert_int_equal(steps_before(&steps, STEP_LOAD, 1), 1);
    assert_int_equal(steps_before(&steps, STEP_LOAD, 2), 1);
    assert_int_equal(steps_before(&steps, STEP_LOAD, 7), 2);
    assert_int_equal(steps_before(&steps, STEP_INSTRUCTION, 7), 7);
    assert_int_equal(steps_nth(&steps, STEP_LOAD, 1), 0);
    assert_int_equal(steps_nth(&steps, STEP_LOAD, 2), 2);
    assert_int_equal(steps_nth(&steps, STEP_LOAD, 3), 7);
    assert_int_equal(steps_nth(&steps, STEP_INSTRUCTION, 6), 5);
}

/*
 * What causes the events whose instructions are known. NetBurst tags neither locked accesses nor returns nor far
 * transfers: SDM Vol. 3B (253669-081), "At-Retirement Counting".
 */
static void causes(void **state)
{
    static const struct {
        enum pebs_role role;
        uint32_t kinds;
        bool counted, caches;
    } want[] = {
        { PEBS_ROLE_INSTRUCTIONS, STEP_INSTRUCTION, true, false },
        { PEBS_ROLE_LOADS, STEP_LOAD | STEP_LOCKED | STEP_RETURN, true, false },
        { PEBS_ROLE_STORES, STEP_STORE | STEP_LOCKED | STEP_CALL, true, false },
        { PEBS_ROLE_BRANCHES, STEP_BRANCH | STEP_FAR, true, false },
        { PEBS_ROLE_FAR, STEP_FAR, true, false },
        { PEBS_ROLE_L1_HITS, STEP_WARM, true, true },
        { PEBS_ROLE_L2_HITS, STEP_COLD, true, true },
        { PEBS_ROLE_L3_MISSES, STEP_COLD, false, true },
        { PEBS_ROLE_LOAD_LATENCY, STEP_LOAD | STEP_LOCKED | STEP_RETURN, false, false },
    };
    struct cause first, second;
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(want); i++) {
        struct pebs_event event = { .role = want[i].role, .select = 0x1 };
        struct cause cause = cause_of(&event);
        assert_int_equal(cause.kinds, want[i].kinds);
        assert_int_equal(cause.counted, want[i].counted);
        assert_int_equal(cause.displace != 0, want[i].caches);
        assert_null(cause.why_not);
        event.select = 0;
        cause = cause_of(&event);
        assert_int_equal(cause.kinds, want[i].kinds & ~(STEP_LOCKED | STEP_RETURN | STEP_FAR));
    }
    for (enum pebs_role role = 0; role < PEBS_ROLE_COUNT; role++) { /* each is caused, or says why not */
        const struct pebs_event event = { .role = role, .select = 0x1 };
        const struct cause cause = cause_of(&event);
        assert_ptr_equal(cause.why_not, cause.kinds ? NULL : pebs_role_untriggered(role));
    }
    /* Lines leave the first level, the second and the last only if so much else is loaded: more than each of them
     * holds. */
    first = cause_of(&(const struct pebs_event){ .role = PEBS_ROLE_L2_HITS, .select = 1 });
    second = cause_of(&(const struct pebs_event){ .role = PEBS_ROLE_L3_HITS, .select = 1 });
    assert_in_range(first.displace, 2 * 48 * 1024, 256 * 1024);
    assert_in_range(second.displace, 2 * 2048 * 1024, 8192 * 1024);
    assert_in_range(cause_of(&(const struct pebs_event){ .role = PEBS_ROLE_L3_MISSES, .select = 1 }).displace,
                    8192 * 1024 + 1, 16 * 1024 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_64),   cmocka_unit_test(transfers_32),  cmocka_unit_test(transfers_self),
        cmocka_unit_test(overflow_again), cmocka_unit_test(overflow_once), cmocka_unit_test(overflow_netburst),
        cmocka_unit_test(positions),      cmocka_unit_test(causes),
    };
    return cmocka_run_group_tests_name("kernel_measure", tests, NULL, NULL);
}

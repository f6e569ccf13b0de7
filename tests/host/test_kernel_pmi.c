/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of the performance monitoring interrupt (arch/x86/devices/pmi_test.c), on a machine of variables:
 * they pass on one that does what the manual says, and on each that errs in one point they report that point and no
 * other. Registers by their numbers from SDM Vol. 4 (335592-081): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 38EH to 390H
 * IA32_PERF_GLOBAL_STATUS, _CTRL and _OVF_CTRL.
 */
#include "tests/host/host_test.h"

#include "arch/x86/devices/pmi_test.c"
#include "tests/host/machine/machine.h"

#define STATUS  0x38eu
#define PENDING 1000u /* PAUSEs until a pending interrupt is taken, as many as a test waits */

static const struct debugctl_bits core = { .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct caps skylake = {
    .debugctl = &core,
    .linear_bits = 48,
    .global_ctrl = true,
    .general_count = 4,
    .general_width = 48,
    .ds_width = 8,
    .ds_area_format = 3,
    .ds_area_size = 0x60,
    .bts_record_size = 24,
    .pebs_method = PEBS_METHOD_GENERAL,
    .pebs_format = 3,
    .pebs_form = { .width = 8, .format = 3 },
    .pebs_record_size = 200,
};

/* What the machine does wrong. */
enum wrong {
    NOTHING,
    LOST,           /* no interrupt comes */
    TWICE,          /* each comes twice */
    EARLY,          /* interrupts come although they are off */
    UNMASKED,       /* the mask flag is not set */
    MASKED_LATE,    /* it is set at the end of the interrupt only */
    MASK_ENDS,      /* the end of the interrupt clears it */
    MASK_STAYS,     /* a write of the entry does not clear it */
    MASK_IGNORED,   /* a masked entry masks nothing */
    MASK_FORGETS,   /* a masked entry keeps the overflow from the status */
    ONCE,           /* no interrupt comes after the first */
    OTHER_NUMBER,   /* the handler is told another vector */
    FIRST_ONLY,     /* of two overflows only the first is in the status */
    SECOND_ONLY,    /* .. the second */
    ONE_EACH,       /* each overflow has an interrupt of its own */
    KERNEL_LEVEL,   /* the interrupted code is said to be at CPL 0 */
    BEFORE_CODE,    /* the interrupted address is before the code */
    BEHIND_CODE,    /* .. behind it */
    REFUSED,        /* event selects cannot be written */
    UNACKNOWLEDGED, /* the status keeps its bits, whatever is acknowledged */
};

static struct {
    enum wrong wrong;
    bool on, pending, user;
    unsigned waited, taken, due;
    uint64_t ip;
} cpu;

static struct test_run run;

static void enter(unsigned vector)
{
    interrupt_handler *const handler = vector == VECTOR_PERFORMANCE ? machine.handler : machine.handlers[vector];
    struct interrupt_frame frame = { .vector = vector + (cpu.wrong == OTHER_NUMBER),
                                     .ip = (uintptr_t)cpu.ip,
                                     .cs = cpu.user && cpu.wrong != KERNEL_LEVEL ? 0x23 : 0x08 };
    cpu.taken++;
    assert_non_null(handler);
    handler(&frame);
    if (cpu.wrong == TWICE)
        handler(&frame);
}

static void request(void)
{
    const uint32_t lvt = machine.lvt;
    if ((lvt & APIC_LVT_MASKED && cpu.wrong != MASK_IGNORED) || cpu.wrong == LOST || (cpu.wrong == ONCE && cpu.taken))
        return;
    if (cpu.wrong != UNMASKED && cpu.wrong != MASKED_LATE)
        machine.lvt |= APIC_LVT_MASKED;
    if ((lvt & APIC_LVT_DELIVERY) == APIC_LVT_NMI) {
        enter(VECTOR_NMI);
        return;
    }
    cpu.pending = true;
    cpu.due = lvt & APIC_LVT_VECTOR;
    cpu.waited = 0;
}

static void paused(void)
{
    if (cpu.pending && (cpu.on || cpu.wrong == EARLY) && ++cpu.waited == PENDING) {
        cpu.pending = false;
        enter(cpu.due);
    }
}

static void did(const char *line)
{
    if (strcmp(line, "sti") == 0)
        cpu.on = true;
    if (strcmp(line, "cli") == 0)
        cpu.on = false;
    if (strcmp(line, "eoi") == 0 && cpu.wrong == MASK_ENDS)
        machine.lvt &= ~APIC_LVT_MASKED;
    if (strcmp(line, "eoi") == 0 && cpu.wrong == MASKED_LATE)
        machine.lvt |= APIC_LVT_MASKED;
    if (strncmp(line, "lvt ", 4) == 0 && cpu.wrong == MASK_STAYS)
        machine.lvt |= APIC_LVT_MASKED;
}

static void wrote(uint32_t msr, uint64_t value)
{
    if (msr == 0x390 && cpu.wrong != UNACKNOWLEDGED)
        machine_set(STATUS, msr_get(STATUS) & ~value);
}

/* A workload of a thousand events: of the counters that the window starts, those that are near their end overflow. */
static void count(const struct window *window)
{
    uint64_t overflows = 0;
    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->off, 0);
    machine_set((uint32_t)window->msr, window->on);
    for (unsigned n = 0; n < 2; n++)
        if (window->on >> n & 1 && msr_get(0x186 + n) & 0x500000 && msr_get(0xc1 + n) + 1000 > UINT32_MAX)
            overflows |= UINT64_C(1) << n;
    if (cpu.wrong == FIRST_ONLY || cpu.wrong == SECOND_ONLY)
        overflows &= cpu.wrong == FIRST_ONLY ? 1 : 2;
    if (cpu.wrong != MASK_FORGETS || !(machine.lvt & APIC_LVT_MASKED))
        machine_set(STATUS, msr_get(STATUS) | overflows);
    if (overflows)
        request();
    machine_set((uint32_t)window->msr, window->off);
    for (unsigned i = 0; cpu.wrong == ONE_EACH && overflows == 3 && i < PENDING; i++)
        paused();
    if (cpu.wrong == ONE_EACH && overflows == 3) {
        cpu.on = true;
        for (unsigned i = 0; i < PENDING; i++)
            paused();
        machine.lvt &= ~APIC_LVT_MASKED;
        request();
    }
}

static void count_straight(const struct window *window)
{
    cpu.user = false;
    count(window);
}

static void count_user(const struct window *window)
{
    cpu.user = true;
    cpu.ip = cpu.wrong == BEFORE_CODE ? 0xfff : cpu.wrong == BEHIND_CODE ? 0x1010 : cpu.ip;
    count(window);
}

const struct workload workload_straight = { .run = count_straight },
                      workload_user_loop = { .run = count_user, .start = 0x1000, .limit = 0x1010 };

/* ---- the debug store's service routine --------------------------------------------------------------------------- */

static unsigned service_calls; /* in a trace */
static bool service_stays_masked, service_cause;

/* The buffer reaches its threshold each time; its records are of no importance here. */
static void trace(const struct window *window)
{
    uint64_t fields[4]; /* base, index, absolute maximum, threshold */
    memcpy(fields, ds_memory().area, sizeof fields);
    assert_int_equal(fields[2] - fields[0], 1600 * 24);
    assert_int_equal(fields[3] - fields[0], 1200 * 24);
    assert_int_equal(window->msr, 0x1d9);
    assert_int_equal(window->on, 0x1c0); /* TR, BTS and BTINT */
    assert_int_equal(window->off, 0);
    for (unsigned i = 0; i < service_calls; i++) {
        uint64_t index;
        memcpy(&index, ds_memory().area, sizeof index);
        index += UINT64_C(1200) * 24;
        memcpy(ds_memory().area + 8, &index, sizeof index);
        if (cpu.wrong != UNMASKED)
            machine.lvt |= APIC_LVT_MASKED;
        machine.handler(NULL);
    }
    if (service_stays_masked)
        machine.lvt |= APIC_LVT_MASKED;
    if (service_cause)
        machine_set(STATUS, UINT64_C(1) << 62);
}

static const struct branch loop_branch = { .from = 0x2000, .to = 0x1f00, .kind = 1 << 2, .repeat = 3000 };
const struct workload workload_long_loop = { .run = trace, .branches = &loop_branch, .branch_count = 1 };

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

static void start(enum wrong wrong)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.wrong = wrong;
    cpu.on = true;
    cpu.ip = 0x1000;
    machine.lvt = 0;
    machine.did = did;
    machine.pause = paused;
    machine.write = wrote;
    machine_set(STATUS, cpu.wrong == UNACKNOWLEDGED ? 0 : 2); /* of the test before */
    if (wrong == REFUSED)
        machine_refuse(0x186);
    run = (struct test_run){ .caps = &skylake };
}

static void finds(const struct test *test, enum wrong wrong, const char *lines)
{
    start(wrong);
    test->run(&run);
    machine_found(lines);
    assert_false(cpu.pending);
}

#define COUNTER(value, control) \
    "wrmsr 38f 0\nwrmsr 186 0\nwrmsr c1 fffffe0c\nwrmsr 186 " control "\nwrmsr 390 " value "\n"
#define FINISH "lvt 10000\nsti\n"

/* Everything that they do to a machine without mistakes; 5300C0H: EN, INT, OS and USR, and the event. */
static void right(void **state)
{
    static const struct {
        const struct test *test;
        const char *did;
    } all[] = {
        { &pmi_lvt_mask_set, "lvt e1\n" COUNTER("2", "5300c0") "eoi\nlvt 100e1\nsti\n" },
        { &pmi_lvt_until_unmasked, "lvt e1\n" COUNTER("2", "5300c0") "eoi\nlvt 100e1\n" COUNTER(
                                       "1", "5300c0") "lvt e1\n" COUNTER("1", "5300c0") "eoi\nlvt 100e1\nsti\n" },
        { &pmi_lvt_masked, "lvt 100e1\n" COUNTER("2", "5300c0") "lvt 100e1\nsti\n" },
        { &pmi_lvt_vector, "lvt e2\n" COUNTER("2", "5300c0") "eoi\nlvt 100e2\nsti\n" },
        { &pmi_lvt_nmi, "lvt 400\n" COUNTER("2", "5300c0") "cli\nlvt 10400\nsti\n" },
        { &pmi_held, "lvt e1\n" COUNTER("2", "5300c0") "cli\nsti\neoi\nlvt 100e1\nsti\n" },
        { &pmi_two_causes,
          "lvt e1\nwrmsr 38f 0\nwrmsr 186 0\nwrmsr c1 fffffe0c\nwrmsr 186 5300c0\nwrmsr 38f 0\nwrmsr 187 0\n"
          "wrmsr c2 fffffe0c\nwrmsr 187 5300c0\nwrmsr 390 2\ncli\nsti\neoi\nlvt 100e1\nsti\n" },
        { &pmi_cpl_3, "lvt e1\n" COUNTER("2", "5100c0") "eoi\nlvt 100e1\nsti\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(NOTHING);
        all[i].test->run(&run);
        machine_did(all[i].did);
        assert_int_equal(machine.pauses % PENDING, 0);
        assert_true(machine.pauses >= 2 * PENDING); /* behind the workload, and at the end */
        assert_true(cpu.on);
        assert_null(machine.handlers[VECTOR_NMI]);
        assert_null(machine.handlers[OTHER_VECTOR]);
    }
    start(NOTHING);
    struct caps wide = skylake;
    wide.full_width_write = true;
    run.caps = &wide;
    pmi_lvt_masked.run(&run);
    machine_did("lvt 100e1\nwrmsr 38f 0\nwrmsr 186 0\nwrmsr 4c1 fffffffffe0c\nwrmsr 186 5300c0\nwrmsr 390 2\n"
                "wrong: counters that have overflowed is 0x0, must be 0x1\nlvt 100e1\nsti\n");
}

static void mistakes(void **state)
{
    static const struct {
        const struct test *test;
        enum wrong wrong;
        const char *found;
    } rows[] = {
        { &pmi_lvt_mask_set, LOST,
          "wrong: interrupts is 0x0, must be 0x1\n"
          "wrong: the mask flag in the handler is 0x0, must be 0x10000\n"
          "wrong: the mask flag afterwards is 0x0, must be 0x10000\n" },
        { &pmi_lvt_mask_set, TWICE, "wrong: interrupts is 0x2, must be 0x1\n" },
        { &pmi_lvt_mask_set, MASK_STAYS,
          "wrong: the mask flag before is 0x10000, must be 0x0\nwrong: interrupts is 0x0, must be 0x1\n"
          "wrong: the mask flag in the handler is 0x0, must be 0x10000\n" },
        { &pmi_lvt_mask_set, MASKED_LATE, "wrong: the mask flag in the handler is 0x0, must be 0x10000\n" },
        { &pmi_lvt_mask_set, MASK_ENDS, "wrong: the mask flag afterwards is 0x0, must be 0x10000\n" },
        { &pmi_lvt_mask_set, REFUSED,
          "wrong: counter 0 could not be programmed\nwrong: interrupts is 0x0, must be 0x1\n"
          "wrong: the mask flag in the handler is 0x0, must be 0x10000\n"
          "wrong: the mask flag afterwards is 0x0, must be 0x10000\n" },
        { &pmi_lvt_until_unmasked, TWICE,
          "wrong: interrupts of the first overflow is 0x2, must be 0x1\n"
          "wrong: interrupts of the third overflow, the entry unmasked is 0x2, must be 0x1\n" },
        { &pmi_lvt_until_unmasked, MASK_IGNORED,
          "wrong: interrupts of the second overflow, the entry still masked is 0x1, must be 0x0\n" },
        { &pmi_lvt_until_unmasked, UNMASKED,
          "wrong: interrupts of the second overflow, the entry still masked is 0x1, must be 0x0\n" },
        { &pmi_lvt_until_unmasked, MASK_FORGETS, "wrong: counters that have overflowed is 0x0, must be 0x1\n" },
        { &pmi_lvt_until_unmasked, ONCE,
          "wrong: interrupts of the third overflow, the entry unmasked is 0x0, must be 0x1\n" },
        { &pmi_lvt_masked, MASK_IGNORED, "wrong: interrupts is 0x1, must be 0x0\n" },
        { &pmi_lvt_masked, MASK_FORGETS, "wrong: counters that have overflowed is 0x0, must be 0x1\n" },
        { &pmi_lvt_vector, LOST, "wrong: interrupts is 0x0, must be 0x1\nwrong: the vector is 0x0, must be 0xe2\n" },
        { &pmi_lvt_vector, TWICE, "wrong: interrupts is 0x2, must be 0x1\n" },
        { &pmi_lvt_vector, OTHER_NUMBER, "wrong: the vector is 0xe3, must be 0xe2\n" },
        { &pmi_lvt_nmi, LOST, "wrong: interrupts is 0x0, must be 0x1\nwrong: the vector is 0x0, must be 0x2\n" },
        { &pmi_lvt_nmi, TWICE, "wrong: interrupts is 0x2, must be 0x1\n" },
        { &pmi_lvt_nmi, OTHER_NUMBER, "wrong: the vector is 0x3, must be 0x2\n" },
        { &pmi_held, EARLY, "wrong: interrupts while they are off is 0x1, must be 0x0\n" },
        { &pmi_held, REFUSED,
          "wrong: counter 0 could not be programmed\nwrong: counters that have overflowed is 0x0, must be 0x1\n"
          "wrong: interrupts once they are on is 0x0, must be 0x1\n" },
        { &pmi_held, LOST, "wrong: interrupts once they are on is 0x0, must be 0x1\n" },
        { &pmi_held, TWICE, "wrong: interrupts once they are on is 0x2, must be 0x1\n" },
        { &pmi_two_causes, LOST,
          "wrong: interrupts is 0x0, must be 0x1\nwrong: counters that had overflowed is 0x0, must be 0x3\n" },
        { &pmi_two_causes, ONE_EACH, "wrong: interrupts is 0x2, must be 0x1\n" },
        { &pmi_two_causes, FIRST_ONLY, "wrong: counters that had overflowed is 0x1, must be 0x3\n" },
        { &pmi_two_causes, SECOND_ONLY, "wrong: counters that had overflowed is 0x2, must be 0x3\n" },
        { &pmi_cpl_3, TWICE, "wrong: interrupts is 0x2, must be 0x1\n" },
        { &pmi_cpl_3, KERNEL_LEVEL, "wrong: the privilege level that was interrupted is 0x0, must be 0x3\n" },
        { &pmi_cpl_3, BEFORE_CODE, "wrong: the interrupt came at 0xfff, outside the workload\n" },
        { &pmi_cpl_3, BEHIND_CODE, "wrong: the interrupt came at 0x1010, outside the workload\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        memset((void *)&seen, 0, sizeof seen);
        finds(rows[i].test, rows[i].wrong, rows[i].found);
    }
}

static void one_counter(void **state)
{
    struct caps caps = skylake;
    (void)state;
    start(NOTHING);
    caps.general_count = 1;
    run.caps = &caps;
    pmi_two_causes.run(&run);
    machine_did("");
    assert_string_equal(run.skipped, "one general counter only");
    run.skipped = NULL;
    caps.general_count = 2;
    pmi_two_causes.run(&run);
    machine_found("");
    assert_null(run.skipped);
}

static void service_finds(unsigned calls, enum wrong wrong, const char *lines)
{
    start(wrong);
    machine_set(STATUS, 0);
    service_calls = calls;
    pmi_service.run(&run);
    machine_found(lines);
    assert_int_equal(run.seen, 1200 * calls);
    assert_int_equal(run.expected, 3000);
    assert_int_equal(run.most, 6000);
}

/* Nobody is called for the test once it is over. */
static void interrupt_afterwards(void)
{
    const struct ds_config config = { .bts = true, .bts_records = 64, .bts_threshold = 16 };
    const unsigned before = routine.interrupts;
    start(NOTHING);
    assert_true(records_open(&run, &config));
    machine.handler(NULL);
    assert_int_equal(ds_counts()->interrupts, 1);
    assert_int_equal(routine.interrupts, before);
    ds_close();
}

static void routine_of_ds(void **state)
{
    (void)state;
    service_finds(2, NOTHING, "");
    interrupt_afterwards();
    service_finds(3, NOTHING, "");
    service_finds(1, NOTHING,
                  "wrong: 1 interrupts came, expected at least 2\n"
                  "wrong: 1 interrupts came, expected at least 2\n"); /* records_close() says it, too */
    service_finds(2, UNMASKED, "wrong: the mask flag when the routine began is 0x0, must be 0x10000\n");
    service_stays_masked = true;
    service_finds(2, NOTHING, "wrong: the LVT entry when it had ended is 0x100e1, must be 0xe1\n");
    service_stays_masked = false;
    service_cause = true;
    service_finds(2, NOTHING, "wrong: causes in the status when it had ended is 0x4000000000000000, must be 0x0\n");
    service_cause = false;
}

static void demands(void **state)
{
    static const struct test *const all[] = {
        &pmi_lvt_mask_set, &pmi_lvt_until_unmasked, &pmi_lvt_masked, &pmi_lvt_vector, &pmi_lvt_nmi,
        &pmi_held,         &pmi_two_causes,         &pmi_cpl_3,
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++)
        assert_int_equal(all[i]->needs, NEED_APIC | NEED_GLOBAL_CTRL);
    assert_int_equal(pmi_service.needs, NEED_APIC | NEED_BTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demands),     cmocka_unit_test(right),         cmocka_unit_test(mistakes),
        cmocka_unit_test(one_counter), cmocka_unit_test(routine_of_ds),
    };
    return cmocka_run_group_tests_name("kernel_pmi", tests, NULL, NULL);
}

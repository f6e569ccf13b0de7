/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of the other processors (arch/x86/devices/processors_test.c), on a machine of variables that has
 * two: each point in which one of them may be other than it must is reported, and nothing else. Registers by their
 * numbers from SDM Vol. 4 (335592-081): 1BH IA32_APIC_BASE, C0000080H IA32_EFER; 808H, 80FH and 834H are those of the
 * x2APIC for task priority, spurious interrupts and the performance counters' LVT entry.
 */
#include "tests/host/host_test.h"

#include <alloca.h>

#include "arch/x86/devices/processors_test.c"
#include "tests/host/machine/machine.h"

#define OTHERS 2u

#define STRING_OF(text) #text
#define STRING(text)    STRING_OF(text)

/* The functions of four bytes for each vector: only that of #MC is called. */
__asm__(".text\n.globl interrupted_each\ninterrupted_each:\n.zero 4 * 18\njmp check_machine\n.zero 1024\n");
void check_machine(void);

/* A processor's registers. */
struct state {
    uint32_t id;
    uint64_t apic_base, efer;
    uintptr_t cr0, cr3, cr4, flags;
    struct selectors selectors;
    uint32_t tpr, spurious, lvt;
    unsigned number;
};

static struct {
    struct state of[OTHERS + 1];
    struct interrupt_frame frames[OTHERS + 1];
    unsigned frame_of[OTHERS + 1], depth_of[OTHERS + 1]; /* where their stacks are */
    unsigned told;                                       /* added to the number that main gets */
    enum acpi_error topology;
    unsigned count;
    bool no_low_page;
    bool page_changes;      /* by a start */
    bool page_changes_vain; /* by a start in vain */
    unsigned silent;        /* the processor that does not start; 0: none */
    unsigned endless;       /* the one that does not end */
    bool absent_starts;     /* one that is not there does */
    bool runs_on;           /* when it is stopped */
    bool idle;              /* runs, and does nothing */
    bool deaf, restless;    /* does not wake; wakes by itself */
    bool done_early, done_still;
    bool second_fails;
    unsigned starts, stops, pauses;
    unsigned pauses_stopped; /* those until the first stop */
    void (*main)(unsigned number);
    bool running, asleep, over[OTHERS + 1];
} cpu;

static struct test_run run;
static struct caps caps;
static uint8_t page[LOW_BYTES + 64];
static const uint32_t ids[] = { 4, 6, 7 };
static jmp_buf beaten;

/* ---- what a processor finds -------------------------------------------------------------------------------------- */

static const struct state *here(void)
{
    return &cpu.of[machine.processor];
}

uint32_t apic_id(void)
{
    return here()->id;
}

uintptr_t cr0_read(void)
{
    return here()->cr0;
}

uintptr_t cr3_read(void)
{
    return here()->cr3;
}

uintptr_t cr4_read(void)
{
    return here()->cr4;
}

uintptr_t flags_read(void)
{
    return here()->flags;
}

struct selectors selectors_read(void)
{
    return here()->selectors;
}

uintptr_t startup_stack;
static uintptr_t startup_stacks[8];
uint8_t stack_bottom[16 * sizeof(uintptr_t)] __attribute__((aligned(16)));
__asm__(".globl stack_top\nstack_top = stack_bottom + 16 * " STRING(__SIZEOF_POINTER__));

void check_machine(void)
{
    machine.handlers[18](&cpu.frames[cpu.frame_of[machine.processor]]);
}

/* ---- starting and stopping --------------------------------------------------------------------------------------- */

uintptr_t memory_low_page(void)
{
    return cpu.no_low_page ? 0 : (uintptr_t)page;
}

enum acpi_error secondary_cpus_topology(struct topology *topology)
{
    *topology = (struct topology){ .total = 4, .count = cpu.count, .siblings = 1, .ids = ids };
    return cpu.topology;
}

enum acpi_error topology_read(struct topology *topology)
{
    return secondary_cpus_topology(topology);
}

const char *secondary_cpus_barred(void)
{
    return NULL;
}

unsigned secondary_cpus_count(void)
{
    return cpu.count;
}

static void become(unsigned number)
{
    const struct state *const state = &cpu.of[number];

    machine.processor = number;
    machine_set(0x1b, state->apic_base);
    machine_set(0xc0000080, state->efer);
    machine_set(0x808, state->tpr);
    machine_set(0x80f, state->spurious);
    machine_set(0x834, state->lvt);
}

/* Another place on the stack for each. */
static __attribute__((noinline)) void run_deep(unsigned depth, void (*main)(unsigned number), unsigned number)
{
    volatile uint8_t *const below = alloca(512 * depth + 16);

    below[0] = 0;
    main(number);
    below[0] = 1;
}

static void fill_as_firmware(void)
{
    for (unsigned i = 0; i < sizeof page; i++)
        page[i] = (uint8_t)(i ^ 0x5a);
}

static void must_be_filled(void)
{
    for (unsigned i = 0; i < LOW_BYTES; i++)
        assert_int_equal(page[i], (uint8_t)(7 * i + 1));
}

bool secondary_cpus_start(unsigned number, void (*main)(unsigned number))
{
    must_be_filled();
    assert_true(number >= 1 && number <= OTHERS);
    if (cpu.page_changes)
        page[LOW_BYTES - 1]++;
    startup_stack = (uintptr_t)(startup_stacks + 8);
    if (cpu.silent == number)
        return false;
    become(number);
    machine.processor = cpu.of[number].number ? cpu.of[number].number : number;
    run_deep(cpu.depth_of[number], main, number + cpu.told);
    become(0);
    cpu.over[number] = cpu.endless != number;
    return true;
}

bool processor_start(unsigned number, uint32_t id, uintptr_t low_page, void (*main)(unsigned number))
{
    assert_int_equal(number, 1);
    assert_ptr_equal(low_page, page);
    cpu.starts++;
    if (id == 0xfe) {
        if (!cpu.page_changes)
            must_be_filled();
        if (cpu.page_changes_vain)
            page[0]++;
        return cpu.absent_starts;
    }
    assert_int_equal(id, 4);
    if (cpu.second_fails && cpu.starts == 2)
        return false;
    if (cpu.starts == 2 && !cpu.runs_on)
        assert_int_equal(cpu.pauses - cpu.pauses_stopped, 100000); /* it is watched for a while */
    cpu.main = main;
    cpu.running = true;
    cpu.asleep = false;
    cpu.over[1] = cpu.done_early;
    return true;
}

bool processor_done(unsigned number)
{
    return cpu.over[number];
}

void processor_wake(unsigned number)
{
    assert_int_equal(number, 1);
    if (!cpu.asleep || cpu.deaf)
        return;
    wakes++;
    cpu.running = cpu.asleep = false;
    cpu.over[1] = true;
}

void processors_stop(void)
{
    if (cpu.stops++ == 0)
        cpu.pauses_stopped = cpu.pauses;
    cpu.running = cpu.running && cpu.runs_on;
    cpu.over[1] = cpu.over[1] && cpu.done_still;
}

/* Time of this processor, in which the other one runs now and then, as longjmp() costs: a beat ends its turn. */
#define PAUSES_OF_A_TURN 32u
static bool in_turn;

static void paused(void)
{
    if (in_turn) {
        in_turn = false;
        longjmp(beaten, 1);
    }
    if (cpu.pauses++ % PAUSES_OF_A_TURN || !cpu.running || cpu.idle || cpu.asleep)
        return;
    in_turn = true;
    if (setjmp(beaten) == 0)
        cpu.main(1);
    in_turn = false;
}

void cpu_halt_for_interrupt(void)
{
    assert_true(in_turn);
    cpu.asleep = true;
    wakes += cpu.restless;
    in_turn = false;
    longjmp(beaten, 1);
}

/* Fails unless these problems were reported, a line each. */
static void reported(const char *lines)
{
    char all[1000] = "";

    for (const char *end; *lines; lines = end + 1) {
        const size_t used = strlen(all);
        end = strchr(lines, '\n');
        assert_non_null(end);
        snprintf(all + used, sizeof all - used, "wrong: %.*s\n", (int)(end - lines), lines);
    }
    machine_found(all);
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static void start_machine(void)
{
    const struct state right = { .apic_base = 0xfee00c00,
                                 .efer = 0xd00,
                                 .cr0 = 0x80010011,
                                 .cr3 = 0x2a5000,
                                 .cr4 = 0x620,
                                 .flags = 0x46,
                                 .selectors = { 0x8, 0x10, 0x11, 0x12, 0x13, 0x14 },
                                 .tpr = 0xe0,
                                 .spurious = 0x1ff,
                                 .lvt = 0x100e1 };

    machine_start();
    memset(&cpu, 0, sizeof cpu);
    run = (struct test_run){ .caps = &caps };
    fill_as_firmware();
    memset((void *)stacks, 0, sizeof stacks);
    memset((void *)emergency_stacks, 0, sizeof emergency_stacks);
    memset(startup_stacks, 0, sizeof startup_stacks);
    memset(stack_bottom, 0, sizeof stack_bottom);
    cpu.count = OTHERS;
    for (unsigned n = 0; n <= OTHERS; n++) {
        cpu.of[n] = right;
        cpu.of[n].id = n ? ids[n - 1] : 2;
        cpu.frame_of[n] = cpu.depth_of[n] = n;
    }
    cpu.of[0].apic_base |= 0x100; /* the boot processor's bit */
    cpu.of[0].flags |= 0x200;
    machine.pause = paused;
    become(0);
}

static void do_start(void)
{
    uint8_t before[sizeof page];

    memcpy(before, page, sizeof page);
    machine.handlers[18] = NULL;
    run.test = &selftest_processors_start;
    run.test->run(&run);
    assert_memory_equal(page, before, sizeof page);
    assert_null(machine.handlers[18]);
}

static void all_is_right(void **state)
{
    (void)state;
    start_machine();
    do_start();
    reported("");
    machine_printed("2 processors started\n");
    assert_null(run.skipped);
    assert_int_equal(cpu.starts, 1);
    assert_int_equal(cpu.stops, 1);
    assert_true(selftest_processors_start.on_request);
    assert_true(selftest_processors_stop.on_request);
    assert_true(selftest_processors_list.on_request);
}

/* A register of the second processor is not as the boot processor's. */
#define WRONG(member, line)       \
    do {                          \
        start_machine();          \
        cpu.of[2].member ^= 0x20; \
        do_start();               \
        reported(line "\n");      \
    } while (0)

static void registers_differ(void **state)
{
    (void)state;
    WRONG(id, "its APIC ID is 0x26, must be 0x6");
    WRONG(apic_base, "its IA32_APIC_BASE, without BSP is 0xfee00c20, must be 0xfee00c00");
    WRONG(cr0, "its CR0 is 0x80010031, must be 0x80010011");
    WRONG(cr3, "its CR3 is 0x2a5020, must be 0x2a5000");
    WRONG(cr4, "its CR4 is 0x600, must be 0x620");
    WRONG(efer, "its IA32_EFER is 0xd20, must be 0xd00");
    WRONG(selectors.cs, "its CS is 0x28, must be 0x8");
    WRONG(selectors.ss, "its SS is 0x30, must be 0x10");
    WRONG(selectors.fs, "its FS is 0x33, must be 0x13");
    WRONG(selectors.gs, "its GS is 0x34, must be 0x14");
    WRONG(tpr, "its task priority is 0xc0, must be 0xe0");
    WRONG(spurious, "its spurious-interrupt vector register is 0x1df, must be 0x1ff");
    WRONG(lvt, "its LVT entry of the performance counters is 0x100c1, must be 0x100e1");
    if (sizeof(void *) == 4) {
        WRONG(selectors.ds, "its DS is 0x31, must be 0x11");
        WRONG(selectors.es, "its ES is 0x32, must be 0x12");
    } else {
        start_machine(); /* nothing loads them there */
        cpu.of[2].selectors.ds = cpu.of[2].selectors.es = 0;
        do_start();
        reported("");
    }
    start_machine();
    cpu.of[2].flags |= 0x200;
    do_start();
    reported("its IF is 0x200, must be 0x0\n");
    start_machine();
    cpu.of[1].flags ^= 0x41; /* the others are free */
    do_start();
    reported("");
    start_machine();
    cpu.of[1].apic_base |= 0x100; /* as the boot processor's is */
    do_start();
    reported("");
}

static void numbers_and_stacks(void **state)
{
    (void)state;
    start_machine();
    cpu.told = 5;
    do_start();
    reported("the number passed to its main is 0x6, must be 0x1\nthe number passed to its main is 0x7, must be 0x2\n");

    start_machine();
    cpu.of[2].number = 1;
    cpu.depth_of[1] = cpu.depth_of[2] = 2;
    do_start();
    reported("the processor's number is 0x1, must be 0x2\nits APIC ID is 0x4, must be 0x6\n");

    start_machine();
    cpu.depth_of[2] = 1;
    do_start();
    reported("processors 2 and 1 have the same stack\n");
    start_machine();
    cpu.frame_of[2] = 1;
    do_start();
    reported("processors 2 and 1 have the same stack\n");
    start_machine();
    cpu.frame_of[1] = 0;
    do_start();
    reported("processors 1 and 0 have the same stack\n");

    start_machine();
    startup_stacks[7] = 1;
    do_start();
    reported("the first word of a stack is 0x1, must be 0x0\nthe first word of a stack is 0x1, must be 0x0\n");
    start_machine();
    startup_stacks[6] = 2;
    do_start();
    reported("the second word of a stack is 0x2, must be 0x0\nthe second word of a stack is 0x2, must be 0x0\n");
    start_machine();
    stack_bottom[sizeof stack_bottom - 1] = 1;
    do_start();
    reported(sizeof(void *) == 8 ? "the first word of a stack is 0x100000000000000, must be 0x0\n"
                                 : "the first word of a stack is 0x1000000, must be 0x0\n");
    start_machine();
    stack_bottom[sizeof stack_bottom - 2 * sizeof(void *)] = 1;
    do_start();
    reported("the second word of a stack is 0x1, must be 0x0\n");
}

static void what_a_start_leaves(void **state)
{
    (void)state;
    start_machine();
    cpu.silent = 2;
    do_start();
    reported("the processor with APIC ID 6 does not start, or does not end\nthe processor's number is 0x1, must be "
             "0x2\nthe number passed to its main is 0x1, must be 0x2\nits APIC ID is 0x4, must be 0x6\n");
    start_machine();
    cpu.endless = 1;
    do_start();
    reported("the processor with APIC ID 4 does not start, or does not end\n");
    assert_int_equal(cpu.pauses, 100000000);

    start_machine();
    cpu.count = 1;
    cpu.page_changes = true;
    do_start();
    reported("byte 127 of the page is not restored after a start\nbyte 127 of the page is not restored after a start "
             "in vain\n");
    start_machine();
    cpu.page_changes_vain = true;
    do_start();
    reported("byte 0 of the page is not restored after a start in vain\n");
    start_machine();
    cpu.absent_starts = true;
    do_start();
    reported("a processor that is not there starts\n");
}

static void do_stop(void)
{
    run.test = &selftest_processors_stop;
    run.test->run(&run);
}

static void waking_and_stopping(void **state)
{
    static const struct {
        bool *at;
        const char *lines;
    } cases[] = {
        { &cpu.runs_on, "the processor runs on once it is stopped\n" },
        { &cpu.done_early, "whether it is done is 0x1, must be 0x0\n" },
        { &cpu.restless, "how often it woke by itself is 0x1, must be 0x0\n" },
        { &cpu.deaf, "the processor is not woken\n" },
        { &cpu.done_still, "whether a stopped processor is done is 0x1, must be 0x0\n" },
        { &cpu.second_fails, "the processor does not start again\nthe processor is not woken\n" },
        { &cpu.idle, "the processor does not run\nthe processor does not start again\nthe processor is not woken\n" },
    };

    (void)state;
    start_machine();
    do_stop();
    reported("");
    assert_int_equal(cpu.starts, 2);
    assert_int_equal(cpu.stops, 2);
    assert_int_equal(wakes, 1);
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start_machine();
        *cases[i].at = true;
        do_stop();
        reported(cases[i].lines);
        assert_null(run.skipped);
    }
}

static void skips(void **state)
{
    const struct test *const tests[] = { &selftest_processors_start, &selftest_processors_stop };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(tests); i++) {
        start_machine();
        cpu.topology = ACPI_NO_MADT;
        tests[i]->run(&run);
        assert_string_equal(run.skipped, acpi_error_text(ACPI_NO_MADT));
        start_machine();
        cpu.count = 0;
        tests[i]->run(&run);
        assert_string_equal(run.skipped, "no other processor");
        start_machine();
        cpu.no_low_page = true;
        tests[i]->run(&run);
        assert_string_equal(run.skipped, "no usable page below 640 KiB for another processor's first instructions");
        assert_int_equal(cpu.starts, 0);
        reported("");
    }
    start_machine();
    cpu.topology = ACPI_NO_MADT;
    selftest_processors_list.run(&run);
    assert_string_equal(run.skipped, acpi_error_text(ACPI_NO_MADT));
    machine_printed("");
}

static void the_list(void **state)
{
    char page_line[60];
    char lines[200];

    (void)state;
    start_machine();
    selftest_processors_list.run(&run);
    snprintf(page_line, sizeof page_line, "low page 0x%llx\n", (unsigned long long)(uintptr_t)page);
    snprintf(lines, sizeof lines,
             "topology 4 processors, 1 siblings, 2 others\ntopology other 0 APIC ID 4\ntopology other 1 APIC ID 6\n%s",
             page_line);
    machine_printed(lines);
    reported("");
    assert_null(run.skipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_right),
        cmocka_unit_test(registers_differ),
        cmocka_unit_test(numbers_and_stacks),
        cmocka_unit_test(what_a_start_leaves),
        cmocka_unit_test(waking_and_stopping),
        cmocka_unit_test(skips),
        cmocka_unit_test(the_list),
    };

    return cmocka_run_group_tests_name("kernel_processors", tests, NULL, NULL);
}

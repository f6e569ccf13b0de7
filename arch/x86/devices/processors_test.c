/* SPDX-License-Identifier: MIT */
/* Starting, waking and stopping secondary processors: the state in which they start, and what they leave behind. */
#include "arch/x86/devices/processors.h"

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/string.h"
#include "kernel/console.h"
#include "kernel/memory.h"
#include "kernel/secondary_cpus.h"
#include "kernel/test.h"
#include "kernel/topology.h"
#include "suite/support/sources.h"
#include "suite/workload/interrupted.h"

#define FLAG_IF     (1u << 9)
#define NO_SUCH_ID  0xfeu      /* unless more processors exist */
#define ALL_IDS     0xffu      /* the broadcast of an xAPIC */
#define LOW_BYTES   128u       /* twice what is copied there */
#define WAIT_PAUSES 100000000u /* bounds the wait for another processor */

#define SETTLE_PAUSES 100000u
#define REST_TRIES    100u
#define ENOUGH_BEATS  1000u /* of a processor that does not end by itself */

#define APIC_TPR      0x080u
#define APIC_SPURIOUS 0x0f0u
#define APIC_LVT_PMI  0x340u

/* What a started processor finds. */
static struct found {
    unsigned number, argument;
    uint32_t id;
    uintptr_t flags;
    struct state {
        const char *name;
        uint64_t value;
    } states[14];    /* the same on all processors */
} boot_found, found; /* by the boot processor, and by the one that was started last */

/* An address in each processor's stack. */
static volatile uintptr_t stacks[PROCESSORS_MOST], emergency_stacks[PROCESSORS_MOST];

static volatile unsigned beats, wakes;

static uint32_t apic_register(unsigned offset)
{
    if (msr_get(MSR_IA32_APIC_BASE) & APIC_BASE_X2APIC)
        return (uint32_t)msr_get(MSR_X2APIC + offset / 16);
    return *(volatile const uint32_t *)((uintptr_t)apic_address() + offset);
}

static void note_stack(struct interrupt_frame *frame)
{
    emergency_stacks[processor_number()] = (uintptr_t)frame;
}

static void look_around(unsigned argument)
{
    const bool narrow = sizeof(uintptr_t) == sizeof(uint32_t); /* 64-bit mode ignores DS and ES */
    const struct selectors s = selectors_read();

    *(processor_number() ? &found : &boot_found) =
        (struct found){ .number = processor_number(),
                        .argument = argument,
                        .id = apic_id(),
                        .flags = flags_read(),
                        .states = { { "its IA32_APIC_BASE, without BSP", msr_get(MSR_IA32_APIC_BASE) & ~APIC_BASE_BSP },
                                    { "its CR0", cr0_read() },
                                    { "its CR3", cr3_read() },
                                    { "its CR4", cr4_read() },
                                    { "its IA32_EFER", msr_get(MSR_IA32_EFER) },
                                    { "its CS", s.cs },
                                    { "its SS", s.ss },
                                    { "its FS", s.fs },
                                    { "its GS", s.gs },
                                    { "its DS", narrow ? s.ds : 0 },
                                    { "its ES", narrow ? s.es : 0 },
                                    { "its task priority", apic_register(APIC_TPR) },
                                    { "its spurious-interrupt vector register", apic_register(APIC_SPURIOUS) },
                                    { "its LVT entry of the performance counters", apic_register(APIC_LVT_PMI) } } };
    stacks[processor_number()] = (uintptr_t)__builtin_frame_address(0);
    ((void (*)(void))(uintptr_t)interrupted_each[VECTOR_MACHINE_CHECK])();
}

static bool wait_until(bool (*reached)(unsigned), unsigned n)
{
    for (unsigned pauses = WAIT_PAUSES; pauses; pauses--) {
        if (reached(n))
            return true;
        cpu_pause();
    }
    return false;
}

static const char *survey(struct topology *topology)
{
    const enum acpi_error error = secondary_cpus_topology(topology);

    if (secondary_cpus_barred())
        return secondary_cpus_barred();
    if (error != ACPI_OK)
        return acpi_error_text(error);
    if (!secondary_cpus_count())
        return "no other processor";
    return memory_low_page() ? NULL : "no usable page below 640 KiB for another processor's first instructions";
}

/* Fills the page in which a processor starts, so that bytes that are not restored are noticed. */
static void fill(volatile uint8_t *page)
{
    for (unsigned i = 0; i < LOW_BYTES; i++)
        page[i] = (uint8_t)(i * 7 + 1);
}

static void expect_filled(struct test_run *run, const volatile uint8_t *page, const char *when)
{
    for (unsigned i = 0; i < LOW_BYTES; i++) {
        if (page[i] != (uint8_t)(i * 7 + 1)) {
            test_fail(run, "byte %u of the page is not restored after %s", i, when);
            return;
        }
    }
}

extern uintptr_t startup_stack; /* of the processor that was started last */

/* The first words of each stack are 0: a debugger's backtrace ends there. */
static void expect_end(struct test_run *run, const void *stack_end)
{
    const uintptr_t *end = stack_end;

    test_equal(run, "the first word of a stack", end[-1], 0);
    test_equal(run, "the second word of a stack", end[-2], 0);
}

static void compare(struct test_run *run, unsigned n, uint32_t id)
{
    if (found.number != n || found.argument != n || found.id != id || found.flags & FLAG_IF)
        test_fail(run, "processor %u: number %u, %u passed to its main, APIC ID 0x%x, IF %u; must be 0x%x and 0", n,
                  found.number, found.argument, (unsigned)found.id, (found.flags & FLAG_IF) != 0, (unsigned)id);
    for (unsigned i = 0; i < sizeof found.states / sizeof found.states[0]; i++)
        test_equal(run, boot_found.states[i].name, found.states[i].value, boot_found.states[i].value);
    for (unsigned other = 0; other < n; other++)
        if (stacks[n] == stacks[other] || emergency_stacks[n] == emergency_stacks[other])
            test_fail(run, "processors %u and %u have the same stack", n, other);
}

static bool is_done(unsigned n)
{
    return processor_done(n);
}

static void start(struct test_run *run)
{
    uint8_t *const page = (uint8_t *)memory_low_page();
    struct topology topology;
    uint8_t before[LOW_BYTES];
    const char *problem = survey(&topology);
    uint32_t none = NO_SUCH_ID;
    unsigned n;

    if (problem) {
        test_skip(run, problem);
        return;
    }
    memcpy(before, page, sizeof before);
    fill(page);
    interrupt_set(VECTOR_MACHINE_CHECK, note_stack);
    look_around(0);
    expect_end(run, stack_top);
    for (n = 1; n <= secondary_cpus_count(); n++) {
        if (!secondary_cpus_start(n, look_around) || !wait_until(is_done, n)) {
            test_fail(run, "the processor with APIC ID %u does not start, or does not end",
                      (unsigned)topology.ids[n - 1]);
            continue;
        }
        expect_filled(run, page, "a start");
        compare(run, n, topology.ids[n - 1]);
        expect_end(run, (const void *)startup_stack);
    }
    console_note("%u processors started", n - 1);
    processors_stop();
    for (unsigned i = 0; i < n - 1; i++)
        none = topology.ids[i] >= none ? (uint32_t)topology.ids[i] + 1 : none;
    if (none != ALL_IDS && processor_start(1, none, (uintptr_t)page, look_around))
        test_fail(run, "a processor that does not exist starts");
    expect_filled(run, page, "a failed start");
    interrupt_set(VECTOR_MACHINE_CHECK, NULL);
    memcpy(page, before, sizeof before);
}

TEST(selftest_processors_start) = {
    .id = "selftest.processors.start",
    .title =
        "A started processor has the boot processor's paging, APIC and interrupt state, and its own stack and number",
    .source = OWN_PROCESSORS,
    .needs = NEED_APIC,
    .on_request = true,
    .run = start,
};

/* ---- waking and stopping ---------------------------------------------------------------------------------------- */

static void beat(unsigned number)
{
    (void)number;
    for (;;) {
        beats++;
        cpu_pause();
    }
}

static void sleep(unsigned number)
{
    (void)number;
    beats++;
    cpu_halt_for_interrupt();
    wakes++;
}

static bool has_beaten(unsigned times)
{
    return beats >= times;
}

static void settle(void)
{
    for (unsigned i = 0; i < SETTLE_PAUSES; i++)
        cpu_pause();
}

static bool is_quiet(void)
{
    const unsigned before = beats;

    settle();
    return beats == before;
}

/* Whether the beats end. That may take a while to see if a host schedules the processors in turn. */
static bool beats_end(void)
{
    for (unsigned tries = 0; tries < REST_TRIES; tries++)
        if (is_quiet())
            return true;
    return false;
}

static void stop(struct test_run *run)
{
    const uintptr_t page = memory_low_page();
    struct topology topology;
    const char *problem = survey(&topology);

    if (problem) {
        test_skip(run, problem);
        return;
    }
    beats = wakes = 0;
    if (!processor_start(1, topology.ids[0], page, beat) || !wait_until(has_beaten, ENOUGH_BEATS)) {
        test_fail(run, "the processor does not run");
        return;
    }
    processors_stop();
    if (!beats_end())
        test_fail(run, "the processor still runs after processors_stop()");

    beats = 0;
    if (!processor_start(1, topology.ids[0], page, sleep) || !wait_until(has_beaten, 1))
        test_fail(run, "the processor does not start again");
    settle();
    test_equal(run, "how often it woke by itself", wakes, 0);
    processor_wake(1);
    if (!wait_until(is_done, 1))
        test_fail(run, "the processor is not woken");
}

TEST(selftest_processors_stop) = {
    .id = "selftest.processors.stop",
    .title = "A stopped processor executes nothing, and can be started again; a sleeping processor can be woken",
    .source = OWN_PROCESSORS,
    .needs = NEED_APIC,
    .on_request = true,
    .run = stop,
};

/* ---- the list of processors -------------------------------------------------------------------------------------- */

static void list(struct test_run *run)
{
    struct topology topology;
    enum acpi_error error;

    if (secondary_cpus_barred()) {
        test_skip(run, secondary_cpus_barred());
        return;
    }
    error = topology_read(&topology);

    if (error != ACPI_OK) {
        test_skip(run, acpi_error_text(error));
        return;
    }
    console_note("topology %u processors, %u siblings, %u others", topology.total, topology.siblings, topology.count);
    for (unsigned i = 0; i < topology.count; i++)
        console_note("topology other %u APIC ID %u", i, (unsigned)topology.ids[i]);
    console_note("low page 0x%llx", (unsigned long long)memory_low_page());
}

TEST(selftest_processors_list) = {
    .id = "selftest.processors.list",
    .title = "Processors on other cores are found in the order of firmware's table, and siblings are left out",
    .source = OWN_PROCESSORS,
    .needs = NEED_APIC,
    .on_request = true,
    .run = list,
};

/* SPDX-License-Identifier: MIT */
#include "suite/all_cpus/all_cpus.h"

#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "arch/x86/probe.h"
#include "arch/x86/devices/processors.h"
#include "arch/x86/devices/watchdog.h"
#include "lib/format.h"
#include "cpu/cores.h"
#include "ds/ds.h"
#include "kernel/console.h"
#include "kernel/secondary_cpus.h"
#include "pebs/pebs.h"
#include "suite/support/pebs_compare.h"

/*
 * Seconds added to the test's timeout. processor_start() waits a second for each of the first three processors that do
 * not start. A start takes 10 ms; 250 ms allow for a host that runs one processor at a time.
 */
#define STARTS_THAT_FAIL         3u
#define STARTS_PER_SECOND        4u
#define SECONDS_MORE(processors) (STARTS_THAT_FAIL + (processors) / STARTS_PER_SECOND)

#define KIND_TEXT 32u

static struct member boot_member;
static cpus_job *current_job;
static unsigned count; /* processors that take part */
static bool comparing; /* a processor is in cpus_compare() */

_Static_assert(sizeof(struct member) <= SECONDARY_CPU_PAGE, "struct member fits a processor's page");

unsigned cpus_count(void)
{
    return count;
}

struct member *cpus_member(unsigned number)
{
    return number ? secondary_cpus_page(number) : &boot_member;
}

static unsigned id_of(unsigned number)
{
    return number ? (unsigned)secondary_cpus_id(number) : (unsigned)apic_id();
}

/*
 * Waits for a flag, with interrupts off before and after. The test's watchdog on the boot processor bounds the wait,
 * because it then stops the other processors.
 */
static void wait_for(const volatile bool *flag)
{
    while (!*flag)
        cpu_halt_for_interrupt();
}

static void set(volatile bool *flag, unsigned waiting)
{
    memory_fence();
    *flag = true;
    processor_wake(waiting);
}

static void probe(struct member *m, const struct caps *boot)
{
    struct caps_input input;

    ds_close(); /* the processor may have been stopped inside a test */
    if (caps_missing(boot, NEED_PEBS) == CAPS_AVAILABLE)
        pebs_quiesce(boot);
    if (caps_missing(boot, NEED_PERFMON) == CAPS_AVAILABLE)
        counters_clear(boot);
    interrupts_off();
    ds_probe(&input);
    caps_fill(&input, &m->caps);
    ds_probe_registers(&m->caps);
    m->write_back = ds_is_write_back(&m->memory);
    if (m->caps.freeze_while_smm)
        msr_write(MSR_IA32_DEBUGCTL, DEBUGCTL_FREEZE_WHILE_SMM);
}

/* The main function of each other processor: detects its capabilities, then runs jobs. */
static void other_main(unsigned number)
{
    struct member *const m = cpus_member(number);

    probe(m, m->run.caps);
    set(&m->probed, 0);
    for (;;) {
        wait_for(&m->go);
        m->go = false;
        current_job(m);
        interrupts_off();
        set(&m->over, 0);
    }
}

static void ready(struct member *m, const struct test_run *run)
{
    *m = (struct member){ .run = { .test = run->test, .caps = run->caps, .data_source = run->data_source } };
    m->run.aside = m->aside;
}

/* The name of a hybrid's kind of core; otherwise the signature, which all processors share. */
static const char *kind_of(const struct caps *caps)
{
    const struct core *core = core_find_kind(caps->family, caps->model, caps->core_type, caps->native_model);

    return core->name ? core->name : caps->core_type == CORE_TYPE_ATOM ? "Atom" : "Core";
}

static void say_difference(void *context, const char *text)
{
    const unsigned *number = context;

    cpus_member(*number)->differs = true;
    console_note("cpu %u apic 0x%x differs: %s", *number, id_of(*number), text);
}

/* The lowest started processor with the n-th processor's kind of core. */
static unsigned first_of_kind(unsigned n)
{
    const struct caps *const caps = &cpus_member(n)->caps;
    unsigned first = 0;

    while (first < n && caps->hybrid &&
           (!cpus_member(first)->started || cpus_member(first)->caps.core_type != caps->core_type ||
            cpus_member(first)->caps.native_model != caps->native_model))
        first++;
    return first;
}

/* A hybrid's other kind of core does the same job with its own capabilities. */
static void take_own_caps(unsigned n, const struct test_run *run)
{
    struct member *const m = cpus_member(n);
    enum caps_reason lacks;

    m->caps.reason[CAPS_NEED_APIC] = run->caps->reason[CAPS_NEED_APIC];
    lacks = caps_missing(&m->caps, run->test->needs);
    m->fit = lacks == CAPS_AVAILABLE;
    m->run.caps = &m->caps;
    m->run.data_source = m->caps.data_source;
    console_note("cpu %u apic 0x%x has another kind of core than cpu 0, %s: %s", n, id_of(n), kind_of(&m->caps),
                 m->fit ? "with its own capabilities" : caps_reason_text(lacks));
}

static bool start(unsigned n, const struct test_run *run)
{
    struct member *const m = cpus_member(n);
    unsigned first;

    ready(m, run);
    m->started = secondary_cpus_start(n, other_main);
    if (!m->started) {
        console_note("cpu %u apic 0x%x does not start: excluded", n, id_of(n));
        return false;
    }
    wait_for(&m->probed);
    if (m->caps.ds && !m->write_back) /* firmware may have left different MTRRs */
        memory_finding_text(&console_sink, n, &m->memory);
    m->fit = true;
    first = first_of_kind(n);
    if (first)
        take_own_caps(n, run);
    if (first < n && !cpus_alike(&cpus_member(first)->caps, &m->caps, say_difference, &n)) {
        m->fit = false;
        console_note("cpu %u apic 0x%x has other capabilities than cpu %u: excluded", n, id_of(n), first);
    }
    return true;
}

const char *cpus_start(struct test_run *run, unsigned most)
{
    struct topology topology;
    const enum acpi_error error = secondary_cpus_topology(&topology);
    unsigned started = 1;

    if (secondary_cpus_barred())
        return secondary_cpus_barred();
    if (error != ACPI_OK)
        return acpi_error_text(error);
    count = secondary_cpus_count() + 1 < most ? secondary_cpus_count() + 1 : most;
    if (count < 2)
        return topology.total < 2 ? "only one processor, on which all other tests run"
                                  : "no other processor can be started: the start of the log says why";
    comparing = false; /* a processor may have been stopped there */
    watchdog_allow(SECONDS_MORE(cpus_count()));
    interrupts_off();
    ready(&boot_member, run);
    boot_member.caps = *run->caps;
    boot_member.started = boot_member.fit = true;
    for (unsigned n = 1; n < cpus_count(); n++)
        started += start(n, run);
    interrupts_on();
    console_note("processors %u started of %u", started, cpus_count());
    return NULL;
}

static void begin(unsigned n)
{
    struct member *const m = cpus_member(n);

    m->over = false;
    if (n)
        set(&m->go, n);
}

static void await(unsigned n)
{
    struct member *const m = cpus_member(n);

    if (n)
        wait_for(&m->over);
    else
        current_job(m);
    interrupts_off();
}

/* Reports the result of a member's job, and adds it to the test's result. */
static void tell(struct test_run *run, unsigned n, const char *what, const char *unit)
{
    const struct member *m = cpus_member(n);
    char kind[KIND_TEXT] = "";

    if (m->caps.hybrid)
        format(kind, sizeof kind, " %s", kind_of(&m->caps));
    if (m->interrupts)
        console_note("cpu %u apic 0x%x%s: %s %u of %u %s, %u interrupts", n, id_of(n), kind, what, m->got, m->typical,
                     unit, m->interrupts);
    else
        console_note("cpu %u apic 0x%x%s: %s %u of %u %s", n, id_of(n), kind, what, m->got, m->typical, unit);
    if (run->planned) /* a processor with a problem has failed already; no other may make up for its records */
        test_saw(run, m->run.problems || m->got == m->typical ? m->typical : 0);
    test_at(run, m->run.plan_file, m->run.plan_line); /* the log names the member's check */
    if (m->run.problems)
        (test_fail)(run, "cpu %u apic 0x%x: %s%s", n, id_of(n), m->aside, m->run.problems > 1 ? ", and more" : "");
    else if (m->run.differences)
        (test_differs)(run, "cpu %u apic 0x%x: %s", n, id_of(n), m->aside);
}

void cpus_in_turn(struct test_run *run, cpus_job *job, const char *what, const char *unit)
{
    current_job = job;
    for (unsigned n = 0; n < cpus_count(); n++) {
        if (!cpus_member(n)->fit)
            continue;
        interrupts_off();
        begin(n);
        await(n);
        interrupts_on();
        tell(run, n, what, unit);
    }
}

void cpus_run(cpus_job *job)
{
    current_job = job;
    interrupts_off();
    for (unsigned n = cpus_count(); n-- > 0;)
        if (cpus_member(n)->fit)
            begin(n);
    for (unsigned n = 0; n < cpus_count(); n++)
        if (cpus_member(n)->fit)
            await(n);
    interrupts_on();
}

void cpus_compare(struct member *m, const struct pebs_sample *sample, uint64_t since)
{
    while (__atomic_test_and_set(&comparing, __ATOMIC_ACQUIRE))
        cpu_pause();
    pebs_sample_expect(sample, since);
    pebs_compare(&m->run);
    __atomic_clear(&comparing, __ATOMIC_RELEASE);
}

void cpus_at_once(struct test_run *run, cpus_job *job, const char *what, const char *unit)
{
    cpus_run(job);
    for (unsigned n = 0; n < cpus_count(); n++)
        if (cpus_member(n)->fit)
            tell(run, n, what, unit);
}

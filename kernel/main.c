/* SPDX-License-Identifier: MIT */
/* The kernel as a table of steps. Called by arch/x86/entry64.asm and entry32.asm. See also docs/reading-order.md. */
#include <inttypes.h>
#include <stddef.h>

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/perfmon.h"
#include "arch/x86/probe.h"
#include "arch/x86/processors.h"
#include "arch/x86/watchdog.h"
#include "boot/handover.h"
#include "ds/ds.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/finish.h"
#include "kernel/memory.h"
#include "kernel/panic.h"
#include "kernel/runner.h"
#include "kernel/serial.h"
#include "kernel/topology.h"
#include "pebs/netburst.h"
#include "perfmon/reset_state.h"
#include "report/machine_text.h"
#include "version.h"

#define CPUID_1_EDX_PSE (1u << 3)
#define CPUID_1_EDX_PAE (1u << 6)

#define WIDTH (unsigned)(8 * sizeof(void *))

/* What the steps pass on to each other. */
static struct {
    uint32_t magic, information;
    struct boot_info boot;
    struct options options;
    struct caps caps;
    enum apic_error apic; /* valid if the APIC was tried */
} machine;

/* Cleared by a debugger: set var gdb_wait = 0. */
static volatile int gdb_wait = 1;

void kernel_main(uint32_t magic, uint32_t information);

static void step_interrupts(void)
{
    interrupts_init(panic_exception);
}

static void error_end(void)
{
    finish(VERDICT_ERROR, &(struct totals){ .error = 1 });
}

static void say_handover(enum handover_error error, const struct handover_offender *offender)
{
    if (error == HANDOVER_MULTIBOOT2)
        console_note("error: boot: %s: %s", handover_error_text(error), multiboot2_error_text(offender->multiboot2));
    else if (error == HANDOVER_OPTIONS_FILE)
        console_note("error: boot: %s: line %zu: %s", handover_error_text(error), offender->line,
                     load_options_error_text(offender->load_options));
    else
        console_note("error: boot: %s", handover_error_text(error));
}

static void step_options(void)
{
    struct slice offender;
    struct handover_offender passed;
    const enum handover_error handed = boot_handover(machine.magic, machine.information, &machine.boot, &passed);
    enum options_error error =
        options_parse((const char *)(uintptr_t)machine.boot.options, &machine.options, &offender);

    serial_init(machine.options.console, machine.options.console_baud);
    finish_configure(&machine.options, cpuid(1, 0).ecx >> 31);
    memory_init(&machine.boot);
    topology_init(&machine.boot);
    serial_write("\r\n"); /* firmware may have left the cursor inside a line */
    console_note("begin dstest86 %s %s %u", DSTEST86_VERSION, DSTEST86_REVISION, WIDTH);
    if (handed != HANDOVER_OK) {
        say_handover(handed, &passed);
        error_end();
    }
    if (error != OPTIONS_OK) {
        console_note("error: %s: %.*s", options_error_text(error), (int)offender.length, offender.start);
        options_help(console_sink.line, console_sink.context);
        error_end();
    }
    if (machine.options.width != 0 && machine.options.width != WIDTH) {
        console_note(
            "error: width=%u: the boot loader started the %u-bit kernel without reading this option; choose the "
            "%u-bit kernel there",
            machine.options.width, WIDTH, machine.options.width);
        error_end();
    }
}

static void step_probe(void)
{
    static struct caps_input input;

    ds_probe(&input);
    caps_fill(&input, &machine.caps);
    reset_state_take(&machine.caps);
    ds_probe_registers(&machine.caps);
}

static void step_paging(void)
{
    const uint32_t flags = cpuid(1, 0).edx;
    const struct paging_choice choice = { .pae = flags & CPUID_1_EDX_PAE,
                                          .pse = flags & CPUID_1_EDX_PSE,
                                          .nx = machine.caps.nx,
                                          .wish = (enum paging_wish)machine.options.paging,
                                          .apic_base = machine.caps.apic ? apic_address() : 0 };
    const enum paging_error error = paging_init(&choice);

    if (error != PAGING_OK) {
        console_note("error: cannot set up page tables: %s", paging_error_text(error));
        error_end();
    }
}

static void step_apic(void)
{
    if (caps_missing(&machine.caps, NEED_APIC) != CAPS_AVAILABLE)
        return;
    machine.apic = apic_init(apic_address());
    if (machine.apic != APIC_OK)
        machine.caps.reason[CAPS_NEED_APIC] = CAPS_APIC_UNUSABLE;
}

static void step_report(void)
{
    const enum caps_reason missing = caps_missing(&machine.caps, NEED_APIC);

    machine_text(&console_sink, &machine.caps);
    console_note("boot route %s, %u memory ranges", (const char *)(uintptr_t)machine.boot.route,
                 machine.boot.memory_count);
    console_note("paging %s%s", paging_name(), paging_no_execute() ? ", no-execute" : "");
    if (machine.apic != APIC_OK)
        console_note("apic none: %s", apic_error_text(machine.apic));
    else if (missing != CAPS_AVAILABLE)
        console_note("apic none: %s", caps_reason_text(missing));
    else
        console_note("apic xAPIC at 0x%" PRIx64 ", performance vector 0x%x", apic_address(), VECTOR_PERFORMANCE);
}

static void step_dump(void)
{
    if (machine.options.dump)
        dump_start(&machine.caps);
}

static void step_watchdog(void)
{
    if (!watchdog_init())
        console_note("watchdog none: hung tests will not be ended");
}

static void step_debugger(void)
{
    if (!machine.options.gdbwait)
        return;
    console_note("waiting for a debugger: set var gdb_wait = 0");
    while (gdb_wait)
        cpu_pause();
}

/* Switches off everything that firmware or a test may have left enabled. */
static void quiesce(void)
{
    processors_stop();
    ds_on_interrupt(NULL);
    ds_close();
    if (caps_missing(&machine.caps, NEED_LBR) == CAPS_AVAILABLE ||
        caps_missing(&machine.caps, NEED_BTS) == CAPS_AVAILABLE)
        msr_write(MSR_IA32_DEBUGCTL, machine.caps.freeze_while_smm ? DEBUGCTL_FREEZE_WHILE_SMM : 0);
    if (caps_missing(&machine.caps, NEED_PEBS) == CAPS_AVAILABLE)
        msr_write(MSR_PEBS_ENABLE, 0);
    if (machine.caps.pebs_method == PEBS_METHOD_NETBURST)
        netburst_quiesce();
    if (caps_missing(&machine.caps, NEED_PERFMON) == CAPS_AVAILABLE)
        counters_clear(machine.caps.general_count, machine.caps.fixed_count, machine.caps.global_ctrl);
}

static void step_tests(void)
{
    struct totals totals;
    enum verdict verdict;

    if (machine.options.list) {
        runner_list();
        finish(VERDICT_SKIP, &(struct totals){ 0 });
    }
    verdict = runner_run(&machine.options, &machine.caps, quiesce);
    runner_totals(&totals);
    finish(verdict, &totals);
}

void kernel_main(uint32_t magic, uint32_t information)
{
    static void (*const steps[])(void) = {
        step_interrupts, /* handlers for every vector */
        step_options,    /* options, and the first line over serial */
        step_probe,      /* what this processor can do */
        step_paging,     /* our own page tables */
        step_apic,       /* local APIC in xAPIC mode */
        step_report,     /* prints what was found */
        step_dump,       /* option dump: the dump's head */
        step_watchdog,   /* the time limit of tests */
        step_debugger,   /* option gdbwait */
        step_tests,      /* runs the tests, and gives the verdict */
    };

    machine.magic = magic;
    machine.information = information;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        steps[i]();
}

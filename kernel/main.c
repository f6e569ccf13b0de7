/* SPDX-License-Identifier: MIT */
/* The kernel as a table of steps. Called by arch/x86/entry64.asm and entry32.asm. See also docs/hacking.md. */
#include <inttypes.h>
#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/devices/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/perfmon.h"
#include "arch/x86/probe.h"
#include "arch/x86/devices/processors.h"
#include "arch/x86/string.h"
#include "arch/x86/devices/watchdog.h"
#include "lib/format.h"
#include "boot/handover.h"
#include "ds/ds.h"
#include "kernel/console.h"
#include "kernel/serial_ports.h"
#include "kernel/display.h"
#include "kernel/dump.h"
#include "kernel/run_end.h"
#include "kernel/run_error.h"
#include "kernel/held_lines.h"
#include "kernel/acpi_root.h"
#include "kernel/log_keeper.h"
#include "kernel/log_lines.h"
#include "kernel/core_kinds.h"
#include "kernel/memory.h"
#include "kernel/secondary_cpus.h"
#include "kernel/panic.h"
#include "kernel/progress.h"
#include "kernel/runner.h"
#include "kernel/serial.h"
#include "pebs/netburst.h"
#include "pebs/pebs.h"
#include "kernel/firmware.h"
#include "kernel/reset_state.h"
#include "kernel/report/machine_text.h"
#include "version.h"

#define CPUID_1_EDX_PSE (1u << 3)
#define CPUID_1_EDX_PAE (1u << 6)
#define CPUID_1_EDX_PAT (1u << 16)

#define SERIAL_BUFFER 0x100000u /* bytes: more than the log of all tests with a few records each */
#define HELD_SIZE     0x10000u  /* bytes: several times what eight records of each kind take, with all their groups */

#define LINES_SIZE 0x20000u /* bytes: the log of all measurements, and the list of tests */

#define IO_APICS 16u /* an HPET interrupts through the first of a server's */

#define WIDTH (unsigned)(8 * sizeof(void *))

/* State that the steps pass to each other. */
static struct {
    uint32_t magic, information;
    struct boot_info boot;
    struct options options;
    struct caps caps;     /* of the boot processor */
    enum apic_error apic; /* valid if the APIC was tried */
    struct kind *kind;    /* on which the tests run */
    uint8_t *spare;       /* stack of the boot processor while the tests run on another; NULL: there is only one kind */
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
    run_end(VERDICT_ERROR, &(struct totals){ .error = 1 });
}

static void say_handover(enum handover_error error, const struct handover_offender *offender)
{
    if (error == HANDOVER_MULTIBOOT2)
        run_error("boot: %s: %s", handover_error_text(error), multiboot2_error_text(offender->multiboot2));
    else if (error == HANDOVER_OPTIONS_FILE)
        run_error("boot: %s: line %zu: %s", handover_error_text(error), offender->line,
                  load_options_error_text(offender->load_options));
    else
        run_error("boot: %s", handover_error_text(error));
}

static void step_firmware(void)
{
    firmware_apic_on();
    firmware_take_over();
}

/* Passes serial_ports_text()'s lines about the ports to the page. */
static void page_log(void *context, const char *text)
{
    static const char before[] = "console ";

    (void)context;
    progress_log("%s", text + sizeof before - 1);
}

static void step_options(void)
{
    struct slice offender;
    struct handover_offender passed;
    const enum handover_error handed = boot_handover(machine.magic, machine.information, &machine.boot, &passed);
    enum options_error error =
        options_parse((const char *)(uintptr_t)machine.boot.options, &machine.options, &offender);
    const char *const remarks = (const char *)(uintptr_t)machine.boot.remarks;

    run_end_configure(&machine.options, cpuid(1, 0).ecx >> 31);
    memory_init(&machine.boot);
    held_lines_init(memory_keep(HELD_SIZE, PAGE_SIZE), HELD_SIZE);
    log_lines_init(memory_keep(LINES_SIZE, PAGE_SIZE), LINES_SIZE);
    display_init(&machine.boot.screen);
    acpi_root_init(&machine.boot);
    log_keeper_start(&machine.boot.keep);
    serial_ports_open(&machine.options);
    if (progress_is_seen())
        serial_buffer(memory_keep(SERIAL_BUFFER, PAGE_SIZE), SERIAL_BUFFER);
    serial_write("\r\n"); /* firmware may have left the cursor inside a line */
    console_note("begin dstest86 %s %s %u", DSTEST86_VERSION, DSTEST86_REVISION, WIDTH);
    serial_ports_text(&console_sink);
    if (serial_lines())
        serial_ports_text(&(struct line_sink){ page_log, NULL });
    if (remarks)
        console_note("loader: %s", remarks);
    progress_page.remarks = remarks;
    if (handed != HANDOVER_OK) {
        say_handover(handed, &passed);
        error_end();
    }
    if (error != OPTIONS_OK) {
        run_error("%s: %.*s", options_error_text(error), (int)offender.length, offender.start);
        log_lines_start();
        options_help(console_sink.line, console_sink.context);
        progress_lines(PAGE_LINES_ALL);
        error_end();
    }
    if (machine.options.width != 0 && machine.options.width != WIDTH) {
        run_error("width=%u: the boot loader ignored it and started the %u-bit kernel; choose the %u-bit kernel in its "
                  "menu",
                  machine.options.width, WIDTH, machine.options.width);
        error_end();
    }
}

/* Fills in the capabilities of the calling processor. */
static void probe(struct caps *caps)
{
    static struct caps_input input;

    ds_probe(&input);
    caps_fill(&input, caps);
    reset_state_take(caps);
    ds_probe_registers(caps);
    if (firmware_unreliable_counters())
        caps_take_counters(caps, firmware_unreliable_counters());
}

static void step_probe(void)
{
    probe(&machine.caps);
    progress_page.caps = &machine.caps;
}

static void step_paging(void)
{
    const uint32_t flags = cpuid(1, 0).edx;
    uint64_t devices[2 * SERIAL_LINES];
    const struct paging_choice choice = { .pae = flags & CPUID_1_EDX_PAE,
                                          .pse = flags & CPUID_1_EDX_PSE,
                                          .nx = machine.caps.nx,
                                          .pat = flags & CPUID_1_EDX_PAT,
                                          .wish = (enum paging_wish)machine.options.paging,
                                          .apic_base = machine.caps.apic ? apic_address() : 0,
                                          .devices = devices,
                                          .device_count = serial_ports_pages(devices, 2 * SERIAL_LINES) };
    const enum paging_error error = paging_init(&choice);

    if (error != PAGING_OK) {
        run_error("cannot set up page tables: %s", paging_error_text(error));
        error_end();
    }
    display_map(machine.caps.physical_bits);
}

static void step_apic(void)
{
    if (caps_missing(&machine.caps, NEED_APIC) != CAPS_AVAILABLE) {
        interrupts_allowed = !machine.caps.apic; /* without an APIC no interrupts: the two 8259s are masked */
        return;
    }
    machine.apic = apic_init(apic_address());
    if (machine.apic != APIC_OK)
        machine.caps.reason[CAPS_NEED_APIC] = CAPS_APIC_UNUSABLE;
}

static void say_apic(void)
{
    if (machine.caps.apic_base & APIC_BASE_X2APIC)
        console_note("apic %s%s, performance vector 0x%x", apic_mode(), apic_locked() ? ", locked by firmware" : "",
                     VECTOR_PERFORMANCE);
    else
        console_note("apic %s at 0x%" PRIx64 ", performance vector 0x%x", apic_mode(), apic_address(),
                     VECTOR_PERFORMANCE);
}

static void say_clock(void)
{
    const struct clock *running = NULL;

    for (unsigned i = 0; i < CLOCKS; i++) {
        const struct clock *const clock = clock_number(i);
        if (clock->state == CLOCK_STILL)
            console_note("clock %s has stopped", clock->name);
        else if (clock->state == CLOCK_RUNS)
            running = clock;
    }
    if (running)
        console_note("clock %s, %" PRIu64 " Hz", running->name, running->hz);
    else
        console_note("clock: no timer works, so delays are approximate; turn the HPET on in the firmware");
}

/* Reports interrupts without a handler, such as those of devices that firmware uses. */
static void say_strays(void)
{
    static unsigned said;
    unsigned vector;
    const unsigned strays = apic_strays(&vector);

    if (strays != said)
        console_note("apic stray interrupts: %u, the last at vector 0x%x", strays - said, vector);
    said = strays;
}

/* Reports where the log goes in addition to the console. */
static void say_log(void)
{
    if (log_keeper_is_on()) {
        console_note("log kept in %" PRIu64 " KiB at 0x%" PRIx64 ", for the loader after a restart",
                     machine.boot.keep.size / 1024, machine.boot.keep.base);
        progress_log("the stick, after a restart");
    } else if (machine.options.log != OPTIONS_LOG_NONE)
        console_note("log not kept: %s",
                     machine.boot.keep.base      ? "the loader's memory for it was overwritten; record the serial port"
                     : machine.boot.remarks != 0 ? "see \"loader:\" above"
                                                 : "only the UEFI loader can keep it; boot the stick by UEFI");
}

static void say_memory(unsigned number, const struct caps *caps)
{
    struct memory_finding found;

    if (caps->ds && !ds_is_write_back(&found))
        memory_finding_text(&console_sink, number, &found);
}

static void step_report(void)
{
    static char system[SMBIOS_TEXT];
    const enum caps_reason missing = caps_missing(&machine.caps, NEED_APIC);

    machine_text(&console_sink, &machine.caps);
    if (acpi_root_smbios(system)) {
        console_note("system %s", system);
        progress_page.system = system;
    }
    firmware_text(&console_sink);
    console_note("boot route %s, %u memory ranges", (const char *)(uintptr_t)machine.boot.route,
                 machine.boot.memory_count);
    console_note("paging %s%s", paging_name(), paging_no_execute() ? ", no-execute" : "");
    say_memory(0, &machine.caps);
    console_note("screen %s", display_text());
    if (machine.apic != APIC_OK)
        console_note("apic none: %s", apic_error_text(machine.apic));
    else if (missing != CAPS_AVAILABLE)
        console_note("apic none: %s", caps_reason_text(missing));
    else
        say_apic();
    say_clock();
    secondary_cpus_say();
    core_kinds_say();
    say_log();
}

static void step_clock(void)
{
    struct acpi_timers timers;

    acpi_root_timers(&timers);
    clock_init(machine.caps.tsc_hz, &timers);
}

static void step_others(void)
{
    secondary_cpus_init();
}

static void step_kinds(void)
{
    core_kinds_init(&machine.caps);
    if (core_kinds_count() > 1)
        machine.spare = memory_keep(PROCESSOR_MEMORY, PAGE_SIZE);
}

static void step_dump(void)
{
    if (machine.options.dump)
        dump_start(&machine.caps, 0);
}

static void step_watchdog(void)
{
    struct acpi_timers timers;
    struct acpi_io_apic io_apics[IO_APICS];
    bool nmi;

    acpi_root_timers(&timers);
    if (!watchdog_init(&timers, io_apics, acpi_root_io_apics(io_apics, IO_APICS), &nmi))
        console_note("watchdog: no timer for it, so a hung test stops the run; omit that test with skip=");
    else if (!nmi)
        console_note("watchdog without NMI: a test that hangs with interrupts off stops the run");
}

static void step_debugger(void)
{
    if (!machine.options.gdbwait)
        return;
    console_note("waiting for a debugger: set var gdb_wait = 0");
    serial_flush();
    while (gdb_wait)
        cpu_pause();
}

/* Disables everything that firmware or a test may have left enabled. */
static void quiesce(void)
{
    const struct caps *const caps = &machine.kind->caps;

    processors_stop();
    ds_on_interrupt(NULL);
    ds_close();
    if (caps_missing(caps, NEED_LBR) == CAPS_AVAILABLE || caps_missing(caps, NEED_BTS) == CAPS_AVAILABLE)
        msr_write(MSR_IA32_DEBUGCTL, caps->freeze_while_smm ? DEBUGCTL_FREEZE_WHILE_SMM : 0);
    if (caps_missing(caps, NEED_ARCH_LBR) == CAPS_AVAILABLE)
        msr_write(MSR_IA32_LBR_CTL, 0);
    if (caps_missing(caps, NEED_PEBS) == CAPS_AVAILABLE)
        pebs_quiesce(caps);
    if (caps->pebs_method == PEBS_METHOD_NETBURST)
        netburst_quiesce();
    if (caps_missing(caps, NEED_PERFMON) == CAPS_AVAILABLE)
        counters_clear(caps);
    say_strays();
}

/* Runs the tests of a further kind on its processor, which acts as the boot processor meanwhile. */
static void test_kind(void)
{
    struct caps *const caps = &machine.kind->caps;

    firmware_of((unsigned)(machine.kind - core_kind_number(0)));
    firmware_take_over();
    probe(caps);
    caps->reason[CAPS_NEED_APIC] = machine.caps.reason[CAPS_NEED_APIC];
    if (machine.options.dump)
        dump_start(caps, machine.kind->number);
    core_kind_say(machine.kind);
    machine_text(&console_sink, caps);
    firmware_text(&console_sink);
    say_memory(machine.kind->number, caps);
    if (!watchdog_follow() && watchdog_has_nmi())
        console_note(
            "watchdog without NMI on this processor: only cpu 0 notices a test that hangs there with interrupts off");
    runner_run(machine.kind->suffix, caps, quiesce);
    firmware_give_back();
}

static void run_kind(struct kind *kind)
{
    char why[64];
    enum processor_loan loan = LOAN_NEVER;

    machine.kind = kind;
    progress_page.caps = kind->number ? &machine.caps : &kind->caps;
    if (!kind->number) {
        runner_run(kind->suffix, &kind->caps, quiesce);
        return;
    }
    if (machine.spare) {
        memset(machine.spare, 0, PROCESSOR_MEMORY);
        loan = processor_lend(kind->number, kind->apic_id, memory_low_page(), machine.spare, watchdog_second(),
                              test_kind, runner_late);
    }
    firmware_of(0);
    watchdog_follow();
    machine.kind = core_kind_number(0);
    if (loan != LOAN_OVER) {
        format(why, sizeof why,
               !machine.spare       ? "not enough memory to test cpu %u"
               : loan == LOAN_ENDED ? "cpu %u does not respond"
                                    : "cpu %u does not start",
               kind->number);
        runner_abandon(kind->suffix, &kind->caps, why);
    }
}

static void step_tests(void)
{
    struct totals totals;
    enum verdict verdict;
    unsigned wanted = 0, named = 0, left;

    if (machine.options.list) {
        log_lines_start();
        runner_list();
        progress_lines(PAGE_LINES_ALL);
        run_end(VERDICT_SKIP, &(struct totals){ 0 });
    }
    for (unsigned i = 0; i < core_kinds_count(); i++) {
        const bool selected = core_kind_is_selected(&machine.options, core_kind_number(i));
        wanted += selected;
        named += selected && core_kind_number(i)->suffix;
    }
    if (!wanted) {
        run_error("kinds=: no core of this machine is of these kinds; use kinds=all");
        error_end();
    }
    if (!runner_begin(&machine.options, wanted, named))
        error_end();
    progress_page.kinds = core_kinds_selected(&machine.options, runner_kinds());
    left = runner_kinds();
    for (unsigned i = 0; left && i < core_kinds_count(); i++) {
        if (!core_kind_is_selected(&machine.options, core_kind_number(i)))
            continue;
        run_kind(core_kind_number(i));
        left--;
    }
    verdict = runner_conclude();
    runner_totals(&totals);
    run_end(verdict, &totals);
}

void kernel_main(uint32_t magic, uint32_t information)
{
    static const struct {
        const char *name; /* on the page: the step in which a run hangs */
        void (*run)(void);
    } steps[] = {
        { "handlers of exceptions", step_interrupts },
        { "what the firmware left on", step_firmware },
        { "options, serial port, screen", step_options },
        { "what this processor can do", step_probe },
        { "page tables", step_paging },          /* the kernel's own, with the screen mapped in them */
        { "local APIC", step_apic },             /* takes it over from firmware, and allows interrupts */
        { "clocks", step_clock },                /* for waiting */
        { "the other processors", step_others }, /* gets memory for them, without starting them */
        { "kinds of cores", step_kinds },        /* on a hybrid starts and stops the others */
        { "head of the log", step_report },
        { "head of the raw dump", step_dump }, /* option dump */
        { "time limit of tests", step_watchdog },
        { "waiting for a debugger", step_debugger }, /* option gdbwait */
        { "tests", step_tests },                     /* and the verdict */
    };
    const unsigned count = sizeof steps / sizeof steps[0];

    machine.magic = magic;
    machine.information = information;
    progress_page.version = DSTEST86_VERSION;
    progress_page.revision = DSTEST86_REVISION;
    progress_page.send_to = DSTEST86_SEND_TO;
    progress_page.bits = WIDTH;
    for (unsigned i = 0; i < count; i++) {
        progress_step(i + 1, count, steps[i].name);
        steps[i].run();
    }
}

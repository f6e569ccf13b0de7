/* SPDX-License-Identifier: MIT */
/*
 * The kernel's steps from the entry to the verdict (kernel/main.c): what is called in which order and with what, what
 * the head of the log says, and how a run ends that must not go on. Registers by their numbers from SDM Vol. 4
 * (335592-081): 1D9H IA32_DEBUGCTL, 3F1H IA32_PEBS_ENABLE, 14CEH IA32_LBR_CTL.
 */
#include "tests/host/host_test.h"

/* Whatever the steps call is the test's. */
#define boot_handover      the_handover
#define caps_fill          the_caps
#define machine_text       the_text
#define firmware_of        the_firmware_of
#define firmware_take_over the_take_over
#define firmware_give_back the_give_back
#define firmware_text      the_firmware
#define reset_state_take   the_reset
#define held_lines_init    the_held
#define ds_on_interrupt    the_observer
#define ds_close           the_close
#define pebs_quiesce       the_pebs
#define netburst_quiesce   the_netburst
#define counters_clear     the_counters
#define machine            steps_machine
#include "kernel/main.c"
#undef machine

#include "tests/host/machine/machine.h"

static char did[8000];
static jmp_buf end;

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *fmt, ...)
{
    const size_t used = strlen(did);
    va_list args;

    va_start(args, fmt);
    vsnprintf(did + used, sizeof did - used - 1, fmt, args);
    va_end(args);
    strcat(did, "\n");
}

/* What firmware, options, processor and devices are like. */
static struct {
    const char *options;
    enum handover_error handover;
    struct handover_offender offender;
    struct caps caps;
    enum apic_error apic;
    enum paging_error paging;
    unsigned serial_lines;
    bool screen, keeps, kept, locked, watchdog, nmi, follows;
    unsigned strays, clock_runs, clock_stands; /* clocks from 1 on; 0: none */
    bool begin_fails;
    struct kind kinds[2];
    unsigned core_kinds_count, kinds_begun;
    bool no_room; /* for the results of named kinds */
    enum processor_loan loan;
    bool no_memory;
} is;

static const struct debugctl_bits no_bits;
static uint8_t kept_memory[0x200000];

void firmware_of(unsigned processor)
{
    note("firmware of %u", processor);
}

void firmware_take_over(void)
{
    note("take over");
}

void firmware_give_back(void)
{
    note("give back");
}

void firmware_text(const struct line_sink *out)
{
    out->line(out->context, "firmware left nothing");
}

void reset_state_take(const struct caps *caps)
{
    note("reset state %x", caps->signature);
}

void held_lines_init(void *memory, size_t size)
{
    assert_ptr_equal(memory, kept_memory);
    note("hold in 0x%zx", size);
}

void ds_on_interrupt(void (*observe)(uint64_t global_status))
{
    assert_null(observe);
    note("no observer");
}

void ds_close(void)
{
    note("close");
}

void pebs_quiesce(const struct caps *caps)
{
    note("no pebs %x", caps->signature);
}

void netburst_quiesce(void)
{
    note("no netburst");
}

void counters_clear(const struct caps *caps)
{
    note("clear counters %x", caps->signature);
}

/* ---- firmware and options ---------------------------------------------------------------------------------------- */

enum handover_error boot_handover(uint32_t magic, uint32_t information, struct boot_info *info,
                                  struct handover_offender *offender)
{
    note("handover 0x%x 0x%x", magic, information);
    *info = (struct boot_info){ .options = (uintptr_t)is.options,
                                .route = (uintptr_t) "test x64",
                                .memory_count = 7,
                                .screen = { .kind = BOOT_SCREEN_TEXT },
                                .keep = { .base = is.keeps ? 0x7000 : 0, .size = 0x2800 } };
    *offender = is.offender;
    return is.handover;
}

void run_end_configure(const struct options *options, bool virtual_machine)
{
    note("configure %d, virtual %d", (int)options->end, virtual_machine);
}

void run_end_error(const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    note("error: %s", text);
}

void run_end_say_kinds(const char *kinds)
{
    note("kinds \"%s\"", kinds);
}

void run_end(enum verdict verdict, const struct totals *totals)
{
    note("finish %d: %u %u %u %u", (int)verdict, totals->pass, totals->fail, totals->skip, totals->error);
    longjmp(end, 1);
}

void memory_init(const struct boot_info *boot)
{
    note("memory of %u", boot->memory_count);
}

void *memory_keep(size_t size, size_t alignment)
{
    note("keep 0x%zx", size);
    assert_int_equal(alignment, 4096);
    memset(kept_memory, 0xa5, sizeof kept_memory);
    return is.no_memory && size == PROCESSOR_MEMORY ? NULL : kept_memory;
}

uintptr_t memory_low_page(void)
{
    return 0x8000;
}

void display_init(const struct boot_screen *screen)
{
    note("screen %u", screen->kind);
}

void display_map(unsigned physical_bits)
{
    note("map screen, %u bits", physical_bits);
}

const char *display_text(void)
{
    return "80x25";
}

void acpi_root_init(const struct boot_info *boot)
{
    note("acpi %u", boot->memory_count);
}

void acpi_root_timers(struct acpi_timers *timers)
{
    *timers = (struct acpi_timers){ .pm_port = 0x608 };
}

void acpi_root_io_apic(struct acpi_io_apic *io_apic)
{
    *io_apic = (struct acpi_io_apic){ .address = 0xfec00000 };
}

void log_keeper_start(const struct boot_keep *memory)
{
    note("keep log at 0x%x", (unsigned)memory->base);
}

bool log_keeper_is_on(void)
{
    return is.kept;
}

void consoles_open(const struct options *options)
{
    note("consoles, %u seconds", options->timeout);
}

void consoles_text(const struct line_sink *out)
{
    for (unsigned i = 0; i < is.serial_lines; i++)
        out->line(out->context, "console COM1 at 115200 baud");
}

unsigned consoles_pages(uint64_t *pages, unsigned most)
{
    assert_int_equal(most, 2 * SERIAL_LINES);
    pages[0] = 0xdead;
    return 1;
}

unsigned serial_lines(void)
{
    return is.serial_lines;
}

void serial_buffer(char *memory, size_t size)
{
    assert_ptr_equal(memory, kept_memory);
    note("serial buffer 0x%zx", size);
}

void serial_write(const char *text)
{
    assert_string_equal(text, "\r\n");
    note("line end");
}

void serial_flush(void)
{
    note("flush");
}

/* ---- the page ------------------------------------------------------------------------------------------------------
 */

void progress_start(const char *version, const char *revision, unsigned bits)
{
    note("start %s %s %u", version, revision, bits);
}

void progress_step(unsigned step, unsigned steps, const char *name)
{
    note("%u/%u %s", step, steps, name);
}

void progress_machine(const struct caps *caps)
{
    note("machine %x", caps->signature);
}

void progress_log(const char *fmt, ...)
{
    char text[100];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    note("page: %s", text);
}

bool progress_is_seen(void)
{
    return is.screen;
}

void result_code_init(const struct caps *caps, const char *version, const char *revision)
{
    note("code of %x %s %s", caps->signature, version, revision);
}

/* ---- the processor -------------------------------------------------------------------------------------------------
 */

static unsigned probed; /* processors: each has a signature of its own */

void interrupts_init(interrupt_handler *otherwise)
{
    note("interrupts");
    assert_ptr_equal(otherwise, panic_exception);
}

void panic_exception(struct interrupt_frame *frame)
{
    (void)frame;
}

void ds_probe(struct caps_input *input)
{
    *input = (struct caps_input){ .leaf_1 = { .valid = true, .eax = 0x1000 + probed++ } };
}

void caps_fill(const struct caps_input *input, struct caps *caps)
{
    *caps = is.caps;
    caps->signature = input->leaf_1.eax;
}

void ds_probe_registers(struct caps *caps)
{
    note("probe %x", caps->signature);
}

enum paging_error paging_init(const struct paging_choice *choice)
{
    note("paging %d%d%d%d wish %d apic %x devices %u %x", choice->pae, choice->pse, choice->nx, choice->pat,
         (int)choice->wish, (unsigned)choice->apic_base, choice->device_count, (unsigned)choice->devices[0]);
    return is.paging;
}

const char *paging_error_text(enum paging_error error)
{
    assert_int_equal(error, PAGING_NOT_WISHED);
    return "not wished";
}

const char *paging_name(void)
{
    return "4-level";
}

enum apic_error apic_init(uint64_t base)
{
    note("apic %x", (unsigned)base);
    return is.apic;
}

const char *apic_error_text(enum apic_error error)
{
    assert_int_equal(error, APIC_MODE);
    return "its mode";
}

const char *apic_mode(void)
{
    return "mode";
}

bool apic_locked(void)
{
    return is.locked;
}

unsigned apic_strays(unsigned *vector)
{
    *vector = 0x77;
    return is.strays;
}

bool interrupts_allowed;

void clock_init(uint64_t tsc_hz, const struct acpi_timers *timers)
{
    note("clocks, tsc %u, timer at %x", (unsigned)tsc_hz, timers->pm_port);
}

const struct clock *clock_number(unsigned i)
{
    static struct clock clocks[CLOCKS];
    static const char *const names[CLOCKS] = { "a", "b", "c", "d" };

    assert_in_range(i, 0, CLOCKS - 1);
    clocks[i] = (struct clock){ .name = names[i],
                                .hz = 1000 + i,
                                .state = i + 1 == is.clock_runs     ? CLOCK_RUNS
                                         : i + 1 == is.clock_stands ? CLOCK_STILL
                                                                    : CLOCK_ABSENT };
    return &clocks[i];
}

bool watchdog_init(const struct acpi_timers *timers, const struct acpi_io_apic *io_apic, bool *nmi)
{
    note("watchdog, timer at %x, io apic at %x", timers->pm_port, (unsigned)io_apic->address);
    *nmi = is.nmi;
    return is.watchdog;
}

bool watchdog_has_nmi(void)
{
    return is.nmi;
}

bool watchdog_follow(void)
{
    note("watchdog follows");
    return is.follows;
}

uint32_t watchdog_second(void)
{
    return 555;
}

void secondary_cpus_init(void)
{
    note("others");
}

void secondary_cpus_say(void)
{
    note("say others");
}

void processors_stop(void)
{
    note("stop others");
}

/* ---- tests ---------------------------------------------------------------------------------------------------------
 */

void machine_text(const struct line_sink *out, const struct caps *caps)
{
    char text[40];

    snprintf(text, sizeof text, "cpu %x", caps->signature);
    out->line(out->context, text);
}

void dump_start(const struct caps *caps, unsigned number)
{
    note("dump of %x, %u", caps->signature, number);
}

void core_kinds_init(const struct caps *boot)
{
    note("kinds of %x", boot->signature);
    is.kinds[0].caps = *boot;
}

unsigned core_kinds_count(void)
{
    return is.core_kinds_count;
}

struct kind *core_kind_number(unsigned index)
{
    assert_in_range(index, 0, is.core_kinds_count - 1);
    return &is.kinds[index];
}

bool core_kind_is_selected(const struct options *options, const struct kind *kind)
{
    return options->kinds == OPTIONS_KINDS_ALL || (options->kinds == OPTIONS_KINDS_ATOM && kind == &is.kinds[1]);
}

void core_kinds_say(void)
{
    note("say kinds");
}

void core_kind_say(const struct kind *kind)
{
    note("say kind %s", kind->name);
}

const char *core_kinds_selected(const struct options *options, unsigned most)
{
    static char text[20];

    snprintf(text, sizeof text, "%u of %s", most, options->kinds == OPTIONS_KINDS_ATOM ? "atom" : "all");
    return text;
}

bool runner_begin(const struct options *options, unsigned kinds, unsigned named)
{
    note("begin, timeout %u, %u kinds, %u named", options->timeout, kinds, named);
    is.kinds_begun = is.no_room ? kinds - named : kinds;
    return !is.begin_fails;
}

unsigned runner_kinds(void)
{
    return is.kinds_begun;
}

void runner_run(const char *kind, const struct caps *caps, void (*between)(void))
{
    note("run %s on %x", kind ? kind : "-", caps->signature);
    between();
}

bool runner_late(void)
{
    return false;
}

void runner_abandon(const char *kind, const struct caps *caps, const char *why)
{
    note("abandon %s of %x: %s", kind, caps->signature, why);
}

enum verdict runner_conclude(void)
{
    note("conclude");
    return VERDICT_INCOMPLETE;
}

void runner_list(void)
{
    note("list");
}

void runner_totals(struct totals *totals)
{
    *totals = (struct totals){ .pass = 4, .fail = 3, .skip = 2, .error = 1 };
}

enum processor_loan processor_lend(unsigned number, uint32_t apic_id, uintptr_t low_page, void *spare, uint32_t ticks,
                                   void (*main)(void), bool (*look)(void))
{
    note("lend %u, apic %x, page %x, %u ticks", number, apic_id, (unsigned)low_page, ticks);
    assert_ptr_equal(look, runner_late);
    for (unsigned i = 0; i < PROCESSOR_MEMORY; i++)
        assert_int_equal(((const uint8_t *)spare)[i], 0);
    assert_int_equal(((const uint8_t *)spare)[PROCESSOR_MEMORY], 0xa5);
    if (is.loan == LOAN_OVER)
        main();
    return is.loan;
}

/* ---- the runs ------------------------------------------------------------------------------------------------------
 */

static uint32_t features = 1u << 3 | 1u << 6 | 1u << 16;

static struct cpuid leaves(uint32_t leaf, uint32_t subleaf)
{
    assert_true(leaf == 1 && subleaf == 0);
    return (struct cpuid){ .ecx = 0x7fffffff, .edx = features };
}

static void wrote(const char *line)
{
    if (strncmp(line, "wrmsr ", 6) == 0)
        note("%s", line);
}

/* A machine without a debug store, with an APIC and its first clock, and no options. */
static void start(void)
{
    machine_start();
    machine.leaves = leaves;
    machine.did = wrote;
    memset(&is, 0, sizeof is);
    memset(&steps_machine, 0, sizeof steps_machine);
    did[0] = 0;
    probed = 0;
    interrupts_allowed = false;
    gdb_wait = 1;
    is.options = "";
    is.serial_lines = 1;
    is.keeps = true;
    is.clock_runs = 1;
    is.watchdog = is.nmi = is.follows = true;
    is.core_kinds_count = 1;
    is.kinds[0] = (struct kind){ .name = "core" };
    is.kinds[1] = (struct kind){ .name = "atom", .suffix = "atom", .number = 3, .apic_id = 0x16 };
    is.caps = (struct caps){ .debugctl = &no_bits, .apic = true, .physical_bits = 39, .tsc_hz = 7, .nx = true };
    for (unsigned i = 0; i < CAPS_NEED_COUNT; i++)
        is.caps.reason[i] = i == CAPS_NEED_APIC ? CAPS_AVAILABLE : CAPS_NO_PERFMON_LEAF;
}

static void run(void)
{
    if (!setjmp(end))
        kernel_main(0x1badb002, 0x9500);
}

static void has(const char *lines)
{
    if (!strstr(did, lines))
        fail_msg("got:\n%s\nmust have:\n%s", did, lines);
}

static void has_not(const char *lines)
{
    if (strstr(did, lines))
        fail_msg("got:\n%s\nmust not have:\n%s", did, lines);
}

static void whole(void **state)
{
    char want[4000];

    (void)state;
    start();
    run();
    snprintf(want, sizeof want,
             "start 1.2 abc %u\n"
             "1/14 handlers of exceptions\ninterrupts\n"
             "2/14 what the firmware left on\ntake over\n"
             "3/14 options, serial port, screen\n"
             "handover 0x1badb002 0x9500\nconfigure 0, virtual 0\nmemory of 7\nkeep 0x10000\nhold in 0x10000\nscreen "
             "2\nacpi 7\n"
             "keep log at 0x7000\nconsoles, 10 seconds\nline end\npage: COM1 at 115200 baud\n"
             "4/14 what this processor can do\n"
             "reset state 1000\nprobe 1000\nmachine 1000\ncode of 1000 1.2 abc\n"
             "5/14 page tables\npaging 1111 wish 0 apic fee00000 devices 1 dead\nmap screen, 39 bits\n"
             "6/14 local APIC\napic fee00000\n"
             "7/14 clocks\nclocks, tsc 7, timer at 608\n"
             "8/14 the other processors\nothers\n"
             "9/14 kinds of cores\nkinds of 1000\n"
             "10/14 head of the log\nsay others\nsay kinds\n"
             "11/14 head of the raw dump\n"
             "12/14 time limit of tests\nwatchdog, timer at 608, io apic at fec00000\n"
             "13/14 waiting for a debugger\n"
             "14/14 tests\nbegin, timeout 10, 1 kinds, 0 named\nkinds \"1 of all\"\nmachine 1000\nrun - on 1000\n"
             "stop others\nno observer\nclose\nconclude\nfinish 6: 4 3 2 1\n",
             WIDTH);
    assert_string_equal(did, want);
    snprintf(want, sizeof want,
             "begin dstest86 1.2 abc %u\nconsole COM1 at 115200 baud\ncpu 1000\nfirmware left nothing\nboot route test "
             "x64, 7 memory ranges\n"
             "paging 4-level, no-execute\nscreen 80x25\n"
             "apic mode at 0xfee00000, performance vector 0xe1\nclock a, 1000 Hz\n",
             WIDTH);
    machine_printed(want);
}

/* What ends a run before its tests. */
static void ends(void **state)
{
    static const struct {
        const char *options;
        enum handover_error handover;
        struct handover_offender offender;
        const char *error;
    } cases[] = {
        { "", HANDOVER_MAGIC, { 0 }, "error: boot: %s\nfinish 3: 0 0 0 1\n" },
        { "", HANDOVER_MULTIBOOT2, { .multiboot2 = MULTIBOOT2_COMMAND_LINE }, "error: boot: %s: %s\nfinish 3" },
        { "",
          HANDOVER_OPTIONS_FILE,
          { .load_options = LOAD_OPTIONS_TOO_LONG, .line = 12 },
          "error: boot: %s: line 12: %s\nfinish 3" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        char want[300];
        start();
        is.handover = cases[i].handover;
        is.offender = cases[i].offender;
        run();
        snprintf(want, sizeof want, cases[i].error, handover_error_text(is.handover),
                 i == 1 ? multiboot2_error_text(MULTIBOOT2_COMMAND_LINE)
                        : load_options_error_text(LOAD_OPTIONS_TOO_LONG));
        has(want);
        has_not("what this processor");
    }
    start();
    is.options = "nonsense list";
    run();
    has("error: unknown option: nonsense\nfinish 3: 0 0 0 1\n");
    has_not("what this processor");
    machine_has_printed("gdbwait"); /* the help */
    start();
    is.options = WIDTH == 64 ? "width=32" : "width=64";
    run();
    has(WIDTH == 64 ? "error: width=32: the boot loader started the 64-bit kernel without reading this option; choose "
                      "the 32-bit kernel there\nfinish 3"
                    : "error: width=64: the boot loader started the 32-bit kernel without reading this option; choose "
                      "the 64-bit kernel there\nfinish 3");
    start();
    is.options = WIDTH == 64 ? "width=64" : "width=32";
    run();
    has("finish 6");
    start();
    is.paging = PAGING_NOT_WISHED;
    run();
    has("error: cannot set up page tables: not wished\nfinish 3");
    has_not("map screen");
    start();
    is.options = "list";
    run();
    has("14/14 tests\nlist\nfinish 2: 0 0 0 0\n");
    start();
    is.begin_fails = true;
    run();
    has("begin, timeout 10, 1 kinds, 0 named\nfinish 3");
    start();
    is.options = "kinds=atom";
    run();
    has("error: the option kinds= selects no core of this machine\nfinish 3");
}

/* The page takes the time of the serial port's buffer, and shows where the log goes. */
static void screens(void **state)
{
    (void)state;
    start();
    is.screen = true;
    run();
    has("keep 0x100000\nserial buffer 0x100000\n");
    start();
    is.serial_lines = 0;
    run();
    has_not("page: ");
    start();
    is.kept = true;
    is.options = "log=stick";
    run();
    has("page: the stick, after a restart\n");
    machine_has_printed("log kept in 10 KiB at 0x7000, for the loader after a restart\n");
    start();
    is.kept = true;
    is.options = "log=tftp";
    run();
    has("page: a TFTP server, after a restart\n");
    start();
    is.options = "log=stick";
    run();
    machine_has_printed("log none kept: the loader's memory for it was overwritten\n");
    start();
    is.keeps = false;
    is.options = "log=stick";
    run();
    machine_has_printed("log none kept: only the UEFI loader can, and it said why not\n");
    has("keep log at 0x0\n");
}

static void paging(void **state)
{
    static const struct {
        uint32_t features;
        const char *options, *line;
        bool nx;
    } cases[] = {
        { 1u << 3, "paging=pae", "paging 0100 wish 1 ", false },
        { 1u << 6, "paging=legacy", "paging 1000 wish 2 ", false },
        { 1u << 16, "", "paging 0001 wish 0 ", false },
        { 0, "", "paging 0010 wish 0 ", true },
    };
    const uint32_t all = features;

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start();
        features = cases[i].features;
        is.options = cases[i].options;
        is.caps.nx = cases[i].nx;
        run();
        has(cases[i].line);
    }
    features = all;
    start();
    is.caps.apic = false;
    run();
    has("apic 0 devices 1");
}

/* Without an APIC there are no interrupts; with one that cannot be used they stay off. */
static void apics(void **state)
{
    (void)state;
    start();
    run();
    assert_false(interrupts_allowed); /* apic_init() would */
    start();
    is.caps.apic = false;
    is.caps.reason[CAPS_NEED_APIC] = CAPS_NO_APIC;
    run();
    assert_true(interrupts_allowed);
    has_not("\napic ");
    machine_has_printed(caps_reason_text(CAPS_NO_APIC));
    start();
    is.caps.reason[CAPS_NEED_APIC] = CAPS_APIC_BASE_RAISES_GP;
    run();
    assert_false(interrupts_allowed);
    has_not("\napic ");
    machine_has_printed("apic none: ");
    start();
    is.apic = APIC_MODE;
    run();
    assert_int_equal(steps_machine.caps.reason[CAPS_NEED_APIC], CAPS_APIC_UNUSABLE);
    machine_has_printed("apic none: its mode\n");
    start();
    is.caps.apic_base = 0xfee00c00;
    run();
    machine_has_printed("apic mode, performance vector 0xe1\n");
    start();
    is.caps.apic_base = 0xfee00c00;
    is.locked = true;
    run();
    machine_has_printed("apic mode, locked by firmware, performance vector 0xe1\n");
}

static void clocks(void **state)
{
    (void)state;
    start();
    is.clock_stands = 1;
    is.clock_runs = CLOCKS;
    run();
    machine_has_printed("clock a stands still\nclock d, 1003 Hz\n");
    start();
    is.clock_runs = 0;
    run();
    machine_has_printed("clock none: waits are counted in PAUSEs\n");
}

static void watchdogs(void **state)
{
    (void)state;
    start();
    is.watchdog = is.nmi = false;
    run();
    machine_has_printed("watchdog none: hung tests will not be ended\n");
    start();
    is.nmi = false;
    run();
    machine_has_printed("watchdog without NMI: a test that hangs with interrupts off will not be ended\n");
}

static void attach(void)
{
    gdb_wait = machine.pauses < 3;
}

static void debugger(void **state)
{
    (void)state;
    start();
    is.options = "gdbwait";
    machine.pause = attach;
    run();
    machine_has_printed("waiting for a debugger: set var gdb_wait = 0\n");
    has("13/14 waiting for a debugger\nflush\n14/14");
    assert_int_equal(machine.pauses, 3);
}

static void dumps(void **state)
{
    (void)state;
    start();
    is.options = "dump=raw";
    run();
    has("11/14 head of the raw dump\ndump of 1000, 0\n12/14");
}

/* Between tests all is switched off that the processor has, and nothing else is touched. */
static void between_tests(void **state)
{
    static const struct {
        enum caps_need need;
        bool freeze;
        const char *lines;
    } cases[] = {
        { CAPS_NEED_LBR, false, "close\nwrmsr 1d9 0\nconclude" },
        { CAPS_NEED_BTS, true, "close\nwrmsr 1d9 4000\nconclude" },
        { CAPS_NEED_ARCH_LBR, true, "close\nwrmsr 14ce 0\nconclude" },
        { CAPS_NEED_PEBS, false, "close\nno pebs 1000\nconclude" },
        { CAPS_NEED_PERFMON, false, "close\nclear counters 1000\nconclude" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start();
        is.caps.freeze_while_smm = cases[i].freeze;
        is.caps.reason[cases[i].need] = CAPS_AVAILABLE;
        run();
        has(cases[i].lines);
    }
    start();
    is.caps.pebs_method = PEBS_METHOD_NETBURST;
    run();
    has("close\nno netburst\nconclude");
}

/* Stray interrupts are told once, as many as are new. */
static void strays(void **state)
{
    (void)state;
    start();
    is.strays = 5;
    run();
    machine_has_printed("apic stray interrupts: 5, the last at vector 0x77\n");
    start();
    is.strays = 5;
    run();
    machine_printed_not("stray");
    start();
    is.strays = 7;
    run();
    machine_has_printed("apic stray interrupts: 2, the last at vector 0x77\n");
}

/* ---- two kinds of cores --------------------------------------------------------------------------------------------
 */

static void hybrids(void **state)
{
    (void)state;
    start();
    is.core_kinds_count = 2;
    is.follows = false;
    run();
    has("kinds of 1000\nkeep 0x6000\n10/14");
    has("begin, timeout 10, 2 kinds, 1 named\nkinds \"2 of all\"\nmachine 1000\nrun - on 1000\nstop others\nno "
        "observer\nclose\n"
        "machine 1000\nlend 3, apic 16, page 8000, 555 ticks\nfirmware of 1\ntake over\nreset state 1001\nprobe 1001\n"
        "say kind atom\nwatchdog follows\nrun atom on 1001\nstop others\nno observer\nclose\ngive back\n"
        "firmware of 0\nwatchdog follows\nconclude\nfinish 6: 4 3 2 1\n");
    machine_has_printed(
        "cpu 1001\nfirmware left nothing\n"
        "watchdog without NMI on this processor: a test that hangs there with interrupts off is noticed "
        "later\n");
    assert_int_equal(is.kinds[1].caps.reason[CAPS_NEED_APIC], CAPS_AVAILABLE);
    assert_ptr_equal(steps_machine.kind, &is.kinds[0]);

    start();
    is.core_kinds_count = 2;
    is.options = "dump=raw kinds=atom";
    is.apic = APIC_MODE;
    run();
    has("begin, timeout 10, 1 kinds, 1 named\nkinds \"1 of atom\"\nmachine 1000\nlend 3");
    has("probe 1001\ndump of 1001, 3\nsay kind atom\n");
    has_not("run - on");
    assert_int_equal(is.kinds[1].caps.reason[CAPS_NEED_APIC], CAPS_APIC_UNUSABLE);
    machine_printed_not("without NMI on this processor");
}

/* A kind whose results have no room is not begun, nor named at the end. */
static void no_room(void **state)
{
    (void)state;
    start();
    is.core_kinds_count = 2;
    is.no_room = true;
    run();
    has("begin, timeout 10, 2 kinds, 1 named\nkinds \"1 of all\"\nmachine 1000\nrun - on 1000\n");
    has_not("lend");
}

/* Where the watchdog follows, or has no NMI anyway, there is nothing to say. */
static void watchdog_of_others(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        start();
        is.core_kinds_count = 2;
        is.follows = i != 0;
        is.nmi = i == 2;
        run();
        machine_printed_not("on this processor");
    }
}

static void no_loan(void **state)
{
    static const struct {
        enum processor_loan loan;
        bool no_memory;
        const char *line;
    } cases[] = {
        { LOAN_NEVER, false,
          "ticks\nfirmware of 0\nwatchdog follows\nabandon atom of 9: cpu 3 does not start\nconclude" },
        { LOAN_ENDED, false,
          "ticks\nfirmware of 0\nwatchdog follows\nabandon atom of 9: cpu 3 does not come back\nconclude" },
        { LOAN_OVER, true,
          "machine 1000\nfirmware of 0\nwatchdog follows\n"
          "abandon atom of 9: there is no memory to run tests on cpu 3\nconclude" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start();
        is.core_kinds_count = 2;
        is.kinds[1].caps.signature = 9;
        is.loan = cases[i].loan;
        is.no_memory = cases[i].no_memory;
        run();
        has(cases[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),     cmocka_unit_test(ends),     cmocka_unit_test(screens),
        cmocka_unit_test(paging),    cmocka_unit_test(apics),    cmocka_unit_test(clocks),
        cmocka_unit_test(watchdogs), cmocka_unit_test(debugger), cmocka_unit_test(dumps),
        cmocka_unit_test(strays),    cmocka_unit_test(hybrids),  cmocka_unit_test(watchdog_of_others),
        cmocka_unit_test(no_loan),   cmocka_unit_test(no_room),  cmocka_unit_test(between_tests),
    };
    return cmocka_run_group_tests_name("kernel_main", tests, NULL, NULL);
}

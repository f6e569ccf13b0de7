/* SPDX-License-Identifier: MIT */
/*
 * Lines of memory that several processors write, seen by their own samples. Each processor has a debug store of its
 * own; in turns they load a word of every line and store it one greater, so that a line which others write too has
 * been modified elsewhere whenever its turn comes, and a line of its own never. Only the loads and stores are in the
 * window, and interrupts wait until it has closed: how a turn is waited for is nobody's sample.
 *
 * The first round makes the lines theirs and is not sampled: the first period is longer by as many events.
 */
#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "arch/x86/probe.h"
#include "arch/x86/devices/processors.h"
#include "arch/x86/string.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/memory.h"
#include "kernel/secondary_cpus.h"
#include "kernel/symbols.h"
#include "kernel/topology.h"
#include "pebs/pebs.h"
#include "suite/support/pebs_sample.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"
#include "suite/measure/tables/c2c_table.h"

#define GROUP .needs = NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY, .records = true

#define LINES   WORKLOAD_SHARING_LINES
#define SHARERS 4u /* processors, at most */
#define ROUNDS  128u
#define PERIOD  16u  /* a sample is every 17th event, and there are 8 lines: each line has its share */
#define APART   128u /* bytes: two lines, since some prefetchers fetch lines in pairs */

/* Where processor number n has its word in each of the lines. */
struct layout {
    const char *name;
    unsigned apart; /* bytes between the words of two processors */
    bool shared;    /* every load finds the line modified elsewhere */
};

_Static_assert(SHARERS *APART <= WORKLOAD_SHARING_STRIDE, "padded words of all processors fit a stride");

static const struct workload *const workloads[] = { &workload_sharing_0, &workload_sharing_1, &workload_sharing_2,
                                                    &workload_sharing_3 };

_Static_assert(sizeof workloads / sizeof workloads[0] == SHARERS, "a routine for each processor");

enum stage { STARTED, PROBED, READY, OVER };

/* What the processors of a run know of each other. A flag that one waits for is on lines of its own. */
static struct {
    const struct layout *layout;
    const struct caps *caps; /* of the first, which all must have */
    struct pebs_sampling sampling;
    struct ds_config config;
    unsigned count;
    struct flag {
        volatile uint32_t value;
        uint8_t rest[APART - sizeof(uint32_t)];
    } turn, go, broken, stage[SHARERS];
    bool alike[SHARERS]; /* its capabilities are the first one's */
} shared __attribute__((aligned(128)));

/* Sets a flag, and wakes the processor that waits for it. */
static void set(struct flag *flag, uint32_t value, unsigned waiting)
{
    flag->value = value;
    processor_wake(waiting);
}

/* Makes all that wait for this processor stop waiting. */
static void give_up(void)
{
    shared.broken.value = 1;
    for (unsigned n = 0; n < shared.count; n++)
        processor_wake(n);
}

/*
 * Waits for a flag to have a value, with interrupts off before and after. What bounds it is the test's watchdog on the
 * first processor, and that the others are stopped then. False: another has given up.
 */
static bool wait_for(const struct flag *flag, uint32_t value)
{
    while (flag->value != value && !shared.broken.value)
        cpu_halt_for_interrupt();
    return flag->value == value;
}

/* What sampling depends on. The bootstrap processor's flag in IA32_APIC_BASE and the like may differ. */
static bool are_alike(const struct caps *a, const struct caps *b)
{
    return a->signature == b->signature && a->perfmon_version == b->perfmon_version &&
           a->general_count == b->general_count && a->general_width == b->general_width &&
           a->perf_capabilities == b->perf_capabilities && a->ds_width == b->ds_width &&
           a->ds_area_format == b->ds_area_format && a->pebs_method == b->pebs_method &&
           a->pebs_format == b->pebs_format && a->pebs_record_size == b->pebs_record_size &&
           a->pebs_counters == b->pebs_counters && a->events == b->events && a->data_source == b->data_source &&
           caps_missing(b, NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY) == CAPS_AVAILABLE;
}

static bool probe(const struct caps *first)
{
    struct caps_input input;
    struct caps caps;

    ds_close(); /* what it was stopped in, if it was */
    pebs_quiesce(first);
    counters_clear(first);
    interrupts_off();
    ds_probe(&input);
    caps_fill(&input, &caps);
    ds_probe_registers(&caps);
    return are_alike(first, &caps);
}

/* Opens this processor's debug store, takes its turns, and closes. */
static bool take_turns(unsigned number)
{
    const struct window window = pebs_window(shared.caps, pebs_counters(shared.caps, &shared.sampling));
    const unsigned next = number + 1 == shared.count ? 0 : number + 1;
    struct ds_breaches breaches;
    bool whole;

    whole = ds_open(shared.caps, &shared.config, &breaches) && pebs_program(shared.caps, &shared.sampling);
    interrupts_off();
    if (!whole)
        give_up();
    set(&shared.stage[number], READY, 0);
    for (unsigned round = 0; whole && round < ROUNDS; round++) {
        interrupts_on(); /* those of the last turn's records */
        cpu_pause();
        interrupts_off();
        whole = wait_for(&shared.turn, number);
        if (!whole)
            break;
        dr3_write((uintptr_t)workload_sharing_data + (size_t)number * shared.layout->apart);
        workloads[number]->run(&window);
        set(&shared.turn, next, next);
    }
    ds_close();
    counters_clear(shared.caps);
    interrupts_off();
    set(&shared.stage[number], OVER, 0);
    return whole;
}

/* The main function of each of the other processors. */
static void other_main(unsigned number)
{
    shared.alike[number] = probe(shared.caps);
    set(&shared.stage[number], PROBED, 0);
    if (wait_for(&shared.go, 1))
        take_turns(number);
}

/* Starts as many of the others as take part. Returns why there are none, or NULL. */
static const char *start_others(const struct topology *topology)
{
    shared.count = 1;
    for (unsigned i = 0; i < topology->count && shared.count < SHARERS; i++) {
        shared.stage[shared.count].value = STARTED;
        if (processor_start(shared.count, topology->ids[i], memory_low_page(), other_main))
            shared.count++;
        else
            console_note("the processor with APIC ID %u does not start", (unsigned)topology->ids[i]);
    }
    for (unsigned n = 1; n < shared.count; n++) {
        wait_for(&shared.stage[n], PROBED);
        if (!shared.alike[n])
            return "another processor has other capabilities than this one";
    }
    return shared.count > 1 ? NULL : "no other processor started";
}

static const char *survey(struct topology *topology)
{
    enum acpi_error error;

    if (secondary_cpus_barred())
        return secondary_cpus_barred();
    error = topology_read(topology);
    if (error != ACPI_OK)
        return acpi_error_text(error);
    if (topology->total < 2)
        return "one processor: nobody to share with";
    if (!topology->count)
        return "the other processors are threads of this one's core, whose caches are the same";
    return memory_low_page() ? NULL : "no usable page below 640 KiB for another processor's first instructions";
}

/* The records of all processors, for who reads the raw dump. What they sampled is their period after the first. */
static void dump_all(struct test_run *run, bool store)
{
    struct pebs_sampling sampling = shared.sampling;
    const enum data_source_encoding encoding =
        store && sampling.event->role == PEBS_ROLE_PRECISE_STORE ? DATA_SOURCE_STORE : run->caps->data_source;

    sampling.period = PERIOD;
    for (unsigned n = 0; n < shared.count; n++) {
        dump_event(n, &sampling);
        dump_pebs(n, ds_pebs_log_of(n), encoding);
    }
    dump_flush();
}

/* Takes all processors through their turns with one event sampled, stores with interrupts. Returns whether all took
 * all their turns. */
static bool play(struct test_run *run, const struct topology *topology, const struct layout *layout,
                 const struct pebs_event *event, bool store)
{
    const unsigned counter = pebs_counter(run->caps, event);
    const uint64_t groups = PEBS_DATA_CFG_MEMORY | PEBS_DATA_CFG_GPRS;
    const char *problem;
    bool whole;

    memset(&shared, 0, sizeof shared);
    memset(workload_sharing_data, 0, sizeof workload_sharing_data);
    shared.layout = layout;
    shared.caps = run->caps;
    shared.sampling = (struct pebs_sampling){ .event = event,
                                              .counter = counter,
                                              .period = PERIOD + LINES,
                                              .rings = PERFEVTSEL_USR | PERFEVTSEL_OS,
                                              .threshold = PEBS_LATENCY_THRESHOLD,
                                              .data_cfg = groups };
    shared.config = (struct ds_config){ .pebs = true,
                                        .pebs_records = ROUNDS * LINES / PERIOD + 4,
                                        .pebs_threshold = store ? 16 : ROUNDS * LINES / PERIOD + 2,
                                        .pebs_data_cfg = groups };
    shared.config.pebs_reset[counter] = 0 - (uint64_t)PERIOD;
    interrupts_off();
    problem = start_others(topology);
    if (problem) {
        interrupts_on();
        processors_stop();
        test_skip(run, problem);
        return false;
    }
    console_note("event %s, counter %u, reset -%u, on %u processors", event->name, counter, PERIOD, shared.count);
    for (unsigned n = 1; n < shared.count; n++) {
        set(&shared.go, 1, n);
        wait_for(&shared.stage[n], READY);
    }
    whole = take_turns(0);
    for (unsigned n = 1; n < shared.count; n++)
        whole = wait_for(&shared.stage[n], OVER) && whole;
    interrupts_on();
    processors_stop();
    dump_all(run, store);
    if (!whole)
        test_fail(run, "not all processors took all their turns");
    return whole;
}

/* The words count the turns that their processors had: nobody took another's. */
static void check_words(struct test_run *run, const struct layout *layout)
{
    for (unsigned n = 0; n < shared.count; n++) {
        for (unsigned line = 0; line < LINES; line++) {
            const uintptr_t *word = (const uintptr_t *)(void *)(workload_sharing_data + n * layout->apart +
                                                                (size_t)line * WORKLOAD_SHARING_STRIDE);
            test_equal(run, "word", *word, (uint64_t)ROUNDS * (layout->apart ? 1 : shared.count));
        }
    }
}

static const char *symbol_of(uint64_t address)
{
    const char *name;
    uint64_t offset;

    return symbol_find(address, &name, &offset) ? name : "-";
}

/* Holds a processor's records against its routine, and adds those of its loads or stores to the table. */
static unsigned take_records(struct test_run *run, unsigned number, bool store, struct c2c_table *table)
{
    const struct ds_log *log = ds_pebs_log_of(number);
    const struct access *at = &workloads[number]->accesses[store];
    unsigned taken = 0;

    test_equal(run, "records that did not fit the log", log->dropped, 0);
    test_equal(run, "drains of a full buffer", log->overruns, 0);
    test_equal(run, "drains of a broken area", log->broken, 0);
    for (unsigned n = 0; n < log->records; n++) {
        size_t left;
        const uint8_t *bytes = ds_log_record(log, n, &left);
        struct pebs_record record;
        const enum pebs_error error = pebs_decode(&run->caps->pebs_form, bytes, left, &record);
        if (error != PEBS_DECODE_OK) {
            test_fail(run, "processor %u, PEBS record %u: %s", number, n, pebs_error_text(error));
            continue;
        }
        if (record.has & PEBS_HAS_EVENTING_IP ? record.eventing_ip != at->ip
                                              : record.ip != (run->caps->pebs_trap_like ? at->next_ip : at->ip))
            continue; /* of the service routine's way out */
        const uint32_t line = LINES - (uint32_t)record.gpr[PEBS_RCX];
        const struct data_source_words words = data_source_words(run->caps->data_source, record.data_source);
        if (line >= LINES) {
            test_fail(run, "processor %u, PEBS record %u: RCX 0x%" PRIx64 " is not a number of lines", number, n,
                      record.gpr[PEBS_RCX]);
            continue;
        }
        test_equal(run, "data address", record.data_address,
                   (uintptr_t)workload_sharing_data + (size_t)line * WORKLOAD_SHARING_STRIDE +
                       (size_t)number * shared.layout->apart);
        c2c_table_add(table, &(struct c2c_access){ .address = record.data_address,
                                                   .cpu = number,
                                                   .symbol = symbol_of(at->ip),
                                                   .store = store,
                                                   .hitm = !store && words.snoop[0] == 'H' && words.snoop[3] == 'M',
                                                   .cycles = store ? 0 : record.latency });
        taken++;
    }
    console_note("processor %u: %u samples in %u interrupts", number, taken, ds_counts_of(number)->interrupts);
    return taken;
}

static void take_all(struct test_run *run, bool store, struct c2c_table *table)
{
    for (unsigned number = 0; number < shared.count; number++) {
        const unsigned taken = take_records(run, number, store, table);
        if (!taken)
            test_fail(run, "processor %u has no sample", number);
        if (store && !ds_counts_of(number)->interrupts)
            test_fail(run, "processor %u had no interrupt", number);
        test_saw(run, taken);
    }
}

/* The event that samples stores with their address, on processors that have one. */
static const struct pebs_event *store_event(const struct caps *caps)
{
    const struct pebs_event *event = pebs_find_event(caps, PEBS_ROLE_STORES);

    return event && event->data_address ? event : pebs_find_event(caps, PEBS_ROLE_PRECISE_STORE);
}

static void judge(struct test_run *run, const struct c2c_table *table, const struct layout *layout)
{
    unsigned loads = 0, hitm = 0;

    for (unsigned i = 0; i < table->count; i++) {
        loads += table->rows[i].loads;
        hitm += table->rows[i].hitm;
    }
    console_note("%s: %u of %u loads found the line modified by another processor", layout->name, hitm, loads);
    if (layout->shared && hitm < loads / 2)
        test_fail(run, "%u of %u loads found a line that all write modified elsewhere, expected half or more", hitm,
                  loads);
    else if (layout->shared && hitm < loads - loads / 8)
        test_differs(run, "%u of %u loads found a line that all write modified elsewhere, typically seven in eight",
                     hitm, loads);
    if (!layout->shared && hitm > loads / 2)
        test_fail(
            run,
            "%u of %u loads found a line that one processor alone writes modified elsewhere, expected half at most",
            hitm, loads);
    else if (!layout->shared && hitm > loads / 8)
        test_differs(run,
                     "%u of %u loads found a line that one processor alone writes modified elsewhere, typically fewer "
                     "than one in eight",
                     hitm, loads);
}

static void share(struct test_run *run)
{
    const struct layout *layout = run->test->argument;
    static struct c2c_table table;
    const struct pebs_event *stores = store_event(run->caps);
    const unsigned most = SHARERS * (ROUNDS * LINES / PERIOD);
    struct topology topology;
    const char *problem = survey(&topology);

    if (problem) {
        test_skip(run, problem);
        return;
    }
    table = (struct c2c_table){ 0 };
    test_plan_between(run, 2, stores ? 2 * most : most);
    if (run->caps->hypervisor)
        console_note("under a hypervisor: latencies are its figures, not time");
    console_note("%u processors, %u of them on this one's core", topology.total, topology.siblings + 1);
    if (!play(run, &topology, layout, pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY), false))
        return;
    check_words(run, layout);
    take_all(run, false, &table);
    if (!stores) {
        console_note("stores none: no precise event of this processor tells the address of a store");
    } else if (play(run, &topology, layout, stores, true)) {
        check_words(run, layout);
        take_all(run, true, &table);
    }
    c2c_table_text(&console_sink, &table, layout->name);
    judge(run, &table, layout);
}

TEST(measure_sharing_false, .id = "measure.sharing.false",
     .title = "Processors write words of their own in common lines: each finds the line modified by another",
     .source = SDM_DATA_SOURCES, GROUP, .on_request = true, .run = share,
     .argument = &(const struct layout){ "false", 8, true });

TEST(measure_sharing_padded, .id = "measure.sharing.padded",
     .title = "Processors write words in lines of their own: none finds its line modified by another",
     .source = SDM_DATA_SOURCES, GROUP, .on_request = true, .run = share,
     .argument = &(const struct layout){ "padded", APART, false });

TEST(measure_sharing_true, .id = "measure.sharing.true",
     .title = "Processors write the same words: each finds the line modified by another", .source = SDM_DATA_SOURCES,
     GROUP, .on_request = true, .run = share, .argument = &(const struct layout){ "true", 0, true });

/* ---- what firmware may have left ------------------------------------------------------------------------------- */

#define DONE_POLLS 10000000u

#define APIC_MODE (APIC_BASE_ENABLE | APIC_BASE_X2APIC)

static uint64_t mode(void)
{
    return msr_get(MSR_IA32_APIC_BASE) & APIC_MODE;
}

static volatile uint64_t mode_left; /* of the processor that was started, by itself */

static void leave_in_x2apic(unsigned number)
{
    (void)number;
    msr_write(MSR_IA32_APIC_BASE, msr_get(MSR_IA32_APIC_BASE) | APIC_BASE_X2APIC);
    mode_left = mode();
}

static void look_at_mode(unsigned number)
{
    (void)number;
    mode_left = mode();
}

static bool start_and_wait(const struct topology *topology, void (*main)(unsigned number))
{
    bool done = processor_start(1, topology->ids[0], memory_low_page(), main);

    for (unsigned polls = DONE_POLLS; done && !processor_done(1) && polls; polls--)
        cpu_pause();
    done = done && processor_done(1);
    processors_stop();
    return done;
}

static void start_from_x2apic(struct test_run *run)
{
    struct topology topology;
    const char *problem = survey(&topology);

    if (!problem && !run->caps->x2apic)
        problem = "no x2APIC: CPUID.1:ECX bit 21 clear";
    if (problem) {
        test_skip(run, problem);
        return;
    }
    if (!start_and_wait(&topology, leave_in_x2apic) || mode_left != APIC_MODE)
        test_fail(run, "the processor with APIC ID %u does not start, or does not enter x2APIC mode",
                  (unsigned)topology.ids[0]);
    if (!start_and_wait(&topology, look_at_mode) || mode_left != mode())
        test_fail(run, "the processor with APIC ID %u does not start again, or not in the mode of this one",
                  (unsigned)topology.ids[0]);
}

TEST(measure_sharing_x2apic, .id = "measure.sharing.x2apic",
     .title = "A processor that was left in x2APIC mode starts all the same, in the mode of this one",
     .source = SDM_X2APIC, .needs = NEED_APIC, .on_request = true, .run = start_from_x2apic);

/* SPDX-License-Identifier: MIT */
/*
 * Cache lines that several processors write, as seen in their own samples. Each processor has its own debug store. The
 * processors take turns: each loads a word of every line, increments it and stores it. At a processor's turn, a line
 * that others also write has been modified elsewhere; a line of its own has not. Only these loads and stores are in the
 * window, and interrupts wait until it has closed. Code that waits for a turn leaves no samples.
 *
 * The first round loads the lines into the caches. It is not sampled, because the first period is longer by its events.
 */
#include "suite/suite.h"

#include "arch/x86/devices/processors.h"
#include "kernel/dump.h"
#include "kernel/memory.h"
#include "kernel/secondary_cpus.h"
#include "kernel/symbols.h"
#include "suite/all_cpus/all_cpus.h"
#include "suite/measure/tables/c2c_table.h"

#define GROUP .needs = NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY, .records = true

#define LINES           WORKLOAD_SHARING_LINES
#define SHARERS         4u /* most processors */
#define ROUNDS          128u
#define STORE_THRESHOLD 16u  /* records; a processor that follows stores at random may have fewer */
#define PERIOD          16u  /* with a sample every 17th event and 8 lines, each line has its share */
#define APART           128u /* bytes: two lines, because some prefetchers fetch lines in pairs */

/* The place of processor n's word in each line. */
struct layout {
    const char *name;
    unsigned apart; /* bytes between the words of two processors */
    bool shared;    /* every load finds the line modified elsewhere */
};

_Static_assert(SHARERS *APART <= WORKLOAD_SHARING_STRIDE, "the padded words of all processors fit in a stride");

static const struct workload *const workloads[] = { &workload_sharing_0, &workload_sharing_1, &workload_sharing_2,
                                                    &workload_sharing_3 };

_Static_assert(sizeof workloads / sizeof workloads[0] == SHARERS, "a routine for each processor");

/*
 * What the processors of a run share. A processor's place is its position in the order of turns. A flag that another
 * processor waits for has cache lines of its own.
 */
static struct {
    const struct layout *layout;
    const struct caps *caps; /* the same on all processors */
    struct pebs_sampling sampling;
    struct ds_config config;
    unsigned count;
    unsigned numbers[SHARERS]; /* processor numbers, by place */
    struct flag {
        volatile uint32_t value;
        uint8_t rest[APART - sizeof(uint32_t)];
    } turn;
} shared __attribute__((aligned(128)));

/*
 * Waits for a place's turn, with interrupts off before and after. The test's watchdog on the first processor bounds the
 * wait.
 */
static void wait_for_turn(unsigned place)
{
    while (shared.turn.value != place)
        cpu_halt_for_interrupt();
}

/* The place of a processor; shared.count if it does not take part. */
static unsigned place_of(const struct member *m)
{
    unsigned place = 0;

    while (place < shared.count && cpus_member(shared.numbers[place]) != m)
        place++;
    return place;
}

/* Opens this processor's debug store, takes its turns, and closes the store. */
static void take_turns(struct member *m)
{
    const struct window window = pebs_window(shared.caps, pebs_counters(shared.caps, &shared.sampling));
    const unsigned place = place_of(m), next = place + 1 == shared.count ? 0 : place + 1;
    const unsigned room = ds_pebs_capacity(shared.caps, shared.config.pebs_data_cfg);
    const uint64_t since = time_stamp();
    const struct pebs_sample sample = { .event = shared.sampling.event,
                                        .workload = workloads[place == shared.count ? 0 : place],
                                        .counter = shared.sampling.counter,
                                        .period = PERIOD,
                                        .data_cfg = shared.sampling.data_cfg };
    struct ds_config config = shared.config;
    struct ds_breaches breaches;

    if (place == shared.count)
        return;
    if (config.pebs_records > room)
        config.pebs_records = room;
    if (config.pebs_threshold > config.pebs_records - 2)
        config.pebs_threshold = config.pebs_records - 2;
    if (ds_open(shared.caps, &config, &breaches))
        pebs_program(shared.caps, &shared.sampling);
    interrupts_off();
    for (unsigned round = 0; round < ROUNDS; round++) {
        wait_for_turn(place);
        dr3_write((uintptr_t)workload_sharing_data + (size_t)place * shared.layout->apart);
        workloads[place]->run(&window);
        shared.turn.value = next;
        processor_wake(shared.numbers[next]);
        interrupts_on(); /* from the records of this turn */
        cpu_pause();
        records_check_served(&m->run);
        interrupts_off();
    }
    ds_close();
    counters_clear(shared.caps);
    interrupts_off();
    cpus_compare(m, &sample, since);
}

/* Before any start: returns why no other processor can take part, or NULL. */
static const char *survey(struct topology *topology)
{
    const enum acpi_error error = secondary_cpus_topology(topology);

    if (secondary_cpus_barred())
        return secondary_cpus_barred();
    if (error != ACPI_OK)
        return acpi_error_text(error);
    if (topology->total < 2)
        return "one processor: no other to share with";
    if (!topology->count)
        return "the other processors are threads of this core and use the same caches";
    return secondary_cpus_count() && memory_low_page()
               ? NULL
               : "no other processor can be started: the start of the log says why";
}

/* Starts the processors that take part, those on other cores first. Returns why there are none, or NULL. */
static const char *start_others(struct test_run *run, const struct topology *topology)
{
    const char *problem = cpus_start(run, topology->count < SHARERS ? topology->count + 1 : SHARERS);

    shared.count = 0;
    for (unsigned n = 0; !problem && n < cpus_count(); n++)
        if (cpus_member(n)->fit && cpus_member(n)->run.caps == run->caps)
            shared.numbers[shared.count++] = n;
    return problem || shared.count > 1 ? problem : "no other processor with the capabilities of this one started";
}

/* Writes all processors' records to the raw dump, with the reset value of the periods after the first. */
static void dump_all(struct test_run *run, bool store)
{
    struct pebs_sampling sampling = shared.sampling;
    const enum data_source_encoding encoding =
        store && sampling.event->role == PEBS_ROLE_PRECISE_STORE ? DATA_SOURCE_STORE : run->caps->data_source;

    sampling.period = PERIOD;
    for (unsigned place = 0; place < shared.count; place++) {
        const unsigned n = shared.numbers[place];
        dump_event(n, &sampling);
        dump_pebs(n, ds_pebs_log_of(n), encoding);
    }
    dump_flush();
}

/* Takes all processors through their turns while sampling one event, for stores with interrupts. */
static void play(struct test_run *run, const struct layout *layout, const struct pebs_event *event, bool store)
{
    const unsigned counter = pebs_counter(run->caps, event);
    const uint64_t groups = PEBS_DATA_CFG_MEMORY | PEBS_DATA_CFG_GPRS;

    memset(workload_sharing_data, 0, sizeof workload_sharing_data);
    shared.turn.value = 0;
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
                                        .pebs_threshold = store ? STORE_THRESHOLD : ROUNDS * LINES / PERIOD + 2,
                                        .pebs_data_cfg = groups };
    shared.config.pebs_reset[counter] = 0 - (uint64_t)PERIOD;
    console_note("event %s, counter %u, reset -%u, on %u processors", event->name, counter, PERIOD, shared.count);
    cpus_run(take_turns);
    dump_all(run, store);
}

static const char *symbol_of(uint64_t address)
{
    const char *name;
    uint64_t offset;

    return symbol_find(address, &name, &offset) ? name : "-";
}

/* Compares a processor's records with its routine, and adds those of its loads or stores to the table. */
static unsigned take_records(struct test_run *run, unsigned place, bool store, struct c2c_table *table)
{
    const unsigned number = shared.numbers[place];
    const struct ds_log *log = ds_pebs_log_of(number);
    const struct access *at = &workloads[place]->accesses[store];
    const struct member *const m = cpus_member(number);
    unsigned taken = 0;

    if (m->run.problems)
        test_fail(run, "processor %u: %s", number, m->aside);
    records_check_log(run, "PEBS", log);
    for (unsigned n = 0; n < log->records; n++) {
        size_t left;
        const uint8_t *bytes = ds_log_record(log, n, &left);
        struct pebs_record record;
        if (pebs_decode(&run->caps->pebs_form, bytes, left, &record) != PEBS_DECODE_OK)
            continue; /* cpus_compare() has reported it */
        if (record.has & PEBS_HAS_EVENTING_IP ? record.eventing_ip != at->ip
                                              : record.ip != (run->caps->pebs_trap_like ? at->next_ip : at->ip))
            continue; /* the service routine's exit */
        taken++;
        const uint32_t line = LINES - (uint32_t)record.gpr[PEBS_RCX];
        const uint64_t address = (uintptr_t)workload_sharing_data + (size_t)line * WORKLOAD_SHARING_STRIDE +
                                 (size_t)place * shared.layout->apart;
        test_equal(run, "data address", record.data_address, address);
        c2c_table_add(table, &(struct c2c_access){
                                 .address = record.data_address,
                                 .cpu = number,
                                 .symbol = symbol_of(at->ip),
                                 .store = store,
                                 .hitm = !store && data_source_is_hitm(run->caps->data_source, record.data_source),
                                 .cycles = store ? 0 : record.latency });
    }
    console_note("processor %u: %u samples in %u interrupts", number, taken, ds_counts_of(number)->interrupts);
    return taken;
}

static void take_all(struct test_run *run, bool store, struct c2c_table *table)
{
    for (unsigned place = 0; place < shared.count; place++) {
        const unsigned number = shared.numbers[place], taken = take_records(run, place, store, table);
        if (!taken)
            test_fail(run, "processor %u has no sample", number);
        test_saw(run, taken);
    }
}

/* An event that samples stores with their address, if the processor has one. */
static const struct pebs_event *store_event(const struct caps *caps)
{
    const struct pebs_event *event = pebs_find_event(caps, PEBS_ROLE_STORES);

    return event && event->data_address ? event : pebs_find_event(caps, PEBS_ROLE_PRECISE_STORE);
}

static void judge(struct test_run *run, const struct c2c_table *table, const struct layout *layout)
{
    static const char *const writers[] = { "only one processor writes it", "all write it" };
    unsigned loads = 0, hitm = 0;

    for (unsigned i = 0; i < table->count; i++) {
        loads += table->rows[i].loads;
        hitm += table->rows[i].hitm;
    }
    console_note("%s: %u of %u loads found the line modified by another processor", layout->name, hitm, loads);
    switch (c2c_share(layout->shared, loads, hitm)) {
    case C2C_WRONG:
        test_fail(run, "%u of %u loads found the line modified elsewhere, expected %s half: %s", hitm, loads,
                  layout->shared ? "at least" : "at most", writers[layout->shared]);
        break;
    case C2C_UNTYPICAL:
        test_differs(run, "%u of %u loads found the line modified elsewhere, typically %s: %s", hitm, loads,
                     layout->shared ? "seven in eight" : "fewer than one in eight", writers[layout->shared]);
        break;
    case C2C_AS_EXPECTED:
        break;
    }
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
        console_note("under a hypervisor: latencies may differ from time");
    console_note("%u processors, %u of them on this core", topology.total, topology.siblings + 1);
    problem = start_others(run, &topology);
    if (problem) {
        test_skip(run, problem);
        return;
    }
    play(run, layout, pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY), false);
    take_all(run, false, &table);
    if (!stores) {
        console_note("stores: not measured; no precise event of this processor records the address of a store");
    } else {
        play(run, layout, stores, true);
        take_all(run, true, &table);
    }
    c2c_table_text(&console_sink, &table, layout->name);
    judge(run, &table, layout);
}

#define SHARING .source = SDM_DATA_SOURCES, GROUP, .on_request = true, .run = share

TESTS(sharing) = {
    { "measure.sharing.false",
      "Processors write words of their own in common lines: each finds the line modified by another", SHARING,
      .argument = &(const struct layout){ "false", 8, true } },
    { "measure.sharing.padded", "Processors write words in lines of their own: none finds its line modified by another",
      SHARING, .argument = &(const struct layout){ "padded", APART, false } },
    { "measure.sharing.true", "Processors write the same words: each finds the line modified by another", SHARING,
      .argument = &(const struct layout){ "true", 0, true } },
};

/* ---- what firmware may have left ------------------------------------------------------------------------------- */

#define DONE_POLLS 10000000u

#define APIC_MODE (APIC_BASE_ENABLE | APIC_BASE_X2APIC)

static uint64_t mode(void)
{
    return msr_get(MSR_IA32_APIC_BASE) & APIC_MODE;
}

static volatile uint64_t mode_left; /* of the started processor, by itself */

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

static bool start_and_wait(void (*main)(unsigned number))
{
    bool done = secondary_cpus_start(1, main);

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
        problem = "no x2APIC (CPUID.1:ECX bit 21 clear)";
    if (problem) {
        test_skip(run, problem);
        return;
    }
    if (!start_and_wait(leave_in_x2apic) || mode_left != APIC_MODE || !start_and_wait(look_at_mode) ||
        mode_left != mode())
        test_fail(run, "APIC ID %u: did not start, enter x2APIC mode, or start again in this processor's mode",
                  (unsigned)topology.ids[0]);
}

TEST(measure_sharing_x2apic) = {
    .id = "measure.sharing.x2apic",
    .title = "A processor that was left in x2APIC mode starts again, in the mode of this processor",
    .source = SDM_X2APIC,
    .needs = NEED_APIC,
    .on_request = true,
    .run = start_from_x2apic,
};

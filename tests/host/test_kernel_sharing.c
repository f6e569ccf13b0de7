/* SPDX-License-Identifier: MIT */
/*
 * The kernel's measurement of lines that processors share (suite/measure/sharing_test.c), on a machine of variables:
 * who may take part, how turns are taken, and how words, records and shares of modified lines are judged.
 */
#include "tests/host/host_test.h"

/* What another processor can do comes from the test. */
#define caps_fill the_caps
#include "suite/measure/sharing_test.c"

#include "tests/host/machine/machine.h"

static const struct debugctl_bits core = { .lbr = 1 };
static const struct pebs_event events[] = {
    { "LATENCY", PEBS_ROLE_LOAD_LATENCY, PEBS_FAMILY_NONE, 0x01cd, 0xfe, true },
    { "STORES", PEBS_ROLE_STORES, PEBS_FAMILY_NONE, 0x82d0, 0xf, true },
    { "PRECISE", PEBS_ROLE_PRECISE_STORE, PEBS_FAMILY_NONE, 0x02cd, 0x8, true },
};
static const struct pebs_event_list list = { events, COUNT_OF(events) };
static const struct caps skylake = {
    .debugctl = &core,
    .linear_bits = 48,
    .global_ctrl = true,
    .general_count = 4,
    .general_width = 48,
    .full_width_write = true,
    .ds_width = 8,
    .ds_area_format = 3,
    .ds_area_size = 0x60,
    .pebs_method = PEBS_METHOD_GENERAL,
    .pebs_format = 3,
    .pebs_form = { .width = 8, .format = 3 },
    .pebs_record_size = 200,
    .pebs_counters = 0xf,
    .events = &list,
    .data_source = DATA_SOURCE_SKYLAKE,
};

static struct test_run run;
static struct caps caps;

static struct {
    enum acpi_error error;
    struct topology topology;
    uintptr_t low_page;
    char woken[400]; /* processors that were woken, in order */
    unsigned halts, runs;
    unsigned on_since,
        let_in;          /* PAUSEs when interrupts went on; times that one was in between: STI alone lets none in */
    unsigned give_up_at; /* a halt, from 1 on, at which another gives up */
    uintptr_t dr3;
    struct window window;
    bool barred;
    char started[200];   /* "number APIC-ID page", of those that were asked to start */
    unsigned dead;       /* the one, from 1 on, that does not start; 0: none */
    unsigned unlike;     /* .. that has other capabilities */
    unsigned lost_turns; /* .. whose words are not written */
    unsigned never_over; /* .. that gives up at its end */
    unsigned stopped, polls;
    char dumped[200];
    const struct caps *others;         /* capabilities, as they are probed */
    uint64_t record_source;            /* of the loads of the first; 0: it has no record */
    uint64_t threshold, places, reset; /* of its buffer, in its last turn */
    unsigned x2apic;                   /* starts, a bit each, that end in x2APIC mode; bit 7: that never end */
} cpu;

const char *secondary_cpus_barred(void)
{
    return cpu.barred ? "barred" : NULL;
}

enum acpi_error topology_read(struct topology *topology)
{
    *topology = cpu.topology;
    return cpu.error;
}

uintptr_t memory_low_page(void)
{
    return cpu.low_page;
}

bool processor_start(unsigned number, uint32_t apic_id, uintptr_t low_page, void (*main)(unsigned number))
{
    snprintf(cpu.started + strlen(cpu.started), sizeof cpu.started - strlen(cpu.started), "%u %x %x, ", number,
             (unsigned)apic_id, (unsigned)low_page);
    if (main == leave_in_x2apic || main == look_at_mode) {
        cpu.runs++;
        main(number);
        if (cpu.x2apic >> cpu.runs & 1)
            mode_left = 0xc00;
        return !(cpu.x2apic >> 7 & 1 && cpu.x2apic & cpu.runs);
    }
    assert_true(main == other_main);
    assert_int_equal(shared.stage[number].value, STARTED);
    return apic_id != cpu.dead;
}

bool processor_done(unsigned number)
{
    assert_int_equal(number, 1);
    return cpu.polls++ >= 3 && !(cpu.x2apic >> 6 & 1);
}

void processor_wake(unsigned number)
{
    snprintf(cpu.woken + strlen(cpu.woken), sizeof cpu.woken - strlen(cpu.woken), "%u ", number);
}

void processors_stop(void)
{
    cpu.stopped++;
    machine_set(0x1b, 0xfee00900); /* as INIT does */
}

bool symbol_find(uint64_t address, const char **name, uint64_t *offset)
{
    *name = "load_of_0";
    *offset = 0;
    return address == 0x4000;
}

void dump_event(unsigned number, const struct pebs_sampling *sampling)
{
    snprintf(cpu.dumped + strlen(cpu.dumped), sizeof cpu.dumped - strlen(cpu.dumped), "%u %s %u, ", number,
             sampling->event->name, (unsigned)sampling->period);
}

void ds_probe(struct caps_input *input)
{
    memset(input, 0, sizeof *input);
}

void caps_fill(const struct caps_input *input, struct caps *of)
{
    (void)input;
    *of = *cpu.others;
}

void ds_probe_registers(struct caps *of)
{
    of->reason[CAPS_NEED_BTS] = CAPS_BTS_UNAVAILABLE;
}

void dr3_write(uintptr_t value)
{
    cpu.dr3 = value;
}

/* The others do what they must while this one waits. */
void cpu_halt_for_interrupt(void)
{
    cpu.halts++;
    shared.turn.value = (shared.turn.value + 1) % shared.count;
    shared.broken.value = cpu.halts == cpu.give_up_at;
    for (unsigned n = 1; n < shared.count; n++) {
        struct flag *const stage = &shared.stage[n];
        if (stage->value == STARTED) {
            stage->value = PROBED;
            shared.alike[n] = n != cpu.unlike;
        } else if (stage->value == PROBED && shared.go.value) {
            stage->value = READY;
        } else if (stage->value == READY && shared.stage[0].value == OVER) {
            stage->value = OVER;
            shared.broken.value = n == cpu.never_over;
            stage->value = n == cpu.never_over ? READY : OVER;
        }
    }
}

uint8_t workload_sharing_data[WORKLOAD_SHARING_LINES * WORKLOAD_SHARING_STRIDE];

static void store(uint64_t eventing_ip, uint64_t rcx, uintptr_t address, uint64_t source);

/* A turn of the first, and those of the others. */
static void take_turn(const struct window *window)
{
    uint64_t area[12];

    cpu.runs++;
    cpu.window = *window;
    for (unsigned line = 0; line < 8; line++)
        for (unsigned n = 0; n < shared.count; n++)
            *(uintptr_t *)(void *)(workload_sharing_data + line * 512 + n * shared.layout->apart) +=
                n == 0 || n != cpu.lost_turns;
    memcpy(area, ds_memory().area, sizeof area);
    cpu.places = (area[6] - area[4]) / 200;
    cpu.threshold = (area[7] - area[4]) / 200;
    cpu.reset = area[9];
    if (cpu.record_source && cpu.runs % 128 == 0)
        store(shared.sampling.event == &events[0] ? 0x4000 : 0x4010, 8, (uintptr_t)workload_sharing_data,
              cpu.record_source);
}

static const struct access at_0[2] = { { .ip = 0x4000, .next_ip = 0x4003 }, { .ip = 0x4010, .next_ip = 0x4013 } };
const struct workload workload_sharing_0 = { .run = take_turn, .accesses = at_0, .access_count = 2 },
                      workload_sharing_1 = { .run = take_turn, .accesses = at_0, .access_count = 2 },
                      workload_sharing_2, workload_sharing_3, workload_chase, workload_long_loop;

static void count_let_in(const char *line)
{
    if (strcmp(line, "sti") == 0)
        cpu.on_since = machine.pauses;
    if (strcmp(line, "cli") == 0)
        cpu.let_in += machine.pauses > cpu.on_since;
}

static void start(void)
{
    static const uint32_t ids[] = { 4 };

    machine_start();
    memset(&cpu, 0, sizeof cpu);
    memset(&shared, 0, sizeof shared);
    cpu.topology = (struct topology){ .total = 3, .siblings = 1, .count = 1, .ids = ids };
    cpu.low_page = 0x9000;
    caps = skylake;
    shared.caps = &caps;
    shared.count = 2;
    run = (struct test_run){ .caps = &caps };
}

/* ---- who takes part ---------------------------------------------------------------------------------------------- */

static void surveys(void **state)
{
    struct topology topology;
    (void)state;
    start();
    assert_null(survey(&topology));
    cpu.low_page = 0;
    assert_string_equal(survey(&topology), "no usable page below 640 KiB for another processor's first instructions");
    cpu.topology.count = 0;
    assert_string_equal(survey(&topology),
                        "the other processors are threads of this one's core, whose caches are the same");
    cpu.topology.total = 2;
    assert_string_equal(survey(&topology),
                        "the other processors are threads of this one's core, whose caches are the same");
    cpu.topology.total = 1;
    assert_string_equal(survey(&topology), "one processor: nobody to share with");
    cpu.error = ACPI_OK + 1;
    assert_string_equal(survey(&topology), acpi_error_text(ACPI_OK + 1));
}

/* Each capability that sampling depends on, different in the other; and one on which it does not. */
static void alike(void **state)
{
    struct caps other;
    (void)state;
    start();
    other = caps;
    assert_true(are_alike(&caps, &other));
#define DIFFERS(member)                         \
    do {                                        \
        other = caps;                           \
        other.member++;                         \
        assert_false(are_alike(&caps, &other)); \
    } while (0)
    DIFFERS(signature);
    DIFFERS(perfmon_version);
    DIFFERS(general_count);
    DIFFERS(general_width);
    DIFFERS(perf_capabilities);
    DIFFERS(ds_width);
    DIFFERS(ds_area_format);
    DIFFERS(pebs_method);
    DIFFERS(pebs_format);
    DIFFERS(pebs_record_size);
    DIFFERS(pebs_counters);
    DIFFERS(events);
    DIFFERS(data_source);
    other = caps;
    other.reason[CAPS_NEED_APIC] = CAPS_AVAILABLE + 1;
    assert_false(are_alike(&caps, &other));
    assert_true(are_alike(&other, &caps)); /* what the first lacks, the test's needs have asked */
    other = caps;
    other.linear_bits++;
    assert_true(are_alike(&caps, &other));
}

/* The event that tells the address of a store: of those of all stores, or where that does not, the precise store. */
static void stores(void **state)
{
    struct pebs_event some[2] = { events[1], events[2] };
    struct pebs_event_list of = { some, 2 };
    (void)state;
    start();
    caps.events = &of;
    assert_ptr_equal(store_event(&caps), &some[0]);
    some[0].data_address = false;
    assert_ptr_equal(store_event(&caps), &some[1]);
    of.events = &some[1];
    of.count = 1;
    assert_ptr_equal(store_event(&caps), &some[1]);
    of.count = 0;
    assert_null(store_event(&caps));
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static const struct layout of_8 = { "false", 8, true }, apart = { "padded", 128, false }, same = { "true", 0, true };

static void prepare_turns(void)
{
    start();
    shared.layout = &apart;
    shared.sampling =
        (struct pebs_sampling){ .event = &events[0], .counter = 1, .period = 24, .rings = 3, .threshold = 3 };
    shared.config = (struct ds_config){ .pebs = true, .pebs_records = 16, .pebs_threshold = 12 };
}

static void turns(void **state)
{
    (void)state;
    prepare_turns();
    machine.did = count_let_in;
    assert_true(take_turns(0));
    assert_int_equal(cpu.runs, 128);
    assert_true(cpu.let_in >= 128);
    assert_int_equal(cpu.halts, 127); /* the first turn is its own */
    assert_ptr_equal(cpu.dr3, workload_sharing_data);
    assert_int_equal(cpu.window.msr, 0x38f);
    assert_int_equal(cpu.window.on, 2);
    assert_int_equal(cpu.window.off, 0);
    assert_int_equal(shared.turn.value, 1);
    assert_int_equal(shared.stage[0].value, OVER);
    assert_int_equal(shared.broken.value, 0);
    assert_memory_equal(cpu.woken, "0 1 1 1 ", 8); /* ready; then the next, each time; over */
    assert_string_equal(cpu.woken + strlen(cpu.woken) - 6, "1 1 0 ");
    assert_int_equal(strlen(cpu.woken), 2 * 130);
    assert_int_equal(msr_get(0x600), 0);
    assert_int_equal(msr_get(0x187), 0);
    prepare_turns();
    shared.turn.value = 1;
    assert_true(take_turns(1)); /* the last one's next is the first */
    assert_ptr_equal(cpu.dr3, workload_sharing_data + 128);
    assert_int_equal(shared.turn.value, 0);
    assert_int_equal(shared.stage[1].value, OVER);
}

static void turns_broken(void **state)
{
    (void)state;
    prepare_turns();
    cpu.give_up_at = 2;
    shared.count = 4; /* three others have theirs in between, of which the last gives up while it has its turn */
    assert_false(take_turns(0));
    assert_int_equal(cpu.runs, 1);
    assert_int_equal(shared.stage[0].value, OVER);
    prepare_turns();
    machine_refuse(0x187); /* it cannot sample, and tells all others */
    assert_false(take_turns(0));
    assert_int_equal(cpu.runs, 0);
    assert_int_equal(shared.broken.value, 1);
    assert_string_equal(cpu.woken, "0 1 0 0 ");
    prepare_turns();
    machine.page = 0;
    assert_false(take_turns(1));
    assert_int_equal(cpu.runs, 0);
    assert_string_equal(cpu.woken, "0 1 0 0 ");
    assert_int_equal(shared.stage[1].value, OVER);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void words(void **state)
{
    static const struct {
        const struct layout *layout;
        unsigned processors, word; /* bytes from the first to the second one's word in a line */
        uint64_t turns;
    } rows[] = { { &of_8, 2, 8, 128 }, { &apart, 2, 128, 128 }, { &same, 3, 0, 384 } };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        shared.count = rows[i].processors;
        memset(workload_sharing_data, 0, sizeof workload_sharing_data);
        for (unsigned line = 0; line < 8; line++)
            for (unsigned n = 0; n < 2; n++)
                *(uintptr_t *)(void *)(workload_sharing_data + line * 512 + n * rows[i].word) =
                    (uintptr_t)rows[i].turns;
        check_words(&run, rows[i].layout);
        machine_did("");
        *(uintptr_t *)(void *)(workload_sharing_data + 7 * 512 + rows[i].word) -= 1;
        check_words(&run, rows[i].layout);
        machine_found(i < 2 ? "wrong: word is 0x7f, must be 0x80\n"
                            : "wrong: word is 0x17f, must be 0x180\nwrong: word is 0x17f, must be 0x180\n"
                              "wrong: word is 0x17f, must be 0x180\n");
    }
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static void shares(void **state)
{
    static const struct {
        const struct layout *layout;
        unsigned loads, hitm;
        const char *found;
    } rows[] = {
        { &of_8, 80, 80, "" },
        { &of_8, 80, 70, "" },
        { &of_8, 80, 69,
          "differs: 69 of 80 loads found a line that all write modified elsewhere, typically seven in eight\n" },
        { &of_8, 80, 40,
          "differs: 40 of 80 loads found a line that all write modified elsewhere, typically seven in eight\n" },
        { &of_8, 80, 39,
          "wrong: 39 of 80 loads found a line that all write modified elsewhere, expected half or more\n" },
        { &apart, 80, 0, "" },
        { &apart, 80, 10, "" },
        { &apart, 80, 11,
          "differs: 11 of 80 loads found a line that one processor alone writes modified elsewhere, "
          "typically fewer than one in eight\n" },
        { &apart, 80, 40,
          "differs: 40 of 80 loads found a line that one processor alone writes modified elsewhere, "
          "typically fewer than one in eight\n" },
        { &apart, 80, 41,
          "wrong: 41 of 80 loads found a line that one processor alone writes modified elsewhere, "
          "expected half at most\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        static struct c2c_table table;
        char line[120];
        start();
        table = (struct c2c_table){ .count = 2 };
        table.rows[0].loads = rows[i].loads - 20;
        table.rows[0].hitm = rows[i].hitm / 2;
        table.rows[1].loads = 20;
        table.rows[1].hitm = rows[i].hitm - rows[i].hitm / 2;
        judge(&run, &table, rows[i].layout);
        machine_did(rows[i].found);
        snprintf(line, sizeof line, "%s: %u of %u loads found the line modified by another processor\n",
                 rows[i].layout->name, rows[i].hitm, rows[i].loads);
        machine_printed(line);
    }
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static unsigned stored;

/* Puts a record into this processor's buffer. */
static void store(uint64_t eventing_ip, uint64_t rcx, uintptr_t address, uint64_t source)
{
    uint64_t record[25] = {
        [1] = 0x4003, [4] = rcx, [18] = 2, [19] = address, [20] = source, [21] = 30, [22] = eventing_ip, [24] = ++stored
    };
    uint64_t index;
    memcpy(&index, ds_memory().area + 0x28, 8);
    memcpy((void *)(uintptr_t)index, record, sizeof record);
    index += sizeof record;
    memcpy(ds_memory().area + 0x28, &index, 8);
}

static void open_area(void)
{
    const struct ds_config config = { .pebs = true, .pebs_records = 16, .pebs_threshold = 12 };
    start();
    shared.layout = &apart;
    shared.count = 1;
    assert_true(records_open(&run, &config));
}

static uintptr_t line_of(unsigned n)
{
    return (uintptr_t)workload_sharing_data + (uintptr_t)512 * n;
}

/* Loads of line 0 (RCX 8), 3 and 7 (RCX 1): found modified elsewhere (code 7), in the last level (6), and in the first
 * (1). */
static void records(void **state)
{
    static struct c2c_table table;
    (void)state;
    open_area();
    store(0x4000, 8, line_of(0), 0x7);
    store(0x4000, 5, line_of(3), 0x6);
    store(0x4444, 5, line_of(3), 0x7); /* of the service routine */
    store(0x4000, 1, line_of(7), 0x1);
    ds_close();
    table = (struct c2c_table){ 0 };
    assert_int_equal(take_records(&run, 0, false, &table), 3);
    machine_found("");
    machine_printed("processor 0: 3 samples in 0 interrupts\n");
    assert_int_equal(table.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct c2c_row *row = &table.rows[i];
        assert_int_equal(row->access.address, line_of(i == 0 ? 0 : i == 1 ? 3 : 7));
        assert_int_equal(row->access.cpu, 0);
        assert_string_equal(row->access.symbol, "load_of_0");
        assert_int_equal(row->loads, 1);
        assert_int_equal(row->hitm, i == 0);
        assert_int_equal(row->stores, 0);
        assert_int_equal(row->cycles, 30);
    }
    open_area();
    store(0x4010, 8, line_of(0), 0x7);
    machine_set(0x38e, 0);
    machine.handler(NULL);
    ds_close();
    table = (struct c2c_table){ 0 };
    take_all(&run, true, &table);
    machine_found("");
    assert_int_equal(run.seen, 1);
    assert_string_equal(table.rows[0].access.symbol, "-"); /* none is at 4010H */
    assert_int_equal(table.rows[0].stores, 1);
    assert_int_equal(table.rows[0].hitm + table.rows[0].loads, 0);
    assert_int_equal(table.rows[0].cycles, 0);
}

static void records_wrong(void **state)
{
    static struct c2c_table table;
    char line[200];
    (void)state;
    open_area();
    store(0x4000, 9, line_of(0), 1);
    store(0x4000, 0, line_of(0), 1);
    store(0x4000, 8, line_of(0) + 8, 1);
    ds_close();
    table = (struct c2c_table){ 0 };
    assert_int_equal(take_records(&run, 0, false, &table), 1);
    snprintf(line, sizeof line,
             "wrong: processor 0, PEBS record 0: RCX 0x9 is not a number of lines\n"
             "wrong: processor 0, PEBS record 1: RCX 0x0 is not a number of lines\n"
             "wrong: data address is 0x%llx, must be 0x%llx\n",
             (unsigned long long)line_of(0) + 8, (unsigned long long)line_of(0));
    machine_found(line);
    open_area(); /* no record of its own, and no interrupt */
    ds_close();
    take_all(&run, true, &table);
    machine_found("wrong: processor 0 has no sample\nwrong: processor 0 had no interrupt\n");
    take_all(&run, false, &table);
    machine_found("wrong: processor 0 has no sample\n");
}

/* ---- the others -----------------------------------------------------------------------------------------------------
 */

/* Another processor probes what it can do, waits for the start, and takes its turns. */
static void another(void **state)
{
    struct caps other;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        prepare_turns();
        other = caps;
        other.general_width += i == 1;
        cpu.others = &other;
        shared.go.value = i != 2;
        shared.turn.value = 1;
        cpu.give_up_at = i == 2;
        machine_set(0x3f1, 2);
        machine_set(0x187, 0x4301cd);
        machine_set(0x38f, 2);
        other_main(1);
        assert_int_equal(shared.alike[1], i != 1);
        assert_int_equal(cpu.runs, i == 2 ? 0 : 128);
        assert_int_equal(shared.stage[1].value, i == 2 ? PROBED : OVER);
        assert_int_equal(msr_get(0x3f1) | msr_get(0x187) | msr_get(0x38f), 0);
        assert_memory_equal(cpu.woken, "0 ", 2);
    }
    prepare_turns(); /* what makes the difference may be found by a look at the registers alone */
    other = caps;
    cpu.others = &other;
    other.reason[CAPS_NEED_PEBS] = CAPS_PEBS_ENABLE_RAISES_GP;
    assert_false(probe(&caps));
    assert_string_equal(cpu.woken, "");
}

static const uint32_t five[] = { 4, 6, 9, 12, 14 };

static void starts(void **state)
{
    static const struct {
        unsigned dead, unlike, others, count;
        const char *problem, *started, *printed;
    } cases[] = {
        { 0, 0, 1, 2, NULL, "1 4 9000, ", "" },
        { 0, 0, 5, 4, NULL, "1 4 9000, 2 6 9000, 3 9 9000, ", "" },
        { 6, 0, 5, 4, NULL, "1 4 9000, 2 6 9000, 2 9 9000, 3 c 9000, ",
          "the processor with APIC ID 6 does not start\n" },
        { 4, 0, 1, 1, "no other processor started", "1 4 9000, ", "the processor with APIC ID 4 does not start\n" },
        { 0, 3, 5, 4, "another processor has other capabilities than this one", "1 4 9000, 2 6 9000, 3 9 9000, ", "" },
        { 0, 1, 1, 2, "another processor has other capabilities than this one", "1 4 9000, ", "" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        const char *problem;
        start();
        cpu.dead = cases[i].dead;
        cpu.unlike = cases[i].unlike;
        cpu.topology.ids = five;
        cpu.topology.count = cases[i].others;
        memset(&shared, 0, sizeof shared);
        problem = start_others(&cpu.topology);
        assert_int_equal(shared.count, cases[i].count);
        assert_string_equal(problem ? problem : "", cases[i].problem ? cases[i].problem : "");
        assert_string_equal(cpu.started, cases[i].started);
        machine_printed(cases[i].printed);
    }
}

/* ---- the whole test -------------------------------------------------------------------------------------------------
 */

/* With a debug store for the second processor, which stays empty. */
static void start_test(const struct test *test)
{
    static uint8_t stores[DS_STORE_MEMORY] __attribute__((aligned(4096))),
        kept[DS_KEPT_MEMORY] __attribute__((aligned(4096)));

    start();
    ds_give(1, stores, kept);
    cpu.record_source = 7;
    run.test = test;
}

/* The first processor has a sample of each kind; the others, which do not run here, have none. */
static void whole(void **state)
{
    (void)state;
    start_test(&measure_sharing_false);
    test_plan(&run, 0);
    measure_sharing_false.run(&run);
    machine_found("wrong: processor 1 has no sample\n"
                  "wrong: processor 0 had no interrupt\nwrong: processor 1 has no sample\n"
                  "wrong: processor 1 had no interrupt\n");
    assert_int_equal(run.expected, 2);
    assert_int_equal(run.most, 2 * 256);
    assert_int_equal(run.seen, 2);
    assert_int_equal(cpu.runs, 256);
    assert_int_equal(cpu.stopped, 2);
    assert_string_equal(cpu.started, "1 4 9000, 1 4 9000, ");
    assert_string_equal(cpu.dumped, "0 LATENCY 16, 1 LATENCY 16, 0 STORES 16, 1 STORES 16, ");
    assert_int_equal(cpu.places, 68);
    assert_int_equal(cpu.threshold, 16); /* of the stores, the last */
    machine_has_printed("3 processors, 2 of them on this one's core\n"
                        "event LATENCY, counter 1, reset -16, on 2 processors\n");
    machine_has_printed("processor 0: 1 samples in 0 interrupts\nprocessor 1: 0 samples in 0 interrupts\n"
                        "event STORES, counter 0, reset -16, on 2 processors\n");
    machine_has_printed("false: 1 of 1 loads found the line modified by another processor\n");
}

/* Of loads alone, where no event tells the address of a store. */
static void loads_alone(void **state)
{
    static const struct pebs_event_list latency = { events, 1 };

    (void)state;
    start_test(&measure_sharing_padded);
    caps.events = &latency;
    caps.hypervisor = true;
    cpu.record_source = 1;
    measure_sharing_padded.run(&run);
    machine_has_found("dump pebs of 0: 1, sources");
    machine_found("wrong: processor 1 has no sample\n");
    assert_int_equal(run.most, 256);
    assert_int_equal(cpu.threshold, 66);
    assert_int_equal(cpu.reset, 0xfffffffffff0);
    assert_int_equal(cpu.runs, 128);
    machine_has_printed("under a hypervisor: latencies are its figures, not time\n3 processors");
    machine_has_printed("stores none: no precise event of this processor tells the address of a store\n");
    machine_has_printed("padded: 0 of 1 loads found the line modified by another processor\n");
}

/* The first sample is that of the second round: the period is longer by a round. */
static void programmed(void **state)
{
    (void)state;
    start_test(&measure_sharing_true);
    assert_true(play(&run, &cpu.topology, &same, &events[0], false));
    machine_has_found("wrmsr 4c2 ffffffffffe8\nwrmsr 187 4301cd\n");
    machine_has_found("wrmsr 3f6 3\n");
    machine_found("");
    assert_int_equal(workload_sharing_data[0], 0); /* 256 turns at the same word */
    assert_int_equal(workload_sharing_data[1], 1);
    assert_true(play(&run, &cpu.topology, &apart, &events[0], false)); /* and again from 0 */
    assert_int_equal(workload_sharing_data[0], 128);
}

/* The sources of a precise store are encoded in a way of their own. */
static void encodings(void **state)
{
    static const struct {
        const struct pebs_event *event;
        bool store;
        enum data_source_encoding encoding;
    } cases[] = { { &events[0], false, DATA_SOURCE_SKYLAKE },
                  { &events[1], true, DATA_SOURCE_SKYLAKE },
                  { &events[2], true, DATA_SOURCE_STORE },
                  { &events[2], false, DATA_SOURCE_SKYLAKE } };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        char line[80];
        start_test(NULL);
        ds_logs_empty();
        shared.sampling = (struct pebs_sampling){ .event = cases[i].event, .period = 99 };
        dump_all(&run, cases[i].store);
        snprintf(line, sizeof line, "dump pebs of 0: 0, sources %d\ndump pebs of 1: 0, sources %d\ndump flush\n",
                 (int)cases[i].encoding, (int)cases[i].encoding);
        machine_did(line);
    }
}

static void not_whole(void **state)
{
    static const struct {
        unsigned never_over, give_up_at;
    } cases[] = { { 1, 0 }, { 0, 5 } };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start_test(&measure_sharing_false);
        cpu.never_over = cases[i].never_over;
        cpu.give_up_at = cases[i].give_up_at;
        measure_sharing_false.run(&run);
        machine_found("wrong: not all processors took all their turns\n");
        assert_int_equal(cpu.stopped, 1);
        assert_null(run.skipped);
    }
    start_test(&measure_sharing_padded);
    cpu.lost_turns = 1;
    measure_sharing_padded.run(&run);
    machine_has_found("wrong: word is 0x0, must be 0x80\n");
}

static void skips(void **state)
{
    (void)state;
    start_test(&measure_sharing_false);
    cpu.dead = 4;
    measure_sharing_false.run(&run);
    assert_string_equal(run.skipped, "no other processor started");
    assert_int_equal(cpu.stopped, 1);
    machine_has_found("cli\nsti\n");
    start_test(&measure_sharing_false);
    cpu.topology.total = 1;
    measure_sharing_false.run(&run);
    assert_string_equal(run.skipped, "one processor: nobody to share with");
    assert_false(run.planned);
    assert_int_equal(cpu.stopped, 0);
    start();
    cpu.barred = true;
    assert_string_equal(survey(&cpu.topology), "barred");
    assert_int_equal(measure_sharing_false.needs, NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY);
    assert_int_equal(measure_sharing_padded.needs, NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY);
    assert_int_equal(measure_sharing_true.needs, NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY);
    assert_int_equal(measure_sharing_x2apic.needs, NEED_APIC);
}

/* ---- x2APIC ---------------------------------------------------------------------------------------------------------
 */

/* The mode is IA32_APIC_BASE bits 10 and 11, of a register that both processors have here. */
static bool apic_holds(uint32_t msr, uint64_t value)
{
    (void)value;
    return msr == 0x1b && cpu.x2apic >> 5 & 1;
}

static void x2apic(void **state)
{
    static const struct {
        unsigned x2apic;
        const char *found;
    } cases[] = {
        { 0, "" },
        { 1 << 5, "wrong: the processor with APIC ID 4 does not start, or does not enter x2APIC mode\n" },
        { 1 << 2, "wrong: the processor with APIC ID 4 does not start again, or not in the mode of this one\n" },
        { 1 << 7 | 1, "wrong: the processor with APIC ID 4 does not start, or does not enter x2APIC mode\n" },
        { 1 << 6, "wrong: the processor with APIC ID 4 does not start, or does not enter x2APIC mode\n"
                  "wrong: the processor with APIC ID 4 does not start again, or not in the mode of this one\n" },
        { 1 << 7 | 2, "wrong: the processor with APIC ID 4 does not start again, or not in the mode of this one\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start();
        caps.x2apic = true;
        machine.refuses = apic_holds;
        machine_set(0x1b, 0xfee00900);
        cpu.x2apic = cases[i].x2apic;
        measure_sharing_x2apic.run(&run);
        machine_found(cases[i].found);
        assert_string_equal(cpu.started, "1 4 9000, 1 4 9000, ");
        assert_int_equal(cpu.stopped, 2);
        assert_null(run.skipped);
        assert_true(machine.pauses >= (cases[i].x2apic == 1 << 6 ? 1000000 : 3));
    }
    start();
    measure_sharing_x2apic.run(&run);
    assert_string_equal(run.skipped, "no x2APIC: CPUID.1:ECX bit 21 clear");
    start();
    caps.x2apic = true;
    cpu.topology.total = 1;
    measure_sharing_x2apic.run(&run);
    assert_string_equal(run.skipped, "one processor: nobody to share with");
    assert_string_equal(cpu.started, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surveys),     cmocka_unit_test(alike),        cmocka_unit_test(stores),
        cmocka_unit_test(turns),       cmocka_unit_test(turns_broken), cmocka_unit_test(words),
        cmocka_unit_test(shares),      cmocka_unit_test(records),      cmocka_unit_test(records_wrong),
        cmocka_unit_test(another),     cmocka_unit_test(starts),       cmocka_unit_test(whole),
        cmocka_unit_test(loads_alone), cmocka_unit_test(programmed),   cmocka_unit_test(encodings),
        cmocka_unit_test(not_whole),   cmocka_unit_test(skips),        cmocka_unit_test(x2apic),
    };
    return cmocka_run_group_tests_name("kernel_sharing", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * The kernel's measurement of lines that processors share (measure/sharing_test.c), on a machine of variables: who may
 * take part, how turns are taken, and how words, records and shares of modified lines are judged.
 */
#include "tests/host/host_test.h"

#include "measure/sharing_test.c"
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
} cpu;

const char *others_barred(void)
{
    return NULL;
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
    (void)number, (void)apic_id, (void)low_page, (void)main;
    return false;
}

bool processor_done(unsigned number)
{
    (void)number;
    return false;
}

void processor_wake(unsigned number)
{
    snprintf(cpu.woken + strlen(cpu.woken), sizeof cpu.woken - strlen(cpu.woken), "%u ", number);
}

void processors_stop(void)
{
}

bool symbol_find(uint64_t address, const char **name, uint64_t *offset)
{
    *name = "load_of_0";
    *offset = 0;
    return address == 0x4000;
}

void dump_event(unsigned number, const struct pebs_sampling *sampling)
{
    (void)number, (void)sampling;
}

void ds_probe(struct caps_input *input)
{
    memset(input, 0, sizeof *input);
}

void ds_probe_registers(struct caps *of)
{
    (void)of;
}

void dr3_write(uintptr_t value)
{
    cpu.dr3 = value;
}

/* The others take their turns while this one waits. */
void cpu_halt_for_interrupt(void)
{
    cpu.halts++;
    shared.turn.value = (shared.turn.value + 1) % shared.count;
    shared.broken.value = cpu.halts == cpu.give_up_at;
}

uint8_t workload_sharing_data[WORKLOAD_SHARING_LINES * WORKLOAD_SHARING_STRIDE];

static void take_turn(const struct window *window)
{
    cpu.runs++;
    cpu.window = *window;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surveys), cmocka_unit_test(alike),        cmocka_unit_test(stores),
        cmocka_unit_test(turns),   cmocka_unit_test(turns_broken), cmocka_unit_test(words),
        cmocka_unit_test(shares),  cmocka_unit_test(records),      cmocka_unit_test(records_wrong),
    };
    return cmocka_run_group_tests_name("kernel_sharing", tests, NULL, NULL);
}

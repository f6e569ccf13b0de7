/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of sampled loads and stores (pebs/pebs_test.c), with a processor that writes the records: they
 * pass where these are right, and of each part of a record that is wrong, those tests that look at it report it. A
 * record of format 3, in words of 8 bytes: flags, IP, registers from RAX on, counters (18), data address, source,
 * latency, EventingIP, TSX, time. SDM Vol. 3B (253669-081), "PEBS Record Format for 6th Generation Intel Core Processor
 * Family".
 */
#include "tests/host/host_test.h"

#include "pebs/pebs_test.c"
#include "tests/host/machine/machine.h"

/* The stack, of which only addresses matter. */
__asm__(".bss\n.globl stack_guard, data_end\nstack_guard: .zero 4096\ndata_end: .zero 1\n.text");

/* What is wrong with the last record of a workload's last round, or with all of them. */
enum wrong {
    NOTHING,
    NO_LATENCY,
    NO_SOURCE,
    OTHER_ADDRESS,
    OTHER_VALUE,
    OTHER_REGISTER, /* the last that is looked at */
    OTHER_FLAGS,
    UNDEFINED_FLAG, /* AF, which says nothing */
    BELOW_STACK,    /* RSP; .. its lowest address; .. its end */
    LOWEST,
    ABOVE_STACK,
    NO_ACCESS,     /* EventingIP */
    OTHER_IP,      /* the second IP alone */
    OTHER_COUNTER, /* the counters' bits */
    LATER,         /* all are an event later */
    EARLIER,       /* .. an event too early */
    FEW,           /* all but every third are missing */
    MANY,          /* there are twice as many */
    NONE,          /* there are none */
    REFUSED,       /* the counter cannot be programmed */
    SILENT         /* no interrupt comes at the threshold */
};

#define ACCESSES 64u

static struct {
    enum wrong wrong;
    unsigned round, records;
    uint64_t stamp;
    unsigned counter, period;
    uint16_t select;
    bool user; /* at CPL 3 alone */
} cpu;

static struct access loads[ACCESSES], stores[ACCESSES], user_loads[ACCESSES];
static const struct debugctl_bits core = { .lbr = 1 };
static const struct pebs_event events[] = {
    { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xf, true },
    { "STORES", PEBS_ROLE_STORES, PEBS_FAMILY_NONE, 0x82d0, 0xf, true },
    { "STORE", PEBS_ROLE_PRECISE_STORE, PEBS_FAMILY_NONE, 0x02cd, 0x8, true },
    { "LATENCY", PEBS_ROLE_LOAD_LATENCY, PEBS_FAMILY_NONE, 0x05d0, 0xf, true },
};
static const struct pebs_event_list list = { events, COUNT_OF(events) };
static struct caps caps;
static struct test_run run;

/* The registers of a record, by their numbers. */
static const unsigned order[16] = { 0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15 };
enum { RAX = 2, RSP = 9 };

static void write_record(const struct access *of, bool last)
{
    uint64_t record[25] = { WORKLOAD_FLAGS, of->next_ip };
    uint64_t index, area[12];

    for (unsigned i = 0; i < REGISTERS; i++)
        record[2 + i] = WORKLOAD_REGISTER(order[i]);
    record[RAX] = of->value;
    record[RSP] = (uintptr_t)stack_guard + 8;
    record[18] = UINT64_C(1) << cpu.counter;
    record[19] = of->address;
    record[20] = 1;
    record[21] = 9;
    record[22] = of->ip;
    record[24] = ++cpu.stamp;
    if (last) {
        record[0] ^= cpu.wrong == OTHER_FLAGS ? 0x800 : cpu.wrong == UNDEFINED_FLAG ? 0x10 : 0;
        record[1] += cpu.wrong == OTHER_IP;
        record[RAX] += cpu.wrong == OTHER_VALUE;
        record[REGISTERS == 8 ? RSP - 1 : RSP + 8] += cpu.wrong == OTHER_REGISTER;
        record[RSP] = cpu.wrong == BELOW_STACK   ? (uintptr_t)stack_guard - 1
                      : cpu.wrong == LOWEST      ? (uintptr_t)stack_guard
                      : cpu.wrong == ABOVE_STACK ? (uintptr_t)data_end
                                                 : record[RSP];
        record[18] <<= cpu.wrong == OTHER_COUNTER;
        record[19] += cpu.wrong == OTHER_ADDRESS;
        record[20] = cpu.wrong == NO_SOURCE ? 0 : 1;
        record[21] = cpu.wrong == NO_LATENCY ? 0 : 9;
        record[22] += cpu.wrong == NO_ACCESS;
    }
    memcpy(area, ds_memory().area, sizeof area);
    if (area[5] + sizeof record > area[6])
        return;
    index = area[5];
    memcpy((void *)(uintptr_t)index, record, sizeof record);
    index += sizeof record;
    memcpy(ds_memory().area + 0x28, &index, 8);
    if (index >= area[7] && machine.handler && cpu.wrong != SILENT)
        machine.handler(NULL);
}

/* A round of sixteen. A record is of the event behind each that overflows the counter. */
static void sample(const struct workload *workload, const struct window *window)
{
    const struct access *const accesses = workload->accesses;
    const unsigned spacing = cpu.wrong == MANY ? (cpu.period + 1) / 2 : cpu.period + 1;

    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->on, UINT64_C(1) << cpu.counter);
    assert_int_equal(msr_get(0x3f1) & 0xf, UINT64_C(1) << cpu.counter);
    assert_int_equal(msr_get(0x186 + cpu.counter), cpu.select | (cpu.user ? 0x410000 : 0x430000));
    if (cpu.wrong == NONE)
        return;
    for (unsigned i = 0; i < ACCESSES; i++) {
        const unsigned late = cpu.wrong == LATER ? 1 : 0, early = cpu.wrong == EARLIER ? 1 : 0;
        const unsigned number = cpu.round * ACCESSES + i + 1; /* of the event, from 1 on */
        if ((number + early - late) % spacing || number == late)
            continue;
        cpu.records++;
        if (cpu.wrong == FEW && cpu.records % 3)
            continue;
        write_record(&accesses[i], number + spacing > 16 * ACCESSES);
    }
    cpu.round++;
}

#define RUNS(name)                                                      \
    static void run_##name(const struct window *window)                 \
    {                                                                   \
        sample(&workload_##name, window);                               \
    }                                                                   \
    const struct workload workload_##name = { .run = run_##name,        \
                                              .accesses = name,         \
                                              .access_count = ACCESSES, \
                                              .instructions = 200,      \
                                              .start = 0x1000,          \
                                              .limit = 0x2000 };
RUNS(loads)
RUNS(stores)
RUNS(user_loads)
const struct workload workload_calls, workload_kinds, workload_long_loop, workload_straight, workload_chase,
    workload_user_loop; /* of other tests */
const uint64_t workload_ring[WORKLOAD_CHASE_LINES][8];

static const struct {
    const struct test *test;
    unsigned counter, period;
    uint16_t select;
} all[] = {
    { &pebs_loads, 0, 33, 0x81d0 },
    { &pebs_registers, 0, 47, 0x81d0 },
    { &pebs_stores, 0, 33, 0x82d0 },
    { &pebs_counter_1, 1, 35, 0x81d0 },
    { &pebs_counter_2, 2, 37, 0x81d0 },
    { &pebs_counter_3, 3, 41, 0x81d0 },
    { &pebs_precise_store, 3, 33, 0x02cd },
    { &pebs_store_latency, 0, 33, 0x06d0 },
    { &pebs_interrupt_threshold, 0, 33, 0x81d0 },
};

static bool refuses(uint32_t msr, uint64_t value)
{
    return cpu.wrong == REFUSED && msr == 0x186 + cpu.counter && value;
}

static void start(enum wrong wrong, unsigned i)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.wrong = wrong;
    cpu.counter = all[i].counter;
    cpu.period = all[i].period;
    cpu.select = all[i].select;
    cpu.user = all[i].test == &pebs_interrupt_threshold;
    machine.refuses = refuses;
    caps = (struct caps){
        .debugctl = &core,
        .linear_bits = 48,
        .global_ctrl = true,
        .general_count = 4,
        .general_width = 48,
        .general_counters = 0xf,
        .full_width_write = true,
        .ds_width = 8,
        .ds_area_format = 3,
        .ds_area_size = 0x60,
        .bts_record_size = 24,
        .pebs_method = PEBS_METHOD_GENERAL,
        .pebs_format = 3,
        .pebs_form = { .width = 8, .format = 3 },
        .pebs_record_size = 200,
        .pebs_trap_like = true,
        .pebs_counters = 0xf,
        .events = &list,
    };
    run = (struct test_run){ .caps = &caps, .test = all[i].test };
    for (unsigned n = 0; n < ACCESSES; n++) {
        loads[n] = (struct access){ 0x1000 + 4 * n, 0x1003 + 4 * n, 0x9000 + 8 * n, 0x70 + n };
        stores[n] = user_loads[n] = loads[n];
    }
}

/* Which tests report how many problems and differences. */
static const char *reports(enum wrong wrong)
{
    static char text[800];

    *text = '\0';
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(wrong, i);
        all[i].test->run(&run);
        machine_sum(text, sizeof text, all[i].test->id + strlen("pebs."), &run);
    }
    return text;
}

static void each_error(void **state)
{
    static const struct {
        enum wrong wrong;
        const char *reports;
    } cases[] = {
        { NO_LATENCY, "store_latency 1" },
        { NO_SOURCE, "store_latency 1" },
        { OTHER_ADDRESS, "loads 1, registers 1, stores 1, counter.1 1, counter.2 1, counter.3 1, precise_store 1, "
                         "store_latency 1, interrupt.threshold 1" },
        { OTHER_VALUE, "loads 1, registers 1, stores 1, counter.1 1, counter.2 1, counter.3 1, precise_store 1, "
                       "store_latency 1, interrupt.threshold 1" },
        { OTHER_REGISTER, "registers 1" },
        { OTHER_FLAGS, "registers 1" },
        { UNDEFINED_FLAG, "" },
        { BELOW_STACK, "registers 1" },
        { LOWEST, "" },
        { ABOVE_STACK, "registers 1" },
        { NO_ACCESS, "loads 2, registers 2, stores 2, counter.1 2, counter.2 2, counter.3 2, precise_store 1, "
                     "store_latency 2, interrupt.threshold 2" },
        { OTHER_IP, "loads 1, registers 1, stores 1, counter.1 1, counter.2 1, counter.3 1, precise_store 1, "
                    "store_latency 1, interrupt.threshold 1" },
        { OTHER_COUNTER, "loads 1, registers 1, stores 1, counter.1 1, counter.2 1, counter.3 1, precise_store 1, "
                         "store_latency 1, interrupt.threshold 1" },
        { LATER, "loads 0+1, registers 0+1, stores 0+1, counter.1 0+1, counter.2 0+1, counter.3 0+1, store_latency "
                 "0+1, interrupt.threshold 0+1" },
        { EARLIER, "loads 1, registers 1, stores 1, counter.1 1, counter.2 1, counter.3 1, store_latency 1, "
                   "interrupt.threshold 1" },
        { FEW, "loads 1+1, registers 1+1, stores 1+1, counter.1 1+1, counter.2 1+1, counter.3 1+1, store_latency 1+1, "
               "interrupt.threshold 1+1" },
        { MANY, "loads 61, registers 1+1, stores 61, counter.1 57, counter.2 54, counter.3 49, store_latency 61, "
                "interrupt.threshold 61" },
        { NONE, "loads 1, registers 1, stores 1, counter.1 1, counter.2 1, counter.3 1, store_latency 1, "
                "interrupt.threshold 2" },
        { REFUSED, "loads 1, registers 1, stores 1, counter.1 1, counter.2 1, counter.3 1, precise_store 1, "
                   "store_latency 1, interrupt.threshold 1" },
        { SILENT, "interrupt.threshold 3" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(reports(cases[i].wrong), cases[i].reports);
}

static void all_is_right(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        const bool random = all[i].test == &pebs_precise_store;
        const unsigned typical = 1024 / (all[i].period + 1);
        start(NOTHING, i);
        all[i].test->run(&run);
        machine_found("");
        assert_int_equal(run.most, random ? 1024 / all[i].period : typical);
        assert_int_equal(run.expected, random ? 1 : (typical + 1) / 2);
        assert_int_equal(run.seen, typical);
        assert_int_equal(cpu.round, 16);
        assert_true(all[i].test->records);
        assert_int_equal(ds_counts()->interrupts, all[i].test == &pebs_interrupt_threshold ? 7 : 0);
    }
}

static void sentences(void **state)
{
    static const struct {
        unsigned test;
        enum wrong wrong;
        const char *lines;
    } cases[] = {
        { 7, NO_LATENCY, "wrong: PEBS record 29 has no latency\n" },
        { 7, NO_SOURCE, "wrong: PEBS record 29 has no data source\n" },
        { 0, NO_ACCESS, "wrong: PEBS record 29, IP 0x10ef, is of no access of the workload\n" },
        { 0, OTHER_ADDRESS, "wrong: data address is 0x91d9, must be 0x91d8\n" },
        { 0, OTHER_VALUE, "wrong: RAX is 0xac, must be 0xab\n" },
        { 0, OTHER_IP, "wrong: IP is 0x10f0, must be 0x10ef\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(cases[i].wrong, cases[i].test);
        all[cases[i].test].test->run(&run);
        machine_has_found(cases[i].lines);
    }
}

/* Latencies of stores are of the cores whose loads have the same event with another unit mask. */
static void demands(void **state)
{
    static const struct pebs_event other = { "LATENCY", PEBS_ROLE_LOAD_LATENCY, PEBS_FAMILY_NONE, 0x01cd, 0xf, true };
    static const struct pebs_event_list of_other = { &other, 1 }, none = { &other, 0 };
    static const char lacks[] = "no latency event on this core that counts every store";

    (void)state;
    start(NOTHING, 0);
    assert_null(pebs_store_latency.lacks(&caps));
    caps.events = &of_other;
    assert_string_equal(pebs_store_latency.lacks(&caps), lacks);
    caps.events = &none;
    assert_string_equal(pebs_store_latency.lacks(&caps), lacks);
    assert_int_equal(pebs_store_latency.needs, NEED_APIC | NEED_PEBS | NEED_EVENT_STORES);
    assert_int_equal(pebs_loads.needs, NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS);
    assert_int_equal(pebs_stores.needs, NEED_APIC | NEED_PEBS | NEED_EVENT_STORES);
    assert_int_equal(pebs_precise_store.needs, NEED_APIC | NEED_PEBS | NEED_PRECISE_STORE);
    assert_int_equal(pebs_registers.needs, NEED_APIC | NEED_PEBS | NEED_PEBS_REGISTERS | NEED_EVENT_LOADS);
    assert_int_equal(pebs_interrupt_threshold.needs, NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS);
    for (unsigned i = 3; i < 6; i++)
        assert_int_equal(all[i].test->needs, NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS | NEED_PEBS_COUNTERS);

    /* A counter with precise distribution gets a longer period. */
    caps.pebs_pdist_counters = 0x2;
    assert_int_equal(period_of(&caps, 0, 33), 33);
    assert_int_equal(period_of(&caps, 1, 33), 161);
    assert_int_equal(period_of(&caps, 1, 127), 255);
    assert_int_equal(period_of(&caps, 1, 128), 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_right),
        cmocka_unit_test(each_error),
        cmocka_unit_test(sentences),
        cmocka_unit_test(demands),
    };

    return cmocka_run_group_tests_name("kernel_accesses", tests, NULL, NULL);
}

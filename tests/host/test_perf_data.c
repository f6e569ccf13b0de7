/* SPDX-License-Identifier: MIT */
/* perf.data's bytes, typed from its public documentation: headers, attributes, records, data source words. */
#include "host_test.h"

#include "tools/lib/perf_data.h"
#include "tools/lib/sampled_events.h"

static uint64_t word(const uint8_t *bytes, unsigned index)
{
    uint64_t value;

    memcpy(&value, bytes + 8 * index, sizeof(value));
    return value;
}

static void header(void **state)
{
    uint8_t bytes[PERF_HEADER_SIZE];
    const struct perf_section attrs = { 0x1111, 0x80 }, data = { 104, 0x2222 };

    assert_int_equal(perf_put_header(bytes, &attrs, &data, 1u << 12), 104);
    assert_memory_equal(bytes, "PERFILE2", 8);
    const uint64_t expected[] = { 104, 128, 0x1111, 0x80, 104, 0x2222, 0, 0, 0x1000, 0, 0, 0 };
    for (unsigned i = 0; i < 12; i++)
        assert_int_equal(word(bytes, i + 1), expected[i]);
}

static void attribute(void **state)
{
    uint8_t bytes[PERF_ATTR_SIZE];
    const struct perf_attr attr = { .type = PERF_TYPE_RAW,
                                    .config = 0x1cd,
                                    .period = 100,
                                    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_DATA_SRC,
                                    .regs_intr = 0xff03ff,
                                    .branch_sample_type = PERF_BRANCH_ANY,
                                    .precise = 2 };

    assert_int_equal(perf_put_attr(bytes, &attr), 112);
    const uint64_t expected[14] = { [0] = UINT64_C(112) << 32 | 4,
                                    [1] = 0x1cd,
                                    [2] = 100,
                                    [3] = 0x8001,
                                    [5] = 0x10021, /* disabled, without the kernel, precise_ip 2 */
                                    [9] = 0xb,
                                    [12] = 0xff03ff };
    for (unsigned i = 0; i < 14; i++)
        assert_int_equal(word(bytes, i), expected[i]);
}

static void names(void **state)
{
    static const uint8_t comm[] = {
        3, 0, 0, 0, 0, 0, 24, 0, 1, 0, 0, 0, 7, 0, 0, 0, 'd', 's', '.', 'o', 'n', 'e', 0, 0
    };
    uint8_t bytes[64];

    assert_int_equal(perf_put_comm(bytes, 1, 7, "ds.one"), sizeof(comm));
    assert_memory_equal(bytes, comm, sizeof(comm));
    assert_int_equal(perf_put_comm(bytes, 1, 7, "ds.eight"), 32); /* the NUL is always there */
}

static void map(void **state)
{
    static const uint8_t id[20] = { 0xaa, [19] = 0xbb };
    struct perf_map segment = { .pid = 1,
                                .address = 0x200000,
                                .size = 0x25000,
                                .file_offset = 0x190,
                                .executable = true,
                                .build_id = id,
                                .build_id_length = 20,
                                .path = "/k" };
    uint8_t bytes[256];

    assert_int_equal(perf_put_map(bytes, &segment), 80);
    const uint64_t expected[10] = { UINT64_C(80) << 48 | UINT64_C(0x4002) << 32 | 10,
                                    UINT64_C(1) << 32 | 1,
                                    0x200000,
                                    0x25000,
                                    0x190,
                                    0xaa00000014,
                                    0,
                                    0xbb00000000000000,
                                    UINT64_C(2) << 32 | 5,
                                    0x6b2f };
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(word(bytes, i), expected[i]);

    segment.build_id_length = 0;
    segment.writable = true;
    segment.executable = false;
    assert_int_equal(perf_put_map(bytes, &segment), 80);
    assert_int_equal(word(bytes, 0), UINT64_C(80) << 48 | UINT64_C(2) << 32 | 10);
    assert_int_equal(word(bytes, 5), 0);
    assert_int_equal(word(bytes, 8), UINT64_C(2) << 32 | 3);
}

static void branch_sample(void **state)
{
    const struct lbr_entry stack[2] = {
        { .from = 0x10, .to = 0x20, .has = LBR_HAS_MISPRED | LBR_HAS_CYCLES, .mispredicted = true, .cycles = 7 },
        { .from = 0x30,
          .to = 0x40,
          .has = LBR_HAS_TYPE | LBR_HAS_TSX | LBR_HAS_MISPRED,
          .in_tsx = true,
          .type = LBR_TYPE_RET },
    };
    const struct perf_sample sample = { .id = 9,
                                        .ip = 0x10,
                                        .addr = 0x20,
                                        .period = 1,
                                        .pid = 1,
                                        .tid = 2,
                                        .cpu = 3,
                                        .exact_ip = true,
                                        .branches = stack,
                                        .branch_count = 2 };
    uint8_t bytes[PERF_SAMPLE_MOST];

    assert_int_equal(perf_put_sample(bytes,
                                     PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
                                         PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
                                     &sample),
                     112);
    const uint64_t expected[14] = { UINT64_C(112) << 48 | UINT64_C(0x4002) << 32 | 9,
                                    9,
                                    0x10,
                                    UINT64_C(2) << 32 | 1,
                                    0x20,
                                    3,
                                    1,
                                    2,
                                    0x10,
                                    0x20,
                                    0x71, /* mispredicted, 7 cycles */
                                    0x30,
                                    0x40,
                                    0x600006 }; /* predicted, in a transaction, a return */
    for (unsigned i = 0; i < 14; i++)
        assert_int_equal(word(bytes, i), expected[i]);
}

static void precise_sample(void **state)
{
    struct pebs_record record = { .width = 8, .has = PEBS_HAS_GPRS, .rflags = 0x246, .ip = 0x55 };
    struct perf_sample sample = { .ip = 0x50, .time = 77, .weight = 30, .data_source = 0x1234, .registers = &record };
    uint64_t type =
        PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_INTR;
    uint8_t bytes[PERF_SAMPLE_MOST];

    for (unsigned i = 0; i < 16; i++)
        record.gpr[i] = 0x100 + i;
    assert_int_equal(perf_registers(&record), 0xff03ff);
    assert_int_equal(perf_put_sample(bytes, type, &sample), 8 * (1 + 4 + 1 + 18));
    const uint64_t expected[24] = { UINT64_C(192) << 48 | UINT64_C(2) << 32 | 9,
                                    0x50,
                                    77,
                                    30,
                                    0x1234,
                                    2,
                                    0x100,
                                    0x103,
                                    0x101,
                                    0x102,
                                    0x106,
                                    0x107,
                                    0x105,
                                    0x104, /* ax bx cx dx si di bp sp */
                                    0x55,
                                    0x246,
                                    0x108,
                                    0x109,
                                    0x10a,
                                    0x10b,
                                    0x10c,
                                    0x10d,
                                    0x10e,
                                    0x10f };
    for (unsigned i = 0; i < 24; i++)
        assert_int_equal(word(bytes, i), expected[i]);

    record.width = 4;
    assert_int_equal(perf_registers(&record), 0x3ff);
    assert_int_equal(perf_put_sample(bytes, type, &sample), 8 * (1 + 4 + 1 + 10));
    assert_int_equal(word(bytes, 5), 1);
    record.has |= PEBS_HAS_XMM;
    record.width = 8;
    record.xmm[0].low = 0x77;
    record.xmm[15].high = 0x99;
    assert_int_equal(perf_registers(&record), UINT64_C(0xffffffff00ff03ff));
    assert_int_equal(perf_put_sample(bytes, type, &sample), 8 * (1 + 4 + 1 + 18 + 32));
    assert_int_equal(word(bytes, 24), 0x77);
    assert_int_equal(word(bytes, 55), 0x99);
    record.has = 0;
    assert_int_equal(perf_registers(&record), 0);
}

/* op:5 level:14 snoop:5 lock:2 tlb:7 level_num:4 remote:1 snoopx:2, from bit 0 on. */
static void data_source(void **state)
{
    static const struct {
        enum data_source_encoding encoding;
        uint64_t source, latency, expected;
    } rows[] = {
        { DATA_SOURCE_GENERIC, 0x01, 4, UINT64_C(0x268100142) },  /* L1, no snoop */
        { DATA_SOURCE_GENERIC, 0x00, 4, UINT64_C(0x668080882) },  /* unknown L3 miss */
        { DATA_SOURCE_GENERIC, 0x37, 4, UINT64_C(0x652800842) },  /* L3, HitM, locked, past the second-level TLB */
        { DATA_SOURCE_GENERIC, 0x0c, 4, UINT64_C(0x1a68501042) }, /* local RAM */
        { DATA_SOURCE_GENERIC, 0x0d, 4, UINT64_C(0x3a68502042) }, /* remote RAM */
        { DATA_SOURCE_SKYLAKE, 0x0d, 4, UINT64_C(0x3668800042) }, /* remote cache, HitM */
        { DATA_SOURCE_SKYLAKE, 0x0c, 4, UINT64_C(0x7668000042) }, /* remote cache, forwarded */
        { DATA_SOURCE_NEHALEM, 0x06, 4, UINT64_C(0x605800842) },  /* L3, HitM; nothing of TLB and lock */
        { DATA_SOURCE_NEHALEM, 0x09, 4, UINT64_C(0x1e05080022) }, /* reserved there */
        { DATA_SOURCE_STORE, 0x01, 0, UINT64_C(0x48080144) },     /* L1 hit, TLB hit */
        { DATA_SOURCE_STORE, 0x30, 0, UINT64_C(0x52080184) },     /* L1 miss, TLB miss, locked */
        { DATA_SOURCE_GENERIC, 0x01, 0, UINT64_C(0x1e05080021) }, /* no load latency event: nothing known */
        { DATA_SOURCE_UNKNOWN, 0x01, 4, UINT64_C(0x1e05080021) },
        { DATA_SOURCE_GRACEMONT, 0x58, 4, UINT64_C(0x2466a000842) },       /* L3, forwarded, locked, data blocked */
        { DATA_SOURCE_LION_COVE, 0x2410, 4, UINT64_C(0x40c50100042) },     /* memory-side cache, address blocked */
        { DATA_SOURCE_PANTHER_COVE, 0x138, 4, UINT64_C(0x2013a68802042) }, /* remote RAM, region 0, HitM */
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pebs_record record = { .has = PEBS_HAS_MEMORY | PEBS_HAS_SOURCE,
                                            .data_source = rows[i].source,
                                            .latency = rows[i].latency };
        assert_int_equal(perf_data_source(&record, rows[i].encoding, 0), rows[i].expected);
    }
    static const struct {
        unsigned format;
        uint64_t source, select, expected;
    } events[] = {
        { 3, 1, 0x82d0, UINT64_C(0x1e05080144) }, /* a store that hit L1, and one that missed */
        { 3, 0, 0x42d0, UINT64_C(0x1e05080184) }, { 3, 1, 0x81d0, UINT64_C(0x1e05080022) }, /* loads */
        { 3, 1, 0x02d1, UINT64_C(0x1e05080022) }, { 3, 1, 0x00c0, UINT64_C(0x1e05080021) }, /* neither */
        { 1, 1, 0x82d0, UINT64_C(0x1e05080021) }, /* before Haswell the event tells nothing */
    };
    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        const struct pebs_record record = { .has = PEBS_HAS_MEMORY | PEBS_HAS_SOURCE,
                                            .format = events[i].format,
                                            .data_source = events[i].source };
        assert_int_equal(perf_data_source(&record, DATA_SOURCE_SKYLAKE, events[i].select), events[i].expected);
    }
    /* Where the data source is reserved, a store's level is not known: Goldmont. */
    const struct pebs_record address = { .has = PEBS_HAS_MEMORY, .format = 3, .data_source = 1 };
    assert_int_equal(perf_data_source(&address, DATA_SOURCE_UNKNOWN, 0x82d0), UINT64_C(0x1e05080024));
    assert_int_equal(perf_data_source(&address, DATA_SOURCE_UNKNOWN, 0x81d0), UINT64_C(0x1e05080022));
    const struct pebs_record none = { .data_source = 1, .latency = 4 };
    assert_int_equal(perf_data_source(&none, DATA_SOURCE_GENERIC, 0x82d0), UINT64_C(0x1e05080021));
}

static void lost(void **state)
{
    uint8_t bytes[24];

    assert_int_equal(perf_put_lost(bytes, 1, 500), 24);
    assert_int_equal(word(bytes, 0), UINT64_C(24) << 48 | 2);
    assert_int_equal(word(bytes, 1), 1);
    assert_int_equal(word(bytes, 2), 500);
}

static void events_of_a_record(void **state)
{
    static struct sampled_events events;
    const struct dump_sampling loads = { .counter = 0, .select = 0x1cd, .name = "mem-loads" };
    const struct dump_sampling stores = { .counter = 2, .select = 0x82d0, .name = "" };
    const struct dump_sampling instructions = { .counter = 0, .fixed = true, .name = "" };
    const struct dump_sampling elsewhere = { .cpu = 1, .counter = 0, .name = "other" };
    struct pebs_record record = { .has = PEBS_HAS_APPLICABLE, .counters = UINT64_C(0x100000005) };
    const struct sampled_event *event;

    assert_null(sampled_events_of(&events, 0, &record, NULL));
    sampled_events_announce(&events, &loads);
    sampled_events_announce(&events, &stores);
    sampled_events_announce(&events, &instructions);
    sampled_events_announce(&events, &elsewhere);
    event = sampled_events_of(&events, 0, &record, NULL);
    assert_string_equal(event->name, "mem-loads");
    event = sampled_events_of(&events, 0, &record, event);
    assert_string_equal(event->name, "r82d0");
    event = sampled_events_of(&events, 0, &record, event);
    assert_string_equal(event->name, "fixed0");
    assert_null(sampled_events_of(&events, 0, &record, event));
    assert_string_equal(sampled_events_of(&events, 1, &record, NULL)->name, "other");

    record.has = 0; /* formats without counters: the first event alone */
    event = sampled_events_of(&events, 0, &record, NULL);
    assert_string_equal(event->name, "mem-loads");
    assert_null(sampled_events_of(&events, 0, &record, event));

    const struct dump_sampling again = { .counter = 0, .select = 0xc0, .name = "" }; /* takes the counter's place */
    record.has = PEBS_HAS_STATUS;
    record.counters = 1;
    sampled_events_announce(&events, &again);
    assert_string_equal(sampled_events_of(&events, 0, &record, NULL)->name, "r00c0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header),      cmocka_unit_test(attribute),     cmocka_unit_test(names),
        cmocka_unit_test(map),         cmocka_unit_test(branch_sample), cmocka_unit_test(precise_sample),
        cmocka_unit_test(data_source), cmocka_unit_test(lost),          cmocka_unit_test(events_of_a_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

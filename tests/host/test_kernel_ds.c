/* SPDX-License-Identifier: MIT */
/*
 * The kernel's debug store on a simulated machine: the sizes of buffers, damaged buffers and circular ones. Boots test
 * the registers, and drained records. Offsets are typed from SDM Vol. 3A (253668-032), figures 16-5 and
 * 16-8; 3F1H is IA32_PEBS_ENABLE.
 */
#define TEARDOWN closed
#define FIRST    set_up
#include "tests/host/unit_test.h"

#include "ds/counting.h"
#include "ds/ds.h"
#include "lib/bytes.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

#define BTS_RECORD 24u

static struct caps skylake;

static const struct ds_config both = {
    .bts = true, .bts_records = 10, .bts_threshold = 6, .pebs = true, .pebs_records = 8, .pebs_threshold = 5
};

/* Where the fields of the 64-bit area are. */
enum field {
    BTS_BASE = 0x00,
    BTS_INDEX = 0x08,
    BTS_MAXIMUM = 0x10,
    BTS_THRESHOLD = 0x18,
    PEBS_BASE = 0x20,
    PEBS_INDEX = 0x28,
    PEBS_MAXIMUM = 0x30,
    PEBS_THRESHOLD = 0x38,
    PEBS_RESET = 0x40
};

static uint64_t peek(unsigned offset)
{
    return read_u64(ds_memory().area, offset);
}

static void move(enum field field, int64_t distance)
{
    write_u64(ds_memory().area, field, peek(field) + (uint64_t)distance);
}

static void opened(const struct caps *caps, const struct ds_config *config)
{
    struct ds_breaches breaches;
    machine_start();
    ds_on_interrupt(NULL);
    assert_true(ds_open(caps, config, &breaches));
    assert_int_equal(breaches.count, 0);
    interrupt_handler *const handler = machine.handler;
    machine_start();
    machine.handler = handler;
}

/* Memory for another processor. */
static uint8_t store[DS_STORE_MEMORY] __attribute__((section(".ds"), aligned(4096)));
static uint8_t kept[DS_KEPT_MEMORY] __attribute__((aligned(4096)));

static int closed(void **state)
{
    machine.processor = 0;
    ds_close();
    return 0;
}

static void assert_records(const struct ds_log *log, unsigned records, unsigned first)
{
    assert_int_equal(log->records, records);
    for (size_t i = 0; i < (size_t)records * log->record_size; i++)
        assert_int_equal(log->bytes[i], first + i / log->record_size);
}

static void assert_log(const struct ds_log *log, unsigned records, unsigned broken)
{
    assert_int_equal(log->records, records);
    assert_int_equal(log->broken, broken);
}

/* Core 2 hangs with a PEBS buffer larger than a page. Other processors have smaller buffers than the first. */
UNIT_TEST(capacity)
{
    struct caps caps = skylake;
    machine_start();
    assert_int_equal(ds_pebs_capacity(&caps, UINT64_MAX), 65536 / 200);
    machine.processor = 3;
    assert_int_equal(ds_pebs_capacity(&caps, 0), 28672 / 200);
    machine.processor = 0;
    caps.pebs_format = 0;
    caps.pebs_record_size = 144;
    assert_int_equal(ds_pebs_capacity(&caps, 0), 4096 / 144);
    caps.pebs_method = PEBS_METHOD_NETBURST;
    assert_int_equal(ds_pebs_capacity(&caps, 0), 65536 / 144);
    caps.pebs_record_size = 0;
    assert_int_equal(ds_pebs_capacity(&caps, 0), 0);
    caps.pebs_method = PEBS_METHOD_ADAPTIVE;
    caps.pebs_format = 6;
    assert_int_equal(ds_pebs_capacity(&caps, 0), 65536 / 32);
    assert_int_equal(ds_pebs_capacity(&caps, 3), 65536 / 208);
    assert_int_equal(ds_pebs_capacity(&caps, 0x0001000300000010), 65536 / 72); /* three counters */
    assert_int_equal(ds_pebs_capacity(&caps, 0x40), 0);                        /* an unknown group */
}

/* LBR_Frz, CTR_Frz, ASCI and CondChgd of IA32_PERF_GLOBAL_STATUS cause no interrupt. */
UNIT_TEST(causes)
{
    assert_int_equal(counting_causes(UINT64_MAX), 0x63ffffffffffffff);
}

/* A changed field that only software may write, or an impossible index: all records are discarded. */
UNIT_TEST(broken)
{
    static const struct {
        enum field field;
        int64_t distance;
        unsigned bts, pebs; /* BTS drains and PEBS drains that are broken */
    } ways[] = {
        { BTS_BASE, 24, 1, 0 },       { BTS_BASE, -24, 1, 0 },       { BTS_MAXIMUM, -24, 1, 0 },
        { BTS_THRESHOLD, 24, 1, 0 },  { BTS_INDEX, 1, 1, 0 },        { BTS_INDEX, 23, 1, 0 },
        { BTS_INDEX, -24, 1, 0 },     { BTS_INDEX, 11 * 24, 1, 0 },  { PEBS_BASE, 200, 0, 1 },
        { PEBS_MAXIMUM, 200, 0, 1 },  { PEBS_THRESHOLD, -1, 0, 1 },  { PEBS_INDEX, 199, 0, 1 },
        { PEBS_INDEX, -200, 0, 1 },   { PEBS_INDEX, 9 * 200, 0, 1 }, { PEBS_RESET, 1, 0, 1 },
        { PEBS_RESET + 24, 1, 0, 1 }, { BTS_INDEX, 0, 0, 0 },
    };
    uint8_t area[0x60];
    for (unsigned i = 0; i < COUNT_OF(ways); i++) {
        const bool reset = ways[i].field >= PEBS_RESET;
        opened(&skylake, &both);
        memcpy(area, ds_memory().area, sizeof(area));
        move(ways[i].field, ways[i].distance);
        machine.handler(NULL);
        assert_log(ds_bts_log(), 0, ways[i].bts);
        assert_log(ds_pebs_log(), 0, ways[i].pebs);
        assert_memory_equal(ds_memory().area, area, sizeof(area));
        assert_int_equal(ds_counts()->spurious, ways[i].bts + ways[i].pebs == 0);
        if (reset) /* the records are valid, only the distance between them is unknown */
            move(PEBS_INDEX, 200);
        move(ways[i].field, ways[i].distance);
        ds_close();
        assert_log(ds_bts_log(), 0, 2 * ways[i].bts);
        assert_log(ds_pebs_log(), reset, 2 * ways[i].pebs);
    }
    opened(&skylake, &(const struct ds_config){ .bts = true, .bts_records = 10, .bts_threshold = 6 });
    move(PEBS_RESET, 1); /* an unused slot */
    machine.handler(NULL);
    assert_log(ds_pebs_log(), 0, 0);
}

/* The newest records of a circular buffer in order of time: if it has wrapped, those from the index on are first. */
UNIT_TEST(circular)
{
    const struct ds_config config = { .bts = true, .bts_circular = true, .bts_records = 4 };
    static const struct {
        const char *places; /* the record in each of the four places and in the next one; 0: never written */
        unsigned at, records, first;
    } rows[] = {
        { "\1\0\0\0", 1, 1, 1 },      { "\1\2\3\0", 3, 3, 1 },      { "\0\0\0\0", 0, 0, 0 }, /* not wrapped */
        { "\12\13\14\15", 0, 4, 10 }, { "\16\13\14\15", 1, 4, 11 }, { "\16\17\20\15", 3, 4, 13 },
        { "\16\17\20\21", 4, 4, 14 },                              /* the index at the end */
        { "\12\13\14\0", 0, 3, 10 },  { "\15\13\14\0", 1, 3, 11 }, /* the last place is unused */
        { "\1\0\0\0\1", 1, 1, 1 },                                 /* past the buffer's end */
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        opened(&skylake, &config);
        for (unsigned place = 0; place < 5; place++)
            memset(ds_memory().bts + (size_t)place * BTS_RECORD, rows[i].places[place], BTS_RECORD);
        move(BTS_INDEX, BTS_RECORD * (int64_t)rows[i].at);
        machine.handler(NULL); /* the handler does not drain a buffer that is being written */
        assert_int_equal(ds_bts_log()->records, 0);
        ds_close();
        assert_records(ds_bts_log(), rows[i].records, rows[i].first);
        assert_int_equal(ds_counts()->bts_indexed, 0);
    }
    for (unsigned byte = 72; byte < 96; byte += 23) { /* one byte past the index was written: the buffer has wrapped */
        opened(&skylake, &config);
        ds_memory().bts[byte] = 1;
        move(BTS_INDEX, 24);
        ds_close();
        assert_int_equal(ds_bts_log()->records, 4);
    }
    opened(&skylake, &config);
    move(BTS_MAXIMUM, -24);
    ds_close();
    assert_log(ds_bts_log(), 0, 1);
}

/* Records written while PEBS is being switched off still reach the log. */
static void late_record(uint32_t msr, uint64_t value)
{
    if (msr == 0x3f1 && value == 0)
        move(PEBS_INDEX, 200);
}

UNIT_TEST(drained_when_off)
{
    opened(&skylake, &both);
    machine.write = late_record;
    ds_close();
    assert_int_equal(ds_pebs_log()->records, 1);
}

static int set_up(void **state)
{
    ds_assign(3, store, kept);
    skylake = caps_of(skylake_input());
    return 0;
}

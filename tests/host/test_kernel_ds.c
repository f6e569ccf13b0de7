/* SPDX-License-Identifier: MIT */
/*
 * The kernel's debug store on a simulated machine: adaptive buffers, drained records, reports of overrun and damaged
 * buffers, and what its registers hold afterwards. Offsets are typed from SDM Vol. 3A
 * (253668-032), figures 16-5 and 16-8; registers by their numbers from SDM Vol. 4 (335592-081): 1D9H IA32_DEBUGCTL,
 * 370H MSR_IQ_CCCR4, 38EH to 390H IA32_PERF_GLOBAL_STATUS, _CTRL and _OVF_CTRL, 3F1H IA32_PEBS_ENABLE, 600H
 * IA32_DS_AREA.
 */
#define TEARDOWN closed
#define FIRST    set_up
#include "tests/host/unit_test.h"

#include "arch/x86/image.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "ds/counting.h"
#include "ds/ds.h"
#include "ds/ds_steps.h"
#include "lib/bytes.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

#define BTS_RECORD  24u
#define PEBS_RECORD 200u

static struct caps skylake, netburst;

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

/* Fills record n with the byte first + n. */
static void fill(uint8_t *buffer, unsigned record, unsigned records, unsigned first)
{
    for (unsigned n = 0; n < records; n++)
        memset(buffer + (size_t)n * record, (int)(first + n), record);
}

static void assert_records(const struct ds_log *log, unsigned at, unsigned records, unsigned first)
{
    assert_true(at + records <= log->records);
    for (size_t i = 0; i < (size_t)records * log->record_size; i++)
        assert_int_equal(log->bytes[(size_t)at * log->record_size + i], first + i / log->record_size);
}

static void assert_log(const struct ds_log *log, unsigned records, unsigned dropped, unsigned overruns, unsigned broken)
{
    assert_int_equal(log->records, records);
    assert_int_equal(log->dropped, dropped);
    assert_int_equal(log->overruns, overruns);
    assert_int_equal(log->broken, broken);
}

/* An adaptive record's size is that of its groups; fixed counters have slots from 80H on. */
UNIT_TEST(area_of_adaptive_records)
{
    struct ds_breaches breaches;
    struct ds_config config = both;
    static struct caps caps;
    caps = skylake;
    caps.pebs_method = PEBS_METHOD_ADAPTIVE;
    caps.ds_area_format = caps.pebs_format = 4;
    caps.ds_area_size = 0xa0;
    caps.fixed_width = 40;
    config.pebs_data_cfg = 3; /* 32 bytes of the basic group, 32 of memory, 144 of registers */
    config.pebs_reset[7] = 0 - UINT64_C(9);
    config.pebs_reset_fixed[0] = 0 - UINT64_C(5);
    config.pebs_reset_fixed[3] = 4;
    machine_start();
    assert_true(ds_open(&caps, &config, &breaches));
    assert_int_equal(peek(PEBS_MAXIMUM) - peek(PEBS_BASE), 8 * 208);
    assert_int_equal(peek(PEBS_THRESHOLD) - peek(PEBS_BASE), 5 * 208);
    assert_int_equal(ds_pebs_log()->record_size, 208);
    assert_int_equal(peek(0x78), 0xfffffffffff7);
    assert_int_equal(peek(0x80), 0xfffffffffb);
    assert_int_equal(peek(0x98), 4);
    caps.fixed_width = 0; /* unknown: all bits */
    assert_true(ds_open(&caps, &config, &breaches));
    assert_int_equal(peek(0x80), 0xfffffffffffffffb);
    caps.ds_area_format = 6; /* 32 slots for general counters (this kernel uses 10) and 16 for fixed ones */
    config.pebs_reset[9] = 0 - UINT64_C(11);
    caps.ds_area_size = 0x1c0;
    assert_true(ds_open(&caps, &config, &breaches));
    assert_int_equal(peek(0x78), 0xfffffffffff7);
    assert_int_equal(peek(0x88), 0xfffffffffff5);
    assert_int_equal(peek(0x140), 0xfffffffffffffffb);
    assert_int_equal(peek(0x158), 4);
    for (unsigned at = 0x80; at < 0x1c0; at += 8)
        assert_true(peek(at) == 0 || at == 0x88 || at == 0x140 || at == 0x158);
    assert_int_equal(ds_pebs_capacity(&caps, 0), 65536 / 32);
    assert_int_equal(ds_pebs_capacity(&caps, 3), 65536 / 208);
    assert_int_equal(ds_pebs_capacity(&caps, 0x0001000300000010), 65536 / 72); /* three counters */
    assert_int_equal(ds_pebs_capacity(&caps, 0x40), 0);                        /* an unknown group */
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
}

/* The largest buffers that fit into memory, and one more record. */
UNIT_TEST(room)
{
    struct ds_breaches breaches;
    struct ds_config config = { .bts = true, .bts_records = 4000, .bts_threshold = 9, .bts_before = 96 };
    opened(&skylake, &config);
    assert_int_equal(peek(BTS_BASE), (uintptr_t)ds_memory().bts + 96 * 24);
    assert_int_equal(peek(BTS_MAXIMUM), (uintptr_t)ds_memory().bts + 4096 * 24);
    config.bts_records++;
    assert_false(ds_open(&skylake, &config, &breaches));
    config.bts_records--;
    config.bts_before++;
    assert_false(ds_open(&skylake, &config, &breaches));
    config = (struct ds_config){ .pebs = true, .pebs_records = 327, .pebs_threshold = 5 };
    opened(&skylake, &config);
    config.pebs_records++;
    assert_false(ds_open(&skylake, &config, &breaches));
    assert_int_equal(breaches.count, 0);
    config.pebs = false; /* without PEBS, any size is accepted */
    opened(&skylake, &config);
}

/* An area that breaks a restriction is never written to IA32_DS_AREA. */
UNIT_TEST(refused)
{
    struct ds_breaches breaches;
    struct ds_config config = both;
    config.bts_threshold = 9;
    config.pebs_reset[0] = 5;
    machine_start();
    write_u64(ds_memory().area, PEBS_RESET, 0);
    assert_false(ds_open(&skylake, &config, &breaches));
    assert_int_equal(breaches.set, UINT64_C(1) << DS_BREACH_THRESHOLD_ROOM);
    assert_int_equal(peek(PEBS_RESET), 0);
    ds_close(); /* already closed */
    assert_int_equal(machine.writes, 0);
    assert_int_equal(machine.lvt, 0x100e1);
}

/* An interrupt is spurious if there was neither a record nor a status bit. */
UNIT_TEST(spurious)
{
    opened(&skylake, &both);
    machine_set(0x38e, 1);
    machine.handler(NULL);
    assert_int_equal(ds_counts()->spurious, 0);
    machine_set(0x38e, 0);
    move(PEBS_INDEX, 200);
    machine.handler(NULL);
    assert_int_equal(ds_counts()->spurious, 0);
    move(BTS_INDEX, 24);
    machine.handler(NULL);
    assert_int_equal(ds_counts()->spurious, 0);
    machine.handler(NULL);
    assert_int_equal(ds_counts()->spurious, 1);
    assert_int_equal(ds_counts()->interrupts, 4);
    for (unsigned bit = 0; bit < 64; bit++) { /* LBR_Frz, CTR_Frz, ASCI and CondChgd cause no interrupt */
        const bool cause = bit != 58 && bit != 59 && bit != 60 && bit != 63;
        opened(&skylake, &both);
        machine_set(0x38e, UINT64_C(1) << bit);
        assert_int_equal(counting_causes(UINT64_C(1) << bit), cause ? UINT64_C(1) << bit : 0);
        machine.handler(NULL);
        assert_int_equal(ds_counts()->spurious, !cause);
        ds_close();
    }
}

/* A buffer without space for another record may have lost some: the index is less than one record below the maximum. */
UNIT_TEST(overran)
{
    struct ds_config config = both;
    for (unsigned records = 7; records <= 10; records++) {
        opened(&skylake, &both);
        move(BTS_INDEX, 24 * (int64_t)records);
        machine.handler(NULL);
        assert_log(ds_bts_log(), records, 0, records == 10, 0);
        assert_log(ds_pebs_log(), 0, 0, 0, 0);
    }
    for (unsigned records = 6; records <= 8; records++) {
        opened(&skylake, &both);
        move(PEBS_INDEX, 200 * (int64_t)records);
        machine.handler(NULL);
        move(PEBS_INDEX, 200 * (int64_t)records);
        ds_close();
        assert_log(ds_pebs_log(), 2 * records, 0, records == 8 ? 2 : 0, 0);
        assert_log(ds_bts_log(), 0, 0, 0, 0);
    }
    config.pebs = false; /* the size of an unused buffer does not matter */
    opened(&skylake, &config);
    machine.handler(NULL);
    assert_log(ds_pebs_log(), 0, 0, 0, 0);
    assert_int_equal(ds_counts()->spurious, 1);
}

/* If the log is full, whole records are dropped and counted. */
UNIT_TEST(dropped)
{
    static const struct {
        struct ds_config config;
        enum field index;
        unsigned record, room; /* bytes per record; records that the log of 192 KiB holds */
    } logs[] = {
        { { .bts = true, .bts_records = 4096, .bts_threshold = 4000 }, BTS_INDEX, 24, 0x30000 / 24 },
        { { .pebs = true, .pebs_records = 327, .pebs_threshold = 300 }, PEBS_INDEX, 200, 0x30000 / 200 },
    };
    for (unsigned i = 0; i < COUNT_OF(logs); i++) {
        const struct ds_log *log = i ? ds_pebs_log() : ds_bts_log();
        const unsigned each =
            logs[i].room / 4; /* records per drain: after four drains the log has no space for a record */
        unsigned last = 0;
        opened(&skylake, &logs[i].config);
        for (unsigned n = 0; n < 4; n++) {
            fill(i ? ds_memory().pebs : ds_memory().bts, logs[i].record, each, n);
            move(logs[i].index, (int64_t)each * logs[i].record);
            machine.handler(NULL);
            assert_log(log, (n + 1) * each, 0, 0, 0);
        }
        last = logs[i].room - 4 * each;
        move(logs[i].index, (int64_t)(last + 3) * logs[i].record);
        machine.handler(NULL);
        assert_log(log, logs[i].room, 3, 0, 0);
        move(logs[i].index, 2 * (int64_t)logs[i].record);
        ds_close();
        assert_log(log, logs[i].room, 5, 0, 0);
        assert_int_equal(i ? ds_counts()->pebs_indexed : ds_counts()->bts_indexed, logs[i].room + 5);
    }
    opened(&skylake, &both); /* after an observer has read the logs, they are empty */
    move(PEBS_INDEX, 200);
    move(BTS_INDEX, 24);
    machine.handler(NULL);
    ds_logs_empty();
    assert_log(ds_pebs_log(), 0, 0, 0, 0);
    assert_log(ds_bts_log(), 0, 0, 0, 0);
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
        assert_log(ds_bts_log(), 0, 0, 0, ways[i].bts);
        assert_log(ds_pebs_log(), 0, 0, 0, ways[i].pebs);
        assert_memory_equal(ds_memory().area, area, sizeof(area));
        assert_int_equal(ds_counts()->spurious, ways[i].bts + ways[i].pebs == 0);
        if (reset) /* the records are valid, only the distance between them is unknown */
            move(PEBS_INDEX, 200);
        move(ways[i].field, ways[i].distance);
        ds_close();
        assert_log(ds_bts_log(), 0, 0, 0, 2 * ways[i].bts);
        assert_log(ds_pebs_log(), reset, 0, 0, 2 * ways[i].pebs);
    }
    opened(&skylake, &(const struct ds_config){ .bts = true, .bts_records = 10, .bts_threshold = 6 });
    move(PEBS_RESET, 1); /* an unused slot */
    machine.handler(NULL);
    assert_log(ds_pebs_log(), 0, 0, 0, 0);
}

/* Every reset slot of the format, but not the reserved bytes after the only slot of format 0. */
UNIT_TEST(broken_resets)
{
    static const struct {
        unsigned format, size, slots;
    } areas[] = { { 0, 0x50, 1 }, { 1, 0x60, 4 }, { 4, 0xa0, 12 }, { 6, 0x1c0, 48 } };
    static struct caps caps;
    for (unsigned i = 0; i < COUNT_OF(areas); i++) {
        caps = skylake;
        caps.ds_area_format = areas[i].format;
        caps.ds_area_size = areas[i].size;
        for (unsigned slot = 0; slot < 48; slot++) {
            opened(&caps, &both);
            move(PEBS_RESET + 8 * slot, 1);
            machine.handler(NULL);
            assert_log(ds_pebs_log(), 0, 0, 0, slot < areas[i].slots);
        }
        ds_close();
    }
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
        assert_log(ds_bts_log(), rows[i].records, 0, 0, 0);
        assert_records(ds_bts_log(), 0, rows[i].records, rows[i].first);
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
    fill(ds_memory().bts, BTS_RECORD, 4, 10);
    move(BTS_MAXIMUM, -24);
    ds_close();
    assert_log(ds_bts_log(), 0, 0, 0, 1);
}

static uint64_t observed, records_observed;

static void observe(uint64_t status)
{
    observed = status;
    records_observed = ds_bts_log()->records;
    machine_holds("1d9 1, 38f 2, 390 0");
    assert_int_equal(machine.eois, 0);
}

/* Counting and tracing stop until the records are drained and the interrupt is acknowledged. */
UNIT_TEST(service_registers)
{
    struct ds_config config = both;
    config.counting = 0x2;
    opened(&skylake, &config);
    machine_set(0x1d9, 0x1c1);
    machine_set(0x38f, 0x300000003);
    machine_set(0x38e, 0x4000000000000001);
    machine_set(0x390, 0);
    move(BTS_INDEX, 24);
    ds_on_interrupt(observe);
    machine.handler(NULL);
    assert_int_equal(observed, 0x4000000000000001);
    assert_int_equal(records_observed, 1);
    machine_holds("390 4000000000000001, 38f 300000003, 1d9 1c1");
    assert_int_equal(machine.lvt, 0xe1);
    assert_int_equal(machine.eois, 1);
    ds_on_interrupt(NULL);

    config.bts = false; /* BTS is not switched */
    opened(&skylake, &config);
    machine_set(0x1d9, 0x1c1);
    machine_set(0x38f, 1);
    machine.handler(NULL);
    machine_holds("1d9 1c1, 38f 1, 390 0");
    assert_int_equal(machine.writes, 3);
}

/* NetBurst's only used counter is stopped by its CCCR's enable flag; its overflow flag is cleared. */
static void observe_netburst(uint64_t status)
{
    assert_int_equal(status, 0x80000000);
    machine_holds("1d9 1, 370 84038000");
}

static unsigned acknowledged; /* writes of the CCCR with its overflow flag clear */

static void write_cccr(uint32_t msr, uint64_t value)
{
    acknowledged += msr == 0x370 && !(value >> 31);
}

UNIT_TEST(service_registers_netburst)
{
    opened(&netburst, &both);
    machine_set(0x1d9, 0x1d);
    machine_set(0x370, 0x84039000);
    ds_on_interrupt(observe_netburst);
    machine.write = write_cccr;
    acknowledged = 0;
    machine.handler(NULL);
    assert_int_equal(acknowledged, 2); /* before counting resumes, and then */
    ds_on_interrupt(NULL);
    machine_holds("370 4039000, 1d9 1d");
    assert_int_equal(ds_counts()->spurious, 0); /* the flag was the interrupt's reason */
}

UNIT_TEST(close_registers)
{
    struct ds_config config = both;
    config.counting = 0x4;
    opened(&skylake, &config);
    machine.lvt = 0xe1;
    machine_set(0x1d9, 0x1c1);
    machine_set(0x38f, 0x7);
    machine_set(0x38e, 0x3);
    ds_close();
    machine_holds("1d9 1, 38f 4, 3f1 0, 390 3, 600 0");
    assert_int_equal(machine.lvt, 0x100e1);
    assert_false(machine.interrupts_off);
    assert_true(machine.pauses >= 100); /* a quiescent period */
    const unsigned writes = machine.writes;
    ds_close();
    machine.handler(NULL); /* was pending: the LVT entry stays masked */
    assert_int_equal(machine.writes, writes);
    assert_int_equal(machine.lvt, 0x100e1);
    assert_int_equal(machine.eois, 1);

    config.pebs = false; /* registers of what is not used are not written */
    opened(&skylake, &config);
    machine_set(0x3f1, 7);
    ds_close();
    machine_holds("3f1 7, 38f 0, 600 0");
    assert_int_equal(machine.pauses, 0);
    config.pebs = true;
    config.bts = false;
    opened(&skylake, &config);
    machine_set(0x1d9, 0x1c1);
    ds_close();
    machine_holds("1d9 1c1, 3f1 0");
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
    netburst = caps_of(netburst_input());
    return 0;
}

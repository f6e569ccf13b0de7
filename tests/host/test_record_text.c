/* SPDX-License-Identifier: MIT */
/* The exact lines of docs/output.md. */
#include "tests/host/unit_test.h"

#include "kernel/report/record_text.h"
#include "tests/host/lines.h"

/* "main" covers 201000h to 201fffh, and "table" 300000h to 3000ffh. */
static bool find(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    if (address >= 0x201000 && address < 0x202000) {
        *name = "main";
        *offset = address - 0x201000;
        return true;
    }
    if (address >= 0x300000 && address < 0x300100) {
        *name = "table";
        *offset = address - 0x300000;
        return true;
    }
    return false;
}

static const struct symbolizer symbols = { find, NULL };

static bool find_longest(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    *name = context;
    *offset = UINT64_MAX;
    return true;
}

UNIT_TEST(bts_lines)
{
    struct bts_record record = { .width = 8, .from = 0x201234, .to = 0x201000, .flags = 0x10 };
    bts_text(&into_lines, 0, &record, &symbols);
    bts_text(&into_lines, 1, &record, NULL);
    record.to = 0xffff800012345678;
    bts_text(&into_lines, 2, &record, &symbols);
    record.prediction_valid = true;
    bts_text(&into_lines, 3, &record, NULL);
    record.predicted = true;
    bts_text(&into_lines, 4, &record, NULL);
    printed("bts 0 0x0000000000201234 main+0x234 => 0x0000000000201000 main+0x0\n"
            "bts 1 0x0000000000201234 => 0x0000000000201000\n"
            "bts 2 0x0000000000201234 main+0x234 => 0xffff800012345678\n"
            "bts 3 0x0000000000201234 => 0xffff800012345678 mispredicted\n"
            "bts 4 0x0000000000201234 => 0xffff800012345678 predicted\n");
    record = (struct bts_record){ .width = 4, .from = 0x201234, .to = 0x80401256, .prediction_valid = true };
    bts_text(&into_lines, 5, &record, &symbols);
    printed("bts 5 0x00201234 main+0x234 => 0x80401256 mispredicted\n");
}

UNIT_TEST(lbr_lines)
{
    struct lbr_entry entry = {
        .from = 0x201234, .to = 0x201256, .has = LBR_HAS_MISPRED | LBR_HAS_TSX | LBR_HAS_CYCLES, .cycles = 7
    };
    lbr_text(&into_lines, 0, &entry, &symbols);
    lbr_text(&into_lines, 1, &entry, NULL);
    entry.mispredicted = entry.in_tsx = entry.tsx_abort = true;
    entry.cycles = 65535;
    lbr_text(&into_lines, 2, &entry, NULL);
    entry.has = 0;
    entry.cycles = 0;
    lbr_text(&into_lines, 3, &entry, NULL);
    entry.from = 0xffff800000000000;
    lbr_text(&into_lines, 4, &entry, &symbols);
    entry.to = 0x5;
    lbr_text(&into_lines, 5, &entry, &symbols);
    entry.from = 0x300010;
    lbr_text(&into_lines, 31, &entry, &symbols);
    printed("lbr 0 0x201234/0x201256/P/-/-/7 main+0x234/main+0x256\n"
            "lbr 1 0x201234/0x201256/P/-/-/7\n"
            "lbr 2 0x201234/0x201256/M/X/A/65535\n"
            "lbr 3 0x201234/0x201256/-/-/-/0\n"
            "lbr 4 0xffff800000000000/0x201256/-/-/-/0 -/main+0x256\n"
            "lbr 5 0xffff800000000000/0x5/-/-/-/0\n"
            "lbr 31 0x300010/0x5/-/-/-/0 table+0x10/-\n");
}

UNIT_TEST(lbr_types)
{
    static const char *const words[16] = {
        "JCC",   "IND_JMP", "JMP",   "IND_CALL", "CALL",  "RET",   "other", "other",
        "other", "other",   "other", "other",    "other", "other", "other", "other"
    };
    struct lbr_entry entry = { .from = 0x201234, .to = 0x201256, .has = LBR_HAS_MISPRED | LBR_HAS_TSX | LBR_HAS_TYPE };
    for (uint8_t type = 0; type < 16; type++) {
        char expected[100];
        entry.type = type;
        lbr_text(&into_lines, type, &entry, type == 5 ? &symbols : NULL);
        snprintf(expected, sizeof(expected), "lbr %u 0x201234/0x201256/P/-/-/0/%s%s\n", type, words[type],
                 type == 5 ? " main+0x234/main+0x256" : "");
        printed(expected);
    }
}

/* The events of each logging counter, the lowest first; no text if the entry has none. */
UNIT_TEST(lbr_events)
{
    struct lbr_entry entry = { .from = 0x201234,
                               .to = 0x201256,
                               .has = LBR_HAS_TYPE | LBR_HAS_EVENTS,
                               .type = LBR_TYPE_CALL,
                               .events = { 0, 1, 2, 3 } };
    lbr_text(&into_lines, 0, &entry, NULL);
    lbr_text(&into_lines, 1, &entry, &symbols);
    entry.has = LBR_HAS_TYPE;
    lbr_text(&into_lines, 2, &entry, NULL);
    printed("lbr 0 0x201234/0x201256/-/-/-/0/CALL/0123\n"
            "lbr 1 0x201234/0x201256/-/-/-/0/CALL/0123 main+0x234/main+0x256\n"
            "lbr 2 0x201234/0x201256/-/-/-/0/CALL\n");
}

/* Every written entry, the newest first; a stack that shifts has no TOS. */
UNIT_TEST(lbr_stack)
{
    const struct lbr_entry entries[4] = {
        { .from = 0x201234, .to = 0x201000 },
        { .from = 0, .to = 0x201001 },
        { .from = 0, .to = 0 },
        { .from = 0x201003, .to = 0 },
    };
    lbr_stack_text(&into_lines, false, 13, 4, entries, &symbols);
    printed("lbr stack tos 13 depth 4\n"
            "lbr 0 0x201234/0x201000/-/-/-/0 main+0x234/main+0x0\n"
            "lbr 1 0x0/0x201001/-/-/-/0 -/main+0x1\n"
            "lbr 3 0x201003/0x0/-/-/-/0 main+0x3/-\n");
    lbr_stack_text(&into_lines, true, 13, 3, entries, NULL);
    printed("lbr stack depth 3\n"
            "lbr 0 0x201234/0x201000/-/-/-/0\n"
            "lbr 1 0x0/0x201001/-/-/-/0\n");
}

static struct pebs_record whole_record(void)
{
    struct pebs_record record = {
        .width = 8,
        .format = 3,
        .size = 200,
        .has = PEBS_HAS_GPRS | PEBS_HAS_APPLICABLE | PEBS_HAS_MEMORY | PEBS_HAS_SOURCE | PEBS_HAS_EVENTING_IP |
               PEBS_HAS_TSX | PEBS_HAS_TSC,
        .rflags = 0x246,
        .ip = 0x201238,
        .counters = 0x1,
        .data_address = 0x300040,
        .data_source = 0x21,
        .latency = 4,
        .eventing_ip = 0x201234,
        .tsx = 0,
        .tsc = 0x123456789a,
    };
    for (unsigned i = 0; i < 16; i++)
        record.gpr[i] = 0xa0 + i;
    return record;
}

/* Symbols of addresses, and the words of the data source; test_pebs_fields.c has every key and line. */
UNIT_TEST(pebs_lines)
{
    struct pebs_record record = whole_record();
    pebs_text(&into_lines, 5, &record, DATA_SOURCE_SKYLAKE, &symbols);
    has_printed("pebs 5 ip 0x201238 main+0x238 eventing_ip 0x201234 main+0x234 counters 0x1 "
                "tsc 0x123456789a\n");
    has_printed("pebs 5 data_address 0x300040 table+0x40 data_source 0x21 |LVL L1 or L1 hit|"
                "SNP None|TLB L1 or L2 hit|LCK Yes| latency 4\n");

    /* Without a latency the event is not load latency, and the data source is invalid. */
    forget_lines();
    record.data_source = record.latency = 0;
    pebs_text(&into_lines, 3, &record, DATA_SOURCE_SKYLAKE, NULL);
    has_printed("pebs 3 data_address 0x300040 data_source 0x0 |LVL N/A|SNP N/A|TLB N/A|LCK N/A| latency 0\n");

    forget_lines();
    record.width = 4;
    record.has = PEBS_HAS_GPRS;
    pebs_text(&into_lines, 7, &record, DATA_SOURCE_UNKNOWN, &symbols);
    has_printed("pebs 7 eip 0x201238 main+0x238\n");
}

/* A precise store has a data source without a latency. */
UNIT_TEST(store_lines)
{
    struct pebs_record record = whole_record();
    record.has = PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY | PEBS_HAS_SOURCE;
    record.latency = 0;
    record.data_source = 0x10;
    pebs_text(&into_lines, 0, &record, DATA_SOURCE_STORE, NULL);
    has_printed("pebs 0 data_address 0x300040 data_source 0x10 |LVL L1 miss|SNP N/A|TLB L2 miss|LCK No| "
                "latency 0\n");
}

/* One of the lines; '@' is the longest symbol's first 64 characters and the largest offset. */
static void has_line(const char *want)
{
    char expected[400];
    size_t used = 0;

    for (; *want; want++)
        used += (size_t)(*want == '@' ? sprintf(expected + used, "%064u+0xffffffffffffffff", 0)
                                      : sprintf(expected + used, "%c", *want));
    strcpy(expected + used, "\n");
    has_printed(expected);
}

/* A symbol's name is cut at 64 characters: then the largest values fit into each line. */
UNIT_TEST(no_line_is_cut_at_the_limits)
{
    char name[101];
    snprintf(name, sizeof name, "%0100u", 0);
    const struct symbolizer longest = { find_longest, name };

    struct pebs_record record = whole_record();
    record.ip = record.eventing_ip = record.counters = record.tsc = record.tsx = record.rflags = UINT64_MAX;
    record.data_address = record.latency = UINT64_MAX;
    record.data_source = 0xffffffffffffffd9; /* the longest words */
    for (unsigned i = 0; i < 16; i++)
        record.gpr[i] = UINT64_MAX;
    pebs_text(&into_lines, 4294967295u, &record, DATA_SOURCE_GENERIC, &longest);
    has_line("pebs 4294967295 ip 0xffffffffffffffff @ eventing_ip 0xffffffffffffffff @ counters 0xffffffffffffffff tsc "
             "0xffffffffffffffff");
    has_line(
        "pebs 4294967295 data_address 0xffffffffffffffff @ data_source 0xffffffffffffffd9 |LVL Remote Cache (1 hop) "
        "hit|SNP HitM|TLB L2 miss|LCK No| latency 18446744073709551615");

    forget_lines();
    struct bts_record branch = { 8, UINT64_MAX, UINT64_MAX, 0, true, false };
    bts_text(&into_lines, 4294967295u, &branch, &longest);
    has_line("bts 4294967295 0xffffffffffffffff @ => 0xffffffffffffffff @ mispredicted");
    struct lbr_entry entry = {
        .from = UINT64_MAX, .to = UINT64_MAX, .has = LBR_HAS_CYCLES | LBR_HAS_TYPE, .cycles = 65535, .type = 3
    };
    lbr_text(&into_lines, 4294967295u, &entry, &longest);
    has_line("lbr 4294967295 0xffffffffffffffff/0xffffffffffffffff/-/-/-/65535/IND_CALL @/@");

    forget_lines();
    record = (struct pebs_record){ .width = 8, .eventing_ip = UINT64_MAX };
    record.has = PEBS_HAS_EVENTING_IP | PEBS_HAS_MEMORY | PEBS_HAS_SOURCE | PEBS_HAS_CACHE_LATENCY |
                 PEBS_HAS_FORMAT_GROUP | PEBS_HAS_RETIRE_LATENCY;
    record.data_address = UINT64_MAX;
    record.data_source = 0xffffffffffffffd9;
    record.latency = record.format_group = UINT32_MAX;
    record.retire_latency = record.cache_latency = UINT16_MAX;
    record.lbr_count = 32;
    record.lbr[31] = entry;
    pebs_text(&into_lines, 4294967295u, &record, DATA_SOURCE_GENERIC, &longest);
    has_line("pebs 4294967295 format_group 0xffffffff retire_latency 65535");
    has_line(
        "pebs 4294967295 data_address 0xffffffffffffffff @ data_source 0xffffffffffffffd9 |LVL Remote Cache (1 hop) "
        "hit|SNP HitM|TLB L2 miss|LCK No| latency 4294967295 cache_latency 65535");
    has_line("pebs 4294967295 lbr 31 0xffffffffffffffff/0xffffffffffffffff/-/-/-/65535/IND_CALL @/@");
}

/* SPDX-License-Identifier: MIT */
/* Every code of every encoding, with the two flag bits. */
#include "tests/host/unit_test.h"

#include "pebs/data_source_decode.h"

struct words {
    const char *level, *snoop;
};

/* perf's words for a level. */
#define L3_MISS     "L3 miss"
#define L1          "L1 or L1 hit"
#define LFB         "LFB or LFB hit"
#define L2          "L2 or L2 hit"
#define L3          "L3 or L3 hit"
#define REMOTE_L3   "Remote Cache (1 hop) hit"
#define RAM         "Local RAM or RAM hit"
#define REMOTE_RAM  "Remote RAM (1 hop) hit"
#define FAR_RAM     "Remote RAM hit"
#define REMOTE      "Remote Any cache hit"
#define L4          "L4 or PMEM hit"
#define REMOTE_L4   "Remote L4 or PMEM hit"
#define IO          "I/O hit"
#define UNCACHED    "Uncached hit"
#define NA          "N/A"
#define L0          "L0 hit"
#define MHB         "L2 MHB hit"
#define MEMORY_SIDE "Memory-side Cache hit"
#define RESERVED    "Reserved"

static const struct words nehalem[16] = { { L3_MISS, "N/A" },      { L1, "None" },
                                          { LFB, "None" },         { L2, "None" },
                                          { L3, "None" },          { L3, "Hit" },
                                          { L3, "HitM" },          { L3, "HitM" },
                                          { REMOTE_L3, "Hit" },    { NA, "N/A" },
                                          { RAM, "Hit" },          { REMOTE_RAM, "Hit" },
                                          { RAM, "None or Miss" }, { REMOTE_RAM, "None or Miss" },
                                          { NA, "N/A" },           { UNCACHED, "None" } };

static const struct words generic[16] = { { L3_MISS, "N/A" },      { L1, "None" },
                                          { LFB, "None" },         { L2, "None" },
                                          { L3, "None" },          { L3, "Miss" },
                                          { L3, "Hit" },           { L3, "HitM" },
                                          { REMOTE_L3, "Hit" },    { REMOTE_L3, "HitM" },
                                          { RAM, "Hit" },          { REMOTE_RAM, "Hit" },
                                          { RAM, "None or Miss" }, { REMOTE_RAM, "None or Miss" },
                                          { IO, "None" },          { UNCACHED, "None" } };

static const struct words skylake[16] = {
    { L3_MISS, "N/A" }, { L1, "None" },     { LFB, "None" }, { L2, "None" },       { L3, "None" }, { L3, "Miss" },
    { L3, "Hit" },      { L3, "HitM" },     { L4, "Hit" },   { REMOTE_L4, "Hit" }, { RAM, "Hit" }, { FAR_RAM, "None" },
    { REMOTE, "Fwd" },  { REMOTE, "HitM" }, { IO, "None" },  { UNCACHED, "None" }
};

/*
 * Linux 7.3, arch/x86/events/intel/ds.c: the tables, and the bits of each encoding's fields. Codes that no table lists
 * are reserved; Linux calls them "not available".
 */
static const struct words gracemont[16] = { { L3_MISS, "N/A" },      { L1, "None" },
                                            { LFB, "None" },         { L2, "None" },
                                            { L3, "None" },          { L3, "Hit" },
                                            { L3, "HitM" },          { L3, "HitM" },
                                            { L3, "Fwd" },           { REMOTE_L3, "HitM" },
                                            { RAM, "Hit" },          { REMOTE_RAM, "Hit" },
                                            { RAM, "None or Miss" }, { REMOTE_RAM, "None or Miss" },
                                            { IO, "None" },          { UNCACHED, "None" } };

static const struct words crestmont[16] = { { L3_MISS, "N/A" },    { L1, "None" },      { LFB, "None" },
                                            { L2, "None" },        { L3, "None" },      { L3, "Miss" },
                                            { L3, "Hit" },         { L3, "Fwd" },       { L3, "HitM" },
                                            { REMOTE_L3, "HitM" }, { RAM, "None" },     { FAR_RAM, "None" },
                                            { FAR_RAM, "Fwd" },    { FAR_RAM, "HitM" }, { IO, "None" },
                                            { UNCACHED, "None" } };

static const struct words lion_cove[18] = { { L3_MISS, "N/A" },  { L1, "None" },          { L1, "None" },
                                            { LFB, "None" },     { RESERVED, "N/A" },     { L2, "None" },
                                            { MHB, "None" },     { RESERVED, "N/A" },     { L3, "None" },
                                            { RESERVED, "N/A" }, { RESERVED, "N/A" },     { RESERVED, "N/A" },
                                            { L3, "Fwd" },       { L3, "HitM" },          { RESERVED, "N/A" },
                                            { L3_MISS, "HitM" }, { MEMORY_SIDE, "None" }, { RAM, "None" } };

static const struct words panther_cove[16] = { { NA, "N/A" },       { L0, "None" },      { L1, "None" },
                                               { LFB, "None" },     { L2, "None" },      { RESERVED, "N/A" },
                                               { RESERVED, "N/A" }, { L2, "Hit" },       { L2, "HitM" },
                                               { L2, "None" },      { L2, "None" },      { RESERVED, "N/A" },
                                               { RESERVED, "N/A" }, { RESERVED, "N/A" }, { RESERVED, "N/A" },
                                               { UNCACHED, "None" } };

static const struct words arctic_wolf[7] = { { NA, "N/A" }, { L1, "None" }, { LFB, "None" },     { L2, "None" },
                                             { L2, "Hit" }, { L2, "HitM" }, { UNCACHED, "None" } };

/*
 * The bits of perf_mem_data_src that these words name (linux/perf_event.h): level:14 at bit 5, snoop:5 at bit 19, level
 * number:4 at bit 33, remote:1 at bit 37, forwarded at bit 38.
 */
static const struct {
    const char *level;
    uint64_t mask, number, remote;
} level_bits[] = {
    { "N/A", 0x1, 0xf, 0 },
    { "L3 miss", 0x44, 3, 0 },
    { "L1 or L1 hit", 0xa, 1, 0 },
    { "LFB or LFB hit", 0x12, 0xc, 0 },
    { "L2 or L2 hit", 0x22, 2, 0 },
    { "L3 or L3 hit", 0x42, 3, 0 },
    { "L4 or PMEM hit", 0x2, 4, 0 },
    { "Remote L4 or PMEM hit", 0x2, 4, 1 },
    { "Remote Cache (1 hop) hit", 0x402, 3, 1 },
    { "Remote Any cache hit", 0x2, 0xb, 1 },
    { "Local RAM or RAM hit", 0x82, 0xd, 0 },
    { "Remote RAM (1 hop) hit", 0x102, 0xd, 1 },
    { "Remote RAM hit", 0x2, 0xd, 1 },
    { "I/O hit", 0x1002, 0xf, 0 },
    { "Uncached hit", 0x2002, 0xf, 0 },
    { "Reserved", 0x1, 0xf, 0 },
    { "L0 hit", 0x2, 7, 0 },
    { "L2 MHB hit", 0x2, 5, 0 },
    { "Memory-side Cache hit", 0x2, 6, 0 },
};

static const struct {
    const char *snoop;
    uint64_t mask, forwarded;
} snoop_bits[] = {
    { "N/A", 1, 0 },     { "None", 2, 0 },           { "Hit", 4, 0 }, { "Miss", 8, 0 },
    { "HitM", 0x10, 0 }, { "None or Miss", 0xa, 0 }, { "Fwd", 0, 1 },
};

/* tlb:7 at bit 26, lock:2 at bit 24: no STLB miss and no lock, or "not available". blk:3 at bit 40: "not available". */
static uint64_t bits_of(const struct words *words, bool tlb_and_lock)
{
    size_t level = 0, snoop = 0;

    while (strcmp(level_bits[level].level, words->level) != 0)
        assert_true(++level < COUNT_OF(level_bits));
    while (strcmp(snoop_bits[snoop].snoop, words->snoop) != 0)
        assert_true(++snoop < COUNT_OF(snoop_bits));
    return level_bits[level].mask << 5 | level_bits[level].number << 33 | level_bits[level].remote << 37 |
           snoop_bits[snoop].mask << 19 | snoop_bits[snoop].forwarded << 38 |
           (tlb_and_lock ? UINT64_C(1) << 40 | UINT64_C(0x1a) << 26 : UINT64_C(1) << 26 | UINT64_C(1) << 24);
}

/*
 * What Linux wrote of real loads: a recording of Skylake (06_55, stepping 4) in google/perf_data_converter,
 * src/quipper/testdata, perf.data.weight_struct. Its low bits say "load".
 */
UNIT_TEST(recorded_on_silicon)
{
    static const uint64_t recorded[][2] = {
        { 0x01, 0x10268100142 }, { 0x02, 0x11868100242 }, { 0x03, 0x10468100442 },
        { 0x04, 0x10668100842 }, { 0x14, 0x10650100842 }, { 0x21, 0x1026a100142 },
    };

    for (size_t i = 0; i < COUNT_OF(recorded); i++)
        assert_int_equal(data_source_bits(DATA_SOURCE_SKYLAKE, recorded[i][0]) | 2, recorded[i][1]);
}

/*
 * An encoding's codes (reserved past its table), its fields (those of the first four are in tlb_and_lock), and the bits
 * of mem_blk, 3 from bit 40 on. Of a wider code, Linux uses bits 3:0, except on Lion Cove.
 */
static const struct encoding {
    enum data_source_encoding encoding;
    const struct words *table;
    unsigned codes, bits;                                      /* codes in the table; bits of a code */
    unsigned locked, stlb_miss, data_blocked, address_blocked; /* bit numbers; 0: no such field */
} encodings[] = {
    { DATA_SOURCE_NEHALEM, nehalem, 16, 4, 0, 0, 0, 0 },
    { DATA_SOURCE_WESTMERE, nehalem, 16, 4, 0, 0, 0, 0 },
    { DATA_SOURCE_GENERIC, generic, 16, 4, 0, 0, 0, 0 },
    { DATA_SOURCE_SKYLAKE, skylake, 16, 4, 0, 0, 0, 0 },
    { DATA_SOURCE_GOLDEN_COVE, skylake, 16, 4, 5, 4, 6, 7 },
    { DATA_SOURCE_GRACEMONT, gracemont, 16, 4, 4, 5, 6, 0 },
    { DATA_SOURCE_CRESTMONT, crestmont, 16, 5, 5, 6, 7, 0 },
    { DATA_SOURCE_LION_COVE, lion_cove, 18, 8, 11, 10, 12, 13 },
    { DATA_SOURCE_PANTHER_COVE, panther_cove, 16, 8, 12, 11, 13, 14 },
    { DATA_SOURCE_ARCTIC_WOLF, arctic_wolf, 7, 8, 12, 11, 13, 14 },
};

/* Each field of the encoding, alone and all together. Bits outside fields are ignored. */
static void check_fields(const struct encoding *e, uint64_t code)
{
    for (unsigned set = 0; set < 16; set++) {
        const bool locked = set & 1, missed = set & 2, data = set & 4,
                   address = e->address_blocked != 0 && (set & 8) != 0;
        const uint64_t fields = (locked ? UINT64_C(1) << e->locked : 0) | (missed ? UINT64_C(1) << e->stlb_miss : 0) |
                                (data ? UINT64_C(1) << e->data_blocked : 0) |
                                (address ? UINT64_C(1) << e->address_blocked : 0);
        const struct data_source_words words = data_source_words(e->encoding, code | fields);
        const uint64_t got = data_source_bits(e->encoding, code | fields);

        assert_string_equal(words.lock, locked ? "Yes" : "No");
        assert_string_equal(words.tlb, missed ? "L2 miss" : "L1 or L2 hit");
        assert_string_equal(words.blocked, data && address ? "Data or Addr" : data ? "Data" : address ? "Addr" : "N/A");
        assert_int_equal(got >> 24 & 3, locked ? 2 : 0);
        assert_int_equal(got >> 26 & 0x7f, missed ? 0x14 : 0x1a);
        assert_int_equal(got >> 40 & 7, (data ? 2 : 0) | (address ? 4 : 0) | (data || address ? 0 : 1));
    }
}

UNIT_TEST(every_code)
{
    static const struct words no_such = { RESERVED, "N/A" };

    for (size_t i = 0; i < COUNT_OF(encodings); i++) {
        const struct encoding *e = &encodings[i];
        for (uint64_t code = 0; code < UINT64_C(1) << e->bits; code++) {
            const uint64_t used = e->encoding == DATA_SOURCE_LION_COVE ? code : code & 0xf;
            const struct words *want = used < e->codes ? &e->table[used] : &no_such;
            const struct data_source_words words = data_source_words(e->encoding, code);
            assert_string_equal(words.level, want->level);
            assert_string_equal(words.snoop, want->snoop);
            assert_int_equal(data_source_is_hitm(e->encoding, code), strcmp(want->snoop, "HitM") == 0);
            assert_int_equal(data_source_bits(e->encoding, code), bits_of(want, e->encoding != DATA_SOURCE_NEHALEM));
            if (e->locked)
                check_fields(e, code);
        }
    }
    for (unsigned encoding = 0; encoding < DATA_SOURCE_GRACEMONT; encoding++)
        assert_null(data_source_words((enum data_source_encoding)encoding, 0xc1).blocked);
}

/*
 * Panther Cove and Arctic Wolf with bit 8, a miss of the second level: bits 3:0 which cache had the line, 4 remote, 5
 * HITM, 6 snooped, 7 promoted. perf's mem_region, bits 50:46, equals the code. Linux 7.3: a source that is no cache
 * (from 7 on) has snoop "none", whatever bits 5 and 6 are. For 0 and 1, which are invalid and reserved, Linux sets
 * "none" in addition to "not available", and alone.
 */
UNIT_TEST(misses_of_the_second_level)
{
    static const char *const who[16][2] = {
        { "N/A", "N/A" },
        { "Reserved", "Reserved" },
        { "L3 (shared) hit", "Remote L3 (shared) hit" },
        { "L3 (not shared) hit", "Remote L3 (not shared) hit" },
        { "I/O of another agent hit", "Remote I/O of another agent hit" },
        { "L3 (shared) of another agent hit", "Remote L3 (shared) of another agent hit" },
        { "L3 (not shared) of another agent hit", "Remote L3 (not shared) of another agent hit" },
        { "MMIO hit", "Remote MMIO hit" },
        { "Local RAM region 0 hit", "Remote RAM region 0 hit" },
        { "Local RAM region 1 hit", "Remote RAM region 1 hit" },
        { "Local RAM region 2 hit", "Remote RAM region 2 hit" },
        { "Local RAM region 3 hit", "Remote RAM region 3 hit" },
        { "Local RAM region 4 hit", "Remote RAM region 4 hit" },
        { "Local RAM region 5 hit", "Remote RAM region 5 hit" },
        { "Local RAM region 6 hit", "Remote RAM region 6 hit" },
        { "Local RAM region 7 hit", "Remote RAM region 7 hit" },
    };
    static const char *const shared[4] = { "N/A", "Miss", "Hit", "None" }; /* by promoted and snooped */

    for (unsigned i = 0; i < 2; i++)
        for (uint64_t code = 0; code < 0x100; code++) {
            const enum data_source_encoding encoding = i ? DATA_SOURCE_ARCTIC_WOLF : DATA_SOURCE_PANTHER_COVE;
            const unsigned at = code & 0xf;
            const bool remote = code & 0x10, modified = code & 0x20, snooped = code & 0x40;
            const struct data_source_words words = data_source_words(encoding, code | 0x100);
            const uint64_t got = data_source_bits(encoding, code | 0x100);
            const char *snoop = at < 2     ? "N/A"
                                : at > 6   ? "None"
                                : at == 2  ? (modified ? "HitM" : shared[code >> 7 << 1 | (snooped ? 1 : 0)])
                                : modified ? (snooped ? "HitM or Fwd" : "HitM")
                                           : (snooped ? "Hit or Fwd" : "Hit");
            assert_string_equal(words.level, who[at][remote]);
            assert_string_equal(words.snoop, snoop);
            assert_int_equal(data_source_is_hitm(encoding, code | 0x100), strncmp(snoop, "HitM", 4) == 0);
            assert_int_equal(got >> 46 & 0x1f, at < 2 ? 0 : at);
            assert_int_equal(got >> 37 & 1, at >= 2 && remote);
            assert_int_equal(got >> 38 & 3, strstr(snoop, "Fwd") ? 1 : 0);
            assert_int_equal(got >> 19 & 0x1f, strncmp(snoop, "HitM", 4) == 0  ? 0x10
                                               : strncmp(snoop, "Hit", 3) == 0 ? 4
                                               : strcmp(snoop, "Miss") == 0    ? 8
                                               : strcmp(snoop, "None") == 0    ? 2
                                                                               : 1);
            /* mem_lvl and mem_lvl_num: hit in L3, with "remote cache, 1 hop"; in RAM, here or remote; MMIO. */
            assert_int_equal(got >> 5 & 0x3fff, at < 2    ? 0x1
                                                : at < 7  ? (remote ? 0x442u : 0x42u)
                                                : at == 7 ? 0x2
                                                          : (remote ? 0x102u : 0x82u));
            assert_int_equal(got >> 33 & 0xf, at < 2 ? 0xf : at < 7 ? 3 : 0xd);
            check_fields(&encodings[8 + i], code | 0x100);
        }
}

static void check_bits(enum data_source_encoding encoding, uint64_t value, const char *tlb, const char *lock)
{
    struct data_source_words words = data_source_words(encoding, value);
    assert_string_equal(words.level, "L2 or L2 hit");
    assert_string_equal(words.tlb, tlb);
    assert_string_equal(words.lock, lock);
}

UNIT_TEST(tlb_and_lock)
{
    for (unsigned i = 0; i < 2; i++) {
        enum data_source_encoding encoding = i == 0 ? DATA_SOURCE_GENERIC : DATA_SOURCE_SKYLAKE;
        check_bits(encoding, 0x03, "L1 or L2 hit", "No");
        check_bits(encoding, 0x13, "L2 miss", "No");
        check_bits(encoding, 0x23, "L1 or L2 hit", "Yes");
        check_bits(encoding, 0x33, "L2 miss", "Yes");
        check_bits(encoding, 0xffffffffffffffc3, "L1 or L2 hit", "No");
    }
    check_bits(DATA_SOURCE_WESTMERE, 0x33, "L2 miss", "Yes");
    check_bits(DATA_SOURCE_NEHALEM, 0x33, "N/A", "N/A");
}

/* Sandy Bridge's precise store: bit 0 hit L1, bit 4 missed the STLB, bit 5 locked; other bits are undefined. */
UNIT_TEST(precise_store)
{
    static const struct {
        uint64_t value;
        const char *level, *tlb, *lock;
    } stores[] = {
        { 0x00, "L1 miss", "L2 hit", "No" },
        { 0x01, "L1 hit", "L2 hit", "No" },
        { 0x10, "L1 miss", "L2 miss", "No" },
        { 0x31, "L1 hit", "L2 miss", "Yes" },
        { 0xffffffffffffffce, "L1 miss", "L2 hit", "No" },
    };
    for (size_t i = 0; i < COUNT_OF(stores); i++) {
        struct data_source_words words = data_source_words(DATA_SOURCE_STORE, stores[i].value);
        assert_string_equal(words.level, stores[i].level);
        assert_string_equal(words.snoop, "N/A");
        assert_string_equal(words.tlb, stores[i].tlb);
        assert_string_equal(words.lock, stores[i].lock);
    }
}

UNIT_TEST(unknown_encodings_decode_nothing)
{
    struct data_source_words words = data_source_words(DATA_SOURCE_UNKNOWN, 0x31);
    assert_string_equal(words.level, "N/A");
    assert_string_equal(words.snoop, "N/A");
    assert_string_equal(words.tlb, "N/A");
    assert_string_equal(words.lock, "N/A");
}

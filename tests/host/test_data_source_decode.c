/* SPDX-License-Identifier: MIT */
/* Every code of every encoding, with the two flag bits. */
#include "tests/host/host_test.h"

#include "pebs/data_source_decode.h"

struct words {
    const char *level, *snoop;
};

static const struct words nehalem[16] = {
    { "L3 miss", "N/A" },
    { "L1 or L1 hit", "None" },
    { "LFB or LFB hit", "None" },
    { "L2 or L2 hit", "None" },
    { "L3 or L3 hit", "None" },
    { "L3 or L3 hit", "Hit" },
    { "L3 or L3 hit", "HitM" },
    { "L3 or L3 hit", "HitM" },
    { "Remote Cache (1 hop) hit", "Hit" },
    { "N/A", "N/A" },
    { "Local RAM or RAM hit", "Hit" },
    { "Remote RAM (1 hop) hit", "Hit" },
    { "Local RAM or RAM hit", "None or Miss" },
    { "Remote RAM (1 hop) hit", "None or Miss" },
    { "N/A", "N/A" },
    { "Uncached hit", "None" },
};

static const struct words generic[16] = {
    { "L3 miss", "N/A" },
    { "L1 or L1 hit", "None" },
    { "LFB or LFB hit", "None" },
    { "L2 or L2 hit", "None" },
    { "L3 or L3 hit", "None" },
    { "L3 or L3 hit", "Miss" },
    { "L3 or L3 hit", "Hit" },
    { "L3 or L3 hit", "HitM" },
    { "Remote Cache (1 hop) hit", "Hit" },
    { "Remote Cache (1 hop) hit", "HitM" },
    { "Local RAM or RAM hit", "Hit" },
    { "Remote RAM (1 hop) hit", "Hit" },
    { "Local RAM or RAM hit", "None or Miss" },
    { "Remote RAM (1 hop) hit", "None or Miss" },
    { "I/O hit", "None" },
    { "Uncached hit", "None" },
};

static const struct words skylake[16] = {
    { "L3 miss", "N/A" },
    { "L1 or L1 hit", "None" },
    { "LFB or LFB hit", "None" },
    { "L2 or L2 hit", "None" },
    { "L3 or L3 hit", "None" },
    { "L3 or L3 hit", "Miss" },
    { "L3 or L3 hit", "Hit" },
    { "L3 or L3 hit", "HitM" },
    { "L4 or PMEM hit", "Hit" },
    { "Remote L4 or PMEM hit", "Hit" },
    { "Local RAM or RAM hit", "Hit" },
    { "Remote RAM hit", "None" },
    { "Remote Any cache hit", "Fwd" },
    { "Remote Any cache hit", "HitM" },
    { "I/O hit", "None" },
    { "Uncached hit", "None" },
};

/* The bits of perf_mem_data_src whose words these are (linux/perf_event.h): level:14 at bit 5, snoop:5 at bit 19, level
 * number:4 at bit 33, remote:1 at bit 37, forwarded at bit 38. */
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
};

static const struct {
    const char *snoop;
    uint64_t mask, forwarded;
} snoop_bits[] = {
    { "N/A", 1, 0 },     { "None", 2, 0 },           { "Hit", 4, 0 }, { "Miss", 8, 0 },
    { "HitM", 0x10, 0 }, { "None or Miss", 0xa, 0 }, { "Fwd", 0, 1 },
};

/* tlb:7 at bit 26, lock:2 at bit 24: without STLB miss and lock, or "not available". */
static uint64_t bits_of(const struct words *words, bool tlb_and_lock)
{
    size_t level = 0, snoop = 0;

    while (strcmp(level_bits[level].level, words->level) != 0)
        assert_true(++level < COUNT_OF(level_bits));
    while (strcmp(snoop_bits[snoop].snoop, words->snoop) != 0)
        assert_true(++snoop < COUNT_OF(snoop_bits));
    return level_bits[level].mask << 5 | level_bits[level].number << 33 | level_bits[level].remote << 37 |
           snoop_bits[snoop].mask << 19 | snoop_bits[snoop].forwarded << 38 |
           (tlb_and_lock ? UINT64_C(0x1a) << 26 : UINT64_C(1) << 26 | UINT64_C(1) << 24);
}

static void check_table(enum data_source_encoding encoding, const struct words *table)
{
    for (uint64_t code = 0; code < 16; code++) {
        struct data_source_words words = data_source_words(encoding, code);
        assert_string_equal(words.level, table[code].level);
        assert_string_equal(words.snoop, table[code].snoop);
        assert_int_equal(data_source_bits(encoding, code), bits_of(&table[code], encoding != DATA_SOURCE_NEHALEM));
    }
}

static void every_code(void **state)
{
    (void)state;
    check_table(DATA_SOURCE_NEHALEM, nehalem);
    check_table(DATA_SOURCE_GENERIC, generic);
    check_table(DATA_SOURCE_SKYLAKE, skylake);
}

static void check_bits(enum data_source_encoding encoding, uint64_t value, const char *tlb, const char *lock)
{
    struct data_source_words words = data_source_words(encoding, value);
    assert_string_equal(words.level, "L2 or L2 hit");
    assert_string_equal(words.tlb, tlb);
    assert_string_equal(words.lock, lock);
}

static void tlb_and_lock(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        enum data_source_encoding encoding = i == 0 ? DATA_SOURCE_GENERIC : DATA_SOURCE_SKYLAKE;
        check_bits(encoding, 0x03, "L1 or L2 hit", "No");
        check_bits(encoding, 0x13, "L2 miss", "No");
        check_bits(encoding, 0x23, "L1 or L2 hit", "Yes");
        check_bits(encoding, 0x33, "L2 miss", "Yes");
        check_bits(encoding, 0xffffffffffffffc3, "L1 or L2 hit", "No");
    }
    check_bits(DATA_SOURCE_NEHALEM, 0x33, "N/A", "N/A");
}

/* Sandy Bridge's precise store: bit 0 hit L1, bit 4 missed the STLB, bit 5 locked; other bits are undefined. */
static void precise_store(void **state)
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
    (void)state;
    for (size_t i = 0; i < COUNT_OF(stores); i++) {
        struct data_source_words words = data_source_words(DATA_SOURCE_STORE, stores[i].value);
        assert_string_equal(words.level, stores[i].level);
        assert_string_equal(words.snoop, "N/A");
        assert_string_equal(words.tlb, stores[i].tlb);
        assert_string_equal(words.lock, stores[i].lock);
    }
}

static void unknown_encoding_claims_nothing(void **state)
{
    (void)state;
    struct data_source_words words = data_source_words(DATA_SOURCE_UNKNOWN, 0x31);
    assert_string_equal(words.level, "N/A");
    assert_string_equal(words.snoop, "N/A");
    assert_string_equal(words.tlb, "N/A");
    assert_string_equal(words.lock, "N/A");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code),
        cmocka_unit_test(tlb_and_lock),
        cmocka_unit_test(precise_store),
        cmocka_unit_test(unknown_encoding_claims_nothing),
    };
    return cmocka_run_group_tests_name("data_source", tests, NULL, NULL);
}

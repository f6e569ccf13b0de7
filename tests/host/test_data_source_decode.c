/* SPDX-License-Identifier: MIT */
/* Every code of every table, and the two bits beside it. */
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

static void check_table(enum data_source_encoding encoding, const struct words *table)
{
    for (uint64_t code = 0; code < 16; code++) {
        struct data_source_words words = data_source_words(encoding, code);
        assert_string_equal(words.level, table[code].level);
        assert_string_equal(words.snoop, table[code].snoop);
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

/* Sandy Bridge's precise store: bit 0 hit L1, bit 4 missed the STLB, bit 5 locked; the others say nothing. */
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

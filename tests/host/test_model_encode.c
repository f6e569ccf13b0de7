/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes that the model reads and writes in guest memory. Every byte of a golden layout is its own offset in the
 * manual's tables (64-bit DS area, BTS record, PEBS format 3), so that a field's value says where it stands. The tables
 * are typed again from the manual.
 */
#include "tests/host/unit_test.h"

#include "model/bytes/encode.h"

#define EIGHT_UP_FROM(first) \
    (first), (first) + 1, (first) + 2, (first) + 3, (first) + 4, (first) + 5, (first) + 6, (first) + 7

static const struct ds_form format_3 = { 8, 3 };

static const uint8_t golden_pebs[200] = {
    EIGHT_UP_FROM(0x00), /* RFLAGS */
    EIGHT_UP_FROM(0x08), /* RIP */
    EIGHT_UP_FROM(0x10), /* RAX */
    EIGHT_UP_FROM(0x18), /* RBX */
    EIGHT_UP_FROM(0x20), /* RCX */
    EIGHT_UP_FROM(0x28), /* RDX */
    EIGHT_UP_FROM(0x30), /* RSI */
    EIGHT_UP_FROM(0x38), /* RDI */
    EIGHT_UP_FROM(0x40), /* RBP */
    EIGHT_UP_FROM(0x48), /* RSP */
    EIGHT_UP_FROM(0x50), /* R8 */
    EIGHT_UP_FROM(0x58), /* R9 */
    EIGHT_UP_FROM(0x60), /* R10 */
    EIGHT_UP_FROM(0x68), /* R11 */
    EIGHT_UP_FROM(0x70), /* R12 */
    EIGHT_UP_FROM(0x78), /* R13 */
    EIGHT_UP_FROM(0x80), /* R14 */
    EIGHT_UP_FROM(0x88), /* R15 */
    EIGHT_UP_FROM(0x90), /* applicable counters */
    EIGHT_UP_FROM(0x98), /* data linear address */
    EIGHT_UP_FROM(0xa0), /* data source */
    EIGHT_UP_FROM(0xa8), /* latency */
    EIGHT_UP_FROM(0xb0), /* EventingIP */
    EIGHT_UP_FROM(0xb8), /* TSX abort information */
    EIGHT_UP_FROM(0xc0), /* TSC */
};

static const uint8_t golden_ds[96] = {
    EIGHT_UP_FROM(0x00), /* BTS buffer base */
    EIGHT_UP_FROM(0x08), /* BTS index */
    EIGHT_UP_FROM(0x10), /* BTS absolute maximum */
    EIGHT_UP_FROM(0x18), /* BTS interrupt threshold */
    EIGHT_UP_FROM(0x20), /* PEBS buffer base */
    EIGHT_UP_FROM(0x28), /* PEBS index */
    EIGHT_UP_FROM(0x30), /* PEBS absolute maximum */
    EIGHT_UP_FROM(0x38), /* PEBS interrupt threshold */
    EIGHT_UP_FROM(0x40), /* PEBS counter 0 reset */
    EIGHT_UP_FROM(0x48), /* PEBS counter 1 reset */
    EIGHT_UP_FROM(0x50), /* PEBS counter 2 reset */
    EIGHT_UP_FROM(0x58), /* PEBS counter 3 reset */
};

static const struct pebs_contents contents = {
    .rflags = 0x0706050403020100,
    .ip = 0x0f0e0d0c0b0a0908,
    .general = {
        [RAX] = 0x1716151413121110,
        [RBX] = 0x1f1e1d1c1b1a1918,
        [RCX] = 0x2726252423222120,
        [RDX] = 0x2f2e2d2c2b2a2928,
        [RSI] = 0x3736353433323130,
        [RDI] = 0x3f3e3d3c3b3a3938,
        [RBP] = 0x4746454443424140,
        [RSP] = 0x4f4e4d4c4b4a4948,
        [R8] = 0x5756555453525150,
        [R9] = 0x5f5e5d5c5b5a5958,
        [R10] = 0x6766656463626160,
        [R11] = 0x6f6e6d6c6b6a6968,
        [R12] = 0x7776757473727170,
        [R13] = 0x7f7e7d7c7b7a7978,
        [R14] = 0x8786858483828180,
        [R15] = 0x8f8e8d8c8b8a8988,
    },
    .counters = 0x9796959493929190,
    .data_address = 0x9f9e9d9c9b9a9998,
    .data_source = 0xa7a6a5a4a3a2a1a0,
    .latency = 0xafaeadacabaaa9a8,
    .eventing_ip = 0xb7b6b5b4b3b2b1b0,
    .tsx = 0xbfbebdbcbbbab9b8,
    .tsc = 0xc7c6c5c4c3c2c1c0,
};

UNIT_TEST(sizes_and_places)
{
    static const struct {
        struct ds_form form;
        size_t ds, bts, pebs;
        unsigned resets, bts_index, pebs_index;
    } rows[] = {
        { { 4, 0 }, 0x28, 12, 40, 1, 0x04, 0x14 },  { { 4, 3 }, 0x28, 12, 40, 1, 0x04, 0x14 },
        { { 8, 0 }, 0x48, 24, 144, 1, 0x08, 0x28 }, { { 8, 1 }, 0x60, 24, 176, 4, 0x08, 0x28 },
        { { 8, 2 }, 0x60, 24, 192, 4, 0x08, 0x28 }, { { 8, 3 }, 0x60, 24, 200, 4, 0x08, 0x28 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(encode_ds_bytes(&rows[i].form), rows[i].ds);
        assert_int_equal(encode_bts_bytes(&rows[i].form), rows[i].bts);
        assert_int_equal(encode_pebs_bytes(&rows[i].form), rows[i].pebs);
        assert_int_equal(encode_general_resets(&rows[i].form), rows[i].resets);
        assert_int_equal(encode_bts_index_at(&rows[i].form), rows[i].bts_index);
        assert_int_equal(encode_pebs_index_at(&rows[i].form), rows[i].pebs_index);
    }
}

/* Formats 0 to 2 are the first 144, 176 and 192 bytes of format 3, and nothing behind them is touched. */
UNIT_TEST(pebs_older_formats)
{
    static const size_t sizes[] = { 144, 176, 192 };
    for (unsigned format = 0; format < COUNT_OF(sizes); format++) {
        uint8_t *bytes = malloc(sizes[format]);
        assert_non_null(bytes);
        memset(bytes, 0xee, sizes[format]);
        encode_pebs(bytes, &(struct ds_form){ 8, format }, &contents);
        assert_memory_equal(bytes, golden_pebs, sizes[format]);
        free(bytes);
    }
}

/* The 32-bit form: the low halves of the values, EFLAGS, linear IP, EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP. */
UNIT_TEST(pebs_32_bit)
{
    static const uint8_t golden[40] = {
        0x00, 0x01, 0x02, 0x03, 0x08, 0x09, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x18, 0x19,
        0x1a, 0x1b, 0x20, 0x21, 0x22, 0x23, 0x28, 0x29, 0x2a, 0x2b, 0x30, 0x31, 0x32, 0x33,
        0x38, 0x39, 0x3a, 0x3b, 0x40, 0x41, 0x42, 0x43, 0x48, 0x49, 0x4a, 0x4b,
    };
    uint8_t *bytes = malloc(40);
    assert_non_null(bytes);
    memset(bytes, 0xee, 40);
    encode_pebs(bytes, &(struct ds_form){ 4, 0 }, &contents);
    assert_memory_equal(bytes, golden, 40);
    free(bytes);
}

UNIT_TEST(pebs_at_an_odd_address)
{
    uint8_t *bytes = malloc(201);
    assert_non_null(bytes);
    bytes[0] = 0xee;
    encode_pebs(bytes + 1, &format_3, &contents);
    assert_int_equal(bytes[0], 0xee);
    assert_memory_equal(bytes + 1, golden_pebs, 200);
    free(bytes);
}

UNIT_TEST(ds_area)
{
    struct ds_area area;
    uint8_t *bytes = exact_copy(golden_ds, sizeof(golden_ds));
    memset(&area, 0xee, sizeof(area));
    encode_read_ds(&area, &format_3, bytes);
    assert_memory_equal(bytes, golden_ds, sizeof(golden_ds));
    free(bytes);
    assert_int_equal(area.bts.base, 0x0706050403020100);
    assert_int_equal(area.bts.index, 0x0f0e0d0c0b0a0908);
    assert_int_equal(area.bts.maximum, 0x1716151413121110);
    assert_int_equal(area.bts.threshold, 0x1f1e1d1c1b1a1918);
    assert_int_equal(area.pebs.base, 0x2726252423222120);
    assert_int_equal(area.pebs.index, 0x2f2e2d2c2b2a2928);
    assert_int_equal(area.pebs.maximum, 0x3736353433323130);
    assert_int_equal(area.pebs.threshold, 0x3f3e3d3c3b3a3938);
    assert_int_equal(area.reset[0], 0x4746454443424140);
    assert_int_equal(area.reset[1], 0x4f4e4d4c4b4a4948);
    assert_int_equal(area.reset[2], 0x5756555453525150);
    assert_int_equal(area.reset[3], 0x5f5e5d5c5b5a5958);
}

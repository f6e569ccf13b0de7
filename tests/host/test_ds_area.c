/* SPDX-License-Identifier: MIT */
/*
 * The DS buffer management area in both widths. Offsets are typed from the manual's figures (SDM Vol. 3A
 * (253668-032), figures 16-5 and 16-8): bytes count up from 0, so a field's value is its own offset.
 * tests/fuzz/ds_area.c has encoding, and areas that are truncated.
 */
#include "tests/host/unit_test.h"

#include "ds/ds_area.h"

#define BYTES 0x1c0 /* bytes of the largest area: 48 slots from 40h */

static void counting(uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)i;
}

/* Fields are adjacent. Resets have 64 bits in both widths. */
UNIT_TEST(fields)
{
    for (unsigned width = 4; width <= 8; width += 4) {
        const unsigned resets = width == 4 ? 1 : 4;
        uint8_t bytes[BYTES];
        struct ds_area area;
        counting(bytes, sizeof(bytes));
        assert_int_equal(ds_area_decode(width, width == 4 ? 0 : 3, bytes, 0x60, &area), DS_AREA_OK);
        const uint64_t fields[] = { area.bts.base,  area.bts.index,  area.bts.maximum,  area.bts.threshold,
                                    area.pebs.base, area.pebs.index, area.pebs.maximum, area.pebs.threshold };
        for (unsigned i = 0; i < 8; i++)
            for (unsigned byte = 0; byte < 8; byte++)
                assert_int_equal(fields[i] >> 8 * byte & 0xff, byte < width ? i * width + byte : 0);
        for (unsigned i = 0; i < DS_RESET_MAX; i++)
            for (unsigned byte = 0; byte < 8; byte++)
                assert_int_equal(area.pebs_reset[i] >> 8 * byte & 0xff, i < resets ? 8 * (width + i) + byte : 0);
    }
}

/* Offset of each counter's reset in the 64-bit area, by format: bytes count up, so a slot's value is its offset. */
UNIT_TEST(every_reset_slot)
{
    static const struct {
        unsigned format;
        bool fixed;
        unsigned counter;
        size_t offset;
    } slots[] = {
        { 0, false, 0, 0x40 },                                                 /* Core: one */
        { 1, false, 0, 0x40 },   { 1, false, 1, 0x48 }, { 1, false, 3, 0x58 }, /* Nehalem: four */
        { 2, false, 0, 0x40 },   { 2, false, 3, 0x58 },                        /* Haswell */
        { 3, false, 0, 0x40 },   { 3, false, 3, 0x58 },                        /* Skylake */
        { 4, false, 0, 0x40 },   { 4, false, 7, 0x78 },                        /* Ice Lake: eight, */
        { 4, true, 0, 0x80 },    { 4, true, 1, 0x88 },  { 4, true, 3, 0x98 },  /* then the fixed ones */
        { 5, false, 31, 0x138 }, { 5, true, 0, 0x140 }, { 5, true, 15, 0x1b8 }, { 6, false, 0, 0x40 },
        { 6, false, 31, 0x138 }, { 6, true, 0, 0x140 }, { 6, true, 15, 0x1b8 },
    };
    for (size_t i = 0; i < COUNT_OF(slots); i++) {
        uint8_t bytes[BYTES] = { 0 };
        struct ds_area area;
        bytes[slots[i].offset] = 0x34;
        bytes[slots[i].offset + 7] = 0xff;
        assert_int_equal(ds_area_decode(8, slots[i].format, bytes, sizeof(bytes), &area), DS_AREA_OK);
        unsigned slot = slots[i].fixed ? ds_reset_fixed(slots[i].format, slots[i].counter)
                                       : ds_reset_general(slots[i].format, slots[i].counter);
        assert_int_equal(slot, (slots[i].offset - 0x40) / 8);
        for (unsigned n = 0; n < DS_RESET_MAX; n++)
            assert_int_equal(area.pebs_reset[n], n == slot ? 0xff00000000000034 : 0);
    }
}

UNIT_TEST(sizes_and_slots)
{
    static const struct {
        unsigned format, slots;
        size_t size; /* of the 64-bit area */
    } known[] = {
        { 0, 1, 0x50 },  { 1, 4, 0x60 },   { 2, 4, 0x60 },   { 3, 4, 0x60 },
        { 4, 12, 0xa0 }, { 5, 48, 0x1c0 }, { 6, 48, 0x1c0 },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        assert_int_equal(ds_reset_slots(known[i].format), known[i].slots);
        assert_int_equal(ds_area_size(8, known[i].format), known[i].size);
        assert_int_equal(ds_area_size(4, known[i].format), 0x30);
    }
    for (unsigned format = 7; format < 17; format++) {
        assert_int_equal(ds_reset_slots(format), 0);
        assert_int_equal(ds_area_size(8, format), 0);
        assert_int_equal(ds_area_size(4, format), 0);
        assert_int_equal(ds_reset_general(format, 0), DS_RESET_MAX);
        assert_int_equal(ds_reset_fixed(format, 0), DS_RESET_MAX);
    }
    assert_int_equal(ds_area_size(0, 3), 0);
    assert_int_equal(ds_area_size(16, 3), 0);

    assert_int_equal(ds_reset_general(0, 1), DS_RESET_MAX);
    assert_int_equal(ds_reset_general(3, 4), DS_RESET_MAX);
    assert_int_equal(ds_reset_fixed(3, 0), DS_RESET_MAX);
    assert_int_equal(ds_reset_fixed(4, 4), DS_RESET_MAX);
    assert_int_equal(ds_reset_general(5, 32), DS_RESET_MAX);
    assert_int_equal(ds_reset_fixed(5, 16), DS_RESET_MAX);
}

UNIT_TEST(wrong_width_or_format)
{
    uint8_t bytes[BYTES] = { 0 };
    struct ds_area area = { 0 };
    assert_int_equal(ds_area_decode(0, 3, bytes, sizeof(bytes), &area), DS_AREA_WIDTH);
    assert_int_equal(ds_area_decode(16, 3, bytes, sizeof(bytes), &area), DS_AREA_WIDTH);
    assert_int_equal(ds_area_encode(5, 3, &area, bytes, sizeof(bytes)), DS_AREA_WIDTH);
    assert_int_equal(ds_area_decode(8, 15, bytes, sizeof(bytes), &area), DS_AREA_FORMAT);
    assert_int_equal(ds_area_encode(8, 7, &area, bytes, sizeof(bytes)), DS_AREA_FORMAT);
    assert_int_equal(ds_area_encode(4, 255, &area, bytes, sizeof(bytes)), DS_AREA_FORMAT);
}

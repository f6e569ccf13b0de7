/* SPDX-License-Identifier: MIT */
/* BTS records: from, to and flags of 64 or 32 bits (SDM Vol. 3A (253668-032), 16.4.9; bit 4: NetBurst). */
#include "tests/host/unit_test.h"

#include "bts/bts_decode.h"

static const uint8_t record[24] = {
    0x34, 0x12, 0x20, 0x00, 0x01, 0x80, 0xff, 0xff, /* 00: from ffff800100201234 */
    0x56, 0x12, 0x30, 0x00, 0x02, 0x70, 0x00, 0x00, /* 08: to   0000700200301256 */
    0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, /* 10: flags, bit 4 set */
};

static const uint8_t record_32[12] = {
    0x34, 0x12, 0x20, 0x80, /* 00: from 80201234 */
    0x56, 0x12, 0x30, 0x00, /* 04: to   00301256 */
    0x10, 0x32, 0x54, 0xf6, /* 08: flags, bit 4 set */
};

/* 32-bit addresses are not sign-extended. Bit 4 of the flags is a prediction only where the processor defines it. */
UNIT_TEST(every_field)
{
    static const struct {
        unsigned width;
        bool prediction;
        uint64_t from, to, flags;
    } rows[] = {
        { 8, true, 0xffff800100201234, 0x0000700200301256, 0xfedcba9876543210 },
        { 8, false, 0xffff800100201234, 0x0000700200301256, 0xfedcba9876543210 },
        { 4, true, 0x80201234, 0x00301256, 0xf6543210 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint8_t *const bytes = rows[i].width == 8 ? record : record_32;
        struct bts_record out;
        memset(&out, 0xa5, sizeof(out));
        assert_int_equal(bts_decode(rows[i].width, bytes, 3 * rows[i].width, rows[i].prediction, &out), BTS_DECODE_OK);
        assert_int_equal(out.width, rows[i].width);
        assert_int_equal(out.from, rows[i].from);
        assert_int_equal(out.to, rows[i].to);
        assert_int_equal(out.flags, rows[i].flags);
        assert_int_equal(out.prediction_valid, rows[i].prediction);
        assert_int_equal(out.predicted, rows[i].prediction);
    }
}

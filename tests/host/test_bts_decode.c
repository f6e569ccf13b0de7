/* SPDX-License-Identifier: MIT */
/* BTS records: three 64-bit words, from, to, flags (SDM Vol. 3B 253668-032, 16.4.9; bit 4 of the flags: NetBurst). */
#include "tests/host/host_test.h"

#include "bts/bts_decode.h"

static const uint8_t record[24] = {
    0x34, 0x12, 0x20, 0x00, 0x01, 0x80, 0xff, 0xff, /* 00: from ffff800100201234 */
    0x56, 0x12, 0x30, 0x00, 0x02, 0x70, 0x00, 0x00, /* 08: to   0000700200301256 */
    0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, /* 10: flags, bit 4 set */
};

static void every_field(void **state)
{
    struct bts_record out;
    (void)state;
    assert_int_equal(bts_decode(8, record, sizeof(record), true, &out), BTS_DECODE_OK);
    assert_int_equal(out.from, 0xffff800100201234);
    assert_int_equal(out.to, 0x0000700200301256);
    assert_int_equal(out.flags, 0xfedcba9876543210);
    assert_true(out.prediction_valid);
    assert_true(out.predicted);
}

static void prediction_needs_its_processor(void **state)
{
    struct bts_record out;
    uint8_t other[24];
    (void)state;
    assert_int_equal(bts_decode(8, record, sizeof(record), false, &out), BTS_DECODE_OK);
    assert_false(out.prediction_valid);
    assert_false(out.predicted);

    memcpy(other, record, sizeof(other));
    other[0x10] = 0xef; /* all but bit 4 */
    assert_int_equal(bts_decode(8, other, sizeof(other), true, &out), BTS_DECODE_OK);
    assert_true(out.prediction_valid);
    assert_false(out.predicted);
}

static void truncated_at_every_length(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof(record); length++) {
        struct bts_record out, before;
        memset(&out, 0xa5, sizeof(out));
        before = out;
        uint8_t *bytes = exact_copy(record, length);
        assert_int_equal(bts_decode(8, bytes, length, true, &out), BTS_DECODE_TRUNCATED);
        assert_memory_equal(&out, &before, sizeof(out));
        free(bytes);
    }
}

static void any_alignment_and_more_bytes(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 8; shift++) {
        uint8_t bytes[40] = { 0 };
        struct bts_record out;
        memcpy(bytes + shift, record, sizeof(record));
        assert_int_equal(bts_decode(8, bytes + shift, sizeof(bytes) - shift, true, &out), BTS_DECODE_OK);
        assert_int_equal(out.from, 0xffff800100201234);
        assert_int_equal(out.to, 0x0000700200301256);
    }
}

static void errors_have_words(void **state)
{
    (void)state;
    assert_string_equal(bts_error_text(BTS_DECODE_OK), "no error");
    assert_string_equal(bts_error_text(BTS_DECODE_TRUNCATED), "BTS record cut short");
    assert_string_equal(bts_error_text((enum bts_error)99), "unknown BTS error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(prediction_needs_its_processor),
        cmocka_unit_test(truncated_at_every_length),
        cmocka_unit_test(any_alignment_and_more_bytes),
        cmocka_unit_test(errors_have_words),
    };
    return cmocka_run_group_tests_name("bts_decode", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * The counters group of a format 6 record: decoded and refused (test_pebs_arch.c prints one). Its bytes are typed from
 * Linux 6.15, arch/x86/include/asm/perf_event.h, struct pebs_cntr_header: two bitmaps and a metrics field of 32 bits
 * each, 32 reserved; then a quadword for each bit, and two for the metrics if that field is 3
 * (arch/x86/events/intel/ds.c).
 */
#include "tests/host/unit_test.h"

#include "pebs/pebs_decode.h"

/* General counters 1, 9 and 31, fixed counters 0 and 3, and the metrics. */
static const uint8_t golden[16 + 7 * 8] = {
    0x02, 0x02, 0x00, 0x80, 0x09, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0xee, 0xee, 0xee, 0xee, /* the header */
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x00, 0x00,                                                 /* IA32_PMC1 */
    0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x00, 0x00,                                                 /* IA32_PMC9 */
    0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8,                                                 /* IA32_PMC31 */
    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x00, 0x00, /* fixed counter 0 */
    0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x00, 0x00, /* fixed counter 3 */
    0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x00, 0x00, /* slots */
    0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, /* PERF_METRICS */
};

static void check_golden(const struct pebs_record *out)
{
    static const uint64_t counts[] = { 0x161514131211, 0x969594939291, 0xf8f7f6f5f4f3f2f1, 0x262524232221,
                                       0x363534333231 };

    assert_int_equal(out->has & (PEBS_HAS_COUNTS | PEBS_HAS_METRICS), PEBS_HAS_COUNTS | PEBS_HAS_METRICS);
    assert_int_equal(out->counted, 0x0000000980000202);
    for (unsigned i = 0; i < PEBS_COUNTS_MOST; i++)
        assert_int_equal(out->counts[i], i < COUNT_OF(counts) ? counts[i] : 0);
    assert_int_equal(out->slots, 0x464544434241);
    assert_int_equal(out->metrics, 0x5857565554535251);
}

/* ---- in a record ------------------------------------------------------------------------------------------------- */

static const struct pebs_form lion_cove = {
    .width = 8, .format = 6, .adaptive = true, .retire_latency = true, .cache_latency = true, .lbr_format = 0x3f
};

#define MOST 2048

/* A record of zeros with these groups in front of the counters group; returns its size. */
static size_t lay(uint8_t bytes[MOST], uint32_t groups)
{
    size_t size = 32u + (groups & 1 ? 32u : 0) + (groups & 2 ? 144u : 0) + (groups & 4 ? 256u : 0) +
                  (groups & 8 ? 24u * ((groups >> 24) + 1) : 0);

    memset(bytes, 0, MOST);
    memcpy(bytes + size, golden, sizeof(golden));
    size += sizeof(golden);
    memcpy(bytes, &groups, 4); /* the host is little-endian, as are all that run this */
    bytes[6] = (uint8_t)size;
    bytes[7] = (uint8_t)(size >> 8);
    return size;
}

static void refuse(const struct pebs_form *form, const uint8_t *bytes, size_t length, enum pebs_error error)
{
    static struct pebs_record out, before;
    uint8_t *copy = exact_copy(bytes, length);

    memset(&out, 0xa5, sizeof(out));
    memcpy(&before, &out, sizeof(out));
    assert_int_equal(pebs_decode(form, copy, length, &out), error);
    assert_memory_equal(&out, &before, sizeof(out));
    free(copy);
}

UNIT_TEST(behind_all_groups)
{
    uint8_t bytes[MOST];
    struct pebs_record out;

    for (uint32_t groups = 0; groups < 16; groups++) {
        for (uint32_t bits = 1; bits < 4; bits++) { /* bit 4, bit 5, or both: the header alone says what there is */
            const uint32_t format = groups | bits << 4 | (groups & 8 ? 6u << 24 : 0);
            const size_t size = lay(bytes, format);
            uint8_t *copy = exact_copy(bytes, size);
            memset(&out, 0xa5, sizeof(out));
            assert_int_equal(pebs_decode(&lion_cove, copy, size, &out), PEBS_DECODE_OK);
            free(copy);
            assert_int_equal(out.size, size);
            assert_int_equal(out.format_group, format);
            assert_int_equal((out.has & PEBS_HAS_GPRS) != 0, (groups & 2) != 0);
            assert_int_equal(out.lbr_count, groups & 8 ? 7 : 0);
            check_golden(&out);
            for (size_t length = 32; length < size; length += 5)
                refuse(&lion_cove, bytes, length, PEBS_DECODE_SIZE_PAST_END);
        }
    }
    assert_int_equal(pebs_group_at(0x0600003f, PEBS_IN_COUNTERS), 32 + 32 + 144 + 256 + 7 * 24);
    assert_int_equal(pebs_group_at(0x0f, PEBS_IN_COUNTERS), SIZE_MAX);
}

/* A record without the group has no counters, whatever is behind it. */
UNIT_TEST(without)
{
    uint8_t bytes[MOST];
    struct pebs_record out;

    lay(bytes, 0x10);
    bytes[0] = 0;
    bytes[6] = 32;
    memset(&out, 0xa5, sizeof(out));
    assert_int_equal(pebs_decode(&lion_cove, bytes, sizeof(bytes), &out), PEBS_DECODE_OK);
    assert_false(out.has & (PEBS_HAS_COUNTS | PEBS_HAS_METRICS));
    assert_int_equal(out.counted | out.counts[0] | out.slots | out.metrics, 0);
}

/* The header alone; each counter alone; and all of them. No byte behind them is read. */
UNIT_TEST(any_counters)
{
    uint8_t bytes[MOST];
    struct pebs_record out;

    for (unsigned bit = 0; bit <= 64; bit++) {
        const size_t size = 32 + 16 + (bit < 64 ? 8 : 0);
        memset(bytes, 0, sizeof(bytes));
        bytes[0] = 0x10;
        bytes[6] = (uint8_t)size;
        if (bit < 64)
            bytes[32 + bit / 8] = (uint8_t)(1u << bit % 8);
        bytes[48] = 0x77;
        uint8_t *copy = exact_copy(bytes, size);
        assert_int_equal(pebs_decode(&lion_cove, copy, size, &out), PEBS_DECODE_OK);
        free(copy);
        assert_int_equal(out.has & (PEBS_HAS_COUNTS | PEBS_HAS_METRICS), PEBS_HAS_COUNTS);
        assert_int_equal(out.counted, bit < 64 ? UINT64_C(1) << bit : 0);
        assert_int_equal(out.counts[0], bit < 64 ? 0x77 : 0);
        assert_int_equal(pebs_counters_size(out.counted, false), size - 32);
    }
    const size_t size = 32 + 16 + 66 * 8;
    memset(bytes, 0, sizeof(bytes));
    memset(bytes + 32, 0xff, 8);
    bytes[0] = 0x20;
    bytes[6] = (uint8_t)size;
    bytes[7] = (uint8_t)(size >> 8);
    bytes[40] = 3;
    for (unsigned i = 0; i < 66; i++)
        bytes[48 + 8 * i] = (uint8_t)(i + 1);
    uint8_t *copy = exact_copy(bytes, size);
    assert_int_equal(pebs_decode(&lion_cove, copy, size, &out), PEBS_DECODE_OK);
    free(copy);
    assert_int_equal(out.counted, UINT64_MAX);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out.counts[i], i + 1);
    assert_int_equal(out.slots, 65);
    assert_int_equal(out.metrics, 66);
    assert_int_equal(pebs_counters_size(UINT64_MAX, true), size - 32);
}

/* Metrics of one word, or of more than two, are unknown; the reserved doubleword has no meaning. */
UNIT_TEST(metrics_are_whole_or_none)
{
    uint8_t bytes[MOST];

    for (unsigned bit = 0; bit < 32; bit++) {
        const size_t size = lay(bytes, 0x30);
        memset(bytes + 40, 0, 4);
        bytes[40 + bit / 8] = (uint8_t)(1u << bit % 8);
        refuse(&lion_cove, bytes, size, PEBS_DECODE_METRICS_UNKNOWN);
    }
    const size_t size = lay(bytes, 0x30);
    bytes[40] = 7;
    refuse(&lion_cove, bytes, size, PEBS_DECODE_METRICS_UNKNOWN);
}

/*
 * Of the sizes that a record can say one is right: neither the bytes behind it nor those before are read as counters.
 */
UNIT_TEST(sizes_that_lie)
{
    uint8_t bytes[MOST];
    const size_t size = lay(bytes, 0x33); /* memory, registers, counters, metrics */

    for (size_t said = 32; said < MOST; said++) {
        bytes[6] = (uint8_t)said;
        bytes[7] = (uint8_t)(said >> 8);
        if (said != size)
            refuse(&lion_cove, bytes, sizeof(bytes), PEBS_DECODE_SIZE_DIFFERS);
    }
    lay(bytes, 0x10);
    bytes[32] ^= 1; /* one counter more than there is room for, and one less */
    refuse(&lion_cove, bytes, 32 + sizeof(golden), PEBS_DECODE_SIZE_DIFFERS);
    bytes[32] = 0;
    refuse(&lion_cove, bytes, 32 + sizeof(golden), PEBS_DECODE_SIZE_DIFFERS);
    lay(bytes, 0x20);
    bytes[40] = 2;
    refuse(&lion_cove, bytes, 32 + sizeof(golden), PEBS_DECODE_METRICS_UNKNOWN);
    bytes[40] = 0;
    refuse(&lion_cove, bytes, 32 + sizeof(golden), PEBS_DECODE_SIZE_DIFFERS);
}

/* Formats 4 and 5 lack the group, and so does a processor without the baseline. */
UNIT_TEST(of_format_6_alone)
{
    uint8_t bytes[MOST];
    const uint32_t groups[] = { 0x10, 0x20, 0x30 };

    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        struct pebs_form form = lion_cove;
        const size_t size = lay(bytes, groups[i]);
        for (form.format = 4; form.format < 6; form.format++)
            refuse(&form, bytes, size, PEBS_DECODE_GROUPS_UNKNOWN);
        form = lion_cove;
        form.adaptive = false;
        refuse(&form, bytes, size, PEBS_DECODE_GROUPS_UNKNOWN);
    }
    for (unsigned format = 0; format < 16; format++) {
        struct pebs_form form = { .width = 8, .format = format, .adaptive = true };
        assert_int_equal(pebs_form_has_counters(&form), format == 6);
        form.adaptive = false;
        assert_false(pebs_form_has_counters(&form));
        form = (struct pebs_form){ .width = 4, .format = format, .adaptive = true };
        assert_false(pebs_form_has_counters(&form));
    }
}

/* Requests by MSR_PEBS_DATA_CFG: bitmaps apply only with bit 4, the metrics only with bit 5. */
UNIT_TEST(sizes_asked_for)
{
    assert_int_equal(pebs_adaptive_size(0x00ffffff00000000), 32);
    assert_int_equal(pebs_adaptive_size(0x10), 48);
    assert_int_equal(pebs_adaptive_size(0x20), 64);
    assert_int_equal(pebs_adaptive_size(0x30), 64);
    assert_int_equal(pebs_adaptive_size(0x00ffffff00000020), 64);
    assert_int_equal(pebs_adaptive_size(0x000f03ff00000030), 64 + 14 * 8);
    assert_int_equal(pebs_adaptive_size(0x00ffffff1f00003f), 1456);
    for (unsigned bit = 32; bit < 64; bit++) {
        assert_int_equal(pebs_adaptive_size(UINT64_C(1) << bit | 0x10), bit < 56 ? 56 : 0);
        assert_int_equal(pebs_adaptive_size(UINT64_C(1) << bit), bit < 56 ? 32 : 0);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * Sizes, groups and refusals of PEBS records: the 32-bit format, formats 0 to 3, and adaptive formats 4 to 6 (SDM Vol.
 * 3B (253669-081), "PEBS Record Format" and "Adaptive PEBS"). The counters group of format 6: Linux 6.15,
 * asm/perf_event.h, struct pebs_cntr_header, and arch/x86/events/intel/ds.c. test_pebs_fields.c has the place of each
 * field of one word, test_pebs_arch.c architectural records.
 */
#include "tests/host/pebs_bytes.h"

#define MOST 2048

/*
 * Goldmont's records have the data's address, and reserve data source, latency and TSX: SDM Vol. 3B (253669-059), "PEBS
 * Data Linear Address Profiling", 18.7.1.1. Silvermont's reserve all four: table 18-13.
 */
UNIT_TEST(fixed_sizes)
{
    static const uint64_t format_1 = PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY | PEBS_HAS_SOURCE,
                          format_2 = format_1 | PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX,
                          format_3 = (format_2 ^ PEBS_HAS_STATUS) | PEBS_HAS_APPLICABLE | PEBS_HAS_TSC;
    const struct {
        struct pebs_form form;
        size_t size;
        uint64_t has;
    } rows[] = {
        { { .width = 4 }, 40, PEBS_HAS_GPRS },
        { { .width = 8 }, 144, PEBS_HAS_GPRS },
        { { .width = 8, .format = 1 }, 176, format_1 },
        { { .width = 8, .format = 2 }, 192, format_2 },
        { { .width = 8, .format = 3 }, 200, format_3 },
        { { .width = 8, .format = 3, .reserved = PEBS_RESERVED_SOURCE },
          200,
          format_3 & ~(PEBS_HAS_SOURCE | PEBS_HAS_TSX) },
        { { .width = 8, .format = 2, .reserved = PEBS_RESERVED_MEMORY },
          192,
          format_2 & ~(PEBS_HAS_MEMORY | PEBS_HAS_SOURCE | PEBS_HAS_TSX) },
    };
    uint8_t bytes[200];

    memset(bytes, 0xff, sizeof bytes);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pebs_record out = decode_record(&rows[i].form, bytes, rows[i].size, rows[i].size);
        assert_int_equal(pebs_record_size(&rows[i].form), rows[i].size);
        assert_int_equal(out.has, rows[i].has);
        assert_int_equal(out.data_address, rows[i].has & PEBS_HAS_MEMORY ? UINT64_MAX : 0);
        assert_int_equal(out.data_source | out.latency, rows[i].has & PEBS_HAS_SOURCE ? UINT64_MAX : 0);
        assert_int_equal(out.tsx, rows[i].has & PEBS_HAS_TSX ? UINT64_MAX : 0);
    }
}

/* The 32-bit area has only format 0; formats 5 and 6 are read like 4; 15 is architectural. */
UNIT_TEST(formats)
{
    const uint8_t bytes[200] = { [6] = 32 };
    struct pebs_record out;

    for (unsigned format = 4; format < 20; format++) {
        const struct pebs_form form = { .width = 8, .format = format, .adaptive = true };
        assert_int_equal(pebs_record_size(&form), 0);
        if (format < 7)
            assert_int_equal(pebs_decode(&form, bytes, sizeof bytes, &out), PEBS_DECODE_OK);
        else if (format != 15)
            refuse_record(&form, bytes, sizeof bytes, PEBS_DECODE_FORMAT_UNKNOWN);
    }
    for (unsigned format = 1; format < 17; format++) {
        const struct pebs_form form = { .width = 4, .format = format, .adaptive = true };
        assert_int_equal(pebs_record_size(&form), 0);
        refuse_record(&form, bytes, sizeof bytes, PEBS_DECODE_FORMAT_UNKNOWN);
    }
    assert_int_equal(pebs_record_size(&(struct pebs_form){ .width = 8, .format = ~0u }), 0);
    assert_int_equal(pebs_record_size(&(struct pebs_form){ .width = 0 }), 0);
}

enum { MEMORY = 1, GPRS = 2, XMM = 4, LBR = 8 };

/* Ice Lake's form; Golden Cove's has both latencies and the architectural LBR format. */
static const struct pebs_form icelake = { .width = 8, .format = 4, .adaptive = true, .lbr_format = 5 };
static const struct pebs_form golden_cove = {
    .width = 8, .format = 4, .adaptive = true, .retire_latency = true, .cache_latency = true, .lbr_format = 0x3f
};

/* [31:0] format group, [47:32] retire latency, [63:48] size. */
static void put_head(uint8_t *bytes, uint64_t groups, uint64_t size)
{
    write_u64(bytes, 0, groups | UINT64_C(0x77) << 32 | size << 48);
}

/* Builds a record in the manual's order: basic, memory, GPR, XMM, LBR. Returns its size. */
static size_t lay(uint8_t *bytes, unsigned groups, unsigned entries)
{
    size_t at = 32u + (groups & MEMORY ? 32u : 0) + (groups & GPRS ? 144u : 0);

    memset(bytes, 0x11, at);
    for (uint64_t i = 0; groups & XMM && i < 16; i++, at += 16) {
        write_u64(bytes, at, i << 56 | 0xaa);
        write_u64(bytes, at + 8, i << 56 | 0xbb);
    }
    for (unsigned i = 0; groups & LBR && i < entries; i++, at += 24) {
        write_u64(bytes, at, 0xffffffff81000000 + i);
        write_u64(bytes, at + 8, 0x700000005678);
        write_u64(bytes, at + 16,
                  0xd4000000000000ff); /* mispredicted, in TSX, cycles valid, type 4 (CALL), 255 cycles */
    }
    put_head(bytes, groups | (groups & LBR ? (uint64_t)(entries - 1) << 24 : 0), at);
    return at;
}

UNIT_TEST(every_combination)
{
    static const size_t sizes[16] = { 32, 64, 176, 208, 288, 320, 432, 464, 56, 88, 200, 232, 312, 344, 456, 488 };
    static const unsigned entries[] = { 1, 2, 3, 31, 32 };
    uint8_t bytes[MOST];

    for (unsigned groups = 0; groups < 16; groups++) {
        for (size_t i = 0; i < (groups & LBR ? COUNT_OF(entries) : 1); i++) {
            const size_t size = lay(bytes, groups, entries[i]);
            assert_int_equal(size, sizes[groups] + (entries[i] - 1) * 24);
            assert_int_equal(pebs_adaptive_size(groups | (groups & LBR ? (entries[i] - 1) << 24 : 0)), size);
            const struct pebs_record out = decode_record(&icelake, bytes, size, size);
            assert_int_equal(out.lbr_count, groups & LBR ? entries[i] : 0);
            assert_int_equal(out.has & (PEBS_HAS_APPLICABLE | PEBS_HAS_STATUS), PEBS_HAS_APPLICABLE);
        }
        const size_t size = lay(bytes, groups, 2);
        for (size_t length = 0; length < size; length++)
            refuse_record(&icelake, bytes, length, length < 32 ? PEBS_DECODE_TRUNCATED : PEBS_DECODE_SIZE_PAST_END);
    }
    assert_int_equal(pebs_adaptive_size(0x1f00000f), 1232);
}

UNIT_TEST(lbr_formats)
{
    struct pebs_form form = icelake;
    uint8_t bytes[MOST];
    const size_t size = lay(bytes, LBR, 1);

    form.lbr_format = 7; /* as 5, without TSX */
    struct pebs_record out = decode_record(&form, bytes, size, size);
    assert_int_equal(out.lbr[0].has, LBR_HAS_MISPRED | LBR_HAS_CYCLES);
    form.lbr_format = 9; /* unknown: only the addresses are decoded */
    out = decode_record(&form, bytes, size, size);
    assert_int_equal(out.lbr_count, 1);
    assert_int_equal(out.lbr[0].from, 0xffffffff81000000);
    assert_int_equal(out.lbr[0].to, 0x700000005678);
    assert_int_equal(out.lbr[0].has | out.lbr[0].cycles | out.lbr[0].mispredicted, 0);
    out = decode_record(&golden_cove, bytes, size, size);
    assert_int_equal(out.lbr[0].has, LBR_HAS_MISPRED | LBR_HAS_TSX | LBR_HAS_CYCLES | LBR_HAS_TYPE);
    assert_int_equal(out.lbr[0].type, LBR_TYPE_CALL);
    assert_true(out.has & PEBS_HAS_RETIRE_LATENCY);
    assert_false(out.has & PEBS_HAS_CACHE_LATENCY); /* it belongs to the memory group */
}

UNIT_TEST(wrong_sizes_in_the_record)
{
    uint8_t bytes[1232] = { 0 };
    const size_t size = lay(bytes, MEMORY | GPRS, 1);

    for (size_t said = 0; said < 65536; said += said < 1300 ? 1 : 251) {
        put_head(bytes, MEMORY | GPRS, said);
        if (said != size)
            refuse_record(&icelake, bytes, sizeof(bytes),
                          said == 0              ? PEBS_DECODE_SIZE_ZERO
                          : said < 32            ? PEBS_DECODE_SIZE_SMALL
                          : said > sizeof(bytes) ? PEBS_DECODE_SIZE_PAST_END
                                                 : PEBS_DECODE_SIZE_DIFFERS);
    }
}

/* The decoder refuses each unknown bit, even if the size would fit. */
UNIT_TEST(unknown_groups)
{
    uint8_t bytes[MOST] = { 0 };
    const size_t size = lay(bytes, 0, 1);

    for (unsigned bit = 4; bit < 32; bit++) {
        if (bit >= 24 && bit <= 28)
            continue; /* LBR entries */
        put_head(bytes, UINT64_C(1) << bit, size);
        refuse_record(&icelake, bytes, sizeof(bytes), PEBS_DECODE_GROUPS_UNKNOWN);
        if (bit >= 6) /* format 6 defines two more */
            assert_int_equal(pebs_adaptive_size(UINT64_C(1) << bit), 0);
    }
    for (unsigned bit = 56; bit < 64; bit++)
        assert_int_equal(pebs_adaptive_size(UINT64_C(1) << bit), 0);
    for (unsigned groups = 1; groups < 16; groups++) { /* a processor without adaptive PEBS has none of them */
        struct pebs_form form = icelake;
        form.adaptive = false;
        refuse_record(&form, bytes, lay(bytes, groups, 1), PEBS_DECODE_GROUPS_UNKNOWN);
    }
}

/* What a processor reserves in the memory group: PEBS_RESERVED_SOURCE leaves the data's address. */
UNIT_TEST(reserved_in_groups)
{
    static const uint64_t source = PEBS_HAS_SOURCE | PEBS_HAS_CACHE_LATENCY | PEBS_HAS_TSX | PEBS_HAS_TSX_CYCLES;
    uint8_t bytes[MOST];
    const size_t size = lay(bytes, MEMORY, 1);

    for (unsigned reserved = 0; reserved < 3; reserved++) {
        struct pebs_form form = golden_cove;
        form.reserved = (enum pebs_reserved)reserved;
        const struct pebs_record out = decode_record(&form, bytes, size, size);
        assert_int_equal(out.has & (source | PEBS_HAS_MEMORY), reserved == PEBS_RESERVED_NONE ? source | PEBS_HAS_MEMORY
                                                               : reserved == PEBS_RESERVED_SOURCE ? PEBS_HAS_MEMORY
                                                                                                  : 0);
    }
}

static const struct pebs_form lion_cove = {
    .width = 8, .format = 6, .adaptive = true, .retire_latency = true, .cache_latency = true, .lbr_format = 0x3f
};

/*
 * A record of zeros with these groups before the counters group: two bitmaps and a metrics field of 32 bits each, 32
 * reserved bits, then a quadword for each bitmap bit, here 1, 2, 3, .., and two for the metrics if that field is 3.
 */
static size_t lay_counters(uint8_t *bytes, uint32_t groups, uint64_t counted, uint32_t metrics)
{
    const unsigned words = (unsigned)__builtin_popcountll(counted) + (metrics == 3 ? 2 : 0);
    size_t at = 32u + (groups & MEMORY ? 32u : 0) + (groups & GPRS ? 144u : 0) + (groups & XMM ? 256u : 0) +
                (groups & LBR ? 24u * ((groups >> 24) + 1) : 0);

    memset(bytes, 0, MOST);
    write_u64(bytes, at, counted);
    write_u64(bytes, at + 8, UINT64_C(0xeeeeeeee) << 32 | metrics);
    at += 16;
    for (unsigned i = 1; i <= words; i++, at += 8)
        write_u64(bytes, at, i);
    put_head(bytes, groups, at);
    return at;
}

UNIT_TEST(counters_after_all_groups)
{
    static const uint64_t counted = 0x0000000980000202;
    uint8_t bytes[MOST];

    for (uint32_t groups = 0; groups < 16; groups++)
        for (uint32_t bits = 1; bits < 4; bits++) { /* bit 4, bit 5, or both: only the header determines the contents */
            const uint32_t format = groups | bits << 4 | (groups & 8 ? 6u << 24 : 0);
            const size_t size = lay_counters(bytes, format, counted, 3);
            const struct pebs_record out = decode_record(&lion_cove, bytes, size, size);
            assert_int_equal(out.counted, counted);
            assert_int_equal(out.counts[4], 5);
            assert_int_equal(out.metrics, 7);
            for (size_t length = 32; length < size; length += 5)
                refuse_record(&lion_cove, bytes, length, PEBS_DECODE_SIZE_PAST_END);
        }
    assert_int_equal(pebs_group_at(0x0600003f, PEBS_IN_COUNTERS), 32 + 32 + 144 + 256 + 7 * 24);
    assert_int_equal(pebs_group_at(0x0f, PEBS_IN_COUNTERS), SIZE_MAX);
    /* A record without the group has no counters, whatever bytes follow. */
    lay_counters(bytes, 0x10, counted, 3);
    put_head(bytes, 0, 32);
    assert_false(decode_record(&lion_cove, bytes, 32, 32).has & (PEBS_HAS_COUNTS | PEBS_HAS_METRICS));
}

UNIT_TEST(metrics_are_whole_or_none)
{
    uint8_t bytes[MOST];

    for (unsigned bit = 0; bit < 32; bit++)
        refuse_record(&lion_cove, bytes, lay_counters(bytes, 0x30, 3, 1u << bit), PEBS_DECODE_METRICS_UNKNOWN);
    refuse_record(&lion_cove, bytes, lay_counters(bytes, 0x30, 3, 7), PEBS_DECODE_METRICS_UNKNOWN);
}

UNIT_TEST(sizes_of_counters)
{
    uint8_t bytes[MOST];
    const size_t size = lay_counters(bytes, 0x33, 0x0000000980000202, 3);

    for (size_t said = 32; said < MOST; said++) {
        put_head(bytes, 0x33, said);
        if (said != size)
            refuse_record(&lion_cove, bytes, sizeof(bytes), PEBS_DECODE_SIZE_DIFFERS);
    }
    /* In MSR_PEBS_DATA_CFG, bitmaps apply only with bit 4, metrics only with bit 5. */
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

/* Formats 4 and 5 lack the group, and processors without the baseline. */
UNIT_TEST(counters_only_in_format_6)
{
    uint8_t bytes[MOST];

    for (uint32_t groups = 0x10; groups <= 0x30; groups += 0x10) {
        struct pebs_form form = lion_cove;
        const size_t size = lay_counters(bytes, groups, 3, 0);
        for (form.format = 4; form.format < 6; form.format++)
            refuse_record(&form, bytes, size, PEBS_DECODE_GROUPS_UNKNOWN);
        form = lion_cove;
        form.adaptive = false;
        refuse_record(&form, bytes, size, PEBS_DECODE_GROUPS_UNKNOWN);
    }
    for (unsigned format = 0; format < 16; format++) {
        assert_int_equal(pebs_form_has_counters(&(struct pebs_form){ .width = 8, .format = format, .adaptive = true }),
                         format == 6);
        assert_false(pebs_form_has_counters(&(struct pebs_form){ .width = 8, .format = format }));
        assert_false(pebs_form_has_counters(&(struct pebs_form){ .width = 4, .format = format, .adaptive = true }));
    }
}

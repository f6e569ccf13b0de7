/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of adaptive PEBS records, in every combination of groups. Sizes and layouts are typed again from the
 * manual's tables (basic info, memory access info, GPRs, XMMs, LBRs); a byte of the GPR and XMM groups is its own
 * offset in the group, so that a register's value says where it stands.
 */
#include "tests/host/unit_test.h"

#include "model/bytes/adaptive.h"

#define EIGHT_UP_FROM(first) \
    (first), (first) + 1, (first) + 2, (first) + 3, (first) + 4, (first) + 5, (first) + 6, (first) + 7
#define QUADWORD_UP_FROM(first) (UINT64_C(0x0706050403020100) + UINT64_C(0x0101010101010101) * (first))

/* The basic group after its first field, which each test makes itself. */
static const uint8_t golden_basic[24] = {
    EIGHT_UP_FROM(0xa0), /* 08h EventingIP */
    EIGHT_UP_FROM(0xa8), /* 10h applicable counters */
    EIGHT_UP_FROM(0xb0), /* 18h TSC */
};

static const uint8_t golden_meminfo[32] = {
    EIGHT_UP_FROM(0xc0), /* 00h data linear address */
    EIGHT_UP_FROM(0xc8), /* 08h auxiliary information: data source */
    0xd0,
    0xd1,
    0x00,
    0x00,
    0xd4,
    0xd5,
    0x00,
    0x00,                /* 10h instruction latency 15:0, cache latency 47:32 */
    EIGHT_UP_FROM(0xd8), /* 18h TSX */
};

static const uint8_t golden_gprs[144] = {
    EIGHT_UP_FROM(0x00), /* RFLAGS */
    EIGHT_UP_FROM(0x08), /* RIP */
    EIGHT_UP_FROM(0x10), /* RAX */
    EIGHT_UP_FROM(0x18), /* RCX */
    EIGHT_UP_FROM(0x20), /* RDX */
    EIGHT_UP_FROM(0x28), /* RBX */
    EIGHT_UP_FROM(0x30), /* RSP */
    EIGHT_UP_FROM(0x38), /* RBP */
    EIGHT_UP_FROM(0x40), /* RSI */
    EIGHT_UP_FROM(0x48), /* RDI */
    EIGHT_UP_FROM(0x50), /* R8 */
    EIGHT_UP_FROM(0x58), /* R9 */
    EIGHT_UP_FROM(0x60), /* R10 */
    EIGHT_UP_FROM(0x68), /* R11 */
    EIGHT_UP_FROM(0x70), /* R12 */
    EIGHT_UP_FROM(0x78), /* R13 */
    EIGHT_UP_FROM(0x80), /* R14 */
    EIGHT_UP_FROM(0x88), /* R15 */
};

static const struct pebs_contents contents = {
    .rflags = QUADWORD_UP_FROM(0x00),
    .ip = QUADWORD_UP_FROM(0x08),
    .general = {
        [RAX] = QUADWORD_UP_FROM(0x10),
        [RCX] = QUADWORD_UP_FROM(0x18),
        [RDX] = QUADWORD_UP_FROM(0x20),
        [RBX] = QUADWORD_UP_FROM(0x28),
        [RSP] = QUADWORD_UP_FROM(0x30),
        [RBP] = QUADWORD_UP_FROM(0x38),
        [RSI] = QUADWORD_UP_FROM(0x40),
        [RDI] = QUADWORD_UP_FROM(0x48),
        [R8] = QUADWORD_UP_FROM(0x50),
        [R9] = QUADWORD_UP_FROM(0x58),
        [R10] = QUADWORD_UP_FROM(0x60),
        [R11] = QUADWORD_UP_FROM(0x68),
        [R12] = QUADWORD_UP_FROM(0x70),
        [R13] = QUADWORD_UP_FROM(0x78),
        [R14] = QUADWORD_UP_FROM(0x80),
        [R15] = QUADWORD_UP_FROM(0x88),
    },
    .counters = QUADWORD_UP_FROM(0xa8),
    .data_address = QUADWORD_UP_FROM(0xc0),
    .data_source = QUADWORD_UP_FROM(0xc8),
    .latency = 0xd1d0,
    .eventing_ip = QUADWORD_UP_FROM(0xa0),
    .tsx = QUADWORD_UP_FROM(0xd8),
    .tsc = QUADWORD_UP_FROM(0xb0),
};

static const struct lbr_entry stack[3] = {
    { 0xffffffff81000010, 0xffffffff81000020, 0x8000000000000007 },
    { 0x401000, 0x402000, 0x1500000000000009 },
    { 0x403000, 0x404000, 0x6000000000000000 },
};

/* Index: bits 3:0 of MSR_PEBS_DATA_CFG, with one LBR entry. */
static const size_t sizes[16] = { 32, 64, 176, 208, 288, 320, 432, 464, 56, 88, 200, 232, 312, 344, 456, 488 };

static struct adaptive_contents extra_of(uint64_t format)
{
    struct adaptive_contents extra = {
        .format = format, .retire_latency = 0x9594, .cache_latency = 0xd5d4, .lbr = stack, .lbr_count = 3
    };

    for (unsigned i = 0; i < 16; i++) {
        uint64_t low = 0, high = 0;

        for (unsigned byte = 8; byte-- > 0;) {
            low = low << 8 | (16 * i + byte);
            high = high << 8 | (16 * i + 8 + byte);
        }
        extra.xmm[i][0] = low;
        extra.xmm[i][1] = high;
    }
    return extra;
}

static uint64_t quadword(const uint8_t *bytes)
{
    uint64_t value = 0;

    for (unsigned i = 8; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/* The record's memory has exactly its size, guarded by the address sanitizer. */
static uint8_t *encoded(const struct adaptive_contents *extra, size_t size)
{
    uint8_t *bytes = malloc(size);

    assert_non_null(bytes);
    memset(bytes, 0xee, size);
    adaptive_encode(bytes, &contents, extra);
    return bytes;
}

UNIT_TEST(sizes_of_all_combinations)
{
    for (uint32_t format = 0; format < 16; format++) {
        assert_int_equal(adaptive_bytes(format), sizes[format]);
        assert_int_equal(adaptive_bytes(format | 31u << 24), sizes[format] + (format & 8 ? 31 * 24 : 0));
    }
    assert_int_equal(adaptive_bytes(0x1f00000f), 1232);
    assert_int_equal(adaptive_bytes(0xff00000f), 6608);
    assert_int_equal(ADAPTIVE_MAX_BYTES, 6608 + 16 + 24 * 8 + 16);
}

UNIT_TEST(contents_of_all_combinations)
{
    for (uint32_t format = 0; format < 16; format++) {
        uint32_t with_count = format | 1u << 24; /* two entries */
        size_t size = sizes[format] + (format & 8 ? 24 : 0);
        struct adaptive_contents extra = extra_of(with_count);
        uint8_t *bytes = encoded(&extra, size);
        const uint8_t *at = bytes + 32;

        assert_int_equal(quadword(bytes), (uint64_t)size << 48 | 0x959400000000 | with_count);
        assert_memory_equal(bytes + 8, golden_basic, 24);
        if (format & 1) {
            assert_memory_equal(at, golden_meminfo, 32);
            at += 32;
        }
        if (format & 2) {
            assert_memory_equal(at, golden_gprs, 144);
            at += 144;
        }
        if (format & 4) {
            for (unsigned i = 0; i < 256; i++) {
                assert_int_equal(at[i], i);
            }
            at += 256;
        }
        if (format & 8) {
            assert_int_equal(quadword(at + 0), 0xffffffff81000010);
            assert_int_equal(quadword(at + 8), 0xffffffff81000020);
            assert_int_equal(quadword(at + 16), 0x8000000000000007);
            assert_int_equal(quadword(at + 24), 0x401000);
            assert_int_equal(quadword(at + 32), 0x402000);
            assert_int_equal(quadword(at + 40), 0x1500000000000009);
            at += 48;
        }
        assert_ptr_equal(at, bytes + size);
        free(bytes);
    }
}

/*
 * The counters group is the last. Linux 6.15, arch/x86/include/asm/perf_event.h, struct pebs_cntr_header: general 1 and
 * 9, fixed 0 and 3, and the metrics.
 */
UNIT_TEST(counters_and_metrics)
{
    static const uint8_t golden_header[16] = { 0x02, 0x02, 0, 0, 0x09, 0, 0, 0, 0x03, 0, 0, 0, 0, 0, 0, 0 };
    static const struct {
        uint64_t format;
        size_t size;
    } rows[] = {
        { 0x00ffffff00000000, 32 },
        { 0x0009020200000000 | 0x10, 48 + 32 },
        { 0x0009020200000000 | 0x20, 48 + 16 },
        { 0x10, 48 },
        { 0x0009020200000000 | 0x30, 96 },
        { 0x0009020201000000 | 0x3f, 96 + 480 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct adaptive_contents extra = extra_of(rows[i].format);
        const bool counters = rows[i].format & 0x10 && rows[i].format >> 32, metrics = rows[i].format & 0x20;
        uint8_t *bytes, *at;

        for (unsigned n = 0; n < 4; n++) {
            extra.counters[n] = 0x1000000000 + n;
        }
        extra.slots = 0x1122334455;
        extra.metrics = 0x8877665544332211;
        assert_int_equal(adaptive_bytes(rows[i].format), rows[i].size);
        bytes = encoded(&extra, rows[i].size);
        assert_int_equal(quadword(bytes), (uint64_t)rows[i].size << 48 | 0x959400000000 | (uint32_t)rows[i].format);
        if (rows[i].format & 0x30) {
            at = bytes + rows[i].size - 16 - (counters ? 32 : 0) - (metrics ? 16 : 0);
            for (unsigned byte = 0; byte < 16; byte++) {
                const bool there = byte < 8 ? counters : metrics;

                assert_int_equal(at[byte], there ? golden_header[byte] : 0);
            }
            at += 16;
            for (unsigned n = 0; counters && n < 4; n++, at += 8) {
                assert_int_equal(quadword(at), 0x1000000000 + n);
            }
            if (metrics) {
                assert_int_equal(quadword(at), 0x1122334455);
                assert_int_equal(quadword(at + 8), 0x8877665544332211);
            }
        }
        free(bytes);
    }
}

/* A real log of format 0Fh with an LBR field of 0: 488 bytes, 0x1e8. */
UNIT_TEST(first_field_of_a_real_record)
{
    struct adaptive_contents extra = extra_of(0x0f);
    uint8_t *bytes;

    extra.retire_latency = 0;
    bytes = encoded(&extra, 488);
    assert_int_equal(quadword(bytes), 0x01e800000000000f);
    free(bytes);
}

/* Entries beyond the stack are zero, whatever the buffer held. */
UNIT_TEST(more_entries_than_there_are)
{
    struct adaptive_contents extra = extra_of(0x05000008);
    uint8_t *bytes = encoded(&extra, 32 + 6 * 24);

    assert_int_equal(quadword(bytes + 32 + 2 * 24 + 16), 0x6000000000000000);
    for (unsigned i = 32 + 3 * 24; i < 32 + 6 * 24; i++) {
        assert_int_equal(bytes[i], 0);
    }
    free(bytes);
}

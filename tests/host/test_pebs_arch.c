/* SPDX-License-Identifier: MIT */
/*
 * Records of architectural PEBS: groups, fragments and refusals. Boots compare LBRs, counts and text with the truth.
 * Bytes are typed from Intel Architecture Instruction Set Extensions Programming Reference (319433), chapter 11
 * "Architectural PEBS", by way of the structures of Linux, commit 52448a0a7390.
 */
#include "tests/host/lines.h"
#include "tests/host/pebs_bytes.h"

#include "pebs/layout/arch_pebs.h"
#include "kernel/report/record_text.h"

#define BIT(n) (UINT64_C(1) << (n))

enum { MOST = 8192 };

/* The groups' bits in a header, in a record's order. */
static const struct group {
    uint64_t bit;
    size_t bytes;
} order[] = {
    { BIT(63), 48 },  { BIT(62), 64 },  { BIT(61), 160 }, /* basic, aux, registers */
    { BIT(49), 256 }, { BIT(50), 256 }, { BIT(52), 128 }, { BIT(53), 64 }, { BIT(54), 512 }, { BIT(55), 1024 },
};
#define VECTORS (BIT(49) | BIT(50) | BIT(51) | BIT(52) | BIT(53) | BIT(54) | BIT(55))

/* The variable parts of a fragment. */
struct parts {
    uint64_t groups;  /* bits of the header's first word, without the size */
    unsigned entries; /* of the LBR group */
    uint64_t counted; /* in the counters group, general in the lower half */
    unsigned metrics; /* of its header: 3, both words follow */
    unsigned padding;
};

static unsigned ones(uint64_t bits)
{
    return (unsigned)__builtin_popcountll(bits);
}

/* Builds a fragment; returns its size. The words of groups encode group and position. */
static size_t lay(uint8_t *bytes, struct parts parts)
{
    size_t at = 16;

    memset(bytes, 0, 16);
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        if (order[i].bit == BIT(49) && parts.groups & VECTORS) {
            write_u64(bytes, at, 0x80e6);
            write_u64(bytes, at + 8, 0xdddddddddddddddd);
            at += 16;
        }
        if (!(parts.groups & order[i].bit) && !(order[i].bit == BIT(52) && parts.groups & BIT(51)))
            continue;
        for (size_t k = 0; k < order[i].bytes; k += 8)
            write_u64(bytes, at + k, (uint64_t)(i + 1) << 32 | k);
        at += order[i].bytes;
    }
    if (parts.groups & (BIT(40) | BIT(41))) {
        static const uint64_t header[] = { 0xeeee, 0x7f0007, 0, 0x201111, 0x202222, 0x8000000000000333 };
        for (unsigned i = 0; i < 6; i++)
            write_u64(bytes, at + 8 * i, i == 2 ? parts.entries : header[i]);
        at += 48;
        for (unsigned i = 0; i < parts.entries; i++, at += 24) {
            write_u64(bytes, at, 0xffffffff81000000 + i);
            write_u64(bytes, at + 8, 0x700000005678);
            write_u64(bytes, at + 16, 0xd4000000000000ff);
        }
    }
    if (parts.groups & (BIT(35) | BIT(36) | BIT(37) | BIT(38))) {
        write_u64(bytes, at, parts.counted);
        write_u64(bytes, at + 8, parts.metrics);
        at += 16;
        for (unsigned i = 0; i < ones(parts.counted) + (parts.metrics == 3 ? 2 : 0); i++, at += 8)
            write_u64(bytes, at, 0xffff00000000 + i);
    }
    memset(bytes + at, 0, parts.padding);
    at += parts.padding;
    write_u64(bytes, 0, parts.groups | at);
    return at;
}

static const struct pebs_form form = { .width = 8, .format = 15, .lbr_format = 0x3f };

#define decode(bytes, length, size)  decode_record(&form, bytes, length, size)
#define refuse(bytes, length, error) refuse_record(&form, bytes, length, error)

static void check_groups(const struct pebs_record *out, uint64_t groups)
{
    const bool aux = groups & BIT(62), gprs = groups & BIT(61);

    static const uint64_t compared = PEBS_HAS_MEMORY | PEBS_HAS_GPRS | PEBS_HAS_XER | PEBS_HAS_XMM | PEBS_HAS_YMMH |
                                     PEBS_HAS_EGPR | PEBS_HAS_OPMASK | PEBS_HAS_ZMMH | PEBS_HAS_H16ZMM | PEBS_HAS_LBR |
                                     PEBS_HAS_LER | PEBS_HAS_APPLICABLE | PEBS_HAS_STATUS;

    assert_int_equal(out->has & compared,
                     PEBS_HAS_APPLICABLE | (aux ? PEBS_HAS_MEMORY : 0) | (gprs ? PEBS_HAS_GPRS : 0) |
                         (groups & VECTORS ? PEBS_HAS_XER : 0) | (groups & BIT(49) ? PEBS_HAS_XMM : 0) |
                         (groups & BIT(50) ? PEBS_HAS_YMMH : 0) | (groups & (BIT(51) | BIT(52)) ? PEBS_HAS_EGPR : 0) |
                         (groups & BIT(53) ? PEBS_HAS_OPMASK : 0) | (groups & BIT(54) ? PEBS_HAS_ZMMH : 0) |
                         (groups & BIT(55) ? PEBS_HAS_H16ZMM : 0) |
                         (groups & (BIT(40) | BIT(41)) ? PEBS_HAS_LBR | PEBS_HAS_LER : 0));
    assert_int_equal(out->format_group, groups);
    assert_int_equal(out->eventing_ip, UINT64_C(1) << 32);
    assert_int_equal(out->tsx, aux ? UINT64_C(2) << 32 | 0x38 : 0);
    assert_int_equal(out->gpr[15], gprs ? UINT64_C(3) << 32 | 0x88 : 0);
    assert_int_equal(out->ssp, gprs ? UINT64_C(3) << 32 | 0x90 : 0);
    assert_int_equal(out->xer, groups & VECTORS ? 0x80e6 : 0);
    for (uint64_t i = 0; i < 16; i++) {
        assert_int_equal(out->xmm[i].low, groups & BIT(49) ? UINT64_C(4) << 32 | 16 * i : 0);
        assert_int_equal(out->xmm[i].high, groups & BIT(49) ? UINT64_C(4) << 32 | (16 * i + 8) : 0);
        assert_int_equal(out->egpr[i], groups & (BIT(51) | BIT(52)) ? UINT64_C(6) << 32 | 8 * i : 0);
        assert_int_equal(out->opmask[i % 8], groups & BIT(53) ? UINT64_C(7) << 32 | 8 * (i % 8) : 0);
        for (unsigned k = 0; k < 8; k++) {
            if (k < 2)
                assert_int_equal(out->ymmh[i][k], groups & BIT(50) ? UINT64_C(5) << 32 | (16 * i + 8 * k) : 0);
            if (k < 4)
                assert_int_equal(out->zmmh[i][k], groups & BIT(54) ? UINT64_C(8) << 32 | (32 * i + 8 * k) : 0);
            assert_int_equal(out->h16zmm[i][k], groups & BIT(55) ? UINT64_C(9) << 32 | (64 * i + 8 * k) : 0);
        }
    }
}

/* Every combination of the nine groups of fixed size, both possible bits for R16 to R31, and both modes. */
UNIT_TEST(every_combination)
{
    static const uint64_t bits[] = { BIT(62), BIT(61), BIT(49), BIT(50), BIT(52), BIT(53), BIT(54), BIT(55) };

    for (unsigned choice = 0; choice < 256; choice++) {
        uint8_t bytes[MOST];
        uint64_t groups = BIT(63), mode = choice & 1 ? BIT(30) : 0;
        for (unsigned i = 0; i < 8; i++)
            groups |= choice >> i & 1 ? bits[i] : 0;
        if (choice & 2 && groups & BIT(52))
            groups ^= BIT(51) | BIT(52);
        size_t size = lay(bytes, (struct parts){ .groups = groups | mode });
        assert_int_equal(arch_pebs_size(groups, 0, 0), size);
        struct pebs_record out = decode(bytes, size, size);
        check_groups(&out, groups);
        assert_int_equal(out.mode_64, mode != 0);
        assert_int_equal(out.fragments, 1);
        assert_int_equal(out.lbr_count | out.counted, 0);
    }
}

/* Registers of a component whose bit of XSTATE_BV is clear are 0. R16 to R31 have no bit. */
UNIT_TEST(components)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        uint8_t bytes[MOST];
        const size_t size = lay(bytes, (struct parts){ .groups = BIT(63) | (VECTORS & ~BIT(51)) });
        write_u64(bytes, 64, BIT(bit));
        const struct pebs_record out = decode(bytes, size, size);
        assert_int_equal(out.xmm[15].high != 0, bit == 1);
        assert_int_equal(out.ymmh[15][1] != 0, bit == 2);
        assert_int_equal(out.opmask[7] != 0, bit == 5);
        assert_int_equal(out.zmmh[15][3] != 0, bit == 6);
        assert_int_equal(out.h16zmm[15][7] != 0, bit == 7);
        assert_int_not_equal(out.egpr[15], 0);
    }
}

UNIT_TEST(sizes)
{
    assert_int_equal(arch_pebs_size(0, 32, UINT64_MAX), 64);
    assert_int_equal(arch_pebs_size(BIT(63) | 0xffffffff, 32, UINT64_MAX),
                     64); /* the enable bit and the reload value */
    assert_int_equal(arch_pebs_size(BIT(40), 32, 0), 64 + 48 + 8 * 24);
    assert_int_equal(arch_pebs_size(BIT(41), 32, 0), 64 + 48 + 16 * 24);
    assert_int_equal(arch_pebs_size(BIT(40) | BIT(41), 32, 0), 64 + 48 + 32 * 24);
    assert_int_equal(arch_pebs_size(BIT(40) | BIT(41), 24, 0), 64 + 48 + 24 * 24);
    assert_int_equal(arch_pebs_size(BIT(36), 0, 0xff), 64 + 16 + 64);
    assert_int_equal(arch_pebs_size(BIT(37), 0, 0x700000000), 64 + 16 + 32); /* to the next unit */
    assert_int_equal(arch_pebs_size(BIT(38), 0, 0), 64 + 16 + 16);
    assert_int_equal(arch_pebs_size(BIT(35), 0, 0), 64 + 16);
}

/* From the groups of MSR_PEBS_DATA_CFG; bits 31:24 are the number of LBR entries, minus 1. */
UNIT_TEST(groups_of_data_cfg)
{
    static const uint64_t rows[][2] = { { 0, 0 },
                                        { BIT(0), BIT(62) },
                                        { BIT(1), BIT(61) },
                                        { BIT(2), BIT(49) },
                                        { 0xff000000, 0 },
                                        { BIT(3) | 7 << 24, BIT(40) },
                                        { BIT(3) | 8 << 24, BIT(41) },
                                        { BIT(3) | 15 << 24, BIT(41) },
                                        { BIT(3) | 16 << 24, BIT(40) | BIT(41) } };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(arch_pebs_groups(rows[i][0]), rows[i][1]);
}

static size_t lay_chain(uint8_t *bytes, const struct parts *parts, size_t count)
{
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        at += lay(bytes + at, parts[i]);
    return at;
}

/* Each fragment has its own groups; null records may be between them. The next bytes are another record. */
UNIT_TEST(fragments)
{
    static const struct parts chain[] = {
        { .groups = 0 },
        { .groups = BIT(63) | BIT(31) | BIT(30) },
        { .groups = BIT(62) | BIT(49) | BIT(31) },
        { .groups = 0, .padding = 32 },
        { .groups = BIT(61) | BIT(50) | BIT(31) },
        { .groups = BIT(40) | BIT(31), .entries = 8 },
        { .groups = BIT(36) | BIT(37), .counted = 3 },
        { .groups = BIT(63) },
    };
    uint8_t bytes[MOST];
    const size_t size = lay_chain(bytes, chain, COUNT_OF(chain) - 1);
    const size_t all = lay_chain(bytes, chain, COUNT_OF(chain));
    struct pebs_record out = decode(bytes, all, size);

    check_groups(&out, BIT(63) | BIT(62) | BIT(61) | BIT(49) | BIT(50) | BIT(40) | BIT(36) | BIT(37));
    assert_int_equal(out.fragments, 5);
    assert_int_equal(out.mode_64, 1);
    assert_int_equal(out.lbr_count, 8);
    assert_int_equal(out.counted, 3);
    assert_int_equal(out.counts[1], 0xffff00000001);
    out = decode(bytes + size, all - size, all - size);
    check_groups(&out, BIT(63));
    assert_int_equal(out.fragments, 1);

    for (size_t length = 0; length < size; length++) {
        uint8_t *copy = exact_copy(bytes, length);
        assert_int_not_equal(pebs_decode(&form, copy, length, &out), PEBS_DECODE_OK);
        free(copy);
    }
}

UNIT_TEST(extent)
{
    static const struct parts chain[] = { { .groups = BIT(63) | BIT(31) }, { .groups = BIT(61) } };
    uint8_t bytes[MOST];
    const size_t whole = lay_chain(bytes, chain, COUNT_OF(chain));
    size_t size = 7;

    assert_int_equal(arch_pebs_extent(bytes, whole, &size), PEBS_DECODE_OK);
    assert_int_equal(size, 64 + 176);
    size = 7;
    assert_int_equal(arch_pebs_extent(bytes, 64, &size), PEBS_DECODE_UNFINISHED);
    assert_int_equal(arch_pebs_extent(bytes, 64 + 15, &size), PEBS_DECODE_UNFINISHED);
    assert_int_equal(arch_pebs_extent(bytes, 64 + 16, &size), PEBS_DECODE_SIZE_PAST_END);
    assert_int_equal(arch_pebs_extent(bytes, 15, &size), PEBS_DECODE_TRUNCATED);
    assert_int_equal(size, 7);
    assert_true(arch_pebs_continued(BIT(31) | 64));
    assert_true(arch_pebs_continued(16)); /* a null record */
    assert_false(arch_pebs_continued(BIT(63) | 64));
    assert_false(arch_pebs_continued(BIT(16) | 16));
}

UNIT_TEST(sizes_past_the_end)
{
    uint8_t bytes[MOST] = { 0 };
    const size_t size = lay(bytes, (struct parts){ .groups = BIT(63) | BIT(61) });

    refuse(bytes, 0, PEBS_DECODE_TRUNCATED);
    refuse(bytes, 15, PEBS_DECODE_TRUNCATED);
    refuse(bytes, 16, PEBS_DECODE_SIZE_PAST_END);
    refuse(bytes, size - 1, PEBS_DECODE_SIZE_PAST_END);
    write_u64(bytes, 0, BIT(63));
    refuse(bytes, size, PEBS_DECODE_SIZE_ZERO);
    for (unsigned small = 1; small < 16; small++) {
        write_u64(bytes, 0, BIT(63) | small);
        refuse(bytes, size, PEBS_DECODE_HEADER_SMALL);
    }
    for (unsigned less = 16; less < 64; less++) { /* the basic group does not fit */
        write_u64(bytes, 0, BIT(63) | less);
        refuse(bytes, size, PEBS_DECODE_SIZE_DIFFERS);
    }
    write_u64(bytes, 0, BIT(63) | 64);
    decode(bytes, size, 64);
    write_u64(bytes, 0, BIT(63) | (64 + 15)); /* up to the next unit it may be padding */
    decode(bytes, size, 64 + 15);
    write_u64(bytes, 0, BIT(63) | (64 + 16));
    refuse(bytes, size, PEBS_DECODE_SIZE_DIFFERS);
    write_u64(bytes, 0, BIT(63) | 0xffff);
    refuse(bytes, size, PEBS_DECODE_SIZE_PAST_END);
}

/* A group of variable size extends past the end of its fragment, with its header or with its contents. */
UNIT_TEST(groups_past_the_end)
{
    uint8_t bytes[MOST] = { 0 };
    size_t size = lay(bytes, (struct parts){ .groups = BIT(63) | BIT(40), .entries = 8 });

    write_u64(bytes, 0, BIT(63) | BIT(40) | (size - 1));
    refuse(bytes, MOST, PEBS_DECODE_SIZE_DIFFERS);
    write_u64(bytes, 0, BIT(63) | BIT(41) | size);
    refuse(bytes, MOST, PEBS_DECODE_SIZE_DIFFERS);
    write_u64(bytes, 0, BIT(63) | BIT(40) | (64 + 47));
    refuse(bytes, MOST, PEBS_DECODE_SIZE_DIFFERS);

    size = lay(bytes, (struct parts){ .groups = BIT(63) | BIT(40) | BIT(41), .entries = 32 });
    write_u64(bytes, 64 + 16, 33);
    refuse(bytes, MOST, PEBS_DECODE_LBR_DEPTH);
    write_u64(bytes, 64 + 16, BIT(32));
    refuse(bytes, MOST, PEBS_DECODE_LBR_DEPTH);
    write_u64(bytes, 64 + 16, 31);
    refuse(bytes, MOST, PEBS_DECODE_SIZE_DIFFERS);

    size = lay(bytes, (struct parts){ .groups = BIT(63) | BIT(36), .counted = 0xf });
    write_u64(bytes, 0, BIT(63) | BIT(36) | (size - 1));
    refuse(bytes, MOST, PEBS_DECODE_SIZE_DIFFERS);
    write_u64(bytes, 0, BIT(63) | BIT(36) | (64 + 15));
    refuse(bytes, MOST, PEBS_DECODE_SIZE_DIFFERS);
    write_u64(bytes, 0, BIT(63) | BIT(36) | size);
    bytes[64 + 8] = 3;
    refuse(bytes, MOST, PEBS_DECODE_SIZE_DIFFERS);
    for (unsigned bit = 0; bit < 32; bit++) {
        write_u64(bytes, 64 + 8, BIT(bit));
        refuse(bytes, MOST, PEBS_DECODE_METRICS_UNKNOWN);
    }
    write_u64(bytes, 64 + 8, BIT(32));
    assert_int_equal(decode(bytes, size, size).has & PEBS_HAS_METRICS, 0);
}

UNIT_TEST(groups_unknown)
{
    uint8_t bytes[MOST] = { 0 };
    uint64_t known = BIT(30) | BIT(31) | VECTORS | BIT(35) | BIT(36) | BIT(37) | BIT(38) | BIT(39) | BIT(40) | BIT(41) |
                     BIT(61) | BIT(62) | BIT(63);

    known &= ~BIT(39);
    for (unsigned bit = 16; bit < 64; bit++) {
        size_t size = lay(bytes, (struct parts){ .groups = BIT(63) });
        if (known >> bit & 1)
            continue;
        write_u64(bytes, 0, BIT(63) | BIT(bit) | size);
        refuse(bytes, size, PEBS_DECODE_GROUPS_UNKNOWN);
    }
    size_t size = lay(bytes, (struct parts){ .groups = BIT(63) | BIT(51) });
    write_u64(bytes, 0, BIT(63) | BIT(51) | BIT(52) | size);
    refuse(bytes, size, PEBS_DECODE_GROUPS_UNKNOWN);
}

UNIT_TEST(chains_past_the_end)
{
    uint8_t bytes[MOST];
    size_t size;

    size = lay(bytes, (struct parts){ .groups = BIT(61) });
    refuse(bytes, size, PEBS_DECODE_NO_BASIC);
    size = lay_chain(bytes, (const struct parts[]){ { .groups = 0 }, { .groups = BIT(61) } }, 2);
    refuse(bytes, size, PEBS_DECODE_NO_BASIC);
    size = lay_chain(bytes, (const struct parts[]){ { .groups = BIT(30) | BIT(31) }, { .groups = BIT(63) } }, 2);
    refuse(bytes, size, PEBS_DECODE_NO_BASIC);
    size = lay(bytes, (struct parts){ .groups = 0 });
    refuse(bytes, size, PEBS_DECODE_UNFINISHED);
    size = lay_chain(bytes, (const struct parts[]){ { .groups = BIT(63) | BIT(31) }, { .groups = BIT(63) } }, 2);
    refuse(bytes, size, PEBS_DECODE_GROUP_AGAIN);
    size = lay_chain(bytes,
                     (const struct parts[]){ { .groups = BIT(63) | BIT(40) | BIT(31), .entries = 8 },
                                             { .groups = BIT(41), .entries = 16 } },
                     2);
    refuse(bytes, size, PEBS_DECODE_GROUP_AGAIN);
    size = lay_chain(bytes, (const struct parts[]){ { .groups = BIT(63) | BIT(31) }, { .groups = BIT(61) } }, 2);
    write_u64(bytes, 64, BIT(61));
    refuse(bytes, size, PEBS_DECODE_SIZE_ZERO);
}

/* test_pebs_fields.c has the lines of the other groups. */
UNIT_TEST(text_of_vectors)
{
    static const struct parts chain[] = {
        { .groups = BIT(63) | BIT(31) | BIT(30) },
        { .groups = VECTORS & ~BIT(51) },
    };
    uint8_t bytes[MOST];
    const size_t size = lay_chain(bytes, chain, COUNT_OF(chain));
    const struct pebs_record record = decode(bytes, size, size);

    pebs_text(&into_lines, 7, &record, DATA_SOURCE_UNKNOWN, NULL);
    has_printed("pebs 7 eventing_ip 0x100000000 counters 0x100000008 tsc 0x100000010\n"
                "pebs 7 format_group 0x80f6000000000000 fragments 2 mode_64 1\n"
                "pebs 7 xer 0x80e6\n"
                "pebs 7 xmm0 0x00000004000000080000000400000000 xmm1 0x00000004000000180000000400000010\n");
    has_printed("\npebs 7 ymmh14 0x00000005000000e800000005000000e0 ymmh15 0x00000005000000f800000005000000f0\n"
                "pebs 7 r16 0x0000000600000000 r17 0x0000000600000008 r18 0x0000000600000010 r19 0x0000000600000018\n");
    has_printed("\npebs 7 k4 0x0000000700000020 k5 0x0000000700000028 k6 0x0000000700000030 k7 0x0000000700000038\n"
                "pebs 7 zmmh0 0x0000000800000018000000080000001000000008000000080000000800000000\n");
    has_printed("\npebs 7 zmm31 0x00000009000003f800000009000003f000000009000003e800000009000003e000000009000003d8"
                "00000009000003d000000009000003c800000009000003c0\n");
    forget_lines();
}

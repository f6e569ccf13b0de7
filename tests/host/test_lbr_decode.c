/* SPDX-License-Identifier: MIT */
/*
 * LBR entries by IA32_PERF_CAPABILITIES[5:0]. Each format has its flags in other bits, the upper bits must be copies of
 * the sign bit, and MISPRED means mispredicted, although the SDM of 2009 says the opposite.
 */
#include "tests/host/unit_test.h"

#include "lbr/lbr_decode.h"

#define MISPRED LBR_HAS_MISPRED
#define TSX     LBR_HAS_TSX
#define CYCLES  LBR_HAS_CYCLES

#define VECTOR(what, format, from, to, info, ...) \
    {                                             \
        what, format, from, to, info,             \
        {                                         \
            __VA_ARGS__                           \
        }                                         \
    }

static const struct vector {
    const char *what;
    unsigned format;
    uint64_t from, to, info;
    struct lbr_entry expected; /* from, to, has, mispredicted, in_tsx, tsx_abort, cycles, type, events */
} vectors[] = {
    VECTOR("0: 32-bit, no sign", 0, 0x80401234, 0x80401256, 0, 0x80401234, 0x80401256, 0, false, false, false, 0, 0,
           { 0 }),
    VECTOR("0: upper halves are not the address", 0, 0xdeadbeef00401234, 0xfeedfacf00401256, ~UINT64_C(0), 0x401234,
           0x401256, 0, false, false, false, 0, 0, { 0 }),
    VECTOR("1: 64-bit linear addresses", 1, 0xffff800012345678, 0x00007fffffffffff, ~UINT64_C(0), 0xffff800012345678,
           0x00007fffffffffff, 0, false, false, false, 0, 0, { 0 }),
    VECTOR("2: 64-bit effective addresses", 2, 0xffff800012345678, 0x00007fffffffffff, ~UINT64_C(0), 0xffff800012345678,
           0x00007fffffffffff, 0, false, false, false, 0, 0, { 0 }),
    VECTOR("3: predicted, kernel address", 3, 0x7fff800012345678, 0xffff800012345680, ~UINT64_C(0), 0xffff800012345678,
           0xffff800012345680, MISPRED, false, false, false, 0, 0, { 0 }),
    VECTOR("3: mispredicted, user address", 3, 0x8000700012345678, 0x0000700012345680, 0, 0x0000700012345678,
           0x0000700012345680, MISPRED, true, false, false, 0, 0, { 0 }),
    VECTOR("3: mispredicted, kernel address", 3, 0xffff800012345678, 0xffff800012345680, 0, 0xffff800012345678,
           0xffff800012345680, MISPRED, true, false, false, 0, 0, { 0 }),
    VECTOR("4: no flags, kernel address", 4, 0x1fff8000deadbee0, 0xffff8000deadbef0, ~UINT64_C(0), 0xffff8000deadbee0,
           0xffff8000deadbef0, MISPRED | TSX, false, false, false, 0, 0, { 0 }),
    VECTOR("4: mispredicted", 4, 0x8000700012345678, 0x700012345680, 0, 0x700012345678, 0x700012345680, MISPRED | TSX,
           true, false, false, 0, 0, { 0 }),
    VECTOR("4: in TSX", 4, 0x4000700012345678, 0x700012345680, 0, 0x700012345678, 0x700012345680, MISPRED | TSX, false,
           true, false, 0, 0, { 0 }),
    VECTOR("4: TSX abort", 4, 0x2000700012345678, 0x700012345680, 0, 0x700012345678, 0x700012345680, MISPRED | TSX,
           false, false, true, 0, 0, { 0 }),
    VECTOR("4: all flags, kernel address", 4, 0xffff800012345678, 0xffff800012345680, 0, 0xffff800012345678,
           0xffff800012345680, MISPRED | TSX, true, true, true, 0, 0, { 0 }),
    /* Kaby Lake, IA32_PERF_CAPABILITIES 33C5h: the conditional jump of a public listing, mispredicted */
    VECTOR("5: a real entry", 5, 0xfffff80095c66d7e, 0xfffff80095c66d8a, 0x8000000000000014, 0xfffff80095c66d7e,
           0xfffff80095c66d8a, MISPRED | TSX | CYCLES, true, false, false, 20, 0, { 0 }),
    VECTOR("5: in TSX, saturated cycles", 5, 0x401234, 0x401256, 0x400000000000ffff, 0x401234, 0x401256,
           MISPRED | TSX | CYCLES, false, true, false, 0xffff, 0, { 0 }),
    VECTOR("5: TSX abort, bits between are not cycles", 5, 0x401234, 0x401256, 0x3fffffffffff0007, 0x401234, 0x401256,
           MISPRED | TSX | CYCLES, false, false, true, 7, 0, { 0 }),
    VECTOR("5: flags only in INFO", 5, 0xffff800012345678, 0xffff800012345680, 0, 0xffff800012345678,
           0xffff800012345680, MISPRED | TSX | CYCLES, false, false, false, 0, 0, { 0 }),
    VECTOR("6: cycles in TO, kernel addresses", 6, 0x7fff800012345678, 0x0123800012345680, ~UINT64_C(0),
           0xffff800012345678, 0xffff800012345680, MISPRED | CYCLES, false, false, false, 0x123, 0, { 0 }),
    VECTOR("6: mispredicted, user addresses", 6, 0x8000700012345678, 0xffff700012345680, 0, 0x0000700012345678,
           0x0000700012345680, MISPRED | CYCLES, true, false, false, 0xffff, 0, { 0 }),
    VECTOR("7: as 5, TSX bits mean nothing", 7, 0xffff800012345678, 0x700012345680, 0xe000000000000102,
           0xffff800012345678, 0x700012345680, MISPRED | CYCLES, true, false, false, 0x102, 0, { 0 }),
};

UNIT_TEST(every_format)
{
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        const struct vector *v = &vectors[i];
        struct lbr_entry out;
        memset(&out, 0xa5, sizeof(out));
        assert_int_equal(lbr_decode(v->format, v->from, v->to, v->info, &out), LBR_DECODE_OK);
        if (out.from != v->expected.from || out.to != v->expected.to || out.has != v->expected.has ||
            out.mispredicted != v->expected.mispredicted || out.in_tsx != v->expected.in_tsx ||
            out.tsx_abort != v->expected.tsx_abort || out.cycles != v->expected.cycles ||
            memcmp(out.events, v->expected.events, sizeof(out.events)) != 0)
            fail_msg("%s: got from %llx to %llx has %llx M%d X%d A%d cycles %u", v->what, (unsigned long long)out.from,
                     (unsigned long long)out.to, (unsigned long long)out.has, out.mispredicted, out.in_tsx,
                     out.tsx_abort, out.cycles);
    }
}

/* Pentium M, as a public listing shows MSR_LASTBRANCH_3: a call at 8065ef59 to 805374a0. */
UNIT_TEST(packed)
{
    struct lbr_entry out;
    memset(&out, 0xa5, sizeof(out));
    lbr_decode_packed(0x805374a08065ef59, &out);
    assert_int_equal(out.from, 0x8065ef59);
    assert_int_equal(out.to, 0x805374a0);
    assert_int_equal(out.has, 0);
    assert_false(out.mispredicted || out.in_tsx || out.tsx_abort);
    assert_int_equal(out.cycles | out.type | out.events[0] | out.events[3], 0);
}

/*
 * IA32_LBR_x_INFO: 63 mispredicted, 62 in TSX, 61 TSX abort, 60 cycles valid, [59:56] type, [39:32] events of four
 * counters, [15:0] cycles.
 */
UNIT_TEST(architectural)
{
    static const struct {
        uint64_t info;
        bool mispredicted, in_tsx, tsx_abort, valid;
        uint16_t cycles;
        uint8_t type;
    } infos[] = {
        { 0, false, false, false, false, 0, LBR_TYPE_JCC },
        { 0x8000000000000000, true, false, false, false, 0, LBR_TYPE_JCC },
        { 0x4000000000000000, false, true, false, false, 0, LBR_TYPE_JCC },
        { 0x2000000000000000, false, false, true, false, 0, LBR_TYPE_JCC },
        { 0x1000000000000000, false, false, false, true, 0, LBR_TYPE_JCC },
        { 0x100000000000ffff, false, false, false, true, 0xffff, LBR_TYPE_JCC },
        { 0x000000000000ffff, false, false, false, false, 0, LBR_TYPE_JCC }, /* cycles, but not valid */
        { 0x0100000000000000, false, false, false, false, 0, LBR_TYPE_IND_JMP },
        { 0x0200000000000000, false, false, false, false, 0, LBR_TYPE_JMP },
        { 0x0300000000000000, false, false, false, false, 0, LBR_TYPE_IND_CALL },
        { 0x0400000000000000, false, false, false, false, 0, LBR_TYPE_CALL },
        { 0x0500000000000000, false, false, false, false, 0, LBR_TYPE_RET },
        { 0x0800000000000000, false, false, false, false, 0, LBR_TYPE_OTHER },
        { 0x00ffff00ffff0000, false, false, false, false, 0, LBR_TYPE_JCC }, /* reserved bits */
        { 0xffffffffffffffff, true, true, true, true, 0xffff, 15 },
    };
    for (size_t i = 0; i < COUNT_OF(infos); i++) {
        struct lbr_entry out;
        memset(&out, 0xa5, sizeof(out));
        lbr_decode_arch(0xffff800012345678, 0x7fffdeadbeef, infos[i].info, &out);
        assert_int_equal(out.from, 0xffff800012345678);
        assert_int_equal(out.to, 0x7fffdeadbeef);
        assert_int_equal(out.has, MISPRED | TSX | LBR_HAS_TYPE | (infos[i].valid ? CYCLES : 0) |
                                      (infos[i].info >> 32 & 0xff ? LBR_HAS_EVENTS : 0));
        assert_int_equal(out.mispredicted, infos[i].mispredicted);
        assert_int_equal(out.in_tsx, infos[i].in_tsx);
        assert_int_equal(out.tsx_abort, infos[i].tsx_abort);
        assert_int_equal(out.cycles, infos[i].cycles);
        assert_int_equal(out.type, infos[i].type);
    }
}

/* Two bits for each of the four counters, the lowest first. */
UNIT_TEST(events)
{
    static const struct {
        uint64_t info;
        uint8_t events[4];
    } infos[] = {
        { 0x0000000000000000, { 0, 0, 0, 0 } }, { 0x0000000100000000, { 1, 0, 0, 0 } },
        { 0x0000000200000000, { 2, 0, 0, 0 } }, { 0x0000000300000000, { 3, 0, 0, 0 } },
        { 0x0000000400000000, { 0, 1, 0, 0 } }, { 0x0000002000000000, { 0, 0, 2, 0 } },
        { 0x000000c000000000, { 0, 0, 0, 3 } }, { 0x000000e400000000, { 0, 1, 2, 3 } },
        { 0xffffff1bffffffff, { 3, 2, 1, 0 } }, { 0xffffff00ffffffff, { 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < COUNT_OF(infos); i++) {
        struct lbr_entry out;
        memset(&out, 0xa5, sizeof(out));
        lbr_decode_arch(1, 2, infos[i].info, &out);
        assert_memory_equal(out.events, infos[i].events, sizeof(out.events));
        assert_int_equal((out.has & LBR_HAS_EVENTS) != 0, (infos[i].info >> 32 & 0xff) != 0);
    }
}

UNIT_TEST(unknown_formats)
{
    for (unsigned lbr_format = 8; lbr_format < 70; lbr_format++) {
        struct lbr_entry out, before;
        memset(&out, 0xa5, sizeof(out));
        memcpy(&before, &out, sizeof(out));
        assert_int_equal(lbr_decode(lbr_format, 1, 2, 3, &out), LBR_DECODE_FORMAT_UNKNOWN);
        assert_memory_equal(&out, &before, sizeof(out));
    }
    struct lbr_entry out;
    assert_int_equal(lbr_decode(0xff, 1, 2, 3, &out), LBR_DECODE_FORMAT_UNKNOWN);
    assert_int_equal(lbr_decode(~0u, 1, 2, 3, &out), LBR_DECODE_FORMAT_UNKNOWN);
}

UNIT_TEST(positions)
{
    /* Pentium M with TOS 5, as a public listing shows it: 5 4 3 2 1 0 7 6 */
    static const unsigned order[8] = { 5, 4, 3, 2, 1, 0, 7, 6 };
    unsigned position;
    for (unsigned age = 0; age < 8; age++) {
        assert_int_equal(lbr_position(8, 5, age, &position), LBR_DECODE_OK);
        assert_int_equal(position, order[age]);
    }
    assert_int_equal(lbr_position(32, 0, 31, &position), LBR_DECODE_OK);
    assert_int_equal(position, 1);
    assert_int_equal(lbr_position(1, 0, 0, &position), LBR_DECODE_OK);
    assert_int_equal(position, 0);
    assert_int_equal(lbr_position(64, 63, 63, &position), LBR_DECODE_OK);
    assert_int_equal(position, 0);
}

UNIT_TEST(positions_refused)
{
    static const struct {
        unsigned depth;
        uint64_t tos;
        unsigned age;
        enum lbr_error error;
    } bad[] = {
        { 0, 0, 0, LBR_DECODE_DEPTH },
        { 3, 0, 0, LBR_DECODE_DEPTH },
        { 24, 0, 0, LBR_DECODE_DEPTH },
        { 128, 0, 0, LBR_DECODE_DEPTH },
        { 32, 0, 32, LBR_DECODE_DEPTH },
        { 32, 32, 0, LBR_DECODE_TOS_RANGE },
        { 4, UINT64_MAX, 0, LBR_DECODE_TOS_RANGE },
        { 32, UINT64_C(1) << 32, 0, LBR_DECODE_TOS_RANGE },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        unsigned position = 77;
        assert_int_equal(lbr_position(bad[i].depth, bad[i].tos, bad[i].age, &position), bad[i].error);
        assert_int_equal(position, 77);
    }
}

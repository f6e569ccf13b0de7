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

/* Flags of an entry: mispredicted, in TSX, TSX abort. */
enum { M = 1, X = 2, A = 4 };

static void is(const char *what, const struct lbr_entry *out, uint64_t from, uint64_t to, uint64_t has, unsigned flags,
               unsigned cycles)
{
    const unsigned got = (out->mispredicted ? M : 0u) | (out->in_tsx ? X : 0u) | (out->tsx_abort ? A : 0u);

    if (out->from != from || out->to != to || out->has != has || got != flags || out->cycles != cycles)
        fail_msg("%s: got from %llx to %llx has %llx flags %x cycles %u", what, (unsigned long long)out->from,
                 (unsigned long long)out->to, (unsigned long long)out->has, got, out->cycles);
}

UNIT_TEST(every_format)
{
    static const struct {
        const char *what;
        unsigned format;
        uint64_t from, to, info;
        uint64_t want_from, want_to, has;
        unsigned flags, cycles;
    } rows[] = {
        { "0: 32-bit, no sign", 0, 0x80401234, 0x80401256, 0, 0x80401234, 0x80401256, 0, 0, 0 },
        { "0: upper halves are not the address", 0, 0xdeadbeef00401234, 0xfeedfacf00401256, ~UINT64_C(0), 0x401234,
          0x401256, 0, 0, 0 },
        { "1: 64-bit linear addresses", 1, 0xffff800012345678, 0x00007fffffffffff, ~UINT64_C(0), 0xffff800012345678,
          0x00007fffffffffff, 0, 0, 0 },
        { "2: 64-bit effective addresses", 2, 0xffff800012345678, 0x00007fffffffffff, ~UINT64_C(0), 0xffff800012345678,
          0x00007fffffffffff, 0, 0, 0 },
        { "3: predicted, kernel address", 3, 0x7fff800012345678, 0xffff800012345680, ~UINT64_C(0), 0xffff800012345678,
          0xffff800012345680, MISPRED, 0, 0 },
        { "3: mispredicted, user address", 3, 0x8000700012345678, 0x0000700012345680, 0, 0x0000700012345678,
          0x0000700012345680, MISPRED, M, 0 },
        { "4: no flags, kernel address", 4, 0x1fff8000deadbee0, 0xffff8000deadbef0, ~UINT64_C(0), 0xffff8000deadbee0,
          0xffff8000deadbef0, MISPRED | TSX, 0, 0 },
        { "4: mispredicted", 4, 0x8000700012345678, 0x700012345680, 0, 0x700012345678, 0x700012345680, MISPRED | TSX, M,
          0 },
        { "4: in TSX", 4, 0x4000700012345678, 0x700012345680, 0, 0x700012345678, 0x700012345680, MISPRED | TSX, X, 0 },
        { "4: TSX abort", 4, 0x2000700012345678, 0x700012345680, 0, 0x700012345678, 0x700012345680, MISPRED | TSX, A,
          0 },
        { "4: all flags, kernel address", 4, 0xffff800012345678, 0xffff800012345680, 0, 0xffff800012345678,
          0xffff800012345680, MISPRED | TSX, M | X | A, 0 },
        /* Kaby Lake, IA32_PERF_CAPABILITIES 33C5h: the conditional jump of a public listing, mispredicted */
        { "5: a real entry", 5, 0xfffff80095c66d7e, 0xfffff80095c66d8a, 0x8000000000000014, 0xfffff80095c66d7e,
          0xfffff80095c66d8a, MISPRED | TSX | CYCLES, M, 20 },
        { "5: in TSX, saturated cycles", 5, 0x401234, 0x401256, 0x400000000000ffff, 0x401234, 0x401256,
          MISPRED | TSX | CYCLES, X, 0xffff },
        { "5: TSX abort, bits between are not cycles", 5, 0x401234, 0x401256, 0x3fffffffffff0007, 0x401234, 0x401256,
          MISPRED | TSX | CYCLES, A, 7 },
        { "5: flags only in INFO", 5, 0xffff800012345678, 0xffff800012345680, 0, 0xffff800012345678, 0xffff800012345680,
          MISPRED | TSX | CYCLES, 0, 0 },
        { "6: cycles in TO, kernel addresses", 6, 0x7fff800012345678, 0x0123800012345680, ~UINT64_C(0),
          0xffff800012345678, 0xffff800012345680, MISPRED | CYCLES, 0, 0x123 },
        { "6: mispredicted, user addresses", 6, 0x8000700012345678, 0xffff700012345680, 0, 0x0000700012345678,
          0x0000700012345680, MISPRED | CYCLES, M, 0xffff },
        { "7: as 5, TSX bits mean nothing", 7, 0xffff800012345678, 0x700012345680, 0xe000000000000102,
          0xffff800012345678, 0x700012345680, MISPRED | CYCLES, M, 0x102 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct lbr_entry out;
        memset(&out, 0xa5, sizeof(out));
        assert_int_equal(lbr_decode(rows[i].format, rows[i].from, rows[i].to, rows[i].info, &out), LBR_DECODE_OK);
        is(rows[i].what, &out, rows[i].want_from, rows[i].want_to, rows[i].has, rows[i].flags, rows[i].cycles);
        assert_memory_equal(out.events, ((const uint8_t[4]){ 0 }), 4);
        assert_int_equal(out.info, rows[i].format == 5 || rows[i].format == 7 ? rows[i].info : 0);
    }
}

/* Pentium M, as a public listing shows MSR_LASTBRANCH_3: a call at 8065ef59 to 805374a0. */
UNIT_TEST(packed)
{
    struct lbr_entry out;
    memset(&out, 0xa5, sizeof(out));
    lbr_decode_packed(0x805374a08065ef59, &out);
    is("packed", &out, 0x8065ef59, 0x805374a0, 0, 0, 0);
    assert_int_equal(out.type | out.events[0] | out.events[3], 0);
}

/*
 * IA32_LBR_x_INFO: 63 mispredicted, 62 in TSX, 61 TSX abort, 60 cycles valid, [59:56] type, [39:32] events of four
 * counters, [15:0] cycles.
 */
UNIT_TEST(architectural)
{
    static const struct {
        uint64_t info;
        unsigned flags;
        bool valid; /* the cycles */
        uint16_t cycles;
        uint8_t type, events[4]; /* two bits for each counter, the lowest first */
    } infos[] = {
        { 0, 0, false, 0, LBR_TYPE_JCC, { 0 } },
        { 0x8000000000000000, M, false, 0, LBR_TYPE_JCC, { 0 } },
        { 0x4000000000000000, X, false, 0, LBR_TYPE_JCC, { 0 } },
        { 0x2000000000000000, A, false, 0, LBR_TYPE_JCC, { 0 } },
        { 0x1000000000000000, 0, true, 0, LBR_TYPE_JCC, { 0 } },
        { 0x100000000000ffff, 0, true, 0xffff, LBR_TYPE_JCC, { 0 } },
        { 0x000000000000ffff, 0, false, 0, LBR_TYPE_JCC, { 0 } }, /* cycles, but not valid */
        { 0x0100000000000000, 0, false, 0, LBR_TYPE_IND_JMP, { 0 } },
        { 0x0200000000000000, 0, false, 0, LBR_TYPE_JMP, { 0 } },
        { 0x0300000000000000, 0, false, 0, LBR_TYPE_IND_CALL, { 0 } },
        { 0x0400000000000000, 0, false, 0, LBR_TYPE_CALL, { 0 } },
        { 0x0500000000000000, 0, false, 0, LBR_TYPE_RET, { 0 } },
        { 0x0800000000000000, 0, false, 0, LBR_TYPE_OTHER, { 0 } },
        { 0x00ffff00ffff0000, 0, false, 0, LBR_TYPE_JCC, { 0 } }, /* reserved bits */
        { 0xffffffffffffffff, M | X | A, true, 0xffff, 15, { 3, 3, 3, 3 } },
        { 0x0000000100000000, 0, false, 0, LBR_TYPE_JCC, { 1 } },
        { 0x000000c000000000, 0, false, 0, LBR_TYPE_JCC, { 0, 0, 0, 3 } },
        { 0x000000e400000000, 0, false, 0, LBR_TYPE_JCC, { 0, 1, 2, 3 } },
        { 0x0000001b00000000, 0, false, 0, LBR_TYPE_JCC, { 3, 2, 1, 0 } },
    };
    for (size_t i = 0; i < COUNT_OF(infos); i++) {
        char what[40];
        struct lbr_entry out;
        memset(&out, 0xa5, sizeof(out));
        lbr_decode_arch(0xffff800012345678, 0x7fffdeadbeef, infos[i].info, &out);
        snprintf(what, sizeof what, "info %llx", (unsigned long long)infos[i].info);
        is(what, &out, 0xffff800012345678, 0x7fffdeadbeef,
           MISPRED | TSX | LBR_HAS_TYPE | (infos[i].valid ? CYCLES : 0) |
               (infos[i].info >> 32 & 0xff ? LBR_HAS_EVENTS : 0),
           infos[i].flags, infos[i].cycles);
        assert_int_equal(out.type, infos[i].type);
        assert_int_equal(out.info, infos[i].info);
        assert_memory_equal(out.events, infos[i].events, sizeof(out.events));
    }
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

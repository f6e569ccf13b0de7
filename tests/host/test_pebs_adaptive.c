/* SPDX-License-Identifier: MIT */
/*
 * Adaptive PEBS records (format 4 and later). The groups' tables of SDM Vol. 3B (253669-081), "Adaptive PEBS", are
 * typed here as offset and value; records are put together from them in the manual's order: basic, memory, GPR, XMM,
 * LBR.
 */
#include "tests/host/unit_test.h"

#include "pebs/pebs_decode.h"

#define MEMORY 0x1u
#define GPRS   0x2u
#define XMM    0x4u
#define LBR    0x8u

struct word {
    size_t at;
    uint64_t value;
};

/* The first word of the basic group is the test's: [31:0] format group, [47:32] retire latency, [63:48] size. */
static const struct word basic[] = {
    { 0x08, 0xffffffff81001234 }, /* EventingIP */
    { 0x10, 0x0000000100000002 }, /* applicable counters: general 1, fixed 0 */
    { 0x18, 0x0000123456789abc }, /* TSC */
};

static const struct word memory[] = {
    { 0x00, 0xffff888000001040 }, /* data linear address */
    { 0x08, 0x0000000000000035 }, /* data source: L3 hit and snooped, STLB miss, locked */
    { 0x10, 0x0123004500670089 }, /* latency: [15:0] of the instruction, [47:32] of the cache, or all of [31:0] */
    { 0x18, 0x000000aa00000bbb }, /* TSX */
};

static const struct word gprs[] = {
    { 0x00, 0x0000000000000246 }, /* RFLAGS */
    { 0x08, 0xffffffff81001238 }, /* RIP */
    { 0x10, 0xa0a0a0a0a0a0a0a0 }, /* RAX */
    { 0x18, 0xc1c1c1c1c1c1c1c1 }, /* RCX */
    { 0x20, 0xd2d2d2d2d2d2d2d2 }, /* RDX */
    { 0x28, 0xb3b3b3b3b3b3b3b3 }, /* RBX */
    { 0x30, 0x5454545454545454 }, /* RSP */
    { 0x38, 0x5555555555555555 }, /* RBP */
    { 0x40, 0x5656565656565656 }, /* RSI */
    { 0x48, 0xd7d7d7d7d7d7d7d7 }, /* RDI */
    { 0x50, 0x0808080808080808 }, /* R8 */
    { 0x58, 0x0909090909090909 }, /* R9 */
    { 0x60, 0x1010101010101010 }, /* R10 */
    { 0x68, 0x1111111111111111 }, /* R11 */
    { 0x70, 0x1212121212121212 }, /* R12 */
    { 0x78, 0x1313131313131313 }, /* R13 */
    { 0x80, 0x1414141414141414 }, /* R14 */
    { 0x88, 0x1515151515151515 }, /* R15 */
};

/* XMMn at 10h * n, its low quadword first. */
static const struct word xmm[] = {
    { 0x00, 0x00000000000000aa }, { 0x08, 0x00000000000000bb }, /* XMM0 */
    { 0x10, 0x01000000000000aa }, { 0x18, 0x01000000000000bb }, /* XMM1 */
    { 0x20, 0x02000000000000aa }, { 0x28, 0x02000000000000bb }, /* XMM2 */
    { 0x30, 0x03000000000000aa }, { 0x38, 0x03000000000000bb }, /* XMM3 */
    { 0x40, 0x04000000000000aa }, { 0x48, 0x04000000000000bb }, /* XMM4 */
    { 0x50, 0x05000000000000aa }, { 0x58, 0x05000000000000bb }, /* XMM5 */
    { 0x60, 0x06000000000000aa }, { 0x68, 0x06000000000000bb }, /* XMM6 */
    { 0x70, 0x07000000000000aa }, { 0x78, 0x07000000000000bb }, /* XMM7 */
    { 0x80, 0x08000000000000aa }, { 0x88, 0x08000000000000bb }, /* XMM8 */
    { 0x90, 0x09000000000000aa }, { 0x98, 0x09000000000000bb }, /* XMM9 */
    { 0xa0, 0x0a000000000000aa }, { 0xa8, 0x0a000000000000bb }, /* XMM10 */
    { 0xb0, 0x0b000000000000aa }, { 0xb8, 0x0b000000000000bb }, /* XMM11 */
    { 0xc0, 0x0c000000000000aa }, { 0xc8, 0x0c000000000000bb }, /* XMM12 */
    { 0xd0, 0x0d000000000000aa }, { 0xd8, 0x0d000000000000bb }, /* XMM13 */
    { 0xe0, 0x0e000000000000aa }, { 0xe8, 0x0e000000000000bb }, /* XMM14 */
    { 0xf0, 0x0f000000000000aa }, { 0xf8, 0x0f000000000000bb }, /* XMM15 */
};

/* One entry of the LBR group. The test adds a different value to FROM of each entry. */
static const struct word lbr[] = {
    { 0x00, 0xffffffff81000000 }, /* FROM */
    { 0x08, 0x0000700000005678 }, /* TO */
    { 0x10,
      0xd4000000000000ff }, /* INFO: mispredicted, in TSX, cycles valid, type 4 (near relative CALL), 255 cycles */
};

/* The manual's sizes by the four groups, with one LBR entry where there is that group. */
static const size_t sizes[16] = {
    32, 64, 176, 208, 288, 320, 432, 464, 56, 88, 200, 232, 312, 344, 456, 488,
};

static void put(uint8_t *bytes, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

static size_t put_words(uint8_t *bytes, size_t at, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(bytes + at + words[i].at, words[i].value);
    return at + words[count - 1].at + 8;
}

static void put_head(uint8_t *bytes, uint64_t groups, uint64_t retire, uint64_t size)
{
    put(bytes, groups | retire << 32 | size << 48);
}

/* Puts a record together; returns its size. */
static size_t lay(uint8_t bytes[1232], unsigned groups, unsigned entries)
{
    size_t at = put_words(bytes, 0, basic, COUNT_OF(basic));
    if (groups & MEMORY)
        at = put_words(bytes, at, memory, COUNT_OF(memory));
    if (groups & GPRS)
        at = put_words(bytes, at, gprs, COUNT_OF(gprs));
    if (groups & XMM)
        at = put_words(bytes, at, xmm, COUNT_OF(xmm));
    for (unsigned i = 0; groups & LBR && i < entries; i++) {
        put_words(bytes, at, lbr, COUNT_OF(lbr));
        put(bytes + at, lbr[0].value + i);
        at += 24;
    }
    put_head(bytes, groups | (groups & LBR ? (uint64_t)(entries - 1) << 24 : 0), 0x77, at);
    return at;
}

/* Ice Lake's form; Golden Cove's has both latencies and the architectural LBR format. */
static const struct pebs_form icelake = { .width = 8, .format = 4, .adaptive = true, .lbr_format = 5 };
static const struct pebs_form golden_cove = {
    .width = 8, .format = 4, .adaptive = true, .retire_latency = true, .cache_latency = true, .lbr_format = 0x3f
};

static struct pebs_record decode(const struct pebs_form *form, const uint8_t *bytes, size_t size)
{
    struct pebs_record out;
    uint8_t *copy = exact_copy(bytes, size);
    memset(&out, 0xa5, sizeof(out));
    assert_int_equal(pebs_decode(form, copy, size, &out), PEBS_DECODE_OK);
    free(copy);
    assert_int_equal(out.size, size);
    assert_int_equal(out.width, 8);
    assert_int_equal(out.format, form->format);
    return out;
}

static void check(const struct pebs_record *out, unsigned groups, unsigned entries)
{
    static const uint64_t zero[16];
    static const uint64_t registers[16] = {
        0xa0a0a0a0a0a0a0a0, 0xc1c1c1c1c1c1c1c1, 0xd2d2d2d2d2d2d2d2, 0xb3b3b3b3b3b3b3b3,
        0x5454545454545454, 0x5555555555555555, 0x5656565656565656, 0xd7d7d7d7d7d7d7d7,
        0x0808080808080808, 0x0909090909090909, 0x1010101010101010, 0x1111111111111111,
        0x1212121212121212, 0x1313131313131313, 0x1414141414141414, 0x1515151515151515,
    };
    assert_int_equal(
        out->has, PEBS_HAS_FORMAT_GROUP | PEBS_HAS_EVENTING_IP | PEBS_HAS_APPLICABLE | PEBS_HAS_TSC |
                      (groups & MEMORY ? PEBS_HAS_MEMORY | PEBS_HAS_SOURCE | PEBS_HAS_TSX | PEBS_HAS_TSX_CYCLES : 0) |
                      (groups & GPRS ? PEBS_HAS_GPRS : 0) | (groups & XMM ? PEBS_HAS_XMM : 0) |
                      (groups & LBR ? PEBS_HAS_LBR : 0));
    assert_int_equal(out->format_group, groups | (groups & LBR ? (entries - 1) << 24 : 0));
    assert_int_equal(out->eventing_ip, 0xffffffff81001234);
    assert_int_equal(out->counters, 0x100000002);
    assert_int_equal(out->tsc, 0x123456789abc);
    assert_int_equal(out->retire_latency | out->cache_latency, 0);
    assert_int_equal(out->data_address, groups & MEMORY ? 0xffff888000001040 : 0);
    assert_int_equal(out->data_source, groups & MEMORY ? 0x35 : 0);
    assert_int_equal(out->latency, groups & MEMORY ? 0x00670089 : 0);
    assert_int_equal(out->tsx, groups & MEMORY ? 0xaa00000bbb : 0);
    assert_int_equal(out->tsx_cycles, groups & MEMORY ? 0xbbb : 0);
    assert_int_equal(out->rflags, groups & GPRS ? 0x246 : 0);
    assert_int_equal(out->ip, groups & GPRS ? 0xffffffff81001238 : 0);
    assert_memory_equal(out->gpr, groups & GPRS ? registers : zero, sizeof(registers));
    for (uint64_t i = 0; i < 16; i++) {
        assert_int_equal(out->xmm[i].low, groups & XMM ? i << 56 | 0xaa : 0);
        assert_int_equal(out->xmm[i].high, groups & XMM ? i << 56 | 0xbb : 0);
    }
    assert_int_equal(out->lbr_count, groups & LBR ? entries : 0);
    for (unsigned i = 0; i < 32; i++) {
        bool there = i < out->lbr_count;
        assert_int_equal(out->lbr[i].from, there ? 0xffffffff81000000 + i : 0);
        assert_int_equal(out->lbr[i].to, there ? 0x700000005678 : 0);
        assert_int_equal(out->lbr[i].has, there ? LBR_HAS_MISPRED | LBR_HAS_TSX | LBR_HAS_CYCLES : 0);
        assert_int_equal(out->lbr[i].mispredicted, there);
        assert_int_equal(out->lbr[i].in_tsx, there);
        assert_false(out->lbr[i].tsx_abort);
        assert_int_equal(out->lbr[i].cycles, there ? 0xff : 0);
        assert_int_equal(out->lbr[i].type, 0);
    }
}

UNIT_TEST(every_combination)
{
    static const unsigned entries[] = { 1, 2, 3, 31, 32 };
    for (unsigned groups = 0; groups < 16; groups++) {
        for (size_t i = 0; i < (groups & LBR ? COUNT_OF(entries) : 1); i++) {
            uint8_t bytes[1232];
            size_t size = lay(bytes, groups, entries[i]);
            assert_int_equal(size, sizes[groups] + (entries[i] - 1) * 24);
            assert_int_equal(pebs_adaptive_size(groups | (groups & LBR ? (entries[i] - 1) << 24 : 0)), size);
            struct pebs_record out = decode(&icelake, bytes, size);
            check(&out, groups, entries[i]);
        }
    }
    assert_int_equal(pebs_adaptive_size(0x1f00000f), 1232);
}

/* MSR_PEBS_DATA_CFG may hold a number of entries without the group: the record has the value and not the entries. */
UNIT_TEST(entries_without_the_group)
{
    uint8_t bytes[1232];
    size_t size = lay(bytes, MEMORY, 1);
    put_head(bytes, 0x1f000001, 0, size);
    assert_int_equal(pebs_adaptive_size(0x1f000001), 64);
    struct pebs_record out = decode(&icelake, bytes, size);
    assert_int_equal(out.format_group, 0x1f000001);
    assert_int_equal(out.lbr_count, 0);
}

/* Each of the two latencies comes without the other one; the latency quadword is split for the cache's alone. */
UNIT_TEST(latencies_apart)
{
    uint8_t bytes[1232];
    for (unsigned i = 0; i < 4; i++) {
        struct pebs_form form = icelake;
        form.retire_latency = i & 1;
        form.cache_latency = i & 2;
        struct pebs_record out = decode(&form, bytes, lay(bytes, 0xf, 2));
        assert_int_equal((out.has & PEBS_HAS_RETIRE_LATENCY) != 0, form.retire_latency);
        assert_int_equal((out.has & PEBS_HAS_CACHE_LATENCY) != 0, form.cache_latency);
        assert_int_equal(out.retire_latency, form.retire_latency ? 0x77 : 0);
        assert_int_equal(out.latency, form.cache_latency ? 0x89 : 0x670089);
        assert_int_equal(out.cache_latency, form.cache_latency ? 0x45 : 0);
    }
}

UNIT_TEST(golden_cove_has_latencies_and_types)
{
    uint8_t bytes[1232];
    size_t size = lay(bytes, 0xf, 2);
    struct pebs_record out = decode(&golden_cove, bytes, size);
    assert_true(out.has & PEBS_HAS_RETIRE_LATENCY);
    assert_true(out.has & PEBS_HAS_CACHE_LATENCY);
    assert_int_equal(out.retire_latency, 0x77);
    assert_int_equal(out.latency, 0x89);
    assert_int_equal(out.cache_latency, 0x45);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(out.lbr[i].has, LBR_HAS_MISPRED | LBR_HAS_TSX | LBR_HAS_CYCLES | LBR_HAS_TYPE);
        assert_int_equal(out.lbr[i].from, 0xffffffff81000000 + i);
        assert_int_equal(out.lbr[i].cycles, 0xff);
        assert_int_equal(out.lbr[i].type, LBR_TYPE_CALL);
    }
    size = lay(bytes, 0, 1);
    out = decode(&golden_cove, bytes, size);
    assert_true(out.has & PEBS_HAS_RETIRE_LATENCY);
    assert_false(out.has & PEBS_HAS_CACHE_LATENCY); /* it is of the memory group */
}

UNIT_TEST(lbr_formats)
{
    struct pebs_form form = icelake;
    uint8_t bytes[1232];
    size_t size = lay(bytes, LBR, 1);
    form.lbr_format = 7; /* as 5, without TSX */
    struct pebs_record out = decode(&form, bytes, size);
    assert_int_equal(out.lbr[0].has, LBR_HAS_MISPRED | LBR_HAS_CYCLES);
    assert_false(out.lbr[0].in_tsx);
    form.lbr_format = 9; /* unknown: only the addresses are decoded */
    out = decode(&form, bytes, size);
    assert_int_equal(out.lbr_count, 1);
    assert_int_equal(out.lbr[0].from, 0xffffffff81000000);
    assert_int_equal(out.lbr[0].to, 0x700000005678);
    assert_int_equal(out.lbr[0].has | out.lbr[0].cycles | out.lbr[0].mispredicted, 0);
}

/* Formats 5 and 6 are read as 4; higher ones are unknown. The 32-bit area never has adaptive records. */
UNIT_TEST(forms)
{
    uint8_t bytes[1232];
    struct pebs_record out;
    size_t size = lay(bytes, MEMORY | GPRS, 1);
    for (unsigned format = 0; format < 17; format++) {
        struct pebs_form form = icelake;
        form.format = format;
        if (format >= 4 && format != 15) { /* which is architectural: test_pebs_arch.c */
            assert_int_equal(pebs_record_size(&form), 0);
            assert_int_equal(pebs_decode(&form, bytes, size, &out),
                             format <= 6 ? PEBS_DECODE_OK : PEBS_DECODE_FORMAT_UNKNOWN);
        }
        form.width = 4;
        assert_int_equal(pebs_record_size(&form), format == 0 ? 40 : 0);
        if (format != 0)
            assert_int_equal(pebs_decode(&form, bytes, size, &out), PEBS_DECODE_FORMAT_UNKNOWN);
    }
}

static void refuse(const struct pebs_form *form, const uint8_t *bytes, size_t length, enum pebs_error error)
{
    static struct pebs_record out, before;
    memset(&out, 0xa5, sizeof(out));
    memcpy(&before, &out, sizeof(out));
    uint8_t *copy = exact_copy(bytes, length);
    assert_int_equal(pebs_decode(form, copy, length, &out), error);
    assert_memory_equal(&out, &before, sizeof(out));
    free(copy);
}

/* Without PEBS baseline, or if no counter was adaptive, a record has only the basic group. */
UNIT_TEST(basic_alone)
{
    struct pebs_form form = icelake;
    uint8_t bytes[1232];
    form.adaptive = false;
    size_t size = lay(bytes, 0, 1);
    struct pebs_record out = decode(&form, bytes, size);
    check(&out, 0, 1);
    size = lay(bytes, MEMORY, 1);
    refuse(&form, bytes, size, PEBS_DECODE_GROUPS_UNKNOWN);
}

UNIT_TEST(truncated_at_every_length)
{
    uint8_t bytes[1232];
    for (unsigned groups = 0; groups < 16; groups++) {
        size_t size = lay(bytes, groups, 2);
        for (size_t length = 0; length < size; length++)
            refuse(&icelake, bytes, length, length < 32 ? PEBS_DECODE_TRUNCATED : PEBS_DECODE_SIZE_PAST_END);
    }
}

UNIT_TEST(its_own_size_is_wrong)
{
    uint8_t bytes[1232] = { 0 };
    size_t size = lay(bytes, MEMORY | GPRS, 1);
    for (size_t said = 0; said < 65536; said += said < 1300 ? 1 : 251) {
        put_head(bytes, MEMORY | GPRS, 0, said);
        if (said != size)
            refuse(&icelake, bytes, sizeof(bytes),
                   said == 0              ? PEBS_DECODE_SIZE_ZERO
                   : said < 32            ? PEBS_DECODE_SIZE_SMALL
                   : said > sizeof(bytes) ? PEBS_DECODE_SIZE_PAST_END
                                          : PEBS_DECODE_SIZE_DIFFERS);
    }
    put_head(bytes, MEMORY | GPRS, 0, 65535);
    refuse(&icelake, bytes, sizeof(bytes), PEBS_DECODE_SIZE_PAST_END);
}

/* Whatever the decoder does not know is refused, bit by bit, even if the size would fit. */
UNIT_TEST(unknown_groups)
{
    uint8_t bytes[1232] = { 0 };
    size_t size = lay(bytes, 0, 1);
    for (unsigned bit = 4; bit < 32; bit++) {
        if (bit >= 24 && bit <= 28)
            continue; /* LBR entries */
        put_head(bytes, UINT64_C(1) << bit, 0, size);
        refuse(&icelake, bytes, sizeof(bytes), PEBS_DECODE_GROUPS_UNKNOWN);
        if (bit >= 6) /* format 6 has the other two: test_pebs_snapshot.c */
            assert_int_equal(pebs_adaptive_size(UINT64_C(1) << bit), 0);
    }
    for (unsigned bit = 56; bit < 64; bit++)
        assert_int_equal(pebs_adaptive_size(UINT64_C(1) << bit), 0);
}

/* A buffer of records of different sizes is walked by each record's own size. */
UNIT_TEST(one_after_another)
{
    static const unsigned groups[] = { 0, LBR, MEMORY | XMM, GPRS, 0xf };
    uint8_t bytes[8 * 1232];
    size_t end = 0, at = 0;
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        end += lay(bytes + end, groups[i], 2);
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        struct pebs_record out;
        assert_int_equal(pebs_decode(&icelake, bytes + at, end - at, &out), PEBS_DECODE_OK);
        check(&out, groups[i], 2);
        at += (size_t)out.size;
    }
    assert_int_equal(at, end);
}

/* SPDX-License-Identifier: MIT */
/*
 * PEBS records of fixed size: the 32-bit one, and formats 0 to 3. The golden record's bytes count up from 0, so every
 * field's value is its own offset in the manual's tables, eight times. The offsets are typed from those tables, not
 * from a header: 00 RFLAGS, 08 RIP, 10 RAX, 18 RBX, 20 RCX, 28 RDX, 30 RSI, 38 RDI, 40 RBP, 48 RSP, 50 to 88 R8 to R15,
 * 90 global status or applicable counters, 98 data linear address, A0 data source, A8 latency, B0 EventingIP, B8 TSX
 * abort information, C0 TSC.
 */
#define FIRST count_up
#include "tests/host/unit_test.h"

#include "pebs/pebs_decode.h"

static uint8_t record[200], record_32[40];

static int count_up(void **state)
{
    for (unsigned i = 0; i < sizeof record; i++)
        record[i] = (uint8_t)i;
    memcpy(record_32, record, sizeof record_32);
    record_32[39] |= 0x80; /* the highest bit of ESP: it is no sign */
    return 0;
}

/* The quadword at an offset of the record. */
static uint64_t at(unsigned offset)
{
    return UINT64_C(0x0706050403020100) + offset * UINT64_C(0x0101010101010101);
}

/* The registers by their numbers: which of the record's quadwords, or doublewords of 32 bits, each one is. */
enum { RFLAGS, RIP, RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP };
static const unsigned places[8] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

/* A record from a processor with DTES64 outside IA-32e mode: upper halves, and R8 to R15, are zero. */
static const uint8_t record_outside_ia32e[144] = {
    0x46, 0x02, 0x00, 0x00, 0, 0, 0, 0, /* 00 RFLAGS */
    0x34, 0x12, 0x10, 0x80, 0, 0, 0, 0, /* 08 RIP */
    0x11, 0x11, 0x11, 0x91, 0, 0, 0, 0, /* 10 RAX */
    0x22, 0x22, 0x22, 0x92, 0, 0, 0, 0, /* 18 RBX */
    0x33, 0x33, 0x33, 0x93, 0, 0, 0, 0, /* 20 RCX */
    0x44, 0x44, 0x44, 0x94, 0, 0, 0, 0, /* 28 RDX */
    0x55, 0x55, 0x55, 0x95, 0, 0, 0, 0, /* 30 RSI */
    0x66, 0x66, 0x66, 0x96, 0, 0, 0, 0, /* 38 RDI */
    0x77, 0x77, 0x77, 0x97, 0, 0, 0, 0, /* 40 RBP */
    0x88, 0x88, 0x88, 0x98, 0, 0, 0, 0, /* 48 RSP, and 50 to 88 R8 to R15 */
};

static void assert_registers(const struct pebs_record *out)
{
    assert_int_equal(out->rflags, at(0x00));
    assert_int_equal(out->ip, at(0x08));
    for (unsigned n = 0; n < 16; n++)
        assert_int_equal(out->gpr[n], at(8 * (n < 8 ? places[n] : n + 2)));
}

static struct pebs_form form_64(unsigned pebs_format)
{
    return (struct pebs_form){ .width = 8, .format = pebs_format };
}

static struct pebs_record decode(unsigned pebs_format, size_t size)
{
    struct pebs_form form = form_64(pebs_format);
    struct pebs_record out;
    uint8_t *bytes = exact_copy(record, size);
    memset(&out, 0xa5, sizeof(out));
    assert_int_equal(pebs_decode(&form, bytes, size, &out), PEBS_DECODE_OK);
    free(bytes);
    assert_int_equal(out.format, pebs_format);
    assert_int_equal(out.size, size);
    return out;
}

UNIT_TEST(bits_32)
{
    const struct pebs_form form = { .width = 4 };
    struct pebs_record out;
    uint8_t *bytes = exact_copy(record_32, sizeof(record_32));
    memset(&out, 0xa5, sizeof(out));
    assert_int_equal(pebs_decode(&form, bytes, sizeof(record_32), &out), PEBS_DECODE_OK);
    free(bytes);
    assert_int_equal(out.width, 4);
    assert_int_equal(out.format, 0);
    assert_int_equal(out.size, 40);
    assert_int_equal(out.has, PEBS_HAS_GPRS);
    assert_int_equal(out.rflags, 0x03020100);
    assert_int_equal(out.ip, 0x07060504);
    for (unsigned n = 0; n < 16; n++)
        assert_int_equal(out.gpr[n], n >= 8             ? 0
                                     : places[n] == RSP ? 0xa7262524
                                                        : 0x03020100 + 4 * places[n] * 0x01010101);
    assert_int_equal(out.counters | out.data_address | out.data_source | out.latency, 0);
    assert_int_equal(out.eventing_ip | out.tsx | out.tsc | out.format_group | out.lbr_count, 0);
    assert_int_equal(pebs_record_size(&form), 40);
}

UNIT_TEST(dtes64_outside_ia32e)
{
    static const uint64_t registers[16] = { 0x91111111, 0x93333333, 0x94444444, 0x92222222,
                                            0x98888888, 0x97777777, 0x95555555, 0x96666666 };
    struct pebs_form form = form_64(0);
    struct pebs_record out;
    assert_int_equal(pebs_decode(&form, record_outside_ia32e, sizeof(record_outside_ia32e), &out), PEBS_DECODE_OK);
    assert_int_equal(out.size, 144);
    assert_int_equal(out.rflags, 0x246);
    assert_int_equal(out.ip, 0x80101234);
    assert_memory_equal(out.gpr, registers, sizeof(registers));
}

/* Core, Nehalem, Haswell, Skylake: each format has what the one before it has, and more. */
UNIT_TEST(formats)
{
    static const size_t sizes[] = { 144, 176, 192, 200 };
    static const uint64_t more[] = { PEBS_HAS_GPRS, PEBS_HAS_MEMORY | PEBS_HAS_SOURCE,
                                     PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX, PEBS_HAS_TSC };
    uint64_t has = 0;
    for (unsigned format = 0; format < 4; format++) {
        struct pebs_record out = decode(format, sizes[format]);
        has |= more[format];
        assert_int_equal(out.has, has | (format == 3 ? PEBS_HAS_APPLICABLE : format != 0 ? PEBS_HAS_STATUS : 0));
        assert_registers(&out);
        assert_int_equal(out.counters, format >= 1 ? at(0x90) : 0);
        assert_int_equal(out.data_address, format >= 1 ? at(0x98) : 0);
        assert_int_equal(out.data_source, format >= 1 ? at(0xa0) : 0);
        assert_int_equal(out.latency, format >= 1 ? at(0xa8) : 0);
        assert_int_equal(out.eventing_ip, format >= 2 ? at(0xb0) : 0);
        assert_int_equal(out.tsx, format >= 2 ? at(0xb8) : 0);
        assert_int_equal(out.tsc, format >= 3 ? at(0xc0) : 0);
    }
}

/*
 * SDM Vol. 3B (253669-059), "PEBS Data Linear Address Profiling", 18.7.1.1: Goldmont's records have the address, and
 * reserve data source and latency; its table of the record reserves B8h, too. Table 18-13: Silvermont's reserve all
 * four.
 */
UNIT_TEST(reserved_fields)
{
    struct pebs_form form = form_64(3);
    struct pebs_record out;
    form.reserved = PEBS_RESERVED_SOURCE;
    assert_int_equal(pebs_decode(&form, record, 200, &out), PEBS_DECODE_OK);
    assert_int_equal(out.has,
                     PEBS_HAS_GPRS | PEBS_HAS_APPLICABLE | PEBS_HAS_MEMORY | PEBS_HAS_EVENTING_IP | PEBS_HAS_TSC);
    assert_registers(&out);
    assert_int_equal(out.counters, at(0x90));
    assert_int_equal(out.data_address, at(0x98));
    assert_int_equal(out.data_source | out.latency | out.tsx, 0);
    assert_int_equal(out.eventing_ip, at(0xb0));
    assert_int_equal(out.tsc, at(0xc0));

    form = form_64(2);
    form.reserved = PEBS_RESERVED_MEMORY;
    assert_int_equal(pebs_decode(&form, record, 192, &out), PEBS_DECODE_OK);
    assert_int_equal(out.has, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_EVENTING_IP);
    assert_registers(&out);
    assert_int_equal(out.data_address | out.data_source | out.latency | out.tsx, 0);
    assert_int_equal(out.eventing_ip, at(0xb0));
}

UNIT_TEST(truncated_at_every_length)
{
    static const size_t sizes[] = { 144, 176, 192, 200 };
    for (unsigned pebs_format = 0; pebs_format < 4; pebs_format++) {
        struct pebs_form form = form_64(pebs_format);
        assert_int_equal(pebs_record_size(&form), sizes[pebs_format]);
        for (size_t length = 0; length < sizes[pebs_format]; length++) {
            struct pebs_record out, before;
            memset(&out, 0xa5, sizeof(out));
            memcpy(&before, &out, sizeof(out));
            uint8_t *bytes = exact_copy(record, length);
            assert_int_equal(pebs_decode(&form, bytes, length, &out), PEBS_DECODE_TRUNCATED);
            assert_memory_equal(&out, &before, sizeof(out));
            free(bytes);
        }
    }
}

UNIT_TEST(truncated_at_every_length_of_32_bits)
{
    const struct pebs_form form = { .width = 4 };
    for (size_t length = 0; length < sizeof(record_32); length++) {
        struct pebs_record out, before;
        memset(&out, 0xa5, sizeof(out));
        memcpy(&before, &out, sizeof(out));
        uint8_t *bytes = exact_copy(record_32, length);
        assert_int_equal(pebs_decode(&form, bytes, length, &out), PEBS_DECODE_TRUNCATED);
        assert_memory_equal(&out, &before, sizeof(out));
        free(bytes);
    }
}

UNIT_TEST(unknown_formats)
{
    for (unsigned pebs_format = 7; pebs_format < 20; pebs_format++) {
        if (pebs_format == 15) /* architectural: test_pebs_arch.c */
            continue;
        struct pebs_form form = form_64(pebs_format);
        struct pebs_record out, before;
        memset(&out, 0xa5, sizeof(out));
        memcpy(&before, &out, sizeof(out));
        assert_int_equal(pebs_record_size(&form), 0);
        assert_int_equal(pebs_decode(&form, record, sizeof(record), &out), PEBS_DECODE_FORMAT_UNKNOWN);
        assert_memory_equal(&out, &before, sizeof(out));
    }
    struct pebs_form form = form_64(~0u);
    assert_int_equal(pebs_record_size(&form), 0);
    form = (struct pebs_form){ .width = 0, .format = 0 };
    assert_int_equal(pebs_record_size(&form), 0);
}

UNIT_TEST(any_alignment_and_more_bytes)
{
    for (size_t shift = 0; shift < 8; shift++) {
        struct pebs_form form = form_64(3);
        uint8_t bytes[216] = { 0 };
        struct pebs_record out;
        memcpy(bytes + shift, record, sizeof(record));
        assert_int_equal(pebs_decode(&form, bytes + shift, sizeof(bytes) - shift, &out), PEBS_DECODE_OK);
        assert_int_equal(out.size, 200);
        assert_registers(&out);
        assert_int_equal(out.tsc, at(0xc0));
    }
}

UNIT_TEST(errors_have_words)
{
    static const char *const words[] = {
        [PEBS_DECODE_OK] = "no error",
        [PEBS_DECODE_TRUNCATED] = "PEBS record truncated",
        [PEBS_DECODE_FORMAT_UNKNOWN] = "unknown PEBS record format",
        [PEBS_DECODE_SIZE_ZERO] = "size field of the PEBS record is 0",
        [PEBS_DECODE_SIZE_SMALL] = "size field of the PEBS record is smaller than the basic group",
        [PEBS_DECODE_SIZE_PAST_END] = "size field of the PEBS record is past the end of the buffer",
        [PEBS_DECODE_GROUPS_UNKNOWN] = "PEBS record has unknown groups (format field)",
        [PEBS_DECODE_SIZE_DIFFERS] = "size field of the PEBS record does not match its groups",
        [PEBS_DECODE_METRICS_UNKNOWN] = "counters group of the PEBS record has metrics of an unknown kind",
        [PEBS_DECODE_HEADER_SMALL] = "size field of a PEBS record's fragment is smaller than its header",
        [PEBS_DECODE_LBR_DEPTH] = "PEBS record has more LBR entries than any stack",
        [PEBS_DECODE_NO_BASIC] = "first fragment of the PEBS record has no basic group",
        [PEBS_DECODE_GROUP_AGAIN] = "two fragments of the PEBS record have the same group",
        [PEBS_DECODE_UNFINISHED] = "PEBS record continues in a fragment that is missing",
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_string_equal(pebs_error_text((enum pebs_error)i), words[i]);
    assert_string_equal(pebs_error_text((enum pebs_error)99), "unknown PEBS error");
}

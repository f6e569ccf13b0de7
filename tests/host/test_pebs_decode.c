/* SPDX-License-Identifier: MIT */
/*
 * PEBS records of fixed size: the 32-bit one, and formats 0 to 3. The golden record's bytes count up from 0, so every
 * field's value is its own offset in the manual's tables, eight times. The offsets below are typed from those tables,
 * not from a header.
 */
#include "tests/host/host_test.h"

#include "pebs/pebs_decode.h"

/* What the tables say: offset, field; the first format that has it is a matter of the size. */
static const uint8_t record[200] = {
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, /* 00 RFLAGS */
    0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, /* 08 RIP */
    0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, /* 10 RAX */
    0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, /* 18 RBX */
    0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, /* 20 RCX */
    0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, /* 28 RDX */
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, /* 30 RSI */
    0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, /* 38 RDI */
    0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, /* 40 RBP */
    0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, /* 48 RSP */
    0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, /* 50 R8 */
    0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, /* 58 R9 */
    0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, /* 60 R10 */
    0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, /* 68 R11 */
    0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, /* 70 R12 */
    0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, /* 78 R13 */
    0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, /* 80 R14 */
    0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, /* 88 R15 */
    0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, /* 90 global status; applicable counters */
    0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, /* 98 data linear address */
    0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, /* A0 data source */
    0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, /* A8 latency */
    0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, /* B0 EventingIP */
    0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf, /* B8 TSX abort information */
    0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, /* C0 TSC */
};

static const uint8_t record_32[40] = {
    0x00, 0x01, 0x02, 0x03, /* 00 EFLAGS */
    0x04, 0x05, 0x06, 0x07, /* 04 EIP */
    0x08, 0x09, 0x0a, 0x0b, /* 08 EAX */
    0x0c, 0x0d, 0x0e, 0x0f, /* 0C EBX */
    0x10, 0x11, 0x12, 0x13, /* 10 ECX */
    0x14, 0x15, 0x16, 0x17, /* 14 EDX */
    0x18, 0x19, 0x1a, 0x1b, /* 18 ESI */
    0x1c, 0x1d, 0x1e, 0x1f, /* 1C EDI */
    0x20, 0x21, 0x22, 0x23, /* 20 EBP */
    0x24, 0x25, 0x26, 0xa7, /* 24 ESP, with its highest bit set */
};

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
    assert_int_equal(out->rflags, 0x0706050403020100);
    assert_int_equal(out->ip, 0x0f0e0d0c0b0a0908);
    assert_int_equal(out->gpr[0], 0x1716151413121110); /* rax */
    assert_int_equal(out->gpr[3], 0x1f1e1d1c1b1a1918); /* rbx */
    assert_int_equal(out->gpr[1], 0x2726252423222120); /* rcx */
    assert_int_equal(out->gpr[2], 0x2f2e2d2c2b2a2928); /* rdx */
    assert_int_equal(out->gpr[6], 0x3736353433323130); /* rsi */
    assert_int_equal(out->gpr[7], 0x3f3e3d3c3b3a3938); /* rdi */
    assert_int_equal(out->gpr[5], 0x4746454443424140); /* rbp */
    assert_int_equal(out->gpr[4], 0x4f4e4d4c4b4a4948); /* rsp */
    assert_int_equal(out->gpr[8], 0x5756555453525150);
    assert_int_equal(out->gpr[9], 0x5f5e5d5c5b5a5958);
    assert_int_equal(out->gpr[10], 0x6766656463626160);
    assert_int_equal(out->gpr[11], 0x6f6e6d6c6b6a6968);
    assert_int_equal(out->gpr[12], 0x7776757473727170);
    assert_int_equal(out->gpr[13], 0x7f7e7d7c7b7a7978);
    assert_int_equal(out->gpr[14], 0x8786858483828180);
    assert_int_equal(out->gpr[15], 0x8f8e8d8c8b8a8988);
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

static void bits_32(void **state)
{
    const struct pebs_form form = { .width = 4 };
    struct pebs_record out;
    uint8_t *bytes = exact_copy(record_32, sizeof(record_32));
    (void)state;
    memset(&out, 0xa5, sizeof(out));
    assert_int_equal(pebs_decode(&form, bytes, sizeof(record_32), &out), PEBS_DECODE_OK);
    free(bytes);
    assert_int_equal(out.width, 4);
    assert_int_equal(out.format, 0);
    assert_int_equal(out.size, 40);
    assert_int_equal(out.has, PEBS_HAS_GPRS);
    assert_int_equal(out.rflags, 0x03020100);
    assert_int_equal(out.ip, 0x07060504);
    assert_int_equal(out.gpr[0], 0x0b0a0908); /* eax */
    assert_int_equal(out.gpr[3], 0x0f0e0d0c); /* ebx */
    assert_int_equal(out.gpr[1], 0x13121110); /* ecx */
    assert_int_equal(out.gpr[2], 0x17161514); /* edx */
    assert_int_equal(out.gpr[6], 0x1b1a1918); /* esi */
    assert_int_equal(out.gpr[7], 0x1f1e1d1c); /* edi */
    assert_int_equal(out.gpr[5], 0x23222120); /* ebp */
    assert_int_equal(out.gpr[4], 0xa7262524); /* esp: no sign */
    for (unsigned i = 8; i < 16; i++)
        assert_int_equal(out.gpr[i], 0);
    assert_int_equal(out.counters | out.data_address | out.data_source | out.latency, 0);
    assert_int_equal(out.eventing_ip | out.tsx | out.tsc | out.format_group | out.lbr_count, 0);
    assert_int_equal(pebs_record_size(&form), 40);
}

static void dtes64_outside_ia32e(void **state)
{
    static const uint64_t registers[16] = { 0x91111111, 0x93333333, 0x94444444, 0x92222222,
                                            0x98888888, 0x97777777, 0x95555555, 0x96666666 };
    struct pebs_form form = form_64(0);
    struct pebs_record out;
    (void)state;
    assert_int_equal(pebs_decode(&form, record_outside_ia32e, sizeof(record_outside_ia32e), &out), PEBS_DECODE_OK);
    assert_int_equal(out.size, 144);
    assert_int_equal(out.rflags, 0x246);
    assert_int_equal(out.ip, 0x80101234);
    assert_memory_equal(out.gpr, registers, sizeof(registers));
}

static void format_0_core(void **state)
{
    (void)state;
    struct pebs_record out = decode(0, 144);
    assert_int_equal(out.has, PEBS_HAS_GPRS);
    assert_registers(&out);
    assert_int_equal(out.counters | out.data_address | out.data_source | out.latency, 0);
    assert_int_equal(out.eventing_ip | out.tsx | out.tsc, 0);
}

static void format_1_nehalem(void **state)
{
    (void)state;
    struct pebs_record out = decode(1, 176);
    assert_int_equal(out.has, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY | PEBS_HAS_SOURCE);
    assert_registers(&out);
    assert_int_equal(out.counters, 0x9796959493929190);
    assert_int_equal(out.data_address, 0x9f9e9d9c9b9a9998);
    assert_int_equal(out.data_source, 0xa7a6a5a4a3a2a1a0);
    assert_int_equal(out.latency, 0xafaeadacabaaa9a8);
    assert_int_equal(out.eventing_ip | out.tsx | out.tsc, 0);
}

static void format_2_haswell(void **state)
{
    (void)state;
    struct pebs_record out = decode(2, 192);
    assert_int_equal(out.has, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY | PEBS_HAS_SOURCE |
                                  PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX);
    assert_registers(&out);
    assert_int_equal(out.counters, 0x9796959493929190);
    assert_int_equal(out.data_address, 0x9f9e9d9c9b9a9998);
    assert_int_equal(out.data_source, 0xa7a6a5a4a3a2a1a0);
    assert_int_equal(out.latency, 0xafaeadacabaaa9a8);
    assert_int_equal(out.eventing_ip, 0xb7b6b5b4b3b2b1b0);
    assert_int_equal(out.tsx, 0xbfbebdbcbbbab9b8);
    assert_int_equal(out.tsc, 0);
}

static void format_3_skylake(void **state)
{
    (void)state;
    struct pebs_record out = decode(3, 200);
    assert_int_equal(out.has, PEBS_HAS_GPRS | PEBS_HAS_APPLICABLE | PEBS_HAS_MEMORY | PEBS_HAS_SOURCE |
                                  PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX | PEBS_HAS_TSC);
    assert_registers(&out);
    assert_int_equal(out.counters, 0x9796959493929190);
    assert_int_equal(out.data_address, 0x9f9e9d9c9b9a9998);
    assert_int_equal(out.data_source, 0xa7a6a5a4a3a2a1a0);
    assert_int_equal(out.latency, 0xafaeadacabaaa9a8);
    assert_int_equal(out.eventing_ip, 0xb7b6b5b4b3b2b1b0);
    assert_int_equal(out.tsx, 0xbfbebdbcbbbab9b8);
    assert_int_equal(out.tsc, 0xc7c6c5c4c3c2c1c0);
}

/*
 * SDM Vol. 3B (253669-059), "PEBS Data Linear Address Profiling", 18.7.1.1: Goldmont's records have the address, and
 * reserve data source and latency; its table of the record reserves B8h, too. Table 18-13: Silvermont's reserve all
 * four.
 */
static void reserved_fields(void **state)
{
    (void)state;
    struct pebs_form form = form_64(3);
    struct pebs_record out;
    form.reserved = PEBS_RESERVED_SOURCE;
    assert_int_equal(pebs_decode(&form, record, 200, &out), PEBS_DECODE_OK);
    assert_int_equal(out.has,
                     PEBS_HAS_GPRS | PEBS_HAS_APPLICABLE | PEBS_HAS_MEMORY | PEBS_HAS_EVENTING_IP | PEBS_HAS_TSC);
    assert_registers(&out);
    assert_int_equal(out.counters, 0x9796959493929190);
    assert_int_equal(out.data_address, 0x9f9e9d9c9b9a9998);
    assert_int_equal(out.data_source | out.latency | out.tsx, 0);
    assert_int_equal(out.eventing_ip, 0xb7b6b5b4b3b2b1b0);
    assert_int_equal(out.tsc, 0xc7c6c5c4c3c2c1c0);

    form = form_64(2);
    form.reserved = PEBS_RESERVED_MEMORY;
    assert_int_equal(pebs_decode(&form, record, 192, &out), PEBS_DECODE_OK);
    assert_int_equal(out.has, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_EVENTING_IP);
    assert_registers(&out);
    assert_int_equal(out.data_address | out.data_source | out.latency | out.tsx, 0);
    assert_int_equal(out.eventing_ip, 0xb7b6b5b4b3b2b1b0);
}

static void truncated_at_every_length(void **state)
{
    static const size_t sizes[] = { 144, 176, 192, 200 };
    (void)state;
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

static void truncated_at_every_length_of_32_bits(void **state)
{
    const struct pebs_form form = { .width = 4 };
    (void)state;
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

static void unknown_formats(void **state)
{
    (void)state;
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

static void any_alignment_and_more_bytes(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 8; shift++) {
        struct pebs_form form = form_64(3);
        uint8_t bytes[216] = { 0 };
        struct pebs_record out;
        memcpy(bytes + shift, record, sizeof(record));
        assert_int_equal(pebs_decode(&form, bytes + shift, sizeof(bytes) - shift, &out), PEBS_DECODE_OK);
        assert_int_equal(out.size, 200);
        assert_registers(&out);
        assert_int_equal(out.tsc, 0xc7c6c5c4c3c2c1c0);
    }
}

static void errors_have_words(void **state)
{
    (void)state;
    static const char *const words[] = {
        [PEBS_DECODE_OK] = "no error",
        [PEBS_DECODE_TRUNCATED] = "PEBS record truncated",
        [PEBS_DECODE_FORMAT_UNKNOWN] = "unknown PEBS record format",
        [PEBS_DECODE_SIZE_ZERO] = "size field of the PEBS record is 0",
        [PEBS_DECODE_SIZE_SMALL] = "size field of the PEBS record is smaller than the basic group",
        [PEBS_DECODE_SIZE_PAST_END] = "size field of the PEBS record goes past the end of the buffer",
        [PEBS_DECODE_GROUPS_UNKNOWN] = "PEBS record has unknown groups (format field)",
        [PEBS_DECODE_SIZE_DIFFERS] = "size field of the PEBS record does not match its groups",
        [PEBS_DECODE_METRICS_UNKNOWN] = "counters group of the PEBS record has metrics of an unknown kind",
        [PEBS_DECODE_HEADER_SMALL] = "size field of a PEBS record's fragment is smaller than its header",
        [PEBS_DECODE_LBR_DEPTH] = "PEBS record has more LBR entries than any stack",
        [PEBS_DECODE_NO_BASIC] = "first fragment of the PEBS record has no basic group",
        [PEBS_DECODE_GROUP_AGAIN] = "two fragments of the PEBS record have the same group",
        [PEBS_DECODE_UNFINISHED] = "PEBS record goes on in a fragment that is missing",
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_string_equal(pebs_error_text((enum pebs_error)i), words[i]);
    assert_string_equal(pebs_error_text((enum pebs_error)99), "unknown PEBS error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_32),
        cmocka_unit_test(dtes64_outside_ia32e),
        cmocka_unit_test(format_0_core),
        cmocka_unit_test(format_1_nehalem),
        cmocka_unit_test(format_2_haswell),
        cmocka_unit_test(format_3_skylake),
        cmocka_unit_test(reserved_fields),
        cmocka_unit_test(truncated_at_every_length),
        cmocka_unit_test(truncated_at_every_length_of_32_bits),
        cmocka_unit_test(unknown_formats),
        cmocka_unit_test(any_alignment_and_more_bytes),
        cmocka_unit_test(errors_have_words),
    };
    return cmocka_run_group_tests_name("pebs_decode", tests, NULL, NULL);
}

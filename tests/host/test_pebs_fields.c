/* SPDX-License-Identifier: MIT */
/*
 * The place, the name and the line of each field of one word, in a record of each layout whose bytes count up: a
 * field's value is its own offset. Places are typed from SDM Vol. 3B (253669-081), "PEBS Record Format" and "Adaptive
 * PEBS", and from Intel Architecture Instruction Set Extensions Programming Reference (319433), chapter 11
 * "Architectural PEBS", by way of the structures of Linux, commit 52448a0a7390; names and lines from docs/output.md.
 */
#include "tests/host/unit_test.h"

#include "kernel/report/record_text.h"
#include "lib/bytes.h"
#include "pebs/pebs_decode.h"
#include "tests/host/lines.h"

/* Decodes a record of this size with these first bytes and prints it. ones: all other bits are 1. */
static void print(const struct pebs_form *form, uint64_t header, size_t size, bool ones)
{
    uint8_t bytes[400];
    struct pebs_record record;

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = ones ? 0xff : (uint8_t)i;
    if (header)
        write_u64(bytes, 0, header);
    if (form->format == 15)
        memset(bytes + 16 + 0x1a, 0xff, 6); /* the retire latency is valid, and its word's reserved bits are set */
    assert_int_equal(pebs_decode(form, bytes, size, &record), PEBS_DECODE_OK);
    assert_int_equal(record.size, size);
    pebs_text(&into_lines, 0, &record, DATA_SOURCE_UNKNOWN, NULL);
}

UNIT_TEST(fixed)
{
    print(&(const struct pebs_form){ .width = 4 }, 0, 40, false);
    printed("pebs 0 eip 0x7060504\n"
            "pebs 0 eax 0xb0a0908 ebx 0xf0e0d0c ecx 0x13121110 edx 0x17161514\n"
            "pebs 0 esi 0x1b1a1918 edi 0x1f1e1d1c ebp 0x23222120 esp 0x27262524\n"
            "pebs 0 eflags 0x3020100\n");
    print(&(const struct pebs_form){ .width = 8, .format = 3 }, 0, 200, false);
    printed("pebs 0 ip 0xf0e0d0c0b0a0908 eventing_ip 0xb7b6b5b4b3b2b1b0 counters 0x9796959493929190 tsc "
            "0xc7c6c5c4c3c2c1c0\n"
            "pebs 0 rax 0x1716151413121110 rbx 0x1f1e1d1c1b1a1918 rcx 0x2726252423222120 rdx 0x2f2e2d2c2b2a2928\n"
            "pebs 0 rsi 0x3736353433323130 rdi 0x3f3e3d3c3b3a3938 rbp 0x4746454443424140 rsp 0x4f4e4d4c4b4a4948\n"
            "pebs 0 r8 0x5756555453525150 r9 0x5f5e5d5c5b5a5958 r10 0x6766656463626160 r11 0x6f6e6d6c6b6a6968\n"
            "pebs 0 r12 0x7776757473727170 r13 0x7f7e7d7c7b7a7978 r14 0x8786858483828180 r15 0x8f8e8d8c8b8a8988\n"
            "pebs 0 rflags 0x706050403020100\n"
            "pebs 0 data_address 0x9f9e9d9c9b9a9998 data_source 0xa7a6a5a4a3a2a1a0 |LVL N/A|SNP N/A|TLB N/A|LCK N/A| "
            "latency 12659246559711111592\n"
            "pebs 0 tsx 0xbfbebdbcbbbab9b8\n");
}

UNIT_TEST(adaptive)
{
    print(&(const struct pebs_form){ .width = 8, .format = 4, .adaptive = true },
          UINT64_C(208) << 48 | UINT64_C(0x1234) << 32 | 3, 208, false);
    printed("pebs 0 ip 0x4f4e4d4c4b4a4948 eventing_ip 0xf0e0d0c0b0a0908 counters 0x1716151413121110 tsc "
            "0x1f1e1d1c1b1a1918\n"
            "pebs 0 format_group 0x3\n"
            "pebs 0 rax 0x5756555453525150 rbx 0x6f6e6d6c6b6a6968 rcx 0x5f5e5d5c5b5a5958 rdx 0x6766656463626160\n"
            "pebs 0 rsi 0x8786858483828180 rdi 0x8f8e8d8c8b8a8988 rbp 0x7f7e7d7c7b7a7978 rsp 0x7776757473727170\n"
            "pebs 0 r8 0x9796959493929190 r9 0x9f9e9d9c9b9a9998 r10 0xa7a6a5a4a3a2a1a0 r11 0xafaeadacabaaa9a8\n"
            "pebs 0 r12 0xb7b6b5b4b3b2b1b0 r13 0xbfbebdbcbbbab9b8 r14 0xc7c6c5c4c3c2c1c0 r15 0xcfcecdcccbcac9c8\n"
            "pebs 0 rflags 0x4746454443424140\n"
            "pebs 0 data_address 0x2726252423222120 data_source 0x2f2e2d2c2b2a2928 |LVL N/A|SNP N/A|TLB N/A|LCK N/A| "
            "latency 858927408\n"
            "pebs 0 tsx 0x3f3e3d3c3b3a3938 tsx_cycles 993671480\n");
}

UNIT_TEST(architectural)
{
    print(&(const struct pebs_form){ .width = 8, .format = 15, .lbr_format = 0x3f }, UINT64_C(7) << 61 | 288, 288,
          false);
    printed("pebs 0 ip 0x8f8e8d8c8b8a8988 eventing_ip 0x1716151413121110 counters 0x1f1e1d1c1b1a1918 tsc "
            "0x2726252423222120\n"
            "pebs 0 format_group 0xe000000000000000 retire_latency 10536 fragments 1 mode_64 0\n"
            "pebs 0 rax 0x9796959493929190 rbx 0xafaeadacabaaa9a8 rcx 0x9f9e9d9c9b9a9998 rdx 0xa7a6a5a4a3a2a1a0\n"
            "pebs 0 rsi 0xc7c6c5c4c3c2c1c0 rdi 0xcfcecdcccbcac9c8 rbp 0xbfbebdbcbbbab9b8 rsp 0xb7b6b5b4b3b2b1b0\n"
            "pebs 0 r8 0xd7d6d5d4d3d2d1d0 r9 0xdfdedddcdbdad9d8 r10 0xe7e6e5e4e3e2e1e0 r11 0xefeeedecebeae9e8\n"
            "pebs 0 r12 0xf7f6f5f4f3f2f1f0 r13 0xfffefdfcfbfaf9f8 r14 0x706050403020100 r15 0xf0e0d0c0b0a0908\n"
            "pebs 0 rflags 0x8786858483828180 ssp 0x1716151413121110\n"
            "pebs 0 data_address 0x4746454443424140 data_source 0x6f6e6d6c6b6a6968 |LVL N/A|SNP N/A|TLB N/A|LCK N/A| "
            "latency 29040 cache_latency 30068\n"
            "pebs 0 tsx 0x7f7e7d7c7b7a7978 tsx_cycles 2071624056\n");
}

/* Fields that are a part of their word. The instruction latency has fewer bits if there is a cache latency. */
UNIT_TEST(parts_of_words)
{
    struct pebs_form form = { .width = 8, .format = 4, .adaptive = true };
    const uint64_t header = UINT64_C(64) << 48 | UINT64_C(0x1234) << 32 | 1;

    print(&form, header, 64, true);
    has_printed(" latency 4294967295\n");
    has_printed(" tsx_cycles 4294967295\n");
    forget_lines();
    form.retire_latency = form.cache_latency = true;
    print(&form, header, 64, true);
    has_printed("\npebs 0 format_group 0x1 retire_latency 4660\n");
    has_printed(" latency 65535 cache_latency 65535\n");
    forget_lines();
    print(&(const struct pebs_form){ .width = 8, .format = 15 }, UINT64_C(3) << 62 | 1 << 30 | 128, 128, true);
    has_printed(" retire_latency 65535 fragments 1 mode_64 1\n");
    has_printed(" latency 65535 cache_latency 65535\n");
    has_printed(" tsx_cycles 4294967295\n");
    forget_lines();
}

/* Columns have the numbers from 1 on without gaps; names and perf's registers are unique. */
UNIT_TEST(rows_do_not_collide)
{
    uint64_t columns = 0, registers = 0;

    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        assert_true(field->column < 64 && field->has != 0);
        assert_false(field->column != 0 && columns >> field->column & 1);
        columns |= field->column != 0 ? UINT64_C(1) << field->column : 0;
        if (field->perf != PEBS_FIELD_NONE) {
            assert_true(field->perf < 32 && !(registers >> field->perf & 1));
            registers |= UINT64_C(1) << field->perf;
        }
        for (const struct pebs_field *other = pebs_fields; other != field; other++)
            assert_true(strcmp(other->name, field->name) != 0 && other->member != field->member);
    }
    assert_int_equal(columns & (columns + 2), 0);
    assert_int_equal(registers, 0xff03ff);
}

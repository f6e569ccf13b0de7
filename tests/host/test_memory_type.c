/* SPDX-License-Identifier: MIT */
/*
 * Memory types by MTRRs. Machines: their registers from Linux's boot logs in github.com/linuxhw/Dmesg, whose base and
 * mask are addresses. Rules: SDM Vol. 3A (253668-081), "MTRR Precedences" and "IA32_MTRR_DEF_TYPE MSR".
 */
#include "tests/host/unit_test.h"

#include "cpu/memory_type.h"

#define ON     UINT64_C(0x800)
#define ALL_ON UINT64_C(0xc00) /* with the fixed ranges */
#define RANGE(b, m, t)                      \
    {                                       \
        UINT64_C(b) | (t), UINT64_C(m) | ON \
    }
#define OFF  \
    {        \
        0, 0 \
    }
#define PAT         UINT64_C(0x0007040600070106)
#define NO_PAT      UINT64_C(0x0606060606060606)
#define BY_DEFAULT  0x2ff
#define BY_RANGE(n) (0x200 + 2 * (n))
#define BY_NOTHING  0

/* Dell PowerEdge R910, C3EC3FCF73: no range above 80000000H and below 4 GiB. */
#define R910                                                                                            \
    {                                                                                                   \
        true, ALL_ON, 7, { RANGE(0, 0xfff80000000, 6),           RANGE(0x100000000, 0xfff00000000, 6),  \
                           RANGE(0x200000000, 0xffe00000000, 6), RANGE(0x400000000, 0xffc00000000, 6),  \
                           RANGE(0x800000000, 0xff800000000, 6), RANGE(0x1000000000, 0xff000000000, 6), \
                           RANGE(0x2000000000, 0xfff80000000, 6) },                                     \
            PAT                                                                                         \
    }
/* IBM x3650 (7979AC1), C96366367D: the log says that the processors' variable ranges differ; these are the first's. */
#define X3650(valid)                                  \
    {                                                 \
        true, ALL_ON, 8,                              \
            { RANGE(0, 0x3f80000000, 6),              \
              RANGE(0x80000000, 0x3fe0000000, 6),     \
              { 0xa0000006, 0x3ff0000000 | (valid) }, \
              RANGE(0x100000000, 0x3f00000000, 6),    \
              RANGE(0x200000000, 0x3e00000000, 6),    \
              RANGE(0x400000000, 0x3c00000000, 6),    \
              RANGE(0x800000000, 0x3800000000, 6),    \
              OFF },                                  \
            PAT                                       \
    }
/* IBM ThinkPad T23 (2647KNG), 65D3C4C3C2: no page attribute table, 36-bit masks. */
#define T23                                                                                      \
    {                                                                                            \
        true, ALL_ON, 8, { RANGE(0, 0xff0000000, 6), RANGE(0x10000000, 0xff8000000, 6) }, NO_PAT \
    }
/* Gigabyte H77M-D3H, BIOS F4: uncacheable ranges overlap write-back ones. */
#define H77M                                                                                                   \
    {                                                                                                          \
        true, ALL_ON, 10,                                                                                      \
            { RANGE(0, 0xe00000000, 6), RANGE(0x200000000, 0xfe0000000, 6), RANGE(0xe0000000, 0xfe0000000, 0), \
              RANGE(0xdc000000, 0xffc000000, 0), RANGE(0xdb800000, 0xfff800000, 0) },                          \
            PAT                                                                                                \
    }
/* U-Boot 2023.01 and 2025.01 in QEMU set no range. */
#define U_BOOT                        \
    {                                 \
        true, ALL_ON, 8, { OFF }, PAT \
    }
/* QEMU with SeaBIOS 1.10.2: the default type is write-back. */
#define QEMU                                                             \
    {                                                                    \
        true, ALL_ON | 6, 8, { RANGE(0x80000000, 0xff80000000, 0) }, PAT \
    }
/* No machine: one range of each type, with the default type WP. */
#define TWO(t, u)                                                                    \
    {                                                                                \
        true, ON | 5, 2, { RANGE(0, 0xff0000000, t), RANGE(0, 0xff8000000, u) }, PAT \
    }

UNIT_TEST(types_of_machines_and_rules)
{
    static const struct {
        struct memory_registers is;
        uint64_t address;
        enum memory_type type;
        uint32_t msr;
    } rows[] = {
        { R910, 0x2b0000, MEMORY_WB, BY_NOTHING },
        { R910, 0x7f337000, MEMORY_WB, BY_NOTHING },
        { R910, 0x80000000, MEMORY_UC, BY_DEFAULT },
        { X3650(ON), 0xafe00000, MEMORY_WB, BY_NOTHING },
        { X3650(0), 0xafe00000, MEMORY_UC, BY_DEFAULT }, /* another processor may lack a range */
        { X3650(0), 0x2b0000, MEMORY_WB, BY_NOTHING },
        { T23, 0x17e00000, MEMORY_WB, BY_NOTHING },
        { T23, 0x18000000, MEMORY_UC, BY_DEFAULT },
        { H77M, 0x2b0000, MEMORY_WB, BY_NOTHING },
        { H77M, 0xdb7ff000, MEMORY_WB, BY_NOTHING },
        { H77M, 0xdb800000, MEMORY_UC, BY_RANGE(4) },
        { H77M, 0xe0000000, MEMORY_UC, BY_RANGE(2) },
        { U_BOOT, 0x2b0000, MEMORY_UC, BY_DEFAULT },
        { QEMU, 0x7fe00000, MEMORY_WB, BY_NOTHING },
        { QEMU, 0x80000000, MEMORY_UC, BY_RANGE(0) },
        { { false, 0, 0, { OFF }, PAT }, 0x2b0000, MEMORY_WB, BY_NOTHING },
        { { true, 6, 1, { RANGE(0, 0xff0000000, 6) }, PAT }, 0x2b0000, MEMORY_UC, BY_DEFAULT }, /* disabled */
        { { true, ON | 6, 0, { OFF }, 0x0007040600070100 }, 0x2b0000, MEMORY_UC, 0x277 },
        { { true, ON | 6, 0, { OFF }, 0x0007040600070107 }, 0x2b0000, MEMORY_UC_MINUS, 0x277 },
        { TWO(6, 6), 0x1000000, MEMORY_WB, BY_NOTHING },
        { TWO(6, 4), 0x1000000, MEMORY_WT, BY_RANGE(1) },
        { TWO(4, 6), 0x1000000, MEMORY_WT, BY_RANGE(0) },
        { TWO(6, 0), 0x1000000, MEMORY_UC, BY_RANGE(1) },
        { TWO(0, 6), 0x1000000, MEMORY_UC, BY_RANGE(0) },
        { TWO(6, 1), 0x1000000, MEMORY_UNDEFINED, BY_RANGE(1) },
        { TWO(5, 4), 0x1000000, MEMORY_UNDEFINED, BY_RANGE(1) },
        { TWO(6, 4), 0x8000000, MEMORY_WB, BY_NOTHING }, /* past the second range */
        { TWO(6, 4), 0x10000000, MEMORY_WP, BY_DEFAULT },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct memory_finding found;

        assert_int_equal(memory_is_write_back(&rows[i].is, rows[i].address, &found), rows[i].type == MEMORY_WB);
        assert_int_equal(found.type, rows[i].type);
        if (rows[i].type == MEMORY_WB)
            continue;
        assert_int_equal(found.msr, rows[i].msr);
        assert_int_equal(found.address, rows[i].address);
    }
}

UNIT_TEST(texts)
{
    static const struct {
        struct memory_finding found;
        const char *text;
    } rows[] = {
        { { 0x2b0000, MEMORY_UC, 0x2ff, 0 }, "UC, not WB, by IA32_MTRR_DEF_TYPE (0x2ff) at 0x0" },
        { { 0x2b0000, MEMORY_WT, 0x208, 0x4 }, "WT, not WB, by IA32_MTRR_PHYSBASE4 (0x208) at 0x4" },
        { { 0x2b0000, MEMORY_UC_MINUS, 0x277, 7 }, "UC-, not WB, by IA32_PAT (0x277) at 0x7" },
        { { 0x2b0000, MEMORY_UNDEFINED, 0x202, 1 },
          "undefined by overlapping ranges, not WB, by IA32_MTRR_PHYSBASE1 (0x202) at 0x1" },
        { { 0x2b0000, (enum memory_type)3, 0x202, 3 }, "reserved, not WB, by IA32_MTRR_PHYSBASE1 (0x202) at 0x3" },
        { { 0x2b0000, (enum memory_type)0xff, 0x202, 3 }, "reserved, not WB, by IA32_MTRR_PHYSBASE1 (0x202) at 0x3" },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        char text[MEMORY_TEXT], want[MEMORY_TEXT];

        snprintf(want, sizeof want,
                 "the debug store at 0x2b0000 has the memory type %s: records are valid, but may be slow",
                 rows[i].text);
        memory_finding_text(text, sizeof text, &rows[i].found);
        assert_string_equal(text, want);
    }
}

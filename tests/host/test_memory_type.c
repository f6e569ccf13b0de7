/* SPDX-License-Identifier: MIT */
/*
 * Memory types by MTRRs: SDM Vol. 3A (253668-081), "MTRR Precedences", "IA32_MTRR_DEF_TYPE MSR". The machines' ranges
 * are those of Linux's boot logs in github.com/linuxhw/Dmesg, with type and valid bit.
 */
#include "tests/host/unit_test.h"

#include "cpu/memory_type.h"
#include "lib/line.h"

#define PAT    UINT64_C(0x0007040600070106)
#define NO_PAT UINT64_C(0x0606060606060606)

/* Dell PowerEdge R910, log C3EC3FCF73. */
static const struct memory_registers r910 = { true,
                                              0xc00,
                                              4,
                                              { { 6, 0xfff80000800 },
                                                { 0x100000006, 0xfff00000800 },
                                                { 0x200000006, 0xffe00000800 },
                                                { 0x400000006, 0xffc00000800 } },
                                              PAT };
/* IBM x3650 (7979AC1), log C96366367D: its processors' ranges differ. The second lacks one here. */
static const struct memory_registers x3650 = {
    true, 0xc00, 3, { { 6, 0x3f80000800 }, { 0x80000006, 0x3fe0000800 }, { 0xa0000006, 0x3ff0000800 } }, PAT
};
static const struct memory_registers x3650_second = {
    true, 0xc00, 3, { { 6, 0x3f80000800 }, { 0x80000006, 0x3fe0000800 }, { 0xa0000006, 0x3ff0000000 } }, PAT
};
/* IBM ThinkPad T23 (2647KNG), log 65D3C4C3C2: no page attribute table. */
static const struct memory_registers t23 = {
    true, 0xc00, 2, { { 6, 0xff0000800 }, { 0x10000006, 0xff8000800 } }, NO_PAT
};
/* Gigabyte H77M-D3H, BIOS F4: ranges overlap. */
static const struct memory_registers h77m = {
    true,
    0xc00,
    4,
    { { 6, 0xe00000800 }, { 0xe0000000, 0xfe0000800 }, { 0xdc000000, 0xffc000800 }, { 0xdb800000, 0xfff800800 } },
    PAT
};
/* In QEMU: SeaBIOS 1.10.2; U-Boot 2023.01 and 2025.01. */
static const struct memory_registers seabios = { true, 0xc06, 1, { { 0x80000000, 0xff80000800 } }, PAT };
static const struct memory_registers u_boot = { true, 0xc00, 1, { { 0, 0 } }, PAT };
static const struct memory_registers none = { false, 0, 0, { { 0, 0 } }, PAT };
static const struct memory_registers disabled = { true, 6, 1, { { 6, 0xff0000800 } }, PAT };
static const struct memory_registers pat_uc = { true, 0x806, 0, { { 0, 0 } }, 0x0007040600070100 };

UNIT_TEST(machines)
{
    static const struct {
        const struct memory_registers *is;
        uint64_t address;
        enum memory_type type;
        uint32_t msr; /* if the type is not WB */
    } rows[] = {
        { &r910, 0x2b0000, MEMORY_WB, 0 },
        { &r910, 0x7f337000, MEMORY_WB, 0 },
        { &r910, 0x80000000, MEMORY_UC, 0x2ff },
        { &x3650, 0xafe00000, MEMORY_WB, 0 },
        { &x3650_second, 0xafe00000, MEMORY_UC, 0x2ff },
        { &x3650_second, 0x2b0000, MEMORY_WB, 0 },
        { &t23, 0x17e00000, MEMORY_WB, 0 },
        { &t23, 0x18000000, MEMORY_UC, 0x2ff },
        { &h77m, 0xdb7ff000, MEMORY_WB, 0 },
        { &h77m, 0xdb800000, MEMORY_UC, 0x206 },
        { &h77m, 0xe0000000, MEMORY_UC, 0x202 },
        { &seabios, 0x7fe00000, MEMORY_WB, 0 },
        { &seabios, 0x80000000, MEMORY_UC, 0x200 },
        { &u_boot, 0x2b0000, MEMORY_UC, 0x2ff },
        { &none, 0x2b0000, MEMORY_WB, 0 },
        { &disabled, 0x2b0000, MEMORY_UC, 0x2ff },
        { &pat_uc, 0x2b0000, MEMORY_UC, 0x277 },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct memory_finding found;

        assert_int_equal(memory_is_write_back(rows[i].is, rows[i].address, &found), rows[i].type == MEMORY_WB);
        assert_int_equal(found.type, rows[i].type);
        assert_int_equal(found.address, rows[i].address);
        if (rows[i].type != MEMORY_WB)
            assert_int_equal(found.msr, rows[i].msr);
    }
}

UNIT_TEST(overlaps)
{
    static const struct {
        uint8_t types[2];
        enum memory_type type;
        uint32_t msr;
    } rows[] = {
        { { 6, 6 }, MEMORY_WB, 0 },     { { 6, 4 }, MEMORY_WT, 0x202 },        { { 4, 6 }, MEMORY_WT, 0x200 },
        { { 6, 0 }, MEMORY_UC, 0x202 }, { { 0, 6 }, MEMORY_UC, 0x200 },        { { 5, 5 }, MEMORY_WP, 0x200 },
        { { 1, 0 }, MEMORY_UC, 0x202 }, { { 6, 1 }, MEMORY_UNDEFINED, 0x202 }, { { 5, 4 }, MEMORY_UNDEFINED, 0x202 },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        const struct memory_registers is = {
            true, 0x801, 2, { { rows[i].types[0], 0xff0000800 }, { rows[i].types[1], 0xff8000800 } }, PAT
        };
        struct memory_finding found;

        memory_is_write_back(&is, 0x1000000, &found);
        assert_int_equal(found.type, rows[i].type);
        if (rows[i].type != MEMORY_WB)
            assert_int_equal(found.msr, rows[i].msr);
    }
}

static void compare(void *context, const char *text)
{
    const char *const want = context;

    assert_true(strstr(text, "cpu 3: the debug store at 0x2b0000 has the memory type ") == text);
    assert_non_null(strstr(text, want));
}

UNIT_TEST(texts)
{
    static const struct {
        struct memory_finding found;
        const char *text;
    } rows[] = {
        { { 0x2b0000, MEMORY_UC, 0x2ff, 0 }, " UC, not WB, by IA32_MTRR_DEF_TYPE (0x2ff) at 0x0: records are valid" },
        { { 0x2b0000, MEMORY_WT, 0x208, 4 }, " WT, not WB, by IA32_MTRR_PHYSBASE4 (0x208) at 0x4: " },
        { { 0x2b0000, MEMORY_UC_MINUS, 0x277, 7 }, " UC-, not WB, by IA32_PAT (0x277) at 0x7: " },
        { { 0x2b0000, MEMORY_UNDEFINED, 0x202, 1 }, " undefined by overlapping ranges, not WB, " },
        { { 0x2b0000, (enum memory_type)3, 0x202, 3 }, " reserved, not WB, " },
        { { 0x2b0000, (enum memory_type)0xff, 0x202, 3 }, " reserved, not WB, " },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        memory_finding_text(&(struct line_sink){ compare, (void *)(uintptr_t)rows[i].text }, 3, &rows[i].found);
}

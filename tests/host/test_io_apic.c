/* SPDX-License-Identifier: MIT */
/* I/O APIC registers: the number at byte 0, the value at byte 10H. Intel 82093AA (290566-001), 3.1. */
#include "tests/host/unit_test.h"

#include "arch/x86/devices/io_apic.c"

UNIT_TEST(registers)
{
    uint32_t chip[8] = { [4] = 0x1234 };

    assert_int_equal(io_apic_read((uintptr_t)chip, 0x11), 0x1234);
    assert_int_equal(chip[0], 0x11);
    io_apic_write((uintptr_t)chip, 0x12, 0x10400);
    assert_int_equal(chip[0], 0x12);
    assert_int_equal(chip[4], 0x10400);
    chip[0] = chip[4] = 0;
    for (unsigned i = 0; i < COUNT_OF(chip); i++)
        assert_int_equal(chip[i], 0);
}

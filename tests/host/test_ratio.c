/* SPDX-License-Identifier: MIT */
/* Quotients with two decimals. */
#include "tests/host/unit_test.h"

#include "lib/ratio.h"

static void expect(uint64_t part, uint64_t whole, const char *want)
{
    char text[RATIO_SIZE];
    assert_string_equal(ratio_text(text, part, whole), want);
}

UNIT_TEST(quotients)
{
    expect(0, 7, "0.00");
    expect(7, 7, "1.00");
    expect(22, 7, "3.14");
    expect(1, 3, "0.33");
    expect(2, 3, "0.67");
    expect(1234567, 100, "12345.67");
}

UNIT_TEST(rounding)
{
    expect(1, 200, "0.01"); /* a half is rounded up */
    expect(1, 201, "0.00");
    expect(999, 1000, "1.00"); /* with a carry */
    expect(1999, 1000, "2.00");
}

UNIT_TEST(wide)
{
    expect(UINT64_C(1) << 56, 3, "24019198012642645.33");
    expect(UINT64_C(1) << 55, UINT64_C(1) << 56, "0.50");
}

UNIT_TEST(divisor_0)
{
    expect(5, 0, "-");
}

/* SPDX-License-Identifier: MIT */
/* Quotients with two decimals. */
#include "tests/host/unit_test.h"

#include "lib/ratio.h"

UNIT_TEST(quotients)
{
    static const struct {
        uint64_t part, whole;
        const char *text;
    } rows[] = {
        { 0, 7, "0.00" },
        { 7, 7, "1.00" },
        { 22, 7, "3.14" },
        { 1, 3, "0.33" },
        { 2, 3, "0.67" },
        { 1234567, 100, "12345.67" },
        { 1, 200, "0.01" }, /* a half is rounded up */
        { 1, 201, "0.00" },
        { 999, 1000, "1.00" }, /* with a carry */
        { 1999, 1000, "2.00" },
        { UINT64_C(1) << 56, 3, "24019198012642645.33" },
        { UINT64_C(1) << 55, UINT64_C(1) << 56, "0.50" },
        { 5, 0, "-" },
    };
    char text[RATIO_SIZE];
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(ratio_text(text, rows[i].part, rows[i].whole), rows[i].text);
}

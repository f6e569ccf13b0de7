/* SPDX-License-Identifier: MIT */
/* The order of texts. */
#include "tests/host/unit_test.h"

#include "lib/text.h"

UNIT_TEST(order)
{
    static const char *const ascending[] = { "", "L1", "L1 or L1 hit", "L2", "l1", "\x7f", "\x80", "\xff", "\xff\x01" };
    const int n = sizeof(ascending) / sizeof(ascending[0]);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int sign = text_compare(ascending[i], ascending[j]);

            assert_int_equal((sign > 0) - (sign < 0), (i > j) - (i < j));
        }
    }
}

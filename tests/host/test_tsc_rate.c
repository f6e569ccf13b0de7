/* SPDX-License-Identifier: MIT */
/*
 * The rate of the time-stamp counter from CPUID: SDM Vol. 3B (253669-081), "Determining the Processor Base Frequency";
 * SDM Vol. 2A (253666-081), "CPUID", leaves 15H and 16H.
 */
#include "tests/host/unit_test.h"

#include "cpu/tsc_rate.h"

static uint64_t rate(unsigned family, unsigned model, uint32_t below, uint32_t above, uint32_t crystal, uint32_t mhz)
{
    const struct caps_input input = { .leaf_15 = { true, below, above, crystal, 0 },
                                      .leaf_16 = { true, mhz, 0, 0, 0 } };

    return tsc_rate(&input, family, model);
}

UNIT_TEST(ratio_and_crystal)
{
    assert_int_equal(rate(6, 0x7e, 2, 78, 38400000, 0), 1497600000);
    assert_int_equal(rate(6, 0x4e, 2, 78, 38400000, 0), 1497600000); /* the reported rate has priority */
    assert_int_equal(rate(6, 0x8f, 3, 0xfffffff, 60, 2000),
                     UINT64_C(5368709100)); /* intermediate results need more than 32 bits */
}

UNIT_TEST(known_crystals)
{
    static const struct {
        unsigned model;
        uint64_t hz; /* of a ratio of 250 to 2 */
    } rows[] = { { 0x4e, 3000000000 }, { 0x5e, 3000000000 }, { 0x8e, 3000000000 }, { 0x9e, 3000000000 },
                 { 0x55, 3125000000 }, { 0x5c, 2400000000 }, { 0x5f, 3125000000 } };
    unsigned known = 0;

    for (unsigned model = 0; model < 0x100; model++) {
        uint64_t want = 1000000000;
        for (unsigned i = 0; i < COUNT_OF(rows); i++)
            want = rows[i].model == model ? rows[i].hz : want;
        known += want != 1000000000;
        assert_int_equal(rate(6, model, 2, 250, 0, want == 1000000000 ? 1000 : 0), want);
        assert_int_equal(rate(15, model, 2, 250, 0, 1000), 1000000000);
    }
    assert_int_equal(known, COUNT_OF(rows));
}

/*
 * Parts of one model with different crystals, which leaf 16H distinguishes. Ratios and rates of real processors: the
 * InstLatX64 collection; an i9-7900X was measured at 3312.00 MHz, an i7-7800X at 3504.01 MHz.
 */
UNIT_TEST(two_crystals)
{
    static const struct {
        unsigned model;
        uint32_t above, mhz, want; /* want: kHz */
    } rows[] = {
        { 0x55, 0x114, 3300, 3312000 },                              /* i9-7900X */
        { 0x55, 0x124, 3500, 3504000 },                              /* i7-7800X */
        { 0x55, 0xd8, 2600, 2592000 },                               /* i9-7980XE */
        { 0x55, 0xfa, 3000, 3000000 },                               /* i9-10980XE */
        { 0x55, 0xb0, 2200, 2200000 },                               /* a Xeon: 25 MHz */
        { 0x55, 0xc8, 2500, 2500000 },  { 0x55, 0x114, 0, 3450000 }, /* without leaf 16H: the crystal of most parts */
        { 0x9e, 0x156, 4300, 4275000 },                              /* i7-7740X */
        { 0x9e, 0x146, 3900, 3912000 }, { 0x9e, 0x12c, 3600, 3600000 },
        { 0x9e, 0x156, 0, 4104000 },    { 0x5e, 0x156, 4300, 4104000 }, /* another model has only one crystal */
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(rate(6, rows[i].model, 2, rows[i].above, 0, rows[i].mhz), rows[i].want * UINT64_C(1000));
}

/* The base frequency in MHz, if the ratio or the crystal is missing. Its high half is reserved. */
UNIT_TEST(base_frequency)
{
    assert_int_equal(rate(6, 0xa5, 2, 250, 0, 3700), 3700000000);
    assert_int_equal(rate(6, 0xa5, 0, 250, 24000000, 3700), 3700000000);
    assert_int_equal(rate(6, 0xa5, 2, 0, 24000000, 3700), 3700000000);
    assert_int_equal(rate(6, 0xa5, 0, 0, 0, 0xffff0e74), 3700000000);
}

UNIT_TEST(missing_or_invalid_leaves)
{
    assert_int_equal(rate(6, 0x4e, 0, 0, 0, 0), 0);
    assert_int_equal(rate(6, 0xa5, 2, 250, 0, 0), 0);
    assert_int_equal(rate(6, 0xa5, 0, 0, 0, 99), 0);
    assert_int_equal(rate(6, 0xa5, 0, 0, 0, 100), 100000000);
    assert_int_equal(rate(6, 0xa5, 1, 1, UINT32_MAX, 0), UINT32_MAX);
    assert_int_equal(rate(6, 0xa5, 1, 20, 1000000000, 0), UINT64_C(20000000000));
    assert_int_equal(rate(6, 0xa5, 1, 20001, 1000000, 0), 0);
    assert_int_equal(rate(6, 0xa5, 1, 1, 99999999, 0), 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between the processors from Pentium M to Broadwell: enabling, and events of memory accesses. The numbers
 * are typed from SDM Vol. 3B (253669-081) and SDM Vol. 4 (335592-081).
 */
#include "tests/host/model_machine.h"

/* Pentium M has one enable bit for both counters; Core Duo, also without a global register, has one for each. */
UNIT_TEST(enabling_without_global_control)
{
    static const struct {
        const char *profile;
        uint32_t first, second;
        unsigned counted[2];
    } rows[] = {
        { "pentium-m", 0x4300c0, 0x0300c0, { 5, 5 } },
        { "pentium-m", 0x0300c0, 0x4300c0, { 0, 0 } },
        { "core-duo", 0x4300c0, 0x0300c0, { 5, 0 } },
        { "core-duo", 0x0300c0, 0x4300c0, { 0, 1 + 5 } }, /* plus the WRMSR of the first select */
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *b = block_new(0, 5, END_PLAIN);

        WRMSR(m, { PMC0, 0 }, { PMC0 + 1, 0 }, { EVTSEL0 + 1, rows[i].second }, { EVTSEL0, rows[i].first });
        run(m, b);
        EXPECT_MSRS(m, { PMC0, rows[i].counted[0] }, { PMC0 + 1, rows[i].counted[1] });
        wrmsr(m, PMC0, 0xfffffffe); /* 40 bits */
        assert_int_equal(rdmsr(m, PMC0), 0xfffffffffe);
    }
}

UNIT_TEST(data_events)
{
    static const struct {
        const char *profile;
        unsigned size;
        uint32_t event;
        unsigned counter;
        uint64_t enable; /* in addition to the counter's own bit */
        unsigned flags;
        unsigned records;
        uint64_t address, source, latency; /* of the second access, to a new line and page */
    } rows[] = {
        { "nehalem", 176, 0x100b, 0, UINT64_C(1) << 32, LOADS, 1, DS + 0x8000, 0x0c, 200 },
        { "nehalem", 176, 0x100b, 0, 0, LOADS, 0, 0, 0, 0 }, /* its own enable bit is missing */
        { "nehalem", 176, 0x010b, 0, 0, LOADS, 1, 0, 0, 0 },
        { "sandybridge", 176, 0x01cd, 3, UINT64_C(1) << 35, LOADS, 1, DS + 0x8000, 0x1c, 200 },
        { "sandybridge", 176, 0x01cd, 2, UINT64_C(1) << 34, LOADS, 0, 0, 0, 0 },
        { "sandybridge", 176, 0x02cd, 3, UINT64_C(1) << 63, STORES, 1, DS + 0x8000, 0x10, 0 },
        { "sandybridge", 176, 0x02cd, 3, 0, STORES, 0, 0, 0, 0 },
        { "sandybridge", 176, 0x81d0, 0, 0, LOADS, 1, 0, 0, 0 },
        { "haswell", 192, 0x01cd, 1, UINT64_C(1) << 33, LOADS | INSN_LOCKED, 1, DS + 0x8000, 0x3c, 200 },
        { "haswell", 192, 0x81d0, 0, 0, LOADS, 1, DS + 0x8000, 0, 0 },
        { "haswell", 192, 0x82d0, 0, 0, STORES, 1, DS + 0x8000, 0, 0 },
        { "haswell", 192, 0x02cd, 3, 0, STORES, 0, 0, 0, 0 },
        { "broadwell", 192, 0x81d0, 3, 0, LOADS, 1, DS + 0x8000, 0, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *b = block_new(0, 1, END_PLAIN);

        PUT(m, { DS + 0x20, PEBS }, { DS + 0x28, PEBS }, { DS + 0x30, PEBS + 4 * rows[i].size },
            { DS + 0x38, PEBS + 4 * rows[i].size }, { DS + 0x40 + 8 * rows[i].counter, (uint64_t)-100 });
        WRMSR(m, { DS_AREA, DS }, { GLOBAL_CTRL, 0 }, { LD_LAT, 3 },
              { EVTSEL0 + rows[i].counter, EVTSEL_ON | rows[i].event }, { PMC0 + rows[i].counter, (uint32_t)-1 },
              { PEBS_ENABLE, rows[i].enable | UINT64_C(1) << rows[i].counter },
              { GLOBAL_CTRL, UINT64_C(1) << rows[i].counter });
        access_memory(m, b, DS + 0x7000, 8, rows[i].flags);
        access_memory(m, b, DS + 0x8000, 8, rows[i].flags);
        finish(m);
        assert_int_equal(get(m, DS + 0x28), PEBS + rows[i].records * rows[i].size);
        if (rows[i].records > 0) {
            EXPECT_MEMORY(m, { PEBS + 0x98, rows[i].address }, { PEBS + 0xa0, rows[i].source },
                          { PEBS + 0xa8, rows[i].latency });
        }
    }
}

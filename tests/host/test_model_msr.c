/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers: which addresses are canonical, what a reset leaves, and the time-stamp counter. */
#include "tests/host/model_machine.h"

/* Linear addresses have 48 bits, and from Ice Lake on 57. */
UNIT_TEST(addresses_are_canonical)
{
    static const struct {
        const char *profile;
        unsigned bits;
        uint32_t registers[3];
    } rows[] = {
        { "skylake", 48, { DS_AREA, LBR_FROM0, LBR_TO0 + 31 } },
        { "icelake", 57, { DS_AREA, LBR_FROM0, LBR_TO0 + 31 } },
        { "goldencove", 57, { DS_AREA, 0x1500, 0x161f } },
    };

    for (size_t k = 0; k < 3 * COUNT_OF(rows); k++) {
        struct machine *m = machine_of(rows[k / 3].profile);
        const uint32_t address = rows[k / 3].registers[k % 3];
        const uint64_t half = UINT64_C(1) << (rows[k / 3].bits - 1);

        WRMSR(m, { address, half - 1 }, { address, -half });
        assert_int_equal(try_write(m, address, half), MSR_GP);
        assert_int_equal(try_write(m, address, -half - 1), MSR_GP);
        assert_int_equal(rdmsr(m, address), -half);
    }
}

UNIT_TEST(reset)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 4, END_REL_JMP);

    WRMSR(m, { FIXED_CTRL, 3 }, { EVTSEL0, EVTSEL_ON | INST_RETIRED }, { PMC0, 0xfffffffe }, { DEBUGCTL, 1 });
    run_times(m, b, 3), finish(m);
    assert_int_not_equal(rdmsr(m, GLOBAL_STATUS), 0);
    engine_reset(&m->v);
    EXPECT_MSRS(m, { FIXED_CTRL, 0 }, { EVTSEL0, 0 }, { PMC0, 0 }, { DEBUGCTL, 0 }, { GLOBAL_STATUS, 0 },
                { LBR_TOS, 0 }, { LBR_FROM0 + 1, 0 }, { LBR_TO0 + 1, 0 });
    run(m, b), finish(m);
    EXPECT_MSRS(m, { PMC0, 0 }, { LBR_TOS, 0 });
}

/* SDM Vol. 3B (253669-083), "Time-Stamp Counter Adjustment". The machine's TSC advances by 1 at each use. */
UNIT_TEST(time_stamp)
{
    enum { TSC = 0x10, TSC_ADJUST = 0x3b };
    struct machine *m = machine_of("haswell");

    WRMSR(m, { TSC_ADJUST, 0x100000000 });
    EXPECT_MSRS(m, { TSC, 0x100000001 }, { TSC_ADJUST, 0x100000000 });
    WRMSR(m, { TSC, 0x100000002 - 0x30 });
    EXPECT_MSRS(m, { TSC, 0x100000003 - 0x30 }, { TSC_ADJUST, 0x100000000 - 0x30 });
    engine_reset(&m->v);
    EXPECT_MSRS(m, { TSC_ADJUST, 0 });
    m = machine_of("ivybridge");
    assert_int_equal(try_write(m, TSC_ADJUST, 0), MSR_GP);
    WRMSR(m, { TSC, 0x1000 });
    EXPECT_MSRS(m, { TSC, 0x1001 });
}

/* Each reason for #GP, as the referee reports it; and twice, it reports it once. */
UNIT_TEST(refusals_are_reported)
{
    static const struct {
        const char *profile;
        uint32_t address;
        uint64_t value;
        const char *report;
    } rows[] = {
        { "skylake", 0x3f1, 0x110, "wrmsr 0x3f1: IA32_PEBS_ENABLE 0x110 has reserved bits 0x110\n" },
        { "alderlake-n", 0x3f1, UINT64_C(3) << 60 | 1,
          "wrmsr 0x3f1: IA32_PEBS_ENABLE 0x3000000000000001 has bits of PEBS output to Intel PT\n" },
        { "skylake", 0x1d9, 0x10003, "wrmsr 0x1d9: IA32_DEBUGCTL 0x10003 has reserved bits 0x10000\n" },
        { "skylake", 0xc8, 0, "wrmsr 0xc8: IA32_PMC7 0x0 is absent\n" },
        { "skylake", 0x3f2, 1, "wrmsr 0x3f2: MSR_PEBS_DATA_CFG 0x1 is absent\n" },
        { "skylake", 0x14cf, 8, "wrmsr 0x14cf: IA32_LBR_DEPTH 0x8 is absent\n" },
        { "skylake", 0x690, UINT64_C(1) << 47,
          "wrmsr 0x690: MSR_LASTBRANCH_16_FROM_IP 0x800000000000 is not canonical\n" },
        { "skylake", 0x345, 0, "wrmsr 0x345: IA32_PERF_CAPABILITIES 0x0 is read-only\n" },
        { "clearwaterforest", 0x14cf, 40, "wrmsr 0x14cf: IA32_LBR_DEPTH 0x28 is not a depth of this processor\n" },
        { "clearwaterforest", 0x3f4, 0x1010, "wrmsr 0x3f4: IA32_PEBS_BASE 0x1010 has reserved bits 0x10\n" },
        { "clearwaterforest", 0x3f4, UINT64_C(1) << 51,
          "wrmsr 0x3f4: IA32_PEBS_BASE 0x8000000000000 is above the highest physical address\n" },
        { "clearwaterforest", 0x1907, UINT64_C(1) << 32,
          "wrmsr 0x1907: IA32_PMC_GP1_CFG_C 0x100000000 has reserved bits 0x100000000\n" },
        { "netburst", 0xc1, 0, "wrmsr 0xc1: IA32_PMC0 0x0 is absent\n" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct machine *m = machine_of(rows[i].profile);

        assert_int_equal(try_write(m, rows[i].address, rows[i].value), MSR_GP);
        assert_int_equal(try_write(m, rows[i].address, rows[i].value), MSR_GP);
        assert_true(violated(m, rows[i].report));
        assert_string_equal(strchr(m->violations_text, '\n'), "\n");
    }
}

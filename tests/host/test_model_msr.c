/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers: which bits may be written, which addresses are canonical, status bits. */
#include "tests/host/model_machine.h"

static enum msr_answer try_write(struct machine *m, uint32_t address, uint64_t value)
{
    return engine_wrmsr(&m->v, address, value, BETWEEN_BLOCKS);
}

/* Every bit of every register: bits in `writable` read back, others raise #GP and change nothing. */
UNIT_TEST(reserved_bits)
{
    static const struct {
        uint32_t address;
        uint64_t writable;
    } rows[] = {
        { DEBUGCTL, 0xdfc3 },
        { PEBS_ENABLE, 0xf0000000f },
        { LD_LAT, 0xffff },
        { LBR_SELECT, 0x3ff },
        { LBR_TOS, 0x1f },
        { EVTSEL0, 0xffffffff },
        { EVTSEL0 + 3, 0xffffffff },
        { A_PMC0, 0xffffffffffff },
        { FIXED_CTR0 + 2, 0xffffffffffff },
        { FIXED_CTRL, 0xfff },
        { GLOBAL_CTRL, 0x70000000f },
        { LBR_INFO0 + 31, 0xe00000000000ffff },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            struct machine *m = machine_new();
            uint64_t before = rdmsr(m, rows[i].address);
            uint64_t value = UINT64_C(1) << bit;
            bool allowed = rows[i].writable >> bit & 1;

            assert_int_equal(try_write(m, rows[i].address, value), allowed ? MSR_DONE : MSR_GP);
            assert_int_equal(rdmsr(m, rows[i].address), allowed ? value : before);
        }
    }
}

UNIT_TEST(addresses_are_canonical)
{
    static const uint32_t registers[] = { DS_AREA, LBR_FROM0, LBR_TO0 + 31 };
    struct machine *m = machine_new();

    for (size_t i = 0; i < COUNT_OF(registers); i++) {
        WRMSR(m, { registers[i], 0x00007fffffffffff }, { registers[i], 0xffff800000000000 });
        assert_int_equal(try_write(m, registers[i], 0x0000800000000000), MSR_GP);
        assert_int_equal(try_write(m, registers[i], 0xffff7fffffffffff), MSR_GP);
        assert_int_equal(rdmsr(m, registers[i]), 0xffff800000000000);
    }
}

/* With 5-level paging addresses have 57 bits, in every mode. */
UNIT_TEST(addresses_of_57_bits)
{
    static const char *const profiles[] = { "icelake", "goldencove" };
    static const uint32_t registers[] = { DS_AREA, LBR_FROM0, 0x1500, 0x161f };

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct machine *m = machine_of(profiles[p]);

        for (size_t i = 0; i < COUNT_OF(registers); i++) {
            uint64_t value;

            if (engine_rdmsr(&m->v, registers[i], &value, BETWEEN_BLOCKS) != MSR_DONE) {
                continue; /* another processor's LBR stack */
            }
            WRMSR(m, { registers[i], 0x0000800000000000 }, { registers[i], 0x00ffffffffffffff },
                  { registers[i], 0xff00000000000000 });
            assert_int_equal(try_write(m, registers[i], 0x0100000000000000), MSR_GP);
            assert_int_equal(try_write(m, registers[i], 0xfeffffffffffffff), MSR_GP);
            assert_int_equal(rdmsr(m, registers[i]), 0xff00000000000000);
        }
    }
}

/* WRMSR of the signature's register changes nothing: CPUID puts the revision there again before anybody reads it. */
UNIT_TEST(microcode_revision)
{
    struct machine *m = machine_new();

    assert_int_equal(rdmsr(m, 0x8b), UINT64_C(0xf0) << 32);
    WRMSR(m, { 0x8b, 0 }, { 0x8b, UINT64_MAX });
    assert_int_equal(rdmsr(m, 0x8b), UINT64_C(0xf0) << 32);
}

UNIT_TEST(status_set_and_reset)
{
    struct machine *m = machine_new();

    wrmsr(m, STATUS_SET, STATUS_BUFFER | 0x700000005);
    assert_int_equal(rdmsr(m, GLOBAL_STATUS), STATUS_BUFFER | 0x700000005);
    wrmsr(m, STATUS_RESET, STATUS_BUFFER | 0x100000001);
    EXPECT_MSRS(m, { GLOBAL_STATUS, 0x600000004 }, { STATUS_RESET, 0 }, { STATUS_SET, 0 });
    assert_int_equal(try_write(m, STATUS_SET, UINT64_C(1) << 63), MSR_GP);
    assert_int_equal(try_write(m, STATUS_RESET, UINT64_C(1) << 4), MSR_GP);
}

UNIT_TEST(in_use)
{
    struct machine *m = machine_new();

    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0 + 2, INST_RETIRED }, { FIXED_CTRL, 0x020 });
    assert_int_equal(rdmsr(m, GLOBAL_INUSE), UINT64_C(1) << 33 | 1 << 2);
    wrmsr(m, EVTSEL0 + 2, INST_RETIRED | 1u << 20);
    assert_int_equal(rdmsr(m, GLOBAL_INUSE), UINT64_C(1) << 63 | UINT64_C(1) << 33 | 1 << 2);
}

/* A reset clears counts, branches, enable bits and status. */
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

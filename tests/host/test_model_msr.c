/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of the modelled Skylake: values after reset, what may be written, what raises #GP, CPUID. */
#include "tests/host/model_machine.h"

static enum msr_answer try_write(struct machine *m, uint32_t address, uint64_t value)
{
    return engine_wrmsr(&m->v, address, value, BETWEEN_BLOCKS);
}

static void after_reset(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x33c5);
    assert_int_equal(rdmsr(m, MISC_ENABLE), 0x850089);
    assert_int_equal(rdmsr(m, GLOBAL_CTRL), 0xf);
    assert_int_equal(rdmsr(m, GLOBAL_STATUS), 0);
    assert_int_equal(rdmsr(m, DEBUGCTL), 0);
    assert_int_equal(rdmsr(m, DS_AREA), 0);
    assert_int_equal(rdmsr(m, PEBS_ENABLE), 0);
    assert_int_equal(rdmsr(m, LBR_TOS), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(rdmsr(m, PMC0 + i), 0);
        assert_int_equal(rdmsr(m, EVTSEL0 + i), 0);
    }
    machine_free(m);
}

/* Every bit of every register: bits in `writable` read back, others raise #GP and change nothing. */
static void reserved_bits(void **state)
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

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            struct machine *m = machine_new();
            uint64_t before = rdmsr(m, rows[i].address);
            uint64_t value = UINT64_C(1) << bit;
            bool allowed = rows[i].writable >> bit & 1;

            assert_int_equal(try_write(m, rows[i].address, value), allowed ? MSR_DONE : MSR_GP);
            assert_int_equal(rdmsr(m, rows[i].address), allowed ? value : before);
            machine_free(m);
        }
    }
}

static void read_only(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    assert_int_equal(try_write(m, PERF_CAPS, 0x33c5), MSR_GP);
    assert_int_equal(try_write(m, GLOBAL_STATUS, 0), MSR_GP);
    assert_int_equal(try_write(m, GLOBAL_INUSE, 0), MSR_GP);

    wrmsr(m, MISC_ENABLE, 0x850089 | 1u << 11 | 1u << 12); /* BTS and PEBS unavailable: cannot be set */
    assert_int_equal(rdmsr(m, MISC_ENABLE), 0x850089);
    wrmsr(m, MISC_ENABLE, 0x850009); /* nor bit 7 cleared */
    assert_int_equal(rdmsr(m, MISC_ENABLE), 0x850089);
    assert_int_equal(try_write(m, MISC_ENABLE, 1u << 2), MSR_GP);
    machine_free(m);
}

static void addresses_are_canonical(void **state)
{
    static const uint32_t registers[] = { DS_AREA, LBR_FROM0, LBR_TO0 + 31 };
    struct machine *m = machine_new();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(registers); i++) {
        wrmsr(m, registers[i], 0x00007fffffffffff);
        wrmsr(m, registers[i], 0xffff800000000000);
        assert_int_equal(try_write(m, registers[i], 0x0000800000000000), MSR_GP);
        assert_int_equal(try_write(m, registers[i], 0xffff7fffffffffff), MSR_GP);
        assert_int_equal(rdmsr(m, registers[i]), 0xffff800000000000);
    }
    machine_free(m);
}

/* With 5-level paging addresses have 57 bits, in every mode. */
static void addresses_of_57_bits(void **state)
{
    static const char *const profiles[] = { "icelake", "goldencove" };
    static const uint32_t registers[] = { DS_AREA, LBR_FROM0, 0x1500, 0x161f };

    (void)state;
    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct machine *m = machine_of(profiles[p]);

        for (size_t i = 0; i < COUNT_OF(registers); i++) {
            uint64_t value;

            if (engine_rdmsr(&m->v, registers[i], &value, BETWEEN_BLOCKS) != MSR_DONE) {
                continue; /* another processor's LBR stack */
            }
            wrmsr(m, registers[i], 0x0000800000000000);
            wrmsr(m, registers[i], 0x00ffffffffffffff);
            wrmsr(m, registers[i], 0xff00000000000000);
            assert_int_equal(try_write(m, registers[i], 0x0100000000000000), MSR_GP);
            assert_int_equal(try_write(m, registers[i], 0xfeffffffffffffff), MSR_GP);
            assert_int_equal(rdmsr(m, registers[i]), 0xff00000000000000);
        }
        machine_free(m);
    }
}

/* Limit CPUID Maxval: no basic leaf past 2, and what is asked beyond it is answered as that one. */
static void limited_cpuid(void **state)
{
    struct machine *m = machine_new();
    uint32_t regs[4] = { 0 };

    (void)state;
    cpuid_read(&m->v, 0, 0, regs);
    assert_true(regs[0] > 2);
    wrmsr(m, MISC_ENABLE, 0x850089 | 1u << 22);
    cpuid_read(&m->v, 0, 0, regs);
    assert_int_equal(regs[0], 2);
    assert_int_equal(cpuid_leaf(&m->v, 2), 2);
    assert_int_equal(cpuid_leaf(&m->v, 3), 2);
    assert_int_equal(cpuid_leaf(&m->v, 0xa), 2);
    assert_int_equal(cpuid_leaf(&m->v, 0x80000001), 0x80000001);
    assert_int_equal(cpuid_leaf(&m->v, 0x80000009), 2); /* past the last one */
    assert_int_equal(cpuid_leaf(&m->v, 0x40000000), 0x40000000);
    wrmsr(m, MISC_ENABLE, 0x850089);
    assert_int_equal(cpuid_leaf(&m->v, 0xa), 0xa);
    machine_free(m);

    m = machine_of("netburst"); /* has no leaf past 2, and its registers no such bit */
    assert_int_equal(cpuid_leaf(&m->v, 0xa), 2);
    machine_free(m);
}

/* WRMSR of the signature's register changes nothing: CPUID puts the revision there again before anybody reads it. */
static void microcode_revision(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    assert_int_equal(rdmsr(m, 0x8b), UINT64_C(0xf0) << 32);
    wrmsr(m, 0x8b, 0);
    wrmsr(m, 0x8b, UINT64_MAX);
    assert_int_equal(rdmsr(m, 0x8b), UINT64_C(0xf0) << 32);
    machine_free(m);
}

static void counters_widths(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    wrmsr(m, PMC0, 0x12345678fffffc18); /* 32 bits, sign-extended to 48 */
    assert_int_equal(rdmsr(m, PMC0), 0xfffffffffc18);
    assert_int_equal(rdmsr(m, A_PMC0), 0xfffffffffc18);
    wrmsr(m, PMC0 + 1, 0x7fffffff);
    assert_int_equal(rdmsr(m, PMC0 + 1), 0x7fffffff);
    wrmsr(m, A_PMC0 + 2, 0x800000000000);
    assert_int_equal(rdmsr(m, PMC0 + 2), 0x800000000000);
    machine_free(m);
}

static void status_set_and_reset(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    wrmsr(m, STATUS_SET, STATUS_BUFFER | 0x700000005);
    assert_int_equal(rdmsr(m, GLOBAL_STATUS), STATUS_BUFFER | 0x700000005);
    wrmsr(m, STATUS_RESET, STATUS_BUFFER | 0x100000001);
    assert_int_equal(rdmsr(m, GLOBAL_STATUS), 0x600000004);
    assert_int_equal(rdmsr(m, STATUS_RESET), 0);
    assert_int_equal(rdmsr(m, STATUS_SET), 0);
    assert_int_equal(try_write(m, STATUS_SET, UINT64_C(1) << 63), MSR_GP);
    assert_int_equal(try_write(m, STATUS_RESET, UINT64_C(1) << 4), MSR_GP);
    machine_free(m);
}

static void in_use(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, EVTSEL0 + 2, INST_RETIRED);
    wrmsr(m, FIXED_CTRL, 0x020);
    assert_int_equal(rdmsr(m, GLOBAL_INUSE), UINT64_C(1) << 33 | 1 << 2);
    wrmsr(m, EVTSEL0 + 2, INST_RETIRED | 1u << 20);
    assert_int_equal(rdmsr(m, GLOBAL_INUSE), UINT64_C(1) << 63 | UINT64_C(1) << 33 | 1 << 2);
    machine_free(m);
}

/* Reset clears everything that was programmed, counted and recorded. */
static void reset(void **state)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 3, END_REL_JMP);

    (void)state;
    set_up_ds(m, 10, 20, 10, 20);
    wrmsr(m, DEBUGCTL, TR_BTS | 1);
    wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
    wrmsr(m, STATUS_SET, STATUS_BUFFER);
    run(m, b);
    run(m, b);
    finish(m);
    assert_int_equal(rdmsr(m, LBR_TOS), 2);
    engine_reset(&m->v);
    assert_int_equal(m->hot.tracing, 0);
    assert_int_equal(rdmsr(m, DEBUGCTL), 0);
    assert_int_equal(rdmsr(m, DS_AREA), 0);
    assert_int_equal(rdmsr(m, PMC0), 0);
    assert_int_equal(rdmsr(m, LBR_TOS), 0);
    assert_int_equal(rdmsr(m, LBR_FROM0 + 1), 0);
    assert_int_equal(rdmsr(m, GLOBAL_STATUS), 0);
    assert_int_equal(rdmsr(m, GLOBAL_CTRL), 0xf);
    assert_int_equal(rdmsr(m, MISC_ENABLE), 0x850089);
    free(b);
    machine_free(m);
}

static void not_its_own(void **state)
{
    struct machine *m = machine_new();
    uint64_t value;

    (void)state;
    assert_int_equal(engine_rdmsr(&m->v, 0x10, &value, BETWEEN_BLOCKS), MSR_UNKNOWN);
    assert_int_equal(try_write(m, 0xc0000080, 0), MSR_UNKNOWN);
    assert_int_equal(try_write(m, PMC0 + 4, 0), MSR_GP); /* PMC4 */
    assert_int_equal(engine_rdmsr(&m->v, PMC0 + 4, &value, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(try_write(m, 0x40, 0), MSR_GP); /* Core 2's LBR stack */
    assert_int_equal(try_write(m, LBR_FROM0 + 32, 0), MSR_UNKNOWN);
    machine_free(m);
}

static void rdpmc(void **state)
{
    struct machine *m = machine_new();
    uint64_t value;

    (void)state;
    wrmsr(m, PMC0 + 3, 0x80000000);
    wrmsr(m, FIXED_CTR0 + 1, 0x123456789abc);
    assert_int_equal(engine_rdpmc(&m->v, 3, &value, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(value, 0xffff80000000);
    assert_int_equal(engine_rdpmc(&m->v, 0x40000001, &value, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(value, 0x123456789abc);
    assert_int_equal(engine_rdpmc(&m->v, 4, &value, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_rdpmc(&m->v, 0x40000003, &value, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_rdpmc(&m->v, 0x80000000, &value, BETWEEN_BLOCKS), MSR_GP);
    machine_free(m);
}

static void cpuid(void **state)
{
    struct machine *m = machine_new();
    uint32_t leaf0[4] = { 0x4, 0x68747541, 0x444d4163, 0x69746e65 }; /* AuthenticAMD */
    uint32_t leaf1[4] = { 0x60fb1, 0x02040800, 0x80008001 | 1u << 16,
                          1 | 1u << 30 }; /* two bits that Intel never had */
    uint32_t leafa[4] = { 0, 0, 0, 0 };
    uint32_t leaf7[4] = { 1, 0xffffffff, 3, 4 };
    uint32_t leaf4[4] = { 1, 2, 3, 4 };

    (void)state;
    cpuid_read(&m->v, 0, 0, leaf0);
    assert_int_equal(leaf0[0], 0xd);
    assert_memory_equal(&leaf0[1], "Genu", 4);
    assert_memory_equal(&leaf0[3], "ineI", 4);
    assert_memory_equal(&leaf0[2], "ntel", 4);

    cpuid_read(&m->v, 1, 0, leaf1);
    assert_int_equal(leaf1[0], 0x506e3);
    assert_int_equal(leaf1[1], 0x02040800); /* QEMU's: the APIC id */
    assert_int_equal(leaf1[2], 0x80000001 | 1u << 2 | 1u << 4 | 1u << 15);
    assert_int_equal(leaf1[3], 1 | 1u << 21);

    cpuid_read(&m->v, 0xa, 0, leafa);
    assert_int_equal(leafa[0], 0x07300404);
    assert_int_equal(leafa[1], 0);
    assert_int_equal(leafa[3], 0x603);

    assert_string_equal(cpuid_missing_feature(&m->v, 1, (const uint32_t[4]){ 0, 0, 0, 0x060 })->name, "a local APIC");
    assert_null(cpuid_missing_feature(&m->v, 1, (const uint32_t[4]){ 0, 0, 0, 0x260 }));
    assert_string_equal(cpuid_missing_feature(&m->v, 0x80000001, (const uint32_t[4]){ 0, 0, 0, 1u << 20 })->name,
                        "long mode");
    assert_string_equal(cpuid_missing_feature(&m->v, 0x80000001, (const uint32_t[4]){ 0 })->name, "long mode");
    assert_null(cpuid_missing_feature(&m->v, 7, leaf7));
    cpuid_read(&m->v, 7, 0, leaf7); /* what the processor has not is hidden */
    assert_int_equal(leaf7[1], 0x029c6fbf);
    assert_int_equal(leaf7[2], 0);
    cpuid_read(&m->v, 4, 0, leaf4); /* QEMU's */
    assert_int_equal(leaf4[3], 4);
    assert_int_equal(cpuid_leaf(&m->v, 0x0d), 0x0d);
    assert_int_equal(cpuid_leaf(&m->v, 0x0e), 0x0d);
    assert_int_equal(cpuid_leaf(&m->v, 0x40000000), 0x40000000);
    assert_int_equal(cpuid_leaf(&m->v, 0x80000008), 0x80000008);
    assert_int_equal(cpuid_leaf(&m->v, 0x80000009), 0x0d);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_reset),
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(read_only),
        cmocka_unit_test(addresses_are_canonical),
        cmocka_unit_test(addresses_of_57_bits),
        cmocka_unit_test(limited_cpuid),
        cmocka_unit_test(microcode_revision),
        cmocka_unit_test(counters_widths),
        cmocka_unit_test(status_set_and_reset),
        cmocka_unit_test(in_use),
        cmocka_unit_test(reset),
        cmocka_unit_test(not_its_own),
        cmocka_unit_test(rdpmc),
        cmocka_unit_test(cpuid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lies: their names, and the effect on a register that is withheld. */
#include "tests/host/model_machine.h"

#include "model/faults/break.h"
#include "model/faults/lies.h"

static void tell(struct machine *m, uint32_t lies)
{
    assert_true(break_rules(&m->v, &(struct fault_set){ 0 }, lies));
}

static void names(void **state)
{
    uint32_t lies = 0;
    const char list[] = "inert,no_apic,honest,inert";

    (void)state;
    for (unsigned i = 0; i < LIES; i++) {
        uint32_t one = 0;
        assert_non_null(lie_sentence(i));
        assert_null(lies_parse(&one, lie_name(i)));
        assert_int_equal(one, UINT32_C(1) << i);
    }
    assert_null(lie_name(LIES));
    assert_null(lie_sentence(LIES));
    assert_ptr_equal(lies_parse(&lies, list), list + sizeof("inert,no_apic,") - 1);
    assert_int_equal(lies, 1u << LIE_INERT | 1u << LIE_NO_APIC);
    assert_non_null(lies_parse(&lies, ""));
    assert_non_null(lies_parse(&lies, "inert,"));
    assert_non_null(lies_parse(&lies, "inertia"));
}

/* Each lie withholds its own register, and no other. */
static void registers_kept_back(void **state)
{
    static const struct {
        enum lie lie;
        uint32_t address;
    } rows[] = {
        { LIE_MISC_ENABLE_FAULTS, MISC_ENABLE },  { LIE_CAPABILITIES_FAULT, PERF_CAPS },
        { LIE_DS_AREA_FAULTS, DS_AREA },          { LIE_PEBS_ENABLE_FAULTS, PEBS_ENABLE },
        { LIE_GLOBAL_CTRL_FAULTS, GLOBAL_CTRL },  { LIE_GLOBAL_CTRL_FAULTS, GLOBAL_STATUS },
        { LIE_GLOBAL_CTRL_FAULTS, STATUS_RESET }, { LIE_COUNTERS_FAULT, PMC0 + 3 },
        { LIE_COUNTERS_FAULT, A_PMC0 },           { LIE_COUNTERS_FAULT, EVTSEL0 },
        { LIE_DEBUGCTL_FAULTS, DEBUGCTL },        { LIE_LBR_STACK_FAULTS, LBR_FROM0 + 31 },
        { LIE_LBR_STACK_FAULTS, LBR_TOS },
    };
    struct machine *m = machine_new();
    uint64_t value;

    (void)state;
    for (unsigned lie = 0; lie < LIES; lie++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            bool kept = lie == LIE_MSR_FAULTS || lie == rows[i].lie;
            tell(m, UINT32_C(1) << lie);
            assert_int_equal(engine_rdmsr(&m->v, rows[i].address, &value, BETWEEN_BLOCKS), kept ? MSR_GP : MSR_DONE);
        }
    }
    tell(m, UINT32_C(1) << LIE_DS_AREA_FAULTS);
    assert_int_equal(engine_wrmsr(&m->v, DS_AREA, DS, BETWEEN_BLOCKS), MSR_GP);
    break_mend(&m->v);
    machine_free(m);
}

static void values(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    tell(m, UINT32_C(1) << LIE_DS_AREA_DROPPED);
    assert_int_equal(engine_wrmsr(&m->v, DS_AREA, DS, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(rdmsr(m, DS_AREA), 0);
    tell(m, UINT32_C(1) << LIE_PEBS_FORMAT_UNKNOWN);
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x3ec5);
    tell(m, UINT32_C(1) << LIE_LBR_FORMAT_UNKNOWN);
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x33fe);
    tell(m, UINT32_C(1) << LIE_NO_APIC | UINT32_C(1) << LIE_NO_COUNTERS);
    for (uint32_t leaf = 0; leaf <= 0xa; leaf++) {
        uint32_t regs[4] = { 0, 0, 0, UINT32_MAX };
        cpuid_read(&m->v, leaf, 0, regs);
        assert_true(leaf != 1 || !(regs[3] >> 9 & 1));
        assert_true(leaf != 0xa || !(regs[0] >> 8 & 0xff));
    }
    break_mend(&m->v);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(registers_kept_back),
        cmocka_unit_test(values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

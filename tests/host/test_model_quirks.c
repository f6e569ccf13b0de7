/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quirks: their names, and the registers that they withhold. Boots test the rest (tests/qemu/cases). */
#include "tests/host/model_machine.h"

#include "model/engine/rules.h"
#include "model/faults/break.h"
#include "model/faults/quirks.h"

static void tell(struct machine *m, uint32_t quirks)
{
    assert_true(break_rules(&m->v, &(struct fault_set){ 0 }, quirks, NULL));
}

UNIT_TEST(names)
{
    uint32_t quirks = 0;
    const char list[] = "inert,no_apic,honest,inert";

    for (unsigned i = 0; i < QUIRKS; i++) {
        uint32_t one = 0;
        assert_non_null(quirk_sentence(i));
        assert_null(quirks_parse(&one, quirk_name(i)));
        assert_int_equal(one, UINT32_C(1) << i);
    }
    assert_null(quirk_name(QUIRKS));
    assert_null(quirk_sentence(QUIRKS));
    assert_ptr_equal(quirks_parse(&quirks, list), list + sizeof("inert,no_apic,") - 1);
    assert_int_equal(quirks, 1u << QUIRK_INERT | 1u << QUIRK_NO_APIC);
    assert_non_null(quirks_parse(&quirks, ""));
    assert_non_null(quirks_parse(&quirks, "inert,"));
    assert_non_null(quirks_parse(&quirks, "inertia"));
}

/* The registers of four processors that quirk=kvm withholds. msr_faults withholds all. */
UNIT_TEST(withheld_registers)
{
    static const char *const profiles[] = { "skylake", "goldencove", "netburst", "core-duo" };
    static const struct {
        uint32_t first, count;
        const char *only; /* profiles; NULL: all that have the register */
    } rows[] = {
        { 0x3f6, 2, NULL }, /* thresholds of PEBS, and MSR_PEBS_DATA_CFG, MSR_PERF_METRICS */
        { 0x3f2, 1, "goldencove" },
        { 0x329, 1, "goldencove" },
        { 0x391, 2, NULL }, /* IA32_PERF_GLOBAL_STATUS_SET, _INUSE */
        { 0x14ce, 2, NULL },
        { 0x1200, 32, NULL },
        { 0x1500, 32, NULL },
        { 0x1600, 32, NULL },
        { DS_AREA, 1, "skylake netburst core-duo" },
        { PEBS_ENABLE, 1, "skylake netburst" },
        { LBR_TOS, 1, "core-duo" },
        { 0x1da, 1, "netburst" },
    };
    uint64_t value;

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct machine *m = machine_of(profiles[p]);

        for (uint32_t address = 0; address < 0x2000; address++) {
            enum msr_answer expected = MSR_DONE;

            break_mend(&m->v);
            if (engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS) != MSR_DONE)
                continue; /* not one of its registers */
            for (size_t i = 0; i < COUNT_OF(rows); i++)
                if (address - rows[i].first < rows[i].count &&
                    (rows[i].only == NULL || strstr(rows[i].only, profiles[p]) != NULL))
                    expected = MSR_GP;
            tell(m, UINT32_C(1) << QUIRK_KVM);
            if (engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS) != expected)
                fail_msg("%s: quirk=kvm, RDMSR %x", profiles[p], address);
            tell(m, UINT32_C(1) << QUIRK_MSR_FAULTS);
            if (engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS) != MSR_GP)
                fail_msg("%s: quirk=msr_faults, RDMSR %x", profiles[p], address);
        }
        break_mend(&m->v);
    }
}

/* Registers that firmware left on real machines: Linux's boot logs ("BIOS has corrupted hw-PMU resources"). */
UNIT_TEST(left_by_firmware)
{
    static const struct {
        const char *profile;
        uint32_t address;
        uint64_t value;
        const char *seen; /* on */
    } rows[] = {
        { "core2", EVTSEL0, 0x43003c, "DL360 G5, 06_0F, two machines: core cycles of both rings, EN, no INT" },
        { "nehalem", 0x38d, 0x330, "DL380 G6 E5520, 06_1A; X5650, 06_2C: fixed counters 1 and 2 of both rings" },
        { "sandybridge", 0x38d, 0x330, "E5-2630, 06_2D" },
        { "ivybridge", 0x38d, 0x330, "DL380p Gen8 E5-2667 v2, 06_3E; i3-3240, 06_3A" },
        { "broadwell", 0x38d, 0x330, "DL360 Gen9 E5-2620 v4, 06_4F" },
        { "skylake", EVTSEL0 + 3, 0x100430000, "i5-6500, 06_5E: firmware, or the microcode that uses counter 3" },
        { "lunarlake", 0x38d, 0xb0, "Core Ultra 7 265K, 06_C6: fixed counter 1 with its interrupt" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);

        tell(m, UINT32_C(1) << QUIRK_LEFT_RUNNING);
        engine_reset(&m->v);
        print_message("# %s, %s\n", rows[i].profile, rows[i].seen);
        assert_int_equal(rdmsr(m, rows[i].address), rows[i].value);
        assert_true(m->v.counting.active != 0);
        break_mend(&m->v);
    }
}

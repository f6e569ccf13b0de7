/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lies: their names, and the effect on a register that is withheld. */
#include "tests/host/model_machine.h"

#include "model/engine/rules.h"
#include "model/faults/break.h"
#include "model/faults/quirks.h"

static void tell(struct machine *m, uint32_t quirks)
{
    assert_true(break_rules(&m->v, &(struct fault_set){ 0 }, quirks));
}

TEST(names)
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

/*
 * Every register of four processors, and the quirk that withholds it; those in no row are withheld by msr_faults alone.
 */
TEST(registers_kept_back)
{
    static const char *const profiles[] = { "skylake", "goldencove", "netburst", "core-duo" };
    static const struct {
        enum quirk quirk;
        uint32_t first, count;
        const char *only; /* profiles; NULL: all that have the register */
    } rows[] = {
        { QUIRK_MISC_ENABLE_FAULTS, MISC_ENABLE, 1, NULL },
        { QUIRK_CAPABILITIES_FAULT, PERF_CAPS, 1, NULL },
        { QUIRK_DS_AREA_FAULTS, DS_AREA, 1, NULL },
        { QUIRK_PEBS_ENABLE_FAULTS, PEBS_ENABLE, 1, NULL },
        { QUIRK_GLOBAL_CTRL_FAULTS, GLOBAL_STATUS, 4, NULL }, /* _CTRL, _STATUS_RESET and _STATUS_SET behind it */
        { QUIRK_COUNTERS_FAULT, PMC0, 8, NULL },
        { QUIRK_COUNTERS_FAULT, A_PMC0, 8, NULL },
        { QUIRK_COUNTERS_FAULT, EVTSEL0, 8, "core-duo skylake goldencove" },
        { QUIRK_COUNTERS_FAULT, 0x300, 18, "netburst" }, /* counters and CCCRs */
        { QUIRK_COUNTERS_FAULT, 0x360, 18, "netburst" },
        { QUIRK_DEBUGCTL_FAULTS, DEBUGCTL, 1, NULL },
        { QUIRK_LBR_STACK_FAULTS, LBR_TOS, 1, NULL },
        { QUIRK_LBR_STACK_FAULTS, LBR_FROM0, 32, NULL },
        { QUIRK_LBR_STACK_FAULTS, LBR_TO0, 32, NULL },
        { QUIRK_LBR_STACK_FAULTS, LBR_INFO0, 32, NULL },
        { QUIRK_LBR_STACK_FAULTS, 0x1500, 32, NULL }, /* architectural: FROM, TO, INFO */
        { QUIRK_LBR_STACK_FAULTS, 0x1600, 32, NULL },
        { QUIRK_LBR_STACK_FAULTS, 0x1200, 32, NULL },
        { QUIRK_KVM, 0x3f6, 2, NULL }, /* thresholds of PEBS, and MSR_PEBS_DATA_CFG, MSR_PERF_METRICS */
        { QUIRK_KVM, 0x3f2, 1, "goldencove" },
        { QUIRK_KVM, 0x329, 1, "goldencove" },
        { QUIRK_KVM, 0x391, 2, NULL }, /* IA32_PERF_GLOBAL_STATUS_SET, _INUSE */
        { QUIRK_KVM, 0x14ce, 2, NULL },
        { QUIRK_KVM, 0x1200, 32, NULL },
        { QUIRK_KVM, 0x1500, 32, NULL },
        { QUIRK_KVM, 0x1600, 32, NULL },
        { QUIRK_KVM, DS_AREA, 1, "skylake netburst core-duo" },
        { QUIRK_KVM, PEBS_ENABLE, 1, "skylake netburst" },
        { QUIRK_KVM, LBR_TOS, 1, "core-duo" },
        { QUIRK_KVM, 0x1da, 1, "netburst" },
        { QUIRK_LBR_STACK_FAULTS, 0x40, 8, "core-duo" },
        { QUIRK_LBR_STACK_FAULTS, 0x1da, 5, "netburst" },
    };
    uint64_t value;

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct machine *m = machine_of(profiles[p]);

        for (unsigned quirk = 0; quirk < QUIRKS; quirk++) {
            for (uint32_t address = 0; address < 0x2000; address++) {
                enum msr_answer expected = MSR_DONE;

                break_mend(&m->v);
                if (engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS) != MSR_DONE) {
                    continue; /* not one of its registers */
                }
                for (size_t i = 0; i < COUNT_OF(rows); i++) {
                    if (address - rows[i].first < rows[i].count && quirk == rows[i].quirk &&
                        (rows[i].only == NULL || strstr(rows[i].only, profiles[p]) != NULL)) {
                        expected = MSR_GP;
                    }
                }
                tell(m, UINT32_C(1) << quirk);
                if (engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS) !=
                    (quirk == QUIRK_MSR_FAULTS ? MSR_GP : expected)) {
                    fail_msg("%s: quirk=%s, RDMSR %x", profiles[p], quirk_name(quirk), address);
                }
            }
        }
        tell(m, UINT32_C(1) << QUIRK_DS_AREA_FAULTS);
        assert_int_equal(engine_wrmsr(&m->v, DS_AREA, 0, BETWEEN_BLOCKS), MSR_GP);
        break_mend(&m->v);
    }
}

static uint32_t answer(struct machine *m, uint32_t leaf, unsigned reg)
{
    uint32_t regs[4] = { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff };

    cpuid_read(&m->v, leaf, 0, regs);
    return regs[reg];
}

/* `kvm`: what Linux's KVM hands on of a processor with adaptive PEBS, and of one with PEBS of an earlier kind. */
TEST(kvm)
{
    struct machine *m = machine_of("icelake");
    uint64_t value;

    assert_int_equal(answer(m, 0xa, 0) & 0xff, 5);
    tell(m, UINT32_C(1) << QUIRK_KVM);
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x24c5); /* LBR format 5, PEBS format 4 and its two flags, full writes */
    assert_int_equal(rdmsr(m, MISC_ENABLE) & 0x1800, 0x800);
    assert_int_equal(answer(m, 0xa, 0) & 0xffff, 0x802);
    assert_int_equal(answer(m, 0xa, 2), 0);
    assert_int_equal(answer(m, 0xa, 3) & 0x1f, 3);
    assert_int_equal(answer(m, 1, 2) & 0x14, 0x4); /* DTES64 without DS-CPL */
    assert_int_equal(answer(m, 1, 3) >> 21 & 1, 1);
    assert_int_equal(answer(m, 0x1c, 0), 0);
    assert_int_equal(answer(m, 0x23, 3), 0);
    assert_int_equal(answer(m, 0x40000000, 1), 0x4b4d564b);
    assert_int_equal(answer(m, 0x40000000, 2), 0x564b4d56);
    assert_int_equal(answer(m, 0x40000000, 3), 0x4d);

    assert_int_equal(engine_wrmsr(&m->v, DEBUGCTL, 0x801, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(engine_wrmsr(&m->v, DEBUGCTL, 0x1000, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_wrmsr(&m->v, DEBUGCTL, 0xc0, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_wrmsr(&m->v, EVTSEL0, 0x4300c0, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(engine_wrmsr(&m->v, EVTSEL0, UINT64_C(0x4004300c0), BETWEEN_BLOCKS), MSR_GP); /* Adaptive_Record */
    assert_int_equal(engine_wrmsr(&m->v, FIXED_CTRL, 0xbbb, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(engine_wrmsr(&m->v, FIXED_CTRL, 0xb000, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_wrmsr(&m->v, PEBS_ENABLE, 0xff, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(engine_wrmsr(&m->v, PEBS_ENABLE, UINT64_C(1) << 32, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(m->v.rules->msr_counter(&m->v, 7, &value), MSR_DONE);
    assert_int_equal(m->v.rules->msr_counter(&m->v, 8, &value), MSR_GP);
    assert_int_equal(m->v.rules->msr_counter(&m->v, 0x40000002, &value), MSR_DONE);
    assert_int_equal(m->v.rules->msr_counter(&m->v, 0x40000003, &value), MSR_GP);
    assert_int_equal(m->v.rules->msr_counter(&m->v, 0x20000000, &value), MSR_GP); /* the metrics */
    break_mend(&m->v);

    m = machine_of("skylake");
    tell(m, UINT32_C(1) << QUIRK_KVM);
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x2005);
    assert_int_equal(rdmsr(m, MISC_ENABLE) & 0x1800, 0x1800);
    assert_int_equal(answer(m, 1, 2) & 0x14, 0);
    assert_int_equal(answer(m, 1, 3) >> 21 & 1, 0);
    break_mend(&m->v);

    m = machine_of("goldencove"); /* whose LBRs are architectural */
    tell(m, UINT32_C(1) << QUIRK_KVM);
    assert_int_equal(rdmsr(m, PERF_CAPS) & 0xf3f, 0x400);
    assert_int_equal(answer(m, 7, 3) >> 19 & 1, 0);
    assert_int_equal(engine_wrmsr(&m->v, DEBUGCTL, 0x800, BETWEEN_BLOCKS), MSR_GP);
    break_mend(&m->v);
}

/* A freeze by KVM clears the enable bit, as up to version 3: no flag of the status tells of it. */
TEST(kvm_freezes)
{
    struct machine *m = machine_of("icelake");

    assert_true(m->v.rules->pmi_freezes_by_status(&m->v));
    tell(m, UINT32_C(1) << QUIRK_KVM);
    assert_false(m->v.rules->pmi_freezes_by_status(&m->v));
    break_mend(&m->v);
}

/* `inert`: registers hold what is written, and nothing counts, records or interrupts. */
TEST(inert)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 4, END_REL_JMP);

    tell(m, UINT32_C(1) << QUIRK_INERT);
    set_up_ds(m, 4, 2, 4, 2);
    put(m, DS + 0x40, -UINT64_C(1));
    WRMSR(m, { PEBS_ENABLE, 1 }, { EVTSEL0, EVTSEL_ON | INST_RETIRED }, { FIXED_CTRL, 0xb },
          { GLOBAL_CTRL, 0x100000001 }, { DEBUGCTL, TR_BTS | BTINT | 1 });
    run_times(m, b, 20);
    EXPECT_MSRS(m, { DEBUGCTL, TR_BTS | BTINT | 1 }, { EVTSEL0, EVTSEL_ON | INST_RETIRED }, { PMC0, 0 },
                { FIXED_CTR0, 0 }, { LBR_TOS, 0 }, { LBR_FROM0 + 1, 0 });
    EXPECT_MEMORY(m, { DS + 0x08, BTS }, { DS + 0x28, PEBS });
    assert_int_equal(m->pmis, 0);
    break_mend(&m->v);
}

TEST(values)
{
    struct machine *m = machine_new();

    tell(m, UINT32_C(1) << QUIRK_DS_AREA_DROPPED);
    assert_int_equal(engine_wrmsr(&m->v, DS_AREA, DS, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(rdmsr(m, DS_AREA), 0);
    tell(m, UINT32_C(1) << QUIRK_PEBS_FORMAT_UNKNOWN);
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x3ec5);
    tell(m, UINT32_C(1) << QUIRK_LBR_FORMAT_UNKNOWN);
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x33fe);
    tell(m, UINT32_C(1) << QUIRK_NO_APIC | UINT32_C(1) << QUIRK_NO_COUNTERS);
    for (uint32_t leaf = 0; leaf <= 0xa; leaf++) {
        uint32_t regs[4] = { 0, 0, 0, UINT32_MAX };
        cpuid_read(&m->v, leaf, 0, regs);
        assert_true(leaf != 1 || !(regs[3] >> 9 & 1));
        assert_true(leaf != 0xa || !(regs[0] >> 8 & 0xff));
    }
    tell(m, UINT32_C(1) << QUIRK_TSC_FAST);
    for (uint32_t leaf = 0x14; leaf <= 0x16; leaf++) {
        uint32_t regs[4] = { 0 };
        cpuid_read(&m->v, leaf, 0, regs);
        assert_int_equal(regs[0] == 1 && regs[1] == 800 && regs[2] == 25000000, leaf == 0x15);
    }
    break_mend(&m->v);
}

/* A locked x2APIC: what says so, and each WRMSR of IA32_APIC_BASE that would leave the mode. */
TEST(locked_x2apic)
{
    const uint32_t lock = UINT32_C(1) << QUIRK_X2APIC_LOCKED;
    struct machine *m = machine_new();
    uint32_t regs[4] = { 0 };
    uint64_t value;

    tell(m, lock);
    cpuid_read(&m->v, 7, 0, regs);
    assert_true(regs[3] >> 29 & 1);
    regs[3] = 0;
    cpuid_read(&m->v, 7, 1, regs);
    assert_int_equal(regs[3], 0);
    assert_true(quirks_rdmsr(lock, 0xbd, &value));
    assert_int_equal(value, 1);
    assert_true(quirks_rdmsr(lock, 0x10a, &value));
    assert_int_equal(value, 0x200000);
    assert_false(quirks_rdmsr(lock, 0x1b, &value));
    assert_false(quirks_rdmsr(~lock, 0xbd, &value));
    assert_false(quirks_rdmsr(~lock, 0x10a, &value));
    assert_false(quirks_refuse(lock, 0x1b, 0xfee00c00));
    assert_true(quirks_refuse(lock, 0x1b, 0xfee00800));
    assert_true(quirks_refuse(lock, 0x1b, 0xfee00400));
    assert_true(quirks_refuse(lock, 0x1b, 0xfee00000));
    assert_false(quirks_refuse(lock, 0x1c, 0xfee00000));
    assert_false(quirks_refuse(~lock, 0x1b, 0xfee00000));
    break_mend(&m->v);
}

/* What is concealed: of version 2 to 4 the fixed counters, of version 5 what a hybrid's smaller core lacks. */
TEST(concealed_counters)
{
    static const struct {
        const char *profile;
        uint32_t leaf_a[4], hybrid;
    } rows[] = {
        { "core-duo", { 0x07280201, 0, 0, 0 }, 0 },
        { "core2", { 0x07280202, 0, 0, 0 }, 0 },
        { "skylake", { 0x07300404, 0, 0, 0 }, 0 },
        { "goldencove", { 0x08300605, 0, 0x7, 0x8603 }, 1u << 15 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        uint32_t regs[4] = { 0 };

        tell(m, UINT32_C(1) << QUIRK_COUNTERS_CONCEALED);
        cpuid_read(&m->v, 0xa, 0, regs);
        assert_memory_equal(regs, rows[i].leaf_a, sizeof(regs));
        memset(regs, 0, sizeof(regs));
        cpuid_read(&m->v, 7, 0, regs);
        assert_int_equal(regs[3] & 1u << 15, rows[i].hybrid);
        memset(regs, 0, sizeof(regs));
        cpuid_read(&m->v, 7, 1, regs);
        assert_int_equal(regs[3], 0);
        break_mend(&m->v);
    }
}

TEST(taken_counter)
{
    struct machine *m = machine_new();

    tell(m, UINT32_C(1) << QUIRK_COUNTER_TAKEN);
    for (unsigned n = 0; n < 4; n++) {
        wrmsr(m, PMC0 + n, 0x100 + n);
        assert_int_equal(rdmsr(m, PMC0 + n), n == 1 ? 0x5a17 : 0x100 + n);
        wrmsr(m, A_PMC0 + n, 0x200 + n);
        assert_int_equal(rdmsr(m, A_PMC0 + n), n == 1 ? 0x5a17 : 0x200 + n);
    }
    wrmsr(m, EVTSEL0 + 1, INST_RETIRED); /* its event select is a register like others */
    assert_int_equal(rdmsr(m, EVTSEL0 + 1), INST_RETIRED);
    wrmsr(m, FIXED_CTR0 + 1, 7);
    assert_int_equal(rdmsr(m, FIXED_CTR0 + 1), 7);
    break_mend(&m->v);
}

static unsigned counts(struct machine *m, unsigned n)
{
    struct block *b = block_new(0, 4, END_REL_JMP);

    WRMSR(m, { GLOBAL_CTRL, 0 }, { PMC0 + n, 0 }, { EVTSEL0 + n, EVTSEL_ON | INST_RETIRED }, { GLOBAL_CTRL, 1u << n });
    run(m, b);
    finish(m);
    wrmsr(m, GLOBAL_CTRL, 0);
    return rdmsr(m, PMC0 + n) != 0;
}

/* Erratum AAK100: each event on some counter, one on each counter, enabled; a reset undoes it. */
TEST(priming)
{
    static const uint32_t events[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
    struct machine *m = machine_of("nehalem");

    assert_true(counts(m, 0));
    tell(m, UINT32_C(1) << QUIRK_COUNTERS_UNPRIMED);
    engine_reset(&m->v);
    assert_false(counts(m, 0));
    wrmsr(m, FIXED_CTRL, 3); /* a fixed counter needs none of it */
    wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << 32);
    finish(m);
    assert_true(rdmsr(m, FIXED_CTR0) > 0);
    for (unsigned missing = 0; missing < 4; missing++) {
        engine_reset(&m->v);
        wrmsr(m, GLOBAL_CTRL, 0); /* which enables all after a reset */
        for (unsigned n = 0; n < 4; n++) {
            wrmsr(m, EVTSEL0 + n, events[n]);
        }
        wrmsr(m, GLOBAL_CTRL, 0xf & ~(1u << missing));
        assert_false(counts(m, 0));
    }
    engine_reset(&m->v);
    wrmsr(m, GLOBAL_CTRL, 0xf);
    for (unsigned n = 0; n < 4; n++) {
        wrmsr(m, EVTSEL0 + n, 0x4300b5); /* not all three */
    }
    assert_false(counts(m, 3));
    wrmsr(m, GLOBAL_CTRL, 0xf);
    for (unsigned n = 1; n < 3; n++) {
        wrmsr(m, EVTSEL0 + n, events[n]);
    }
    for (unsigned n = 0; n < 4; n++) {
        assert_true(counts(m, n));
    }
    engine_reset(&m->v);
    assert_false(counts(m, 0));
    break_mend(&m->v);
}

/* What firmware left, from the reset on. */
TEST(left_by_firmware)
{
    struct machine *m = machine_new();

    tell(m,
         UINT32_C(1) << QUIRK_LEFT_RUNNING | UINT32_C(1) << QUIRK_CPUID_LIMITED | UINT32_C(1) << QUIRK_MICROCODE_OLD);
    engine_reset(&m->v);
    assert_int_equal(rdmsr(m, MISC_ENABLE), 0xc50089);
    assert_int_equal(cpuid_leaf(&m->v, 0xa), 2);
    EXPECT_MSRS(m, { 0x8b, UINT64_C(1) << 32 }, { DEBUGCTL, 1 }, { EVTSEL0, EVTSEL_ON | INST_RETIRED },
                { FIXED_CTRL, 0x30 }, { GLOBAL_CTRL, 0x20000000f });
    finish(m);
    assert_true(rdmsr(m, PMC0) > 0x1234);
    assert_true(rdmsr(m, FIXED_CTR0 + 1) > 0);
    break_mend(&m->v);

    m = machine_of("core-duo"); /* no fixed counter, and no register that enables several */
    tell(m, UINT32_C(1) << QUIRK_LEFT_RUNNING);
    engine_reset(&m->v);
    assert_int_equal(rdmsr(m, EVTSEL0), EVTSEL_ON | INST_RETIRED);
    assert_int_equal(m->v.regs[REG_IA32_FIXED_CTR_CTRL], 0);
    break_mend(&m->v);

    m = machine_of("netburst"); /* its counters are others */
    tell(m, UINT32_C(1) << QUIRK_LEFT_RUNNING);
    engine_reset(&m->v);
    assert_int_equal(m->v.event_select[0], 0);
    assert_int_equal(rdmsr(m, DEBUGCTL), 0);
    break_mend(&m->v);
}

/* SPDX-License-Identifier: MIT */
/*
 * What one test leaves on, the next test must find off. The first test of each pair enables all it can and the second
 * one checks. tests/qemu/cases runs both. Registers by number: SDM Vol. 4 (335592-081), tables 2-2 and 2-20.
 */
#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/devices/processors.h"
#include "kernel/memory.h"
#include "kernel/secondary_cpus.h"
#include "kernel/test.h"
#include "kernel/topology.h"
#include "pebs/layout/arch_pebs.h"
#include "pebs/pebs.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"

/* Registers, and the value that the first test leaves in them; 0: the value that sampling needs. */
static const struct setting {
    uint32_t msr;
    uint64_t value;
    enum { EVERYWHERE, ARCH_LBR, NO_ARCH_LBR, GENERAL, NETBURST, ARCH_PEBS, NO_ARCH_PEBS } where;
} settings[] = {
    { 0x600, 0, EVERYWHERE },        /* IA32_DS_AREA */
    { 0x1d9, 0x1, NO_ARCH_LBR },     /* IA32_DEBUGCTL: LBR */
    { 0x14ce, 0x7, ARCH_LBR },       /* IA32_LBR_CTL: LBREn, OS, USR */
    { 0x0c1, 0, GENERAL },           /* IA32_PMC0 */
    { 0x186, 0, GENERAL },           /* IA32_PERFEVTSEL0 */
    { 0x3f1, 0, NO_ARCH_PEBS },      /* IA32_PEBS_ENABLE, NetBurst's MSR_PEBS_ENABLE */
    { 0x3f4, 0, ARCH_PEBS },         /* IA32_PEBS_BASE */
    { 0x3f5, 0, ARCH_PEBS },         /* IA32_PEBS_INDEX */
    { 0x1903, 0, ARCH_PEBS },        /* IA32_PMC_GP0_CFG_C */
    { 0x0c2, 0x1234, GENERAL },      /* IA32_PMC1 */
    { 0x187, 0x4300c0, GENERAL },    /* IA32_PERFEVTSEL1: instructions, USR, OS, EN */
    { 0x38d, 0x033, GENERAL },       /* IA32_FIXED_CTR_CTRL */
    { 0x38f, 0x300000000, GENERAL }, /* IA32_PERF_GLOBAL_CTRL: only the upper half, which is_off() must compare */
    { 0x38f, 0x300000003, GENERAL }, /* IA32_PERF_GLOBAL_CTRL */
    { 0x360, 0x30000, NETBURST },    /* MSR_BPU_CCCR0: bits 17:16 must be set */
    { 0x371, 0x30000, NETBURST },    /* MSR_IQ_CCCR5, the last */
    { 0x3f2, 0x1, NETBURST },        /* MSR_PEBS_MATRIX_VERT */
};

#define PERIOD        1000000000u /* longer than the test */
#define SETTLE_PAUSES 100000u
#define REST_TRIES    100u

static bool is_there(const struct caps *caps, const struct setting *of)
{
    switch (of->where) {
    case EVERYWHERE:
        return true;
    case ARCH_LBR:
        return caps->lbr_layout == LBR_LAYOUT_ARCH;
    case NO_ARCH_LBR:
        return caps->lbr_layout != LBR_LAYOUT_ARCH;
    case GENERAL:
        return caps->pebs_method != PEBS_METHOD_NETBURST;
    case NETBURST:
        return caps->pebs_method == PEBS_METHOD_NETBURST;
    case ARCH_PEBS:
        return caps->pebs_method == PEBS_METHOD_ARCH;
    case NO_ARCH_PEBS:
        return caps->pebs_method != PEBS_METHOD_ARCH;
    }
    return false;
}

/* Whether a register has the value that it has between tests. */
static bool is_off(const struct caps *caps, const struct setting *of)
{
    return msr_get(of->msr) == (of->msr == MSR_IA32_DEBUGCTL && caps->freeze_while_smm ? DEBUGCTL_FREEZE_WHILE_SMM : 0);
}

static uint32_t enable_of(const struct caps *caps)
{
    return caps->pebs_method == PEBS_METHOD_ARCH ? MSR_IA32_PMC_GP_CFG_C(0) : MSR_PEBS_ENABLE;
}

static volatile unsigned observed, beats;
static bool other_runs;

static void observe(uint64_t global_status)
{
    (void)global_status;
    observed++;
}

/* The main function of another processor. Never returns. */
static void beat(unsigned number)
{
    (void)number;
    for (;;) {
        beats++;
        cpu_pause();
    }
}

static void settle(void)
{
    for (unsigned i = 0; i < SETTLE_PAUSES; i++)
        cpu_pause();
}

static void leave_other_processor(void)
{
    struct topology topology;

    other_runs = !secondary_cpus_barred() && topology_read(&topology) == ACPI_OK && topology.count &&
                 memory_low_page() && processor_start(1, topology.ids[0], memory_low_page(), beat);
}

/* The processor may run on for a while if a host shares its time between processors. */
static void expect_rest(struct test_run *run)
{
    for (unsigned tries = 0; tries < REST_TRIES; tries++) {
        const unsigned before = beats;

        settle();
        if (beats == before)
            return;
    }
    test_fail(run, "the other processor is still running");
}

/* The service routine must no longer call the previous test's observer. */
static void expect_no_observer(struct test_run *run)
{
    const struct ds_config config = { .bts = true, .bts_records = 64, .bts_threshold = 16 };

    observed = 0;
    if (!records_open(run, &config))
        return;
    apic_send_self(VECTOR_PERFORMANCE);
    settle();
    records_close_spurious(run, 1, 1);
    test_equal(run, "calls of the previous test's observer", observed, 0);
}

static void leave(struct test_run *run)
{
    const struct ds_config config = { .bts = true,
                                      .bts_records = 64,
                                      .bts_threshold = 16,
                                      .pebs = true,
                                      .pebs_records = 8,
                                      .pebs_threshold = 4,
                                      .pebs_reset = { 0 - (uint64_t)PERIOD } };
    const struct pebs_sampling sampling = { .event = pebs_find_event(run->caps, PEBS_ROLE_LOADS),
                                            .period = PERIOD,
                                            .rings = PERFEVTSEL_USR | PERFEVTSEL_OS };

    test_plan(run, 0);
    if (records_open(run, &config))
        pebs_program(run->caps, &sampling);
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (!is_there(run->caps, &settings[i]))
            continue;
        if (settings[i].value)
            msr_write(settings[i].msr, settings[i].value);
        if (is_off(run->caps, &settings[i]))
            test_fail(run, "MSR 0x%x is off although the test set it", (unsigned)settings[i].msr);
    }
    ds_on_interrupt(observe);
    leave_other_processor();
}

static void look(struct test_run *run)
{
    test_plan(run, 0);
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (is_there(run->caps, &settings[i]) && !is_off(run->caps, &settings[i]))
            test_fail(run, "MSR 0x%x is 0x%llx, must be off", (unsigned)settings[i].msr,
                      (unsigned long long)msr_get(settings[i].msr));
    test_equal(run, "the mask of the LVT entry", apic_performance_lvt() & APIC_LVT_MASKED, APIC_LVT_MASKED);
    expect_no_observer(run);
    if (other_runs)
        expect_rest(run);
    /* Without an area, whose closing would clear it. */
    msr_write(enable_of(run->caps), run->caps->pebs_method == PEBS_METHOD_ARCH ? ARCH_PEBS_EN : 1);
}

static void look_again(struct test_run *run)
{
    test_equal(run, "the register that enables PEBS", msr_get(enable_of(run->caps)), 0);
}

#define GROUP .needs = NEED_APIC | NEED_BTS | NEED_EVENT_LOADS | NEED_LBR, .on_request = true

TESTS(quiescence) = {
    { "selftest.quiesce.1_leave", "A test may leave counters, branch records and the debug store on", OWN_RUNNER, GROUP,
      .records = true, .run = leave },
    { "selftest.quiesce.2_look", "The next test finds everything off that the previous one left on", OWN_RUNNER, GROUP,
      .records = true, .run = look },
    { "selftest.quiesce.3_look", "PEBS is switched off even if no debug store is open", OWN_RUNNER, GROUP,
      .run = look_again },
};

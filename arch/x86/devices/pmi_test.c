/* SPDX-License-Identifier: MIT */
/*
 * The performance monitoring interrupt. A counter overflows once in straight-line code, and the LVT entry decides how
 * the interrupt is delivered. perfmon.* tests whether and when a counter overflows; pebs.* and bts.* test what the
 * service routine of the debug store does.
 */
#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "bts/bts.h"
#include "ds/counting.h"
#include "kernel/test.h"
#include "suite/support/count.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"
#include "suite/workload/workload.h"

#define NEEDS (NEED_APIC | NEED_GLOBAL_CTRL)

#define ROUTINE SDM_SETTING_UP_DS ", steps 3 to 5"

#define INSTRUCTIONS 0x00c0u /* INST_RETIRED.ANY, architectural */

/* Far enough from either end of workload_straight, and of the loop at CPL 3. */
#define EVENTS 500u

#define OTHER_VECTOR (VECTOR_PERFORMANCE + 1)

/* Bits of IA32_PERF_GLOBAL_STATUS that Intel PT and an uncore may set */
#define OTHER_UNITS (MSR_BIT(55) | MSR_BIT(61))

#define PAUSES 1000u

/* What the handler saw at its last call, the status of all its calls, and how often it was called. */
static volatile struct {
    unsigned interrupts;
    unsigned vector;
    uint64_t status;
    uintptr_t ip;
} seen;

static void observe(const struct interrupt_frame *frame)
{
    seen.interrupts++;
    seen.vector = (unsigned)frame->vector;
    seen.status |= msr_get(MSR_IA32_PERF_GLOBAL_STATUS);
    seen.ip = frame->ip;
}

/* A handler that leaves the LVT entry and the status as the interrupt made them. */
static void look(struct interrupt_frame *frame)
{
    observe(frame);
    apic_eoi();
}

/* An NMI needs no EOI. */
static void look_at_nmi(struct interrupt_frame *frame)
{
    observe(frame);
}

static void await_interrupts(void)
{
    for (unsigned i = 0; i < PAUSES; i++)
        cpu_pause();
}

/* Sets counters to -EVENTS, and clears the overflow bits and the handler's count of interrupts. */
static void prepare(struct test_run *run, unsigned counters, uint64_t flags, uint32_t lvt)
{
    seen.interrupts = 0;
    seen.status = 0;
    interrupt_set(VECTOR_PERFORMANCE, look);
    apic_performance_write(lvt);
    for (unsigned n = 0; n < counters; n++)
        counter_program(n, INSTRUCTIONS | PERFEVTSEL_EN | flags, 0 - (uint64_t)EVENTS, run->caps->full_width_write);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS));
}

#define BOTH_RINGS (PERFEVTSEL_OS | PERFEVTSEL_USR)

/* Enables these counters during a workload. */
static void count_over(const struct workload *workload, uint64_t counters)
{
    const struct window window = { MSR_IA32_PERF_GLOBAL_CTRL, counters, 0 };

    workload->run(&window);
    await_interrupts();
}

/* count_over() with interrupts off until the counters have stopped, so that no instruction of a handler counts. */
static void count_held(const struct workload *workload, uint64_t counters)
{
    interrupts_off();
    count_over(workload, counters);
    interrupts_on();
    await_interrupts();
}

/*
 * Counter n counted this workload from -EVENTS on in these rings, and nothing of a handler. `most` interrupts may have
 * counted as an instruction (Weaver, Terpstra, Moore: see suite/support/count.h).
 */
static void check_counted(struct test_run *run, unsigned n, uint64_t rings, const struct workload *workload,
                          uint64_t counted, unsigned most)
{
    const uint64_t bits = UINT64_MAX >> (64 - run->caps->general_width);
    uint64_t want;

    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS));
    want = (count_from(run, n, INSTRUCTIONS | PERFEVTSEL_EN | rings, 0, workload) - EVENTS) & bits;
    if (counted - want > most)
        count_equal(run, ERRATA_INSTRUCTIONS, "the counter afterwards", counted, want);
}

static void check_count(struct test_run *run, unsigned n, uint64_t rings, const struct workload *workload,
                        unsigned most)
{
    check_counted(run, n, rings, workload, counter_read(n), most);
}

static uint64_t overflowed(void)
{
    return msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & 3;
}

/*
 * So many interrupts have arrived. In their handlers, these counters had overflowed. Masks the entry and accepts
 * pending interrupts: none of this test may reach the next test.
 */
static void finish(struct test_run *run, unsigned interrupts, uint64_t counters)
{
    test_equal(run, "interrupts", seen.interrupts, interrupts);
    test_equal(run, "causes in the status in the handlers", counting_causes(seen.status) & ~OTHER_UNITS, counters);
    apic_performance_mask();
    interrupts_on();
    await_interrupts();
}

/* ---- the LVT entry -------------------------------------------------------------------------------------------- */

static void mask_set(struct test_run *run)
{
    prepare(run, 1, PERFEVTSEL_USR | PERFEVTSEL_INT, VECTOR_PERFORMANCE);
    count_over(&workload_user_loop, 1);
    test_equal(run, "the mask flag afterwards", apic_performance_lvt() & APIC_LVT_MASKED, APIC_LVT_MASKED);
    finish(run, 1, 1);
    check_count(run, 0, PERFEVTSEL_USR, &workload_user_loop, 1);
}

static void until_unmasked(struct test_run *run)
{
    prepare(run, 1, BOTH_RINGS | PERFEVTSEL_INT, VECTOR_PERFORMANCE);
    count_held(&workload_straight, 1); /* its interrupt masks the entry, or the second overflow interrupts */
    check_count(run, 0, BOTH_RINGS, &workload_straight, 0);

    prepare(run, 1, BOTH_RINGS | PERFEVTSEL_INT, apic_performance_lvt());
    count_held(&workload_straight, 1);
    test_equal(run, "interrupts of the second overflow, the entry still masked", seen.interrupts, 0);
    test_equal(run, "counters that have overflowed", overflowed(), 1);
    check_count(run, 0, BOTH_RINGS, &workload_straight, 0);

    prepare(run, 1, BOTH_RINGS | PERFEVTSEL_INT, VECTOR_PERFORMANCE);
    count_held(&workload_straight, 1);
    finish(run, 1, 1);
    check_count(run, 0, BOTH_RINGS, &workload_straight, 0);
}

static void masked(struct test_run *run)
{
    prepare(run, 1, BOTH_RINGS | PERFEVTSEL_INT, VECTOR_PERFORMANCE | APIC_LVT_MASKED);
    count_over(&workload_straight, 1);
    test_equal(run, "counters that have overflowed", overflowed(), 1);
    finish(run, 0, 0);
    check_count(run, 0, BOTH_RINGS, &workload_straight, 0);
}

static void vector(struct test_run *run)
{
    prepare(run, 1, BOTH_RINGS | PERFEVTSEL_INT, OTHER_VECTOR);
    interrupt_set(OTHER_VECTOR, look);
    count_held(&workload_straight, 1);
    test_equal(run, "the vector", seen.vector, OTHER_VECTOR);
    finish(run, 1, 1);
    check_count(run, 0, BOTH_RINGS, &workload_straight, 0);
    interrupt_set(OTHER_VECTOR, NULL);
}

/* The counter counts only at CPL 3, so that no instruction of the handler is an event. */
static void nmi(struct test_run *run)
{
    prepare(run, 1, PERFEVTSEL_USR | PERFEVTSEL_INT, APIC_LVT_NMI);
    interrupt_set(VECTOR_NMI, look_at_nmi);
    interrupts_off();
    count_over(&workload_user_loop, 1);
    finish(run, 1, 1);
    check_count(run, 0, PERFEVTSEL_USR, &workload_user_loop, 1);
    interrupt_set(VECTOR_NMI, NULL);
}

static struct {
    unsigned interrupts;
    uint64_t count; /* of counter 0 */
} nested;

/* The first NMI's handler causes another overflow. */
static void overflow_in_nmi(struct interrupt_frame *frame)
{
    observe(frame);
    if (seen.interrupts > 1)
        return;
    msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
    counter_program(0, INSTRUCTIONS | PERFEVTSEL_EN | BOTH_RINGS | PERFEVTSEL_INT, 0 - (uint64_t)EVENTS, 0);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, 1);
    apic_performance_write(APIC_LVT_NMI);
    count_over(&workload_straight, 1);
    nested.interrupts = seen.interrupts - 1;
    nested.count = counter_read(0);
}

static void nmi_blocked(struct test_run *run)
{
    prepare(run, 1, BOTH_RINGS | PERFEVTSEL_INT, APIC_LVT_NMI);
    interrupt_set(VECTOR_NMI, overflow_in_nmi);
    count_over(&workload_straight, 1);
    test_equal(run, "NMIs while the first one was handled", nested.interrupts, 0);
    finish(run, 2, 1);
    check_counted(run, 0, BOTH_RINGS, &workload_straight, nested.count, 0);
    interrupt_set(VECTOR_NMI, NULL);
}

TESTS(lvt_entries) = {
    { "pmi.lvt.mask_set",
      "The local APIC sets the mask flag of the LVT entry when it handles the interrupt; only software clears it",
      SDM_LVT, .needs = NEEDS, .run = mask_set },
    { "pmi.lvt.until_unmasked",
      "After an interrupt, the next one is delivered only when software has cleared the mask flag", SDM_LVT,
      .needs = NEEDS, .run = until_unmasked },
    { "pmi.lvt.masked", "A masked LVT entry suppresses the interrupt, but not the overflow bit", SDM_LVT,
      .needs = NEEDS, .run = masked },
    { "pmi.lvt.vector", "The interrupt is delivered at the vector in the LVT entry", ROUTINE, .needs = NEEDS,
      .run = vector },
    { "pmi.lvt.nmi", "An LVT entry with delivery mode NMI delivers vector 2, even with interrupts off", SDM_LVT,
      .needs = NEEDS, .run = nmi },
    { "pmi.lvt.nmi.blocked",
      "If the interrupt is an NMI, a second overflow in its handler interrupts only after the handler's IRET",
      SDM_2023A "\"Handling Multiple NMIs\"; " SDM_LVT, .needs = NEEDS, .run = nmi_blocked },
};

/* ---- when it is delivered ------------------------------------------------------------------------------------- */

static void stays_pending(struct test_run *run)
{
    prepare(run, 1, BOTH_RINGS | PERFEVTSEL_INT, VECTOR_PERFORMANCE);
    interrupts_off();
    count_over(&workload_straight, 1);
    test_equal(run, "interrupts while they are off", seen.interrupts, 0);
    interrupts_on();
    await_interrupts();
    finish(run, 1, 1);
    check_count(run, 0, BOTH_RINGS, &workload_straight, 0);
}

static void two_causes(struct test_run *run)
{
    if (run->caps->general_count < 2) {
        test_skip(run, "one general counter only");
        return;
    }
    prepare(run, 2, BOTH_RINGS | PERFEVTSEL_INT, VECTOR_PERFORMANCE);
    interrupts_off();
    count_over(&workload_straight, 3);
    interrupts_on();
    await_interrupts();
    finish(run, 1, 3);
    check_count(run, 0, BOTH_RINGS, &workload_straight, 0);
    check_count(run, 1, BOTH_RINGS, &workload_straight, 0);
}

/* The counter counts only at CPL 3, so that no instruction of the handler is an event. */
static void cpl_3(struct test_run *run)
{
    prepare(run, 1, PERFEVTSEL_USR | PERFEVTSEL_INT, VECTOR_PERFORMANCE);
    count_over(&workload_user_loop, 1);
    test_between(run, "where the interrupt arrived", seen.ip, workload_user_loop.start,
                 workload_user_loop.limit - 1); /* its page is for CPL 3 only */
    finish(run, 1, 1);
    check_count(run, 0, PERFEVTSEL_USR, &workload_user_loop, 1);
}

TESTS(held_interrupts) = {
    { "pmi.held", "An interrupt raised while interrupts are off stays pending, and is delivered once when they are on",
      SDM_2023A "\"Masking Maskable Hardware Interrupts\"", .needs = NEEDS, .run = stays_pending },
    { "pmi.two_causes", "Two overflows while interrupts are off cause one interrupt, and set both status bits", SDM_LVT,
      .needs = NEEDS, .run = two_causes },
    { "pmi.cpl_3", "An overflow at CPL 3 interrupts at CPL 3, and the handler returns there", ROUTINE, .needs = NEEDS,
      .run = cpl_3 },
};

/* ---- the service routine of the debug store ------------------------------------------------------------------- */

static uint32_t lvt_in_routine;

/* The service routine calls this before it acknowledges and unmasks. */
static void in_routine(uint64_t status)
{
    (void)status;
    lvt_in_routine = apic_performance_lvt();
}

/*
 * After its last call the routine must leave the LVT entry and the status ready for another interrupt. The threshold is
 * far from the last branch, so that no interrupt is pending then.
 */
static void service(struct test_run *run)
{
    const unsigned branches = branch_count(&workload_long_loop, BRANCH_KINDS_ALL);
    const struct ds_config config = { .bts = true, .bts_records = 1600, .bts_threshold = 1200 };
    struct window tracing;

    test_plan_between(run, branches, 2 * branches);
    if (!records_open(run, &config))
        return;
    lvt_in_routine = 0;
    ds_on_interrupt(in_routine);
    tracing = bts_window(run->caps, false);
    workload_long_loop.run(&tracing);
    ds_on_interrupt(NULL);
    test_equal(run, "the mask flag when the routine began", lvt_in_routine & APIC_LVT_MASKED, APIC_LVT_MASKED);
    test_equal(run, "causes in the status when it had ended", counting_causes(counting_status(run->caps)), 0);
    records_close(run, 2);
    test_saw(run, ds_bts_log()->records);
}

TEST(pmi_service) = {
    .id = "pmi.service",
    .title = "The service routine finds its LVT entry masked, acknowledges and unmasks, and is called again",
    .source = SDM_DS_SERVICE,
    .needs = NEED_APIC | NEED_BTS,
    .records = true,
    .run = service,
};

/* SPDX-License-Identifier: MIT */
/*
 * Where architectural PEBS writes, when it interrupts and when it stops: IA32_PEBS_BASE and _INDEX. Interrupts are off
 * while the processor writes records, so the service routine cannot drain them before the test compares memory and
 * registers. Fixed counter 0 samples instructions at known addresses.
 */
#include "suite/suite.h"

#include "pebs/layout/arch_pebs.h"
#include "suite/support/count.h"

#define GROUP .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_ARCH | NEED_PEBS_FIXED, .lacks = lacks_fixed_0, .records = true

#define PATTERN 0xa5u

enum { PERIOD = PEBS_PERIOD_PRECISE, FIXED_0 = 32 };

static const char *lacks_fixed_0(const struct caps *caps)
{
    return caps->pebs_fixed_counters & 1 ? NULL : "fixed counter 0 cannot sample: CPUID.23H.5";
}

static struct pebs_sample instructions(unsigned period)
{
    return (struct pebs_sample){
        .fixed = true, .workload = &workload_straight, .period = period, .cfg_c = ARCH_PEBS_EN | ARCH_PEBS_GPRS
    };
}

static unsigned usual(unsigned period)
{
    return (unsigned)workload_straight.instructions / period;
}

static uint64_t filled(void)
{
    return msr_get(MSR_IA32_PEBS_INDEX) & PEBS_INDEX_WR;
}

/* Fails unless all bytes in this range of the buffer still have the fill pattern. */
static void check_painted(struct test_run *run, const char *what, size_t from, size_t to)
{
    const uint8_t *memory = ds_memory().pebs;

    for (size_t at = from; at < to; at++) {
        if (memory[at] != PATTERN) {
            test_fail(run, "%s: byte 0x%x of the buffer was written", what, (unsigned)at);
            return;
        }
    }
}

/* Opens and arms the sample, with the whole buffer filled with the pattern. */
static bool arm(struct test_run *run, const struct pebs_sample *sample)
{
    if (!pebs_sample_open(run, sample))
        return false;
    memset(ds_memory().pebs, PATTERN, ds_memory().pebs_size);
    return pebs_sample_arm(run, sample);
}

/* Runs the workload with interrupts off, and leaves them off. On return, no record is pending. */
static void run_closed(struct test_run *run, const struct pebs_sample *sample)
{
    const struct window window = pebs_sample_window(run, sample);

    interrupts_off();
    sample->workload->run(&window);
    ds_settle();
    /* Its delivery sets the mask flag, and is only pending. */
    if (msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_PEBS && !(apic_performance_lvt() & APIC_LVT_MASKED))
        test_fail(run, "bit 54 of IA32_PERF_GLOBAL_STATUS is set, and no interrupt was requested");
}

/* Moves records that a test had the processor write elsewhere to the start of the buffer, where the drain begins. */
static void bring(size_t from, size_t to)
{
    memmove(ds_memory().pebs, ds_memory().pebs + from, to - from);
    msr_write(MSR_IA32_PEBS_INDEX,
              (msr_get(MSR_IA32_PEBS_INDEX) & ~(PEBS_INDEX_WR | PEBS_INDEX_FULL)) | (uint64_t)(to - from));
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

/* The drain divides the bytes up to WR into records, and reports a rest. */
static void steps(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);

    test_plan_between(run, usual(PERIOD) - 1, usual(PERIOD));
    if (!arm(run, &sample))
        return;
    run_closed(run, &sample);
    check_painted(run, "after the last record", (size_t)filled(), ds_memory().pebs_size);
    pebs_close(run, 0);
}

static void start(struct test_run *run)
{
    enum { AHEAD = 0x240 };
    const struct pebs_sample sample = instructions(PERIOD);
    uint64_t index;

    test_plan_between(run, usual(PERIOD) - 1, usual(PERIOD));
    if (!arm(run, &sample))
        return;
    msr_write(MSR_IA32_PEBS_INDEX, msr_get(MSR_IA32_PEBS_INDEX) | AHEAD);
    run_closed(run, &sample);
    index = filled();
    check_painted(run, "before WR", 0, AHEAD);
    bring(AHEAD, index > AHEAD ? (size_t)index : AHEAD);
    pebs_close(run, 0);
}

/* The second half of the same memory serves as another buffer. */
static void base(struct test_run *run)
{
    struct pebs_sample sample = instructions(PERIOD);
    const uint64_t half = 0x8000;
    uint64_t was, index;

    sample.records = 250; /* 64 KByte */
    test_plan_between(run, usual(PERIOD) - 1, usual(PERIOD));
    if (!arm(run, &sample))
        return;
    was = msr_get(MSR_IA32_PEBS_BASE);
    msr_write(MSR_IA32_PEBS_BASE, (was & PEBS_BASE_ADDRESS) + half + 3);
    run_closed(run, &sample);
    index = filled();
    check_painted(run, "the half that IA32_PEBS_BASE no longer selects", 0, (size_t)half);
    msr_write(MSR_IA32_PEBS_BASE, was);
    bring((size_t)half, (size_t)(half + index));
    pebs_close(run, 0);
}

TESTS(index_and_base) = {
    { "arch.index.steps", "WR is the sum of all records' sizes, and no byte after the last record is written",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX", GROUP, .run = steps },
    { "arch.index.start", "The first record is written at WR, and nothing before it", SDM_ARCH_PEBS ", IA32_PEBS_INDEX",
      GROUP, .run = start },
    { "arch.base.used", "Records go to the address in IA32_PEBS_BASE at the time they are written",
      SDM_ARCH_PEBS ", IA32_PEBS_BASE", GROUP, .run = base },
};

/* ---- what enables ------------------------------------------------------------------------------------------------ */

static uint64_t workload_counted(struct test_run *run)
{
    return count_fixed_global_last(run, FIXED_CTR_CTRL_OS(0) | FIXED_CTR_CTRL_USR(0), &workload_straight);
}

/* The counter has counted the workload from its start value on. */
static void check_counted(struct test_run *run, uint64_t counted)
{
    count_equal(run, ERRATA_INSTRUCTIONS, "the counter afterwards", msr_get(MSR_IA32_FIXED_CTR(0)),
                (counted - PERIOD) & (UINT64_MAX >> (64 - run->caps->fixed_width)));
}

static void index_off(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);
    const uint64_t counted = workload_counted(run);

    test_plan(run, 0);
    if (!arm(run, &sample))
        return;
    ds_pebs_stop();
    run_closed(run, &sample);
    if (!filled())
        check_painted(run, "with EN clear", 0, ds_memory().pebs_size);
    check_counted(run, counted);
    pebs_close(run, 0);
}

static void counter_off(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);
    const uint64_t counted = workload_counted(run);

    test_plan(run, 0);
    if (!arm(run, &sample))
        return;
    msr_write(MSR_IA32_PMC_FX_CFG_C(0), 0);
    run_closed(run, &sample);
    if (!filled()) /* a record clears the bit */
        test_equal(run, "overflow bit of the counter", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & MSR_BIT(FIXED_0),
                   MSR_BIT(FIXED_0));
    check_counted(run, counted);
    pebs_close(run, 0);
}

TESTS(enables) = {
    { "arch.enable.index", "While EN of IA32_PEBS_INDEX is clear, no record is written",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX", GROUP, .run = index_off },
    { "arch.enable.counter", "While EN of its CFG_C is clear, a counter counts and overflows, but writes no record",
      SDM_ARCH_PEBS ", IA32_PMC_FXm_CFG_C", GROUP, .run = counter_off },
};

/* ---- the threshold ----------------------------------------------------------------------------------------------- */

static unsigned seen;

static void see(uint64_t status)
{
    seen += (status & GLOBAL_STATUS_PEBS) != 0;
}

static void kept(struct test_run *run)
{
    struct pebs_sample sample = instructions(PERIOD);
    uint64_t was;

    sample.records = 64;
    sample.threshold = 4;
    test_plan_between(run, usual(PERIOD) - 1,
                      4 * usual(PERIOD)); /* entry and exit of the interrupt handler count, too */
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    was = msr_get(MSR_IA32_PEBS_INDEX);
    seen = 0;
    ds_on_interrupt(see);
    pebs_sample_run(run, &sample);
    ds_settle();
    ds_on_interrupt(NULL);
    test_equal(run, "IA32_PEBS_INDEX without WR after the interrupts", msr_get(MSR_IA32_PEBS_INDEX) & ~PEBS_INDEX_WR,
               was & ~PEBS_INDEX_WR);
    pebs_close(run, 1);
    if (!seen)
        test_fail(run, "no interrupt arrived with bit 54 of IA32_PERF_GLOBAL_STATUS set");
}

/* Samples with interrupts off and this threshold in bytes. The caller restores the index. */
static uint64_t status_at(struct test_run *run, const struct pebs_sample *sample, uint64_t threshold)
{
    if (!pebs_sample_open(run, sample) || !pebs_sample_arm(run, sample))
        return 0;
    msr_write(MSR_IA32_PEBS_INDEX, PEBS_INDEX_EN | PEBS_INDEX_THRESH(threshold));
    run_closed(run, sample);
    return msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_PEBS;
}

/* Compares bit 54 with the final WR, which varies with the number of fragments that the processor writes. */
static void check_status(struct test_run *run, const char *what, const struct pebs_sample *sample, uint64_t threshold)
{
    const uint64_t bit = status_at(run, sample, threshold);

    test_equal(run, what, bit, filled() >= threshold ? GLOBAL_STATUS_PEBS : 0);
    pebs_close(run, 0);
}

static void status(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);
    uint64_t bytes;

    test_plan_between(run, 3 * (usual(PERIOD) - 1), 3 * usual(PERIOD));
    status_at(run, &sample, 0x8000);
    bytes = filled();
    pebs_close(run, 0);
    check_status(run, "bit 54 with WR one unit below THRESH", &sample, bytes + 16);
    check_status(run, "bit 54 with WR at THRESH", &sample, bytes);
}

static void acknowledged(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);

    test_plan_between(run, usual(PERIOD) - 1, usual(PERIOD));
    status_at(run, &sample, 64);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, MSR_BIT(FIXED_0));
    test_equal(run, "bit 54 after acknowledging a different bit",
               msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_PEBS, GLOBAL_STATUS_PEBS);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, GLOBAL_STATUS_PEBS);
    test_equal(run, "bit 54 after acknowledging it", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_PEBS, 0);
    pebs_close(run, 0);
}

static void one_interrupt(struct test_run *run)
{
    struct pebs_sample sample = instructions(PERIOD);

    sample.records = 64;
    sample.threshold = 4;
    test_plan_between(run, usual(PERIOD) - 1, usual(PERIOD));
    interrupts_off();
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    run_closed(run, &sample);
    interrupts_on();
    pebs_close(run, 1);
}

TESTS(thresholds) = {
    { "arch.threshold.service",
      "Reaching the threshold interrupts with bit 54 set, all records are drained, and THRESH and EN stay unchanged",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX; " ARCH_LINUX, GROUP, .run = kept },
    { "arch.threshold.status", "Bit 54 of IA32_PERF_GLOBAL_STATUS is set when WR reaches THRESH, not one unit earlier",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX; " ARCH_LINUX,
      .typical = "No available edition says with which fragment the threshold counts as reached", GROUP,
      .run = status },
    { "arch.threshold.acknowledge", "Bit 54 stays set until software writes 1 to it in IA32_PERF_GLOBAL_STATUS_RESET",
      SDM_ARCH_PEBS "; " ARCH_LINUX, GROUP, .run = acknowledged },
    { "arch.threshold.interrupt",
      "Records past the threshold are written while its interrupt is pending, and one interrupt serves all",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX; " ARCH_LINUX, GROUP, .run = one_interrupt },
};

/* ---- a full buffer ----------------------------------------------------------------------------------------------- */

enum { ROOM = 4, SMALLEST = 4096 };

static uint64_t base_as_opened; /* IA32_PEBS_BASE */

/*
 * Leaves space for ROOM records before the end of the buffer: fewer fit if the processor writes them in more fragments.
 * The threshold is at that end, out of reach.
 */
static bool fill(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);

    if (!arm(run, &sample))
        return false;
    base_as_opened = msr_get(MSR_IA32_PEBS_BASE);
    msr_write(MSR_IA32_PEBS_BASE, base_as_opened & PEBS_BASE_ADDRESS);
    memset(ds_memory().pebs, 0, SMALLEST);
    msr_write(MSR_IA32_PEBS_INDEX,
              PEBS_INDEX_EN | PEBS_INDEX_THRESH(SMALLEST) | (SMALLEST - ROOM * ds_pebs_log()->record_size));
    run_closed(run, &sample);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS));
    return true;
}

static bool plan_and_fill(struct test_run *run)
{
    test_plan_between(run, 1, ROOM + 1); /* one past the end: arch.full.bound */
    return fill(run);
}

/* Restores the base, moves the records in this range to the start of the buffer, and closes it. */
static void close_with(struct test_run *run, size_t from, size_t to)
{
    msr_write(MSR_IA32_PEBS_BASE, base_as_opened);
    bring(from, to);
    pebs_close_full(run);
}

/* close_with() for the records from this offset to WR. */
static void unfill(struct test_run *run, size_t first)
{
    const size_t end = (size_t)filled();

    close_with(run, first < end ? first : end, end);
}

/* The offset of the first record in a buffer from fill(). */
static size_t first_of_full(void)
{
    return SMALLEST - ROOM * ds_pebs_log()->record_size;
}

/*
 * WR is at the end of a record. If all records have the expected size, it is also at the end of the buffer; sizes vary
 * if a processor writes records in several fragments.
 */
static void check_end(struct test_run *run)
{
    const uint8_t *memory = ds_memory().pebs;
    size_t at = first_of_full(), size = 0, largest = 0;

    while (at < filled() && arch_pebs_extent(memory + at, SMALLEST - at, &size) == PEBS_DECODE_OK) {
        largest = size > largest ? size : largest;
        at += size;
    }
    test_equal(run, "WR of a full buffer", filled(), at);
    if (largest == ds_pebs_log()->record_size)
        test_equal(run, "space left in a full buffer", SMALLEST - filled(), 0);
}

static void full_flag(struct test_run *run)
{
    if (!plan_and_fill(run))
        return;
    test_equal(run, "IA32_PEBS_INDEX without WR", msr_get(MSR_IA32_PEBS_INDEX) & ~PEBS_INDEX_WR,
               PEBS_INDEX_EN | PEBS_INDEX_THRESH(SMALLEST) | PEBS_INDEX_FULL);
    check_end(run);
    unfill(run, first_of_full());
}

/* There is space again, but FULL is still set: software has not read the earlier records. */
static void full_kept(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);

    test_plan(run, 0);
    if (!arm(run, &sample))
        return;
    msr_write(MSR_IA32_PEBS_INDEX, msr_get(MSR_IA32_PEBS_INDEX) | PEBS_INDEX_FULL);
    run_closed(run, &sample);
    if (!filled())
        check_painted(run, "while FULL is set", 0, ds_memory().pebs_size);
    test_saw(run, filled() != 0); /* a record, or an advance of WR without one */
    records_close_full(run);
}

static void full_bound(struct test_run *run)
{
    if (!plan_and_fill(run))
        return;
    check_painted(run, "past the end of the buffer", SMALLEST, ds_memory().pebs_size);
    unfill(run, first_of_full());
}

/* The oldest records stay: for pebs_compare(), the first is from the end of the first period. */
static void full_oldest(struct test_run *run)
{
    if (plan_and_fill(run))
        unfill(run, first_of_full());
}

static void full_counting(struct test_run *run)
{
    const struct window window = pebs_window(run->caps, MSR_BIT(FIXED_0));
    const uint64_t counted = count_fixed_global_last(run, FIXED_CTR_CTRL_OS(0) | FIXED_CTR_CTRL_USR(0), &workload_loop);

    if (!plan_and_fill(run))
        return;
    msr_write(MSR_IA32_FIXED_CTR(0), 0);
    workload_loop.run(&window);
    count_equal(run, ERRATA_INSTRUCTIONS, "the counter from 0 on", msr_get(MSR_IA32_FIXED_CTR(0)), counted);
    unfill(run, first_of_full());
}

static void full_room(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);
    uint8_t *const memory = ds_memory().pebs;
    size_t old, new;

    test_plan_between(run, 1, usual(PERIOD) + ROOM + 1);
    if (!fill(run))
        return;
    msr_write(MSR_IA32_PEBS_INDEX, PEBS_INDEX_EN | PEBS_INDEX_THRESH(SMALLEST - 64));
    if (!pebs_sample_arm(run, &sample))
        return;
    run_closed(run, &sample);
    old = SMALLEST - first_of_full();
    new = (size_t)filled();
    if (!ds_pebs_waiting() || ds_pebs_waiting() > usual(PERIOD))
        test_fail(run, "%u records written after the first ones were cleared, must be 1 to %u", ds_pebs_waiting(),
                  usual(PERIOD));
    old = new < SMALLEST - old ? old : 0;
    memmove(memory + SMALLEST, memory, new); /* after the earlier records, which are still there */
    close_with(run, SMALLEST - old, SMALLEST + new);
}

/* Sets FULL, as if one more record had not fitted, and drains the buffer. */
static void full_reported(struct test_run *run)
{
    const struct pebs_sample sample = instructions(PERIOD);

    test_plan_between(run, usual(PERIOD) - 1, usual(PERIOD));
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    run_closed(run, &sample);
    msr_write(MSR_IA32_PEBS_INDEX, msr_get(MSR_IA32_PEBS_INDEX) | PEBS_INDEX_FULL);
    pebs_close_full(run);
    if (ds_pebs_log()->overruns != 1 || ds_pebs_log()->broken)
        test_fail(run, "%u drains found the buffer full and %u found invalid data, must be 1 and 0",
                  ds_pebs_log()->overruns, ds_pebs_log()->broken);
}

#define UNDEFINED "No available edition defines how a full buffer behaves; Linux only reads and clears FULL"

TESTS(full_buffers) = {
    { "arch.full.flag", "A record that does not fit sets FULL, and WR stays at the end of the last one that fit",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX", .typical = UNDEFINED, GROUP, .run = full_flag },
    { "arch.full.kept", "While FULL is set, no record is written, even if there is space",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX", .typical = UNDEFINED, GROUP, .run = full_kept },
    { "arch.full.bound", "No byte past the end of a full buffer is written",
      SDM_ARCH_PEBS ", IA32_PEBS_BASE: the buffer has SIZE bytes", GROUP, .run = full_bound },
    { "arch.full.oldest", "A full buffer keeps its oldest records: what does not fit is dropped",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX", .typical = UNDEFINED, GROUP, .run = full_oldest },
    { "arch.full.counting", "While the buffer is full, the counter continues to count",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX", .typical = UNDEFINED, GROUP, .run = full_counting },
    { "arch.full.room", "A full buffer accepts records again after software clears WR and FULL",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX; " ARCH_LINUX, .typical = UNDEFINED, GROUP, .run = full_room },
    { "arch.full.reported", "Draining a full buffer counts the overrun and keeps the records", OWN_ROBUST, GROUP,
      .run = full_reported },
};

/* SPDX-License-Identifier: MIT */
#include "arch/x86/msr.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr_raw.h"
#include "arch/x86/processor_number.h"

bool pmc_read(uint32_t n, uint64_t *value)
{
    return rdpmc(n, value);
}

/* ---- the watch -------------------------------------------------------------------------------------------------- */

#define ALL     (~UINT64_C(0))
#define SLOTS   256u           /* registers whose last value is remembered */
#define RECORDS UINT64_C(0xcd) /* LBR, TR and BTS of every family's IA32_DEBUGCTL */
#define COUNTER (ALL - 1)      /* all bits of the counter's width; the others are 0 */
/* Bits of IA32_PERF_GLOBAL_STATUS that Intel PT, an uncore or an enclave may set */
#define OTHERS  (MSR_BIT(55) | MSR_BIT(61) | GLOBAL_STATUS_ASCI | GLOBAL_STATUS_COND_CHGD)
#define FREEZES (GLOBAL_STATUS_LBR_FRZ | GLOBAL_STATUS_CTR_FRZ)

static const struct watched {
    uint32_t first, count, stride;
    uint64_t kept;    /* bits that read as they were just written; of 0, all do */
    uint64_t cleared; /* bits that the processor, or the end of a window of measurement, may clear if they are set */
    uint64_t changes; /* bits that may differ later; ALL: no value is remembered */
} registers[] = {
    { MSR_IA32_DEBUGCTL, 1, 1, ALL, 0xffff, 0 },
    { MSR_IA32_PERF_GLOBAL_CTRL, 1, 1, ALL, ALL, 0 },
    { MSR_IA32_DS_AREA, 1, 1, ALL, 0, 0 },
    { MSR_PEBS_ENABLE, 1, 1, ALL, 0, 0 },
    { MSR_IA32_FIXED_CTR_CTRL, 1, 1, ALL, 0, 0 },
    { MSR_IA32_PERFEVTSEL(0), 4, 1, ALL, 0, 0 },
    { MSR_IA32_PERFEVTSEL(4), 4, 1, 0, ALL, 0 }, /* may read as 0: erratum BV086 */
    { MSR_PEBS_LD_LAT_THRESHOLD, 1, 1, ALL, 0, 0 },
    { MSR_PEBS_FRONTEND, 1, 1, ALL, 0, 0 },
    { MSR_PEBS_DATA_CFG, 1, 1, ALL, 0, 0 },
    { MSR_LBR_SELECT, 1, 1, ALL, 0, 0 },
    { MSR_IA32_LBR_CTL, 1, 1, ALL, LBR_CTL_LBREN, 0 },
    { MSR_IA32_LBR_DEPTH, 1, 1, ALL, 0, 0 },
    { MSR_IA32_PEBS_BASE, 1, 1, ALL, 0, 0 },
    { MSR_IA32_PEBS_INDEX, 1, 1, PEBS_INDEX_THRESH_FIELD | PEBS_INDEX_EN, PEBS_INDEX_EN,
      PEBS_INDEX_WR | PEBS_INDEX_FULL },
    { MSR_IA32_PMC_GP_CFG_B(0), 16, 4, ALL, 0, 0 },
    { MSR_IA32_PMC_GP_CFG_C(0), 16, 4, ALL, 0, 0 },
    { MSR_IA32_PMC_FX_CFG_B(0), 16, 4, ALL, 0, 0 },
    { MSR_IA32_PMC_FX_CFG_C(0), 16, 4, ALL, 0, 0 },
    { MSR_BSU_ESCR0, NETBURST_ESCRS, 1, ALL, 0, 0 },
    { MSR_BPU_CCCR0, NETBURST_CCCRS, 1, ALL, CCCR_ENABLE, CCCR_OVF },
    { MSR_IA32_PMC(0), 8, 1, COUNTER, 0, ALL },
    { MSR_IA32_A_PMC(0), 8, 1, COUNTER, 0, ALL },
    { MSR_IA32_FIXED_CTR(0), 7, 1, COUNTER, 0, ALL },
    /* Entries of the LBR stack, which may be read-only. */
    { 0x40, 64, 1, 0, 0, ALL },
    { 0x680, 96, 1, 0, 0, ALL },
    { 0xdc0, 32, 1, 0, 0, ALL },
    { MSR_IA32_LBR_INFO(0), 32, 1, 0, 0, ALL },
    { MSR_IA32_LBR_FROM(0), 32, 1, 0, 0, ALL },
    { MSR_IA32_LBR_TO(0), 32, 1, 0, 0, ALL },
};
#define SLOT_GLOBAL_CTRL 1u /* the second row's */
#define SLOT_DS_AREA     2u

uint32_t msr_window;
uint64_t msr_window_more;
signed char msr_watching[PROCESSORS_MOST] = { 1 };

static struct {
    bool on, differed;
    uint64_t counting, recording; /* the last values that turn counters and records on */
    uint64_t status;              /* bits that IA32_PERF_GLOBAL_STATUS may have */
    uint64_t general, fixed;      /* the bits of a counter */
    uint64_t kept;                /* of a written counter, those that can be compared */
    unsigned epoch[2];            /* [0]: of the remembered values, others are forgotten; [1]: of other processors */
    struct {
        uint64_t value;
        unsigned epoch;
    } slot[SLOTS];
    struct msr_difference first;
} watch = { .epoch = { 1 } };

/* The bits of a counter of this width; 0, if CPUID does not report it: the widest counters have 48. */
static uint64_t counter_bits(unsigned width)
{
    return UINT64_MAX >> (64 - (width ? width : 48));
}

void msr_watch(void)
{
    const unsigned processor = processor_number();
    const struct cpuid counters = cpuid(0, 0).eax >= 10 ? cpuid(10, 0) : (struct cpuid){ 0 };

    watch.general = counter_bits(counters.eax >> 16 & 0xff);
    watch.fixed = counter_bits(counters.edx >> 5 & 0xff);
    watch.kept = counters.eax ? ALL : UINT32_MAX;
    msr_watching[processor] = processor == 0; /* a handler that did not return left it paused */
    watch.on = processor == 0;
    watch.differed = false;
    watch.counting = watch.recording = 0; /* the kernel leaves nothing on between tests */
    watch.status = OTHERS;
    msr_window_more = 0;
}

static void note(struct msr_difference difference)
{
    if (!watch.on || watch.differed)
        return;
    watch.differed = true;
    watch.first = difference;
}

bool msr_unwatch(struct msr_difference *difference)
{
    const uint64_t more = msr_window_more & ~(msr_window == MSR_IQ_CCCR4 ? CCCR_OVF : 0);

    if (more)
        note((struct msr_difference){ .msr = msr_window, .read = more, .more = true });
    watch.on = false;
    *difference = watch.first;
    return watch.differed;
}

/* Without a branch: see watches(). */
INLINE unsigned *epoch(void)
{
    return &watch.epoch[processor_number() != 0];
}

void msr_forget(void)
{
    ++*epoch();
}

/* The row of a watched register, and its slot. */
static const struct watched *find(uint32_t msr, unsigned *slot)
{
    *slot = 0;
    for (unsigned i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        const struct watched *const row = &registers[i];
        const uint32_t distance = msr - row->first;
        if (distance % row->stride == 0 && distance / row->stride < row->count) {
            *slot += distance / row->stride;
            return row;
        }
        *slot += row->changes == ALL ? 0 : row->count;
    }
    return 0;
}

/*
 * Handlers of interrupts run while branches are recorded: for them, this must be the only branch that the watch adds.
 */
INLINE bool watches(void)
{
    return __builtin_expect(msr_watching[processor_number()] == 1, 0);
}

static bool quiet(void)
{
    return watch.on && !watch.counting && !watch.recording;
}

static void compare(uint32_t msr, uint64_t read, uint64_t written, uint64_t bits)
{
    if ((read ^ written) & bits)
        note((struct msr_difference){ .msr = msr, .read = read, .written = written });
}

static bool known(unsigned slot)
{
    return watch.slot[slot].epoch == watch.epoch[0];
}

static void remember(unsigned slot, uint64_t value)
{
    watch.slot[slot].value = value;
    watch.slot[slot].epoch = watch.epoch[0];
}

/* The bits of a counter, given the address of one of its registers. */
static uint64_t bits_of(uint32_t msr)
{
    return msr - MSR_IA32_FIXED_CTR(0) < 16 ? watch.fixed : watch.general;
}

static __attribute__((noinline)) void compare_read(uint32_t msr, uint64_t value)
{
    unsigned slot;
    const struct watched *row;

    if (!quiet())
        return;
    if (msr == MSR_IA32_PERF_GLOBAL_STATUS) {
        compare(msr, value, 0, ~watch.status);
        return;
    }
    row = find(msr, &slot);
    if (row && row->changes == ALL && row->kept)
        compare(msr, value, 0, ~bits_of(msr)); /* a counter */
    if (row && row->changes != ALL && known(slot)) {
        const uint64_t written = watch.slot[slot].value;
        compare(msr, value, written, ~(row->changes | (row->cleared & written)));
    }
}

bool msr_read(uint32_t msr, uint64_t *value)
{
    const bool done = rdmsr(msr, value);

    if (watches() && done)
        compare_read(msr, *value);
    return done;
}

void msr_watch_read(uint32_t msr, uint64_t value, uint64_t others)
{
    unsigned slot;
    const struct watched *const row = find(msr, &slot);
    const uint64_t more = value & ~others;

    if (!processor_number() && row && known(slot) && more & ~watch.slot[slot].value)
        note((struct msr_difference){ .msr = msr, .read = more & ~watch.slot[slot].value, .more = true });
}

/* The bits of IA32_PERF_GLOBAL_STATUS that what this value of a register enables may set. */
static uint64_t status_of(uint32_t msr, uint64_t value)
{
    uint64_t status = 0;

    if (msr - MSR_IA32_PERFEVTSEL(0) < 16 && value & PERFEVTSEL_EN)
        return MSR_BIT(msr - MSR_IA32_PERFEVTSEL(0));
    if (msr >= MSR_IA32_PMC_GP_CFG_A(0) && msr < MSR_IA32_PMC_FX_CTR(0))
        return MSR_BIT((msr - MSR_IA32_PMC_GP_CTR(0)) / 4);
    for (unsigned n = 0; n < 8 && msr == MSR_IA32_FIXED_CTR_CTRL; n++)
        status |= value & FIXED_CTR_CTRL_ALL(n) ? MSR_BIT(32 + n) : 0;
    if (msr == MSR_IA32_DEBUGCTL) /* FREEZE_LBRS_ON_PMI, FREEZE_PERFMON_ON_PMI */
        return value & (MSR_BIT(11) | MSR_BIT(12)) ? FREEZES : 0;
    return msr == MSR_IA32_PERF_GLOBAL_STATUS_SET ? value
           : msr == MSR_IA32_DS_AREA && value     ? GLOBAL_STATUS_DS_BUFFER
           : msr == MSR_IA32_PEBS_BASE && value   ? GLOBAL_STATUS_PEBS
           : status & MSR_BIT(35)                 ? status | PERF_GLOBAL_CTRL_METRICS
                                                  : status;
}

/* What was written to IA32_PERF_GLOBAL_OVF_CTRL is clear, except what a record of PEBS under way may set again. */
static void compare_cleared(uint64_t written)
{
    uint64_t now;

    if (known(SLOT_DS_AREA) && !watch.slot[SLOT_DS_AREA].value && rdmsr(MSR_IA32_PERF_GLOBAL_STATUS, &now))
        compare(MSR_IA32_PERF_GLOBAL_STATUS, now, 0,
                ~watch.status | (written & ~(OTHERS | FREEZES | GLOBAL_STATUS_PEBS)));
}

/* What a register has after a write of this value, which IA32_PMCx extends from 32 bits. */
static uint64_t taken(uint32_t msr, uint64_t value)
{
    return msr - MSR_IA32_PMC(0) < 8 ? (uint64_t)(int32_t)value & watch.general : value;
}

static __attribute__((noinline)) void compare_write(uint32_t msr, uint64_t value, bool done)
{
    unsigned slot;
    const struct watched *const row = find(msr, &slot);
    uint64_t now;

    if (!done) {
        /* Hypervisors lack IA32_PERF_GLOBAL_CTRL and what belongs to it: it must have taken a value before. */
        if (msr == MSR_IA32_PERF_GLOBAL_OVF_CTRL || msr == MSR_IA32_PERF_GLOBAL_CTRL ? known(SLOT_GLOBAL_CTRL)
                                                                                     : row && row->kept)
            note((struct msr_difference){ .msr = msr, .written = value, .refused = true });
        return;
    }
    watch.status |= status_of(msr, value);
    if (!row && msr >> 8 == 0x19) /* other addresses of counters' registers */
        msr_forget();
    if (quiet() && msr == MSR_IA32_PERF_GLOBAL_OVF_CTRL)
        compare_cleared(value);
    const bool stopped = msr == MSR_IA32_PEBS_INDEX && !(value & PEBS_INDEX_EN); /* no record is written */
    const uint64_t bits = !row                   ? 0
                          : stopped              ? ALL
                          : row->kept == COUNTER ? watch.kept
                          : value                ? row->kept | (row->cleared & ~value)
                          : row->changes == ALL  ? ALL
                                                 : ~row->changes;
    if (quiet() && bits && rdmsr(msr, &now))
        compare(msr, now, taken(msr, value), bits);
    if (row && row->changes != ALL)
        remember(slot, value);
}

/* Follows a write of a register that starts and stops counting or recording. Without a branch: see watches(). */
INLINE void follow(uint32_t msr, uint64_t value)
{
    const bool counters = msr == MSR_IA32_PERF_GLOBAL_CTRL, branches = msr == MSR_IA32_DEBUGCTL,
               arch = msr == MSR_IA32_LBR_CTL, netburst = msr == MSR_IQ_CCCR4;

    watch.counting = counters ? value : netburst ? value & CCCR_ENABLE : watch.counting;
    watch.recording = branches ? value & RECORDS : arch ? value & LBR_CTL_LBREN : watch.recording;
}

/* A handler of interrupts gives these back as they were; after other writes, registers may differ. */
INLINE bool gives_back(uint32_t msr)
{
    return (msr == MSR_IA32_PERF_GLOBAL_CTRL) | (msr == MSR_IA32_DEBUGCTL) | (msr == MSR_IQ_CCCR4);
}

bool msr_write(uint32_t msr, uint64_t value)
{
    const bool watched = watches();
    bool done;

    if (__builtin_expect(watched, 0))
        follow(msr, value);
    else
        *epoch() += !gives_back(msr);
    done = wrmsr(msr, value);
    if (__builtin_expect(watched, 0))
        compare_write(msr, value, done);
    return done;
}

bool msr_try(uint32_t msr, uint64_t value)
{
    msr_forget();
    watch.status |= status_of(msr, value);
    return wrmsr(msr, value);
}

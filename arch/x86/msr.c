/* SPDX-License-Identifier: MIT */
#include "arch/x86/msr.h"

#include "arch/x86/cpu.h"
#include "arch/x86/processor_number.h"

/*
 * The fixup table pairs an instruction that may raise #GP or #UD with the place to resume at (arch/x86/interrupts.c).
 * A pair in section .fixups is two addresses, each as wide as a pointer (.dc.a).
 */
#define FIXUP(from, to) ".pushsection .fixups, \"a\"\n\t.dc.a " from ", " to "\n\t.popsection\n\t"

/* Inline: a call in a handler of interrupts is a branch that may be recorded. */
#define INLINE static inline __attribute__((always_inline))

INLINE bool read(uint32_t msr, uint64_t *value)
{
    uint32_t low = 0, high = 0, done = 0;

    __asm__ volatile("1: rdmsr\n\t"
                     "movl $1, %2\n\t"
                     "2:\n\t" FIXUP("1b", "2b")
                     : "+a"(low), "+d"(high), "+r"(done)
                     : "c"(msr)
                     : "memory");
    *value = (uint64_t)high << 32 | low;
    return done != 0;
}

INLINE bool write(uint32_t msr, uint64_t value)
{
    uint32_t done = 0;

    __asm__ volatile("1: wrmsr\n\t"
                     "movl $1, %0\n\t"
                     "2:\n\t" FIXUP("1b", "2b")
                     : "+r"(done)
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
    return done != 0;
}

bool pmc_read(uint32_t n, uint64_t *value)
{
    uint32_t low = 0, high = 0, done = 0;

    __asm__ volatile("1: rdpmc\n\t"
                     "movl $1, %2\n\t"
                     "2:\n\t" FIXUP("1b", "2b")
                     : "+a"(low), "+d"(high), "+r"(done)
                     : "c"(n)
                     : "memory");
    *value = (uint64_t)high << 32 | low;
    return done != 0;
}

/* ---- the watch -------------------------------------------------------------------------------------------------- */

#define ALL        (~UINT64_C(0))
#define WINDOW     UINT64_C(0x0001ffff0000ffff) /* bits of counters, which a window of measurement sets and clears */
#define RECORDING  UINT64_C(0xcd)               /* LBR, TR and BTS of every family's IA32_DEBUGCTL */
#define INTERRUPTS (1u << 9)                    /* IF */
#define WRITTEN    64                           /* registers whose last value is remembered */

static const struct watched {
    uint32_t first, count;
    uint64_t kept;    /* bits that read as they were just written; of 0, all do */
    uint64_t changes; /* bits that may differ later: a window of measurement or the processor changes them */
} registers[] = {
    { MSR_IA32_DS_AREA, 1, ALL, 0 },
    { MSR_IA32_DEBUGCTL, 1, ALL, 0xffff },
    { MSR_IA32_PERF_GLOBAL_CTRL, 1, ALL, WINDOW },
    { MSR_PEBS_ENABLE, 1, ALL, 0 },
    { MSR_IA32_FIXED_CTR_CTRL, 1, ALL, 0 },
    { MSR_IA32_PERFEVTSEL(0), 4, ALL, 0 }, /* others may read as 0: erratum BV086 */
    { MSR_PEBS_LD_LAT_THRESHOLD, 1, ALL, 0 },
    { MSR_PEBS_DATA_CFG, 1, ALL, 0 },
    { MSR_LBR_SELECT, 1, ALL, 0 },
    { MSR_IA32_LBR_CTL, 1, ALL, LBR_CTL_LBREN },
    { MSR_IA32_LBR_DEPTH, 1, ALL, 0 },
    { MSR_IA32_PMC(0), 8, UINT32_MAX, ALL },
    { MSR_IA32_A_PMC(0), 8, UINT32_MAX, ALL },
    { MSR_IA32_FIXED_CTR(0), 4, UINT32_MAX, ALL },
    /* Entries of the LBR stack, which may be read-only. */
    { 0x40, 64, 0, ALL },
    { 0x680, 96, 0, ALL },
    { 0xdc0, 32, 0, ALL },
    { MSR_IA32_LBR_INFO(0), 32, 0, ALL },
    { MSR_IA32_LBR_FROM(0), 32, 0, ALL },
    { MSR_IA32_LBR_TO(0), 32, 0, ALL },
};

static struct {
    bool on, differed;
    uint64_t counting, recording; /* the last values that turn counters and records on */
    uint64_t written[WRITTEN];
    uint64_t known; /* bit i: written[i] has a value */
    struct msr_difference first;
} watch;

void msr_watch(void)
{
    watch.on = true;
    watch.differed = false;
    watch.counting = watch.recording = watch.known = 0; /* the kernel leaves nothing on between tests */
}

bool msr_unwatch(struct msr_difference *difference)
{
    watch.on = false;
    *difference = watch.first;
    return watch.differed;
}

/* The row of a watched register, and its number among all of them. */
static const struct watched *find(uint32_t msr, unsigned *number)
{
    *number = 0;
    for (unsigned i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        if (msr - registers[i].first < registers[i].count) {
            *number += msr - registers[i].first;
            return &registers[i];
        }
        *number += registers[i].count;
    }
    return 0;
}

/*
 * Handlers of interrupts run with IF clear, and while branches are recorded: for them, this must be the only branch
 * that the watch adds.
 */
INLINE bool watches(void)
{
    return __builtin_expect(watch.on & (flags_read() >> 9 & 1), 0);
}

static bool quiet(void)
{
    return !watch.counting && !watch.recording && processor_number() == 0;
}

static void note(struct msr_difference difference)
{
    if (!watch.on || watch.differed)
        return;
    watch.differed = true;
    watch.first = difference;
}

static void compare(uint32_t msr, uint64_t read, uint64_t written, uint64_t bits)
{
    if ((read ^ written) & bits)
        note((struct msr_difference){ .msr = msr, .read = read, .written = written });
}

static __attribute__((noinline)) void compare_read(uint32_t msr, uint64_t value)
{
    unsigned n;
    const struct watched *const row = quiet() ? find(msr, &n) : 0;

    if (row && row->changes != ALL && watch.known >> n & 1)
        compare(msr, value, watch.written[n], ~row->changes);
}

bool msr_read(uint32_t msr, uint64_t *value)
{
    const bool done = read(msr, value);

    if (watches() && done)
        compare_read(msr, *value);
    return done;
}

/* Returns whether the last value of the register is known. */
static __attribute__((noinline)) bool compare_write(uint32_t msr, uint64_t value, bool done)
{
    unsigned n;
    const struct watched *const row = find(msr, &n);
    uint64_t now;

    if (!done) {
        if (row && row->changes != ALL && msr != MSR_IA32_PERF_GLOBAL_CTRL) /* hypervisors lack the last */
            note((struct msr_difference){ .msr = msr, .written = value, .refused = true });
        return true;
    }
    if (!quiet() || msr >> 8 == 0x19) /* from 1900H on are other addresses of counters' registers */
        return false;
    if (row && read(msr, &now)) {
        compare(msr, now, value, value ? row->kept : ALL);
        if (row->changes != ALL) {
            watch.written[n] = value;
            watch.known |= UINT64_C(1) << n;
        }
    }
    return true;
}

bool msr_write(uint32_t msr, uint64_t value)
{
    const bool counters = msr == MSR_IA32_PERF_GLOBAL_CTRL, branches = msr == MSR_IA32_DEBUGCTL,
               arch = msr == MSR_IA32_LBR_CTL;
    bool done;

    watch.counting = counters ? value : watch.counting;
    watch.recording = branches ? value & RECORDING : arch ? value & LBR_CTL_LBREN : watch.recording;
    done = write(msr, value);
    if (!watches() || !compare_write(msr, value, done))
        watch.known = 0;
    return done;
}

bool msr_try(uint32_t msr, uint64_t value)
{
    unsigned n;

    const struct watched *const row = find(msr, &n);

    if (row && row->changes != ALL)
        watch.known &= ~(UINT64_C(1) << n);
    return write(msr, value);
}

/* SPDX-License-Identifier: MIT */
/* MSR access that reports #GP by its return value. */
#ifndef ARCH_X86_MSR_H
#define ARCH_X86_MSR_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/processor_number.h"
#include "cpu/msr_index.h"

/*
 * Read and write a 64-bit register. Return true on success, and false if the access raised #GP (no such register,
 * reserved bits, or a hypervisor that refuses it). msr_read() then stores 0.
 */
bool msr_read(uint32_t msr, uint64_t *value);
bool msr_write(uint32_t msr, uint64_t value);
/* msr_write() without the watch (below), for a value that the register may refuse or change. */
bool msr_try(uint32_t msr, uint64_t value);

/*
 * Between msr_watch() and msr_unwatch(), the registers that keep what software writes are watched on the boot
 * processor: each must accept what is written, and read as it was last written (SDM Vol. 4 (335592-083),
 * "Architectural MSRs"); IA32_PERF_GLOBAL_STATUS has only bits of what was enabled. While counters count or branches
 * are recorded, no value is compared, because that would add to what is measured. msr_unwatch() returns whether a
 * register differed, and stores the first difference. msr_forget() forgets the values that were written before.
 */
struct msr_difference {
    uint32_t msr;
    uint64_t read, written;
    bool refused; /* WRMSR raised #GP */
    bool more;    /* read: bits that were not written, in a window (below) or in an interrupt handler */
};
void msr_watch(void);
bool msr_unwatch(struct msr_difference *difference);
void msr_forget(void);

/*
 * A workload's window (suite/workload/workload.inc) reads its register back after it was opened and after it was
 * closed. msr_window is the register of the last window. msr_window_more collects the bits, of all windows since
 * msr_watch(), that were read but not written; with windows of several registers, they may be of another register.
 */
extern uint32_t msr_window;
extern uint64_t msr_window_more;

/*
 * Compares what an interrupt handler has read while the watch was paused: only the bits that were written, and
 * `others`, may be set.
 */
void msr_watch_read(uint32_t msr, uint64_t value, uint64_t others);

/*
 * An interrupt handler pauses the watch on its processor, because it may run while counters count. After it has stopped
 * them it may resume the watch, and then pause it again. Inline, because a call would add to what is measured.
 */
extern signed char msr_watching[PROCESSORS_MOST]; /* 1: not paused */
static inline __attribute__((always_inline)) void msr_watch_pause(void)
{
    msr_watching[processor_number()]--;
}
static inline __attribute__((always_inline)) void msr_watch_resume(void)
{
    msr_watching[processor_number()]++;
}

/* RDPMC of general counter n, or of fixed counter n with PMC_FIXED. If it raises #GP, stores 0 and returns false. */
#define PMC_FIXED (1u << 30)
bool pmc_read(uint32_t n, uint64_t *value);

/* The value of a register, 0 if reading it raises #GP. */
static inline uint64_t msr_get(uint32_t msr)
{
    uint64_t value;
    msr_read(msr, &value);
    return value;
}

#endif

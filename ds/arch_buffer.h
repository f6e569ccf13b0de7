/* SPDX-License-Identifier: MIT */
/*
 * The buffer of architectural PEBS: physical memory that IA32_PEBS_BASE and IA32_PEBS_INDEX describe, without a
 * management area in memory. ds/ds.c opens, drains and closes it together with the DS area.
 */
#ifndef DS_ARCH_BUFFER_H
#define DS_ARCH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/caps.h"

/*
 * Memory of 4096 << n bytes, aligned on its own size. arch_buffer_in() returns the smallest such part of a memory block
 * with at least `wanted` bytes, or else the largest.
 */
struct arch_buffer {
    uint8_t *memory;
    unsigned order; /* n */
};
struct arch_buffer arch_buffer_in(uint8_t *memory, size_t size, size_t wanted);

static inline size_t arch_buffer_size(const struct arch_buffer *buffer)
{
    return (size_t)4096 << buffer->order;
}

/* The value of IA32_PEBS_BASE for this buffer; of IA32_PEBS_INDEX for an empty buffer with this threshold in bytes. */
uint64_t arch_buffer_base(const struct arch_buffer *buffer);
uint64_t arch_buffer_index(size_t threshold);

/* Writes both registers. Returns false if a write raises #GP. */
bool arch_buffer_open(uint64_t base, uint64_t index);

/*
 * arch_buffer_take() resets the index, with EN set or clear, and returns how many bytes the processor had written and
 * whether a record did not fit. The caller reads the records after the reset, so it neither loses nor repeats one.
 */
struct arch_filled {
    size_t bytes;
    bool full;
};
struct arch_filled arch_buffer_take(bool enabled);

/* Clears EN of IA32_PEBS_INDEX, which stops all records. Returns its value, the argument for arch_buffer_go_on(). */
bool arch_buffer_stop(void);
void arch_buffer_go_on(bool enabled);

/* Clears CFG_C of all counters that can sample, and both registers. */
void arch_buffer_close(const struct caps *caps);

#endif

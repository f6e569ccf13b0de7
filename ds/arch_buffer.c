/* SPDX-License-Identifier: MIT */
#include "ds/arch_buffer.h"

#include "arch/x86/msr.h"
#include "arch/x86/paging.h"

struct arch_buffer arch_buffer_in(uint8_t *memory, size_t size, size_t wanted)
{
    const uintptr_t from = (uintptr_t)memory;
    struct arch_buffer found = { memory, 0 };

    for (unsigned order = 0; (size_t)4096 << order <= size; order++) {
        const uintptr_t bytes = (uintptr_t)4096 << order, start = (from + bytes - 1) & ~(bytes - 1);
        if (start + bytes <= from + size && (size_t)4096 << found.order < wanted)
            found = (struct arch_buffer){ memory + (start - from), order };
    }
    return found;
}

/* The first page gives the base. ds/arch_check.h checks that the other pages follow it. */
uint64_t arch_buffer_base(const struct arch_buffer *buffer)
{
    uint64_t entry;

    if (!paging_lookup((uintptr_t)buffer->memory, &entry))
        return buffer->order;
    return (entry & PAGE_ADDRESS) | buffer->order;
}

uint64_t arch_buffer_index(size_t threshold)
{
    return PEBS_INDEX_EN | (PEBS_INDEX_THRESH(threshold) & PEBS_INDEX_THRESH_FIELD);
}

bool arch_buffer_open(uint64_t base, uint64_t index)
{
    return msr_write(MSR_IA32_PEBS_INDEX, 0) && msr_write(MSR_IA32_PEBS_BASE, base) &&
           msr_write(MSR_IA32_PEBS_INDEX, index);
}

struct arch_filled arch_buffer_take(bool enabled)
{
    const uint64_t index = msr_get(MSR_IA32_PEBS_INDEX);
    const struct arch_filled filled = { (size_t)(index & PEBS_INDEX_WR), (index & PEBS_INDEX_FULL) != 0 };

    msr_watch_read(MSR_IA32_PEBS_INDEX, index, PEBS_INDEX_WR | PEBS_INDEX_FULL);

    msr_write(MSR_IA32_PEBS_INDEX, (index & PEBS_INDEX_THRESH_FIELD) | (enabled ? PEBS_INDEX_EN : 0));
    return filled;
}

bool arch_buffer_stop(void)
{
    const uint64_t index = msr_get(MSR_IA32_PEBS_INDEX);

    msr_write(MSR_IA32_PEBS_INDEX, index & ~PEBS_INDEX_EN);
    return (index & PEBS_INDEX_EN) != 0;
}

void arch_buffer_go_on(bool enabled)
{
    const uint64_t index = msr_get(MSR_IA32_PEBS_INDEX) & ~PEBS_INDEX_EN;

    msr_write(MSR_IA32_PEBS_INDEX, index | (enabled ? PEBS_INDEX_EN : 0));
}

void arch_buffer_close(const struct caps *caps)
{
    for (unsigned n = 0; n < 32; n++) {
        if (caps->pebs_counters >> n & 1)
            msr_write(MSR_IA32_PMC_GP_CFG_C(n), 0);
        if (caps->pebs_fixed_counters >> n & 1)
            msr_write(MSR_IA32_PMC_FX_CFG_C(n), 0);
    }
    msr_write(MSR_IA32_PEBS_INDEX, 0);
    msr_write(MSR_IA32_PEBS_BASE, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of architectural PEBS and CPUID. */

#include "model/faults/fault_state.h"

#define FIRST_BY_COUNTER 0x1900
#define FIRST_FIXED      0x309 /* IA32_FIXED_CTR0 */
#define SOME_STACK       UINT64_C(0xffff800000001000)

void wrong_cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct fault_set *const set = &fault_state(v)->faults;

    without_faults(v)->cpuid_answer(v, leaf, subleaf, regs);
    for (unsigned i = 0; i < set->bit_faults; i++) {
        const struct bit_fault *const f = &set->bits[i];

        if (f->kind == FAULT_CPUID && f->address == leaf && f->subleaf == subleaf)
            regs[f->reg] = (uint32_t)bit_fault_change(f, regs[f->reg]);
    }
}

uint64_t wrong_arch_enabled(const struct vcpu *v, uint64_t enabled)
{
    if (!vcpu_is_arch_pebs(v))
        return enabled;
    if (fault(v, FAULT_ARCH_CFG_ENABLE_IGNORED) && (v->regs[REG_IA32_PEBS_INDEX] & PEBS_INDEX_EN))
        enabled = (UINT64_C(1) << vcpu_counters(v)) - 1;
    for (unsigned i = 0; fault(v, FAULT_ARCH_INDEX_ENABLE_IGNORED) && i < vcpu_counters(v); i++)
        enabled |= v->config[i].c & ARCH_EN ? UINT64_C(1) << i : 0;
    return enabled;
}

uint64_t wrong_arch_value(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    if (m->address >= FIRST_FIXED && m->address < FIRST_FIXED + 8 && v->pebs.dropping &&
        fault(v, FAULT_ARCH_FULL_STOPS))
        return 0;
    return m->address >= FIRST_BY_COUNTER && m->stride != 0 && fault(v, FAULT_ARCH_ALIAS_APART) ? 0 : value;
}

uint64_t wrong_pebs_arch_counted(const struct vcpu *v)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < vcpu_counters(v); i++)
        all |= vcpu_has_counter(v, i) ? UINT64_C(1) << i : 0;
    return all; /* also counters that do not allow it */
}

void wrong_pebs_arch_describe(struct vcpu *v, struct arch_contents *arch)
{
    without_faults(v)->pebs_arch_describe(v, arch);
    if (v->regs[REG_IA32_PEBS_INDEX] & PEBS_INDEX_WR)
        return; /* not the buffer's first record */
    arch->mode_64 = arch->mode_64 && !fault(v, FAULT_ARCH_MODE_CLEAR);
    arch->retire_valid = arch->retire_valid && !fault(v, FAULT_ARCH_RETIRE_INVALID);
    arch->ssp = fault(v, FAULT_ARCH_SSP_SET) ? SOME_STACK : arch->ssp;
    arch->xer = fault(v, FAULT_ARCH_XER_CLEAR) ? 0 : arch->xer;
    arch->lbr_depth = fault(v, FAULT_ARCH_LBR_DEPTH_ZERO) ? 0 : arch->lbr_depth;
}

void wrong_pebs_arch_counts(struct vcpu *v, struct arch_contents *arch)
{
    (void)v;
    memset(arch->counts, 0, sizeof(arch->counts));
}

/* The size of each fragment of the record is 0. */
void wrong_pebs_arch_encode(struct vcpu *v, uint8_t *bytes, const struct pebs_contents *contents,
                            const struct adaptive_contents *extra, const struct arch_contents *arch,
                            const struct arch_split *split)
{
    const size_t size = arch_bytes(arch, split);

    without_faults(v)->pebs_arch_encode(v, bytes, contents, extra, arch, split);
    for (size_t at = 0, next; at < size; at = next) {
        uint64_t word;

        memcpy(&word, bytes + at, sizeof(word));
        word = encode_little(word);
        next = at + (word & 0xffff);
        encode_u64(bytes + at, word & ~UINT64_C(0xffff));
    }
}

bool wrong_pebs_arch_full(struct vcpu *v, size_t size)
{
    uint64_t *const index = &v->regs[REG_IA32_PEBS_INDEX];
    const uint64_t end = UINT64_C(4096) << (v->regs[REG_IA32_PEBS_BASE] & PEBS_BASE_SIZE);
    const bool full = without_faults(v)->pebs_arch_full(v, size);

    if (full && fault(v, FAULT_ARCH_FULL_IGNORED))
        return (*index & PEBS_INDEX_WR) + size > end;
    if (full && fault(v, FAULT_ARCH_FULL_WRAPS)) {
        *index &= ~PEBS_INDEX_WR;
        return false;
    }
    return full || (fault(v, FAULT_ARCH_FULL_EARLY) && (*index & PEBS_INDEX_WR) + size == end);
}

uint64_t wrong_pebs_arch_address(const struct vcpu *v)
{
    return without_faults(v)->pebs_arch_address(v) + ARCH_UNIT;
}

uint64_t wrong_pebs_arch_index(const struct vcpu *v, size_t size)
{
    (void)size;
    return without_faults(v)->pebs_arch_index(v, 0); /* the record does not advance it */
}

bool wrong_pebs_arch_reaches(const struct vcpu *v)
{
    const uint64_t index = v->regs[REG_IA32_PEBS_INDEX], written = index & PEBS_INDEX_WR;
    const uint64_t threshold = index >> PEBS_INDEX_THRESH_SHIFT & PEBS_INDEX_WR;

    /* Never, with FAULT_ARCH_THRESHOLD_IGNORED. */
    return (fault(v, FAULT_ARCH_THRESHOLD_GREATER) && written > threshold) ||
           (fault(v, FAULT_ARCH_THRESHOLD_EARLY) && written + ARCH_UNIT >= threshold);
}

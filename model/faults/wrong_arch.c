/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of architectural PEBS and CPUID. */

#include "model/faults/fault_state.h"

#define CPUID_PERFMON    0x23
#define FIRST_BY_COUNTER 0x1900
#define FIRST_FIXED      0x309 /* IA32_FIXED_CTR0 */
#define SOME_STACK       UINT64_C(0xffff800000001000)

void wrong_cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    static const struct {
        enum fault fault;
        unsigned subleaf, reg, bit;
    } listed[] = {
        { FAULT_ARCH_CPUID_ALL_GROUPS, 4, 1, 21 }, /* opmask registers, bit 53 of CFG_C */
        { FAULT_ARCH_CPUID_GENERAL_31, 5, 0, 31 }, { FAULT_ARCH_CPUID_DISTRIBUTION_31, 5, 1, 31 },
        { FAULT_ARCH_CPUID_FIXED_3, 5, 2, 3 },     { FAULT_ARCH_CPUID_FIXED_DISTRIBUTION_31, 5, 3, 31 },
    };

    without_faults(v)->cpuid_answer(v, leaf, subleaf, regs);
    for (unsigned i = 0; leaf == CPUID_PERFMON && i < sizeof(listed) / sizeof(listed[0]); i++)
        regs[listed[i].reg] |= (uint32_t)(subleaf == listed[i].subleaf && fault(v, listed[i].fault)) << listed[i].bit;
    if (leaf == CPUID_PERFMON)
        wrong_reload_cpuid(v, subleaf, regs);
}

uint64_t wrong_arch_enabled(const struct vcpu *v, uint64_t enabled)
{
    const uint64_t general = (UINT64_C(1) << v->profile->general_counters) - 1;

    if (!vcpu_is_arch_pebs(v))
        return enabled;
    if (fault(v, FAULT_ARCH_CFG_ENABLE_IGNORED) && (v->regs[REG_IA32_PEBS_INDEX] & PEBS_INDEX_EN))
        enabled = (UINT64_C(1) << vcpu_counters(v)) - 1;
    for (unsigned i = 0; fault(v, FAULT_ARCH_INDEX_ENABLE_IGNORED) && i < vcpu_counters(v); i++)
        enabled |= v->config[i].c & ARCH_EN ? UINT64_C(1) << i : 0;
    return fault(v, FAULT_ARCH_FIXED_SILENT) ? enabled & general : enabled;
}

uint64_t wrong_arch_value(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    if (m->reg == REG_IA32_PEBS_INDEX && fault(v, FAULT_ARCH_INDEX_READS_ZERO))
        value &= ~PEBS_INDEX_WR;
    if (m->reg == REG_IA32_PEBS_INDEX && v->pebs.dropping && fault(v, FAULT_ARCH_FULL_UNMARKED))
        value &= ~PEBS_INDEX_FULL;
    if (m->address >= FIRST_FIXED && m->address < FIRST_FIXED + 8 && v->pebs.dropping &&
        fault(v, FAULT_ARCH_FULL_STOPS))
        return 0;
    return m->address >= FIRST_BY_COUNTER && m->stride != 0 && fault(v, FAULT_ARCH_ALIAS_APART) ? 0 : value;
}

uint64_t wrong_pebs_arch_format(const struct vcpu *v, uint64_t counters)
{
    uint64_t format = without_faults(v)->pebs_arch_format(v, counters);

    if (fault(v, FAULT_ARCH_LBR_FEWER) && (format & ARCH_LBR) > UINT64_C(1) << ARCH_LBR_SHIFT)
        format -= UINT64_C(1) << ARCH_LBR_SHIFT;
    format &= fault(v, FAULT_ARCH_METRICS_MISSING) ? ~ARCH_CNTR_METRICS : ~UINT64_C(0);
    format &= fault(v, FAULT_ARCH_GROUPS_GPR_MISSING) ? ~ARCH_GPR : ~UINT64_C(0);
    return fault(v, FAULT_ARCH_GROUPS_AUX_MISSING) ? format & ~ARCH_AUX : format;
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
    arch->mode_64 = arch->mode_64 && !fault(v, FAULT_ARCH_MODE_CLEAR);
    arch->retire_valid = arch->retire_valid && !fault(v, FAULT_ARCH_RETIRE_INVALID);
    arch->ssp = fault(v, FAULT_ARCH_SSP_SET) ? SOME_STACK : arch->ssp;
    arch->xer = fault(v, FAULT_ARCH_XER_CLEAR) ? 0 : arch->xer;
    for (unsigned i = 0; fault(v, FAULT_ARCH_YMMH_REVERSED) && i < XMM_REGISTERS / 2; i++) {
        for (unsigned half = 0; half < 2; half++) {
            const uint64_t low = arch->ymmh[i][half];

            arch->ymmh[i][half] = arch->ymmh[XMM_REGISTERS - 1 - i][half];
            arch->ymmh[XMM_REGISTERS - 1 - i][half] = low;
        }
    }
    arch->lbr_control = fault(v, FAULT_ARCH_LBR_CONTROL_ZERO) ? 0 : arch->lbr_control;
    arch->lbr_depth = fault(v, FAULT_ARCH_LBR_DEPTH_ZERO) ? 0 : arch->lbr_depth;
    arch->general <<= fault(v, FAULT_ARCH_COUNTS_NEXT);
}

void wrong_pebs_arch_counts(struct vcpu *v, struct arch_contents *arch)
{
    (void)v;
    memset(arch->counts, 0, sizeof(arch->counts));
}

void wrong_pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split)
{
    (void)v;
    (void)arch;
    memset(split->cut, 0, sizeof(split->cut));
}

/* Changes the first quadword of each fragment of the record. */
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
        word &= fault(v, FAULT_ARCH_CONTINUE_MISSING) ? ~ARCH_CONTINUE : ~UINT64_C(0);
        word |= fault(v, FAULT_ARCH_CONTINUE_ALWAYS) ? ARCH_CONTINUE : 0;
        word &= fault(v, FAULT_ARCH_BASIC_MISSING) ? ~ARCH_BASIC : ~UINT64_C(0);
        word -= fault(v, FAULT_ARCH_SIZE_WITHOUT_HEADER) ? ARCH_HEADER_BYTES : 0;
        word &= fault(v, FAULT_ARCH_SIZE_ZERO) ? ~UINT64_C(0xffff) : ~UINT64_C(0);
        word |= fault(v, FAULT_ARCH_SIZE_PAST_INDEX) && next == size ? 0xfff0 : 0;
        encode_u64(bytes + at, word);
    }
}

bool wrong_pebs_arch_full(struct vcpu *v, size_t size)
{
    uint64_t *const index = &v->regs[REG_IA32_PEBS_INDEX];
    const uint64_t end = UINT64_C(4096) << (v->regs[REG_IA32_PEBS_BASE] & PEBS_BASE_SIZE);
    const bool full = without_faults(v)->pebs_arch_full(v, size);

    if (full && fault(v, FAULT_ARCH_FULL_IGNORED))
        return (*index & PEBS_INDEX_WR) + size > end;
    if (full && fault(v, FAULT_ARCH_FULL_OLDEST_LOST)) {
        const uint64_t at = v->rules->pebs_arch_address(v);
        uint8_t newer[3 * ARCH_MAX_BYTES];

        *index -= size;
        return !v->host->read_physical(v->cpu, at - 3 * size, newer, 3 * size) ||
               !v->host->write_physical(v->cpu, at - 4 * size, newer, 3 * size);
    }
    if (full && fault(v, FAULT_ARCH_FULL_WRAPS)) {
        *index &= ~PEBS_INDEX_WR;
        return false;
    }
    if (fault(v, FAULT_ARCH_FULL_EARLY))
        return full || (*index & PEBS_INDEX_WR) + 2 * size > end;
    return full && !(fault(v, FAULT_ARCH_FULL_PASSED) && (*index & PEBS_INDEX_WR) <= end && !v->pebs.dropping);
}

uint64_t wrong_pebs_arch_address(const struct vcpu *v)
{
    return without_faults(v)->pebs_arch_address(v) + ARCH_UNIT;
}

uint64_t wrong_pebs_arch_index(const struct vcpu *v, size_t size)
{
    if (fault(v, FAULT_ARCH_INDEX_STUCK))
        size = 0;
    if (fault(v, FAULT_ARCH_INDEX_SHORT))
        size -= ARCH_UNIT;
    const uint64_t more = fault(v, FAULT_ARCH_THRESHOLD_MOVES) ? (uint64_t)ARCH_UNIT << PEBS_INDEX_THRESH_SHIFT : 0;
    return without_faults(v)->pebs_arch_index(v, fault(v, FAULT_ARCH_INDEX_TWICE) ? 2 * size : size) + more;
}

bool wrong_pebs_arch_reaches(const struct vcpu *v)
{
    const uint64_t index = v->regs[REG_IA32_PEBS_INDEX];
    const uint64_t at = index & PEBS_INDEX_WR, threshold = index >> PEBS_INDEX_THRESH_SHIFT & PEBS_INDEX_WR;

    if (fault(v, FAULT_ARCH_THRESHOLD_BYTES))
        return at >= threshold / ARCH_UNIT;
    return fault(v, FAULT_ARCH_THRESHOLD_GREATER) && at > threshold; /* or never, with FAULT_ARCH_THRESHOLD_IGNORED */
}

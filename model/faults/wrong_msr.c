/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of registers. */

#include <limits.h>
#include <string.h>

#include "model/engine/counting.h"
#include "model/engine/lbr_arch.h"
#include "model/faults/fault_state.h"

#define RDPMC_FIXED      (UINT32_C(1) << 30)
#define RTIT_CTL_TRACEEN 1

void wrong_engine_reset_registers(struct vcpu *v)
{
    memset(&fault_state(v)->state, 0, sizeof(fault_state(v)->state));
    without_faults(v)->engine_reset_registers(v);
    if (fault(v, FAULT_PERFMON_RESET_GLOBAL_CTRL_ZERO))
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] = 0;
    if (fault(v, FAULT_PERFMON_RESET_COUNTERS_DIRTY)) {
        v->event_select[0] = EVTSEL_USR;
        v->counters[1].value = 1;
    }
}

#define FIRST_ALIAS 0x1900u /* from here on, registers of architectural PEBS have a second address */

#define ANY UINT_MAX

/*
 * Whether the fault is of the i-th register of the row. The first address of a row, such as that of the event selects,
 * names all. A second address of a register does not name the first.
 */
static bool is_of(const struct vcpu *v, const struct bit_fault *f, const struct profile_msr *m, unsigned i)
{
    const struct profile_msr *const row = profile_find_msr(v->profile, f->address);

    if (row != NULL && f->address != row->address && i != ANY)
        return row == m && profile_msr_number(row, f->address) == i;
    return row == m || (row != NULL && row->reg == m->reg && m->reg != REG_ZERO &&
                        (f->address < FIRST_ALIAS || m->address >= FIRST_ALIAS));
}

/* The bits of the register that faults of this kind name. */
static uint64_t bits_of(const struct vcpu *v, enum bit_fault_kind kind, const struct profile_msr *m, unsigned i)
{
    const struct fault_set *const set = &fault_state(v)->faults;
    uint64_t bits = 0;

    for (unsigned n = 0; n < set->bit_faults; n++)
        if (set->bits[n].kind == kind && is_of(v, &set->bits[n], m, i))
            bits |= set->bits[n].bits;
    return bits;
}

/* The value that RDMSR reads, or WRMSR writes, with the faults of this kind. */
static uint64_t with_changes(const struct vcpu *v, enum bit_fault_kind kind, const struct profile_msr *m, unsigned i,
                             uint64_t value)
{
    const struct fault_set *const set = &fault_state(v)->faults;

    for (unsigned n = 0; n < set->bit_faults; n++)
        if (set->bits[n].kind == kind && is_of(v, &set->bits[n], m, i))
            value = bit_fault_change(&set->bits[n], value);
    return value;
}

bool wrong_msr_exists(const struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    return bits_of(v, FAULT_MSR_ABSENT, m, i) == 0 &&
           (without_faults(v)->msr_exists(v, m, i) || (fault(v, FAULT_LBR_DEPTH_BEYOND) && m->reg != REG_ABSENT));
}

/* Inverts the lowest writable bit of each register of the row. */
static void flip(struct vcpu *v, const struct profile_msr *m)
{
    for (unsigned i = 0; i < m->count; i++)
        if (m->reg == REG_IA32_PERF_GLOBAL_STATUS)
            v->status ^= 1;
        else if (m->read_only)
            v->regs[m->reg] ^= 1;
        else
            without_faults(v)->msr_set(v, m, i, without_faults(v)->msr_value(v, m, i) ^ (m->writable & -m->writable));
}

bool wrong_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const struct profile_debugctl *const bits = v->profile->debugctl;
    const uint64_t taken = bits_of(v, FAULT_MSR_TAKE, m, ANY);

    if ((value & bits_of(v, FAULT_MSR_GP, m, ANY)) ||
        (m->reg == REG_IA32_DEBUGCTL && (value & (bits->lbr | bits->tr | bits->bts)) &&
         (v->regs[REG_IA32_RTIT_CTL] & RTIT_CTL_TRACEEN) && fault(v, FAULT_ERRATUM_BDM104)))
        return false;
    const bool takes = taken == UINT64_MAX || without_faults(v)->msr_takes(v, m, value & ~taken) ||
                       (taken != 0 && m->read_only && ((value ^ v->regs[m->reg]) & ~taken) == 0);

    if (!takes && fault(v, FAULT_PERFMON_MSR_REFUSED_CHANGES))
        flip((struct vcpu *)(uintptr_t)v, m);
    return takes;
}

uint64_t wrong_msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    uint64_t value = wrong_arch_value(v, m, without_faults(v)->msr_value(v, m, i));

    if (m->reg == REG_IA32_PERF_GLOBAL_STATUS && fault(v, FAULT_PMI_STATUS_READ_CLEARS))
        v->status = 0;
    for (unsigned n = 0;
         m->reg == REG_IA32_PERF_GLOBAL_STATUS && fault(v, FAULT_PERFMON_OVERFLOW_EARLY) && n < vcpu_counters(v); n++)
        if (v->counters[n].value == vcpu_width_mask(v))
            value |= vcpu_counter_bit(v, n);
    if (m->reg == REG_IA32_PERFEVTSEL && i >= 4 && fault(v, FAULT_ERRATUM_BV086))
        return 0;
    return with_changes(v, FAULT_MSR_READ, m, i, value);
}

/* The value that WRMSR stores. */
static uint64_t changed(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    const uint64_t stuck = bits_of(v, FAULT_MSR_STICK, m, i);

    value = with_changes(v, FAULT_MSR_WRITE, m, i, value);
    value |= stuck != 0 ? without_faults(v)->msr_value(v, m, i) & stuck : 0;
    switch (m->reg) {
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        return value != 0 && fault(v, FAULT_PMI_ACKNOWLEDGEMENT_ALL) ? ~UINT64_C(0) : value;
    case REG_IA32_PERF_GLOBAL_CTRL:
        v->status = value != 0 && fault(v, FAULT_PERFMON_STATUS_RESTART_CLEARS) ? 0 : v->status;
        return value;
    case REG_IA32_LBR_DEPTH:
        return lbr_arch_has_depth(v->profile, value) ? value : v->regs[REG_IA32_LBR_DEPTH];
    default:
        return value;
    }
}

/* Returns whether the write is complete. */
static bool set_depth(struct vcpu *v, uint64_t depth)
{
    if (fault(v, FAULT_LBR_DEPTH_WRITE_KEEPS))
        v->regs[REG_IA32_LBR_DEPTH] = depth;
    return fault(v, FAULT_LBR_DEPTH_WRITE_KEEPS) || fault(v, FAULT_LBR_DEPTH_WRITE_IGNORED);
}

/* Whether this write of IA32_PERF_GLOBAL_CTRL starts fixed counter 0, whose enable field is set already. */
static bool starts_fixed_0(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const uint64_t bit = UINT64_C(1) << FIXED_STATUS_SHIFT;

    return m->reg == REG_IA32_PERF_GLOBAL_CTRL && (value & ~v->regs[REG_IA32_PERF_GLOBAL_CTRL] & bit) &&
           (v->regs[REG_IA32_FIXED_CTR_CTRL] & 3);
}

/* Errata of counters that a write of IA32_PERF_GLOBAL_CTRL starts or stops. */
static void start_or_stop(struct vcpu *v, uint64_t value)
{
    const uint64_t was = v->regs[REG_IA32_PERF_GLOBAL_CTRL];

    if ((value & ~was & 8) && !(v->regs[REG_TSX_FORCE_ABORT] & 1) && fault(v, FAULT_ERRATUM_SKL179))
        counting_load(v, 3, v->counters[3].value + 0x1000 * ++fault_state(v)->state.starts);
    for (unsigned i = 0; fault(v, FAULT_ERRATUM_SKL117) && i < v->profile->general_counters; i++) {
        const uint64_t rings = v->event_select[i] & (EVTSEL_USR | EVTSEL_OS);

        if ((was & ~value) >> i & 1 && rings != 0 && rings != (EVTSEL_USR | EVTSEL_OS) && v->counters[i].value > 0)
            counting_load(v, i, v->counters[i].value - 1);
    }
}

void wrong_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    value = changed(v, m, i, value);
    if (m->reg == REG_IA32_PERF_GLOBAL_CTRL)
        start_or_stop(v, value);
    if (m->reg == REG_MSR_PEBS_LD_LAT) {
        fault_state(v)->state.thresholds++;
        fault_state(v)->state.loads = 0;
    }
    if (m->reg == REG_IA32_LBR_DEPTH && set_depth(v, value))
        return;
    const bool adds = fault(v, FAULT_ERRATUM_HSD143) && starts_fixed_0(v, m, value);

    without_faults(v)->msr_set(v, m, i, value);
    const uint64_t taken = bits_of(v, FAULT_MSR_TAKE, m, i); /* also bits that the register ignores */

    if (taken != 0)
        v->regs[m->reg] = (v->regs[m->reg] & ~taken) | (value & taken);
    if (adds)
        counting_load(v, v->profile->general_counters, v->counters[v->profile->general_counters].value + 32);
    if (m->reg == REG_IA32_PMC || m->reg == REG_IA32_A_PMC)
        fault_state(v)->state.written[i] = m->reg == REG_IA32_PMC ? (uint64_t)(int64_t)(int32_t)value : value;
}

enum msr_answer wrong_msr_counter(struct vcpu *v, uint32_t index, uint64_t *value)
{
    const unsigned first = index & RDPMC_FIXED ? v->profile->general_counters : 0;
    enum msr_answer answer = without_faults(v)->msr_counter(v, index, value);
    unsigned i = index & ~RDPMC_FIXED;

    if (vcpu_is_netburst(v))
        return answer;
    if (answer == MSR_GP && fault(v, FAULT_PERFMON_RDPMC_BEYOND)) {
        answer = MSR_DONE;
        i = 0;
    }
    if (answer == MSR_DONE) {
        i ^= fault(v, FAULT_PERFMON_RDPMC_NEXT);
        *value = v->counters[first + i].value & vcpu_width_mask(v);
        *value =
            fault(v, FAULT_PERFMON_CONCEAL_KERNEL) && without_faults(v)->msr_counter_concealed(v, index) ? 0 : *value;
    }
    return answer;
}

bool wrong_msr_counter_concealed(const struct vcpu *v, uint32_t index)
{
    (void)v;
    (void)index;
    return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers: who has which, what may be written, and what a write does. */
#include <string.h>

#include "model/engine/engine_parts.h"

#define RDPMC_FIXED (UINT32_C(1) << 30)

#define HYPERVISOR_LEAVES UINT32_C(0x40000000)
#define EXTENDED_LEAVES   UINT32_C(0x80000000)
#define FIRST_BRAND_LEAF  UINT32_C(0x80000002)

static const struct profile_msr *find_among(const struct profile_msr *msrs, unsigned count, uint32_t address)
{
    for (unsigned i = 0; i < count; i++) {
        if (address - msrs[i].address < msrs[i].count) {
            return &msrs[i];
        }
    }
    return NULL;
}

static const struct profile_msr *find(const struct profile *profile, uint32_t address)
{
    const struct profile_msr *m = find_among(profile->msrs, profile->msr_count, address);

    return m != NULL ? m : find_among(profile->family_msrs, profile->family_msr_count, address);
}

/* Which of NetBurst's counters, CCCRs or ESCRs a register is. */
static unsigned netburst_number(const struct profile_msr *m, unsigned i)
{
    return m->address + i -
           (m->reg == REG_NETBURST_COUNTER ? NETBURST_FIRST_COUNTER
            : m->reg == REG_NETBURST_CCCR  ? NETBURST_FIRST_CCCR
                                           : NETBURST_FIRST_ESCR);
}

static bool canonical(uint64_t address)
{
    uint64_t top = address >> 47;

    return top == 0 || top == 0x1ffff;
}

/* Of the architectural LBR stack there are as many entries as IA32_LBR_DEPTH says. */
static bool exists(const struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    bool lbr = m->reg == REG_IA32_LBR_FROM || m->reg == REG_IA32_LBR_TO || m->reg == REG_IA32_LBR_INFO;

    return m->reg != REG_ABSENT && (!lbr || i < lbr_depth(v) || fault(v, FAULT_LBR_DEPTH_BEYOND_READS)) &&
           !(v->lies && lies_keep_back(v, m));
}

static bool may_be_written(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const uint64_t flag = UINT64_C(1) << 63;

    if (v->faults.any && faults_writable(v, m)) {
        return true;
    }
    if (m->read_only || (value & ~(m->writable | m->ignored))) {
        return false;
    }
    switch (m->check) {
    case CHECK_CANONICAL:
        return canonical(value);
    case CHECK_FLAG_AND_ADDRESS:
        return canonical((value & ~flag) | (value << 1 & flag));
    case CHECK_LBR_DEPTH:
        return lbr_arch_has_depth(v->profile, value) || fault(v, FAULT_LBR_DEPTH_ANY);
    default:
        return true;
    }
}

/* IA32_PERF_GLOBAL_INUSE: which event selects and fixed controls are not zero, and whether any asks for a PMI. */
static uint64_t in_use(const struct vcpu *v)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < v->profile->general_counters; i++) {
        value |= v->event_select[i] & 0xff ? UINT64_C(1) << i : 0;
        value |= v->event_select[i] & EVTSEL_INT ? UINT64_C(1) << 63 : 0;
    }
    for (unsigned i = 0; i < v->profile->fixed_counters; i++) {
        unsigned control = (unsigned)(v->regs[REG_IA32_FIXED_CTR_CTRL] >> 4 * i) & 0xf;

        value |= control & 7 ? UINT64_C(1) << (FIXED_STATUS_SHIFT + i) : 0;
        value |= control & 8 ? UINT64_C(1) << 63 : 0;
    }
    return value;
}

static uint64_t read_register(struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    switch (m->reg) {
    case REG_IA32_PERF_GLOBAL_STATUS:
        return v->status;
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
    case REG_IA32_PERF_GLOBAL_STATUS_SET:
        return 0;
    case REG_IA32_PERF_GLOBAL_INUSE:
        return in_use(v);
    case REG_IA32_PMC:
    case REG_IA32_A_PMC:
        return v->counters[i].value & width_mask(v);
    case REG_IA32_PERFEVTSEL:
        return v->event_select[i];
    case REG_IA32_FIXED_CTR:
        return v->counters[v->profile->general_counters + i].value & width_mask(v);
    case REG_LASTBRANCH_FROM:
        return v->lbr[i].from;
    case REG_LASTBRANCH_TO:
        return v->lbr[i].to;
    case REG_LASTBRANCH_INFO:
        return v->lbr[i].info;
    case REG_LASTBRANCH_BOTH:
        return v->lbr[i].to << 32 | v->lbr[i].from;
    case REG_NETBURST_COUNTER:
        return v->counters[netburst_number(m, i)].value & width_mask(v);
    case REG_NETBURST_CCCR:
        return v->event_select[netburst_number(m, i)];
    case REG_NETBURST_ESCR:
        return v->escr[netburst_number(m, i)];
    case REG_ZERO:
        return 0;
    case REG_IA32_LBR_FROM:
        return lbr_newest(v, i)->from;
    case REG_IA32_LBR_TO:
        return lbr_newest(v, i)->to;
    case REG_IA32_LBR_INFO:
        return lbr_newest(v, i)->info;
    default:
        return v->regs[m->reg];
    }
}

/* A fixed counter whose control changes is no longer armed. */
static void write_fixed_control(struct vcpu *v, uint64_t value)
{
    uint64_t changed = v->regs[REG_IA32_FIXED_CTR_CTRL] ^ value;

    for (unsigned i = 0; i < v->profile->fixed_counters; i++) {
        if (changed & UINT64_C(0x10000000f) << 4 * i) {
            v->counters[v->profile->general_counters + i].armed = false;
        }
    }
    v->regs[REG_IA32_FIXED_CTR_CTRL] = value;
}

static void write_register(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    switch (m->reg) {
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        v->status &= ~value;
        break;
    case REG_IA32_PERF_GLOBAL_STATUS_SET:
        v->status |= value;
        break;
    case REG_IA32_PMC: /* 32 bits, sign-extended to the counter's width */
        counting_load(
            v, i, fault(v, FAULT_PERFMON_WRITE_ZERO_EXTENDED) ? (uint32_t)value : (uint64_t)(int64_t)(int32_t)value);
        break;
    case REG_IA32_A_PMC:
        counting_load(v, i, value);
        break;
    case REG_IA32_PERFEVTSEL:
        v->event_select[i] = value & ~m->ignored;
        v->counters[i].armed = false;
        break;
    case REG_IA32_FIXED_CTR:
        counting_load(v, v->profile->general_counters + i, value);
        break;
    case REG_IA32_FIXED_CTR_CTRL:
        write_fixed_control(v, value & ~m->ignored);
        break;
    case REG_LASTBRANCH_FROM:
        v->lbr[i].from = value;
        break;
    case REG_LASTBRANCH_TO:
        v->lbr[i].to = value;
        break;
    case REG_LASTBRANCH_INFO:
        v->lbr[i].info = value;
        break;
    case REG_LASTBRANCH_BOTH:
        v->lbr[i] = (struct lbr_entry){ (uint32_t)value, value >> 32, 0 };
        break;
    case REG_NETBURST_COUNTER:
        v->counters[netburst_number(m, i)].value = value & ~m->ignored;
        v->counters[netburst_number(m, i)].armed = false;
        break;
    case REG_NETBURST_CCCR:
        v->event_select[netburst_number(m, i)] = value & ~m->ignored;
        v->counters[netburst_number(m, i)].armed = false;
        break;
    case REG_NETBURST_ESCR:
        v->escr[netburst_number(m, i)] = value & ~m->ignored;
        break;
    case REG_IA32_LBR_FROM:
        lbr_newest(v, i)->from = value;
        break;
    case REG_IA32_LBR_TO:
        lbr_newest(v, i)->to = value;
        break;
    case REG_IA32_LBR_INFO:
        lbr_newest(v, i)->info = value & ~m->ignored;
        break;
    case REG_IA32_LBR_DEPTH:
        lbr_arch_set_depth(v, value);
        break;
    case REG_IA32_LBR_CTL:
        lbr_arch_set_control(v, value);
        break;
    default:
        v->regs[m->reg] =
            v->faults.any && faults_writable(v, m) ? value : (value & ~m->ignored) | (v->regs[m->reg] & m->ignored);
        break;
    }
}

enum msr_answer engine_rdmsr(struct vcpu *v, uint32_t address, uint64_t *value, struct place place)
{
    const struct profile_msr *m = find(v->profile, address);

    engine_settle(v, place);
    if (m == NULL) {
        return MSR_UNKNOWN;
    }
    if (!exists(v, m, address - m->address)) {
        return MSR_FAULT;
    }
    referee_read(v, (enum model_register)m->reg, place.block == NULL ? 0 : block_address(place.block, place.index));
    counting_update(v, place);
    *value = read_register(v, m, address - m->address);
    if (v->lies) {
        *value = lies_rdmsr(v, m, *value);
    }
    if (v->faults.any) {
        *value = faults_rdmsr(v, m, *value);
    }
    return MSR_DONE;
}

enum msr_answer engine_wrmsr(struct vcpu *v, uint32_t address, uint64_t value, struct place place)
{
    const struct profile_msr *m = find(v->profile, address);
    struct referee_before before = referee_before(v);

    engine_settle(v, place);
    if (m == NULL) {
        return MSR_UNKNOWN;
    }
    if (!exists(v, m, address - m->address) || !may_be_written(v, m, value)) {
        return MSR_FAULT;
    }

    unsigned i = address - m->address;
    uint64_t ip = place.block == NULL ? 0 : block_address(place.block, place.index);

    bool netburst = m->reg == REG_NETBURST_COUNTER || m->reg == REG_NETBURST_CCCR;

    referee_write(v, (enum model_register)m->reg, netburst ? netburst_number(m, i) : i, value, ip);
    counting_update(v, place);
    branches_drain(v, false, place.block == NULL ? 0 : place.block->next, 0);
    write_register(v, m, i, v->faults.any ? faults_wrmsr(v, m, i, value) : value);
    v->hot->stop_at = 0;
    engine_update(v, BETWEEN_BLOCKS); /* QEMU ends a block behind WRMSR */
    referee_after(v, &before, (enum model_register)m->reg, ip);
    if (is_netburst(v) && (m->reg == REG_NETBURST_CCCR || m->reg == REG_IA32_PEBS_ENABLE)) {
        netburst_referee(v, ip);
    }
    return MSR_DONE;
}

enum msr_answer engine_rdpmc(struct vcpu *v, uint32_t index, uint64_t *value, struct place place)
{
    unsigned i = index & ~RDPMC_FIXED;

    engine_settle(v, place);
    if (is_netburst(v)) {
        counting_update(v, place);
        return netburst_rdpmc(v, index, value);
    }
    if (i >= (index & RDPMC_FIXED ? v->profile->fixed_counters : v->profile->general_counters)) {
        if (!fault(v, FAULT_PERFMON_RDPMC_BEYOND)) {
            return MSR_FAULT;
        }
        i = 0;
    }
    i ^= fault(v, FAULT_PERFMON_RDPMC_NEXT);
    counting_update(v, place);
    *value = v->counters[index & RDPMC_FIXED ? v->profile->general_counters + i : i].value & width_mask(v);
    return MSR_DONE;
}

uint32_t engine_cpuid_leaf(const struct vcpu *v, uint32_t leaf)
{
    const struct profile *p = v->profile;
    bool extended = leaf >= EXTENDED_LEAVES;
    bool of_processor = extended || leaf < HYPERVISOR_LEAVES;

    return of_processor && leaf > (extended ? p->max_extended : p->max_leaf) ? p->max_leaf : leaf;
}

static void brand_part(const struct profile *p, unsigned part, uint32_t regs[4])
{
    char brand[48] = { 0 };

    strncpy(brand, p->brand, sizeof(brand) - 1);
    memcpy(regs, brand + 16 * part, 16);
}

void engine_cpuid(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct profile *p = v->profile;

    if (leaf == 0) {
        regs[0] = p->max_leaf;
        memcpy(&regs[1], "Genu", 4);
        memcpy(&regs[3], "ineI", 4);
        memcpy(&regs[2], "ntel", 4);
    } else if (leaf == EXTENDED_LEAVES) {
        regs[0] = p->max_extended;
    } else if (leaf - FIRST_BRAND_LEAF < 3) {
        brand_part(p, leaf - FIRST_BRAND_LEAF, regs);
    }
    for (unsigned i = 0; i < p->cpuid_count; i++) {
        const struct profile_cpuid *row = &p->cpuid[i];

        if (leaf >= row->leaf && leaf <= (row->last != 0 ? row->last : row->leaf) &&
            (!row->indexed || row->subleaf == subleaf)) {
            for (unsigned reg = 0; reg < 4; reg++) {
                regs[reg] = (regs[reg] & row->keep[reg]) | row->add[reg];
            }
        }
    }
    if (v->lies) {
        lies_cpuid(v, leaf, regs);
    }
}

const struct profile_feature *engine_missing_feature(const struct vcpu *v, uint32_t leaf, const uint32_t regs[4])
{
    const struct profile_feature *missing = NULL;

    for (unsigned i = 0; i < v->profile->feature_count; i++) {
        const struct profile_feature *f = &v->profile->features[i];

        if (f->leaf == leaf && !(regs[f->reg] >> f->bit & 1) && (missing == NULL || missing->firmware)) {
            missing = f;
        }
    }
    return missing;
}

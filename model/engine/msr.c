/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/msr.h"

#include "model/engine/branches.h"
#include "model/engine/cpuid.h"
#include "model/engine/control.h"
#include "model/engine/counting.h"
#include "model/engine/ds.h"
#include "model/engine/lbr_arch.h"
#include "model/engine/metrics.h"
#include "model/engine/netburst.h"
#include "model/engine/overflow.h"
#include "model/engine/rules.h"
#include "model/referee/referee.h"
#include "model/referee/referee_area.h"
#include "model/referee/referee_refused.h"

#define RDPMC_METRICS (UINT32_C(1) << 29)
#define RDPMC_FIXED   (UINT32_C(1) << 30)

/* The index of the NetBurst counter, CCCR or ESCR at this address. */
static unsigned netburst_number(const struct profile_msr *m, unsigned i)
{
    return m->address + i -
           (m->reg == REG_NETBURST_COUNTER ? NETBURST_FIRST_COUNTER
            : m->reg == REG_NETBURST_CCCR  ? NETBURST_FIRST_CCCR
                                           : NETBURST_FIRST_ESCR);
}

/* WRMSR checks the linear-address width that the processor supports, not that of the paging mode. */
static bool canonical(const struct vcpu *v, uint64_t address)
{
    const unsigned sign = v->profile->la57 ? 56 : 47;

    return address >> sign == 0 || address >> sign == ~UINT64_C(0) >> sign;
}

/* Entries of the architectural LBR stack exist only up to IA32_LBR_DEPTH. */
bool msr_exists(const struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    if (m->reg == REG_IA32_TSC_ADJUST)
        return cpuid_has_tsc_adjust(v);
    bool lbr = m->reg == REG_IA32_LBR_FROM || m->reg == REG_IA32_LBR_TO || m->reg == REG_IA32_LBR_INFO;

    return m->reg != REG_ABSENT && (!lbr || i < vcpu_lbr_depth(v));
}

bool msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const uint64_t flag = UINT64_C(1) << 63;

    if (m->read_only || (value & ~(m->writable | m->ignored)))
        return false;
    switch (m->check) {
    case CHECK_CANONICAL:
        return canonical(v, value);
    case CHECK_FLAG_AND_ADDRESS:
        return canonical(v, (value & ~flag) | (value << 1 & flag));
    case CHECK_LBR_DEPTH:
        return lbr_arch_has_depth(v->profile, value);
    case CHECK_PHYSICAL:
        return value >> v->host->physical_bits(v->cpu) == 0;
    default:
        return true;
    }
}

/*
 * IA32_PERF_GLOBAL_INUSE: which event selects and fixed controls are not zero, and whether one of them requests a PMI.
 */
static uint64_t in_use(const struct vcpu *v)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < v->profile->general_counters; i++) {
        value |= v->event_select[i] & 0xff ? UINT64_C(1) << i : 0;
        value |= v->event_select[i] & EVTSEL_INT ? UINT64_C(1) << 63 : 0;
    }
    for (unsigned i = 0; i < profile_fixed_counters(v->profile); i++) {
        unsigned control = (unsigned)(v->regs[REG_IA32_FIXED_CTR_CTRL] >> 4 * i) & 0xf;

        value |= control & 7 ? UINT64_C(1) << (FIXED_STATUS_SHIFT + i) : 0;
        value |= control & 8 ? UINT64_C(1) << 63 : 0;
    }
    return value;
}

uint64_t msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i)
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
        return v->counters[i].value & vcpu_width_mask(v);
    case REG_IA32_PERFEVTSEL:
        return v->event_select[i];
    case REG_IA32_FIXED_CTR:
        return v->counters[v->profile->general_counters + i].value & vcpu_width_mask(v);
    case REG_IA32_PMC_CFG_B:
        return v->config[i].b;
    case REG_IA32_PMC_CFG_C:
        return v->config[i].c;
    case REG_IA32_FIXED_CFG_B:
        return v->config[v->profile->general_counters + i].b;
    case REG_IA32_FIXED_CFG_C:
        return v->config[v->profile->general_counters + i].c;
    case REG_LASTBRANCH_FROM:
        return v->lbr.stack[i].from;
    case REG_LASTBRANCH_TO:
        return v->lbr.stack[i].to;
    case REG_LASTBRANCH_INFO:
        return v->lbr.stack[i].info;
    case REG_LASTBRANCH_BOTH:
        return v->lbr.stack[i].to << 32 | v->lbr.stack[i].from;
    case REG_NETBURST_COUNTER:
        return v->counters[netburst_number(m, i)].value & vcpu_width_mask(v);
    case REG_NETBURST_CCCR:
        return v->event_select[netburst_number(m, i)];
    case REG_NETBURST_ESCR:
        return v->escr[netburst_number(m, i)];
    case REG_IA32_BIOS_SIGN_ID:
        return (uint64_t)v->profile->microcode << 32;
    case REG_ZERO:
        return 0;
    case REG_IA32_TIME_STAMP_COUNTER:
        return v->host->tsc(v->cpu);
    case REG_MSR_PERF_METRICS:
        return metrics_value(v);
    case REG_IA32_LBR_FROM:
        return vcpu_lbr_newest(v, i)->from;
    case REG_IA32_LBR_TO:
        return vcpu_lbr_newest(v, i)->to;
    case REG_IA32_LBR_INFO:
        return vcpu_lbr_newest(v, i)->info;
    default:
        return v->regs[m->reg];
    }
}

/* A change of a fixed counter's control disarms the counter. */
static void write_fixed_control(struct vcpu *v, uint64_t value)
{
    uint64_t changed = v->regs[REG_IA32_FIXED_CTR_CTRL] ^ value;

    for (unsigned i = 0; i < profile_fixed_counters(v->profile); i++)
        if (changed & UINT64_C(0x10000000f) << 4 * i)
            v->counters[v->profile->general_counters + i].state = COUNTER_COUNTS;
    v->regs[REG_IA32_FIXED_CTR_CTRL] = value;
}

/* PERF_METRICS describes the slots of fixed counter 3. A write of the counter keeps the shares of the old slots. */
static void write_fixed_counter(struct vcpu *v, unsigned i, uint64_t value)
{
    const uint64_t metrics = metrics_exist(v) ? metrics_value(v) : 0;

    counting_load(v, v->profile->general_counters + i, value);
    if (metrics_exist(v))
        metrics_begin(v, metrics);
}

/* PERF_METRICS only changes while it is enabled here. */
static void write_global_control(struct vcpu *v, uint64_t value)
{
    if (metrics_exist(v))
        metrics_begin(v, metrics_value(v));
    v->regs[REG_IA32_PERF_GLOBAL_CTRL] = value;
}

/* A change of the event disarms the counter. Stopping it, and continuing as an interrupt handler must, does not. */
static void write_cccr(struct vcpu *v, unsigned i, uint64_t value)
{
    const uint64_t changed = v->event_select[i] ^ value;

    v->event_select[i] = value;
    if (changed & ~(CCCR_ENABLE | CCCR_OVF))
        v->counters[i].state = COUNTER_COUNTS;
}

/* The entry at this place in the stack, which software is about to write. */
static struct lbr_entry *overwritten(struct vcpu *v, unsigned place)
{
    v->lbr.written |= UINT32_C(1) << place;
    return &v->lbr.stack[place];
}

/* The TSC moves by what IA32_TSC_ADJUST changes. SDM Vol. 3B (253669-083), "Time-Stamp Counter Adjustment". */
void msr_adjust_tsc(struct vcpu *v, uint64_t value)
{
    uint64_t *const offset = v->host->tsc_offset(v->cpu);

    v->regs[REG_IA32_TSC_ADJUST] = value;
    if (offset != NULL)
        *offset = value;
}

void msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    switch (m->reg) {
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        v->status &= ~value;
        break;
    case REG_IA32_PERF_GLOBAL_STATUS_SET:
        v->status |= value;
        break;
    case REG_IA32_PMC: /* 32 bits, sign-extended to the counter's width */
        counting_load(v, i, (uint64_t)(int64_t)(int32_t)value);
        break;
    case REG_IA32_A_PMC:
        counting_load(v, i, value);
        break;
    case REG_IA32_PERFEVTSEL:
        v->event_select[i] = value & ~m->ignored;
        v->counters[i].state = COUNTER_COUNTS;
        break;
    case REG_IA32_FIXED_CTR:
        write_fixed_counter(v, i, value);
        break;
    case REG_IA32_PERF_GLOBAL_CTRL:
        write_global_control(v, value);
        break;
    case REG_MSR_PERF_METRICS:
        metrics_begin(v, value);
        break;
    case REG_IA32_FIXED_CTR_CTRL:
        write_fixed_control(v, value & ~m->ignored);
        break;
    case REG_IA32_PMC_CFG_B:
        v->config[i].b = value;
        break;
    case REG_IA32_PMC_CFG_C:
        v->config[i].c = value;
        break;
    case REG_IA32_FIXED_CFG_B:
        v->config[v->profile->general_counters + i].b = value;
        break;
    case REG_IA32_FIXED_CFG_C:
        v->config[v->profile->general_counters + i].c = value;
        break;
    case REG_LASTBRANCH_FROM:
        overwritten(v, i)->from = value;
        break;
    case REG_LASTBRANCH_TO:
        overwritten(v, i)->to = value;
        break;
    case REG_LASTBRANCH_INFO:
        overwritten(v, i)->info = value;
        break;
    case REG_LASTBRANCH_BOTH:
        *overwritten(v, i) = (struct lbr_entry){ (uint32_t)value, value >> 32, 0 };
        break;
    case REG_NETBURST_COUNTER:
        v->counters[netburst_number(m, i)].value = value & ~m->ignored;
        v->counters[netburst_number(m, i)].state = COUNTER_COUNTS;
        break;
    case REG_NETBURST_CCCR:
        write_cccr(v, netburst_number(m, i), value & ~m->ignored);
        break;
    case REG_NETBURST_ESCR:
        v->escr[netburst_number(m, i)] = value & ~m->ignored;
        break;
    case REG_IA32_LBR_FROM:
        overwritten(v, vcpu_lbr_place(v, i))->from = value;
        break;
    case REG_IA32_LBR_TO:
        overwritten(v, vcpu_lbr_place(v, i))->to = value;
        break;
    case REG_IA32_LBR_INFO:
        overwritten(v, vcpu_lbr_place(v, i))->info = value & ~m->ignored;
        break;
    case REG_IA32_LBR_DEPTH:
        lbr_arch_set_depth(v, value);
        break;
    case REG_IA32_LBR_CTL:
        lbr_arch_set_control(v, value);
        break;
    case REG_IA32_TSC_ADJUST:
        msr_adjust_tsc(v, value);
        break;
    case REG_IA32_TIME_STAMP_COUNTER:
        msr_adjust_tsc(v, v->regs[REG_IA32_TSC_ADJUST] + value - v->host->tsc(v->cpu));
        break;
    case REG_IA32_BIOS_SIGN_ID:
        break;
    default:
        v->regs[m->reg] = (value & ~m->ignored) | (v->regs[m->reg] & m->ignored);
        break;
    }
}

enum msr_answer msr_counter(struct vcpu *v, uint32_t index, uint64_t *value)
{
    const bool fixed = index & RDPMC_FIXED;
    const unsigned i = index & ~RDPMC_FIXED;

    if (vcpu_is_netburst(v))
        return netburst_rdpmc(v, index, value);
    if (index == RDPMC_METRICS && metrics_exist(v)) {
        *value = metrics_value(v);
        return MSR_DONE;
    }
    if (fixed ? i >= profile_fixed_counters(v->profile) || !(v->profile->fixed_bitmap >> i & 1)
              : i >= v->profile->general_counters)
        return MSR_GP;
    *value = v->counters[fixed ? v->profile->general_counters + i : i].value & vcpu_width_mask(v);
    return MSR_DONE;
}

static uint64_t address_at(struct place place)
{
    return place.block == NULL ? 0 : block_address(place.block, place.index);
}

enum msr_answer msr_read(struct vcpu *v, uint32_t address, uint64_t *value, struct place place)
{
    const struct profile_msr *m = profile_find_msr(v->profile, address);

    if (m == NULL)
        return MSR_UNKNOWN;
    if (!v->rules->msr_exists(v, m, profile_msr_number(m, address))) {
        referee_refused_read(v, address, address_at(place));
        return MSR_GP;
    }
    referee_read(v, (enum model_register)m->reg, address_at(place));
    counting_update(v, place);
    *value = v->rules->msr_value(v, m, profile_msr_number(m, address));
    return MSR_DONE;
}

/*
 * WRMSR is counted before it takes effect: counters that it stops count it, counters that it starts do not. The manual
 * does not specify this. Of the WRMSRs before and after measured code, KVM's own tests expect one to be counted
 * (kvm-unit-tests, x86/pmu.c: LOOP_INSNS), the second (Linux, tools/testing/selftests/kvm/x86/pmu_counters_test.c:
 * NUM_EXTRA_INSNS).
 */
static void retire(struct vcpu *v, struct place place)
{
    if (place.block == NULL) {
        counting_update(v, place);
        return;
    }
    const struct place behind = { place.block, place.index + 1 };

    overflow_take(v, behind, address_at(behind), address_at(place), NULL);
}

enum msr_answer msr_write(struct vcpu *v, uint32_t address, uint64_t value, struct place place)
{
    const struct profile_msr *m = profile_find_msr(v->profile, address);
    const struct referee_before before = referee_before(v);

    if (m == NULL)
        return MSR_UNKNOWN;
    const unsigned i = profile_msr_number(m, address);
    const uint64_t ip = address_at(place);
    const bool netburst = m->reg == REG_NETBURST_COUNTER || m->reg == REG_NETBURST_CCCR;
    const bool exists = v->rules->msr_exists(v, m, i);

    if (!exists || !v->rules->msr_takes(v, m, value)) {
        referee_refused_write(v, m, exists, address, value, ip);
        return MSR_GP;
    }
    if (referee_watches_area(v) && ds_read(v))
        referee_area_read(v, ip);
    referee_ignored_write(v, m, i, value, ip);
    referee_write(v, (enum model_register)m->reg, netburst ? netburst_number(m, i) : i, value, ip);
    retire(v, place);
    branches_drain(v, false, place.block == NULL ? 0 : place.block->next, 0);
    v->rules->msr_set(v, m, i, value);
    control_update(v, BETWEEN_BLOCKS); /* QEMU ends a block after WRMSR */
    referee_after(v, &before, (enum model_register)m->reg, referee_watches_area(v) && ds_read(v), ip);
    if (vcpu_is_netburst(v) && (m->reg == REG_NETBURST_CCCR || m->reg == REG_IA32_PEBS_ENABLE))
        netburst_referee(v, ip);
    return MSR_DONE;
}

/*
 * "rdpmc user disable": Linux 7.0, commit 59af95e028d4, "perf/x86/intel: Add support for rdpmc user disable feature".
 */
bool msr_counter_concealed(const struct vcpu *v, uint32_t index)
{
    const unsigned i = index & ~(RDPMC_FIXED | RDPMC_METRICS);

    if (index & RDPMC_METRICS)
        return false;
    return index & RDPMC_FIXED ? v->regs[REG_IA32_FIXED_CTR_CTRL] >> (FIXED_CTRL_RDPMC_USER + 4 * i) & 1
                               : (v->event_select[i] & EVTSEL_RDPMC_USER) != 0;
}

enum msr_answer msr_rdpmc(struct vcpu *v, uint32_t index, uint64_t *value, struct place place)
{
    counting_update(v, place);
    const enum msr_answer answer = v->rules->msr_counter(v, index, value);

    if (answer == MSR_DONE && place.block != NULL && place.block->cpl != 0 && v->rules->msr_counter_concealed(v, index))
        *value = 0;
    return answer;
}

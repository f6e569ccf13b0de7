/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of registers. */

#include "model/engine/lbr_arch.h"
#include "model/engine/pebs.h"
#include "model/latitude/choices.h"

#define CYCLES   0x3c    /* CPU_CLK_UNHALTED.CORE, on every counter since P6 */
#define LOW_CODE 0xf0000 /* a place in the range of firmware's code */

#define LBR_SELECT         0x1c8 /* the address of the register, on processors that have it */
#define LBR_CTL_FIRST_KIND 16    /* IA32_LBR_CTL: the first of seven branch type bits */

/* Registers whose treatment of reserved bits differs between processors. */
static const enum model_register differing[] = {
    REG_IA32_PERF_GLOBAL_STATUS_RESET,
    REG_MSR_LBR_SELECT,
    REG_IA32_PERFEVTSEL,
    REG_IA32_FIXED_CTR_CTRL,
};

void latitude_choose_msr(struct vcpu *v)
{
    for (unsigned i = 0; i < sizeof(differing) / sizeof(differing[0]); i++)
        v->latitude->state.drops[differing[i]] = latitude_draw(v, FREEDOM_MSR_RESERVED, 1);
}

/* The bits of a value that the register does not ignore. */
static uint64_t not_ignored(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const bool drops = v->latitude->state.drops[m->reg] && latitude_has(v, FREEDOM_MSR_RESERVED) && !m->read_only;

    return drops ? value & (m->writable | m->ignored) : value;
}

static bool is_read_only(const struct vcpu *v, const struct profile_msr *m)
{
    return latitude_has(v, FREEDOM_LBR_READ_ONLY) && vcpu_is_netburst(v) &&
           (m->reg == REG_LASTBRANCH_FROM || m->reg == REG_LASTBRANCH_TO || m->reg == REG_LASTBRANCH_BOTH);
}

bool latitude_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    return !is_read_only(v, m) && msr_takes(v, m, not_ignored(v, m, value));
}

void latitude_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    if (m->reg == REG_IA32_DS_AREA)
        pebs_flush(v); /* records on their way go to the old area */
    msr_set(v, m, i, not_ignored(v, m, value));
}

static bool perhaps(const struct vcpu *v)
{
    return latitude_draw(v, FREEDOM_FIRMWARE, 1);
}

/* The value of a counter that will soon overflow. */
static uint64_t nearly_full(const struct vcpu *v)
{
    return vcpu_width_mask(v) - latitude_draw(v, FREEDOM_FIRMWARE, 1u << 20);
}

static void leave_counters_running(struct vcpu *v)
{
    const struct profile *profile = v->profile;

    for (unsigned i = 0; i < vcpu_counters(v); i++) {
        const unsigned fixed = i - profile->general_counters;

        if (!vcpu_has_counter(v, i) || !perhaps(v))
            continue;
        v->counters[i].value = nearly_full(v);
        if (i < profile->general_counters)
            v->event_select[i] = CYCLES | EVTSEL_USR | EVTSEL_OS | EVTSEL_EN | (perhaps(v) ? EVTSEL_INT : 0);
        else
            v->regs[REG_IA32_FIXED_CTR_CTRL] |= (perhaps(v) ? UINT64_C(0xb) : 3) << 4 * fixed;
        if (profile->perfmon_version >= 2) {
            v->regs[REG_IA32_PERF_GLOBAL_CTRL] |= vcpu_counter_bit(v, i);
            v->status |= perhaps(v) ? vcpu_counter_bit(v, i) : 0;
        }
    }
}

static void leave_lbrs_running(struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    const struct profile_msr *select = profile_find_msr(v->profile, LBR_SELECT);

    for (unsigned i = 0; i < v->profile->lbr_depth; i++) {
        const uint64_t at = LOW_CODE + latitude_draw(v, FREEDOM_FIRMWARE, 0xffff);

        v->lbr.stack[i] = (struct lbr_entry){ at, at + 0x10, 0 };
    }
    if (v->profile->lbr_depths) {
        lbr_arch_set_control(v, LBR_CTL_LBREN | (latitude_draw(v, FREEDOM_FIRMWARE, 0x7f) << LBR_CTL_FIRST_KIND));
    } else {
        v->regs[REG_IA32_DEBUGCTL] |= bits->lbr;
        v->regs[REG_MSR_LBR_SELECT] = select == NULL ? 0 : latitude_draw(v, FREEDOM_FIRMWARE, 0x1ff) & select->writable;
    }
    v->regs[REG_IA32_DEBUGCTL] |= (perhaps(v) ? bits->freeze_lbrs : 0) | (perhaps(v) ? bits->freeze_perfmon : 0);
}

/* NetBurst's counters, BTS and PEBS stay disabled: they need memory that firmware would have to reserve. */
void latitude_leave_running(struct vcpu *v)
{
    if (!latitude_has(v, FREEDOM_FIRMWARE))
        return;
    if (!vcpu_is_netburst(v))
        leave_counters_running(v);
    leave_lbrs_running(v);
}

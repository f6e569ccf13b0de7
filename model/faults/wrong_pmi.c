/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of the PMI and of exceptions. */

#include "model/faults/fault_state.h"

#define EFLAGS_CF UINT64_C(0x001)
#define EFLAGS_IF UINT64_C(0x200)

/* Whether to postpone the requested PMI. */
static bool waits(struct vcpu *v)
{
    bool *waiting = &fault_state(v)->state.pmi_waits;

    *waiting = !*waiting;
    return fault(v, FAULT_PMI_LATE) && *waiting;
}

static bool is_lost(const struct vcpu *v)
{
    uint64_t general[GENERAL_REGISTERS];

    return fault(v, FAULT_PMI_NEVER) ||
           (fault(v, FAULT_PMI_HELD_LOST) && !(v->host->registers(v->cpu, 0, general) & EFLAGS_IF));
}

static void spoil_newest(struct vcpu *v)
{
    struct lbr_entry *const newest = vcpu_lbr_newest(v, 0);

    newest->from ^= fault(v, FAULT_ERRATUM_BJ094);
    if (fault(v, FAULT_ERRATUM_LBR_COPY))
        *newest = *vcpu_lbr_newest(v, 1);
}

void wrong_pmi_raise(struct vcpu *v, struct place place)
{
    if (waits(v))
        return;
    v->pmi.wanted = false;
    if (is_lost(v))
        return;
    without_faults(v)->pmi_raise(v, place);
    if (vcpu_debugctl(v, v->profile->debugctl->freeze_lbrs))
        spoil_newest(v);
}

void wrong_pmi_freezes(const struct vcpu *v, bool *lbrs, bool *counters)
{
    without_faults(v)->pmi_freezes(v, lbrs, counters);
    *lbrs = *lbrs && !fault(v, FAULT_LBR_FREEZE_IGNORED);
    *counters = *counters && !fault(v, FAULT_PERFMON_FREEZE_IGNORED);
}

uint32_t wrong_pmi_entry(struct vcpu *v, uint32_t lvtpc)
{
    uint32_t *first = &fault_state(v)->state.first_vector;
    uint32_t value = without_faults(v)->pmi_entry(v, lvtpc);

    if (fault(v, FAULT_PMI_WHILE_MASKED))
        value &= ~LVT_MASKED;
    if (fault(v, FAULT_PMI_DELIVERY_IGNORED))
        value &= ~LVT_DELIVERY;
    *first = *first != 0 ? *first : value & LVT_VECTOR;
    if (fault(v, FAULT_PMI_VECTOR_KEPT))
        value = (value & ~LVT_VECTOR) | *first;
    return value;
}

bool wrong_pmi_masks(const struct vcpu *v)
{
    (void)v;
    return false;
}

void wrong_exception_pushed(struct vcpu *v, uint64_t *flags, uint64_t *code)
{
    *flags ^= fault(v, FAULT_ROBUST_EXCEPTION_CARRY_INVERTED) ? EFLAGS_CF : 0;
    if (code != NULL && fault(v, FAULT_ROBUST_EXCEPTION_CODE_ZERO))
        *code = 0;
}

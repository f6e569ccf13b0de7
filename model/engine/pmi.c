/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/pmi.h"

#include "model/engine/bts.h"
#include "model/engine/control.h"
#include "model/engine/counting.h"
#include "model/engine/pebs.h"
#include "model/engine/ring.h"
#include "model/engine/rules.h"
#include "model/engine/truth.h"
#include "model/referee/referee.h"

void pmi_freezes(const struct vcpu *v, bool *lbrs, bool *counters)
{
    *lbrs = vcpu_debugctl(v, v->profile->debugctl->freeze_lbrs);
    *counters = vcpu_debugctl(v, v->profile->debugctl->freeze_perfmon);
}

/*
 * Freezing clears the enable bits themselves up to version 3 of architectural performance monitoring, and sets a status
 * bit from version 4 on. SDM Vol. 3B (253669-083), "Freezing LBR and Performance Counters on PMI".
 */
static void freeze(struct vcpu *v, struct place place)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    bool lbrs, counters;

    v->rules->pmi_freezes(v, &lbrs, &counters);
    if (!lbrs && !counters) {
        return;
    }
    counting_update(v, place);
    if (v->profile->perfmon_version >= 4) {
        v->status |= (lbrs ? STATUS_LBR_FRZ : 0) | (counters ? STATUS_CTR_FRZ : 0);
    } else {
        v->regs[REG_IA32_DEBUGCTL] &= lbrs ? ~bits->lbr : ~UINT64_C(0);
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] &= counters ? 0 : ~UINT64_C(0);
    }
    control_update(v, place);
}

/* The instruction before place; between two blocks the one that retired last. */
static uint64_t last_address(const struct vcpu *v, struct place place)
{
    if (place.block != NULL && place.index > 0) {
        return block_address(place.block, place.index - 1);
    }
    return ring_running_block(v) != NULL ? ring_running_block(v)->last : v->branches.left_behind;
}

void pmi_raise(struct vcpu *v, struct place place)
{
    v->pmi.wanted = false;
    bts_flush(v);
    pebs_flush(v);
    freeze(v, place);
    const uint32_t lvtpc = v->host->pmi(v->cpu);

    referee_pmi(v, lvtpc, last_address(v, place));
    v->pmi.raised = !(lvtpc & LVT_MASKED);
    truth_pmi(v, lvtpc);
}

void pmi_deliver(struct vcpu *v, struct place place)
{
    if (v->pmi.wanted) {
        v->rules->pmi_raise(v, place);
    }
}

uint32_t pmi_entry(struct vcpu *v, uint32_t lvtpc)
{
    (void)v;
    return lvtpc;
}

/*
 * Delivery sets LVTPC's mask bit. SDM Vol. 3A (253668-083), "Local Vector Table", of the performance monitoring
 * counters register.
 */
bool pmi_masks(const struct vcpu *v)
{
    (void)v;
    return true;
}

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
 * Up to version 3 of architectural performance monitoring a freeze clears the enable bits themselves, from version 4 on
 * it sets a status bit. SDM Vol. 3B (253669-083), "Freezing LBR and Performance Counters on PMI".
 */
bool pmi_freezes_by_status(const struct vcpu *v)
{
    return v->profile->perfmon_version >= 4;
}

static void freeze(struct vcpu *v, struct place place, bool lbrs, bool counters)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    if (!lbrs && !counters)
        return;
    counting_update(v, place);
    if (v->rules->pmi_freezes_by_status(v)) {
        v->status |= (lbrs ? STATUS_LBR_FRZ : 0) | (counters ? STATUS_CTR_FRZ : 0);
    } else {
        v->regs[REG_IA32_DEBUGCTL] &= lbrs ? ~bits->lbr : ~UINT64_C(0);
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] &= counters ? 0 : ~UINT64_C(0);
    }
    control_update(v, place);
}

/* The instruction before place; between two blocks, the last retired one. */
static uint64_t last_address(const struct vcpu *v, struct place place)
{
    if (place.block != NULL && place.index > 0)
        return block_address(place.block, place.index - 1);
    return ring_running_block(v) != NULL ? ring_running_block(v)->last : v->branches.last_retired;
}

void pmi_raise(struct vcpu *v, struct place place)
{
    bool lbrs, counters;

    v->pmi.wanted = false;
    bts_flush(v);
    pebs_flush(v);
    v->rules->pmi_freezes(v, &lbrs, &counters);
    if (v->pmi.under_way) {
        lbrs = lbrs && v->pmi.lbrs_follow;
        counters = false; /* they froze at the request */
    }
    freeze(v, place, lbrs, counters);
    const uint32_t lvtpc = v->host->pmi(v->cpu);

    referee_pmi(v, lvtpc, last_address(v, place));
    v->pmi.under_way = false;
    v->pmi.raised = !(lvtpc & LVT_MASKED);
    for (unsigned i = 0; i < FACILITIES; i++) {
        v->activity[i].pmis += v->pmi.raised && v->pmi.asked[i];
        v->pmi.asked[i] = false;
    }
    truth_pmi(v, lvtpc);
}

struct pmi_skid pmi_skid(struct vcpu *v)
{
    (void)v;
    return (struct pmi_skid){ 0, false };
}

/*
 * Counters freeze "on overflow", LBRs on "a hardware PMI request" or on the PMI: SDM Vol. 3B (253669-083), "Legacy and
 * Streamlined Operation with Freeze_Perfmon_On_PMI = 1, Counter Overflowed" and IA32_DEBUGCTL's FREEZE_LBRS_ON_PMI.
 */
static void set_out(struct vcpu *v, struct place place, const struct pmi_skid *skid)
{
    bool lbrs, counters;

    v->rules->pmi_freezes(v, &lbrs, &counters);
    freeze(v, place, lbrs && skid->freezes_lbrs, counters);
    v->pmi.under_way = true;
    v->pmi.left = skid->instructions;
    v->pmi.lbrs_follow = !skid->freezes_lbrs;
    counting_update(v, place);
    counting_step(v, true);
    counting_arm(v, place);
}

bool pmi_step(struct vcpu *v, uint64_t instructions)
{
    v->pmi.left -= instructions < v->pmi.left ? (unsigned)instructions : v->pmi.left;
    return v->pmi.left > 0;
}

void pmi_deliver(struct vcpu *v, struct place place)
{
    if (!v->pmi.wanted || v->pmi.left > 0)
        return;
    const struct pmi_skid skid = v->pmi.under_way ? (struct pmi_skid){ 0, false } : v->rules->pmi_skid(v);

    if (skid.instructions > 0)
        set_out(v, place, &skid);
    else
        v->rules->pmi_raise(v, place);
}

void pmi_hurry(struct vcpu *v, struct place place)
{
    v->pmi.left = 0;
    if (v->pmi.wanted)
        v->rules->pmi_raise(v, place);
}

void pmi_settle(struct vcpu *v, struct place place)
{
    if (v->rules->pmi_trails)
        pmi_deliver(v, place);
    else
        pmi_hurry(v, place);
}

uint32_t pmi_entry(struct vcpu *v, uint32_t lvtpc)
{
    (void)v;
    return lvtpc;
}

/*
 * Delivery sets LVTPC's mask bit: SDM Vol. 3A (253668-083), "Local Vector Table", on the performance monitoring
 * counters register.
 */
bool pmi_masks(const struct vcpu *v)
{
    (void)v;
    return true;
}

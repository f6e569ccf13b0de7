/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/control.h"

#include "model/engine/branches.h"
#include "model/engine/counters.h"
#include "model/engine/ds.h"
#include "model/engine/ring.h"
#include "model/engine/rules.h"

void control_update(struct vcpu *v, struct place place)
{
    v->bts.on = v->rules->bts_on(v);
    v->lbr.on = v->rules->lbr_on(v);
    v->pebs.enabled = v->rules->pebs_enabled(v);
    v->activity[FACILITY_BTS].used = v->activity[FACILITY_BTS].used || v->bts.on;
    v->activity[FACILITY_PEBS].used = v->activity[FACILITY_PEBS].used || v->pebs.enabled != 0;
    counters_configure(v, place);
    const bool tracing = v->bts.on || v->lbr.on || v->counting.outcomes;

    if (!v->hot->tracing)
        ring_empty(v, ring_running_block(v));
    v->hot->tracing = tracing;
    v->uses.ring = tracing;
    v->uses.blocks = tracing || v->uses.data || v->uses.classes != 0;
    v->wants = hooks_of_both(v->wants, v->uses);
    v->bts.lost = v->bts.on && !ds_read(v);
    branches_set_limit(v);
}

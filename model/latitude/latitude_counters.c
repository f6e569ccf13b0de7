/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of counters. */

#include "model/engine/slots.h"
#include "model/latitude/choices.h"

#define MOST_ACCESSES 8 /* the load latency facility follows one access in at most this many */

void latitude_choose_counters(struct vcpu *v)
{
    v->latitude->state.follows = 1 + latitude_draw(v, FREEDOM_LOAD_SAMPLING, MOST_ACCESSES - 1);
    if (latitude_has(v, FREEDOM_IPC))
        v->ipc = 1 + latitude_draw(v, FREEDOM_IPC, slots_width(v) - 1);
}

/*
 * The rule is asked for instructions first. Real processors count as many branches too many as instructions. The
 * recordings that say so are of counters that do not sample.
 */
unsigned latitude_counting_interruption(struct vcpu *v, enum event_kind kind, bool software)
{
    if (kind == EVENT_INSTRUCTIONS)
        v->latitude->state.overcount = latitude_draw(v, FREEDOM_OVERCOUNT, 1);
    return software || (kind == EVENT_BRANCHES && v->pebs.enabled != 0) ? 0 : v->latitude->state.overcount;
}

bool latitude_data_followed(const struct vcpu *v)
{
    return latitude_draw(v, FREEDOM_LOAD_SAMPLING, v->latitude->state.follows - 1) == 0;
}

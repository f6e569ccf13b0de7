/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of PEBS. */

#include <string.h>

#include "model/engine/counting.h"
#include "model/engine/pebs.h"
#include "model/latitude/choices.h"

#define MOST_ARMING_CYCLES 40
#define MOST_UNSEEN_CYCLES 100

void latitude_choose_pebs(struct vcpu *v)
{
    v->latitude->state.arming.cycles = latitude_draw(v, FREEDOM_PEBS_ARMING, MOST_ARMING_CYCLES);
    v->latitude->state.tracks_init = latitude_draw(v, FREEDOM_XER_INIT, 1);
    v->latitude->state.pdir_plus_late = latitude_draw(v, FREEDOM_PDIR_PLUS, 1);
}

/*
 * Whether this counter samples with PDIR++: fixed counter 0, if other counters have PDist. Architectural PEBS lists
 * fixed counter 0 as a PDist counter like others.
 */
static bool has_pdir_plus(const struct vcpu *v, const struct counter *c)
{
    return c->pdir && !vcpu_is_arch_pebs(v) && v->profile->pdist_distance > 0 &&
           c == &v->counters[v->profile->general_counters];
}

static bool is_pdir_plus_late(const struct vcpu *v, const struct counter *c)
{
    return has_pdir_plus(v, c) && latitude_has(v, FREEDOM_PDIR_PLUS) && v->latitude->state.pdir_plus_late;
}

bool latitude_counting_exact(const struct vcpu *v, const struct counter *c)
{
    if (c->pdir && c->too_near && latitude_has(v, FREEDOM_PDIST_SHORT))
        return latitude_draw(v, FREEDOM_PDIST_SHORT, 1);
    if (c->imprecise && c->cycles && latitude_has(v, FREEDOM_PEBS_ARMING))
        return false; /* the next cycle is another opportunity */
    return counting_exact(v, c) && !is_pdir_plus_late(v, c);
}

bool latitude_overflow_arms(struct vcpu *v, unsigned i)
{
    const struct counter *c = &v->counters[i];
    const bool at_once = !latitude_has(v, FREEDOM_PEBS_ARMING) || (is_pdir_plus_late(v, c) && !c->too_near);
    const unsigned cycles = at_once ? 0 : v->latitude->state.arming.cycles;

    v->latitude->state.arming.left[i] = cycles;
    if (cycles > 0)
        counting_step(v, true);
    return cycles == 0;
}

bool latitude_go_on_arming(struct vcpu *v, struct passed passed)
{
    bool waiting = false;

    for (unsigned i = 0; i < vcpu_counters(v); i++) {
        unsigned *left = &v->latitude->state.arming.left[i];

        *left -= passed.cycles < *left && !passed.serialised ? passed.cycles : *left;
        if (v->counters[i].state == COUNTER_ARMING && *left == 0)
            v->counters[i].state = COUNTER_ARMED;
        waiting = waiting || v->counters[i].state == COUNTER_ARMING;
    }
    return waiting;
}

/* Chooses all counters, only the first, or, of three or more, the first and some others. */
uint64_t latitude_pebs_together(struct vcpu *v, uint64_t due)
{
    uint64_t together = due & -due;

    for (uint64_t left = due & (due - 1); left != 0; left &= left - 1)
        together |= latitude_draw(v, FREEDOM_PEBS_SHARED, 1) ? left & -left : 0;
    return together;
}

void latitude_pebs_arch_describe(struct vcpu *v, struct arch_contents *arch)
{
    static const uint64_t initial[XMM_REGISTERS][2];
    uint64_t xmm[XMM_REGISTERS][2];

    pebs_arch_describe(v, arch);
    if (!(arch->format & ARCH_XER) || !v->latitude->state.tracks_init)
        return;
    v->host->xmm(v->cpu, xmm);
    arch->xer &= (memcmp(xmm, initial, sizeof(initial)) != 0 ? XSTATE_SSE : 0) |
                 (memcmp(arch->ymmh, initial, sizeof(initial)) != 0 ? XSTATE_AVX : 0);
}

/* Splits before every second group, and puts a null record before every second fragment. */
void latitude_pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split)
{
    (void)arch;
    for (unsigned group = 1; group < ARCH_GROUPS; group++) {
        split->cut[group] = latitude_draw(v, FREEDOM_PEBS_FRAGMENTS, 1);
        if (split->cut[group] && latitude_draw(v, FREEDOM_PEBS_FRAGMENTS, 1)) {
            const unsigned units = 1 + latitude_draw(v, FREEDOM_PEBS_FRAGMENTS, ARCH_MAX_NULL / ARCH_UNIT - 1);

            split->null_bytes[group] = (uint16_t)(units * ARCH_UNIT);
        }
    }
}

bool latitude_pebs_visible(const struct vcpu *v)
{
    return v->latitude->state.unseen == 0;
}

/* A record that is written while another is on its way becomes visible together with it. */
static void hide_record(struct vcpu *v)
{
    unsigned *unseen = &v->latitude->state.unseen;

    if (v->pebs.staged > 0 && *unseen == 0)
        *unseen = latitude_draw(v, FREEDOM_PEBS_VISIBLE, MOST_UNSEEN_CYCLES);
    if (*unseen > 0)
        counting_step(v, true);
}

void latitude_pebs_reload(struct vcpu *v, uint64_t counters)
{
    pebs_reload(v, counters);
    latitude_leave_own_bits(v, counters);
    if (latitude_has(v, FREEDOM_PEBS_VISIBLE))
        hide_record(v);
}

bool latitude_go_on_hiding(struct vcpu *v, struct passed passed)
{
    unsigned *unseen = &v->latitude->state.unseen;

    if (*unseen == 0)
        return false;
    *unseen -= passed.cycles < *unseen ? passed.cycles : *unseen;
    if (*unseen == 0)
        pebs_flush(v);
    return *unseen > 0;
}

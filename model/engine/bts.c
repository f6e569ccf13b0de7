/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTS_OFF_OS and BTS_OFF_USR use the CPL at which a branch is executed: SDM Vol. 3B (253669-083), "CPL-Qualified Branch
 * Trace Mechanism".
 *
 * Wrapping: a record that does not fit before the absolute maximum goes to the base of the buffer, with or without
 * BTINT. BTINT only decides whether the threshold requests an interrupt.
 */
#include "model/engine/bts.h"

#include "model/engine/ds.h"
#include "model/engine/rules.h"
#include "model/engine/truth.h"
#include "model/referee/referee_area.h"
#include "model/referee/referee_report.h"

#define PREDICTED UINT64_C(0x10) /* the flag for a predicted branch, if the processor has it */

bool bts_on(const struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return vcpu_debugctl(v, bits->tr) && vcpu_debugctl(v, bits->bts);
}

void bts_filters(const struct vcpu *v, bool *skip_system, bool *skip_user)
{
    *skip_system = vcpu_debugctl(v, v->profile->debugctl->bts_off_os);
    *skip_user = vcpu_debugctl(v, v->profile->debugctl->bts_off_usr);
}

struct bts_contents bts_contents(const struct vcpu *v, const struct branch *branch)
{
    const bool predicted = v->profile->bts_predicted && branch->predicted;

    return (struct bts_contents){ branch->block->last, branch->to, predicted ? PREDICTED : 0 };
}

uint64_t bts_wrap(const struct vcpu *v)
{
    return v->ds.area.bts.base;
}

uint64_t bts_index(const struct vcpu *v)
{
    return v->ds.area.bts.index;
}

bool bts_write(struct vcpu *v, uint64_t index)
{
    const struct ds_form *form = &v->ds.form;
    uint8_t field[8];

    encode_field(field, form->width, index);
    return v->host->write(v->cpu, v->bts.at, v->bts.stage, v->bts.staged * encode_bts_bytes(form)) &&
           v->host->write(v->cpu, v->rules->ds_address(v) + encode_bts_index_at(form), field, form->width);
}

void bts_flush(struct vcpu *v)
{
    if (v->bts.staged == 0)
        return;
    const uint64_t index = v->rules->bts_index(v);

    if (v->rules->bts_write(v, index)) {
        v->activity[FACILITY_BTS].records += v->bts.staged;
        referee_area_bts_written(v, v->bts.at, index);
    } else {
        referee_report(v, RECORD_LOST, v->bts.last, v->bts.at, "bts.index");
    }
    v->bts.staged = 0;
}

/* Runs for each branch: `width` is a constant, and the manual's rule is called directly. */
static inline __attribute__((always_inline)) void stage_all(struct vcpu *v, const struct branch *branches, unsigned n,
                                                            unsigned width)
{
    const bool by_the_manual = v->rules->bts_contents == bts_contents;
    const unsigned size = 3 * width;
    struct ds_buffer *const bts = &v->ds.area.bts;
    bool skip_system, skip_user;

    v->rules->bts_filters(v, &skip_system, &skip_user);
    v->bts.last = branches[0].block->last;
    for (unsigned i = 0; i < n; i++) {
        if (branches[i].block->cpl == 0 ? skip_system : skip_user)
            continue;
        const struct bts_contents contents =
            by_the_manual ? bts_contents(v, &branches[i]) : v->rules->bts_contents(v, &branches[i]);

        if (!ds_buffer_fits(bts, size)) {
            bts_flush(v);
            bts->index = v->rules->bts_wrap(v);
        }
        if (v->bts.staged == 0)
            v->bts.at = bts->index;
        if (v->truth != NULL)
            truth_bts(v, bts->index, &contents);
        encode_bts(v->bts.stage + v->bts.staged * size, width, &contents);
        v->bts.staged++;
        bts->index += size;
    }
}

static void stage(struct vcpu *v, const struct branch *branches, unsigned n)
{
    if (v->ds.form.width == 8)
        stage_all(v, branches, n, 8);
    else
        stage_all(v, branches, n, 4);
}

void bts_store(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    if (area_readable && n > 0) {
        stage(v, branches, n);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!vcpu_debugctl(v, branches[i].block->cpl == 0 ? bits->bts_off_os : bits->bts_off_usr)) {
            referee_report(v, RECORD_LOST, branches[i].block->last, v->regs[REG_IA32_DS_AREA], "IA32_DS_AREA for BTS");
            return;
        }
    }
}

uint64_t bts_branches_left(const struct vcpu *v)
{
    const struct ds_buffer *bts = &v->ds.area.bts;
    const uint64_t record = encode_bts_bytes(&v->ds.form);

    if (!v->bts.on || v->bts.lost || !(vcpu_debugctl(v, v->profile->debugctl->btint) || v->watch.threshold))
        return UINT64_MAX;
    return bts->index < bts->threshold ? (bts->threshold - bts->index - 1) / record + 1 : 1;
}

void bts_finish(struct vcpu *v)
{
    bool stored = v->bts.staged > 0;

    bts_flush(v);
    if (stored)
        vcpu_written(v, v->ds.area.bts.index >= v->ds.area.bts.threshold);
    if (stored && vcpu_debugctl(v, v->profile->debugctl->btint) && v->ds.area.bts.index >= v->ds.area.bts.threshold) {
        v->status |= STATUS_OVF_BUF;
        v->pmi.wanted = true;
        v->pmi.asked[FACILITY_BTS] = true;
    }
}

bool bts_read_area(struct vcpu *v, uint64_t ip)
{
    v->bts.lost = v->bts.on && !ds_read(v);
    if (v->bts.on && !v->bts.lost)
        referee_area_read(v, ip);
    return v->bts.on && !v->bts.lost;
}

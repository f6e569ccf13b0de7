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
#include "model/engine/ring.h"
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

static inline struct bts_contents describe(const struct vcpu *v, const struct branch *branch)
{
    const bool predicted = v->profile->bts_predicted && branch->predicted;

    return (struct bts_contents){ branch->block->last, branch->to, predicted ? PREDICTED : 0 };
}

struct bts_contents bts_contents(const struct vcpu *v, const struct branch *branch)
{
    return describe(v, branch);
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
    return (v->bts.placed || v->host->write(v->cpu, v->bts.at, v->bts.stage, v->bts.staged * encode_bts_bytes(form))) &&
           v->host->write(v->cpu, v->rules->ds.address(v) + encode_bts_index_at(form), field, form->width);
}

void bts_flush(struct vcpu *v)
{
    if (v->bts.staged == 0) {
        return;
    }
    const uint64_t index = v->rules->bts.index(v);

    if (v->rules->bts.write(v, index)) {
        v->activity[FACILITY_BTS].records += v->bts.staged;
        referee_area_bts_written(v, v->bts.at, index);
    } else {
        referee_report(v, RECORD_LOST, v->bts.last, v->bts.at, "bts.index");
    }
    v->bts.staged = 0;
    v->bts.placed = false;
}

static void stage(struct vcpu *v, const struct branch *branches, unsigned n)
{
    const bool by_the_manual = v->rules->bts.contents == bts_contents;
    const unsigned size = encode_bts_bytes(&v->ds.form);
    struct ds_buffer *const bts = &v->ds.area.bts;
    unsigned staged = v->bts.staged;
    bool skip_system, skip_user;

    v->rules->bts.filters(v, &skip_system, &skip_user);
    v->bts.last = branches[0].block->last;
    for (unsigned i = 0; i < n; i++) {
        if (branches[i].block->cpl == 0 ? skip_system : skip_user) {
            continue;
        }
        /* The manual's rule is called directly, because this runs for each branch. */
        const struct bts_contents contents =
            by_the_manual ? describe(v, &branches[i]) : v->rules->bts.contents(v, &branches[i]);

        if (!ds_buffer_fits(bts, size)) {
            v->bts.staged = staged;
            bts_flush(v);
            staged = 0;
            bts->index = v->rules->bts.wrap(v);
        }
        if (staged == 0) {
            v->bts.at = bts->index;
        }
        if (v->truth != NULL) {
            truth_bts(v, bts->index, &contents);
        }
        encode_bts(v->bts.stage + staged * size, v->ds.form.width, &contents);
        staged++;
        bts->index += size;
    }
    v->bts.staged = staged;
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

    if (!v->bts.on || v->bts.lost || !(vcpu_debugctl(v, v->profile->debugctl->btint) || v->watch.threshold)) {
        return UINT64_MAX;
    }
    return bts->index < bts->threshold ? (bts->threshold - bts->index - 1) / record + 1 : 1;
}

void bts_finish(struct vcpu *v)
{
    bool stored = v->bts.staged > 0;

    bts_flush(v);
    if (stored) {
        vcpu_written(v, v->ds.area.bts.index >= v->ds.area.bts.threshold);
    }
    if (stored && vcpu_debugctl(v, v->profile->debugctl->btint) && v->ds.area.bts.index >= v->ds.area.bts.threshold) {
        v->status |= STATUS_OVF_BUF;
        v->pmi.wanted = true;
        v->pmi.asked[FACILITY_BTS] = true;
    }
}

bool bts_stores_all(const struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return v->ds.form.width == 8 && v->truth == NULL && !vcpu_debugctl(v, bits->bts_off_os | bits->bts_off_usr);
}

/* The first of blocks [i, n) whose branch was taken, or n. */
static unsigned next_taken(struct vcpu *v, unsigned i, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);

    for (; i < n && !block_took(ring[i], ring[i + 1]->pc); i++) {
        if (v->profile->bts_predicted) {
            v->predictor[ring[i]->slot] = ring[i + 1]->pc;
        }
    }
    return i;
}

struct predictor { /* an array, because gcc then needs no instruction for an element's address */
    uint64_t slots[1];
};

/*
 * Encodes the branch from block to next, if it was taken. Returns the end of the records. all: the block ends in a
 * branch. Runs for each branch.
 */
static inline __attribute__((always_inline)) uint8_t *encode_one(struct predictor *table, const struct block *block,
                                                                 const struct block *next, uint8_t *at,
                                                                 uint64_t predicted, bool all)
{
    struct bts_contents contents = { block->last, next->pc, 0 };

    if (predicted != 0) {
        __asm__("" : "+r"(predicted)); /* an unknown value is selected, not computed */
        contents.flags = table->slots[block->slot] == contents.to ? predicted : 0;
        table->slots[block->slot] = contents.to;
    }
    encode_bts(at, 8, &contents);
    /* The next record overwrites that of a branch that was not taken. */
    return at + ((all ? contents.to != block->fall : block_took(block, contents.to)) ? ENCODE_BTS_MAX : 0);
}

/* Encodes the taken branches of the blocks [place, behind). Returns the end of the records. */
static inline __attribute__((always_inline)) uint8_t *encode_some(struct vcpu *v, const struct block *const *place,
                                                                  const struct block *const *behind, uint8_t *at,
                                                                  uint64_t predicted, bool all)
{
    struct predictor *const table = (void *)v->predictor;
    const struct block *one = *place, *other;

    for (size_t fours = (size_t)(behind - place) / 4; fours > 0; fours--) { /* two in turn need no move of registers */
        other = place[1];
        at = encode_one(table, one, other, at, predicted, all);
        one = place[2];
        at = encode_one(table, other, one, at, predicted, all);
        other = place[3];
        at = encode_one(table, one, other, at, predicted, all);
        one = place[4];
        at = encode_one(table, other, one, at, predicted, all);
        place += 4;
    }
    for (; place < behind; place++) {
        at = encode_one(table, place[0], place[1], at, predicted, all);
    }
    return at;
}

/* Not inlined, so that its loops have all registers. */
static __attribute__((noinline)) uint8_t *encode_all(struct vcpu *v, const struct block *const *place,
                                                     const struct block *const *behind, uint8_t *at)
{
    if (!v->profile->bts_predicted) {
        return encode_some(v, place, behind, at, 0, false);
    }
    return encode_some(v, place, behind, at, PREDICTED, false);
}

/* Cycles of blocks [0, n). Only the next LBR entry has them, up to LBR_MAX_CYCLES. */
static void count_cycles(struct vcpu *v, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);

    for (unsigned i = 0; i < n && v->branches.time - v->lbr.time < LBR_MAX_CYCLES; i++) {
        v->branches.time += ring[i]->count;
    }
}

/* Each iteration stores as many branches as fit in the buffer, in the guest's memory if it is at hand. */
void bts_store_all(struct vcpu *v, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);
    const unsigned size = ENCODE_BTS_MAX; /* size of a record in the 64-bit form */
    struct ds_buffer *bts = &v->ds.area.bts;
    uint8_t *memory = NULL; /* that of v->bts.at */

    count_cycles(v, n);
    for (unsigned i = next_taken(v, 0, n); i < n; i = next_taken(v, i, n)) {
        v->bts.last = ring[i]->last;
        if (!ds_buffer_fits(bts, size)) {
            bts_flush(v);
            bts->index = bts->base;
        }
        const uint64_t room = ds_buffer_fits(bts, size) ? (bts->maximum - bts->index) / size : 1;
        unsigned end = room < n - i ? i + (unsigned)room : n;

        if (v->bts.staged == 0) { /* later iterations need no memory behind this, until the buffer wraps */
            memory = v->host->memory(v->cpu, bts->index, (end - i) * size);
            v->bts.placed = memory != NULL;
            v->bts.at = bts->index;
        }
        while (!block_took(ring[end - 1], ring[end]->pc)) { /* otherwise nothing would overwrite the last record */
            end--;
        }
        uint8_t *const start = (v->bts.placed ? memory : v->bts.stage) + v->bts.staged * size;
        const uint64_t bytes = (uint64_t)(encode_all(v, ring + i, ring + end, start) - start);

        i = end;
        v->bts.staged += (unsigned)bytes / size;
        bts->index += bytes;
    }
}

bool bts_read_area(struct vcpu *v, uint64_t ip)
{
    v->bts.lost = v->bts.on && !ds_read(v);
    if (v->bts.on && !v->bts.lost) {
        referee_area_read(v, ip);
    }
    return v->bts.on && !v->bts.lost;
}

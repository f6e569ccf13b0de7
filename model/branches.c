/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What branches leave behind: BTS records, LBR entries and counts of outcomes.
 *
 * The ring holds the blocks that began. A block's branch was taken if the next block does not lie behind it, or if it
 * is of a kind that always is. (A conditional branch to the instruction behind it thus counts as not taken.)
 *
 * Predictor. A table of profile->predictor_slots addresses, indexed by the branch's, without tags: a branch goes where
 * the one that used its slot last went. It is empty at reset and learns only while branches are being followed.
 * Interrupts and exceptions are never mispredicted.
 *
 * CPL filters. BTS_OFF_OS and BTS_OFF_USR go by the level that the branch is executed at, LBR_SELECT's CPL bits by the
 * level that it ends in: SDM Vol. 3B (253669), "CPL-Qualified Branch Trace Mechanism" and "Filtering of Last Branch
 * Records", edition 083.
 *
 * Wrapping. A record that does not fit before the absolute maximum goes to the base of the buffer, in both modes:
 * BTINT only decides whether reaching the threshold asks for an interrupt.
 */
#include "model/engine_parts.h"

#define LBR_SELECT_CPL_EQ_0     (UINT64_C(1) << 0)
#define LBR_SELECT_CPL_NEQ_0    (UINT64_C(1) << 1)
#define LBR_SELECT_FIRST_KIND   2
#define LBR_SELECT_EN_CALLSTACK (UINT64_C(1) << 9)

#define LBR_INFO_MISPRED    (UINT64_C(1) << 63)
#define LBR_INFO_MAX_CYCLES 0xffff

struct branch {
    uint64_t from, to;
    enum block_end end;
    unsigned from_cpl, to_cpl;
    bool mispredicted;
};

void branches_set_limit(struct vcpu *v)
{
    uint64_t branches = ENGINE_RING - 1;

    if (bts_on(v) && (v->regs[REG_IA32_DEBUGCTL] & DEBUGCTL_BTINT)) {
        const struct ds_buffer *bts = &v->ds.bts;
        uint64_t records = 1;

        if (bts->index < bts->threshold) {
            records = (bts->threshold - bts->index + ENCODE_BTS_BYTES - 1) / ENCODE_BTS_BYTES;
        }
        branches = records < branches ? records : branches;
    }
    if (v->counts_outcomes) {
        uint64_t left = counting_outcomes_left(v);

        branches = left < branches ? left : branches;
    }
    v->ring_limit = (unsigned)branches + 1; /* the newest block's branch is still open */
}

void branches_flush(struct vcpu *v)
{
    uint8_t bytes[ENGINE_RING * ENCODE_BTS_BYTES];
    uint8_t index[8];

    if (v->bts_staged == 0) {
        return;
    }
    for (unsigned i = 0; i < v->bts_staged; i++) {
        encode_bts(bytes + i * ENCODE_BTS_BYTES, &v->bts_stage[i]);
    }
    encode_u64(index, v->ds.bts.index);
    if (!v->host->write(v->cpu, v->bts_at, bytes, v->bts_staged * ENCODE_BTS_BYTES) ||
        !v->host->write(v->cpu, v->regs[REG_IA32_DS_AREA] + ENCODE_DS_BTS_INDEX, index, sizeof(index))) {
        referee_report(v, v->bts_stage[0].from, "bts-buffer-not-mapped",
                       "a branch record could not be written: the BTS buffer or the DS area is not present",
                       "SDM Vol. 3B (253669-083), \"Setting Up the DS Save Area\"");
    }
    v->bts_staged = 0;
}

static void store_bts(struct vcpu *v, const struct branch *b)
{
    struct ds_buffer *bts = &v->ds.bts;
    uint64_t off = b->from_cpl == 0 ? DEBUGCTL_BTS_OFF_OS : DEBUGCTL_BTS_OFF_USR;

    if (v->regs[REG_IA32_DEBUGCTL] & off) {
        return;
    }
    if (bts->index + ENCODE_BTS_BYTES > bts->maximum || bts->index < bts->base) {
        branches_flush(v);
        bts->index = bts->base;
    }
    if (v->bts_staged == 0) {
        v->bts_at = bts->index;
    }
    struct bts_event *event = &v->bts_stage[v->bts_staged++];

    *event = (struct bts_event){ b->from, b->to, 0 };
    if (v->truth != NULL) {
        truth_bts(v, bts->index, event);
    }
    bts->index += ENCODE_BTS_BYTES;
}

static bool lbr_wants(const struct vcpu *v, const struct branch *b)
{
    uint64_t select = v->regs[REG_MSR_LBR_SELECT];

    return !(select & (b->to_cpl == 0 ? LBR_SELECT_CPL_EQ_0 : LBR_SELECT_CPL_NEQ_0)) &&
           !(select >> ((unsigned)b->end - END_JCC + LBR_SELECT_FIRST_KIND) & 1);
}

static void store_lbr(struct vcpu *v, const struct branch *b)
{
    uint64_t mask = v->profile->lbr_depth - 1;
    uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];

    if (!lbr_wants(v, b)) {
        return;
    }
    if ((v->regs[REG_MSR_LBR_SELECT] & LBR_SELECT_EN_CALLSTACK) && b->end == END_RET) {
        v->lbr[*tos & mask] = (struct lbr_entry){ 0, 0, 0 }; /* the call that it answers is over */
        *tos = (*tos - 1) & mask;
        return;
    }
    uint64_t cycles = v->time - v->lbr_time;
    struct lbr_entry entry = { b->from, b->to, cycles < LBR_INFO_MAX_CYCLES ? cycles : LBR_INFO_MAX_CYCLES };

    if (b->mispredicted) {
        entry.info |= LBR_INFO_MISPRED;
    }
    v->lbr_time = v->time;
    *tos = (*tos + 1) & mask;
    v->lbr[*tos] = entry;
    if (v->truth != NULL) {
        truth_lbr(v, (unsigned)*tos, &entry);
    }
}

static void count_outcome(struct vcpu *v, const struct branch *b, bool taken)
{
    bool near = b->end < END_FAR;
    uint32_t kinds = 0;

    kinds |= UINT32_C(1) << (taken ? EVENT_NEAR_TAKEN : EVENT_NOT_TAKEN) & (near ? ~UINT32_C(0) : 0);
    if (b->mispredicted) {
        kinds |= UINT32_C(1) << EVENT_MISPREDICTED;
        kinds |= b->end == END_JCC ? UINT32_C(1) << EVENT_MISPREDICTED_CONDITIONAL : 0;
        kinds |= b->end == END_REL_CALL || b->end == END_IND_CALL ? UINT32_C(1) << EVENT_MISPREDICTED_CALLS : 0;
        kinds |= near && taken ? UINT32_C(1) << EVENT_MISPREDICTED_NEAR_TAKEN : 0;
    }
    for (unsigned kind = EVENT_OUTCOMES; kind < EVENT_DATA; kind++) {
        if (kinds >> kind & 1) {
            v->hot->counts[event_class((enum event_kind)kind, ANY_RING)]++;
            v->hot->counts[event_class((enum event_kind)kind, b->from_cpl == 0 ? RING_0 : OTHER_RINGS)]++;
        }
    }
}

/* A block has run to its end, and the next one begins at `next`. */
static void finish_block(struct vcpu *v, const struct block *block, uint64_t next, unsigned cpl, bool bts, bool lbr)
{
    v->time += block->count;
    if (block->end < END_JCC || block->end == END_INT) {
        return; /* no branch, or one that is seen as an interruption */
    }
    struct branch b = { block->last, next, (enum block_end)block->end, block->cpl, cpl, false };
    bool taken = block->end != END_JCC || next != block->next;

    if (lbr || v->counts_outcomes) {
        uint64_t hash = block->last ^ block->last >> 12;
        uint64_t *slot = &v->predictor[hash & (v->profile->predictor_slots - 1)];

        b.mispredicted = *slot != next;
        *slot = next;
    }
    if (v->counts_outcomes) {
        count_outcome(v, &b, taken);
        v->last_branch = block->last;
    }
    if (!taken) {
        return;
    }
    if (lbr) {
        store_lbr(v, &b);
    }
    if (bts) {
        store_bts(v, &b);
    }
}

/* True when branches go to the BTS buffer: it is enabled and its management area can be read. */
static bool begin_bts(struct vcpu *v)
{
    if (!bts_on(v)) {
        return false;
    }
    return engine_read_ds(v);
}

static void end_bts(struct vcpu *v, bool stored)
{
    branches_flush(v);
    if (stored && (v->regs[REG_IA32_DEBUGCTL] & DEBUGCTL_BTINT) && v->ds.bts.index >= v->ds.bts.threshold) {
        v->status |= STATUS_OVF_BUF;
        v->pmi_wanted = true;
    }
}

void branches_drain(struct vcpu *v, bool keep_last, uint64_t next, unsigned cpl)
{
    unsigned n = v->ring_used;

    if (n == 0) {
        return;
    }
    bool lbr = lbr_on(v);
    bool bts = begin_bts(v);
    uint64_t index = v->ds.bts.index;

    for (unsigned i = 0; i + 1 < n; i++) {
        finish_block(v, v->ring[i], v->ring[i + 1]->pc, v->ring[i + 1]->cpl, bts, lbr);
    }
    if (keep_last) {
        v->ring[0] = v->ring[n - 1];
        v->ring_used = 1;
    } else {
        finish_block(v, v->ring[n - 1], next, cpl, bts, lbr);
        v->ring_used = 0;
    }
    if (bts) {
        end_bts(v, v->ds.bts.index != index);
    }
    branches_set_limit(v);
}

void branches_drop_last(struct vcpu *v, unsigned index)
{
    branches_drain(v, true, 0, 0);
    v->time += v->ring_used > 0 ? index : 0;
    v->ring_used = 0;
}

void branches_interruption(struct vcpu *v, uint64_t from, uint64_t to, unsigned from_cpl, unsigned to_cpl)
{
    struct branch b = { from, to, END_FAR, from_cpl, to_cpl, false };
    bool bts = begin_bts(v);

    if (lbr_on(v)) {
        store_lbr(v, &b);
    }
    if (bts) {
        uint64_t index = v->ds.bts.index;

        store_bts(v, &b);
        end_bts(v, v->ds.bts.index != index);
    }
    branches_set_limit(v);
}

bool engine_ring_full(struct vcpu *v)
{
    const struct block *block = v->ring[v->ring_used - 1];

    branches_drain(v, true, 0, 0);
    if (counting_outcome_due(v)) {
        counting_fall_due(v, BETWEEN_BLOCKS, block->pc, v->last_branch, NULL);
        branches_set_limit(v);
    }
    if (v->pmi_wanted) {
        v->ring_used = 0; /* the block begins again, behind the interrupt */
        engine_deliver(v);
        if (engine_took_pmi(v)) {
            return true;
        }
        v->ring[0] = block;
        v->ring_used = v->hot->tracing != 0;
    }
    return false;
}

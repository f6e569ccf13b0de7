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
 * level that it ends in: SDM Vol. 3B (253669-083), "CPL-Qualified Branch Trace Mechanism" and "Filtering of Last
 * Branch Records".
 *
 * Wrapping. A record that does not fit before the absolute maximum goes to the base of the buffer, in both modes:
 * BTINT only decides whether reaching the threshold asks for an interrupt.
 */
#include <string.h>

#include "model/engine/engine_parts.h"

#define LBR_MISPRED         (UINT64_C(1) << 63) /* of FROM or of LBR_INFO, whichever the format has */
#define LBR_INFO_MAX_CYCLES 0xffff

#define HANDFUL 64
#define BIT(n)  (UINT64_C(1) << (n))

void branches_set_limit(struct vcpu *v)
{
    uint64_t branches = ENGINE_RING - 1;
    const unsigned used = ring_used(v);
    const struct block **const ring = ring_blocks(v);

    if (bts_on(v) && debugctl_has(v, v->profile->debugctl->btint)) {
        const struct ds_buffer *bts = &v->ds.bts;
        const uint64_t record = encode_bts_bytes(&v->form);
        uint64_t records = 1;

        if (bts->index < bts->threshold) {
            records = (bts->threshold - bts->index + record - 1) / record;
        }
        branches = records < branches ? records : branches;
    }
    if (v->counts_outcomes) {
        uint64_t left = counting_outcomes_left(v);

        branches = left < branches ? left : branches;
    }
    if (v->hot->tracing == 0) {
        branches = ENGINE_RING - 1;
    }
    v->ring_start = ENGINE_RING - 1 - (unsigned)branches; /* the newest block's branch is still open */
    memmove(ring_blocks(v), ring, used * sizeof(ring[0]));
    ring_set_used(v, used);
}

void branches_flush(struct vcpu *v)
{
    uint8_t index[8];

    if (v->bts_staged == 0) {
        return;
    }
    const uint64_t next = v->faults.any ? faults_bts_index(v, v->ds.bts.index) : v->ds.bts.index;

    encode_field(index, v->form.width, next);
    if (!v->host->write(v->cpu, v->bts_at, v->bts_stage, v->bts_staged * encode_bts_bytes(&v->form)) ||
        !v->host->write(v->cpu, engine_ds_area(v) + encode_bts_index_at(&v->form), index, v->form.width)) {
        referee_report(v, RECORD_LOST, v->last_branch);
    }
    if (v->faults.any) {
        faults_bts_fields(v);
    }
    referee_bts_written(v, v->bts_at, next);
    v->bts_staged = 0;
}

static void store_bts(struct vcpu *v, const struct branch *branches, unsigned n)
{
    const bool faulty = v->faults.any;
    bool skip_system = debugctl_has(v, v->profile->debugctl->bts_off_os);
    bool skip_user = debugctl_has(v, v->profile->debugctl->bts_off_usr);
    const unsigned size = encode_bts_bytes(&v->form);
    uint64_t index = v->ds.bts.index;
    const uint64_t base = v->ds.bts.base;
    const uint64_t maximum = v->ds.bts.maximum;
    unsigned staged = v->bts_staged;

    if (faulty) {
        faults_bts_filters(v, &skip_system, &skip_user);
    }
    v->last_branch = branches[0].block->last;
    for (unsigned i = 0; i < n; i++) {
        struct bts_event event = { branches[i].block->last, branches[i].to,
                                   v->profile->bts_predicted && branches[i].predicted ? BTS_PREDICTED : 0 };

        if (branches[i].block->cpl == 0 ? skip_system : skip_user) {
            continue;
        }
        if (faulty) {
            faults_bts_event(v, &branches[i], &event);
        }
        if (faulty && faults_bts_lose(v, index, size)) {
            continue;
        }
        if (index + size > maximum || index < base) {
            v->bts_staged = staged;
            branches_flush(v);
            staged = 0;
            index = faulty ? faults_bts_wrap(v, base) : base;
        }
        if (staged == 0) {
            v->bts_at = index;
        }
        if (v->truth != NULL) {
            truth_bts(v, index, &event);
        }
        encode_bts(v->bts_stage + staged * size, v->form.width, &event);
        staged++;
        index += size;
        v->ds.bts.index = index;
    }
    v->bts_staged = staged;
}

/*
 * A branch from a level that is left out to one that is not tells nothing of the first (SDM Vol. 3B (253669-083), "Last
 * Branch Records", "CPL Filtering").
 */
#define LBR_FROM_FILTERED UINT64_MAX

static uint64_t lbr_cpl_filter(unsigned cpl)
{
    return cpl == 0 ? LBR_SELECT_CPL_EQ_0 : LBR_SELECT_CPL_NEQ_0;
}

static bool lbr_wants(uint64_t select, const struct branch *b)
{
    return !(select & lbr_cpl_filter(b->to_cpl)) &&
           !(select >> ((unsigned)b->block->end - END_JCC + LBR_SELECT_FIRST_KIND) & 1);
}

/* SDM Vol. 3B (253669-083), "LBR Stack" and "LBR Stack and Intel 64 Processors"; Vol. 4, MSR_LASTBRANCH_x. */
static struct lbr_entry lbr_encode(enum lbr_format format, const struct lbr_event *e)
{
    uint64_t flag = e->mispredicted ? LBR_MISPRED : 0;
    uint64_t cycles = e->cycles < LBR_INFO_MAX_CYCLES ? e->cycles : LBR_INFO_MAX_CYCLES;

    switch (format) {
    case LBR_FORMAT_32:
        return (struct lbr_entry){ (uint32_t)e->from, (uint32_t)e->to, 0 };
    case LBR_FORMAT_EIP_FLAGS:
        return (struct lbr_entry){ (e->from & ~LBR_MISPRED) | flag, e->to, 0 };
    case LBR_FORMAT_EIP_FLAGS2: /* in no transaction, and none aborted */
        return (struct lbr_entry){ (e->from & ~(UINT64_C(7) << 61)) | flag, e->to, 0 };
    case LBR_FORMAT_INFO:
        return (struct lbr_entry){ e->from, e->to, flag | cycles };
    case LBR_FORMAT_ARCH:
        return (struct lbr_entry){ e->from, e->to, lbr_arch_info(e) };
    default:
        return (struct lbr_entry){ e->from, e->to, 0 };
    }
}

static inline void push_lbr(struct vcpu *v, const struct branch *b, bool faulty)
{
    uint64_t mask = lbr_depth(v) - 1;
    uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];
    struct lbr_event event = { b->block->last,  b->to,        b->time - v->lbr_time,
                               b->mispredicted, v->lbr_timed, b->block->end };

    if (v->profile->lbr_format == LBR_FORMAT_ARCH && (v->regs[REG_MSR_LBR_SELECT] & lbr_cpl_filter(b->block->cpl))) {
        event.from = LBR_FROM_FILTERED;
    }

    if (faulty) {
        faults_lbr_event(v, b, &event);
    }
    v->lbr_time = b->time;
    v->lbr_timed = true;
    *tos = (faulty ? faults_lbr_top(v, *tos) : *tos + 1) & mask;
    v->lbr[*tos] = lbr_encode(v->profile->lbr_format, &event);
    if (faulty) {
        faults_lbr_entry(v, &v->lbr[*tos]);
    }
    if (v->truth != NULL) {
        truth_lbr(v, (unsigned)*tos, &event);
    }
}

static inline void store_lbr(struct vcpu *v, const struct branch *branches, unsigned n, bool faulty)
{
    uint64_t select = v->regs[REG_MSR_LBR_SELECT];
    unsigned depth = lbr_depth(v);
    bool pops = true;

    if (faulty) {
        select = faults_lbr_select(v, select);
        pops = faults_lbr_pops(v);
    }
    for (unsigned i = 0; i < n; i++) {
        const struct branch *b = &branches[i];

        if (!lbr_wants(select, b)) {
            continue;
        }
        if (pops && (select & LBR_SELECT_EN_CALLSTACK) &&
            b->block->end == END_RET) { /* the call that it answers is over */
            uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];

            v->lbr[*tos] = (struct lbr_entry){ 0, 0, 0 };
            *tos = (*tos - 1) & (depth - 1);
            continue;
        }
        push_lbr(v, b, faulty);
    }
}

/* Whether the branch went elsewhere than the last one that used its slot, which remembers this one. */
static inline bool mispredicts(struct vcpu *v, const struct block *block, uint64_t to)
{
    uint64_t *slot = &v->predictor[block->slot];
    bool wrong = *slot != to;

    *slot = to;
    return wrong;
}

/* Bit i of the n-th: mask i of EVENT_BRANCH_SETS has bit n. */
static const uint16_t masks_with[4] = { 0xaaaa, 0xcccc, 0xf0f0, 0xff00 };

static void count_outcome(struct vcpu *v, const struct block *block, bool taken, bool mispredicted)
{
    bool near = block->end < END_FAR;
    bool call = block->end == END_REL_CALL || block->end == END_IND_CALL;
    bool conditional = block->end == END_JCC;
    uint64_t kinds = near ? BIT(taken ? EVENT_NEAR_TAKEN : EVENT_NOT_TAKEN) : 0;

    kinds |= conditional && taken ? BIT(EVENT_CONDITIONAL_TAKEN) : 0;
    if (mispredicted) {
        bool indirect_call = block->end == END_IND_CALL;

        kinds |= conditional ? BIT(taken ? EVENT_MISPREDICTED_CONDITIONAL_TAKEN : EVENT_MISPREDICTED_NOT_TAKEN) : 0;
        kinds |= indirect_call ? BIT(EVENT_MISPREDICTED_INDIRECT_CALLS) : 0;
        kinds |= indirect_call || block->end == END_IND_JMP ? BIT(EVENT_MISPREDICTED_INDIRECT) : 0;
        kinds |= BIT(EVENT_MISPREDICTED);
        kinds |= conditional ? BIT(EVENT_MISPREDICTED_CONDITIONAL) : 0;
        kinds |= call ? BIT(EVENT_MISPREDICTED_CALLS) : 0;
        kinds |= near && taken ? BIT(EVENT_MISPREDICTED_NEAR_TAKEN) : 0;
        kinds |= near && block->end != END_RET ? BIT(EVENT_MISPREDICTED_TAGGABLE) : 0;
    }
    if (is_netburst(v)) {
        kinds |= (uint64_t)masks_with[taken << 1 | mispredicted] << EVENT_BRANCH_SETS;
    }
    for (; kinds != 0; kinds &= kinds - 1) {
        enum event_kind kind = (enum event_kind)__builtin_ctzll(kinds);

        v->hot->counts[event_class(kind, ANY_RING)]++;
        v->hot->counts[event_class(kind, block->cpl == 0 ? RING_0 : OTHER_RINGS)]++;
    }
}

static void record_bts(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable)
{
    if (n == 0) {
        return;
    }
    if (area_readable) {
        store_bts(v, branches, n);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!debugctl_has(v, branches[i].block->cpl == 0 ? v->profile->debugctl->bts_off_os
                                                         : v->profile->debugctl->bts_off_usr)) {
            referee_report(v, RECORD_LOST, branches[i].block->last);
            return;
        }
    }
}

static void record_faulty(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable)
{
    struct branch kept[HANDFUL];

    if (lbr_on(v)) {
        store_lbr(v, kept, faults_lbr_branches(v, branches, n, kept), true);
    }
    if (bts_on(v)) {
        record_bts(v, kept, faults_bts_branches(v, branches, n, kept), area_readable);
    }
}

static void record(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable)
{
    if (v->faults.any) {
        record_faulty(v, branches, n, area_readable);
        return;
    }
    if (lbr_on(v)) {
        store_lbr(v, branches, n, false);
    }
    if (bts_on(v)) {
        record_bts(v, branches, n, area_readable);
    }
}

/* Once all that a drain stored is gathered. */
static void finish_bts(struct vcpu *v)
{
    bool stored = v->bts_staged > 0;

    branches_flush(v);
    if (stored && debugctl_has(v, v->profile->debugctl->btint) && v->ds.bts.index >= v->ds.bts.threshold) {
        v->status |= STATUS_OVF_BUF;
        v->pmi_wanted = true;
    }
}

/*
 * Puts the taken ones among the branches of blocks [0, n) into branches, which has room for n. blocks[n] began after
 * the last of them. Returns how many there are. With faults they are not only the taken ones.
 */
static unsigned gather(struct vcpu *v, const struct block *const *blocks, unsigned n, struct branch *branches,
                       bool predict)
{
    unsigned taken = 0;
    uint64_t time = v->time;

    for (unsigned i = 0; i < n; i++) {
        const struct block *block = blocks[i];
        const struct block *next = blocks[i + 1];
        struct branch *b = &branches[taken];
        unsigned took = block_took(block, next->pc);

        time += block->count;
        b->block = block;
        b->to = next->pc;
        if (v->faults.any) {
            b->not_taken = !took;
            taken += block->mask != 0;
        } else {
            taken += took;
        }
        if (predict) {
            b->time = time;
            b->to_cpl = next->cpl;
            if (block->mask != 0) {
                b->mispredicted = mispredicts(v, block, next->pc);
                b->predicted = !b->mispredicted;
                if (v->counts_outcomes) {
                    count_outcome(v, block, took, b->mispredicted);
                    v->last_branch = block->last;
                }
            }
        }
    }
    v->time = time;
    return taken;
}

/*
 * When only the LBR stack is interested, and in every branch: the first block of those that still matter, among them
 * one branch more than there are entries, for its time. Those before it would only be overwritten.
 */
static unsigned first_that_matters(const struct vcpu *v, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);
    unsigned needed = lbr_depth(v) + 1;

    if (!lbr_on(v) || bts_on(v) || v->counts_outcomes || v->truth != NULL || v->faults.any ||
        v->regs[REG_MSR_LBR_SELECT] != 0) {
        return 0;
    }
    while (n > 0 && needed > 0) {
        n--;
        needed -= block_took(ring[n], ring[n + 1]->pc);
    }
    return n;
}

/* What the branches of blocks [0, n) do besides being overwritten. */
static void pass_over(struct vcpu *v, unsigned n)
{
    uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];
    uint64_t *predictor = v->predictor;
    const struct block *const *at = ring_blocks(v), *const *const end = at + n;
    unsigned taken = 0;

    while (at < end) {
        const struct block *block = *at++;
        uint64_t to = (*at)->pc;

        predictor[block->slot] = to;
        taken += block_took(block, to);
    }
    *tos = (*tos + taken) & (lbr_depth(v) - 1);
}

/* Whether only BTS is interested, in every branch, and nobody logs. */
static bool stores_all(const struct vcpu *v, bool predict)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return v->form.width == 8 && !predict && v->truth == NULL && !debugctl_has(v, bits->bts_off_os | bits->bts_off_usr);
}

/* The first of blocks [i, n) that ended in a taken branch, n if there is none. */
static unsigned next_taken(struct vcpu *v, unsigned i, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);

    while (i < n && !block_took(ring[i], ring[i + 1]->pc)) {
        v->time += ring[i++]->count;
    }
    return i;
}

/* The taken branches of blocks [0, n), out of the ring into the stage: as many in a row as the buffer has room for. */
static void store_all(struct vcpu *v, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);
    const unsigned size = ENCODE_BTS_MAX; /* that of the 64-bit form */
    struct ds_buffer *bts = &v->ds.bts;

    for (unsigned i = next_taken(v, 0, n); i < n; i = next_taken(v, i, n)) {
        v->last_branch = ring[i]->last;
        if (bts->index + size > bts->maximum || bts->index < bts->base) {
            branches_flush(v);
            bts->index = bts->base;
        }
        const uint64_t room = bts->index + size <= bts->maximum ? (bts->maximum - bts->index) / size : 1;
        const unsigned end = room < n - i ? i + (unsigned)room : n;
        uint8_t *const start = v->bts_stage + v->bts_staged * size;
        uint8_t *at = start;
        uint64_t time = v->time;

        for (; i < end; i++) {
            const struct bts_event event = { ring[i]->last, ring[i + 1]->pc, 0 };

            encode_bts(at, 8, &event);
            at += block_took(ring[i], event.to) * size; /* the next one overwrites what was no taken branch */
            time += ring[i]->count;
        }
        v->time = time;
        v->bts_at = v->bts_staged == 0 ? bts->index : v->bts_at;
        v->bts_staged += (unsigned)(at - start) / size;
        bts->index += (uint64_t)(at - start);
    }
}

/* The area, if there is a use for it, before the branch at ip is stored. */
static bool read_area(struct vcpu *v, uint64_t ip)
{
    bool readable = bts_on(v) && engine_read_ds(v);

    if (readable) {
        referee_area_read(v, ip);
    }
    return readable;
}

static void drain(struct vcpu *v, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);
    struct branch branches[HANDFUL];
    bool predict = v->faults.any || lbr_on(v) || v->counts_outcomes || (bts_on(v) && v->profile->bts_predicted);
    bool area_readable = read_area(v, n > 0 ? ring[0]->last : 0);

    if (area_readable && stores_all(v, predict)) {
        store_all(v, n);
        finish_bts(v);
        return;
    }
    unsigned start = first_that_matters(v, n);

    pass_over(v, start);
    for (unsigned first = start; first < n; first += HANDFUL) {
        unsigned some = n - first < HANDFUL ? n - first : HANDFUL;

        record(v, branches, gather(v, ring + first, some, branches, predict), area_readable);
    }
    finish_bts(v);
}

void branches_drain(struct vcpu *v, bool keep_last, uint64_t next, unsigned cpl)
{
    const struct block **const ring = ring_blocks(v);
    const unsigned n = ring_used(v);

    if (n == 0) {
        return;
    }
    if (keep_last) {
        drain(v, n - 1);
        ring[0] = ring[n - 1];
        ring_set_used(v, 1);
    } else {
        struct block after = { .pc = next, .cpl = (uint8_t)cpl };

        ring[n] = &after;
        drain(v, n);
        ring_set_used(v, 0);
    }
    branches_set_limit(v);
}

void branches_drop_last(struct vcpu *v, unsigned index)
{
    branches_drain(v, true, 0, 0);
    v->time += ring_used(v) > 0 ? index : 0;
    ring_set_used(v, 0);
}

void branches_interruption(struct vcpu *v, uint64_t from, uint64_t to, unsigned from_cpl, unsigned to_cpl)
{
    struct block at = { .last = from, .end = END_FAR, .cpl = (uint8_t)from_cpl };
    struct branch b = { &at, to, v->time, false, false, (uint8_t)to_cpl, false };

    if (lbr_on(v)) {
        v->regs[REG_MSR_LER_FROM_LIP] = v->lbr[v->regs[REG_MSR_LASTBRANCH_TOS]].from;
        v->regs[REG_MSR_LER_TO_LIP] = v->lbr[v->regs[REG_MSR_LASTBRANCH_TOS]].to;
    }

    record(v, &b, 1, read_area(v, from));
    finish_bts(v);
    branches_set_limit(v);
}

/* When only the LBR stack is interested: makes room in the ring by dropping what does not matter. False: too little
 * does. */
static bool forget(struct vcpu *v)
{
    const struct block **const ring = ring_blocks(v);
    unsigned first = first_that_matters(v, ring_used(v) - 1);

    if (first < ENGINE_RING / 2) {
        return false;
    }
    pass_over(v, first);
    ring_set_used(v, ring_used(v) - first);
    memmove(ring, ring + first, ring_used(v) * sizeof(ring[0]));
    return true;
}

bool engine_ring_full(struct vcpu *v)
{
    const struct block *block = ring_blocks(v)[ring_used(v) - 1];

    if (forget(v)) {
        return false;
    }
    branches_drain(v, true, 0, 0);
    if (counting_outcome_due(v)) {
        counting_fall_due(v, BETWEEN_BLOCKS, block->pc, v->last_branch, NULL);
        branches_set_limit(v);
    }
    if (v->pmi_wanted) {
        ring_set_used(v, 0); /* the block begins again, behind the interrupt */
        engine_deliver(v, BETWEEN_BLOCKS);
        if (engine_took_pmi(v)) {
            return true;
        }
        ring_set_used(v, v->hot->tracing != 0); /* the drain left it there */
    }
    return false;
}

bool engine_ring_nearly_full(struct vcpu *v, const struct block *block)
{
    const bool again = engine_block(v, block) && engine_ring_full(v);

    if (ring_used(v) > 0) {
        ring_set_used(v, ring_used(v) - 1); /* it comes there by itself */
    }
    return again;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring has the blocks that began. A block's branch was taken if it is unconditional, or if the next block does not
 * follow it in memory. (A conditional branch to the next instruction thus counts as not taken.)
 *
 * Predictor: a table of profile->predictor_slots addresses, indexed by the branch's address, without tags. A branch is
 * predicted to go where the last branch with the same slot went. The table is empty at reset and learns only while
 * branches are followed. Interrupts and exceptions are never mispredicted.
 */
#include "model/engine/branches.h"

#include <string.h>

#include "model/engine/bts.h"
#include "model/engine/counting.h"
#include "model/engine/data_cache.h"
#include "model/engine/lbr.h"
#include "model/engine/lbr_events.h"
#include "model/engine/ring.h"
#include "model/engine/rules.h"
#include "model/engine/slots.h"

#define KEPT   (ENGINE_RING / 8) /* blocks that stay in a full ring to train the predictor */
#define BIT(n) (UINT64_C(1) << (n))

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void branches_set_limit(struct vcpu *v)
{
    uint64_t branches = ENGINE_RING - 1;
    const unsigned used = ring_used(v);
    const struct block **const ring = ring_blocks(v), *const running = ring_running_block(v);

    if (v->hot->tracing != 0) {
        branches = smaller(branches, bts_branches_left(v));
        branches = v->watch.record && v->bts.on ? 1 : branches;
        branches = v->watch.hit ? 0 : branches; /* an interruption took the block; its handler has not begun */
        branches = smaller(branches, v->counting.outcomes ? counting_outcomes_left(v) : UINT64_MAX);
    }
    v->ring.start = ENGINE_RING - 1 - (unsigned)branches; /* the outcome of the newest branch is not known yet */
    memmove(ring_blocks(v), ring, used * sizeof(ring[0]));
    if (used > 0)
        ring_set_used(v, used);
    else
        ring_empty(v, running);
}

/* Whether the branch went elsewhere than the previous branch with the same slot. Updates the slot. */
bool branches_mispredicted(struct vcpu *v, const struct block *block, uint64_t to)
{
    uint64_t *slot = &v->predictor[block->slot];
    bool wrong = *slot != to;

    *slot = to;
    return wrong;
}

/* The kinds of event that a taken branch is, for each kind of branch. */
static const uint64_t taken_kinds[] = {
    [END_REL_JMP] = BIT(EVENT_DIRECT_JUMPS),
    [END_IND_JMP] = BIT(EVENT_INDIRECT_JUMPS),
    [END_REL_CALL] = BIT(EVENT_DIRECT_CALLS),
    [END_IND_CALL] = BIT(EVENT_INDIRECT_CALLS),
    [END_INT] = 0, /* the last one */
};

/* Bit i of entry n: mask i of EVENT_BRANCH_SETS has bit n. */
static const uint16_t masks_with[4] = { 0xaaaa, 0xcccc, 0xf0f0, 0xff00 };

/* Returns the kinds of event that the branch is, one bit each. */
static uint64_t count_outcome(struct vcpu *v, const struct block *block, bool taken, bool mispredicted)
{
    bool near = block->end < END_FAR;
    bool call = block->end == END_REL_CALL || block->end == END_IND_CALL;
    bool conditional = block->end == END_JCC;
    uint64_t kinds = near ? BIT(taken ? EVENT_NEAR_TAKEN : EVENT_NOT_TAKEN) : 0;

    kinds |= conditional && taken ? BIT(EVENT_CONDITIONAL_TAKEN) : 0;
    kinds |= taken ? BIT(EVENT_TAKEN) | taken_kinds[block->end] : 0;
    if (mispredicted) {
        bool indirect_call = block->end == END_IND_CALL;

        if (v->counting.slots)
            slots_lose(v->counting.bad, block->cpl);
        kinds |= conditional ? BIT(taken ? EVENT_MISPREDICTED_CONDITIONAL_TAKEN : EVENT_MISPREDICTED_NOT_TAKEN) : 0;
        kinds |= indirect_call ? BIT(EVENT_MISPREDICTED_INDIRECT_CALLS) : 0;
        kinds |= indirect_call || block->end == END_IND_JMP ? BIT(EVENT_MISPREDICTED_INDIRECT) : 0;
        kinds |= block->end == END_IND_JMP ? BIT(EVENT_MISPREDICTED_INDIRECT_JUMPS) : 0;
        kinds |= BIT(EVENT_MISPREDICTED);
        kinds |= conditional ? BIT(EVENT_MISPREDICTED_CONDITIONAL) : 0;
        kinds |= call ? BIT(EVENT_MISPREDICTED_CALLS) : 0;
        kinds |= block->end == END_RET ? BIT(EVENT_MISPREDICTED_NEAR_RETURNS) : 0;
        kinds |= near && taken ? BIT(EVENT_MISPREDICTED_NEAR_TAKEN) : 0;
        kinds |= near && block->end != END_RET ? BIT(EVENT_MISPREDICTED_TAGGABLE) : 0;
    }
    if (vcpu_is_netburst(v))
        kinds |= (uint64_t)masks_with[taken << 1 | mispredicted] << EVENT_BRANCH_SETS;
    for (uint64_t left = kinds; left != 0; left &= left - 1) {
        enum event_kind kind = (enum event_kind)__builtin_ctzll(left);

        v->hot->counts[event_class(kind, ANY_RING)]++;
        v->hot->counts[event_class(kind, block->cpl == 0 ? RING_0 : OTHER_RINGS)]++;
    }
    return kinds;
}

static void count_code(struct vcpu *v, const struct block *block)
{
    unsigned walks = 0;

    for (enum event_kind kind = EVENT_CODE_MISSES; kind <= EVENT_CODE_TLB_HITS; kind++) {
        unsigned n = data_cache_code_misses(v->cache, block->pc, block->last, kind);

        n -= kind != EVENT_CODE_TLB_HITS ? 0 : n < walks ? n : walks;
        walks = n;
        v->hot->counts[event_class(kind, ANY_RING)] += n;
        v->hot->counts[event_class(kind, block->cpl == 0 ? RING_0 : OTHER_RINGS)] += n;
    }
}

void branches_record(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable)
{
    if (v->lbr.on)
        lbr_store(v, branches, n);
    if (v->bts.on)
        bts_store(v, branches, n, area_readable);
}

/*
 * Gathers the taken branches of blocks [0, n) into `branches`, which has room for n. blocks[n] is the block that began
 * after them. Returns how many were gathered. every_branch: also branches that are not taken.
 */
static inline __attribute__((always_inline)) unsigned gather_all(struct vcpu *v, const struct block *const *blocks,
                                                                 unsigned n, struct branch *branches, bool predict,
                                                                 bool every_branch, bool logged)
{
    const bool by_the_manual = v->rules->branches_mispredicted == branches_mispredicted; /* then inline */
    const bool code = v->counting.code;
    uint64_t time = v->branches.time;
    unsigned taken = 0;
    uint64_t outcome = 0; /* the kinds of event that a block's branch is, one bit each */

    for (unsigned i = 0; i < n; i++) {
        const struct block *block = blocks[i];
        const struct block *next = blocks[i + 1];
        struct branch *b = &branches[taken];
        unsigned took = block_took(block, next->pc);

        time += block->count;
        b->block = block;
        b->to = next->pc;
        if (every_branch) {
            b->not_taken = !took;
            taken += block->mask != 0;
        } else {
            taken += took;
        }
        if (code)
            count_code(v, block);
        if (predict) {
            b->time = time;
            b->to_cpl = next->cpl;
            b->to_base = next->code_base;
            if (block->mask != 0) {
                b->mispredicted = by_the_manual ? branches_mispredicted(v, block, next->pc)
                                                : v->rules->branches_mispredicted(v, block, next->pc);
                b->predicted = !b->mispredicted;
                if (v->counting.outcomes) {
                    outcome = count_outcome(v, block, took, b->mispredicted);
                    v->branches.last = block->last;
                }
            }
        }
        if (logged) {
            lbr_events_of_block(v, block, block->count, outcome);
            lbr_events_collect(v, took, b->events);
            outcome = 0;
        }
    }
    v->branches.time = time;
    return taken;
}

/* Usually without what is rare: runs for each branch. */
static unsigned gather(struct vcpu *v, const struct block *const *blocks, unsigned n, struct branch *branches,
                       bool predict)
{
    const bool every_branch = v->rules->every_branch, logged = v->lbr.logged != 0;

    return every_branch || logged ? gather_all(v, blocks, n, branches, predict, every_branch, logged)
           : predict              ? gather_all(v, blocks, n, branches, true, false, false)
                                  : gather_all(v, blocks, n, branches, false, false, false);
}

/* Whether the branch at the end of a block went to the next one and passes the LBR stack's filter. */
static inline bool enters_stack(uint64_t select, const struct block *block, const struct block *next)
{
    return block_took(block, next->pc) && lbr_selects(select, block, next->cpl);
}

/*
 * If only the LBR stack records branches, and returns remove none: the first block whose branch still has an effect.
 * The stack overwrites earlier branches. One branch more than the stack has entries is needed, because the oldest gives
 * the time.
 */
static unsigned first_that_matters(const struct vcpu *v, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);
    const uint64_t select = v->rules->lbr_select(v);
    unsigned needed = vcpu_lbr_depth(v) + 1;

    if (!v->lbr.on || v->bts.on || v->counting.outcomes || v->truth != NULL || v->rules->every_branch ||
        (select & LBR_SELECT_EN_CALLSTACK))
        return 0;
    while (n > 0 && needed > 0) {
        n--;
        needed -= enters_stack(select, ring[n], ring[n + 1]);
    }
    return n;
}

/*
 * Trains the predictor and advances TOS for the branches of blocks [first, n), whose entries would be overwritten. Only
 * the last KEPT blocks do if branches have been forgotten since TOS was known.
 */
static void pass_over(struct vcpu *v, unsigned n)
{
    const unsigned first = v->lbr.forgot && n > KEPT ? n - KEPT : 0;
    const uint64_t select = v->rules->lbr_select(v);
    uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];
    const struct block *const *const ring = ring_blocks(v);
    uint64_t entries = 0;

    for (unsigned i = first; i < n; i++) {
        v->predictor[ring[i]->slot] = ring[i + 1]->pc;
        entries += enters_stack(select, ring[i], ring[i + 1]);
    }
    *tos = (*tos + entries) & (vcpu_lbr_depth(v) - 1);
}

bool branches_spare_ring_0(const struct vcpu *v)
{
    return v->rules == &rules_sdm && v->truth == NULL && !v->bts.on && !v->counting.outcomes && v->lbr.logged == 0 &&
           (lbr_select(v) & (LBR_SELECT_CPL_EQ_0 | LBR_SELECT_EN_CALLSTACK)) == LBR_SELECT_CPL_EQ_0;
}

static void drain(struct vcpu *v, unsigned n)
{
    const struct block *const *const ring = ring_blocks(v);
    struct branch branches[BRANCH_BATCH];
    const bool only_bts = !v->rules->every_branch && !v->lbr.on && !v->counting.outcomes;
    const bool flagged = v->bts.on && v->profile->bts_predicted;
    const bool area_readable = n > 0 && bts_read_area(v, ring[0]->last);
    const unsigned start = first_that_matters(v, n);

    pass_over(v, start);
    for (unsigned first = start; first < n; first += BRANCH_BATCH) {
        unsigned some = n - first < BRANCH_BATCH ? n - first : BRANCH_BATCH;

        v->rules->branches_record(v, branches, gather(v, ring + first, some, branches, !only_bts || flagged),
                                  area_readable);
    }
    bts_finish(v);
}

void branches_drain(struct vcpu *v, bool keep_last, uint64_t next, unsigned cpl)
{
    const struct block **const ring = ring_blocks(v);
    const unsigned n = ring_used(v);

    if (n == 0)
        return;
    if (keep_last) {
        const struct block *const last = ring[n - 1];

        drain(v, n - 1);
        ring_empty(v, NULL);
        ring_append(v, last);
    } else {
        const struct block after = { .pc = next, .cpl = (uint8_t)cpl }, *const running = ring[n - 1];

        ring[n] = &after;
        drain(v, n);
        ring_empty(v, running);
    }
    branches_set_limit(v);
}

void branches_drop_last(struct vcpu *v, unsigned index)
{
    branches_drain(v, true, 0, 0);
    if (ring_used(v) > 0) {
        v->branches.time += index;
        lbr_events_of_block(v, ring_blocks(v)[0], index, 0);
    }
    ring_empty(v, NULL);
}

void branches_interruption(struct vcpu *v, uint64_t from, uint64_t to, unsigned from_cpl, unsigned to_cpl)
{
    struct block at = { .last = from, .end = END_FAR, .cpl = (uint8_t)from_cpl };
    struct branch b = { .block = &at, .to = to, .time = v->branches.time, .to_cpl = (uint8_t)to_cpl };

    lbr_events_collect(v, true, b.events);

    if (v->lbr.on)
        lbr_keep_last(v);
    v->rules->branches_record(v, &b, 1, bts_read_area(v, from));
    bts_finish(v);
    branches_set_limit(v);
}

/*
 * Forgotten branches neither train the predictor nor advance TOS. After so many branches, no guest can know which entry
 * of the full stack must be the newest.
 */
bool branches_forget(struct vcpu *v)
{
    const struct block **const ring = ring_blocks(v);
    const unsigned used = ring_used(v);
    unsigned first = first_that_matters(v, used - 1);

    if (first < ENGINE_RING / 2)
        return false;
    first = first < used - KEPT ? first : used - KEPT;
    v->lbr.forgot = true;
    ring_set_used(v, used - first);
    memmove(ring, ring + first, ring_used(v) * sizeof(ring[0]));
    return true;
}

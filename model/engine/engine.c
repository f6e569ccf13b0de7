/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/engine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/engine/branches.h"
#include "model/engine/control.h"
#include "model/engine/counting.h"
#include "model/engine/data.h"
#include "model/engine/data_cache.h"
#include "model/engine/event_class.h"
#include "model/engine/lbr_events.h"
#include "model/engine/msr.h"
#include "model/engine/overflow.h"
#include "model/engine/pebs.h"
#include "model/engine/pmi.h"
#include "model/engine/ring.h"
#include "model/engine/rules.h"
#include "model/engine/slots.h"
#include "model/engine/smi.h"
#include "model/referee/referee.h"

bool engine_init(struct vcpu *v, unsigned number, const struct profile *profile, const struct host *host, void *cpu,
                 struct hot *hot)
{
    v->number = number;
    v->profile = profile;
    v->width_mask = (UINT64_C(1) << profile->counter_width) - 1;
    v->rules = v->rules != NULL ? v->rules : &rules_sdm;
    v->host = host;
    v->cpu = cpu;
    v->hot = hot;
    v->ipc = v->ipc == 0 ? 1 : v->ipc < slots_width(v) ? v->ipc : slots_width(v);
    v->predictor = calloc(profile->predictor_slots + 1, sizeof(*v->predictor));
    v->cache = data_cache_new(&profile->memory);
    v->ring_memory = calloc(ENGINE_RING + 2, sizeof(*v->ring_memory));
    v->kept = calloc(ENGINE_RING + 1, sizeof(*v->kept));
    v->kept_last = calloc(1, sizeof(*v->kept_last) + MAX_BLOCK * sizeof(struct block_insn));
    if (v->predictor == NULL || v->cache == NULL || v->ring_memory == NULL || v->kept == NULL || v->kept_last == NULL) {
        engine_free(v);
        return false;
    }
    v->places = v->ring_memory + 1; /* leaves room for ring_empty() */
    engine_reset(v);
    return true;
}

void engine_free(struct vcpu *v)
{
    free(v->predictor);
    data_cache_free(v->cache);
    free(v->ring_memory);
    free(v->kept);
    free(v->kept_last);
    v->ring_memory = NULL;
    v->kept = NULL;
    v->kept_last = NULL;
    v->predictor = NULL;
    v->cache = NULL;
}

static void reset_registers(struct vcpu *v, const struct profile_msr *msrs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (msrs[i].reg < REG_STORED)
            v->regs[msrs[i].reg] = msrs[i].reset;
}

void engine_reset_registers(struct vcpu *v)
{
    const struct profile *profile = v->profile;

    for (unsigned table = PROFILE_TABLES; table-- > 0;)
        reset_registers(v, profile->msrs[table].rows, profile->msrs[table].count);
    if (profile->perfmon_version < 2) {
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] =
            ~UINT64_C(0); /* the processor lacks the register: only the event selects enable */
    }
}

void engine_reset(struct vcpu *v)
{
    memset((char *)v + offsetof(struct vcpu, regs), 0, sizeof(*v) - offsetof(struct vcpu, regs));
    memset(v->hot, 0, sizeof(*v->hot));
    ring_empty(v, NULL);
    memset(v->predictor, 0, (v->profile->predictor_slots + 1) * sizeof(*v->predictor));
    data_cache_clear(v->cache);
    v->rules->engine_reset_registers(v);
    control_update(v, BETWEEN_BLOCKS);
}

void engine_settle(struct vcpu *v, struct place place)
{
    branches_drain(v, true, 0, 0);
    v->lbr.forgot = false;
    pebs_show(v);
    pmi_settle(v, place);
    smi_take(v, place);
}

void engine_flush_caches(struct vcpu *v)
{
    if (v->counting.code)
        branches_drain(v, true, 0, 0);
}

void engine_halt(struct vcpu *v, struct place place)
{
    engine_settle(v, place);
    pmi_hurry(v, place);
}

enum msr_answer engine_rdmsr(struct vcpu *v, uint32_t address, uint64_t *value, struct place place)
{
    engine_settle(v, place);
    return msr_read(v, address, value, place);
}

enum msr_answer engine_wrmsr(struct vcpu *v, uint32_t address, uint64_t value, struct place place)
{
    engine_settle(v, place);

    const enum msr_answer answer = msr_write(v, address, value, place);

    pmi_deliver(v, BETWEEN_BLOCKS); /* WRMSR counts as an instruction, and may itself cause a PMI */
    return answer;
}

enum msr_answer engine_rdpmc(struct vcpu *v, uint32_t index, uint64_t *value, struct place place)
{
    engine_settle(v, place);
    return msr_rdpmc(v, index, value, place);
}

/* Whether branch outcomes, which are normally counted when the ring is processed, must be known at every step. */
static bool steps_through_outcomes(const struct vcpu *v)
{
    return v->pebs.counts || v->counting.slots || (counting_steps(v) && v->counting.outcomes);
}

enum due_answer engine_due(struct vcpu *v, const struct block *block, bool watching)
{
    for (uint64_t left = v->wants.classes; left != 0; left &= left - 1) {
        uint64_t *count = &v->hot->counts[__builtin_ctzll(left)];

        *count = class_unforced(*count);
    }
    if (v->watch.hit)
        return DUE_AGAIN; /* an interruption took the block; its handler has not begun */
    if (counting_due(v)) {
        uint64_t eventing_ip = ring_running_block(v) != NULL ? ring_running_block(v)->last : v->branches.last_retired;

        if (v->pebs.lbrs || steps_through_outcomes(v))
            branches_drain(v, false, block->pc, block->cpl); /* an instruction's own branch is in its record */
        overflow_take(v, BETWEEN_BLOCKS, block->pc, eventing_ip, NULL);
        if (v->pmi.wanted) {
            branches_drain(v, false, block->pc, block->cpl);
            pmi_deliver(v, BETWEEN_BLOCKS);
            if (pmi_taken(v))
                return DUE_AGAIN;
        }
        if (v->watch.hit)
            return DUE_AGAIN;
    }
    pebs_remember(v, block->pc);
    const int due = counting_first_due(v, (struct place){ block, 0 }, BETWEEN_BLOCKS);

    if (due == block->count - 1) {
        counting_force(v);
        return DUE_GO_ON;
    }
    return due >= 0 && !watching ? DUE_WATCH : DUE_GO_ON;
}

bool engine_stop(struct vcpu *v, struct place place)
{
    uint64_t ip = block_address(place.block, place.index);

    if (steps_through_outcomes(v))
        branches_drain(v, true, 0, 0);
    overflow_take(v, place, ip, block_address(place.block, place.index - 1), NULL);
    if (v->pmi.wanted) {
        branches_drain(v, true, 0, 0);
        pmi_deliver(v, place);
    }
    return pmi_taken(v) || v->watch.hit;
}

bool engine_ring_full(struct vcpu *v)
{
    const struct block *const block = v->noted[-1], *const before = v->noted[-2];

    if (!v->hot->tracing) {
        ring_empty(v, block);
        return false;
    }
    if (branches_forget(v))
        return false;
    branches_drain(v, true, 0, 0);
    ring_empty(v, before); /* the block has not begun, and may begin after an interrupt */
    if (counting_outcome_due(v))
        overflow_take(v, BETWEEN_BLOCKS, block->pc, v->branches.last, NULL);
    if (v->pmi.wanted) {
        pmi_deliver(v, BETWEEN_BLOCKS);
        if (pmi_taken(v))
            return true;
    }
    if (v->watch.hit)
        return true;
    ring_append(v, block);
    return false;
}

bool engine_data_counted(struct vcpu *v)
{
    bool reached = false;

    v->hot->data_pending = 0;
    if (v->data.untaggable)
        return false;
    for (unsigned k = 0; k < v->counting.class_count; k++) {
        const unsigned id = v->counting.classes[k].id;

        if (id >= event_class(EVENT_DATA, ANY_RING)) {
            v->hot->counts[id] += event_class_covers(id, v->data.cpl) && data_happened(v, id / EVENT_QUALIFIERS);
            reached = reached || v->hot->counts[id] >= CLASS_DUE;
        }
    }
    if (v->counting.slots && data_happened(v, EVENT_STALLED))
        slots_lose(v->counting.stalled, v->data.cpl);
    if (v->lbr.logged != 0) {
        branches_drain(v, true, 0, 0);
        lbr_events_of_data(v);
    }
    return reached;
}

bool engine_data_due(struct vcpu *v, struct place place, uint64_t ip, unsigned cpl)
{
    enum event_kind due = EVENT_NONE; /* the kind of the access that a record describes */
    bool any = false;

    for (unsigned i = 0; i < v->profile->general_counters; i++) {
        const struct counter *c = &v->counters[i];

        if (c->active && c->event_class >= event_class(EVENT_DATA, ANY_RING) &&
            v->hot->counts[c->event_class] >= CLASS_DUE) {
            enum event_kind kind = vcpu_counted(c);

            any = true;
            if (c->address && (due == EVENT_NONE || kind == EVENT_LOAD_LATENCY))
                due = kind;
        }
    }
    if (!any)
        return false;
    struct data_access access = data_describe(v, due);
    const bool stepping = counting_steps(v);

    if ((v->pebs.lbrs || v->pebs.counts) && place.block == NULL)
        branches_drain(v, false, ip, cpl); /* an instruction's own branch is in its record */
    else if (v->pebs.counts)
        branches_drain(v, true, 0, 0);
    overflow_take(v, place, ip, v->data.ip, due == EVENT_NONE ? NULL : &access);
    if (v->pmi.wanted) {
        branches_drain(v, place.block != NULL, ip, cpl); /* the ring must be empty before LBRs freeze */
        pmi_deliver(v, place);
    }
    /* Only a block that begins, or that runs watched, can be stepped. */
    return pmi_taken(v) || v->watch.hit || (place.block != NULL && counting_steps(v) && !stepping);
}

void engine_repeat(struct vcpu *v, const struct block *block)
{
    const struct block *before = ring_running_block(v);

    if (before == NULL || before->end != END_REPEAT || before->last != block->pc)
        return;
    for (uint64_t left = v->wants.classes; left != 0; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctzll(left);
        bool counts = id / EVENT_QUALIFIERS == EVENT_INSTRUCTIONS && event_class_covers(id, block->cpl);

        v->hot->counts[id] -= counts;
    }
}

/* The CPL at `from`, which was interrupted after this block. A far branch may just have changed it. */
static unsigned level_behind(const struct vcpu *v, const struct block *block, uint64_t from, unsigned handler_cpl)
{
    if (block == NULL)
        return handler_cpl;
    return block->end == END_FAR ? v->host->interrupted_cpl(v->cpu, from, block->cpl) : block->cpl;
}

/* Interrupting code of this CPL may itself count as retired instructions or branches. */
static void count_interruption(struct vcpu *v, unsigned level, bool software)
{
    for (enum event_kind kind = EVENT_INSTRUCTIONS; kind <= EVENT_BRANCHES; kind++) {
        const unsigned events = v->rules->counting_interruption(v, kind, software);

        for (unsigned qualifier = 0; qualifier < EVENT_QUALIFIERS; qualifier++) {
            const unsigned id = event_class(kind, (enum event_qualifier)qualifier);

            v->hot->counts[id] += event_class_covers(id, level) && (v->wants.classes >> id & 1) ? events : 0;
        }
    }
}

void engine_interruption(struct vcpu *v, enum interruption kind, uint64_t from, uint64_t to, unsigned cpl)
{
    const struct block *block = ring_running_block(v);
    int index = block == NULL ? -1 : block_index(block, from);
    bool software = block != NULL && block->end == END_INT && from == block->last; /* a retired INT n */
    const uint64_t next = software ? to : from; /* where execution continues after the retired instructions */
    unsigned level;
    bool cut;

    if (kind == INTERRUPTION_EXTERNAL)
        referee_handler(v, to);
    if (kind != INTERRUPTION_EXTERNAL)
        cut = index >= 0 && !software;
    else
        cut = block != NULL && block->end == END_REPEAT && from == block->last;
    level = cut ? block->cpl : level_behind(v, block, from, cpl);
    if (cut) {
        counting_cut(v, (struct place){ block, (unsigned)index });
        branches_drop_last(v, (unsigned)index);
        data_cancel(v, (struct place){ block, (unsigned)index });
    } else {
        if (v->hot->data_pending)
            engine_data_retired(v, BETWEEN_BLOCKS, next, level);
        if (counting_due(v)) {
            if (v->pebs.counts)
                branches_drain(v, false, from, level);
            overflow_take(v, BETWEEN_BLOCKS, next, block == NULL ? from : block->last, NULL);
        }
        branches_drain(v, false, from, level);
    }
    count_interruption(v, level, software);
    if (kind == INTERRUPTION_DEBUG) {
        counting_update(v, BETWEEN_BLOCKS);
        v->rules->lbr_debug_exception(v);
        control_update(v, BETWEEN_BLOCKS);
    }
    if (v->hot->tracing)
        branches_interruption(v, from, to, level, cpl);
    v->branches.last_retired = block != NULL && !cut ? block->last : from; /* unknown: the interrupted instruction */
    ring_empty(v, NULL);
    pebs_show(v);
    pmi_deliver(v, BETWEEN_BLOCKS);
    v->pmi.raised = false; /* the PMI can be delivered at the handler's first instruction */
    if (v->watch.hit)
        counting_force(v);
}

void engine_lone_instruction(struct vcpu *v, uint64_t address)
{
    const struct block *block = ring_running_block(v);
    int index = block == NULL ? -1 : block_index(block, address);

    if (index < 0 || (unsigned)index + 1 == block->count)
        return; /* the rest follows as a separate block */
    engine_leave(v, (struct place){ block, (unsigned)index + 1 });
}

void engine_leave(struct vcpu *v, struct place place)
{
    counting_cut(v, place);
    branches_drop_last(v, place.index);
    v->branches.last_retired = block_address(place.block, place.index - 1);
}

void engine_spared(struct vcpu *v, const struct block *last)
{
    if (last != NULL && v->hot->tracing) {
        ring_append(v, last);
        return;
    }
    branches_drain(v, true, 0, 0);
    ring_empty(v, last);
}

void engine_keep_blocks(struct vcpu *v)
{
    const struct block *running = ring_running_block(v), **ring = ring_blocks(v);

    v->hot->hit = 0;
    /* In ascending order: the new place of a copy is never below its old place. */
    for (unsigned i = 0; i < ring_used(v); i++) {
        memmove(&v->kept[i], ring[i], sizeof(v->kept[i]));
        ring[i] = &v->kept[i];
    }
    if (running != NULL && running != v->kept_last) /* the running block may have been known only from the ring */
        memcpy(v->kept_last, running, sizeof(*running) + running->count * sizeof(running->insns[0]));
    v->noted[-1] = running != NULL ? v->kept_last : NULL;
    v->hot->running = (uintptr_t)v->noted[-1];
}

void engine_hook(struct vcpu *v, struct hooks hooks, const struct block *running)
{
    v->wants = hooks;
    if (!hooks.data) {
        v->hot->data_pending = 0;
        data_cache_clear(v->cache);
    }
    if (!hooks.blocks)
        ring_empty(v, NULL);
    else if (ring_running_block(v) == NULL)
        ring_empty(v, running);
    counting_force(v); /* a block that must be checked may have waited for another class */
}

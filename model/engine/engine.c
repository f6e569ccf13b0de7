/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/engine/engine_parts.h"

#define LVT_MASKED (1u << 16)

bool engine_init(struct vcpu *v, unsigned number, const struct profile *profile, const struct host *host, void *cpu,
                 struct hot *hot)
{
    v->number = number;
    v->profile = profile;
    v->host = host;
    v->cpu = cpu;
    v->hot = hot;
    v->predictor = calloc(profile->predictor_slots + 1, sizeof(*v->predictor));
    v->cache = data_cache_new(&profile->memory);
    v->kept = calloc(ENGINE_RING + 1, sizeof(*v->kept));
    v->kept_last = calloc(1, sizeof(*v->kept_last) + MAX_BLOCK * sizeof(struct block_insn));
    if (v->predictor == NULL || v->cache == NULL || v->kept == NULL || v->kept_last == NULL) {
        engine_free(v);
        return false;
    }
    engine_reset(v);
    return true;
}

static void reset_registers(struct vcpu *v, const struct profile_msr *msrs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (msrs[i].reg < REG_STORED) {
            v->regs[msrs[i].reg] = msrs[i].reset;
        }
    }
}

void engine_reset(struct vcpu *v)
{
    const struct profile *profile = v->profile;

    memset((char *)v + offsetof(struct vcpu, reported), 0, sizeof(*v) - offsetof(struct vcpu, reported));
    memset(v->hot, 0, sizeof(*v->hot));
    memset(v->predictor, 0, (profile->predictor_slots + 1) * sizeof(*v->predictor));
    data_cache_clear(v->cache);
    reset_registers(v, profile->family_msrs, profile->family_msr_count);
    reset_registers(v, profile->msrs, profile->msr_count);
    if (profile->perfmon_version < 2) {
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] = ~UINT64_C(0); /* there is no such register: the event selects enable */
    }
    if (v->faults.any) {
        faults_reset(v);
    }
    engine_update(v, BETWEEN_BLOCKS);
}

void engine_free(struct vcpu *v)
{
    free(v->predictor);
    data_cache_free(v->cache);
    free(v->kept);
    free(v->kept_last);
    v->kept = NULL;
    v->kept_last = NULL;
    v->predictor = NULL;
    v->cache = NULL;
}

/*
 * SDM Vol. 3B (253669-083), "64 Bit Format of the DS Save Area": of the 64-bit form with DTES64, and without it where
 * IA-32e mode is active.
 */
struct ds_form engine_ds_form(const struct vcpu *v)
{
    bool wide = (v->profile->dtes64 && !fault(v, FAULT_DETECT_DTES64_IGNORED)) || v->host->ia32e(v->cpu);

    struct ds_form form = { wide ? 8 : 4, v->profile->pebs_format };

    if (v->faults.any) {
        faults_ds_form(v, &form);
    }
    return form;
}

uint64_t engine_ds_area(const struct vcpu *v)
{
    return v->regs[REG_IA32_DS_AREA] & (fault(v, FAULT_DS_AREA_PAGE_ALIGNED) ? ~UINT64_C(0xfff) : ~UINT64_C(0));
}

bool engine_read_ds(struct vcpu *v)
{
    uint8_t bytes[ENCODE_DS_MAX];
    struct ds_buffer pebs = v->ds.pebs;

    if (v->pebs_staged == 0) {
        v->form = engine_ds_form(v);
    }
    if (!v->host->read(v->cpu, engine_ds_area(v), bytes, encode_ds_bytes(&v->form))) {
        return false;
    }
    encode_read_ds(&v->ds, &v->form, bytes);
    if (v->faults.any) {
        faults_ds_area(v, &v->ds);
    }
    if (v->pebs_staged > 0) {
        v->ds.pebs = pebs; /* its index in memory is behind by what is staged */
    }
    return true;
}

void engine_update(struct vcpu *v, struct place place)
{
    counting_configure(v, place);
    const bool tracing = (bts_on(v) || lbr_on(v) || v->counts_outcomes) && !lies(v, LIE_INERT);

    v->hot->tracing = tracing ? sizeof(v->hot->ring[0]) : 0;
    v->wants_blocks = v->wants_blocks || tracing;
    if (bts_on(v)) {
        engine_read_ds(v);
    }
    branches_set_limit(v);
}

void engine_settle(struct vcpu *v, struct place place)
{
    branches_drain(v, true, 0, 0);
    pebs_flush(v);
    engine_deliver(v, place);
}

void engine_keep_blocks(struct vcpu *v)
{
    const struct block *running = running_block(v), **ring = ring_blocks(v);

    if (running != NULL && running != v->kept_last) {
        memcpy(v->kept_last, running, sizeof(*running) + running->count * sizeof(running->insns[0]));
    }
    /* Ascending: an earlier copy that is copied again stands at the same place or later. */
    for (unsigned i = 0; i < ring_used(v); i++) {
        memmove(&v->kept[i], ring[i], sizeof(v->kept[i]));
        ring[i] = &v->kept[i];
    }
    if (v->hot->block != NULL) {
        v->hot->block = v->kept_last;
    } else if (running != NULL) {
        ring[ring_used(v) - 1] = v->kept_last;
    }
}

/*
 * Up to version 3 of architectural performance monitoring a freeze clears the enable bits themselves, from version 4 on
 * it sets a status bit. SDM Vol. 3B (253669-083), "Freezing LBR and Performance Counters on PMI".
 */
static void freeze(struct vcpu *v, struct place place)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    bool lbrs = debugctl_has(v, bits->freeze_lbrs);
    bool counters = debugctl_has(v, bits->freeze_perfmon);

    if (v->faults.any) {
        faults_freeze(v, &lbrs, &counters);
    }
    if (!lbrs && !counters) {
        return;
    }
    counting_update(v, place);
    if (v->profile->perfmon_version >= 4) {
        v->status |= (lbrs ? STATUS_LBR_FRZ : 0) | (counters ? STATUS_CTR_FRZ : 0);
    } else {
        v->regs[REG_IA32_DEBUGCTL] &= lbrs ? ~bits->lbr : ~UINT64_C(0);
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] &= counters ? 0 : ~UINT64_C(0);
    }
    engine_update(v, place);
}

/* The instruction before place, or between two blocks the one that retired last. */
static uint64_t last_address(const struct vcpu *v, struct place place)
{
    if (place.block != NULL && place.index > 0) {
        return block_address(place.block, place.index - 1);
    }
    return running_block(v) != NULL ? running_block(v)->last : v->left_behind;
}

void engine_deliver(struct vcpu *v, struct place place)
{
    if (!v->pmi_wanted || (v->faults.any && faults_pmi_waits(v))) {
        return;
    }
    v->pmi_wanted = false;
    if (v->faults.any && faults_pmi_lost(v)) {
        return;
    }
    branches_flush(v);
    pebs_flush(v);
    freeze(v, place);
    uint32_t lvtpc = v->host->pmi(v->cpu);

    referee_pmi(v, lvtpc, last_address(v, place));
    v->pmi_raised = !(lvtpc & LVT_MASKED);
    v->masked_by_pmi = v->masked_by_pmi || v->pmi_raised;
    truth_pmi(v, lvtpc);
    if (v->faults.any) {
        v->pmi_wanted = faults_pmi_again(v);
    }
}

/*
 * The processor clears the LBR flag before the handler of a debug exception begins, and leaves the stack as it is. SDM
 * Vol. 3B (253669-083), "Monitoring Branches, Exceptions, and Interrupts"; "Last Branch Records" says so of LBREn.
 */
static void debug_exception(struct vcpu *v)
{
    if (!fault(v, FAULT_LBR_DEBUG_EXCEPTION_RECORDED)) {
        v->regs[REG_IA32_DEBUGCTL] &= ~v->profile->debugctl->lbr;
        v->regs[REG_IA32_LBR_CTL] &= ~LBR_CTL_LBREN;
        engine_update(v, BETWEEN_BLOCKS);
    }
}

/* The privilege level at `from`, which was interrupted behind this block: a far branch may just have changed it. */
static unsigned level_behind(const struct vcpu *v, const struct block *block, uint64_t from, unsigned handler_cpl)
{
    if (block == NULL) {
        return handler_cpl;
    }
    return block->end == END_FAR ? v->host->interrupted_cpl(v->cpu, from, block->cpl) : block->cpl;
}

void engine_interruption(struct vcpu *v, enum interruption kind, uint64_t from, uint64_t to, unsigned cpl)
{
    const struct block *block = running_block(v);
    int index = block == NULL ? -1 : block_index(block, from);
    bool software = block != NULL && block->end == END_INT && from == block->last; /* INT n, which has retired */
    unsigned level;
    bool cut;

    if (kind == INTERRUPTION_EXTERNAL) {
        referee_handler(v, to);
    }
    if (kind != INTERRUPTION_EXTERNAL) {
        cut = index >= 0 && !software;
    } else {
        cut = block != NULL && block->end == END_REPEAT && from == block->last;
    }
    level = cut ? block->cpl : level_behind(v, block, from, cpl);
    if (cut) {
        counting_cut(v, (struct place){ block, (unsigned)index });
        branches_drop_last(v, (unsigned)index);
        v->hot->data_pending = 0;
    } else {
        if (v->hot->data_pending) {
            engine_data_retired(v, BETWEEN_BLOCKS, from, level);
        }
        if (counting_due(v)) {
            counting_fall_due(v, BETWEEN_BLOCKS, from, block == NULL ? from : block->last, NULL);
        }
        branches_drain(v, false, from, level);
    }
    if (kind == INTERRUPTION_DEBUG) {
        debug_exception(v);
    }
    if (v->hot->tracing) {
        branches_interruption(v, from, to, level, cpl);
    }
    v->hot->stop_at = 0;
    v->hot->block = NULL;
    pebs_flush(v);
    engine_deliver(v, BETWEEN_BLOCKS);
    v->pmi_raised = false; /* the handler's first instruction is where it can be taken */
}

void engine_lone_instruction(struct vcpu *v, uint64_t address)
{
    const struct block *block = running_block(v);
    int index = block == NULL ? -1 : block_index(block, address);

    if (index < 0 || (unsigned)index + 1 == block->count) {
        return; /* a block of its own, as translated */
    }
    engine_leave(v, (struct place){ block, (unsigned)index + 1 });
}

void engine_leave(struct vcpu *v, struct place place)
{
    counting_cut(v, place);
    branches_drop_last(v, place.index);
    v->hot->block = NULL;
    v->left_behind = block_address(place.block, place.index - 1);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PEBS records are trap-like: RIP and the registers are those after the instruction that caused the record. Where
 * PEBS_TRAP is clear they are fault-like: the record is made before the instruction. SDM Vol. 4 (335592-083),
 * "Architectural MSRs", IA32_PERF_CAPABILITIES.
 *
 * Bounds: a record that does not fit before the absolute maximum is skipped entirely. No byte is written and no status
 * bit is set. SDM Vol. 3B (253669-083), "Processor Event Based Sampling (PEBS)". The model reloads the counter after a
 * record that was skipped or that cannot be written, too: otherwise each further event would request a record again.
 *
 * Several counters that are due at the same instruction share a record, with several bits in its counters field. Up to
 * format 0010b that field is a copy of IA32_PERF_GLOBAL_STATUS, including the bits of counters without PEBS. Outside
 * IA-32e mode the upper halves, R8 to R15 and XMM8 to XMM15 are zero. SDM Vol. 3B (253669-083), "PEBS Record Format" of
 * the 4th generation and of the 6th.
 */
#include "model/engine/pebs.h"

#include <string.h>

#include "model/engine/branches.h"
#include "model/engine/counting.h"
#include "model/engine/data.h"
#include "model/engine/ds.h"
#include "model/engine/metrics.h"
#include "model/engine/netburst.h"
#include "model/engine/pebs_arch.h"
#include "model/engine/rules.h"
#include "model/engine/truth.h"
#include "model/referee/referee_area.h"
#include "model/referee/referee_counters.h"
#include "model/referee/referee_report.h"

#define FORMAT_WITH_OWN_COUNTERS 3 /* the first format whose counters field has only PEBS counters */

uint64_t pebs_enabled(const struct vcpu *v)
{
    const bool all = v->profile->pebs_adaptive || v->profile->pebs_extended;
    const unsigned fixed = all ? profile_fixed_counters(v->profile) : 0;
    uint64_t mask = 0;

    if (vcpu_is_netburst(v))
        return netburst_pebs_enabled(v);
    if (vcpu_is_arch_pebs(v))
        return pebs_arch_enabled(v);
    for (unsigned i = 0; i < v->profile->general_counters + fixed; i++)
        mask |= v->regs[REG_IA32_PEBS_ENABLE] & vcpu_counter_bit(v, i) ? UINT64_C(1) << i : 0;
    return mask;
}

uint64_t pebs_together(struct vcpu *v, uint64_t due)
{
    (void)v;
    return due;
}

uint64_t pebs_index(const struct vcpu *v)
{
    return v->pebs.at + v->pebs.staged;
}

bool pebs_write(struct vcpu *v, uint64_t index)
{
    const struct ds_form *form = &v->ds.form;
    uint8_t field[8];

    encode_field(field, form->width, index);
    return v->host->write(v->cpu, v->pebs.at, v->pebs.stage, v->pebs.staged) &&
           v->host->write(v->cpu, v->rules->ds_address(v) + encode_pebs_index_at(form), field, form->width);
}

void pebs_flush(struct vcpu *v)
{
    if (v->pebs.staged == 0)
        return;
    const uint64_t index = v->rules->pebs_index(v);

    if (v->rules->pebs_write(v, index)) {
        v->activity[FACILITY_PEBS].records += v->pebs.records;
        referee_area_pebs_written(v, index);
    } else {
        referee_report(v, RECORD_LOST, v->pebs.first, v->pebs.at, "pebs.index");
    }
    v->pebs.staged = 0;
    v->pebs.records = 0;
}

bool pebs_visible(const struct vcpu *v)
{
    (void)v;
    return true;
}

void pebs_show(struct vcpu *v)
{
    if (v->rules->pebs_visible(v))
        pebs_flush(v);
}

/* A record has the groups if any of its counters requests them, otherwise only the basic one. */
uint64_t pebs_groups(const struct vcpu *v, uint64_t counters)
{
    uint64_t groups = 0;

    for (unsigned i = 0; i < MAX_COUNTERS; i++)
        if ((counters >> i & 1) && v->counters[i].adaptive)
            groups = v->regs[REG_MSR_PEBS_DATA_CFG];
    return groups;
}

static size_t record_bytes(const struct vcpu *v, uint64_t counters)
{
    return v->profile->pebs_adaptive ? adaptive_bytes(v->rules->pebs_groups(v, counters))
                                     : encode_pebs_bytes(&v->ds.form);
}

static uint64_t counter_now(const struct vcpu *v, unsigned i)
{
    return v->counters[i].value & vcpu_width_mask(v);
}

/*
 * Stopped counters are included, and the record's own counters have their values before the reload. Linux 6.15,
 * arch/x86/events/intel/ds.c: intel_perf_event_update_pmc() drops stopped counters; __setup_pebs_counter_group() first
 * takes the whole period from the value and then accounts for the reload.
 */
static void describe_counters(const struct vcpu *v, struct adaptive_contents *extra)
{
    const unsigned general = v->profile->general_counters;
    unsigned count = 0;

    for (uint32_t left = DATA_CFG_GENERAL(extra->format); left != 0; left &= left - 1)
        extra->counters[count++] = counter_now(v, (unsigned)__builtin_ctz(left));
    for (uint32_t left = DATA_CFG_FIXED(extra->format); left != 0; left &= left - 1)
        extra->counters[count++] = counter_now(v, general + (unsigned)__builtin_ctz(left));
    if (extra->format & DATA_CFG_METRICS) {
        extra->slots = counter_now(v, general + METRICS_SLOTS);
        extra->metrics = metrics_value(v);
    }
}

void pebs_describe_groups(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                          struct adaptive_contents *extra, struct lbr_entry *stack)
{
    if (v->profile->pebs_timing)
        extra->retire_latency = 1; /* one cycle per instruction */
    if (sample->data != NULL && v->profile->pebs_cache_latency) {
        contents->latency = data_instruction_latency(v, sample->data);
        extra->cache_latency = (uint16_t)sample->data->latency;
    }
    if (extra->format & DATA_CFG_XMMS) {
        v->host->xmm(v->cpu, extra->xmm);
        if (!v->host->ia32e(v->cpu))
            memset(extra->xmm[8], 0, 8 * sizeof(extra->xmm[0]));
    }
    if (extra->format & DATA_CFG_LBRS) {
        extra->lbr = stack;
        extra->lbr_count = vcpu_lbr_depth(v);
        for (unsigned i = 0; i < extra->lbr_count; i++)
            stack[i] = *vcpu_lbr_newest(v, i);
    }
    describe_counters(v, extra);
}

void pebs_remember(struct vcpu *v, uint64_t ip)
{
    if (v->pebs.before.wanted)
        v->pebs.before.rflags = v->host->registers(v->cpu, ip, v->pebs.before.general);
}

void pebs_describe(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents)
{
    const struct data_access *data = sample->data;
    uint64_t others = v->profile->pebs_format < FORMAT_WITH_OWN_COUNTERS ? v->status : 0;
    uint64_t bits = 0;

    for (uint64_t left = sample->counters; left != 0; left &= left - 1)
        bits |= vcpu_counter_bit(v, (unsigned)__builtin_ctzll(left));
    contents->ip = sample->ip;
    if (v->pebs.before.wanted) {
        contents->ip = sample->eventing_ip;
        contents->rflags = v->pebs.before.rflags;
        memcpy(contents->general, v->pebs.before.general, sizeof(contents->general));
    } else {
        contents->rflags = v->host->registers(v->cpu, sample->ip, contents->general);
    }
    contents->counters = bits | others;
    contents->eventing_ip = sample->eventing_ip;
    contents->tsx = 0;
    contents->tsc = v->host->tsc(v->cpu);
    if (!v->host->ia32e(v->cpu))
        for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
            contents->general[i] = i < R8 ? (uint32_t)contents->general[i] : 0;
    contents->data_address = data == NULL ? 0 : data->address;
    contents->data_source = data == NULL ? 0 : data->source;
    contents->latency = data == NULL ? 0 : data->latency;
}

static void encode_adaptive(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents)
{
    struct adaptive_contents extra = { .format = v->rules->pebs_groups(v, sample->counters) };
    struct lbr_entry stack[MAX_LBR];

    v->rules->pebs_describe_groups(v, sample, contents, &extra, stack);
    v->rules->adaptive_encode(v->pebs.stage + v->pebs.staged, contents, &extra);
    if (v->truth != NULL)
        truth_adaptive(v, v->ds.area.pebs.index, contents, &extra);
}

void pebs_reached(struct vcpu *v)
{
    v->status |= vcpu_is_arch_pebs(v) ? STATUS_ARCH_PEBS : STATUS_OVF_BUF;
    v->pmi.wanted = true;
}

bool pebs_full(struct vcpu *v, size_t size)
{
    return !ds_buffer_fits(&v->ds.area.pebs, size);
}

void pebs_store(struct vcpu *v, const struct pebs_sample *sample, size_t size)
{
    struct ds_buffer *pebs = &v->ds.area.pebs;
    struct pebs_contents contents;

    v->rules->pebs_describe(v, sample, &contents);
    if (v->pebs.staged == 0) {
        v->pebs.at = pebs->index;
        v->pebs.first = sample->eventing_ip;
    }
    if (v->profile->pebs_adaptive) {
        encode_adaptive(v, sample, &contents);
    } else {
        encode_pebs(v->pebs.stage + v->pebs.staged, &v->ds.form, &contents);
        if (v->truth != NULL)
            truth_pebs(v, pebs->index, size, &contents);
    }
    v->pebs.staged += size;
    v->pebs.records++;
    pebs->index += size;
    vcpu_written(v, pebs->index >= pebs->threshold);
    if (pebs->index >= pebs->threshold) {
        v->pmi.asked[FACILITY_PEBS] = true;
        v->rules->pebs_reached(v);
    }
}

void pebs_reload(struct vcpu *v, uint64_t counters)
{
    for (uint64_t left = counters; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        counting_load(v, i, vcpu_reset_value(v, i));
    }
}

void pebs_record(struct vcpu *v, const struct pebs_sample *sample)
{
    if (vcpu_is_arch_pebs(v)) {
        pebs_arch_record(v, sample);
        return;
    }
    if (v->truth != NULL || v->pebs.lbrs)
        branches_drain(v, true, 0, 0); /* the log and the record's stack are in the order of time */
    if (v->pebs.staged == 0) {
        if (!ds_read(v)) {
            referee_report(v, RECORD_LOST, sample->eventing_ip, v->regs[REG_IA32_DS_AREA], "IA32_DS_AREA for PEBS");
            v->rules->pebs_reload(v, sample->counters);
            return;
        }
        referee_area_read(v, sample->eventing_ip);
    }
    const size_t size = record_bytes(v, sample->counters);

    if (v->rules->pebs_full(v, size)) {
        if (!v->pebs.dropping) {
            truth_pebs_dropped(v, v->ds.area.pebs.index);
            referee_report(v, PEBS_BUFFER_FULL, sample->eventing_ip, v->ds.area.pebs.index, "pebs.index");
        }
        v->pebs.dropping = true;
        v->rules->pebs_reload(v, sample->counters);
        return;
    }
    v->pebs.dropping = false;
    v->rules->pebs_store(v, sample, size);
    if (v->pebs.staged >= v->rules->pebs_stage)
        pebs_flush(v);
    v->rules->pebs_reload(v, sample->counters);
    referee_counters_reloaded(v, sample->counters, sample->eventing_ip);
}

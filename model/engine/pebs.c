/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PEBS records, trap-like: RIP and the registers are those after the instruction that the record is of.
 *
 * Bounds. A record that does not fit before the absolute maximum is skipped entirely: nothing is written, no status bit
 * is set, and the counter stays armed, so that the first event after software has made room is recorded. SDM Vol. 3B
 * (253669-083), "Processor Event Based Sampling (PEBS)".
 *
 * Several counters that fall due on one instruction share one record, with several bits in its counters field. Up to
 * format 0010b that field is IA32_PERF_GLOBAL_STATUS as it was, with the bits of counters that have nothing to do with
 * PEBS. Outside IA-32e mode upper halves, R8 to R15 and XMM8 to XMM15 are zero. SDM Vol. 3B (253669-083), "PEBS Record
 * Format" of the 4th generation and of the 6th.
 */
#include <string.h>

#include "model/engine/engine_parts.h"

#define FORMAT_WITH_OWN_COUNTERS 3 /* the first whose counters field tells of PEBS counters alone */

void pebs_flush(struct vcpu *v)
{
    uint8_t index[8];

    if (v->pebs_staged == 0) {
        return;
    }
    const uint64_t next = v->faults.any ? faults_pebs_index(v, v->pebs_staged) : v->pebs_at + v->pebs_staged;

    encode_field(index, v->form.width, next);
    if (!v->host->write(v->cpu, v->pebs_at, v->pebs_stage, v->pebs_staged) ||
        !v->host->write(v->cpu, engine_ds_area(v) + encode_pebs_index_at(&v->form), index, v->form.width)) {
        referee_report(v, RECORD_LOST, v->pebs_first);
    }
    if (v->faults.any) {
        faults_pebs_written(v);
    }
    referee_pebs_written(v, next);
    v->pebs_staged = 0;
}

uint64_t pebs_reset_value(const struct vcpu *v, unsigned i)
{
    const unsigned slots = encode_general_resets(&v->form);
    const unsigned general = v->profile->general_counters;

    if (i >= general) {
        return i - general < encode_fixed_resets(&v->form) ? v->ds.reset[slots + i - general] : 0;
    }
    if (is_netburst(v)) {
        return v->ds.reset[0]; /* one counter of many can sample */
    }
    return i < slots ? v->ds.reset[i] : 0;
}

/* A record has its groups if any of its counters asks for them, else the basic one. */
static uint32_t adaptive_format(const struct vcpu *v, uint64_t counters)
{
    uint32_t format = 0;

    for (unsigned i = 0; i < MAX_COUNTERS; i++) {
        if ((counters >> i & 1) && v->counters[i].adaptive) {
            format = (uint32_t)v->regs[REG_MSR_PEBS_DATA_CFG];
        }
    }
    return v->faults.any ? faults_adaptive_format(v, format) : format;
}

size_t pebs_record_bytes(const struct vcpu *v, const struct ds_form *form, uint64_t counters)
{
    return v->profile->pebs_adaptive ? adaptive_bytes(adaptive_format(v, counters)) : encode_pebs_bytes(form);
}

/* Encodes what only adaptive records have, together with the event. */
static void encode_adaptive(struct vcpu *v, uint8_t *bytes, uint32_t format, struct pebs_event *event,
                            const struct data_access *data)
{
    struct adaptive_event extra = { .format = format };
    struct lbr_entry stack[MAX_LBR];

    if (v->profile->pebs_timing) {
        extra.retire_latency = 1; /* a cycle an instruction */
    }
    if (data != NULL && v->profile->pebs_cache_latency) {
        event->latency = data_instruction_latency(v, data);
        extra.cache_latency = (uint16_t)data->latency;
    }
    if (format & DATA_CFG_XMMS) {
        v->host->xmm(v->cpu, extra.xmm);
        if (!v->host->ia32e(v->cpu)) {
            memset(extra.xmm[8], 0, 8 * sizeof(extra.xmm[0]));
        }
    }
    if (format & DATA_CFG_LBRS) {
        extra.lbr = stack;
        extra.lbr_count = lbr_depth(v);
        for (unsigned i = 0; i < extra.lbr_count; i++) {
            stack[i] = *lbr_newest(v, i);
        }
    }
    if (v->faults.any) {
        faults_adaptive(v, event, &extra, stack);
    }
    adaptive_encode(bytes, event, &extra);
    if (v->faults.any) {
        faults_adaptive_bytes(v, bytes);
    }
    if (v->truth != NULL) {
        truth_adaptive(v, v->ds.pebs.index, event, &extra);
    }
}

static void describe(struct vcpu *v, uint64_t counters, uint64_t ip, uint64_t eventing_ip,
                     const struct data_access *data, struct pebs_event *event)
{
    uint64_t others = v->profile->pebs_format < FORMAT_WITH_OWN_COUNTERS ? v->status : 0;
    struct registers registers;
    uint64_t bits = 0;

    for (uint64_t left = counters; left != 0; left &= left - 1) {
        bits |= counter_bit(v, (unsigned)__builtin_ctzll(left));
    }
    v->host->registers(v->cpu, ip, &registers);
    event->rflags = registers.rflags;
    event->ip = ip;
    event->counters = bits | others;
    event->eventing_ip = eventing_ip;
    event->tsx = 0;
    event->tsc = v->host->tsc(v->cpu);
    memcpy(event->general, registers.general, sizeof(event->general));
    if (!v->host->ia32e(v->cpu)) {
        for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
            event->general[i] = i < R8 ? (uint32_t)registers.general[i] : 0;
        }
    }
    event->data_address = data == NULL ? 0 : data->address;
    event->data_source = data == NULL ? 0 : data->source;
    event->latency = data == NULL ? 0 : data->latency;
    if (v->faults.any) {
        faults_pebs_event(v, event);
    }
}

static void raise_overflow(struct vcpu *v)
{
    v->status |= fault(v, FAULT_PEBS_STATUS_BIT62_MISSING) ? 0 : STATUS_OVF_BUF;
    v->pmi_wanted = true;
}

bool pebs_record(struct vcpu *v, uint64_t counters, uint64_t ip, uint64_t eventing_ip, const struct data_access *data)
{
    struct ds_buffer *pebs = &v->ds.pebs;

    if (v->truth != NULL || v->records_lbrs) {
        branches_drain(v, true, 0, 0); /* the log is in order of time, and so is the record's stack */
    }
    if (v->pebs_staged == 0 && !engine_read_ds(v)) {
        referee_report(v, RECORD_LOST, eventing_ip);
        return false;
    }
    referee_area_read(v, eventing_ip);
    const size_t size = pebs_record_bytes(v, &v->form, counters);

    if (v->faults.any ? faults_pebs_full(v, size) : pebs->index + size > pebs->maximum || pebs->index < pebs->base) {
        if (!v->pebs_dropping) {
            truth_pebs_dropped(v, pebs->index);
            referee_report(v, PEBS_BUFFER_FULL, eventing_ip);
        }
        v->pebs_dropping = true;
        return false;
    }
    v->pebs_dropping = false;
    if (v->faults.any && faults_pebs_lose(v, size)) {
        raise_overflow(v);
        return true;
    }
    struct pebs_event event;

    describe(v, counters, ip, eventing_ip, data, &event);
    if (v->pebs_staged == 0) {
        v->pebs_at = pebs->index;
        v->pebs_first = eventing_ip;
    }
    if (v->profile->pebs_adaptive) {
        encode_adaptive(v, v->pebs_stage + v->pebs_staged, adaptive_format(v, counters), &event, data);
    } else {
        encode_pebs(v->pebs_stage + v->pebs_staged, &v->form, &event);
        if (v->truth != NULL) {
            truth_pebs(v, pebs->index, size, &event);
        }
    }
    v->pebs_staged += size;
    pebs->index += size;
    if (pebs->index >= pebs->threshold) {
        raise_overflow(v);
    }
    if (v->pebs_staged >= PEBS_STAGE || v->faults.any) {
        pebs_flush(v);
    }
    return true;
}

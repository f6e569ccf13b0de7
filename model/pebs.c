/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PEBS records, format 0011b, trap-like: RIP and the registers are those after the instruction that the record is of.
 *
 * Bounds. A record that does not fit before the absolute maximum is skipped entirely: nothing is written, no status bit
 * is set, and the counter stays armed, so that the first event after software has made room is recorded. SDM Vol. 3B
 * (253669-083), "Processor Event Based Sampling (PEBS)".
 *
 * Several counters that fall due on one instruction share one record, with several bits in its counters field.
 */
#include "model/engine_parts.h"

void pebs_flush(struct vcpu *v)
{
    uint8_t bytes[PEBS_STAGE * ENCODE_PEBS_BYTES];
    uint8_t index[8];

    if (v->pebs_staged == 0) {
        return;
    }
    for (unsigned i = 0; i < v->pebs_staged; i++) {
        encode_pebs(bytes + i * ENCODE_PEBS_BYTES, &v->pebs_stage[i]);
    }
    encode_u64(index, v->pebs_at + v->pebs_staged * ENCODE_PEBS_BYTES);
    if (!v->host->write(v->cpu, v->pebs_at, bytes, v->pebs_staged * ENCODE_PEBS_BYTES) ||
        !v->host->write(v->cpu, v->regs[REG_IA32_DS_AREA] + ENCODE_DS_PEBS_INDEX, index, sizeof(index))) {
        referee_report(v, RECORD_LOST, v->pebs_stage[0].eventing_ip);
    }
    v->pebs_staged = 0;
}

uint64_t pebs_reset_value(const struct vcpu *v, unsigned i)
{
    return i < ENCODE_RESETS ? v->ds.reset[i] : 0;
}

bool pebs_record(struct vcpu *v, uint64_t counters, uint64_t ip, uint64_t eventing_ip, const struct data_access *data)
{
    struct ds_buffer *pebs = &v->ds.pebs;
    struct registers registers;

    if (v->truth != NULL) {
        branches_drain(v, true, 0, 0); /* the log is in order of time */
    }
    if (v->pebs_staged == 0 && !engine_read_ds(v)) {
        referee_report(v, RECORD_LOST, eventing_ip);
        return false;
    }
    if (pebs->index + ENCODE_PEBS_BYTES > pebs->maximum || pebs->index < pebs->base) {
        if (!v->pebs_dropping) {
            truth_pebs_dropped(v, pebs->index);
        }
        v->pebs_dropping = true;
        return false;
    }
    v->pebs_dropping = false;
    v->host->registers(v->cpu, ip, &registers);

    struct pebs_event *event = &v->pebs_stage[v->pebs_staged];

    *event = (struct pebs_event){
        .rflags = registers.rflags,
        .ip = ip,
        .counters = counters,
        .eventing_ip = eventing_ip,
        .tsc = v->host->tsc(v->cpu),
    };
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
        event->general[i] = registers.general[i];
    }
    if (data != NULL) {
        event->data_address = data->address;
        event->data_source = data->source;
        event->latency = data->latency;
    }
    if (v->pebs_staged++ == 0) {
        v->pebs_at = pebs->index;
    }
    if (v->truth != NULL) {
        truth_pebs(v, pebs->index, event);
    }
    pebs->index += ENCODE_PEBS_BYTES;
    if (pebs->index >= pebs->threshold) {
        v->status |= STATUS_OVF_BUF;
        v->pmi_wanted = true;
    }
    if (v->pebs_staged == PEBS_STAGE) {
        pebs_flush(v);
    }
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PEBS records of the formats 0000b to 0011b and of the 32-bit form, trap-like: RIP and the registers are those after
 * the instruction that the record is of.
 *
 * Bounds. A record that does not fit before the absolute maximum is skipped entirely: nothing is written, no status bit
 * is set, and the counter stays armed, so that the first event after software has made room is recorded. SDM Vol. 3B
 * (253669-083), "Processor Event Based Sampling (PEBS)".
 *
 * Several counters that fall due on one instruction share one record, with several bits in its counters field. Up to
 * format 0010b that field is IA32_PERF_GLOBAL_STATUS as it was, with the bits of counters that have nothing to do with
 * PEBS. SDM Vol. 3B (253669-083), "PEBS Record Format" of the 4th generation and of the 6th.
 */
#include <string.h>

#include "model/engine_parts.h"

#define FORMAT_WITH_OWN_COUNTERS 3 /* the first whose counters field tells of PEBS counters alone */

void pebs_flush(struct vcpu *v)
{
    uint8_t index[8];

    if (v->pebs_staged == 0) {
        return;
    }
    encode_field(index, v->form.width, v->pebs_at + v->pebs_staged);
    if (!v->host->write(v->cpu, v->pebs_at, v->pebs_stage, v->pebs_staged) ||
        !v->host->write(v->cpu, v->regs[REG_IA32_DS_AREA] + encode_pebs_index_at(&v->form), index, v->form.width)) {
        referee_report(v, RECORD_LOST, v->pebs_first);
    }
    v->pebs_staged = 0;
}

uint64_t pebs_reset_value(const struct vcpu *v, unsigned i)
{
    unsigned slot = is_netburst(v) ? 0 : i; /* one counter of many can sample */

    return slot < encode_general_resets(&v->form) ? v->ds.reset[slot] : 0;
}

static struct pebs_event describe(struct vcpu *v, uint64_t counters, uint64_t ip, uint64_t eventing_ip,
                                  const struct data_access *data)
{
    uint64_t others = v->profile->pebs_format < FORMAT_WITH_OWN_COUNTERS ? v->status : 0;
    struct registers registers;

    v->host->registers(v->cpu, ip, &registers);

    struct pebs_event event = {
        .rflags = registers.rflags,
        .ip = ip,
        .counters = counters | others,
        .eventing_ip = eventing_ip,
        .tsc = v->host->tsc(v->cpu),
    };
    memcpy(event.general, registers.general, sizeof(event.general));
    if (data != NULL) {
        event.data_address = data->address;
        event.data_source = data->source;
        event.latency = data->latency;
    }
    return event;
}

bool pebs_record(struct vcpu *v, uint64_t counters, uint64_t ip, uint64_t eventing_ip, const struct data_access *data)
{
    struct ds_buffer *pebs = &v->ds.pebs;

    if (v->truth != NULL) {
        branches_drain(v, true, 0, 0); /* the log is in order of time */
    }
    if (v->pebs_staged == 0 && !engine_read_ds(v)) {
        referee_report(v, RECORD_LOST, eventing_ip);
        return false;
    }
    const size_t size = encode_pebs_bytes(&v->form);

    if (pebs->index + size > pebs->maximum || pebs->index < pebs->base) {
        if (!v->pebs_dropping) {
            truth_pebs_dropped(v, pebs->index);
        }
        v->pebs_dropping = true;
        return false;
    }
    v->pebs_dropping = false;
    struct pebs_event event = describe(v, counters, ip, eventing_ip, data);

    if (v->pebs_staged == 0) {
        v->pebs_at = pebs->index;
        v->pebs_first = eventing_ip;
    }
    encode_pebs(v->pebs_stage + v->pebs_staged, &v->form, &event);
    v->pebs_staged += size;
    if (v->truth != NULL) {
        truth_pebs(v, pebs->index, size, &event);
    }
    pebs->index += size;
    if (pebs->index >= pebs->threshold) {
        v->status |= STATUS_OVF_BUF;
        v->pmi_wanted = true;
    }
    if (v->pebs_staged + ENCODE_PEBS_MAX > sizeof(v->pebs_stage)) {
        pebs_flush(v);
    }
    return true;
}

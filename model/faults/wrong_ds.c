/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of the DS area. */

#include "model/faults/fault_state.h"

struct ds_form wrong_ds_form(const struct vcpu *v)
{
    struct ds_form form = without_faults(v)->ds_form(v);

    if (fault(v, FAULT_DETECT_DTES64_IGNORED) && !v->host->ia32e(v->cpu))
        form.width = 4;
    return form;
}

uint64_t wrong_ds_address(const struct vcpu *v)
{
    return without_faults(v)->ds_address(v) & ~UINT64_C(0xfff);
}

/* The size of a record of counter 0, in bytes. */
static size_t pebs_bytes(const struct vcpu *v)
{
    return v->profile->pebs_adaptive ? adaptive_bytes(v->rules->pebs_groups(v, 1)) : encode_pebs_bytes(&v->ds.form);
}

void wrong_ds_decode(const struct vcpu *v, struct ds_area *area, const uint8_t *bytes)
{
    const uint64_t record = encode_bts_bytes(&v->ds.form);

    without_faults(v)->ds_decode(v, area, bytes);
    const struct {
        enum fault fault;
        uint64_t *field, more;
    } changes[] = {
        { FAULT_BTS_MAXIMUM_PASSED, &area->bts.maximum, record },
        { FAULT_BTS_THRESHOLD_EARLY, &area->bts.threshold, -record },
        { FAULT_BTS_THRESHOLD_GREATER, &area->bts.threshold, 1 },
        { FAULT_BTS_THRESHOLD_IGNORED, &area->bts.threshold, UINT64_MAX - area->bts.threshold },
        { FAULT_PEBS_THRESHOLD_EARLY, &area->pebs.threshold, -(uint64_t)pebs_bytes(v) },
        { FAULT_PEBS_THRESHOLD_GREATER, &area->pebs.threshold, 1 },
        { FAULT_PEBS_THRESHOLD_IGNORED, &area->pebs.threshold, UINT64_MAX - area->pebs.threshold },
    };

    for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        *changes[i].field += fault(v, changes[i].fault) ? changes[i].more : 0;
}

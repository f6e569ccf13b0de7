/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/ds.h"

#include "model/engine/rules.h"

/*
 * The 64-bit form applies with DTES64, and without DTES64 while IA-32e mode is active. SDM Vol. 3B (253669-083), "64
 * Bit Format of the DS Save Area".
 */
struct ds_form ds_form(const struct vcpu *v)
{
    const bool wide = v->profile->dtes64 || v->host->ia32e(v->cpu);

    return (struct ds_form){ wide ? 8 : 4, v->profile->pebs_format, v->profile->pebs_extended };
}

uint64_t ds_address(const struct vcpu *v)
{
    return v->regs[REG_IA32_DS_AREA];
}

void ds_decode(const struct vcpu *v, struct ds_area *area, const uint8_t *bytes)
{
    encode_read_ds(area, &v->ds.form, bytes);
}

bool ds_read(struct vcpu *v)
{
    uint8_t bytes[ENCODE_DS_MAX];
    struct ds_buffer pebs = v->ds.area.pebs;

    if (v->pebs.staged == 0)
        v->ds.form = v->rules->ds_form(v);
    const uint64_t address = v->rules->ds_address(v);
    const size_t size = encode_ds_bytes(&v->ds.form);
    const uint8_t *const memory = v->host->memory(v->cpu, address, size);

    if (memory == NULL && !v->host->read(v->cpu, address, bytes, size))
        return false;
    v->rules->ds_decode(v, &v->ds.area, memory != NULL ? memory : bytes);
    if (v->pebs.staged > 0)
        v->ds.area.pebs = pebs; /* staged records are not in the index in memory yet */
    return true;
}

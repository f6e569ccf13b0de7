/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PERF_METRICS: how the slots counted by fixed counter 3 were used, as shares of 255 in fields of 8 bits: retired, bad
 * speculation, and so on. SDM Vol. 3B (253669-083), "Performance Metrics".
 */
#ifndef MODEL_ENGINE_METRICS_H
#define MODEL_ENGINE_METRICS_H

#include "model/vcpu/vcpu.h"

#define METRICS_SLOTS 3u /* the fixed counter that counts slots */

static inline unsigned metrics_counter(const struct vcpu *v)
{
    return v->profile->general_counters + METRICS_SLOTS;
}

/* Whether the processor has the register. By erratum RPL018, IA32_PERF_CAPABILITIES[15] may be clear nevertheless. */
bool metrics_exist(const struct vcpu *v);
/* Whether the register counts now. */
bool metrics_count(const struct vcpu *v);

/* The register's value; the counters must be up to date. */
uint64_t metrics_value(const struct vcpu *v);

/* Sets the value at the current number of slots. metrics_value() adds the slots counted later. */
void metrics_begin(struct vcpu *v, uint64_t value);

#endif

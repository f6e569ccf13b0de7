/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Auto counter reload: the overflow of one counter loads others, or itself, anew. IA32_PMC_GPx_CFG_B and _FXx_CFG_B say
 * whose overflow it is, CFG_C has the value. SDM Vol. 3B (253669-085), "Auto Counter Reload", 21.9.11, as Linux 6.16
 * tells it (arch/x86/events/intel/core.c, intel_pmu_config_acr()).
 */
#ifndef MODEL_ENGINE_RELOAD_H
#define MODEL_ENGINE_RELOAD_H

#include "model/vcpu/vcpu.h"

/* Finds out which counters each one reloads, from what the registers have. */
void reload_configure(struct vcpu *v);

/* Counters have overflowed, a bit each: loads those that they reload. */
void reload_by(struct vcpu *v, uint32_t overflowed);

/* Whether the i-th counter reloads itself: its overflow then is not told by IA32_PERF_GLOBAL_STATUS. */
static inline bool reload_by_itself(const struct vcpu *v, unsigned i)
{
    return v->counting.reloads[i] >> i & 1;
}

/* Rules: bit i: the j-th counter's overflow reloads counters[i]; and the value that the i-th one gets. */
uint32_t reload_targets(const struct vcpu *v, unsigned j);
uint64_t reload_value(const struct vcpu *v, unsigned i);

#endif

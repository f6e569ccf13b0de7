/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Auto counter reload: the overflow of a counter reloads other counters or itself. A counter's CFG_B
 * (IA32_PMC_GPx_CFG_B, _FXx_CFG_B) selects the counters whose overflow reloads it, CFG_C has the value. SDM Vol. 3B
 * (253669-085), "Auto Counter Reload", 21.9.11, as in Linux 6.16 (arch/x86/events/intel/core.c,
 * intel_pmu_config_acr()).
 */
#ifndef MODEL_ENGINE_RELOAD_H
#define MODEL_ENGINE_RELOAD_H

#include "model/vcpu/vcpu.h"

/* Determines from the registers which counters each counter reloads. */
void reload_configure(struct vcpu *v);

/* Bit i: counters[i] has overflowed. Loads the counters that these reload. */
void reload_by(struct vcpu *v, uint32_t overflowed);

/* Whether the i-th counter reloads itself. Its overflow then sets no bit of IA32_PERF_GLOBAL_STATUS. */
static inline bool reload_by_itself(const struct vcpu *v, unsigned i)
{
    return v->counting.reloads[i] >> i & 1;
}

#endif

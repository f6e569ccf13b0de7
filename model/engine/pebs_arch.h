/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectural PEBS: records in a physical buffer, set up with IA32_PEBS_BASE, IA32_PEBS_INDEX and each counter's
 * CFG_C.
 */
#ifndef MODEL_ENGINE_PEBS_ARCH_H
#define MODEL_ENGINE_PEBS_ARCH_H

#include "model/bytes/arch_pebs.h"
#include "model/vcpu/vcpu.h"

struct pebs_sample;

/* Makes the record and reloads the counters. A record that does not fit is not written. */
void pebs_arch_record(struct vcpu *v, const struct pebs_sample *sample);

/* Bit i: PEBS is enabled for counters[i]. */
uint64_t pebs_arch_enabled(const struct vcpu *v);

#endif

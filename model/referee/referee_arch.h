/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The referee's rules on architectural PEBS. That software reads records beyond WR, which the processor may still be
 * writing, cannot be seen.
 */
#ifndef MODEL_REFEREE_REFEREE_ARCH_H
#define MODEL_REFEREE_REFEREE_ARCH_H

#include "model/vcpu/vcpu.h"

/* Some counter begins to count for PEBS. */
void referee_arch_check(struct vcpu *v, uint64_t ip);

/* IA32_PEBS_BASE or IA32_PEBS_INDEX is about to be written. */
void referee_arch_write(struct vcpu *v, enum model_register reg, uint64_t value, uint64_t ip);

/* After a register was written: `before` and `now` are the counters that count, bit i being counters[i]. */
void referee_arch_after(struct vcpu *v, uint64_t before, uint64_t now, uint64_t ip);

#endif

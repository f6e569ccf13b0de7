/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The referee's rules on architectural PEBS. The referee cannot see whether software reads records beyond WR.
 */
#ifndef MODEL_REFEREE_REFEREE_ARCH_H
#define MODEL_REFEREE_REFEREE_ARCH_H

#include "model/vcpu/vcpu.h"

/* Call when a counter starts to sample. */
void referee_arch_check(struct vcpu *v, uint64_t ip);

/* Call before IA32_PEBS_BASE or IA32_PEBS_INDEX is written. */
void referee_arch_write(struct vcpu *v, enum model_register reg, uint64_t value, uint64_t ip);

/* Call after a register was written. Bit i of `before` and `now`: counters[i] counts. */
void referee_arch_after(struct vcpu *v, uint64_t before, uint64_t now, uint64_t ip);

/* Call when the guest has ended. */
void referee_arch_end(struct vcpu *v);

#endif

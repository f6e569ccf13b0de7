/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The referee's report on an RDMSR or WRMSR that raises #GP: no violation, because software probes registers this way.
 */
#ifndef MODEL_REFEREE_REFEREE_REFUSED_H
#define MODEL_REFEREE_REFEREE_REFUSED_H

#include "model/vcpu/vcpu.h"

/* The processor refuses an RDMSR at ip, because it lacks the register at this address. */
void referee_refused_read(struct vcpu *v, uint32_t address, uint64_t ip);

/* The processor accepts a WRMSR at ip of this value to the i-th register of row m: reports bits that it ignores. */
void referee_ignored_write(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value, uint64_t ip);

/* The processor refuses a WRMSR at ip of this value to a register of row m; exists: the processor has the register. */
void referee_refused_write(struct vcpu *v, const struct profile_msr *m, bool exists, uint32_t address, uint64_t value,
                           uint64_t ip);

#endif

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

/* Makes the record and reloads the counters. Does nothing if the record does not fit. */
void pebs_arch_record(struct vcpu *v, const struct pebs_sample *sample);

/* Rules. */
uint64_t pebs_arch_enabled(const struct vcpu *v);
uint64_t pebs_arch_format(const struct vcpu *v, uint64_t counters);
uint64_t pebs_arch_counted(const struct vcpu *v);
void pebs_arch_describe(struct vcpu *v, struct arch_contents *arch);
void pebs_arch_counts(struct vcpu *v, struct arch_contents *arch);
void pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split);
void pebs_arch_encode(struct vcpu *v, uint8_t *bytes, const struct pebs_contents *contents,
                      const struct adaptive_contents *extra, const struct arch_contents *arch,
                      const struct arch_split *split);
bool pebs_arch_full(struct vcpu *v, size_t size);
uint64_t pebs_arch_address(const struct vcpu *v);
uint64_t pebs_arch_index(const struct vcpu *v, size_t size);
bool pebs_arch_reaches(const struct vcpu *v);

#endif

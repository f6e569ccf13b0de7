/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of architectural PEBS. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_ARCH_H
#define MODEL_FAULTS_WRONG_ARCH_H

#include "model/bytes/arch_pebs.h"
#include "model/vcpu/vcpu.h"

uint64_t wrong_pebs_arch_format(const struct vcpu *v, uint64_t counters);
uint64_t wrong_pebs_arch_counted(const struct vcpu *v);
void wrong_pebs_arch_describe(struct vcpu *v, struct arch_contents *arch);
void wrong_pebs_arch_counts(struct vcpu *v, struct arch_contents *arch);
void wrong_pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split);
void wrong_pebs_arch_encode(struct vcpu *v, uint8_t *bytes, const struct pebs_contents *contents,
                            const struct adaptive_contents *extra, const struct arch_contents *arch,
                            const struct arch_split *split);
bool wrong_pebs_arch_full(struct vcpu *v, size_t size);
uint64_t wrong_pebs_arch_address(const struct vcpu *v);
uint64_t wrong_pebs_arch_index(const struct vcpu *v, size_t size);
bool wrong_pebs_arch_reaches(const struct vcpu *v);
void wrong_cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* The architectural PEBS parts of rules in other files. */
uint64_t wrong_arch_enabled(const struct vcpu *v, uint64_t enabled);
uint64_t wrong_arch_value(const struct vcpu *v, const struct profile_msr *m, uint64_t value);

#endif

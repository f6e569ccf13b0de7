/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of architectural PEBS (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_PEBS_ARCH_RULES_H
#define MODEL_ENGINE_PEBS_ARCH_RULES_H

#include "model/bytes/arch_pebs.h"
#include "model/vcpu/vcpu.h"

/* The format of a record of these counters; the counters (bit i: counters[i]) that a counters group may include. */
uint64_t pebs_arch_format(const struct vcpu *v, uint64_t counters);
uint64_t pebs_arch_counted(const struct vcpu *v);
/* The other contents of the record, and its counter values before the reload; its fragments; its bytes. */
void pebs_arch_describe(struct vcpu *v, struct arch_contents *arch);
void pebs_arch_counts(struct vcpu *v, struct arch_contents *arch);
void pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split);
void pebs_arch_encode(struct vcpu *v, uint8_t *bytes, const struct pebs_contents *contents,
                      const struct adaptive_contents *extra, const struct arch_contents *arch,
                      const struct arch_split *split);
/* Whether the record does not fit; its physical address. */
bool pebs_arch_full(struct vcpu *v, size_t size);
uint64_t pebs_arch_address(const struct vcpu *v);
/* IA32_PEBS_INDEX after the record; whether this reaches the threshold. */
uint64_t pebs_arch_index(const struct vcpu *v, size_t size);
bool pebs_arch_reaches(const struct vcpu *v);

struct pebs_arch_rules {
    __typeof__(pebs_arch_format) *format;
    __typeof__(pebs_arch_counted) *counted;
    __typeof__(pebs_arch_describe) *describe;
    __typeof__(pebs_arch_counts) *counts;
    __typeof__(pebs_arch_split) *split;
    __typeof__(pebs_arch_encode) *encode;
    __typeof__(pebs_arch_full) *full;
    __typeof__(pebs_arch_address) *address;
    __typeof__(pebs_arch_index) *index;
    __typeof__(pebs_arch_reaches) *reaches;
};

#endif

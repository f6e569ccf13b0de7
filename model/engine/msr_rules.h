/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of registers (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_MSR_RULES_H
#define MODEL_ENGINE_MSR_RULES_H

#include "model/vcpu/vcpu.h"

/* Whether the i-th register of a row exists, and whether it accepts this value; if not, #GP. */
bool msr_exists(const struct vcpu *v, const struct profile_msr *m, unsigned i);
bool msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
/* The value that RDMSR reads; the effect of WRMSR; RDPMC, and whether it reads 0 at CPL 1 to 3. */
uint64_t msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i);
void msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value);
enum msr_answer msr_counter(struct vcpu *v, uint32_t index, uint64_t *value);
bool msr_counter_concealed(const struct vcpu *v, uint32_t index);

struct msr_rules {
    __typeof__(msr_exists) *exists;
    __typeof__(msr_takes) *takes;
    __typeof__(msr_value) *value;
    __typeof__(msr_set) *set;
    __typeof__(msr_counter) *counter;
    __typeof__(msr_counter_concealed) *counter_concealed;
};

#endif

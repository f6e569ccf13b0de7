/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of PEBS. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_PEBS_H
#define MODEL_FAULTS_WRONG_PEBS_H

#include "model/vcpu/vcpu.h"

struct pebs_sample;

uint64_t wrong_pebs_enabled(const struct vcpu *v);
bool wrong_pebs_full(struct vcpu *v, size_t size);
void wrong_pebs_store(struct vcpu *v, const struct pebs_sample *sample, size_t size);
void wrong_pebs_reached(struct vcpu *v);
void wrong_pebs_describe(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents);
uint64_t wrong_pebs_groups(const struct vcpu *v, uint64_t counters);
void wrong_pebs_describe_groups(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                                struct adaptive_contents *extra, struct lbr_entry *stack);
void wrong_adaptive_encode(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra);
uint64_t wrong_pebs_index(const struct vcpu *v);
bool wrong_pebs_write(struct vcpu *v, uint64_t index);
void wrong_pebs_reload(struct vcpu *v, uint64_t counters);

#endif

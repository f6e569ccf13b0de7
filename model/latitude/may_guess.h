/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latitude of caches, branch prediction and clock: a may_ function replaces the rule of its name
 * (model/engine/rules.h), if there is one.
 */
#ifndef MODEL_LATITUDE_MAY_GUESS_H
#define MODEL_LATITUDE_MAY_GUESS_H

#include "model/vcpu/vcpu.h"

struct branch;
struct pebs_sample;

enum data_level may_data_reach(struct vcpu *v, uint64_t address, bool store);
unsigned may_data_latency(struct vcpu *v, enum data_level level);
uint64_t may_data_source(struct vcpu *v, enum data_level level);
bool may_branches_mispredicted(struct vcpu *v, const struct block *block, uint64_t to);
void may_lbr_push(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents);
void may_pebs_describe_groups(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                              struct adaptive_contents *extra, struct lbr_entry *stack);

/* Call at a reset: chooses the rate of mispredictions, and random replacement in the caches. */
void may_choose_predictor(struct vcpu *v);
void may_choose_victims(struct vcpu *v);

#endif

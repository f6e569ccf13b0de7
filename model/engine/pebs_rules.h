/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of PEBS (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_PEBS_RULES_H
#define MODEL_ENGINE_PEBS_RULES_H

#include "model/vcpu/vcpu.h"

struct pebs_sample;

/* Bit i: PEBS is on for counters[i]. */
uint64_t pebs_enabled(const struct vcpu *v);
/* The subset of the `due` counters (a bitmask) that share the next record. The others get later records. */
uint64_t pebs_together(struct vcpu *v, uint64_t due);
/* Whether a record of this size does not fit. If it fits: the store of the record, and the check of the threshold. */
bool pebs_full(struct vcpu *v, size_t size);
void pebs_store(struct vcpu *v, const struct pebs_sample *sample, size_t size);
void pebs_reached(struct vcpu *v);
/* The contents of a record; for adaptive records also the groups, their contents, and their encoding. */
void pebs_describe(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents);
uint64_t pebs_groups(const struct vcpu *v, uint64_t counters);
void pebs_describe_groups(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                          struct adaptive_contents *extra, struct lbr_entry *stack);
/* The index after the staged records; the write of records and index, as for bts_write(). */
uint64_t pebs_index(const struct vcpu *v);
bool pebs_write(struct vcpu *v, uint64_t index);
/* Whether the staged records are visible to software now. */
bool pebs_visible(const struct vcpu *v);
/* Called after a record of these counters was stored or lost: reloads them. */
void pebs_reload(struct vcpu *v, uint64_t counters);

struct pebs_rules {
    __typeof__(pebs_enabled) *enabled;
    __typeof__(pebs_together) *together;
    __typeof__(pebs_full) *full;
    __typeof__(pebs_store) *store;
    __typeof__(pebs_reached) *reached;
    __typeof__(pebs_describe) *describe;
    __typeof__(pebs_groups) *groups;
    __typeof__(pebs_describe_groups) *describe_groups;
    __typeof__(adaptive_encode) *encode_groups;
    size_t stage; /* the maximum of staged bytes */
    __typeof__(pebs_index) *index;
    __typeof__(pebs_write) *write;
    __typeof__(pebs_visible) *visible;
    __typeof__(pebs_reload) *reload;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PEBS records: space in the buffer, contents, and the write to memory. */
#ifndef MODEL_ENGINE_PEBS_H
#define MODEL_ENGINE_PEBS_H

#include "model/engine/pebs_sample.h"
#include "model/vcpu/vcpu.h"

/* Makes the record and reloads the counters. Does nothing if the record does not fit. */
void pebs_record(struct vcpu *v, const struct pebs_sample *sample);

/* pebs_flush() writes all staged records, pebs_show() only those that must be visible to software now. */
void pebs_flush(struct vcpu *v);
void pebs_show(struct vcpu *v);

/* Rules. */
uint64_t pebs_enabled(const struct vcpu *v);
uint64_t pebs_together(struct vcpu *v, uint64_t due);
bool pebs_full(struct vcpu *v, size_t size);
void pebs_store(struct vcpu *v, const struct pebs_sample *sample, size_t size);
void pebs_reached(struct vcpu *v);
void pebs_describe(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents);
uint64_t pebs_groups(const struct vcpu *v, uint64_t counters);
void pebs_describe_groups(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                          struct adaptive_contents *extra, struct lbr_entry *stack);
uint64_t pebs_index(const struct vcpu *v);
bool pebs_write(struct vcpu *v, uint64_t index);
bool pebs_visible(const struct vcpu *v);
void pebs_reload(struct vcpu *v, uint64_t counters);

#endif

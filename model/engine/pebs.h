/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PEBS records: space in the buffer, contents, and the write to memory. */
#ifndef MODEL_ENGINE_PEBS_H
#define MODEL_ENGINE_PEBS_H

#include "model/engine/pebs_sample.h"
#include "model/vcpu/vcpu.h"

/* Makes the record and reloads the counters. A record that does not fit is not written. */
void pebs_record(struct vcpu *v, const struct pebs_sample *sample);

/* If records are made before the instruction: notes the registers now, before the instruction at ip. */
void pebs_remember(struct vcpu *v, uint64_t ip);

/* pebs_flush() writes all staged records, pebs_show() only those that must be visible to software now. */
void pebs_flush(struct vcpu *v);
void pebs_show(struct vcpu *v);

#endif

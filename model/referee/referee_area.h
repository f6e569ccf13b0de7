/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DS save area in memory: its state when recording begins, and that nobody changes it while recording goes on. */
#ifndef MODEL_REFEREE_REFEREE_AREA_H
#define MODEL_REFEREE_REFEREE_AREA_H

#include "model/vcpu/vcpu.h"

/* Checks the area in memory, with the layout of v->ds.form, for what is enabled. */
void referee_area_check(struct vcpu *v, uint64_t ip);

/* Whether BTS or PEBS records into the area at this linear address. */
bool referee_area_records_into(const struct vcpu *v, uint64_t area);

/*
 * v->ds.area has just been read from memory: checks that it is what the processor left there. And notes what the
 * processor has now written: records from at on, and the index after them.
 */
void referee_area_read(struct vcpu *v, uint64_t ip);
void referee_area_bts_written(struct vcpu *v, uint64_t at, uint64_t index);
void referee_area_pebs_written(struct vcpu *v, uint64_t index);

#endif

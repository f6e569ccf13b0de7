/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DS save area in memory: its state when recording starts, and changes by software while recording goes on. */
#ifndef MODEL_REFEREE_REFEREE_AREA_H
#define MODEL_REFEREE_REFEREE_AREA_H

#include "model/vcpu/vcpu.h"

/* "BTS", "PEBS" or both: what records into the area of this processor. */
const char *referee_area_user(const struct vcpu *v);

/* Checks the area in memory, in the layout of v->ds.form, for each facility (BTS, PEBS) that is enabled. */
void referee_area_check(struct vcpu *v, uint64_t ip);

/* Whether BTS or PEBS of this processor records into the area at this linear address. */
bool referee_area_records_into(const struct vcpu *v, uint64_t area);

/*
 * referee_area_read(): v->ds.area was just read from memory; checks that software has not changed it. The other two
 * record what the processor wrote: BTS records from address `at` on, and the index after the last record.
 */
void referee_area_read(struct vcpu *v, uint64_t ip);
void referee_area_bts_written(struct vcpu *v, uint64_t at, uint64_t index);
void referee_area_pebs_written(struct vcpu *v, uint64_t index);

/*
 * The instruction at ip requested a PMI, which is delivered. Checks that the handler of the previous PMI has reset the
 * index. If that handler stopped recording, referee_area_check() checks this when recording starts again.
 */
void referee_area_pmi(struct vcpu *v, uint64_t ip);

#endif

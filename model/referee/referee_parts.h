/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the referee's files need of each other. */
#ifndef MODEL_REFEREE_REFEREE_PARTS_H
#define MODEL_REFEREE_REFEREE_PARTS_H

#include "model/referee/referee.h"
#include "model/vcpu/vcpu.h"

static inline bool referee_wanted(const struct vcpu *v)
{
    return v->violations != NULL;
}

/* Bit i: v->counters[i] counts for PEBS. */
uint64_t referee_pebs_counters(const struct vcpu *v);

/* referee_area.c: the area as it stands in memory, laid out as v->ds.form says, for what is enabled. */
void referee_check_area(struct vcpu *v, uint64_t ip);

/* referee_counters.c: the counters of a mask, which have begun to count for PEBS, or to count at all.
 * area_read: v->ds.area has just been read. */
void referee_check_pebs(struct vcpu *v, uint64_t counters, bool area_read, uint64_t ip);
void referee_check_counting(struct vcpu *v, uint64_t ip);

/* referee.c: interrupts are asked for. */
void referee_check_lvtpc(struct vcpu *v, uint64_t ip);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the referee's files need of each other. */
#ifndef MODEL_REFEREE_REFEREE_PARTS_H
#define MODEL_REFEREE_REFEREE_PARTS_H

#include "model/engine/engine_parts.h"

static inline bool referee_wanted(const struct vcpu *v)
{
    return v->violations != NULL;
}

/* Bit i: v->counters[i] counts; of these, those that count for PEBS. */
uint64_t referee_active_counters(const struct vcpu *v);
uint64_t referee_pebs_counters(const struct vcpu *v);

/* referee_area.c: the area as it stands in memory, for what is enabled. */
void referee_check_area(struct vcpu *v, uint64_t ip);

/* referee_counters.c: the counters of a mask, which have begun to count for PEBS, or to count at all. */
void referee_check_pebs(struct vcpu *v, uint64_t counters, uint64_t ip);
void referee_check_counting(struct vcpu *v, uint64_t ip);

/* referee.c: interrupts are asked for. */
void referee_check_lvtpc(struct vcpu *v, uint64_t ip);

#endif

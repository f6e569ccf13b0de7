/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration of a counter when it begins to count, for PEBS or at all. */
#ifndef MODEL_REFEREE_REFEREE_COUNTERS_H
#define MODEL_REFEREE_REFEREE_COUNTERS_H

#include "model/vcpu/vcpu.h"

/* The counters of a mask have begun to count for PEBS. area_read: v->ds.area has just been read. */
void referee_counters_check_pebs(struct vcpu *v, uint64_t counters, bool area_read, uint64_t ip);

/* Counters have begun to count. */
void referee_counters_check(struct vcpu *v, uint64_t ip);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/standing.h"

#include <stdlib.h>
#include <string.h>

#include "model/engine/branches.h"
#include "model/engine/counting.h"
#include "model/engine/pebs.h"
#include "model/engine/rules.h"

void standing_settle(struct vcpu *v)
{
    branches_drain(v, true, 0, 0);
    pebs_show(v);
}

/* Updates the counters in a copy, so that reading changes nothing. */
bool standing_registers(struct vcpu *v, void (*see)(void *context, uint32_t address, uint64_t value), void *context)
{
    struct vcpu *copy = malloc(sizeof(*copy));

    if (copy == NULL)
        return false;
    memcpy(copy, v, sizeof(*copy));
    counting_update(copy, BETWEEN_BLOCKS);
    for (unsigned table = 0; table < PROFILE_TABLES; table++) {
        for (unsigned i = 0; i < v->profile->msrs[table].count; i++) {
            const struct profile_msr *m = &v->profile->msrs[table].rows[i];

            for (unsigned n = 0; n < m->count; n++) {
                const uint32_t address = m->address + n * (m->stride == 0 ? 1u : m->stride);

                if (profile_find_msr(v->profile, address) == m && v->rules->msr_exists(v, m, m->first + n))
                    see(context, address, v->rules->msr_value(copy, m, m->first + n));
            }
        }
    }
    free(copy);
    return true;
}

void standing_watch(struct vcpu *v, bool record, bool threshold)
{
    branches_drain(v, true, 0, 0); /* the new limit may be lower than what the ring holds */
    v->watch.record = record;
    v->watch.threshold = threshold;
    v->watch.hit = false;
    branches_set_limit(v);
}

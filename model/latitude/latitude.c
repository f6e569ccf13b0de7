/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/latitude/latitude.h"

#include <stdlib.h>
#include <string.h>

#include "model/engine/data_cache.h"
#include "model/latitude/choices.h"

/* splitmix64: adjacent seeds give uncorrelated generators. */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Each reset restarts the generators. */
static void reset_registers(struct vcpu *v)
{
    struct latitude *l = v->latitude;

    memset(&l->state, 0, sizeof(l->state));
    for (unsigned i = 0; i < FREEDOMS; i++)
        l->state.stream[i] = mixed(mixed(mixed(l->seed) + v->number) + i) | 1; /* never 0: xorshift would stay at 0 */
    latitude_choose_pebs(v);
    latitude_choose_counters(v);
    latitude_choose_msr(v);
    latitude_choose_freeze(v);
    latitude_choose_victims(v);
    latitude_choose_predictor(v);
    rules_sdm.engine_reset_registers(v);
    latitude_leave_running(v);
}

bool latitude_give(struct vcpu *v, uint64_t seed, uint32_t freedoms)
{
    struct latitude *l = calloc(1, sizeof(*l));
    bool has; /* the freedom of the line */

    if (l == NULL)
        return false;
    l->rules = rules_sdm;
    l->freedoms = freedoms;
    l->seed = seed;
    l->rules.engine_reset_registers = reset_registers;
    l->rules.pmi_trails = freedoms >> FREEDOM_PMI_TRAILING & 1;
#define RULE(rule) \
    if (has)       \
        l->rules.rule = latitude_##rule;
#define FREEDOM(id, name, sentence, source, replaces) \
    has = freedoms >> FREEDOM_##id & 1;               \
    replaces
#include "model/latitude/freedoms.inc"
#undef FREEDOM
#undef RULE
    v->latitude = l;
    v->rules = &l->rules;
    return true;
}

void latitude_take(struct vcpu *v)
{
    if (v->cache != NULL)
        data_cache_replace(v->cache, NULL, NULL);
    free(v->latitude);
    v->latitude = NULL;
    v->rules = &rules_sdm;
}

const struct rules *latitude_rules(const struct vcpu *v)
{
    return v->latitude == NULL ? &rules_sdm : &v->latitude->rules;
}

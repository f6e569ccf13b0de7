/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/latitude/latitude.h"

#include <stdlib.h>
#include <string.h>

#include "model/engine/data_cache.h"
#include "model/latitude/choices.h"
#include "model/latitude/may_counters.h"
#include "model/latitude/may_guess.h"
#include "model/latitude/may_msr.h"
#include "model/latitude/may_pebs.h"
#include "model/latitude/may_pmi.h"
#include "model/latitude/may_step.h"

/* The replacement of each rule that some freedom changes. */
static const struct rules may = {
    .msr.takes = may_msr_takes,
    .msr.set = may_msr_set,
    .counters.interruption = may_counting_interruption,
    .counters.exact = may_counting_exact,
    .branches.mispredicted = may_branches_mispredicted,
    .cpuid_answer = may_cpuid_answer,
    .data.latency = may_data_latency,
    .data.reach = may_data_reach,
    .data.source = may_data_source,
    .lbr.push = may_lbr_push,
    .msr.value = may_msr_value,
    .counters.arms = may_overflow_arms,
    .pebs.describe_groups = may_pebs_describe_groups,
    .pmi.raise = may_pmi_raise,
    .pmi.skid = may_pmi_skid,
    .pmi.trails = true,
    .smi_microseconds = may_smi_microseconds,
    .stepped = may_stepped,
    .pebs.together = may_pebs_together,
    .pebs_arch.describe = may_pebs_arch_describe,
    .pebs_arch.split = may_pebs_arch_split,
    .pebs.visible = may_pebs_visible,
    .pebs.reload = may_pebs_reload,
    .data.followed = may_data_followed,
};

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
    for (unsigned i = 0; i < FREEDOMS; i++) {
        l->state.stream[i] = mixed(mixed(mixed(l->seed) + v->number) + i) | 1; /* never 0: xorshift would stay at 0 */
    }
    may_choose_pebs(v);
    may_choose_counters(v);
    may_choose_msr(v);
    may_choose_freeze(v);
    may_choose_victims(v);
    may_choose_predictor(v);
    rules_manual.engine_reset_registers(v);
    may_leave_running(v);
}

bool latitude_give(struct vcpu *v, uint64_t seed, uint32_t freedoms)
{
    struct latitude *l = calloc(1, sizeof(*l));

    if (l == NULL) {
        return false;
    }
    l->rules = rules_manual;
    l->freedoms = freedoms;
    l->seed = seed;
    l->rules.engine_reset_registers = reset_registers;
#define RULE(rule) l->rules.rule = may.rule;
#define FREEDOM(id, name, sentence, source, replaces) \
    if (freedoms >> FREEDOM_##id & 1) {               \
        replaces                                      \
    }
#include "model/latitude/freedoms.inc"
#undef FREEDOM
#undef RULE
    v->latitude = l;
    v->rules = &l->rules;
    return true;
}

void latitude_take(struct vcpu *v)
{
    if (v->cache != NULL) {
        data_cache_replace(v->cache, NULL, NULL);
    }
    free(v->latitude);
    v->latitude = NULL;
    v->rules = &rules_manual;
}

const struct rules *latitude_rules(const struct vcpu *v)
{
    return v->latitude == NULL ? &rules_manual : &v->latitude->rules;
}

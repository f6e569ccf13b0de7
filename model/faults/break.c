/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults/break.h"

#include <stdlib.h>

#include "model/faults/fault_state.h"
#include "model/faults/flip.h"
#include "model/faults/quirks.h"
#include "model/latitude/latitude.h"

/*
 * Every fault also needs these: reset clears the faults' state, each record is written to memory at once, and every
 * branch, taken or not, reaches wrong_branches_record().
 */
static void replace_rules(struct rules *rules, const struct fault_set *set)
{
    bool has; /* the fault of the line */

    rules->engine_reset_registers = wrong_engine_reset_registers;
    rules->branches_record = wrong_branches_record;
    rules->every_branch = true;
    rules->pebs_stage = 0;
#define RULE(rule) \
    if (has)       \
        rules->rule = wrong_##rule;
#define TABLES
#define FAULT(id, name, sentence, replaces) \
    has = fault_set_has(set, FAULT_##id);   \
    replaces
#include "model/faults/faults.inc"
#undef FAULT
#undef TABLES
#undef RULE
    for (unsigned i = 0; i < set->bit_faults; i++) {
        if (set->bits[i].kind == FAULT_CPUID) {
            rules->cpuid_answer = wrong_cpuid_answer;
        } else {
            rules->msr_exists = wrong_msr_exists;
            rules->msr_takes = wrong_msr_takes;
            rules->msr_value = wrong_msr_value;
            rules->msr_set = wrong_msr_set;
        }
    }
}

bool break_rules(struct vcpu *v, const struct fault_set *faults, uint32_t quirks, struct flip *flip)
{
    struct fault_state *b = calloc(1, sizeof(*b));

    if (b == NULL)
        return false;
    b->faults = *faults;
    b->quirks = quirks;
    b->flip = flip;
    b->without_faults = *latitude_rules(v);
    quirks_apply(&b->without_faults, quirks);
    b->rules = b->without_faults;
    if (faults->any)
        replace_rules(&b->rules, faults);
    if (flip != NULL)
        flip_replace(&b->rules);
    break_mend(v);
    v->rules = &b->rules;
    return true;
}

void break_mend(struct vcpu *v)
{
    const struct rules *sound = latitude_rules(v);

    if (v->rules != NULL && v->rules != sound)
        free(fault_state(v));
    v->rules = sound;
}

/* The addresses that processors with architectural PEBS lack. */
static void change_arch_msr(const struct fault_set *set, struct profile_msr *m)
{
    const bool gap = m->reg == REG_ABSENT && m->address == 0x1900;
    const bool enable = m->reg == REG_ABSENT && m->address == 0x3f1;

    if ((gap && fault_set_has(set, FAULT_ARCH_GAP_THERE)) || (enable && fault_set_has(set, FAULT_ARCH_ENABLE_THERE))) {
        m->reg = REG_ZERO;
        m->read_only = true;
    }
}

/* Faults that change which registers exist and which values they accept. */
static void change_msrs(const struct fault_set *set, uint32_t quirks, struct profile_msr *changed,
                        const struct profile_msr *msrs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct profile_msr *m = &changed[i];

        *m = msrs[i];
        quirks_change_msr(quirks, m);
        if (fault_set_has(set, FAULT_PERFMON_MSR_RESERVED_TAKEN) && m->writable != 0 && m->check == CHECK_BITS)
            m->ignored |= ~m->writable;
        change_arch_msr(set, m);
        if (fault_set_has(set, FAULT_PERFMON_RESET_DIRTY))
            m->reset |= m->writable & (m->reg == REG_IA32_DS_AREA ? 0x1000 : 1);
    }
}

static void change_sources(const struct fault_set *set, struct profile_memory *memory)
{
    static const struct {
        enum fault fault;
        enum data_level level, reported;
    } changes[] = {
        { FAULT_PEBS_DATA_SOURCE_NEXT, LEVEL_L1, LEVEL_L2 },
        { FAULT_PEBS_DATA_HITM_LOST, LEVEL_MODIFIED, LEVEL_L3 },
        { FAULT_PEBS_DATA_HITM_ALWAYS, LEVEL_L1, LEVEL_MODIFIED },
    };

    for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        if (fault_set_has(set, changes[i].fault))
            memory->source[changes[i].level] = memory->source[changes[i].reported];
    if (fault_set_has(set, FAULT_PEBS_DATA_MEMORY_FAST))
        memory->latency[LEVEL_MEMORY] = memory->latency[LEVEL_L1];
}

/* The tables of MSRs in the copied profile point to the rows that follow it. */
struct changed_profile {
    struct profile profile;
    struct profile_msr msrs[];
};

const struct profile *break_profile(const struct profile *profile, const struct fault_set *set, uint32_t quirks)
{
    struct changed_profile *copy;
    unsigned count = 0;

    for (unsigned i = 0; i < PROFILE_TABLES; i++)
        count += profile->msrs[i].count;
    copy = malloc(sizeof(*copy) + count * sizeof(copy->msrs[0]));
    if (copy == NULL)
        return NULL;
    struct profile *changed = &copy->profile;
    struct profile_msr *rows = copy->msrs;

    *changed = *profile;
    for (unsigned i = 0; i < PROFILE_TABLES; i++) {
        change_msrs(set, quirks, rows, profile->msrs[i].rows, profile->msrs[i].count);
        changed->msrs[i].rows = rows;
        rows += profile->msrs[i].count;
    }
    if (quirks >> QUIRK_HYPER_THREADING_OFF & 1)
        changed->general_counters *= 2;
    if (fault_set_has(set, FAULT_PERFMON_WIDTH_32))
        changed->counter_width = 32;
    if (fault_set_has(set, FAULT_PEBS_PDIR_IGNORED)) {
        changed->pdir_counter = MAX_COUNTERS;
        changed->pdist_counters = 0;
    }
    change_sources(set, &changed->memory);
    return changed;
}

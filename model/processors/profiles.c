/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <string.h>

#include "model/processors/profiles.h"

/* CPUID.80000001H:EDX[29] */
#define LONG_MODE_LEAF 0x80000001
#define LONG_MODE_REG  3
#define LONG_MODE_BIT  29

#define MOST_VARIANTS 64 /* kinds of cores */

/* The families, each with its processors in the order of release. */
static const struct profile *const *const families[] = {
    profiles_netburst, profiles_p6, profiles_core, profiles_adaptive, profiles_hybrid, profiles_arch, profiles_atom,
};

/* The members that a variant takes from its relative. */
#define MEMBER(name)                                                           \
    {                                                                          \
        offsetof(struct profile, name), sizeof(((struct profile *)NULL)->name) \
    }
/* clang-format off */
static const struct {
    size_t at, size;
} members[] = {
    MEMBER(kinds), MEMBER(letter), MEMBER(core), MEMBER(brand), MEMBER(microcode), MEMBER(max_leaf), MEMBER(max_extended),
    MEMBER(dtes64), MEMBER(physical_bits), MEMBER(la57), MEMBER(netburst), MEMBER(perfmon_version),
    MEMBER(general_counters), MEMBER(fixed_bitmap), MEMBER(counter_width), MEMBER(width), MEMBER(metrics),
    MEMBER(one_enable), MEMBER(pebs_format), MEMBER(pebs_fault_like), MEMBER(pebs_one_page), MEMBER(pebs_extended), MEMBER(pebs_any_event),
    MEMBER(pebs_address_only), MEMBER(pebs_no_address), MEMBER(pdir_counter), MEMBER(pdir_select), MEMBER(pdir_umask), MEMBER(pebs_adaptive),
    MEMBER(pebs_timing), MEMBER(pebs_cache_latency), MEMBER(pebs_latency_aux), MEMBER(pdist_counters),
    MEMBER(pdist_distance), MEMBER(debugctl), MEMBER(lbr_depth), MEMBER(lbr_depths), MEMBER(lbr_counters),
    MEMBER(lbr_format), MEMBER(predictor_slots), MEMBER(bts_predicted), MEMBER(memory.caches[LEVEL_L1]),
    MEMBER(memory.caches[LEVEL_L2]), MEMBER(memory.caches[LEVEL_L3]), MEMBER(memory.code), MEMBER(memory.flags),
    MEMBER(memory.tlb), MEMBER(memory.latency), MEMBER(memory.source), MEMBER(memory.source_tlb_miss),
    MEMBER(memory.source_locked), MEMBER(offcore), MEMBER(features), MEMBER(feature_count),
};
/* clang-format on */

static void add_tables(struct profile *p, const struct profile *relative)
{
    unsigned msrs = 0, events = 0;

    while (p->msrs[msrs].count != 0)
        msrs++;
    while (p->events[events].count != 0)
        events++;
    for (unsigned i = 0; i < PROFILE_TABLES && relative->msrs[i].count != 0; i++)
        p->msrs[msrs++] = relative->msrs[i];
    for (unsigned i = 0; !(p->lacks & LACKS_EVENTS) && i < PROFILE_TABLES && relative->events[i].count != 0; i++)
        p->events[events++] = relative->events[i];
}

/* A profile with what it takes from its relative. */
static const struct profile *whole(const struct profile *p)
{
    static struct {
        const struct profile *of;
        struct profile whole;
    } made[MOST_VARIANTS];
    static unsigned count;
    static const char zero[sizeof(struct profile_memory)];

    if (p == NULL || p->like == NULL)
        return p;
    for (unsigned i = 0; i < count; i++)
        if (made[i].of == p || &made[i].whole == p)
            return &made[i].whole;

    const struct profile *const relative = whole(p->like);
    struct profile *const made_now = &made[count].whole;

    made[count++].of = p;
    *made_now = *p;
    for (unsigned i = 0; i < COUNT(members); i++)
        if (memcmp((const char *)p + members[i].at, zero, members[i].size) == 0)
            memcpy((char *)made_now + members[i].at, (const char *)relative + members[i].at, members[i].size);
    add_tables(made_now, relative);
    made_now->la57 = made_now->la57 && !(p->lacks & LACKS_LA57);
    made_now->pebs_latency_aux = made_now->pebs_latency_aux && !(p->lacks & LACKS_LATENCY_AUX);
    if (p->lacks & LACKS_KINDS) {
        made_now->kinds = NULL;
        made_now->letter = 0;
        made_now->core = NULL;
    }
    return made_now;
}

const struct profile *profile_at(unsigned index)
{
    for (unsigned family = 0; family < COUNT(families); family++) {
        for (unsigned i = 0; families[family][i] != NULL; i++)
            if (index-- == 0)
                return whole(families[family][i]);
    }
    return NULL;
}

const struct profile *profile_find(const char *name)
{
    for (unsigned i = 0; profile_at(i) != NULL; i++)
        if (strcmp(profile_at(i)->name, name) == 0)
            return profile_at(i);
    return NULL;
}

const struct profile *profile_kind(const struct profile *profile, unsigned index)
{
    unsigned kind = 0;

    if (profile->kinds == NULL)
        return index == 0 ? whole(profile) : NULL;
    while (kind < index && profile->kinds[kind] != NULL)
        kind++;
    return whole(profile->kinds[kind]);
}

const char *profile_name(unsigned index)
{
    return profile_at(index) != NULL ? profile_at(index)->name : NULL;
}

const char *profile_brand(unsigned index)
{
    return profile_at(index) != NULL ? profile_at(index)->brand : NULL;
}

const char *profile_relative(unsigned index)
{
    const struct profile *p = profile_at(index);

    return p != NULL && p->only_data ? p->like->name : NULL;
}

unsigned profile_width(unsigned index)
{
    const struct profile *p = profile_at(index);

    for (unsigned i = 0; p != NULL && i < p->feature_count; i++) {
        const struct profile_feature *feature = &p->features[i];

        if (feature->leaf == LONG_MODE_LEAF && feature->reg == LONG_MODE_REG && feature->bit == LONG_MODE_BIT)
            return 64;
    }
    return p != NULL ? 32 : 0;
}

/* Registers of every processor; IA32_TSC_ADJUST is only where CPUID lists it. */
static const struct profile_msr common_msrs[] = {
    { 0x010, 1, REG_IA32_TIME_STAMP_COUNTER, .writable = ALL },
    { 0x03b, 1, REG_IA32_TSC_ADJUST, .writable = ALL },
    { 0x08b, 1, REG_IA32_BIOS_SIGN_ID, .ignored = ALL }, /* CPUID writes the microcode revision to it */
};

static bool holds(const struct profile_msr *row, uint32_t address)
{
    const uint32_t stride = row->stride == 0 ? 1 : row->stride;

    return (address - row->address) % stride == 0 && (address - row->address) / stride < row->count;
}

const struct profile_msr *profile_find_msr(const struct profile *profile, uint32_t address)
{
    for (unsigned table = 0; table < PROFILE_TABLES; table++) {
        const struct profile_msrs *msrs = &profile->msrs[table];

        for (unsigned i = 0; i < msrs->count; i++)
            if (holds(&msrs->rows[i], address))
                return &msrs->rows[i];
    }
    for (unsigned i = 0; i < COUNT(common_msrs); i++)
        if (holds(&common_msrs[i], address))
            return &common_msrs[i];
    return NULL;
}

bool profile_is_lbr_stack(enum model_register reg)
{
    switch (reg) {
    case REG_MSR_LASTBRANCH_TOS:
    case REG_LASTBRANCH_FROM:
    case REG_LASTBRANCH_TO:
    case REG_LASTBRANCH_INFO:
    case REG_LASTBRANCH_BOTH:
    case REG_IA32_LBR_FROM:
    case REG_IA32_LBR_TO:
    case REG_IA32_LBR_INFO:
        return true;
    default:
        return false;
    }
}

const struct profile_event *profile_find_event(const struct profile *profile, unsigned select, unsigned umask,
                                               unsigned counter)
{
    if (counter >= profile->general_counters)
        return NULL;
    for (unsigned table = 0; table < PROFILE_TABLES; table++) {
        const struct profile_events *events = &profile->events[table];

        for (unsigned i = 0; i < events->count; i++) {
            const struct profile_event *e = &events->rows[i];

            if (e->select == select && e->umask == umask && (e->counters >> counter & 1))
                return e;
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <string.h>

#include "model/processors/profiles.h"

/* CPUID.80000001H:EDX[29] */
#define LONG_MODE_LEAF 0x80000001
#define LONG_MODE_REG  3
#define LONG_MODE_BIT  29

/* Families by release, and the processors within each by release. */
static const struct profile *const *const families[] = {
    profiles_netburst,
    profiles_p6,
    profiles_core,
    profiles_adaptive,
};

/* The index-th of all profiles, NULL past the last. */
static const struct profile *at(unsigned index)
{
    for (unsigned family = 0; family < COUNT(families); family++) {
        for (unsigned i = 0; families[family][i] != NULL; i++) {
            if (index-- == 0) {
                return families[family][i];
            }
        }
    }
    return NULL;
}

const struct profile *profile_find(const char *name)
{
    for (unsigned i = 0; at(i) != NULL; i++) {
        if (strcmp(at(i)->name, name) == 0) {
            return at(i);
        }
    }
    return NULL;
}

const char *profile_name(unsigned index)
{
    return at(index) != NULL ? at(index)->name : NULL;
}

const char *profile_brand(unsigned index)
{
    return at(index) != NULL ? at(index)->brand : NULL;
}

unsigned profile_width(unsigned index)
{
    const struct profile *p = at(index);

    for (unsigned i = 0; p != NULL && i < p->feature_count; i++) {
        const struct profile_feature *feature = &p->features[i];

        if (feature->leaf == LONG_MODE_LEAF && feature->reg == LONG_MODE_REG && feature->bit == LONG_MODE_BIT) {
            return 64;
        }
    }
    return p != NULL ? 32 : 0;
}

const struct profile_msr *profile_find_msr(const struct profile *profile, uint32_t address)
{
    for (unsigned table = 0; table < PROFILE_TABLES; table++) {
        const struct profile_msrs *msrs = &profile->msrs[table];

        for (unsigned i = 0; i < msrs->count; i++) {
            if (address - msrs->rows[i].address < msrs->rows[i].count) {
                return &msrs->rows[i];
            }
        }
    }
    return NULL;
}

const struct profile_event *profile_find_event(const struct profile *profile, unsigned select, unsigned umask,
                                               unsigned counter)
{
    for (unsigned table = 0; table < PROFILE_TABLES; table++) {
        const struct profile_events *events = &profile->events[table];

        for (unsigned i = 0; i < events->count; i++) {
            const struct profile_event *e = &events->rows[i];

            if (e->select == select && e->umask == umask && (e->counters >> counter & 1)) {
                return e;
            }
        }
    }
    return NULL;
}

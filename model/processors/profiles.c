/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <string.h>

#include "model/processors/profiles.h"

/* CPUID.80000001H:EDX[29] */
#define LONG_MODE_LEAF 0x80000001
#define LONG_MODE_REG  3
#define LONG_MODE_BIT  29

/* In the order of the processors' birth. */
static const struct profile *const profiles[] = {
    &profile_netburst, &profile_netburst64, &profile_pentium_m,   &profile_core_duo,
    &profile_core2,    &profile_nehalem,    &profile_sandybridge, &profile_haswell,
    &profile_skylake,  &profile_icelake,    &profile_goldencove,
};

const struct profile *profile_find(const char *name)
{
    for (unsigned i = 0; i < COUNT(profiles); i++) {
        if (strcmp(profiles[i]->name, name) == 0) {
            return profiles[i];
        }
    }
    return NULL;
}

const char *profile_name(unsigned index)
{
    return index < COUNT(profiles) ? profiles[index]->name : NULL;
}

const char *profile_brand(unsigned index)
{
    return index < COUNT(profiles) ? profiles[index]->brand : NULL;
}

unsigned profile_width(unsigned index)
{
    if (index >= COUNT(profiles)) {
        return 0;
    }
    for (unsigned i = 0; i < profiles[index]->feature_count; i++) {
        const struct profile_feature *feature = &profiles[index]->features[i];
        if (feature->leaf == LONG_MODE_LEAF && feature->reg == LONG_MODE_REG && feature->bit == LONG_MODE_BIT) {
            return 64;
        }
    }
    return 32;
}

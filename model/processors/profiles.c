/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <string.h>

#include "model/processors/profiles.h"

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

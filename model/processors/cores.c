/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/processors/cores.h"

#include <stddef.h>

/* The index of the kind of core with this letter, or the number of kinds if there is none. */
static unsigned kind_of(const struct profile *profile, char letter)
{
    unsigned kind = 0;

    while (profile_kind(profile, kind) != NULL && profile_kind(profile, kind)->letter != letter)
        kind++;
    return kind;
}

const char *cores_parse(struct cores *cores, const struct profile *profile, const char *list)
{
    cores->named = 0;
    for (const char *at = list; *at != '\0';) {
        const char *const begin = at;
        const unsigned kind = kind_of(profile, *at++);
        unsigned count = *at < '0' || *at > '9' ? 1 : 0;

        while (*at >= '0' && *at <= '9' && count <= CORES_MOST)
            count = 10 * count + (unsigned)(*at++ - '0');
        if (profile->kinds == NULL || profile_kind(profile, kind) == NULL || count == 0 ||
            count > CORES_MOST - cores->named)
            return begin;
        while (count-- > 0)
            cores->kind[cores->named++] = (uint8_t)kind;
    }
    return NULL;
}

unsigned cores_kind(const struct cores *cores, const struct profile *profile, unsigned number, unsigned processors)
{
    unsigned kinds = 0;

    if (cores->named > 0)
        return cores->kind[number < cores->named ? number : cores->named - 1];
    while (profile_kind(profile, kinds) != NULL)
        kinds++;
    return number < processors ? number * kinds / processors : kinds - 1;
}

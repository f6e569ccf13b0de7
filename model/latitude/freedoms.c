/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/latitude/freedoms.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *name, *sentence, *source;
} table[] = {
#define FREEDOM(id, name, sentence, source, replaces) { name, sentence, source },
#include "model/latitude/freedoms.inc"
#undef FREEDOM
};

_Static_assert(FREEDOMS < 32, "a set of freedoms has 32 bits");

const char *freedom_name(unsigned index)
{
    return index < FREEDOMS ? table[index].name : NULL;
}

const char *freedom_sentence(unsigned index)
{
    return index < FREEDOMS ? table[index].sentence : NULL;
}

const char *freedom_source(unsigned index)
{
    return index < FREEDOMS ? table[index].source : NULL;
}

const char *freedoms_parse(uint32_t *freedoms, const char *list, size_t *length)
{
    const bool without = *list == '-';

    *freedoms = without ? ALL_FREEDOMS : 0;
    for (;; list += *length + 1) {
        unsigned i = 0;

        list += without && *list == '-';
        *length = strcspn(list, ",");
        while (i < FREEDOMS && (strlen(table[i].name) != *length || memcmp(table[i].name, list, *length) != 0))
            i++;
        if (i == FREEDOMS)
            return list;
        *freedoms = without ? *freedoms & ~(UINT32_C(1) << i) : *freedoms | UINT32_C(1) << i;
        if (list[*length] == '\0')
            return NULL;
    }
}

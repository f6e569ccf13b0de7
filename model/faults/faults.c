/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults/faults.h"

#include <string.h>

static const struct {
    const char *name, *sentence;
} table[] = {
#define FAULT(id, name, sentence, replaces) { name, sentence },
#include "model/faults/faults.inc"
#undef FAULT
};

const char *fault_name(unsigned index)
{
    return index < FAULTS ? table[index].name : NULL;
}

const char *fault_sentence(unsigned index)
{
    return index < FAULTS ? table[index].sentence : NULL;
}

/* Parses the processor number after the @. */
static const char *cpu_parse(struct fault_set *set, const char *number, size_t *length)
{
    *length = strlen(number);
    if (*length == 0 || *length > 4 || strspn(number, "0123456789") != *length)
        return number;
    set->of_one = true;
    set->cpu = 0;
    for (; *number != '\0'; number++)
        set->cpu = set->cpu * 10 + (unsigned)(*number - '0');
    return NULL;
}

const char *faults_parse(struct fault_set *set, const char *list, size_t *length)
{
    for (;; list += *length + 1) {
        unsigned i = 0;

        *length = strcspn(list, ",@");
        while (i < FAULTS && (strlen(table[i].name) != *length || memcmp(table[i].name, list, *length) != 0))
            i++;
        if (i == FAULTS)
            return list;
        set->words[i / 64] |= UINT64_C(1) << i % 64;
        set->any = true;
        if (list[*length] == '\0')
            return NULL;
        if (list[*length] == '@')
            return cpu_parse(set, list + *length + 1, length);
    }
}

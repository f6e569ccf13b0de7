/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deliberate errors of the modelled processor. The plugin's option fault= selects faults; each must make a test fail. A
 * fault replaces rules of the engine (model/engine/rules.h) in the processor's table of rules, or changes a table of
 * the profile. Faults can be combined, because a replacement calls the rule that it replaces, and faults of the same
 * rule share a function.
 */
#ifndef MODEL_FAULTS_FAULTS_H
#define MODEL_FAULTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault {
#define FAULT(id, name, sentence, replaces) FAULT_##id,
#include "model/faults/faults.inc"
#undef FAULT
    FAULTS,
};

struct fault_set {
    bool any;
    bool of_one; /* only the processor with number cpu has the faults; otherwise all processors have them */
    unsigned cpu;
    uint64_t words[(FAULTS + 63) / 64];
};

static inline bool fault_set_has(const struct fault_set *set, enum fault fault)
{
    return set->words[fault / 64] >> fault % 64 & 1;
}

/* Whether the processor with this number has the faults. */
static inline bool fault_set_is_of(const struct fault_set *set, unsigned cpu)
{
    return set->any && (!set->of_one || set->cpu == cpu);
}

/*
 * Adds the faults of a list, NAME[,NAME..][@CPU], where CPU is a processor number from 0 to 9999. Returns NULL, or the
 * place in the list of the unknown name or invalid number, whose length in bytes is then in *length.
 */
const char *faults_parse(struct fault_set *set, const char *list, size_t *length);

/* The name of the index-th fault, or NULL past the last; and a sentence that describes it. */
const char *fault_name(unsigned index);
const char *fault_sentence(unsigned index);

#endif

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

/*
 * A fault without a name: bits of a register or of CPUID are wrong, as in msr:600:read:set:40. Its form:
 *   msr:ADDRESS:absent                            RDMSR and WRMSR raise #GP
 *   msr:ADDRESS:gp[:BITS]                         WRMSR of one of these bits raises #GP
 *   msr:ADDRESS:take[:BITS]                       WRMSR accepts these bits, although they are reserved or read-only
 *   msr:ADDRESS:stick[:BITS]                      these bits cannot be cleared
 *   msr:ADDRESS:read|write:clear|set|flip[:BITS]  RDMSR reads, or WRMSR writes, these bits wrong
 *   cpuid:LEAF.SUBLEAF:eax|ebx|ecx|edx:clear|set|flip[:BITS]
 * Numbers are hexadecimal; without BITS, all bits are meant. In a group of registers, such as the event selects, the
 * first address names the group, any other address one register (with gp and take: the group). If a register has a
 * second address, from 1900H on, that address names only itself.
 */
struct bit_fault {
    enum bit_fault_kind {
        FAULT_MSR_ABSENT,
        FAULT_MSR_GP,
        FAULT_MSR_TAKE,
        FAULT_MSR_STICK,
        FAULT_MSR_READ,
        FAULT_MSR_WRITE,
        FAULT_CPUID,
    } kind;
    enum { BITS_CLEAR, BITS_SET, BITS_FLIP } change;
    uint32_t address; /* of the register; or the CPUID leaf */
    uint32_t subleaf;
    unsigned reg; /* of CPUID, 0 to 3: EAX, EBX, ECX, EDX */
    uint64_t bits;
};

static inline uint64_t bit_fault_change(const struct bit_fault *fault, uint64_t value)
{
    return fault->change == BITS_FLIP  ? value ^ fault->bits
           : fault->change == BITS_SET ? value | fault->bits
                                       : value & ~fault->bits;
}

#define MOST_BIT_FAULTS 8

struct fault_set {
    bool any;
    bool of_one; /* only the processor with number cpu has the faults; otherwise all processors have them */
    unsigned cpu;
    uint64_t words[(FAULTS + 63) / 64];
    unsigned bit_faults; /* number of them */
    struct bit_fault bits[MOST_BIT_FAULTS];
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
 * Adds the faults of a list, NAME[,NAME..][@CPU], where CPU is a processor number from 0 to 9999 and NAME may be a bit
 * fault. Returns NULL, or the place in the list of the unknown name or invalid number, whose length in bytes is then in
 * *length.
 */
const char *faults_parse(struct fault_set *set, const char *list, size_t *length);

/* Whether this begins a bit fault, not a name. */
bool faults_is_bits(const char *name);

/* The name of the index-th fault, or NULL past the last; and a sentence that describes it. */
const char *fault_name(unsigned index);
const char *fault_sentence(unsigned index);

#endif

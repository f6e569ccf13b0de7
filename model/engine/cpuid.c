/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/cpuid.h"

#include <string.h>

#include "model/engine/rules.h"

#define HYPERVISOR_LEAVES UINT32_C(0x40000000)
#define EXTENDED_LEAVES   UINT32_C(0x80000000)
#define FIRST_BRAND_LEAF  UINT32_C(0x80000002)
#define ADDRESS_LEAF      UINT32_C(0x80000008)
#define PHYSICAL_BITS     0xffu
#define LINEAR_BITS_SHIFT 8
#define LINE_BYTES        64

#define CACHE_LEAF              4
#define CACHE_TYPE              0x1fu /* EAX: 0 is none */
#define DATA_CACHE              1u
#define INSTRUCTION_CACHE       2u
#define UNIFIED_CACHE           3u
#define CACHE_LEVEL_SHIFT       5
#define CACHE_SELF_INITIALIZING (UINT32_C(1) << 8)
#define CACHE_SHARING           UINT32_C(0xffffc000)

#define LAST_CACHE 3 /* QEMU's sub-leaf of the cache that the whole package shares */

#define DESCRIPTOR_LEAF     2
#define SEE_CACHE_LEAF      UINT32_C(0xff01) /* the descriptor of no cache; one call returns all descriptors */
#define TOPOLOGY_LEAF       UINT32_C(0x0b)
#define LATER_TOPOLOGY_LEAF UINT32_C(0x1f)

#define FEATURE_LEAF   7
#define EBX_TSC_ADJUST (UINT32_C(1) << 1)

#define CLOCK_LEAF UINT32_C(0x15)
#define CRYSTAL_HZ UINT32_C(1000000000) /* the local APIC's timer counts the crystal's clock, in QEMU nanoseconds */
#define MOST_RATIO 4294

#define MISC_ENABLE_LIMIT_CPUID (UINT64_C(1) << 22)
#define LIMITED_LEAF            2

/* SDM Vol. 4 (335592-083), table 2-2, "IA32_MISC_ENABLE", bit 22: Limit CPUID Maxval. */
static uint32_t highest_leaf(const struct vcpu *v)
{
    const bool limited = v->regs[REG_IA32_MISC_ENABLE] & MISC_ENABLE_LIMIT_CPUID;

    return limited && v->profile->max_leaf > LIMITED_LEAF ? LIMITED_LEAF : v->profile->max_leaf;
}

uint32_t cpuid_leaf(const struct vcpu *v, uint32_t leaf)
{
    bool extended = leaf >= EXTENDED_LEAVES;
    bool of_processor = extended || leaf < HYPERVISOR_LEAVES;

    return of_processor && leaf > (extended ? v->profile->max_extended : highest_leaf(v)) ? highest_leaf(v) : leaf;
}

static void brand_part(const struct profile *p, unsigned part, uint32_t regs[4])
{
    char brand[48] = { 0 };

    strncpy(brand, p->brand, sizeof(brand) - 1);
    memcpy(regs, brand + 16 * part, 16);
}

/* The cache of a sub-leaf, and its level: data, instructions (if that cache exists), then the further levels; or NULL.
 */
static const struct profile_array *cache_of(const struct profile_memory *memory, uint32_t subleaf, unsigned *level)
{
    const bool code = memory->code.sets != 0;

    *level = subleaf > 1 || !code ? subleaf - code : LEVEL_L1;
    if (code && subleaf == 1)
        return &memory->code;
    return *level < LEVEL_MEMORY && memory->caches[*level].sets != 0 ? &memory->caches[*level] : NULL;
}

static bool is_last(const struct profile_memory *memory, unsigned level)
{
    return level > LEVEL_L1 && (level == LEVEL_L3 || memory->caches[level + 1].sets == 0);
}

void cpuid_ask(const struct vcpu *v, uint32_t *leaf, uint32_t *subleaf)
{
    const struct profile_memory *memory = &v->profile->memory;
    unsigned level;

    if (*leaf == LATER_TOPOLOGY_LEAF)
        *leaf = TOPOLOGY_LEAF;
    else if (*leaf == CACHE_LEAF && cache_of(memory, *subleaf, &level) != NULL && is_last(memory, level))
        *subleaf = LAST_CACHE;
}

/* QEMU decides which processors share a cache. If its -cpu has no such leaf, each processor has its own caches. */
static void cache_part(const struct profile *p, uint32_t subleaf, uint32_t regs[4])
{
    unsigned level;
    const struct profile_array *const cache = cache_of(&p->memory, subleaf, &level);
    const uint32_t shared = regs[0] & CACHE_TYPE ? regs[0] & CACHE_SHARING : 0;

    memset(regs, 0, 4 * sizeof(regs[0]));
    if (cache == NULL)
        return;
    regs[0] = shared | CACHE_SELF_INITIALIZING | (level + 1) << CACHE_LEVEL_SHIFT |
              (cache == &p->memory.code ? INSTRUCTION_CACHE
               : level == LEVEL_L1      ? DATA_CACHE
                                        : UNIFIED_CACHE);
    regs[1] = (cache->ways - 1) << 22 | (LINE_BYTES - 1);
    regs[2] = cache->sets - 1;
    regs[3] = p->memory.flags[level];
}

/* The linear width is the profile's; the physical width is at most QEMU's. EBX to EDX are for AMD's processors. */
static void address_part(const struct profile *p, uint32_t regs[4])
{
    const uint32_t machine = regs[0] & PHYSICAL_BITS, own = p->physical_bits;

    regs[0] = (p->la57     ? 57u
               : p->dtes64 ? 48u
                           : 32u)
                  << LINEAR_BITS_SHIFT |
              (own != 0 && own < machine ? own : machine);
    memset(&regs[1], 0, 3 * sizeof(regs[0]));
}

/*
 * SDM Vol. 2A (253666-083), "CPUID", 15H: the TSC's frequency is ECX * EBX / EAX. All are 0 if it is unknown.
 * Processors have small numbers there; Linux multiplies the crystal's kHz and EBX in 32 bits.
 */
static void clock_part(const struct vcpu *v, uint32_t regs[4])
{
    const uint64_t hz = v->host->tsc_hz(v->cpu);
    uint64_t least = UINT64_MAX, above = 0;

    memset(regs, 0, 4 * sizeof(regs[0]));
    for (uint32_t below = 1; hz != 0 && below <= MOST_RATIO && above <= MOST_RATIO; below++) {
        above = (hz * below + CRYSTAL_HZ / 2) / CRYSTAL_HZ;
        const uint64_t is = above * CRYSTAL_HZ / below, off = is > hz ? is - hz : hz - is;

        if (above <= MOST_RATIO && off < least) {
            least = off;
            memcpy(regs, (const uint32_t[4]){ below, (uint32_t)above, CRYSTAL_HZ }, 4 * sizeof(regs[0]));
        }
    }
}

/* A profile's rows replace those of its relative that are for the same leaf. */
static void apply_rows(const struct profile *p, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    bool found = false;

    for (; p != NULL && !found; p = p->like) {
        for (unsigned i = 0; i < p->cpuid_count; i++) {
            const struct profile_cpuid *row = &p->cpuid[i];

            if (leaf < row->leaf || leaf > (row->last != 0 ? row->last : row->leaf) ||
                (row->indexed && row->subleaf != subleaf))
                continue;
            found = true;
            for (unsigned reg = 0; reg < 4; reg++)
                regs[reg] = (regs[reg] & row->keep[reg]) | row->add[reg];
        }
    }
}

void cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct profile *p = v->profile;

    if (leaf == 0) {
        regs[0] = highest_leaf(v);
        memcpy(&regs[1], "Genu", 4);
        memcpy(&regs[3], "ineI", 4);
        memcpy(&regs[2], "ntel", 4);
    } else if (leaf == EXTENDED_LEAVES) {
        regs[0] = p->max_extended;
        memset(&regs[1], 0, 3 * sizeof(regs[0]));
    } else if (leaf == DESCRIPTOR_LEAF && p->max_leaf >= CACHE_LEAF) {
        memcpy(regs, (const uint32_t[4]){ SEE_CACHE_LEAF }, 4 * sizeof(regs[0]));
    } else if (leaf == CACHE_LEAF) {
        cache_part(p, subleaf, regs);
    } else if (leaf == FEATURE_LEAF && subleaf == 0 && p->max_leaf >= leaf && v->host->tsc_offset(v->cpu) != NULL) {
        regs[1] |= EBX_TSC_ADJUST; /* QEMU lacks it; a row removes it from processors without it */
    } else if (leaf == ADDRESS_LEAF) {
        address_part(p, regs);
    } else if (leaf - FIRST_BRAND_LEAF < 3) {
        brand_part(p, leaf - FIRST_BRAND_LEAF, regs);
    }
    apply_rows(p, leaf, subleaf, regs);
    if (leaf == CLOCK_LEAF && p->max_leaf >= CLOCK_LEAF)
        clock_part(v, regs);
}

const struct profile_feature *cpuid_missing_feature(const struct vcpu *v, uint32_t leaf, const uint32_t regs[4])
{
    const struct profile_feature *missing = NULL;

    for (unsigned i = 0; i < v->profile->feature_count; i++) {
        const struct profile_feature *f = &v->profile->features[i];

        if (f->leaf == leaf && !(regs[f->reg] >> f->bit & 1) && (missing == NULL || missing->firmware))
            missing = f;
    }
    return missing;
}

bool cpuid_has_tsc_adjust(const struct vcpu *v)
{
    uint32_t regs[4] = { 0 };

    v->rules->cpuid_answer(v, FEATURE_LEAF, 0, regs);
    return regs[1] & EBX_TSC_ADJUST;
}

void cpuid_read(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    v->rules->cpuid_answer(v, leaf, subleaf, regs);
}

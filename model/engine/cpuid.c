/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/cpuid.h"

#include <string.h>

#include "model/engine/rules.h"

#define HYPERVISOR_LEAVES UINT32_C(0x40000000)
#define EXTENDED_LEAVES   UINT32_C(0x80000000)
#define FIRST_BRAND_LEAF  UINT32_C(0x80000002)
#define CACHE_LEAF        4
#define INSTRUCTION_CACHE 2
#define LINE_BYTES        64

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

/*
 * The processor's caches, in the order in which QEMU lists its own. The first one that the processor lacks ends the
 * list.
 */
static void cache_part(const struct profile *p, uint32_t regs[4])
{
    const unsigned type = regs[0] & 0x1f;
    const unsigned level = regs[0] >> 5 & 7;

    if (type == 0 || type == INSTRUCTION_CACHE || level == 0 || level > LEVEL_MEMORY) {
        return;
    }
    const struct profile_array *cache = &p->memory.caches[level - 1];

    if (cache->sets == 0) {
        memset(regs, 0, 4 * sizeof(regs[0]));
    } else {
        regs[1] = (cache->ways - 1) << 22 | (LINE_BYTES - 1);
        regs[2] = cache->sets - 1;
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
    } else if (leaf == CACHE_LEAF) {
        cache_part(p, regs);
    } else if (leaf - FIRST_BRAND_LEAF < 3) {
        brand_part(p, leaf - FIRST_BRAND_LEAF, regs);
    }
    for (unsigned i = 0; i < p->cpuid_count; i++) {
        const struct profile_cpuid *row = &p->cpuid[i];

        if (leaf >= row->leaf && leaf <= (row->last != 0 ? row->last : row->leaf) &&
            (!row->indexed || row->subleaf == subleaf)) {
            for (unsigned reg = 0; reg < 4; reg++) {
                regs[reg] = (regs[reg] & row->keep[reg]) | row->add[reg];
            }
        }
    }
}

const struct profile_feature *cpuid_missing_feature(const struct vcpu *v, uint32_t leaf, const uint32_t regs[4])
{
    const struct profile_feature *missing = NULL;

    for (unsigned i = 0; i < v->profile->feature_count; i++) {
        const struct profile_feature *f = &v->profile->features[i];

        if (f->leaf == leaf && !(regs[f->reg] >> f->bit & 1) && (missing == NULL || missing->firmware)) {
            missing = f;
        }
    }
    return missing;
}

void cpuid_read(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    v->rules->cpuid_answer(v, leaf, subleaf, regs);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/cpuid.h"

#include <string.h>

#include "model/engine/rules.h"

#define HYPERVISOR_LEAVES UINT32_C(0x40000000)
#define EXTENDED_LEAVES   UINT32_C(0x80000000)
#define FIRST_BRAND_LEAF  UINT32_C(0x80000002)

uint32_t cpuid_leaf(const struct vcpu *v, uint32_t leaf)
{
    const struct profile *p = v->profile;
    bool extended = leaf >= EXTENDED_LEAVES;
    bool of_processor = extended || leaf < HYPERVISOR_LEAVES;

    return of_processor && leaf > (extended ? p->max_extended : p->max_leaf) ? p->max_leaf : leaf;
}

static void brand_part(const struct profile *p, unsigned part, uint32_t regs[4])
{
    char brand[48] = { 0 };

    strncpy(brand, p->brand, sizeof(brand) - 1);
    memcpy(regs, brand + 16 * part, 16);
}

void cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct profile *p = v->profile;

    if (leaf == 0) {
        regs[0] = p->max_leaf;
        memcpy(&regs[1], "Genu", 4);
        memcpy(&regs[3], "ineI", 4);
        memcpy(&regs[2], "ntel", 4);
    } else if (leaf == EXTENDED_LEAVES) {
        regs[0] = p->max_extended;
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

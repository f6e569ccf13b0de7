/* SPDX-License-Identifier: MIT */
#include "cpu/memory_type.h"

#include <inttypes.h>

#include "cpu/msr_index.h"
#include "lib/format.h"
#include "lib/line.h"

#define TYPE(value) ((enum memory_type)((value)&0xff))
#define PAT_ENTRY_0 UINT64_C(7)

/* SDM Vol. 3A (253668-081), "MTRR Precedences". */
static enum memory_type both(enum memory_type a, enum memory_type b)
{
    if (a == b)
        return a;
    if (a == MEMORY_UC || b == MEMORY_UC)
        return MEMORY_UC;
    if ((a == MEMORY_WT && b == MEMORY_WB) || (a == MEMORY_WB && b == MEMORY_WT))
        return MEMORY_WT;
    return MEMORY_UNDEFINED;
}

/* The type by the MTRRs, in *found with the register that decided. */
static void by_mtrrs(const struct memory_registers *registers, struct memory_finding *found)
{
    bool any = false;

    found->msr = MSR_IA32_MTRR_DEF_TYPE;
    found->value = registers->default_type;
    found->type = registers->default_type & MTRR_DEF_TYPE_E ? TYPE(registers->default_type) : MEMORY_UC;
    for (unsigned n = 0; registers->default_type & MTRR_DEF_TYPE_E && n < registers->count; n++) {
        const uint64_t base = registers->range[n].base, mask = registers->range[n].mask;
        enum memory_type type;

        if (!(mask & MTRR_PHYSMASK_VALID) || (found->address ^ base) & mask & MTRR_ADDRESS)
            continue;
        type = any ? both(found->type, TYPE(base)) : TYPE(base);
        if (!any || type != found->type) {
            found->type = type;
            found->msr = MSR_IA32_MTRR_PHYSBASE(n);
            found->value = base;
        }
        any = true;
    }
}

bool memory_is_write_back(const struct memory_registers *registers, uint64_t address, struct memory_finding *found)
{
    *found = (struct memory_finding){ .address = address, .type = MEMORY_WB };
    if (registers->mtrrs)
        by_mtrrs(registers, found);
    if (found->type == MEMORY_WB) {
        found->type = (enum memory_type)(registers->pat & PAT_ENTRY_0);
        found->msr = MSR_IA32_PAT;
        found->value = registers->pat;
    }
    return found->type == MEMORY_WB;
}

static const char *type_text(enum memory_type type)
{
    static const char *const texts[] = {
        [MEMORY_UC] = "UC", [MEMORY_WC] = "WC",        [MEMORY_WT] = "WT",
        [MEMORY_WP] = "WP", [MEMORY_UC_MINUS] = "UC-", [MEMORY_UNDEFINED] = "undefined by overlapping ranges",
    };

    return type < sizeof texts / sizeof texts[0] && texts[type] ? texts[type] : "reserved";
}

void memory_finding_text(const struct line_sink *out, unsigned processor, const struct memory_finding *found)
{
    char name[24] = "IA32_MTRR_DEF_TYPE";

    if (found->msr == MSR_IA32_PAT)
        format(name, sizeof name, "IA32_PAT");
    else if (found->msr != MSR_IA32_MTRR_DEF_TYPE)
        format(name, sizeof name, "IA32_MTRR_PHYSBASE%" PRIu32, (found->msr - MSR_IA32_MTRR_PHYSBASE(0)) / 2);
    say(out,
        "cpu %u: the debug store at 0x%" PRIx64 " has the memory type %s, not WB, by %s (0x%" PRIx32 ") at 0x%" PRIx64
        ": records are valid, but may be slow",
        processor, found->address, type_text(found->type), name, found->msr, found->value);
}

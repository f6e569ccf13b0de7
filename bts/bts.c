/* SPDX-License-Identifier: MIT */
#include "bts/bts.h"

#include "arch/x86/msr.h"

struct window bts_window(const struct caps *caps, bool circular)
{
    const struct debugctl_bits *bits = caps->debugctl;
    uint64_t rest = msr_get(MSR_IA32_DEBUGCTL);

    return (struct window){ .msr = MSR_IA32_DEBUGCTL,
                            .on = rest | bits->tr | bits->bts | (circular ? 0 : bits->btint),
                            .off = rest };
}

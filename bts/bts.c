/* SPDX-License-Identifier: MIT */
#include "bts/bts.h"

#include "arch/x86/msr.h"

struct window bts_window(bool circular, uint64_t off)
{
    uint64_t rest = msr_get(MSR_IA32_DEBUGCTL);

    return (struct window){ .msr = MSR_IA32_DEBUGCTL,
                            .on = rest | DEBUGCTL_TR | DEBUGCTL_BTS | (circular ? 0 : DEBUGCTL_BTINT) | off,
                            .off = rest };
}

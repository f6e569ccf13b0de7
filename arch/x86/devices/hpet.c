/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/hpet.h"

#include "lib/ratio.h"

#define PERIOD_MOST  100000000u
#define FEMTOSECONDS UINT64_C(1000000000000000)

static uintptr_t hpet;

volatile uint32_t *hpet_register(uint32_t offset)
{
    return (volatile uint32_t *)(hpet + offset);
}

uint64_t hpet_start(uint64_t address)
{
    uint64_t rest;
    uint32_t period;

    if (!address || address >> 32)
        return 0;
    hpet = (uintptr_t)address;
    period = *hpet_register(HPET_PERIOD);
    if (!period || period > PERIOD_MOST)
        return 0;
    *hpet_register(HPET_CONFIGURATION) |= HPET_ENABLE;
    return ratio_divide(FEMTOSECONDS, period, &rest);
}

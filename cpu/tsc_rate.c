/* SPDX-License-Identifier: MIT */
#include "cpu/tsc_rate.h"

#include "lib/ratio.h"

#define MHZ        UINT64_C(1000000)
#define RATE_LEAST (100 * MHZ)
#define RATE_MOST  (20000 * MHZ)

/*
 * The core crystal clocks of processors whose leaf 15H leaves them out: SDM Vol. 3B (253669-081), table "Nominal Core
 * Crystal Clock Frequency"; that of Denverton (06_5FH) as in Linux, native_calibrate_tsc().
 */
static const struct {
    unsigned model; /* of family 6 */
    uint32_t hz;
} crystals[] = {
    { 0x4e, 24000000 }, { 0x5e, 24000000 }, /* Skylake */
    { 0x8e, 24000000 }, { 0x9e, 24000000 }, /* Kaby Lake and Coffee Lake */
    { 0x55, 25000000 },                     /* Xeon Scalable */
    { 0x5c, 19200000 },                     /* Goldmont */
    { 0x5f, 25000000 },
};

static uint32_t crystal_of(unsigned family, unsigned model)
{
    for (unsigned i = 0; i < sizeof crystals / sizeof crystals[0]; i++)
        if (family == 6 && crystals[i].model == model)
            return crystals[i].hz;
    return 0;
}

uint64_t tsc_rate(const struct caps_input *input, unsigned family, unsigned model)
{
    const struct caps_leaf *const ratio = &input->leaf_15; /* EBX / EAX, and in ECX the crystal's Hz */
    const uint32_t crystal = ratio->ecx ? ratio->ecx : crystal_of(family, model);
    uint64_t hz = (input->leaf_16.eax & 0xffff) * MHZ, rest;

    if (ratio->eax && ratio->ebx && crystal)
        hz = ratio_divide((uint64_t)crystal * ratio->ebx, ratio->eax, &rest);
    return hz >= RATE_LEAST && hz <= RATE_MOST ? hz : 0;
}

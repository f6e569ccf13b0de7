/* SPDX-License-Identifier: MIT */
#include "cpu/tsc_rate.h"

#include "lib/ratio.h"

#define MHZ        UINT64_C(1000000)
#define RATE_LEAST (100 * MHZ)
#define RATE_MOST  (20000 * MHZ)

/*
 * The core crystal clocks of processors whose leaf 15H lacks them: SDM Vol. 3B (253669-081), table "Nominal Core
 * Crystal Clock Frequency"; for Denverton (06_5FH) Linux, native_calibrate_tsc(). Parts of one model may
 * differ: 06_55H has 25 MHz in servers and 24 in workstations (Linux, the correction of commit 6baf3d61821f); in 06_9EH
 * only 25 MHz fits an i7-7740X. The clock whose rate is nearer to the rate of leaf 16H is right.
 */
static const struct {
    unsigned model;      /* of family 6 */
    uint32_t hz, others; /* of other parts of the model; 0: all parts are alike */
} crystals[] = {
    { 0x4e, 24000000, 0 },        { 0x5e, 24000000, 0 },        /* Skylake */
    { 0x8e, 24000000, 0 },        { 0x9e, 24000000, 25000000 }, /* Kaby Lake and Coffee Lake */
    { 0x55, 25000000, 24000000 },                               /* Xeon Scalable */
    { 0x5c, 19200000, 0 },                                      /* Goldmont */
    { 0x5f, 25000000, 0 },
};

static uint64_t rate_of(const struct caps_leaf *ratio, uint32_t crystal)
{
    uint64_t rest;

    return ratio_divide((uint64_t)crystal * ratio->ebx, ratio->eax, &rest);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The crystal of a processor that does not report it; 0 if unknown. near: the rate from leaf 16H; 0 if unknown. */
static uint32_t crystal_of(unsigned family, unsigned model, const struct caps_leaf *ratio, uint64_t near)
{
    for (unsigned i = 0; i < sizeof crystals / sizeof crystals[0]; i++) {
        if (family != 6 || crystals[i].model != model)
            continue;
        if (crystals[i].others && near &&
            distance(rate_of(ratio, crystals[i].others), near) < distance(rate_of(ratio, crystals[i].hz), near))
            return crystals[i].others;
        return crystals[i].hz;
    }
    return 0;
}

uint64_t tsc_rate(const struct caps_input *input, unsigned family, unsigned model)
{
    const struct caps_leaf *const ratio = &input->leaf_15; /* EBX / EAX, and in ECX the crystal's Hz */
    uint64_t hz = (input->leaf_16.eax & 0xffff) * MHZ;

    if (ratio->eax && ratio->ebx) {
        const uint32_t crystal = ratio->ecx ? ratio->ecx : crystal_of(family, model, ratio, hz);
        if (crystal)
            hz = rate_of(ratio, crystal);
    }
    return hz >= RATE_LEAST && hz <= RATE_MOST ? hz : 0;
}

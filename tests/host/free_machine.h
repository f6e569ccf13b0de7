/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine of model_machine.h with latitude. */
#ifndef TESTS_HOST_FREE_MACHINE_H
#define TESTS_HOST_FREE_MACHINE_H

#include "tests/host/model_machine.h"

#define BIT_OF(freedom) (UINT32_C(1) << FREEDOM_##freedom)

/* Resets the machine's processor, which gets this number. */
static inline struct machine *free_machine_of(const char *profile, unsigned number, uint64_t seed, uint32_t freedoms)
{
    struct machine *m = machine_of(profile);

    m->v.number = number;
    assert_true(latitude_give(&m->v, seed, freedoms));
    engine_reset(&m->v);
    return m;
}

static inline struct machine *with(const char *profile, uint64_t seed, uint32_t freedoms)
{
    return free_machine_of(profile, 0, seed, freedoms);
}

#endif

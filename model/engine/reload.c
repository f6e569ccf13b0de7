/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/reload.h"

#include "model/engine/counting.h"
#include "model/engine/rules.h"

uint32_t reload_targets(const struct vcpu *v, unsigned j)
{
    uint32_t targets = 0;

    for (unsigned i = 0; i < vcpu_counters(v); i++)
        targets |= v->config[i].b & vcpu_counter_bit(v, j) ? UINT32_C(1) << i : 0;
    return targets;
}

/* The low half of CFG_C, sign-extended to the counter's width. */
uint64_t reload_value(const struct vcpu *v, unsigned i)
{
    return (uint64_t)(int64_t)(int32_t)v->config[i].c;
}

void reload_configure(struct vcpu *v)
{
    for (unsigned j = 0; j < vcpu_counters(v); j++)
        v->counting.reloads[j] = v->rules->reload_targets(v, j);
}

void reload_by(struct vcpu *v, uint32_t overflowed)
{
    uint32_t targets = 0;

    for (uint32_t left = overflowed; left != 0; left &= left - 1)
        targets |= v->counting.reloads[__builtin_ctz(left)];
    for (uint32_t left = targets; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);

        counting_reload(v, i, v->rules->reload_value(v, i));
    }
}

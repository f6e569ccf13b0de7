/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration of each counter, from the registers. */
#ifndef MODEL_ENGINE_COUNTERS_H
#define MODEL_ENGINE_COUNTERS_H

#include "model/vcpu/vcpu.h"

/* The configuration of a general or fixed counter, as its registers request it. */
struct counters_request {
    bool user, system;
    bool enabled; /* the counter's own enable flag, or its equivalent */
    bool global;  /* the counter's bit of IA32_PERF_GLOBAL_CTRL */
    bool pebs;
    bool edge, inverted, equal;
    unsigned mask; /* CMASK */
};

/* Reads the event selects, fixed control, global control and PEBS enable. Counter values must be up to date. */
void counters_configure(struct vcpu *v, struct place place);

#endif

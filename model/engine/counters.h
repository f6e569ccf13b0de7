/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the registers make of each counter. */
#ifndef MODEL_ENGINE_COUNTERS_H
#define MODEL_ENGINE_COUNTERS_H

#include "model/vcpu/vcpu.h"

/* As the registers have it, of general and fixed counters alike. */
struct counters_request {
    bool user, system;
    bool enabled; /* its own enable flag, or what stands for it */
    bool global;  /* its bit of IA32_PERF_GLOBAL_CTRL */
    bool pebs;
    bool edge, inverted;
    unsigned mask; /* CMASK */
};

/* Reads the event selects, fixed control, global control and PEBS enable registers; values must be up to date. */
void counters_configure(struct vcpu *v, struct place place);

/* Rules. */
struct counters_request counters_request(const struct vcpu *v, unsigned i);
void counters_set_up(struct vcpu *v, unsigned i);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delays in cycles: the time that passes behind each instruction while something waits for it. */
#ifndef MODEL_LATITUDE_MAY_STEP_H
#define MODEL_LATITUDE_MAY_STEP_H

#include "model/vcpu/vcpu.h"

/* A rule. */
void may_stepped(struct vcpu *v, struct place place, uint64_t instructions);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delays in cycles: time passes after each instruction while something waits for it. */
#ifndef MODEL_LATITUDE_MAY_STEP_H
#define MODEL_LATITUDE_MAY_STEP_H

#include "model/vcpu/vcpu.h"

void may_stepped(struct vcpu *v, struct place place, uint64_t instructions);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delays in cycles: while a delay runs, this rule counts it down after each instruction. */
#ifndef MODEL_LATITUDE_MAY_STEP_H
#define MODEL_LATITUDE_MAY_STEP_H

#include "model/vcpu/vcpu.h"

void may_stepped(struct vcpu *v, struct place place, uint64_t instructions);

#endif

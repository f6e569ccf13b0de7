/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System management interrupts, of which software sees that time has passed, and MSR_SMI_COUNT. */
#ifndef MODEL_ENGINE_SMI_H
#define MODEL_ENGINE_SMI_H

#include "model/vcpu/vcpu.h"

/* Takes the SMI that is due before the instruction at place, if one is. */
void smi_take(struct vcpu *v, struct place place);

/* A rule. */
unsigned smi_microseconds(struct vcpu *v);

#endif

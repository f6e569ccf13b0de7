/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System management interrupts. Their effects on software are the time that passes, and MSR_SMI_COUNT. */
#ifndef MODEL_ENGINE_SMI_H
#define MODEL_ENGINE_SMI_H

#include "model/vcpu/vcpu.h"

/* Takes an SMI that is due before the instruction at place. */
void smi_take(struct vcpu *v, struct place place);

#endif

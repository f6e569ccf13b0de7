/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the registers that switch things on to what translated code does. */
#ifndef MODEL_ENGINE_CONTROL_H
#define MODEL_ENGINE_CONTROL_H

#include "model/vcpu/vcpu.h"

/* Takes DEBUGCTL, the counters' configuration and the freeze bits over. */
void control_update(struct vcpu *v, struct place place);

#endif

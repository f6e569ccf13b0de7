/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies control registers: they determine what translated code does. */
#ifndef MODEL_ENGINE_CONTROL_H
#define MODEL_ENGINE_CONTROL_H

#include "model/vcpu/vcpu.h"

/* Applies DEBUGCTL, the counters' configuration and the freeze bits. */
void control_update(struct vcpu *v, struct place place);

#endif

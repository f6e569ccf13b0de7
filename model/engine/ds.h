/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DS save area: its layout, its address and its contents. */
#ifndef MODEL_ENGINE_DS_H
#define MODEL_ENGINE_DS_H

#include "model/vcpu/vcpu.h"

/* Reads the management area into v->ds. False: the area is not mapped. */
bool ds_read(struct vcpu *v);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DS save area: its layout, its address and its contents. */
#ifndef MODEL_ENGINE_DS_H
#define MODEL_ENGINE_DS_H

#include "model/vcpu/vcpu.h"

/* Reads the management area into v->ds. False: the area is not mapped. */
bool ds_read(struct vcpu *v);

/* Rules. */
struct ds_form ds_form(const struct vcpu *v);
uint64_t ds_address(const struct vcpu *v);
void ds_decode(const struct vcpu *v, struct ds_area *area, const uint8_t *bytes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of the DS area. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_DS_H
#define MODEL_FAULTS_WRONG_DS_H

#include "model/vcpu/vcpu.h"

struct ds_form wrong_ds_form(const struct vcpu *v);
uint64_t wrong_ds_address(const struct vcpu *v);
void wrong_ds_decode(const struct vcpu *v, struct ds_area *area, const uint8_t *bytes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of the DS area (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_DS_RULES_H
#define MODEL_ENGINE_DS_RULES_H

#include "model/vcpu/vcpu.h"

/* The DS area's layout and address, and the decoder of its encode_ds_bytes() bytes. */
struct ds_form ds_form(const struct vcpu *v);
uint64_t ds_address(const struct vcpu *v);
void ds_decode(const struct vcpu *v, struct ds_area *area, const uint8_t *bytes);

struct ds_rules {
    __typeof__(ds_form) *form;
    __typeof__(ds_address) *address;
    __typeof__(ds_decode) *decode;
};

#endif

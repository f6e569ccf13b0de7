/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effects of a counter's overflow. */
#ifndef MODEL_ENGINE_OVERFLOW_H
#define MODEL_ENGINE_OVERFLOW_H

#include "model/vcpu/vcpu.h"

/*
 * The instruction at eventing_ip has retired. It made a counter overflow, or is the event after an overflow. ip: the
 * next instruction. data: the access of the retired instruction, for data events.
 */
void overflow_take(struct vcpu *v, struct place place, uint64_t ip, uint64_t eventing_ip,
                   const struct data_access *data);

#endif

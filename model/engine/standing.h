/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor that a debugger has stopped between two blocks: reads its state without changing it. */
#ifndef MODEL_ENGINE_STANDING_H
#define MODEL_ENGINE_STANDING_H

#include "model/vcpu/vcpu.h"

/*
 * Writes to memory what software could see, out of what the model has gathered. The branch to the next instruction is
 * written when that runs. Raises no interrupt, and takes no time.
 */
void standing_settle(struct vcpu *v);

/* Calls see() with each register of the processor, by address, and its value. False: out of memory. */
bool standing_registers(struct vcpu *v, void (*see)(void *context, uint32_t address, uint64_t value), void *context);

/* Waits for the next record, or for an index that reaches its threshold (v->watch). With neither, stops waiting. */
void standing_watch(struct vcpu *v, bool record, bool threshold);

#endif

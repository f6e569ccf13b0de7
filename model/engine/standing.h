/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor that a debugger has stopped between two blocks: reads its state without changing it. */
#ifndef MODEL_ENGINE_STANDING_H
#define MODEL_ENGINE_STANDING_H

#include "model/vcpu/vcpu.h"

/*
 * Writes gathered records to memory, as far as software could see them. A branch to the next instruction is written
 * when that instruction runs. Raises no interrupt, and takes no time.
 */
void standing_settle(struct vcpu *v);

/* Calls see() with each register of the processor, by address, and its value. False: out of memory. */
bool standing_registers(struct vcpu *v, void (*see)(void *context, uint32_t address, uint64_t value), void *context);

/* Stops the processor at the next record, or when an index reaches its threshold (v->watch); neither: cancels this. */
void standing_watch(struct vcpu *v, bool record, bool threshold);

#endif

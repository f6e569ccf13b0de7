/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor that stands between two blocks, as a debugger finds it: what it shows, without a trace of the look. */
#ifndef MODEL_ENGINE_STANDING_H
#define MODEL_ENGINE_STANDING_H

#include "model/vcpu/vcpu.h"

/*
 * Writes to memory what the model has gathered and the modelled store buffer lets software see. The branch that leads
 * to the next instruction follows when that one runs. No interrupt is raised and no time passes.
 */
void standing_settle(struct vcpu *v);

/* Calls see() with each register that the processor has, by address, and its value; returns false if out of memory. */
bool standing_registers(struct vcpu *v, void (*see)(void *context, uint32_t address, uint64_t value), void *context);

/* Waits for the next record, or for an index that reaches its threshold (v->watch); with neither, no longer. */
void standing_watch(struct vcpu *v, bool record, bool threshold);

#endif

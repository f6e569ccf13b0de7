/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers: which exist, which values they accept, and what a write does. */
#ifndef MODEL_ENGINE_MSR_H
#define MODEL_ENGINE_MSR_H

#include "model/vcpu/vcpu.h"

/* place: the RDMSR, WRMSR or RDPMC itself. The ring up to it must have been processed. */
enum msr_answer msr_read(struct vcpu *v, uint32_t address, uint64_t *value, struct place place);
enum msr_answer msr_write(struct vcpu *v, uint32_t address, uint64_t value, struct place place);
enum msr_answer msr_rdpmc(struct vcpu *v, uint32_t index, uint64_t *value, struct place place);

/* Sets IA32_TSC_ADJUST. */
void msr_adjust_tsc(struct vcpu *v, uint64_t value);

#endif

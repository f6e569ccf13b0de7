/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What CPUID says of the modelled processor, which QEMU's only resembles. */
#ifndef MODEL_ENGINE_CPUID_H
#define MODEL_ENGINE_CPUID_H

#include "model/vcpu/vcpu.h"

/* The leaf that answers when software asks for this one: past the processor's last it is the last basic one. */
uint32_t cpuid_leaf(const struct vcpu *v, uint32_t leaf);

/*
 * A feature in this leaf, as QEMU's processor answered it, that the modelled one has and QEMU's lacks; or NULL. Those
 * that firmware may turn off come last.
 */
const struct profile_feature *cpuid_missing_feature(const struct vcpu *v, uint32_t leaf, const uint32_t regs[4]);

/* Changes what QEMU's processor answered (EAX, EBX, ECX, EDX) into what the modelled one does. */
void cpuid_read(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* A rule. */
void cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

#endif

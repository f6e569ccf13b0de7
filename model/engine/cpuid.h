/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUID of the modelled processor, from QEMU's answer. */
#ifndef MODEL_ENGINE_CPUID_H
#define MODEL_ENGINE_CPUID_H

#include "model/vcpu/vcpu.h"

/* The leaf that answers a request for `leaf`: the last basic leaf, if `leaf` is above the processor's last. */
uint32_t cpuid_leaf(const struct vcpu *v, uint32_t leaf);

/*
 * Replaces a CPUID request with the one that QEMU's processor must answer for cpuid_read(): leaf 0BH for leaf 1FH,
 * which QEMU has only with -smp dies= or modules=; the third level's cache for the processor's last one.
 */
void cpuid_ask(const struct vcpu *v, uint32_t *leaf, uint32_t *subleaf);

/*
 * A feature in this leaf that the modelled processor has, but that QEMU's processor lacks; or NULL. Features that
 * firmware may disable are last.
 */
const struct profile_feature *cpuid_missing_feature(const struct vcpu *v, uint32_t leaf, const uint32_t regs[4]);

/* Whether the processor has IA32_TSC_ADJUST. */
bool cpuid_has_tsc_adjust(const struct vcpu *v);

/*
 * Turns regs (EAX, EBX, ECX, EDX) from QEMU's answer to cpuid_ask()'s request into the modelled processor's answer to
 * the guest's request, leaf and subleaf.
 */
void cpuid_read(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What KVM's virtual performance monitoring unit hands on of a processor, from Linux 6.9 on: counters of version 2,
 * PEBS of Ice Lake servers and later in its basic form, and the LBR stack of Haswell and later that is not
 * architectural; no BTS. Source: Linux 6.12, arch/x86/kvm/vmx/vmx.c, vmx_get_perf_capabilities() and
 * vmx_get_supported_debugctl(); arch/x86/kvm/vmx/pmu_intel.c, intel_pmu_refresh(); arch/x86/kvm/cpuid.c, leaf 0AH;
 * arch/x86/kvm/x86.c, MSR_IA32_MISC_ENABLE.
 */
#ifndef MODEL_FAULTS_KVM_H
#define MODEL_FAULTS_KVM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/vcpu/vcpu.h"

/* Whether a guest finds the register, whether this value may be written to it, and what it reads as. */
bool kvm_has_msr(const struct vcpu *v, const struct profile_msr *m);
bool kvm_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
uint64_t kvm_value(const struct vcpu *v, const struct profile_msr *m, uint64_t value);

/* Whether RDPMC reads the counter of this ECX. */
bool kvm_has_counter(const struct vcpu *v, uint32_t index);

/* Changes the processor's answer to CPUID into what a guest gets. */
void kvm_cpuid(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

#endif

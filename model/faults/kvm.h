/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a processor that KVM's virtual performance monitoring unit exposes, from Linux 6.9 on: counters of
 * version 2, PEBS of Ice Lake servers and later without the adaptive groups, and the non-architectural LBR stack of
 * Haswell and later; no BTS. Source: Linux 6.12, arch/x86/kvm/vmx/vmx.c, vmx_get_perf_capabilities() and
 * vmx_get_supported_debugctl(); arch/x86/kvm/vmx/pmu_intel.c, intel_pmu_refresh(); arch/x86/kvm/cpuid.c, leaf 0AH;
 * arch/x86/kvm/x86.c, MSR_IA32_MISC_ENABLE. Linux 7.3 also exposes the timing bit of IA32_PERF_CAPABILITIES.
 */
#ifndef MODEL_FAULTS_KVM_H
#define MODEL_FAULTS_KVM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/vcpu/vcpu.h"

/* Whether a guest has the register, whether KVM accepts this value, and the value that the guest reads. */
bool kvm_has_msr(const struct vcpu *v, const struct profile_msr *m);
bool kvm_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
uint64_t kvm_value(const struct vcpu *v, const struct profile_msr *m, uint64_t value);

/* Whether RDPMC can read the counter that ECX selects. */
bool kvm_has_counter(const struct vcpu *v, uint32_t index);

/* Changes the processor's answer to CPUID into KVM's answer. */
void kvm_cpuid(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults/kvm.h"

#include <string.h>

#define PERFMON_VERSION 2
#define FIXED_COUNTERS  3

#define CAPABILITIES_LBR_FORMAT UINT64_C(0x3f)
#define CAPABILITIES_PEBS       UINT64_C(0x20fc0) /* trap, registers, format, timing; KVM withholds bit 14, the baseline */
#define CAPABILITIES_FULL_WRITE (UINT64_C(1) << 13)

#define MISC_ENABLE_BTS_UNAVAILABLE  (UINT64_C(1) << 11)
#define MISC_ENABLE_PEBS_UNAVAILABLE (UINT64_C(1) << 12)

#define RDPMC_FIXED (UINT32_C(1) << 30)

#define EVENT_SELECT_RESERVED UINT64_C(0xffffffff00200000) /* AnyThread and bits 63:32 */
#define FIXED_CONTROL         UINT64_C(0xbbb)              /* three counters, without AnyThread */

#define CPUID_1_ECX_DTES64    (UINT32_C(1) << 2)
#define CPUID_1_ECX_DS_CPL    (UINT32_C(1) << 4)
#define CPUID_1_EDX_DS        (UINT32_C(1) << 21)
#define CPUID_7_EDX_ARCH_LBR  (UINT32_C(1) << 19)
#define CPUID_7_1_EAX_PERFMON (UINT32_C(1) << 8) /* leaf 23H */

static bool has_pebs(const struct vcpu *v)
{
    return v->profile->pebs_adaptive;
}

/* KVM needs the call-stack mode, which LBR stacks before Haswell lack. */
static bool has_lbr(const struct vcpu *v)
{
    return v->profile->lbr_depth != 0 && v->profile->lbr_format >= LBR_FORMAT_EIP_FLAGS2 &&
           v->profile->lbr_format != LBR_FORMAT_ARCH;
}

bool kvm_has_msr(const struct vcpu *v, const struct profile_msr *m)
{
    switch (m->reg) {
    case REG_MSR_PEBS_LD_LAT:
    case REG_MSR_PEBS_FRONTEND:
    case REG_MSR_PEBS_DATA_CFG:
    case REG_MSR_PERF_METRICS:
    case REG_IA32_PERF_GLOBAL_STATUS_SET:
    case REG_IA32_PERF_GLOBAL_INUSE:
    case REG_IA32_LBR_CTL:
    case REG_IA32_LBR_DEPTH:
    case REG_IA32_LBR_FROM:
    case REG_IA32_LBR_TO:
    case REG_IA32_LBR_INFO:
    case REG_IA32_PEBS_BASE:
    case REG_IA32_PEBS_INDEX:
    case REG_IA32_PMC_CFG_B:
    case REG_IA32_PMC_CFG_C:
    case REG_IA32_FIXED_CFG_B:
    case REG_IA32_FIXED_CFG_C:
        return false;
    case REG_IA32_DS_AREA:
    case REG_IA32_PEBS_ENABLE:
        return has_pebs(v);
    case REG_MSR_LASTBRANCH_TOS:
    case REG_MSR_LBR_SELECT:
    case REG_LASTBRANCH_FROM:
    case REG_LASTBRANCH_TO:
    case REG_LASTBRANCH_INFO:
        return has_lbr(v);
    default:
        return true;
    }
}

bool kvm_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const struct profile_debugctl *debugctl = v->profile->debugctl;

    switch (m->reg) {
    case REG_IA32_DEBUGCTL:
        return (value & ~(has_lbr(v) ? debugctl->lbr | debugctl->freeze_lbrs : 0)) == 0;
    case REG_IA32_PERFEVTSEL:
        return (value & EVENT_SELECT_RESERVED) == 0;
    case REG_IA32_FIXED_CTR_CTRL:
        return (value & ~FIXED_CONTROL) == 0;
    case REG_IA32_PEBS_ENABLE:
        return value >> v->profile->general_counters == 0;
    default:
        return true;
    }
}

uint64_t kvm_value(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    switch (m->reg) {
    case REG_IA32_PERF_CAPABILITIES:
        return (value & ((has_lbr(v) ? CAPABILITIES_LBR_FORMAT : 0) | (has_pebs(v) ? CAPABILITIES_PEBS : 0))) |
               (value & CAPABILITIES_FULL_WRITE);
    case REG_IA32_MISC_ENABLE:
        return value | MISC_ENABLE_BTS_UNAVAILABLE | (has_pebs(v) ? 0 : MISC_ENABLE_PEBS_UNAVAILABLE);
    default:
        return value;
    }
}

bool kvm_has_counter(const struct vcpu *v, uint32_t index)
{
    return index < v->profile->general_counters || index - RDPMC_FIXED < FIXED_COUNTERS;
}

void kvm_cpuid(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    if (leaf == 1) {
        regs[2] &= ~(CPUID_1_ECX_DS_CPL | (has_pebs(v) ? 0 : CPUID_1_ECX_DTES64));
        regs[3] &= ~(has_pebs(v) ? 0 : CPUID_1_EDX_DS);
    } else if (leaf == 7 && subleaf == 0) {
        regs[3] &= ~CPUID_7_EDX_ARCH_LBR;
    } else if (leaf == 7 && subleaf == 1) {
        regs[0] &= ~CPUID_7_1_EAX_PERFMON;
    } else if (leaf == 0xa && (regs[0] & 0xff) > PERFMON_VERSION) {
        regs[0] = (regs[0] & ~UINT32_C(0xff)) | PERFMON_VERSION;
        regs[2] = 0;
        regs[3] = (regs[3] & ~UINT32_C(0x1f)) | FIXED_COUNTERS;
    } else if (leaf == 0x1c || leaf == 0x23) {
        memset(regs, 0, 4 * sizeof(regs[0]));
    } else if (leaf == 0x40000000) {
        regs[0] = 0x40000001;
        memcpy(&regs[1], "KVMKVMKVM\0\0\0", 12);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of the PMI and its status. */

#include "model/engine/cpuid.h"
#include "model/engine/pmi.h"
#include "model/latitude/choices.h"

#define MOST_SKID     100 /* instructions */
#define MOST_TRAILING 20  /* if latitude has no pmi-skid */

#define SMI_ONE_IN 64 /* one in so many accesses by software */
#define LEAST_SMI  20 /* microseconds */
#define MOST_SMI   200

/* CPUID.07H:EBX */
#define CPUID_7_EBX_SGX (UINT32_C(1) << 2)

void latitude_choose_freeze(struct vcpu *v)
{
    v->latitude->state.pmi.freezes_lbrs = latitude_draw(v, FREEDOM_PMI_SKID, 1);
}

struct pmi_skid latitude_pmi_skid(struct vcpu *v)
{
    const unsigned instructions = latitude_has(v, FREEDOM_PMI_SKID)
                                      ? latitude_draw(v, FREEDOM_PMI_SKID, MOST_SKID)
                                      : latitude_draw(v, FREEDOM_PMI_TRAILING, MOST_TRAILING);

    return (struct pmi_skid){ instructions, v->latitude->state.pmi.freezes_lbrs };
}

/* Status bits that do not report an overflow are set now and then; they stay set until software clears them. */
static void show_more(struct vcpu *v)
{
    if (v->profile->perfmon_version >= 2 && latitude_draw(v, FREEDOM_STATUS, 2) == 0)
        v->status |= STATUS_COND_CHGD;
    if (v->profile->perfmon_version >= 4 && latitude_draw(v, FREEDOM_STATUS, 2) == 0)
        v->status |= STATUS_ASCI;
}

void latitude_pmi_raise(struct vcpu *v, struct place place)
{
    show_more(v);
    pmi_raise(v, place);
}

uint64_t latitude_msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    if (m->reg == REG_IA32_PERF_GLOBAL_STATUS)
        show_more(v);
    return msr_value(v, m, i);
}

/* A processor that reports enclaves (SGX) may set ASCI. */
void latitude_cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    cpuid_answer(v, leaf, subleaf, regs);
    if (leaf == 7 && subleaf == 0 && v->profile->perfmon_version >= 4)
        regs[1] |= CPUID_7_EBX_SGX;
}

void latitude_leave_own_bits(struct vcpu *v, uint64_t counters)
{
    if (!latitude_has(v, FREEDOM_STATUS))
        return;
    for (uint64_t left = counters; left != 0 && (v->status & STATUS_OVF_BUF); left &= left - 1)
        if (v->profile->perfmon_version >= 2 && latitude_draw(v, FREEDOM_STATUS, 1))
            v->status |= vcpu_counter_bit(v, (unsigned)__builtin_ctzll(left));
}

unsigned latitude_smi_microseconds(struct vcpu *v)
{
    const bool due = latitude_draw(v, FREEDOM_SMI, SMI_ONE_IN - 1) == 0;

    return due ? LEAST_SMI + latitude_draw(v, FREEDOM_SMI, MOST_SMI - LEAST_SMI) : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/referee/referee_arch.h"

#include "model/bytes/arch_pebs.h"
#include "model/referee/referee_lvtpc.h"
#include "model/referee/referee_report.h"

#define PAGE_SIZE UINT64_C(0x1000)

static uint64_t buffer_bytes(const struct vcpu *v)
{
    return PAGE_SIZE << (v->regs[REG_IA32_PEBS_BASE] & PEBS_BASE_SIZE);
}

static void check_memory(struct vcpu *v, uint64_t ip)
{
    const uint64_t base = v->regs[REG_IA32_PEBS_BASE] & PEBS_BASE_ADDRESS;
    uint64_t code;
    uint8_t byte;

    if (v->referee.checked_base != v->regs[REG_IA32_PEBS_BASE] &&
        v->host->code(v->cpu, base, buffer_bytes(v), true, &code))
        referee_report(v, PEBS_BUFFER_HAS_CODE, ip, code, "page of IA32_PEBS_BASE's buffer");
    v->referee.checked_base = v->regs[REG_IA32_PEBS_BASE];
    for (uint64_t page = 0; page < buffer_bytes(v); page += PAGE_SIZE) {
        if (!v->host->read_physical(v->cpu, base + page, &byte, sizeof(byte))) {
            referee_report(v, PEBS_BUFFER_NOT_MEMORY, ip, base + page, "page of IA32_PEBS_BASE's buffer");
            return;
        }
    }
}

/* A PMI's handler has begun, and no other PMI is on its way. */
static bool handled(const struct vcpu *v)
{
    return v->referee.pmi_served && !v->referee.pmi_under_way && !v->pmi.wanted;
}

static void check_index(struct vcpu *v, uint64_t ip)
{
    const uint64_t index = v->regs[REG_IA32_PEBS_INDEX], at = index & PEBS_INDEX_WR;
    const uint64_t threshold = index >> PEBS_INDEX_THRESH_SHIFT & PEBS_INDEX_WR;

    if (at > buffer_bytes(v))
        referee_report(v, PEBS_INDEX_OUTSIDE, ip, index, "IA32_PEBS_INDEX");
    if (threshold > buffer_bytes(v))
        referee_report(v, PEBS_THRESHOLD_OUTSIDE, ip, index, "IA32_PEBS_INDEX");
    if (index & PEBS_INDEX_FULL)
        referee_report(v, PEBS_FULL_KEPT, ip, index, "IA32_PEBS_INDEX");
    else if (threshold != 0 && at >= threshold && handled(v))
        referee_report(v, PEBS_INDEX_KEPT, ip, index, "IA32_PEBS_INDEX");
}

/* Whether a general or a fixed counter may be included in records of other counters. */
static bool any_allowed(const struct vcpu *v, bool fixed)
{
    const unsigned general = v->profile->general_counters;
    bool any = false;

    for (unsigned i = fixed ? general : 0; i < (fixed ? vcpu_counters(v) : general); i++)
        any = any || (v->config[i].c & ARCH_CNTR_ALLOW);
    return any;
}

static void check_counts(struct vcpu *v, uint64_t ip)
{
    for (uint64_t left = vcpu_pebs_counters(v); left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left), general = v->profile->general_counters;
        const uint64_t asked = v->config[i].c;

        if (((asked & ARCH_CNTR_GENERAL) && !any_allowed(v, false)) ||
            ((asked & ARCH_CNTR_FIXED) && !any_allowed(v, true))) {
            referee_report(v, PEBS_NOT_COUNTED, ip, asked, "IA32_PMC_%s%u_CFG_C", i < general ? "GP" : "FX",
                           i < general ? i : i - general);
        }
    }
}

void referee_arch_check(struct vcpu *v, uint64_t ip)
{
    if (!(v->regs[REG_IA32_PEBS_BASE] & PEBS_BASE_ADDRESS))
        referee_report(v, PEBS_BASE_ZERO, ip, v->regs[REG_IA32_PEBS_BASE], "IA32_PEBS_BASE");
    else
        check_memory(v, ip);
    check_index(v, ip);
    check_counts(v, ip);
    referee_lvtpc_check(v, "PEBS", ip);
}

void referee_arch_write(struct vcpu *v, enum model_register reg, uint64_t value, uint64_t ip)
{
    const bool off = reg == REG_IA32_PEBS_INDEX && !(value & PEBS_INDEX_EN); /* always legal */

    if (off)
        referee_arch_end(v);
    if (vcpu_pebs_counters(v) != 0 && !off) {
        referee_report(v, reg == REG_IA32_PEBS_BASE ? PEBS_BASE_CHANGED : PEBS_INDEX_WRITTEN, ip, value,
                       reg == REG_IA32_PEBS_BASE ? "IA32_PEBS_BASE" : "IA32_PEBS_INDEX");
    }
}

void referee_arch_after(struct vcpu *v, uint64_t before, uint64_t now, uint64_t ip)
{
    const uint64_t started = now & ~before & ~(UINT64_C(1) << STEPPER);

    if (v->regs[REG_IA32_PEBS_INDEX] & PEBS_INDEX_EN) {
        v->referee.index_used = v->referee.index_used || vcpu_pebs_counters(v) != 0;
        if (started != 0)
            v->referee.index_ip = ip;
        return;
    }
    for (uint64_t left = started; left != 0; left &= left - 1)
        if (v->config[__builtin_ctzll(left)].c & ARCH_EN)
            referee_report(v, PEBS_INDEX_OFF, ip, v->regs[REG_IA32_PEBS_INDEX], "IA32_PEBS_INDEX");
}

void referee_arch_end(struct vcpu *v)
{
    if (!v->referee.index_used && v->referee.index_ip != 0)
        referee_report(v, PEBS_INDEX_UNUSED, v->referee.index_ip, v->regs[REG_IA32_PEBS_INDEX], "IA32_PEBS_INDEX");
    v->referee.index_used = false;
    v->referee.index_ip = 0;
}

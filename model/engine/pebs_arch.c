/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectural PEBS. Source: Linux 6.19, arch/x86/events/intel/core.c, intel_pmu_enable_event_ext(), and ds.c,
 * intel_pmu_drain_arch_pebs(), which follow Intel's "Architecture Instruction Set Extensions Programming Reference".
 *
 * A record goes to the physical address IA32_PEBS_BASE + WR, in units of 16 bytes, and WR advances to its end. When WR
 * reaches THRESH, bit 54 of IA32_PERF_GLOBAL_STATUS is set and a PMI is requested. A record that does not fit before
 * the end of the buffer sets FULL instead. While FULL is set no record is written. The counter is reloaded, as with a
 * full DS buffer. After the counter values of the record are taken, the counter is reloaded with bits 31:0 of CFG_C,
 * sign-extended: __setup_pebs_counter_group() first takes the whole period from the value and then accounts for the
 * reload. Counters that are due at the same instruction share a record, which has the groups of all of them, and the
 * largest requested number of LBR entries.
 *
 * No source at hand specifies the following, so the model chooses: when a processor splits a record; padding of a
 * fragment to 16 bytes; THRESH 0 (here each record reaches it); FULL requests no interrupt.
 */
#include "model/engine/pebs_arch.h"

#include "model/engine/branches.h"
#include "model/engine/metrics.h"
#include "model/engine/pebs_sample.h"
#include "model/engine/rules.h"
#include "model/engine/truth.h"
#include "model/referee/referee_counters.h"
#include "model/referee/referee_report.h"

#define MOST_IN_A_FRAGMENT 512 /* bytes; a larger group gets its own fragment */

uint64_t pebs_arch_enabled(const struct vcpu *v)
{
    uint64_t mask = 0;

    if (!(v->regs[REG_IA32_PEBS_INDEX] & PEBS_INDEX_EN))
        return 0;
    for (unsigned i = 0; i < vcpu_counters(v); i++)
        mask |= v->config[i].c & ARCH_EN ? UINT64_C(1) << i : 0;
    return mask;
}

uint64_t pebs_arch_format(const struct vcpu *v, uint64_t counters)
{
    uint64_t format = ARCH_BASIC, lbrs = 0;

    for (uint64_t left = counters; left != 0; left &= left - 1) {
        const uint64_t asked = v->config[__builtin_ctzll(left)].c;

        format |= asked & (ARCH_AUX | ARCH_GPR | ARCH_XER | ARCH_CNTR);
        lbrs = (asked & ARCH_LBR) > lbrs ? asked & ARCH_LBR : lbrs;
    }
    return format | lbrs;
}

uint64_t pebs_arch_counted(const struct vcpu *v)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < vcpu_counters(v); i++)
        mask |= v->config[i].c & ARCH_CNTR_ALLOW ? UINT64_C(1) << i : 0;
    return mask;
}

void pebs_arch_counts(struct vcpu *v, struct arch_contents *arch)
{
    const unsigned general = v->profile->general_counters;
    unsigned n = 0;

    for (unsigned i = 0; i < vcpu_counters(v); i++)
        if (i < general ? arch->general >> i & 1 : arch->fixed >> (i - general) & 1)
            arch->counts[n++] = v->counters[i].value & vcpu_width_mask(v);
    if (arch->format & ARCH_CNTR_METRICS) {
        arch->counts[n++] = v->counters[general + METRICS_SLOTS].value & vcpu_width_mask(v);
        arch->counts[n++] = metrics_value(v);
    }
}

/* The processor has no shadow stack, and last event records are not modelled. */
void pebs_arch_describe(struct vcpu *v, struct arch_contents *arch)
{
    const unsigned general = v->profile->general_counters;
    const uint64_t counted = v->rules->pebs_arch_counted(v);

    arch->mode_64 = v->host->ia32e(v->cpu);
    arch->xer = (arch->format & ARCH_XMM ? XSTATE_SSE : 0) | (arch->format & ARCH_YMMH ? XSTATE_AVX : 0);
    if (arch->format & ARCH_YMMH) {
        v->host->ymmh(v->cpu, arch->ymmh);
        if (!arch->mode_64)
            memset(arch->ymmh[8], 0, 8 * sizeof(arch->ymmh[0]));
    }
    arch->retire_valid = v->profile->pebs_timing;
    arch->lbr_control = v->regs[REG_IA32_LBR_CTL];
    arch->lbr_depth = v->regs[REG_IA32_LBR_DEPTH];
    arch->general = arch->format & ARCH_CNTR_GENERAL ? (uint32_t)(counted & ((UINT64_C(1) << general) - 1)) : 0;
    arch->fixed = arch->format & ARCH_CNTR_FIXED ? (uint32_t)(counted >> general) : 0;
}

void pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split)
{
    size_t bytes = ARCH_HEADER_BYTES;

    (void)v;
    for (unsigned group = 0; group < ARCH_GROUPS; group++) {
        const size_t more = arch_group_bytes(arch, (enum arch_group)group);

        split->cut[group] = bytes + more > MOST_IN_A_FRAGMENT && bytes > ARCH_HEADER_BYTES;
        bytes = split->cut[group] ? ARCH_HEADER_BYTES + more : bytes + more;
    }
}

static uint64_t buffer_bytes(const struct vcpu *v)
{
    return UINT64_C(4096) << (v->regs[REG_IA32_PEBS_BASE] & PEBS_BASE_SIZE);
}

void pebs_arch_encode(struct vcpu *v, uint8_t *bytes, const struct pebs_contents *contents,
                      const struct adaptive_contents *extra, const struct arch_contents *arch,
                      const struct arch_split *split)
{
    (void)v;
    arch_encode(bytes, contents, extra, arch, split);
}

bool pebs_arch_full(struct vcpu *v, size_t size)
{
    const uint64_t index = v->regs[REG_IA32_PEBS_INDEX];
    const uint64_t end = (index & PEBS_INDEX_WR) + size;

    return (index & PEBS_INDEX_FULL) || end > buffer_bytes(v) || end > PEBS_INDEX_WR;
}

uint64_t pebs_arch_address(const struct vcpu *v)
{
    return (v->regs[REG_IA32_PEBS_BASE] & PEBS_BASE_ADDRESS) + (v->regs[REG_IA32_PEBS_INDEX] & PEBS_INDEX_WR);
}

uint64_t pebs_arch_index(const struct vcpu *v, size_t size)
{
    return v->regs[REG_IA32_PEBS_INDEX] + size;
}

bool pebs_arch_reaches(const struct vcpu *v)
{
    const uint64_t index = v->regs[REG_IA32_PEBS_INDEX];

    return (index & PEBS_INDEX_WR) >= (index >> PEBS_INDEX_THRESH_SHIFT & PEBS_INDEX_WR);
}

static void drop(struct vcpu *v, uint64_t at, uint64_t ip)
{
    v->regs[REG_IA32_PEBS_INDEX] |= PEBS_INDEX_FULL;
    if (!v->pebs.dropping) {
        truth_pebs_dropped(v, at);
        referee_report(v, PEBS_BUFFER_FULL, ip, at, "address of the next record");
    }
    v->pebs.dropping = true;
}

/* The groups that adaptive records also have, in the bits of their format. */
static uint32_t as_adaptive(const struct arch_contents *arch)
{
    const unsigned entries = arch_lbr_entries(arch);

    return (arch->format & ARCH_AUX ? DATA_CFG_MEMINFO : 0) | (arch->format & ARCH_GPR ? DATA_CFG_GPRS : 0) |
           (arch->format & ARCH_XMM ? DATA_CFG_XMMS : 0) |
           (entries > 0 ? DATA_CFG_LBRS | (uint32_t)(entries - 1) << 24 : 0);
}

void pebs_arch_record(struct vcpu *v, const struct pebs_sample *sample)
{
    const uint64_t at = v->rules->pebs_arch_address(v);
    struct arch_contents arch = { .format = v->rules->pebs_arch_format(v, sample->counters) };
    struct lbr_entry stack[MAX_LBR];
    struct adaptive_contents extra;
    struct pebs_contents contents;
    struct arch_split split = { .cut = { false } };
    uint8_t bytes[ARCH_MAX_BYTES];

    if (v->truth != NULL || v->pebs.lbrs)
        branches_drain(v, true, 0, 0); /* the log and the record's stack are in the order of time */
    v->rules->pebs_arch_describe(v, &arch);
    v->rules->pebs_arch_split(v, &arch, &split);
    const size_t size = arch_bytes(&arch, &split);

    if (v->rules->pebs_arch_full(v, size)) {
        drop(v, at, sample->eventing_ip);
        v->rules->pebs_reload(v, sample->counters);
        return;
    }
    v->pebs.dropping = false;
    v->rules->pebs_arch_counts(v, &arch);
    v->rules->pebs_reload(v, sample->counters);
    extra = (struct adaptive_contents){ .format = as_adaptive(&arch) };
    v->rules->pebs_describe(v, sample, &contents);
    v->rules->pebs_describe_groups(v, sample, &contents, &extra, stack);
    v->rules->pebs_arch_encode(v, bytes, &contents, &extra, &arch, &split);
    if (v->truth != NULL)
        truth_arch(v, at, &contents, &extra, &arch, &split);
    if (v->host->write_physical(v->cpu, at, bytes, size))
        v->activity[FACILITY_PEBS].records++;
    else
        referee_report(v, RECORD_LOST, sample->eventing_ip, at, "address of the record");
    v->regs[REG_IA32_PEBS_INDEX] = v->rules->pebs_arch_index(v, size);
    vcpu_written(v, v->rules->pebs_arch_reaches(v));
    if (v->rules->pebs_arch_reaches(v)) {
        v->pmi.asked[FACILITY_PEBS] = true;
        v->rules->pebs_reached(v);
    }
    referee_counters_reloaded(v, sample->counters, sample->eventing_ip);
}

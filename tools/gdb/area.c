/* SPDX-License-Identifier: MIT */
#include "tools/gdb/area.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "pebs/layout/arch_pebs.h"
#include "cpu/msr_index.h"
#include "ds/ds_check.h"
#include "pebs/pebs_decode.h"
#include "tools/gdb/target.h"

#define RECORDS_MOST (1u << 20) /* bytes: larger buffers are not walked */

bool area_read(const struct processor *p, struct ds_area *area)
{
    const uint64_t base = processor_msr_or_0(p, MSR_IA32_DS_AREA);
    uint8_t bytes[sizeof(struct ds_layout_64)];

    if (caps_missing(&p->caps, NEED_DS) != CAPS_AVAILABLE) {
        printf("%s\n", caps_reason_text(caps_missing(&p->caps, NEED_DS)));
        return false;
    }
    if (base == 0) {
        printf("IA32_DS_AREA is 0: no management area has been set up on this processor\n");
        return false;
    }
    if (!target_linear(base, bytes, p->caps.ds_area_size)) {
        printf("IA32_DS_AREA is 0x%" PRIx64 ", and the %zu bytes there are not mapped\n", base, p->caps.ds_area_size);
        return false;
    }
    return ds_area_decode(p->caps.ds_width, p->caps.ds_area_format, bytes, p->caps.ds_area_size, area) == DS_AREA_OK;
}

bool area_bts_on(const struct processor *p)
{
    const uint64_t wanted = p->caps.debugctl->tr | p->caps.debugctl->bts;

    return wanted != 0 && (processor_msr_or_0(p, MSR_IA32_DEBUGCTL) & wanted) == wanted;
}

/* EN is in each counter's own CFG_C, and in IA32_PEBS_INDEX for all. */
static uint64_t arch_pebs_on(const struct processor *p)
{
    uint64_t on = 0;

    if (!(processor_msr_or_0(p, MSR_IA32_PEBS_INDEX) & PEBS_INDEX_EN))
        return 0;
    for (unsigned n = 0; n < 32; n++) {
        const uint64_t general = p->caps.pebs_counters >> n & 1, fixed = p->caps.pebs_fixed_counters >> n & 1;
        if (general && processor_msr_or_0(p, MSR_IA32_PMC_GP_CFG_C(n)) & ARCH_PEBS_EN)
            on |= MSR_BIT(n);
        if (fixed && processor_msr_or_0(p, MSR_IA32_PMC_FX_CFG_C(n)) & ARCH_PEBS_EN)
            on |= MSR_BIT(32 + n);
    }
    return on;
}

/* On NetBurst MSR_PEBS_ENABLE has no bit for each counter; bits 24 and 25 enable the one that samples. */
uint64_t area_pebs_on(const struct processor *p)
{
    const uint64_t enable = processor_msr_or_0(p, MSR_PEBS_ENABLE);

    if (area_is_arch(p))
        return arch_pebs_on(p);
    if (p->caps.pebs_method == PEBS_METHOD_NETBURST)
        return enable & (PEBS_ENABLE_UOP_TAG | PEBS_ENABLE_MY_THR);
    return enable & (p->caps.pebs_counters | p->caps.pebs_fixed_counters << 32);
}

bool area_bts_circular(const struct processor *p, const struct ds_buffer *bts)
{
    return area_bts_on(p) ? !(processor_msr_or_0(p, MSR_IA32_DEBUGCTL) & p->caps.debugctl->btint)
                          : bts->threshold > bts->maximum;
}

/* Without its adaptive bit a counter writes only the basic group, whatever MSR_PEBS_DATA_CFG selects. */
static bool is_adaptive(const struct processor *p, unsigned n)
{
    return n < 32 ? (processor_msr_or_0(p, MSR_IA32_PERFEVTSEL(n)) & PERFEVTSEL_ADAPTIVE) != 0
                  : n < 40 && (processor_msr_or_0(p, MSR_IA32_FIXED_CTR_CTRL) & FIXED_CTR_CTRL_ADAPTIVE(n - 32)) != 0;
}

/* The size of the next record, from the enabled counters, if it is known. */
static unsigned adaptive_size(const struct processor *p)
{
    const unsigned whole = (unsigned)pebs_adaptive_size(processor_msr_or_0(p, MSR_PEBS_DATA_CFG));
    const unsigned basic = (unsigned)pebs_adaptive_size(0);
    const uint64_t on = area_pebs_on(p);
    bool some_whole = on == 0, some_basic = false;

    for (unsigned n = 0; n < 64; n++)
        if (on >> n & 1)
            *(is_adaptive(p, n) ? &some_whole : &some_basic) = true;
    if (some_whole && some_basic && whole != basic)
        return 0;
    return some_whole ? whole : basic;
}

/* The size of the records in the buffer. False if there are none, or if they do not end at the index. */
static bool sizes_of(const struct processor *p, const struct ds_buffer *pebs, unsigned *least, unsigned *most)
{
    static uint8_t bytes[RECORDS_MOST];
    static struct pebs_record record;
    const uint64_t used = pebs->index - pebs->base;

    *least = UINT_MAX;
    *most = 0;
    if (pebs->index < pebs->base || used > sizeof(bytes) || !target_linear(pebs->base, bytes, (size_t)used))
        return false;
    for (uint64_t at = 0; at < used; at += record.size) {
        if (pebs_decode(&p->caps.pebs_form, bytes + at, (size_t)(used - at), &record) != PEBS_DECODE_OK)
            return false;
        *least = record.size < *least ? (unsigned)record.size : *least;
        *most = record.size > *most ? (unsigned)record.size : *most;
    }
    return *most != 0;
}

unsigned area_pebs_record_size(const struct processor *p, const struct ds_buffer *pebs)
{
    unsigned least, most, next;

    if (p->caps.pebs_method != PEBS_METHOD_ADAPTIVE)
        return p->caps.pebs_record_size;
    next = adaptive_size(p);
    if (!sizes_of(p, pebs, &least, &most))
        return next;
    if (area_pebs_on(p) == 0)
        next = least;
    return least == next && most == next ? next : 0;
}

bool area_is_arch(const struct processor *p)
{
    return p->caps.pebs_method == PEBS_METHOD_ARCH;
}

void area_arch(const struct processor *p, struct arch_state *out)
{
    const uint64_t base = processor_msr_or_0(p, MSR_IA32_PEBS_BASE);
    const uint64_t index = processor_msr_or_0(p, MSR_IA32_PEBS_INDEX);

    *out = (struct arch_state){ .base = base,
                                .index = index,
                                .address = base & PEBS_BASE_ADDRESS,
                                .bytes = arch_buffer_bytes(base),
                                .used = index & PEBS_INDEX_WR,
                                .threshold = (index & PEBS_INDEX_THRESH_FIELD) / PEBS_INDEX_THRESH(1),
                                .full = (index & PEBS_INDEX_FULL) != 0,
                                .enabled = (index & PEBS_INDEX_EN) != 0 };
    for (unsigned n = 0; n < 32; n++) {
        if (p->caps.pebs_counters >> n & 1)
            out->cfg_c |= processor_msr_or_0(p, MSR_IA32_PMC_GP_CFG_C(n));
        if (p->caps.pebs_fixed_counters >> n & 1)
            out->cfg_c |= processor_msr_or_0(p, MSR_IA32_PMC_FX_CFG_C(n));
    }
    out->cfg_c &= ~ARCH_PEBS_RELOAD;
}

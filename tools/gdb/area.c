/* SPDX-License-Identifier: MIT */
#include "tools/gdb/area.h"

#include <inttypes.h>
#include <stdio.h>

#include "cpu/arch_pebs.h"
#include "cpu/msr_index.h"
#include "ds/arch_check.h"
#include "tools/gdb/target.h"

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

/* Each counter's own CFG_C has the bit, and IA32_PEBS_INDEX one for all. */
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

/* On NetBurst MSR_PEBS_ENABLE has no bit for a counter; bits 24 and 25 stand for the one that samples. */
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

unsigned area_pebs_record_size(const struct processor *p)
{
    return p->caps.pebs_method == PEBS_METHOD_ADAPTIVE
               ? (unsigned)pebs_adaptive_size(processor_msr_or_0(p, MSR_PEBS_DATA_CFG))
               : p->caps.pebs_record_size;
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

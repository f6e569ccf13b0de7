/* SPDX-License-Identifier: MIT */
/*
 * Each restriction on the buffer of architectural PEBS (ds/arch_check.inc), broken by itself: the check must report
 * exactly that breach, and leave all registers unchanged. First, the same set-up without the breach must be
 * accepted. If the manual only advises against a set-up, it is accepted with a report.
 */
#include "suite/suite.h"

#include "arch/x86/paging.h"
#include "pebs/layout/arch_pebs.h"
#include "ds/ds_steps.h"

#define NEEDS (NEED_APIC | NEED_PEBS_ARCH)

struct spoiling {
    void (*spoil)(struct arch_description *is);
    enum ds_breach_id breach;
    bool advice;
};

static uint64_t bytes_of(const struct arch_description *is)
{
    return arch_buffer_bytes(is->base);
}

static void page(struct arch_description *is)
{
    is->base += 0x800;
}

/* The memory stays where it is: the processor is described as one with narrower physical addresses. */
static void physical(struct arch_description *is)
{
    is->physical_bits = 16;
}

static void reserved(struct arch_description *is)
{
    is->index |= MSR_BIT(27);
}

static void cfg_c(struct arch_description *is)
{
    is->cfg_c |= MSR_BIT(60);
}

static void aligned(struct arch_description *is)
{
    is->base = ((is->base & PEBS_BASE_ADDRESS) + 0x1000) | 1;
    is->linear += 0x1000;
    is->index = PEBS_INDEX_EN | PEBS_INDEX_THRESH(0x1000);
}

/* Maps the second page to non-adjacent memory. */
static bool elsewhere(void *context, uint64_t linear, struct ds_page *out)
{
    const struct arch_description *is = context;
    uint64_t entry;

    if (!paging_lookup(linear, &entry))
        return false;
    *out = (struct ds_page){ .write_back = true, .physical = entry & PAGE_ADDRESS };
    if (linear == is->linear + 0x1000)
        out->physical += 0x1000;
    return true;
}

static void contiguous(struct arch_description *is)
{
    is->page = elsewhere;
    is->context = is;
}

static bool with_code(void *context, uint64_t linear, struct ds_page *out)
{
    (void)context;
    *out = (struct ds_page){ .code = true, .write_back = true, .physical = linear };
    return true;
}

static void code(struct arch_description *is)
{
    is->linear = is->base & PEBS_BASE_ADDRESS;
    is->page = with_code;
}

static bool uncacheable(void *context, uint64_t linear, struct ds_page *out)
{
    (void)context;
    *out = (struct ds_page){ .physical = linear };
    return true;
}

static void memory_type(struct arch_description *is)
{
    is->linear = is->base & PEBS_BASE_ADDRESS;
    is->page = uncacheable;
}

static void index_range(struct arch_description *is)
{
    is->index |= bytes_of(is) + 16;
}

static void threshold_zero(struct arch_description *is)
{
    is->index = PEBS_INDEX_EN;
}

static void threshold_end(struct arch_description *is)
{
    is->index = PEBS_INDEX_EN | PEBS_INDEX_THRESH(bytes_of(is));
}

static void threshold_room(struct arch_description *is)
{
    is->index = PEBS_INDEX_EN | PEBS_INDEX_THRESH(bytes_of(is) - 16);
}

static void apic_off(struct arch_description *is)
{
    is->apic_enabled = false;
}

static void lvt_masked(struct arch_description *is)
{
    is->lvt_performance |= APIC_LVT_MASKED;
}

static void describe(struct test_run *run, struct arch_description *is)
{
    const struct ds_config config = {
        .pebs = true, .pebs_records = 256, .pebs_threshold = 32, .pebs_cfg_c = ARCH_PEBS_EN
    };

    ds_build(run->caps, &config);
    ds_arch_describe(run->caps, &config, is);
}

static void refuse(struct test_run *run)
{
    const struct spoiling *spoiling = run->test->argument;
    struct arch_description is;
    struct ds_breaches breaches;
    bool open;

    describe(run, &is);
    if (!ds_arch_commit(run->caps, &is, &breaches) || breaches.count)
        test_fail(run, "the valid buffer was refused, or has a breach");
    ds_close();

    describe(run, &is);
    spoiling->spoil(&is);
    open = ds_arch_commit(run->caps, &is, &breaches);
    if (open != spoiling->advice)
        test_fail(run, "the invalid buffer was %s", open ? "opened" : "refused");
    else if (!open && (msr_get(MSR_IA32_PEBS_BASE) || msr_get(MSR_IA32_PEBS_INDEX)))
        test_fail(run,
                  "the valid buffer, which was closed, or the refused one is in IA32_PEBS_BASE or IA32_PEBS_INDEX");
    else
        records_expect_breach(run, &breaches, spoiling->breach);
    ds_close();
}

#define REFUSE(name, breach_, title_, source_, spoil_)                                            \
    TEST(arch_refuse_##name) = { .id = "selftest.arch.refuse." #name,                             \
                                 .title = title_ " is refused, and the registers stay unchanged", \
                                 .source = source_,                                               \
                                 .needs = NEEDS,                                                  \
                                 .run = refuse,                                                   \
                                 .argument = &(const struct spoiling){ spoil_, breach_, false } }

#define ADVISE(name, breach_, title_, source_, spoil_)                         \
    TEST(arch_advice_##name) = { .id = "selftest.arch.advice." #name,          \
                                 .title = title_ " is reported, but accepted", \
                                 .source = source_,                            \
                                 .needs = NEEDS,                               \
                                 .run = refuse,                                \
                                 .argument = &(const struct spoiling){ spoil_, breach_, true } }

REFUSE(page, DS_BREACH_ARCH_PAGE, "A buffer that is not on a 4-KByte boundary", SDM_ARCH_PEBS, page);
REFUSE(physical, DS_BREACH_ARCH_PHYSICAL, "A buffer beyond the physical addresses", SDM_ARCH_PEBS, physical);
REFUSE(reserved, DS_BREACH_ARCH_RESERVED, "An index with a reserved bit", SDM_ARCH_PEBS, reserved);
REFUSE(cfg_c, DS_BREACH_ARCH_CFG_C, "A group that CPUID.23H.4 does not list", SDM_ARCH_PEBS, cfg_c);
REFUSE(contiguous, DS_BREACH_ARCH_CONTIGUOUS, "A buffer whose pages are not contiguous in physical memory",
       SDM_ARCH_PEBS, contiguous);
REFUSE(code, DS_BREACH_ARCH_CODE, "A buffer on pages with code", DS_SAYS_ARCH_OWN, code);
REFUSE(index_range, DS_BREACH_ARCH_INDEX_RANGE, "An index past the end of the buffer", SDM_ARCH_PEBS, index_range);
REFUSE(threshold_zero, DS_BREACH_ARCH_THRESHOLD_RANGE, "A threshold of 0", SDM_ARCH_PEBS, threshold_zero);
REFUSE(threshold_end, DS_BREACH_ARCH_THRESHOLD_RANGE, "A threshold at the end of the buffer", SDM_ARCH_PEBS,
       threshold_end);
REFUSE(apic_off, DS_BREACH_APIC_OFF, "A buffer without a local APIC", SDM_SETTING_UP_DS, apic_off);
REFUSE(lvt_masked, DS_BREACH_LVT_MASKED, "A masked LVT entry", SDM_SETTING_UP_DS, lvt_masked);
ADVISE(aligned, DS_BREACH_ARCH_ALIGNED, "A buffer that is not on a boundary of its own size", DS_SAYS_ARCH_LINUX,
       aligned);
ADVISE(memory_type, DS_BREACH_ARCH_MEMORY_TYPE, "A buffer in uncacheable memory", DS_SAYS_ARCH_OWN, memory_type);
ADVISE(threshold_room, DS_BREACH_ARCH_THRESHOLD_ROOM, "A threshold that leaves no room for a record",
       DS_SAYS_ARCH_LINUX, threshold_room);

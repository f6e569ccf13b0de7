/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints docs/profiles.md from the model's own tables: the processors, their caches, the quirks and the freedoms. */
#include <stdio.h>

#include "model/faults/quirks.h"
#include "model/latitude/freedoms.h"
#include "model/processors/profile.h"
#include "tools/standard.h"

static uint32_t signature(const struct profile *p)
{
    for (unsigned i = 0; i < p->cpuid_count; i++)
        if (p->cpuid[i].leaf == 1)
            return p->cpuid[i].add[0];
    return 0;
}

static uint64_t reset_value(const struct profile *p, uint32_t address)
{
    const struct profile_msr *row = profile_find_msr(p, address);

    return row == NULL ? 0 : row->reset;
}

static void print_counters(const struct profile *p)
{
    const unsigned fixed = (unsigned)__builtin_popcount(p->fixed_bitmap);

    printf("%u of %u bits", p->general_counters, p->counter_width);
    if (fixed != 0)
        printf(" + %u fixed%s", fixed, profile_fixed_counters(p) != fixed ? " with a gap" : "");
    if (p->perfmon_version != 0)
        printf(", version %u", p->perfmon_version);
}

static void print_pebs(const struct profile *p)
{
    const struct profile_msr *enable = profile_find_msr(p, 0x3f1);

    if (p->pebs_format == PEBS_FORMAT_ARCH)
        printf("architectural");
    else if (enable == NULL || enable->reg != REG_IA32_PEBS_ENABLE)
        printf("none");
    else
        printf("format %u%s", p->pebs_format, p->pebs_adaptive ? ", adaptive" : "");
}

static void print_lbr(const struct profile *p)
{
    static const char *const words[] = {
        [LBR_FORMAT_32] = "one register an entry",        [LBR_FORMAT_LIP] = "linear addresses",
        [LBR_FORMAT_EIP] = "two registers an entry",      [LBR_FORMAT_EIP_FLAGS] = "flag in FROM",
        [LBR_FORMAT_EIP_FLAGS2] = "flags in FROM",        [LBR_FORMAT_INFO] = "INFO",
        [LBR_FORMAT_TIME] = "flag in FROM, cycles in TO", [LBR_FORMAT_ARCH] = "architectural",
    };

    printf("%u, %s", p->lbr_depth, words[p->lbr_format]);
}

static void print_processor(const struct profile *p)
{
    printf("| `%s`%s%.1s | %s | %05Xh | ", p->name, p->kinds == NULL ? "" : ", ", &p->letter, p->brand, signature(p));
    print_counters(p);
    printf(" | %s-bit | ", p->dtes64 ? "64" : "32");
    print_pebs(p);
    printf(" | ");
    print_lbr(p);
    printf(" | %llXh |\n", (unsigned long long)reset_value(p, 0x345));
}

static void print_size(const struct profile_array *cache)
{
    const unsigned kib = cache->sets * cache->ways / 16; /* lines of 64 bytes */

    if (kib == 0)
        printf(" |");
    else if (kib < 1024)
        printf(" %u KiB %u-way |", kib, cache->ways);
    else
        printf(" %g MiB %u-way |", kib / 1024.0, cache->ways);
}

/* One value for each level that exists: the cycles, or the data source. */
static void print_levels(const struct profile *p, bool sources)
{
    const char *comma = " ";

    for (unsigned level = 0; level < DATA_LEVELS; level++) {
        if (level < LEVEL_MEMORY && p->memory.caches[level].sets == 0)
            continue;
        printf(sources ? "%s%02Xh" : "%s%u", comma, sources ? p->memory.source[level] : p->memory.latency[level]);
        comma = ", ";
    }
    printf(" |");
}

static void print_caches(const struct profile *p)
{
    printf("| `%s`%s%.1s |", p->name, p->kinds == NULL ? "" : ", ", &p->letter);
    for (unsigned level = 0; level < LEVEL_MEMORY; level++)
        print_size(&p->memory.caches[level]);
    printf(" %u, %u-way |", p->memory.tlb.sets * p->memory.tlb.ways, p->memory.tlb.ways);
    print_levels(p, false);
    if (p->memory.source[LEVEL_MEMORY] == 0)
        printf(" |");
    else
        print_levels(p, true);
    printf("\n");
}

static void print_each(void (*print)(const struct profile *))
{
    for (unsigned i = 0; profile_at(i) != NULL; i++)
        for (unsigned k = 0; profile_kind(profile_at(i), k) != NULL; k++)
            print(profile_kind(profile_at(i), k));
}

int main(void)
{
    standard_open();
    printf("# Profiles, caches, quirks and freedoms of the model\n\n"
           "Written by `make documents` from the model's own tables. [modelled.md](modelled.md) explains them.\n\n"
           "## Processors\n\n"
           "A letter after the name is the kind of core, for a processor with several. LBR: the number of entries, and "
           "what they hold.\n\n"
           "| profile | processor | CPUID.1:EAX | counters | DS area | PEBS | LBR | IA32_PERF_CAPABILITIES |\n"
           "|---|---|---|---|---|---|---|---|\n");
    print_each(print_processor);
    printf(
        "\n## Caches\n\n"
        "Cycles and data sources are those of a load, in this order: each cache that the processor has, memory, a line "
        "that another processor has modified.\n\n"
        "| profile | L1D | L2 | L3 | last-level TLB | cycles | data sources |\n|---|---|---|---|---|---|---|\n");
    print_each(print_caches);
    printf("\n## Quirks\n\n| quirk | meaning |\n|---|---|\n");
    for (unsigned i = 0; quirk_name(i) != NULL; i++)
        printf("| `%s` | %s |\n", quirk_name(i), quirk_sentence(i));
    printf("\n## Freedoms\n\n| freedom | what the processor may do | source |\n|---|---|---|\n");
    for (unsigned i = 0; freedom_name(i) != NULL; i++)
        printf("| `%s` | %s | %s |\n", freedom_name(i), freedom_sentence(i), freedom_source(i));
    return standard_end("profiles", 0, 1);
}

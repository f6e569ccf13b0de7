/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The referee on sequences of WRMSR: the last one violates the row's rule, the others none. */
#include "tests/host/model_machine.h"

#include "model/referee/referee.h"

#define PEBS_DATA_CFG  0x3f2
#define PMC_ADAPTIVE   (UINT64_C(1) << 34)
#define EVTSEL_INT_BIT (UINT64_C(1) << 20)

#define PEBS_BASE       0x3f4
#define PEBS_INDEX      0x3f5
#define GP_CTR(n)       (0x1900u + 4 * (n))
#define GP_CFG_A(n)     (0x1901u + 4 * (n))
#define GP_CFG_C(n)     (0x1903u + 4 * (n))
#define FX_CTR(n)       (0x1980u + 4 * (n))
#define FX_CFG_C(n)     (0x1983u + 4 * (n))
#define CFG_C_EN        (UINT64_C(1) << 63)
#define INDEX_FULL      (UINT64_C(1) << 31)
#define INDEX_EN        (UINT64_C(1) << 32)
#define INDEX_THRESH(b) ((uint64_t)(b) / 16 << 36)
#define BUFFER          0x4000u /* physical */

#define FIXED_0 (UINT64_C(1) << 32)
#define ON      EVTSEL_ON
#define OFF            \
    {                  \
        GLOBAL_CTRL, 0 \
    }
#define LBR_GROUP 8 /* of MSR_PEBS_DATA_CFG: one entry */

#define LOAD(i)                      \
    {                                \
        PMC0 + (i), UINT32_MAX - 999 \
    }
#define LOAD_FIXED                 \
    {                              \
        FIXED_CTR0, 0xffffffff0000 \
    }
#define ADAPTIVE (INST_RETIRED | PMC_ADAPTIVE)
#define LBR_CTL  0x14ce

/* Writes that make one counter sample. */
#define SAMPLE(i, event, enable)                                            \
    OFF, LOAD(i), { PEBS_ENABLE, enable }, { EVTSEL0 + (i), ON | (event) }, \
    {                                                                       \
        GLOBAL_CTRL, 1u << (i)                                              \
    }

/* The same for fixed counter 0, with this control. */
#define SAMPLE_FIXED(control)                                           \
    OFF, LOAD_FIXED, { PEBS_ENABLE, FIXED_0 }, { FIXED_CTRL, control }, \
    {                                                                   \
        GLOBAL_CTRL, FIXED_0                                            \
    }

/* Counter 2 samples into this buffer of architectural PEBS, with these groups and the basic group. */
#define ARCH_OFF(base, index, groups)                                                                        \
    OFF, { PEBS_BASE, base }, { PEBS_INDEX, index }, { GP_CFG_C(2), CFG_C_EN | (groups) | (uint32_t)-1000 }, \
        { GP_CFG_A(2), ON | INST_RETIRED },                                                                  \
    {                                                                                                        \
        GP_CTR(2), -UINT64_C(1000) & 0xffffffffffff                                                          \
    }
#define ARCH(base, index, groups)  \
    ARCH_OFF(base, index, groups), \
    {                              \
        GLOBAL_CTRL, 1 << 2        \
    }

/* The same with a correct buffer, and fixed counter 1. */
#define ARCH_TWO                                                                                     \
    ARCH_OFF(BUFFER, INDEX_EN | INDEX_THRESH(4096), 0), { FX_CFG_C(1), CFG_C_EN | (uint32_t)-1000 }, \
        { FX_CTR(1), 0xffffffff0000 }, { FIXED_CTRL, 0x30 },                                         \
    {                                                                                                \
        GLOBAL_CTRL, UINT64_C(1) << 33 | 1 << 2                                                      \
    }

#define ROW(is, on, bytes, ...)                                               \
    {                                                                         \
        .name = is, .profile = on, .writes = { __VA_ARGS__ }, .record = bytes \
    }
#define LBR_ROW(is, on, then, ...)                                         \
    {                                                                      \
        .name = is, .profile = on, .writes = { __VA_ARGS__ }, .read = then \
    }
#define END_ROW(is, on, ...)                                               \
    {                                                                      \
        .name = is, .profile = on, .writes = { __VA_ARGS__ }, .ends = true \
    }
#define FOREST(is, ...) ROW(is, "clearwaterforest", 0, __VA_ARGS__)

/*
 * The rule that the last of these writes violates; NULL: none. The PEBS buffer has space for `records` records of this
 * size; 0: 20.
 */
static const struct {
    const char *name, *profile;
    struct content writes[12];
    unsigned record, records;
    uint32_t lvtpc; /* 0: as usual */
    uint32_t read;  /* at the end, unless 0 */
    bool ends;      /* then the machine does */
} programs[] = {
    ROW("ds-area-zero", "skylake", 0, { DEBUGCTL, TR_BTS }),
    ROW("freeze-without-pmi", "skylake", 0, OFF, { DEBUGCTL, 0x801 }, { EVTSEL0, ON | INST_RETIRED },
        { GLOBAL_CTRL, 1 }),
    ROW(NULL, "skylake", 0, OFF, LOAD(0), { DEBUGCTL, 0x801 }, { EVTSEL0, ON | INST_RETIRED | EVTSEL_INT_BIT },
        { GLOBAL_CTRL, 1 }),
    { .name = "lvtpc-masked",
      .profile = "skylake",
      .writes = { LOAD(1), { EVTSEL0, ON | INST_RETIRED }, { EVTSEL0 + 1, ON | INST_RETIRED | EVTSEL_INT_BIT } },
      .lvtpc = 0x10000 },
    ROW(NULL, "core2", 144, SAMPLE(0, INST_RETIRED, 1)),
    { .name = "pebs-buffer-page",
      .profile = "core2",
      .writes = { SAMPLE(0, INST_RETIRED, 1) },
      .record = 144,
      .records = 29 },
    /* INV and CMask are permitted only to count cycles, as in Intel's lists and Linux */
    ROW(NULL, "skylake", 200, SAMPLE(1, 0x108001c0, 2)),
    ROW(NULL, "skylake", 200, SAMPLE(1, 0x108000c0, 2)),
    ROW(NULL, "core2", 144, SAMPLE(0, 0x108000c0, 1)),
    ROW(NULL, "nehalem", 176, SAMPLE(2, 0x108001c0, 4)),
    ROW(NULL, "nehalem", 176, SAMPLE(2, 0x108001c2, 4)),
    ROW(NULL, "nehalem", 176, SAMPLE(2, 0x010001c2, 4)),
    ROW(NULL, "sandybridge", 176, SAMPLE(3, 0x108001c2, 8)),
    ROW("pebs-qualifier", "skylake", 200, SAMPLE(1, 0x010001c0, 2)),
    ROW("pebs-qualifier", "skylake", 200, SAMPLE(1, 0x008001c0, 2)),
    /* INV without CMask */
    ROW("pebs-qualifier", "skylake", 200, SAMPLE(1, 0x10a001c0, 2)),
    /* AnyThread */
    ROW("pebs-qualifier", "skylake", 200, SAMPLE(1, 0x108401c0, 2)),
    /* Edge */
    ROW("pebs-qualifier", "skylake", 200, SAMPLE(1, 0x108020c4, 2)),
    ROW(NULL, "sandybridge", 176, SAMPLE(3, 0x02cd, 8 | UINT64_C(1) << 63)),
    ROW("pebs-store-enable", "sandybridge", 176, SAMPLE(3, 0x02cd, 8)),
    ROW("pebs-data-cfg-changed", "icelake", 32, SAMPLE(0, ADAPTIVE, 1), { PEBS_DATA_CFG, 2 }),
    ROW(NULL, "icelake", 32, SAMPLE(0, INST_RETIRED, 1), { PEBS_DATA_CFG, 2 }),
    ROW("pebs-data-cfg-changed", "icelake", 32, SAMPLE_FIXED(3 | FIXED_0), { PEBS_DATA_CFG, 2 }),
    ROW("pebs-reconfigured", "icelake", 32, SAMPLE_FIXED(3), { FIXED_CTRL, 3 | FIXED_0 }),
    ROW("ds-area-changed", "skylake", 200, SAMPLE(1, INST_RETIRED, 2), { DS_AREA, DS + 0x40 }),
    /* the threshold of the second counter that samples */
    ROW("pebs-reconfigured", "skylake", 200, OFF, { LD_LAT, 3 }, LOAD(0), LOAD(1), { PEBS_ENABLE, FIXED_0 << 1 | 3 },
        { EVTSEL0, ON | INST_RETIRED }, { EVTSEL0 + 1, ON | LOAD_LATENCY }, { GLOBAL_CTRL, 3 }, { LD_LAT, 100 }),
    /* its records have only the basic group */
    ROW("pebs-lbr-off", "icelake", 56, { PEBS_DATA_CFG, LBR_GROUP }, SAMPLE(0, ADAPTIVE, 1)),
    ROW(NULL, "icelake", 56, { PEBS_DATA_CFG, LBR_GROUP }, { DEBUGCTL, 1 }, SAMPLE(0, ADAPTIVE, 1)),
    ROW("pebs-data-cfg-unused: MSR_PEBS_DATA_CFG 0x3", "icelake", 32, { PEBS_DATA_CFG, 3 }, SAMPLE(0, INST_RETIRED, 1)),
    /* records of 208 bytes; a second counter's of 32 */
    ROW(NULL, "icelake", 208, { PEBS_DATA_CFG, 3 }, SAMPLE(0, ADAPTIVE, 1)),
    ROW("ds-threshold-outside", "icelake", 184, { PEBS_DATA_CFG, 3 }, SAMPLE(0, ADAPTIVE, 1)),
    ROW("ds-threshold-outside", "icelake", 32, { PEBS_DATA_CFG, 3 }, SAMPLE(0, ADAPTIVE, 1)),
    ROW(NULL, "icelake", 184, { PEBS_DATA_CFG, 3 }, OFF, LOAD(0), LOAD(1), { PEBS_ENABLE, 3 },
        { EVTSEL0, ON | ADAPTIVE }, { EVTSEL0 + 1, ON | INST_RETIRED }, { GLOBAL_CTRL, 3 }),
    { .name = "ds-buffer-too-small",
      .profile = "icelake",
      .writes = { { PEBS_DATA_CFG, 3 }, SAMPLE(0, ADAPTIVE, 1) },
      .record = 100,
      .records = 2 },
    { .name = "ds-threshold-room",
      .profile = "icelake",
      .writes = { { PEBS_DATA_CFG, 3 }, SAMPLE(0, ADAPTIVE, 1) },
      .record = 208,
      .records = 11 },
    ROW("pebs-latency-aux", "goldencove", 32, { LD_LAT, 3 }, SAMPLE(1, LOAD_LATENCY, 2)),
    ROW(NULL, "goldencove", 32, OFF, { LD_LAT, 3 }, LOAD(1), { PEBS_ENABLE, 2 }, { EVTSEL0, ON | 0x8203 },
        { EVTSEL0 + 1, ON | LOAD_LATENCY }, { GLOBAL_CTRL, 3 }),
    /* a counter that some register enables and another does not, except in IA32_PERF_GLOBAL_CTRL with all counters */
    ROW("counter-off: IA32_PERF_GLOBAL_CTRL for PMC1 0x1", "skylake", 200, OFF, { PEBS_ENABLE, 2 },
        { EVTSEL0, ON | INST_RETIRED }, { GLOBAL_CTRL, 1 }, OFF),
    ROW("counter-off: IA32_PERFEVTSEL0 0xc0", "skylake", 200, OFF, { PEBS_ENABLE, 1 }, { EVTSEL0, INST_RETIRED },
        { GLOBAL_CTRL, 0x70000000f }, OFF),
    ROW("counter-off", "skylake", 0, OFF, { EVTSEL0, INST_RETIRED }, { GLOBAL_CTRL, 1 }, OFF),
    ROW(NULL, "skylake", 0, OFF, { EVTSEL0, INST_RETIRED }, { GLOBAL_CTRL, 1 }, { EVTSEL0, ON | INST_RETIRED }, OFF),
    ROW("counter-off: IA32_FIXED_CTR_CTRL 0x30", "skylake", 0, OFF, { FIXED_CTRL, 0x30 }, { GLOBAL_CTRL, FIXED_0 },
        OFF),
    ROW(NULL, "skylake", 0, OFF, { FIXED_CTRL, 0x1 }, { GLOBAL_CTRL, FIXED_0 }, OFF),
    ROW(NULL, "skylake", 0, OFF, { GLOBAL_CTRL, 0x70000000f }, OFF),
    ROW("counter-off", "skylake", 0, OFF, { EVTSEL0, INST_RETIRED }, { GLOBAL_CTRL, 0xf }, OFF),
    END_ROW("counter-off", "skylake", OFF, { EVTSEL0, INST_RETIRED }, { GLOBAL_CTRL, 1 }),
    END_ROW("counter-off", "skylake", OFF, { EVTSEL0 + 1, ON | EVTSEL_INT_BIT | INST_RETIRED }),
    /* ... or that this register never named */
    ROW("counter-off", "skylake", 0, OFF, { PEBS_ENABLE, 1 }, { EVTSEL0, ON | INST_RETIRED }, OFF, { PEBS_ENABLE, 0 }),
    ROW("counter-off: IA32_PERF_GLOBAL_CTRL for FIXED_CTR0 0xff", "icelake", 0, { PEBS_ENABLE, FIXED_0 },
        { FIXED_CTRL, 3 }, { FIXED_CTRL, 0 }, { PEBS_ENABLE, 0 }),
    ROW("counter-off", "skylake", 0, OFF, { EVTSEL0, ON | EVTSEL_INT_BIT | INST_RETIRED }, { EVTSEL0, 0 }),
    ROW(NULL, "skylake", 0, OFF, { EVTSEL0, ON | INST_RETIRED }, { EVTSEL0, 0 }),
    ROW(NULL, "skylake", 0, LOAD(0), { EVTSEL0, ON | EVTSEL_INT_BIT | INST_RETIRED }, OFF, { EVTSEL0, 0 }),
    ROW(NULL, "skylake", 0, OFF, LOAD(0), { EVTSEL0, ON | EVTSEL_INT_BIT | INST_RETIRED }, OFF, { GLOBAL_CTRL, 1 }, OFF,
        { EVTSEL0, 0 }),
    ROW(NULL, "skylake", 200, OFF, LOAD(0), { EVTSEL0, ON | INST_RETIRED }, { PEBS_ENABLE, 1 }, { EVTSEL0, 0 },
        { EVTSEL0, ON | INST_RETIRED }, { GLOBAL_CTRL, 1 }, OFF),
    /* the first value of a counter */
    ROW("pebs-first-value: first value of PMC0 0x3e8", "skylake", 200, { PMC0, 1000 }, { PEBS_ENABLE, 1 },
        { EVTSEL0, ON | INST_RETIRED }),
    ROW("pebs-first-value", "skylake", 200, { PEBS_ENABLE, 1 }, { EVTSEL0, ON | INST_RETIRED }),
    ROW("pebs-first-value", "skylake", 200, { A_PMC0, UINT32_MAX - 999 }, { PEBS_ENABLE, 1 },
        { EVTSEL0, ON | INST_RETIRED }),
    ROW(NULL, "skylake", 200, { A_PMC0, 0xfffffffffc18 }, { PEBS_ENABLE, 1 }, { EVTSEL0, ON | INST_RETIRED }),
    /* bits that a processor ignores, and LBR filters that pass nothing */
    ROW("pebs-enable-ignored: IA32_PEBS_ENABLE 0x2", "core2", 0, { PEBS_ENABLE, 2 }),
    ROW("pebs-enable-ignored", "core2", 0, { PEBS_ENABLE, FIXED_0 | 1 }),
    ROW("pebs-enable-ignored", "core2", 0, { PEBS_ENABLE, 1 }, { PEBS_ENABLE, UINT64_C(1) << 47 }),
    ROW(NULL, "core2", 0, { PEBS_ENABLE, 1 }, { PEBS_ENABLE, UINT64_C(1) << 48 }),
    LBR_ROW("lbr-none: IA32_DEBUGCTL 0x1", "goldencove", 0x1500, { DEBUGCTL, 1 }),
    LBR_ROW("lbr-accessed", "goldencove", 0x1500, { LBR_CTL, 0x7f0003 }),
    ROW("still-frozen", "goldencove", 0, { 0x391, UINT64_C(1) << 58 }, { LBR_CTL, 0x7f0003 }),
    LBR_ROW(NULL, "goldencove", 0x1500, { LBR_CTL, 0x7f0003 }, { DEBUGCTL, 1 }, { LBR_CTL, 0 }),
    ROW(NULL, "goldencove", 0, { LBR_CTL, 1 }, { LBR_CTL, 0 }), /* a probe */
    LBR_ROW("lbr-none", "goldencove", 0x1500, { LBR_CTL, 0x7f0001 }, { LBR_CTL, 0 }),
    LBR_ROW("lbr-none: IA32_LBR_CTL 0x7", "goldencove", 0x1500, { LBR_CTL, 7 }, { LBR_CTL, 0 }),
    ROW(NULL, "goldencove", 0, { LBR_CTL, 0 }),
    ROW("pebs-latency-event", "skylake", 200, OFF, { PEBS_ENABLE, FIXED_0 }, { GLOBAL_CTRL, 1 }),
    ROW("pebs-latency-event", "skylake", 200, OFF, { PEBS_ENABLE, FIXED_0 << 2 }, { GLOBAL_CTRL, 1 }),
    ROW("counter-first-value", "skylake", 0, OFF, { PMC0, 1000 }, { EVTSEL0, ON | EVTSEL_INT_BIT | INST_RETIRED },
        { GLOBAL_CTRL, 1 }),
    ROW("counter-first-value: first value of FIXED_CTR0 0xfffffc18", "skylake", 0, OFF,
        { FIXED_CTR0, UINT32_MAX - 999 }, { FIXED_CTRL, 0xb }, { GLOBAL_CTRL, FIXED_0 }),
    ROW(NULL, "skylake", 0, OFF, { PMC0, 1000 }, { EVTSEL0, ON | INST_RETIRED }, { GLOBAL_CTRL, 1 }),
    ROW(NULL, "skylake", 0, OFF, { PMC0, 0 }, { EVTSEL0, ON | EVTSEL_INT_BIT | INST_RETIRED }, { GLOBAL_CTRL, 1 }),
    ROW(NULL, "icelake", 0, OFF, { FIXED_CTR0 + 3, 1000 }, { FIXED_CTRL, 0xb000 }, { GLOBAL_CTRL, FIXED_0 << 3 }),
    ROW("lbr-depth-written: IA32_LBR_CTL 0x7f0003", "goldencove", 0, { LBR_CTL, 0x7f0003 }, { 0x14cf, 32 }),
    ROW(NULL, "goldencove", 0, { LBR_CTL, 0x7f0003 }, { LBR_CTL, 0 }, { 0x14cf, 32 }),
    LBR_ROW("lbr-none: MSR_LBR_SELECT 0x3", "skylake", LBR_TOS, { LBR_SELECT, 3 }, { DEBUGCTL, 1 }, { DEBUGCTL, 0 }),
    LBR_ROW("lbr-none", "skylake", LBR_TOS, { DEBUGCTL, 1 }, { LBR_SELECT, 0x1fc }, { DEBUGCTL, 0 }),
    LBR_ROW(NULL, "skylake", LBR_TOS, { LBR_SELECT, 0x1f9 }, { DEBUGCTL, 1 }, { DEBUGCTL, 0 }),
    /* fixed counters, like general ones, must not request their own interrupt */
    ROW(NULL, "icelake", 32, OFF, LOAD_FIXED, { PEBS_ENABLE, FIXED_0 }, { FIXED_CTRL, 3 }, { GLOBAL_CTRL, FIXED_0 }),
    ROW("pebs-int", "icelake", 32, OFF, LOAD_FIXED, { PEBS_ENABLE, FIXED_0 }, { FIXED_CTRL, 0xb },
        { GLOBAL_CTRL, FIXED_0 }),
    /* Pentium M's only enable bit is in the first event select, which may be written just for that */
    ROW(NULL, "pentium-m", 0, { EVTSEL0, 0x40002e }),
    ROW("counter-no-ring", "core-duo", 0, { EVTSEL0, 0x40002e }),
    /* an event that the model lacks, one that it counts, and one that never occurs */
    ROW("any-thread-ignored: IA32_PERFEVTSEL2 0x6300c0", "icelake", 0, { EVTSEL0 + 2, ON | 0x2000c0 }),
    ROW("any-thread-ignored", "lunarlake", 0, { FIXED_CTRL, 7 }),
    ROW(NULL, "skylake", 0, OFF, { EVTSEL0, ON | 0x2000c0 }, { FIXED_CTRL, 7 }, { GLOBAL_CTRL, 1 }),
    /* call stacks */
    ROW("lbr-call-stack: MSR_LBR_SELECT 0x200", "skylake", 0, { LBR_SELECT, 0x200 }, { DEBUGCTL, 1 }),
    ROW("lbr-call-stack", "skylake", 0, { DEBUGCTL, 1 }, { LBR_SELECT, 0x3ec }),
    ROW(NULL, "skylake", 0, { LBR_SELECT, 0x3c5 }, { DEBUGCTL, 1 }, { DEBUGCTL, 0 }, { LBR_SELECT, 0x200 }),
    ROW("lbr-arch-call-stack: IA32_LBR_CTL 0x7f000f", "goldencove", 0, { LBR_CTL, 0x7f000f }),
    ROW(NULL, "goldencove", 0, { LBR_CTL, 0x38000b }),
    /* load latency on a counter that cannot count it; without PEBS */
    ROW("pebs-event", "sandybridge", 0, OFF, LOAD(0), { PEBS_ENABLE, UINT64_C(1) << 32 | 1 }, { EVTSEL0, ON | 0x01cd },
        { GLOBAL_CTRL, 1 }),
    ROW("event-not-counted", "sandybridge", 0, OFF, LOAD(0), { EVTSEL0, ON | 0x01cd }, { GLOBAL_CTRL, 1 }),
    ROW("event-not-counted", "skylake", 0, OFF, { EVTSEL0, ON | 0x01a3 }, { GLOBAL_CTRL, 1 }),
    ROW(NULL, "skylake", 0, OFF, { EVTSEL0, ON | 0x01a3 }, { EVTSEL0 + 1, ON | 0xc0 }, { GLOBAL_CTRL, 2 }),
    ROW(NULL, "skylake", 0, OFF, { EVTSEL0, ON | 0x0151 }, { GLOBAL_CTRL, 1 }),
    ROW(NULL, "skylake", 0, OFF, { EVTSEL0, ON | 0x010d }, { GLOBAL_CTRL, 1 }),
    /* a counter that reloads itself must not request an interrupt; a counter that another reloads may */
    FOREST("counter-reload-int", OFF, LOAD(3), { 0x190e, 8 }, { EVTSEL0 + 3, ON | 0x1000c0 }, { GLOBAL_CTRL, 8 }),
    FOREST(NULL, OFF, LOAD(3), { 0x190e, 8 }, { EVTSEL0 + 3, ON | 0x1000c0 }, { GLOBAL_CTRL, 0 }),
    FOREST(NULL, OFF, { 0x190e, 8 }, { EVTSEL0 + 3, ON | 0xc0 }, { GLOBAL_CTRL, 8 }),
    FOREST(NULL, OFF, LOAD(3), { 0x190e, 4 }, { EVTSEL0 + 3, ON | 0x1000c0 }, { GLOBAL_CTRL, 8 }),
    FOREST("counter-reload-int", OFF, LOAD_FIXED, { 0x1982, FIXED_0 }, { FIXED_CTRL, 0xb }, { GLOBAL_CTRL, FIXED_0 }),
    /* architectural PEBS */
    FOREST(NULL, ARCH(BUFFER, INDEX_EN | INDEX_THRESH(4096) | 4096, 0)),
    FOREST("pebs-base-zero", ARCH(0, INDEX_EN, 0)),
    FOREST("pebs-base-zero", ARCH(1, INDEX_EN, 0)),
    FOREST("pebs-buffer-not-memory", ARCH(0x10000, INDEX_EN, 0)),
    FOREST("pebs-buffer-not-memory", ARCH(0xf000 | 1, INDEX_EN, 0)),
    FOREST("pebs-index-outside: IA32_PEBS_INDEX 0x100001010", ARCH(BUFFER, INDEX_EN | 4112, 0)),
    FOREST(NULL, ARCH(BUFFER | 1, INDEX_EN | INDEX_THRESH(8192) | 4112, 0)),
    FOREST("pebs-threshold-outside", ARCH(BUFFER, INDEX_EN | INDEX_THRESH(4112), 0)),
    FOREST("pebs-full-kept", ARCH(BUFFER, INDEX_EN | INDEX_FULL, 0)),
    FOREST("pebs-not-counted", ARCH(BUFFER, INDEX_EN, UINT64_C(1) << 36)),
    /* no such counter */
    FOREST("pebs-not-counted", ARCH(BUFFER, INDEX_EN, UINT64_C(5) << 35)),
    /* but no fixed counter */
    FOREST(NULL, ARCH(BUFFER, INDEX_EN, UINT64_C(3) << 35)),
    FOREST(NULL, { FX_CFG_C(6), UINT64_C(1) << 35 }, ARCH(BUFFER, INDEX_EN, UINT64_C(1) << 37)),
    FOREST("pebs-lbr-off", ARCH(BUFFER, INDEX_EN, UINT64_C(1) << 40)),
    FOREST("pebs-lbr-off", OFF, { PEBS_BASE, BUFFER }, { PEBS_INDEX, INDEX_EN }, { FX_CTR(1), 0xffffffff0000 },
           { FX_CFG_C(1), CFG_C_EN | UINT64_C(1) << 40 | (uint32_t)-1000 }, { FIXED_CTRL, 0x30 },
           { GLOBAL_CTRL, FIXED_0 << 1 }),
    FOREST("pebs-index-off", ARCH(BUFFER, 0, 0)),
    /* the second counter that starts */
    FOREST("pebs-index-off", ARCH_OFF(BUFFER, 0, 0), { GP_CFG_A(0), ON | INST_RETIRED }, { GLOBAL_CTRL, 5 }),
    /* a counter starts, with EN only in the index; its CFG_C; another counter that samples */
    FOREST("pebs-index-unused: IA32_PEBS_INDEX 0x100000000", OFF, { PEBS_BASE, BUFFER }, { PEBS_INDEX, INDEX_EN },
           { GP_CFG_A(2), ON | INST_RETIRED }, { GLOBAL_CTRL, 4 }, { PEBS_INDEX, 0 }),
    FOREST(NULL, OFF, { PEBS_BASE, BUFFER }, { PEBS_INDEX, INDEX_EN }, { PEBS_INDEX, 0 }),
    FOREST(NULL, ARCH(BUFFER, INDEX_EN, 0), { GLOBAL_CTRL, 0 }, { GP_CFG_C(2), 0 }, { GLOBAL_CTRL, 4 },
           { PEBS_INDEX, 0 }),
    { .name = "lvtpc-masked",
      .profile = "clearwaterforest",
      .writes = { ARCH(BUFFER, INDEX_EN, 0) },
      .lvtpc = 0x10040 },
    /* registers that must not be written while a counter counts for PEBS; EN of the index may be cleared */
    FOREST("pebs-base-changed", ARCH_TWO, { PEBS_BASE, BUFFER }),
    FOREST("pebs-base-changed", ARCH_TWO, { PEBS_BASE, 0 }),
    FOREST("pebs-index-written", ARCH_TWO, { PEBS_INDEX, INDEX_EN }),
    FOREST(NULL, ARCH_TWO, { PEBS_INDEX, 0 }),
    FOREST("pebs-reconfigured", ARCH_TWO, { GP_CFG_C(2), 0 }),
    FOREST(NULL, ARCH_TWO, { GP_CFG_C(3), 0 }),
    FOREST(NULL, ARCH_TWO, { FX_CFG_C(2), 0 }),
    FOREST("pebs-reconfigured", ARCH_TWO, { FX_CFG_C(1), 0 }),
    FOREST("pebs-reconfigured", ARCH_TWO, { GP_CTR(2), 0 }),
    FOREST("pebs-reconfigured", ARCH_TWO, { FX_CTR(1), 0 }),
    FOREST("pebs-reconfigured", ARCH_TWO, { FIXED_CTRL, 0x10 }),
    FOREST(NULL, ARCH_TWO, { FIXED_CTRL, 0x33 }),
    FOREST(NULL, ARCH_TWO, { FIXED_CTRL, 0 }),
};

UNIT_TEST(writes)
{
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        struct machine *m = machine_of(programs[i].profile);
        const unsigned record = programs[i].record, records = programs[i].records ? programs[i].records : 20;

        if (record != 0) {
            set_up_ds(m, 0, 0, 0, 0);
            PUT(m, { DS + 0x30, PEBS + records * record }, { DS + 0x38, PEBS + 10 * record });
            for (unsigned slot = 0x40; slot < 0xa0; slot += 8)
                put(m, DS + slot, -UINT64_C(100));
        }
        m->lvtpc = programs[i].lvtpc ? programs[i].lvtpc : m->lvtpc;
        for (const struct content *c = programs[i].writes; c->at != 0; c++) {
            expect_violation(m, NULL);
            wrmsr(m, (uint32_t)c->at, c->value);
        }
        if (programs[i].read != 0)
            rdmsr(m, programs[i].read);
        if (programs[i].ends)
            referee_end(&m->v);
        expect_violation(m, programs[i].name);
    }
}

#define LOW_MEMORY UINT64_C(0x100000) /* NetBurst's fields have 32 bits */
#define CCCR(i)    (0x360u + (i))
#define CCCR_ON    (UINT64_C(1) << 12 | UINT64_C(5) << 13 | UINT64_C(3) << 16)
#define MY_THR     (UINT64_C(1) << 25)
#define UOP_TAG    (UINT64_C(1) << 24)
#define FRONT_END  (UINT64_C(8) << 25 | 1u << 9 | 0xc)
#define TAG_LOADS  (UINT64_C(2) << 25 | 2u << 9 | 0xc)

static struct machine *netburst(uint64_t cccr, uint64_t enable, uint64_t tag)
{
    const uint32_t area[] = { 0,   0, 0, 0, 0x104000, 0x104000, 0x104000 + 20 * 40, 0x104000 + 10 * 40, (uint32_t)-100,
                              0xff };
    struct machine *m = machine_of("netburst");

    m->memory_at = LOW_MEMORY;
    memcpy(m->memory, area, sizeof(area));
    wrmsr(m, DS_AREA, LOW_MEMORY);
    wrmsr(m, 0x3bc, tag);            /* RAT_ESCR0 */
    wrmsr(m, 0x3cc, FRONT_END);      /* CRU_ESCR2 */
    wrmsr(m, 0x310, (uint64_t)-100); /* IQ_COUNTER4 */
    WRMSR(m, { PEBS_ENABLE, enable }, { CCCR(16), cccr });
    return m;
}

UNIT_TEST(netburst_rules)
{
    struct machine *m;

    expect_violation(netburst(CCCR_ON, MY_THR, TAG_LOADS), NULL);
    expect_violation(netburst(CCCR_ON | UINT64_C(0x4c) << 16, MY_THR, TAG_LOADS), NULL); /* COMPARE and a threshold */
    expect_violation(netburst(CCCR_ON, UOP_TAG, TAG_LOADS), "pebs-only-tags");
    expect_violation(netburst(CCCR_ON, MY_THR, 0), "pebs-no-tag");
    expect_violation(netburst(CCCR_ON & ~(UINT64_C(1) << 17), 0, TAG_LOADS), "cccr-thread");
    expect_violation(netburst(CCCR_ON | UINT64_C(1) << 31, 0, TAG_LOADS), "status-not-acknowledged");
    m = netburst(0, MY_THR, TAG_LOADS);
    WRMSR(m, { 0x3cc, UINT64_C(6) << 25 | 15u << 9 | 0xc }, { CCCR(16), CCCR_ON }); /* branch_retired */
    expect_violation(m, "pebs-event");
    m = netburst(CCCR_ON, MY_THR, TAG_LOADS);
    wrmsr(m, 0x310, (uint64_t)-100);
    expect_violation(m, "pebs-reconfigured");
    m = netburst(0, 0, TAG_LOADS); /* without PEBS, the counter requests interrupts */
    m->lvtpc = 0x10040;
    wrmsr(m, CCCR(16), CCCR_ON | UINT64_C(1) << 26);
    expect_violation(m, "lvtpc-masked");
}

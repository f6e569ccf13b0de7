/* SPDX-License-Identifier: MIT */
#include "cpu/cores.h"

#include <stddef.h>

#include "cpu/errata.h"

/*
 * The bits of register 1D9h. SDM Vol. 3A (253668-032), "MSR_DEBUGCTLA MSR" (NetBurst), "MSR_DEBUGCTLB MSR" (Pentium M,
 * Core Solo and Core Duo), "IA32_DEBUGCTL MSR" (Core and later; CPUID too must allow the freezes: NEED_FREEZE).
 */
static const struct debugctl_bits debugctl_netburst = {
    .lbr = 1 << 0, .tr = 1 << 2, .bts = 1 << 3, .btint = 1 << 4, .bts_off_os = 1 << 5, .bts_off_usr = 1 << 6
};
static const struct debugctl_bits debugctl_pentium_m = { .lbr = 1 << 0, .tr = 1 << 6, .bts = 1 << 7, .btint = 1 << 8 };
static const struct debugctl_bits debugctl_core = { .lbr = 1 << 0,
                                                    .tr = 1 << 6,
                                                    .bts = 1 << 7,
                                                    .btint = 1 << 8,
                                                    .bts_off_os = 1 << 9,
                                                    .bts_off_usr = 1 << 10,
                                                    .freeze_lbrs = 1 << 11,
                                                    .freeze_perfmon = 1 << 12 };

/* Registers and depth of the LBR stack, by family. */
#define LBR_NETBURST_4 \
    .lbr_layout = LBR_LAYOUT_PACKED, .lbr_depth = 4, .lbr_from = 0x1db, .lbr_tos = 0x1da, .lbr_format = 0
#define LBR_NETBURST_16                                                                                    \
    .lbr_layout = LBR_LAYOUT_PAIRS, .lbr_depth = 16, .lbr_from = 0x680, .lbr_to = 0x6c0, .lbr_tos = 0x1da, \
    .lbr_format = 1
#define LBR_PENTIUM_M \
    .lbr_layout = LBR_LAYOUT_PACKED, .lbr_depth = 8, .lbr_from = 0x40, .lbr_tos = 0x1c9, .lbr_format = 0
#define LBR_CORE(depth)                                                                                       \
    .lbr_layout = LBR_LAYOUT_PAIRS, .lbr_depth = (depth), .lbr_from = 0x40, .lbr_to = 0x60, .lbr_tos = 0x1c9, \
    .lbr_format = CAPS_UNKNOWN
#define LBR_NEHALEM(depth)                                                                                      \
    .lbr_layout = LBR_LAYOUT_PAIRS, .lbr_depth = (depth), .lbr_from = 0x680, .lbr_to = 0x6c0, .lbr_tos = 0x1c9, \
    .lbr_select = 0x1c8, .lbr_format = CAPS_UNKNOWN
#define LBR_SKYLAKE LBR_NEHALEM(32), .lbr_info = 0xdc0

static const char *const notes_netburst[] = {
    "MSR_PEBS_ENABLE: bit 25 enables sampling, bit 24 tags uops for replay events; SDM 18.18.8.1 calls bit 24 the "
    "enable",
    "MSR_IQ_CCCR4: OVF_PMI stays clear, though SDM table 18-11 wants it set: the DS area's threshold interrupts",
    "PEBS records are read as the state after the instruction; SDM 17.4.9 calls it nominally the state before it",
    "erratum N15: the first write to a counter may be lost, so counters are written twice",
    NULL,
};

/* clang-format off */
#define NOTES_CORE2 \
    "erratum AJ67/AR63/W126: PEBS may record events at a privilege level that the event select excludes", \
    "erratum AJ68/AR64/W127: the PEBS interrupt may arrive one event late, so the threshold leaves room for more", \
    "erratum AJ69: IA32_PERF_GLOBAL_STATUS bit 62 is set only with FREEZE_PERFMON_ON_PMI, so the index is used instead", \
    "erratum AJ106/AM94: FREEZE_LBRS_ON_PMI with PEBS may leave stale LBRs", \
    "erratum AR62/W125: BTS with a filter by privilege level may report a wrong branch-from", \
    "PEBS only on counter 0; a PEBS buffer of more than one page may hang the write of IA32_PERF_GLOBAL_CTRL"
/* clang-format on */

static const char *const notes_core2[] = { NOTES_CORE2, NULL };
static const char *const notes_merom[] = {
    NOTES_CORE2,
    "Linux leaves PEBS off on 06_0F because of these errata (intel_clovertown_quirk)",
    NULL,
};

static const char *const notes_nehalem[] = {
    "LBR_SELECT: filtering out jumps filters out calls and returns too",
    "load latency only on counter 3",
    "errata AAK100, AAP53, BD53: the general counters are primed with 4300B5h, 4300D2h and 4300B1h before they are "
    "used",
    "a PEBS record's status has the bits of all counters; a record with the bits of two PEBS counters counts for "
    "neither",
    NULL,
};

static const char *const notes_sandy_bridge[] = {
    "load latency and precise store only on counter 3, INST_RETIRED.PREC_DIST only on counter 1",
    NULL,
};

/* Linux, arch/x86/events/intel/core.c, intel_snb_pebs_broken. Unknown for other steppings. */
static const struct core_microcode microcode_sandy_bridge[] = {
    { 0x2a, 7, 0x28 }, { 0x2d, 6, 0x618 }, { 0x2d, 7, 0x70c }, { 0, 0, 0 }
};

static const char *const notes_haswell[] = {
    "erratum HSW11: INST_RETIRED.ALL needs a period of at least 128",
    "load latency only on counter 3, INST_RETIRED.PREC_DIST only on counter 1",
    NULL,
};

static const char *const notes_broadwell[] = {
    "errata BDM11, BDM55: INST_RETIRED.ALL needs a period of at least 128, and a multiple of 64",
    "load latency only on counter 3, INST_RETIRED.PREC_DIST only on counter 1",
    NULL,
};

static const char *const notes_knights[] = {
    "IA32_PERF_CAPABILITIES says LBR format 1; entries are read as of format 3, with the mispredict flag in FROM[63]",
    NULL,
};

static const char *const notes_bonnell[] = {
    "before stepping 10 the LBR stack cannot be frozen",
    NULL,
};

/* A macro has what several cores have in common. */
#define PEBS_CORE(core_name, counters) \
    .name = (core_name), .debugctl = &debugctl_core, .pebs_method = PEBS_METHOD_GENERAL, .pebs_counters = (counters)
#define NETBURST                                                                                                     \
    .name = "NetBurst", .debugctl = &debugctl_netburst, .bts_prediction = true, .pebs_method = PEBS_METHOD_NETBURST, \
    .pebs_counters = 0x1, .counter_width = 40, .events = &pebs_events_netburst, .pebs_trap_like = true,              \
    .notes = notes_netburst
static const struct core netburst_4 = { NETBURST, LBR_NETBURST_4 };
static const struct core netburst_16 = { NETBURST, LBR_NETBURST_16 };
static const struct core pentium_m = { .name = "Pentium M", .debugctl = &debugctl_pentium_m, LBR_PENTIUM_M };
static const struct core core_duo = { .name = "Core Duo", .debugctl = &debugctl_pentium_m, LBR_PENTIUM_M };
#define CORE_2 PEBS_CORE("Core 2", 0x1), LBR_CORE(4), .events = &pebs_events_core2, .errata = HAS_ERRATUM(AR62)
static const struct core core2 = { CORE_2, .notes = notes_core2 };
static const struct core merom = { CORE_2, .notes = notes_merom };
static const struct core bonnell = { PEBS_CORE("Bonnell", 0x1), LBR_CORE(8), .events = &pebs_events_bonnell,
                                     .notes = notes_bonnell };
static const struct core silvermont = { PEBS_CORE("Silvermont", 0x1), LBR_CORE(8),
                                        .lbr_select = 0x1c8,          .pebs_reserved = PEBS_RESERVED_MEMORY,
                                        .errata = HAS_ERRATUM(SRF7),  .events = &pebs_events_silvermont };

/*
 * Goldmont reduces the skid of every precise event: it records the instruction that overflows the counter (SDM
 * Vol. 3B (253669-059), "Reduced Skid PEBS", 18.7.1.2). "Goldmont Plus" and Tremont: Linux 7.1, :ppp is counter 0 and
 * fixed counter 0. Goldmont Plus has extended PEBS: SDM Vol. 3B (253669-081), "Extended PEBS"; the reset slots: Linux,
 * intel_pmu_pebs_enable(). LBR_SELECT bit 9: SDM Vol. 4 (335592-083), "MSRs in Intel Atom Processors Based on Goldmont
 * Microarchitecture"; Tremont: Linux 6.12, intel_pmu_lbr_init_skl(), whose table of filters has call stacks.
 */
static const struct core goldmont = { PEBS_CORE("Goldmont", 0x1),  LBR_NEHALEM(32),
                                      .lbr_callstack = true,       .pebs_any_event = true,
                                      .pebs_pdist_counters = 0x1,  .pebs_reserved = PEBS_RESERVED_SOURCE,
                                      .errata = HAS_ERRATUM(SRF7), .events = &pebs_events_goldmont };
static const struct core goldmont_plus = { PEBS_CORE("Goldmont Plus", 0xf),
                                           LBR_NEHALEM(32),
                                           .lbr_callstack = true,
                                           .pebs_any_event = true,
                                           .pebs_extended = true,
                                           .pebs_pdist_counters = 0x1,
                                           .pebs_reserved = PEBS_RESERVED_SOURCE,
                                           .errata = HAS_ERRATUM(SRF7),
                                           .events = &pebs_events_goldmont };
static const struct core tremont = { PEBS_CORE("Tremont", 0xf),   LBR_SKYLAKE,
                                     .lbr_callstack = true,       .pebs_pdist_counters = 0x1,
                                     .errata = HAS_ERRATUM(SRF7), .events = &pebs_events_tremont };
static const struct core knights = { PEBS_CORE("Knights Landing", 0x1), LBR_NEHALEM(8), .lbr_says_lip = true,
                                     .events = &pebs_events_knights, .notes = notes_knights };
#define NEHALEM(core_name)                                                                               \
    PEBS_CORE(core_name, 0xf), LBR_NEHALEM(16), .lbr_select_jumps_quirk = true, .second_level_kib = 256, \
                                                .prime_counters = true, .notes = notes_nehalem
static const struct core nehalem = { NEHALEM("Nehalem"), .events = &pebs_events_nehalem_ep,
                                     .data_source = DATA_SOURCE_NEHALEM };
static const struct core nehalem_ex = { NEHALEM("Nehalem"), .events = &pebs_events_nehalem_ex,
                                        .data_source = DATA_SOURCE_NEHALEM };
static const struct core westmere = { NEHALEM("Westmere"), .events = &pebs_events_westmere,
                                      .data_source = DATA_SOURCE_WESTMERE };
static const struct core sandy_bridge = { PEBS_CORE("Sandy Bridge", 0xf),
                                          LBR_NEHALEM(16),
                                          .events = &pebs_events_sandy_bridge,
                                          .data_source = DATA_SOURCE_GENERIC,
                                          .second_level_kib = 256,
                                          .microcode = microcode_sandy_bridge,
                                          .errata = HAS_ERRATUM(BJ094),
                                          .notes = notes_sandy_bridge };
static const struct core ivy_bridge = { PEBS_CORE("Ivy Bridge", 0xf),      LBR_NEHALEM(16),
                                        .events = &pebs_events_ivy_bridge, .data_source = DATA_SOURCE_GENERIC,
                                        .second_level_kib = 256,           .errata = HAS_ERRATUM(BV086),
                                        .notes = notes_sandy_bridge };
static const struct core haswell = { PEBS_CORE("Haswell", 0xf),
                                     LBR_NEHALEM(16),
                                     .lbr_callstack = true,
                                     .events = &pebs_events_haswell,
                                     .data_source = DATA_SOURCE_GENERIC,
                                     .second_level_kib = 256,
                                     .errata = HAS_ERRATUM(HSD053) | HAS_ERRATUM(HSD140) | HAS_ERRATUM(HSD76) |
                                               HAS_ERRATUM(HSD143) | HAS_ERRATUM(CML095),
                                     .notes = notes_haswell };
static const struct core broadwell = { PEBS_CORE("Broadwell", 0xf),
                                       LBR_NEHALEM(16),
                                       .lbr_callstack = true,
                                       .events = &pebs_events_broadwell,
                                       .data_source = DATA_SOURCE_GENERIC,
                                       .second_level_kib = 256,
                                       .errata = HAS_ERRATUM(HSD140) | HAS_ERRATUM(HSD76) | HAS_ERRATUM(BDM100) |
                                                 HAS_ERRATUM(HSD143) | HAS_ERRATUM(BDM104) | HAS_ERRATUM(SKL018) |
                                                 HAS_ERRATUM(SKL117),
                                       .notes = notes_broadwell };
#define ERRATA_SKYLAKE                                                                                               \
    (HAS_ERRATUM(SKL186) | HAS_ERRATUM(LBR_COPY) | HAS_ERRATUM(SKL088) | HAS_ERRATUM(SKL179) | HAS_ERRATUM(CML095) | \
     HAS_ERRATUM(SKL018) | HAS_ERRATUM(SKL117) | HAS_ERRATUM(SKL091))
/* "No PEBS on PMC4-7" */
#define SKYLAKE                                                                                                      \
    PEBS_CORE("Skylake", 0xf), .bts_prediction = true, LBR_SKYLAKE, .lbr_callstack = true, .errata = ERRATA_SKYLAKE, \
                               .second_level_kib = 1024, .data_source = DATA_SOURCE_SKYLAKE
static const struct core skylake = { SKYLAKE, .events = &pebs_events_skylake };
static const struct core skylake_server = { SKYLAKE, .events = &pebs_events_skylake_server };
static const struct core ice_lake = { PEBS_CORE("Ice Lake", 0xff),
                                      LBR_SKYLAKE,
                                      .lbr_callstack = true,
                                      .events = &pebs_events_ice_lake,
                                      .data_source = DATA_SOURCE_SKYLAKE,
                                      .second_level_kib = 1280 };
#define GOLDEN_COVE(core_name)                                                                 \
    .name = (core_name), .debugctl = &debugctl_core,                                           \
    .lbr_format = CAPS_UNKNOWN, /* architectural LBRs: CPUID describes them */                 \
        .pebs_method = PEBS_METHOD_GENERAL, .pebs_counters = 0xff, .pebs_pdist_counters = 0x1, \
    .events = &pebs_events_ice_lake, .load_latency_auxiliary = 0x8203, .cache_latency = true,  \
    .data_source = DATA_SOURCE_GOLDEN_COVE, .second_level_kib = 2048
static const struct core golden_cove = { GOLDEN_COVE("Golden Cove") };
static const struct core raptor_cove = { GOLDEN_COVE("Raptor Cove") };

/*
 * Current cores have architectural LBRs, which CPUID describes, and a separate cache latency (Linux 6.6,
 * PMU_FL_INSTR_LATENCY). Counters with precise distribution: PDISTCounter of Intel's event lists. The lists of
 * Gracemont, Crestmont and Skymont name no general counter: see tnt_ and cmt_get_event_constraints() of Linux 6.12.
 */
#define OF_NOW(core_name, counters)         PEBS_CORE(core_name, counters), .lbr_format = CAPS_UNKNOWN, .cache_latency = true
#define ATOM_BUT(core_name, counters, more) OF_NOW(core_name, counters), .errata = HAS_ERRATUM(SRF7) | (more)
#define ATOM(core_name, counters)           ATOM_BUT(core_name, counters, 0u) /* Skymont: unknown */
static const struct core redwood_cove = { OF_NOW("Redwood Cove", 0xff), .pebs_pdist_counters = 0x1,
                                          .events = &pebs_events_ice_lake, .data_source = DATA_SOURCE_GOLDEN_COVE,
                                          .second_level_kib = 2048 };
static const struct core lion_cove = { OF_NOW("Lion Cove", 0x3ff), .pebs_pdist_counters = 0x3,
                                       .events = &pebs_events_lion_cove, .data_source = DATA_SOURCE_LION_COVE,
                                       .second_level_kib = 3072 };
static const struct core cougar_cove = { OF_NOW("Cougar Cove", 0x3ff), .pebs_pdist_counters = 0x3,
                                         .events = &pebs_events_cougar_cove, .data_source = DATA_SOURCE_LION_COVE,
                                         .second_level_kib = 3072 };
static const struct core coyote_cove = { OF_NOW("Coyote Cove", 0xff), .pebs_pdist_counters = 0x3,
                                         .events = &pebs_events_panther_cove, .data_source = DATA_SOURCE_PANTHER_COVE,
                                         .second_level_kib = 4096 };
static const struct core panther_cove = { OF_NOW("Panther Cove", 0xff), .pebs_pdist_counters = 0x3,
                                          .events = &pebs_events_panther_cove, .data_source = DATA_SOURCE_PANTHER_COVE,
                                          .second_level_kib = 4096 };
static const struct core gracemont = { ATOM("Gracemont", 0x3f), .pebs_pdist_counters = 0x1,
                                       .events = &pebs_events_gracemont, .data_source = DATA_SOURCE_GRACEMONT,
                                       .second_level_kib = 4096 };
#define CRESTMONT(more)                                                                                     \
    ATOM_BUT("Crestmont", 0xff, HAS_ERRATUM(SRF6) | (more)),                                                \
        .pebs_pdist_counters = 0x3, .events = &pebs_events_crestmont, .data_source = DATA_SOURCE_CRESTMONT, \
        .second_level_kib = 4096
static const struct core crestmont = { CRESTMONT(0u) };
static const struct core crestmont_client = { CRESTMONT(HAS_ERRATUM(MTL013)) };
static const struct core skymont = { OF_NOW("Skymont", 0xff), .pebs_pdist_counters = 0x3,
                                     .events = &pebs_events_crestmont, .data_source = DATA_SOURCE_CRESTMONT,
                                     .second_level_kib = 4096 };
static const struct core darkmont = { ATOM("Darkmont", 0xff), .pebs_pdist_counters = 0x3,
                                      .events = &pebs_events_darkmont, .data_source = DATA_SOURCE_CRESTMONT,
                                      .second_level_kib = 4096 };
static const struct core arctic_wolf = { OF_NOW("Arctic Wolf", 0xff), .pebs_pdist_counters = 0x3,
                                         .events = &pebs_events_arctic_wolf, .data_source = DATA_SOURCE_ARCTIC_WOLF,
                                         .second_level_kib = 4096 };

/* Cores with only a name: everything else comes from capability registers. */
#define NAMED(core_name) .name = (core_name), .named_only = true, .debugctl = &debugctl_core, .lbr_format = CAPS_UNKNOWN
static const struct core palm_cove = { NAMED("Palm Cove") };
static const struct core sunny_cove = { NAMED("Sunny Cove") };
static const struct core lakefield = { NAMED("Sunny Cove or Tremont") };
static const struct core lakefield_tremont = { NAMED("Tremont") };

/* Hybrids whose CPUID does not report the kind of core. */
#define HYBRID(core_names) NAMED(core_names), .cache_latency = true
static const struct core alder_lake = { HYBRID("Golden Cove or Gracemont") };
static const struct core meteor_lake = { HYBRID("Redwood Cove or Crestmont") };
static const struct core lunar_lake = { HYBRID("Lion Cove or Skymont") };
static const struct core arrow_lake = { HYBRID("Lion Cove, Skymont or Crestmont") };
static const struct core panther_lake = { HYBRID("Cougar Cove or Darkmont") };
static const struct core nova_lake = { HYBRID("Coyote Cove or Arctic Wolf") };

static const struct {
    unsigned family, model; /* display family and display model */
    const struct core *core;
} models[] = {
    { 0x0f, 0x00, &netburst_4 },   { 0x0f, 0x01, &netburst_4 },     { 0x0f, 0x02, &netburst_4 },
    { 0x0f, 0x03, &netburst_16 },  { 0x0f, 0x04, &netburst_16 },    { 0x0f, 0x06, &netburst_16 },
    { 0x06, 0x09, &pentium_m },    { 0x06, 0x0d, &pentium_m },      { 0x06, 0x15, &pentium_m },
    { 0x06, 0x0e, &core_duo },     { 0x06, 0x0f, &merom },          { 0x06, 0x16, &core2 },
    { 0x06, 0x17, &core2 },        { 0x06, 0x1d, &core2 },          { 0x06, 0x1c, &bonnell },
    { 0x06, 0x26, &bonnell },      { 0x06, 0x27, &bonnell },        { 0x06, 0x35, &bonnell },
    { 0x06, 0x36, &bonnell },      { 0x06, 0x37, &silvermont },     { 0x06, 0x4a, &silvermont },
    { 0x06, 0x4c, &silvermont },   { 0x06, 0x4d, &silvermont },     { 0x06, 0x5a, &silvermont },
    { 0x06, 0x5d, &silvermont },   { 0x06, 0x75, &silvermont },     { 0x06, 0x5c, &goldmont },
    { 0x06, 0x5f, &goldmont },     { 0x06, 0x7a, &goldmont_plus },  { 0x06, 0x57, &knights },
    { 0x06, 0x85, &knights },      { 0x06, 0x1a, &nehalem },        { 0x06, 0x1e, &nehalem },
    { 0x06, 0x1f, &nehalem },      { 0x06, 0x2e, &nehalem_ex },     { 0x06, 0x25, &westmere },
    { 0x06, 0x2c, &westmere },     { 0x06, 0x2f, &westmere },       { 0x06, 0x2a, &sandy_bridge },
    { 0x06, 0x2d, &sandy_bridge }, { 0x06, 0x3a, &ivy_bridge },     { 0x06, 0x3e, &ivy_bridge },
    { 0x06, 0x3c, &haswell },      { 0x06, 0x3f, &haswell },        { 0x06, 0x45, &haswell },
    { 0x06, 0x46, &haswell },      { 0x06, 0x3d, &broadwell },      { 0x06, 0x47, &broadwell },
    { 0x06, 0x4f, &broadwell },    { 0x06, 0x56, &broadwell },      { 0x06, 0x4e, &skylake },
    { 0x06, 0x5e, &skylake },      { 0x06, 0x55, &skylake_server }, { 0x06, 0x8e, &skylake },
    { 0x06, 0x9e, &skylake },      { 0x06, 0xa5, &skylake },        { 0x06, 0xa6, &skylake },
    { 0x06, 0x6a, &ice_lake },     { 0x06, 0x6c, &ice_lake },       { 0x06, 0x7d, &ice_lake },
    { 0x06, 0x7e, &ice_lake },     { 0x06, 0x8c, &ice_lake },       { 0x06, 0x8d, &ice_lake },
    { 0x06, 0xa7, &ice_lake },     { 0x06, 0x8f, &golden_cove },    { 0x06, 0xcf, &raptor_cove },
    { 0x06, 0x66, &palm_cove },    { 0x06, 0x9d, &sunny_cove },     { 0x06, 0x8a, &lakefield },
    { 0x06, 0x86, &tremont },      { 0x06, 0x96, &tremont },        { 0x06, 0x9c, &tremont },
    { 0x06, 0x97, &alder_lake },   { 0x06, 0x9a, &alder_lake },     { 0x06, 0xb7, &alder_lake },
    { 0x06, 0xba, &alder_lake },   { 0x06, 0xbf, &alder_lake },     { 0x06, 0xbe, &gracemont },
    { 0x06, 0xd7, &raptor_cove },  { 0x06, 0xaa, &meteor_lake },    { 0x06, 0xac, &meteor_lake },
    { 0x06, 0xb5, &meteor_lake },  { 0x06, 0xad, &redwood_cove },   { 0x06, 0xae, &redwood_cove },
    { 0x06, 0xaf, &crestmont },    { 0x06, 0xb6, &crestmont },      { 0x06, 0xbd, &lunar_lake },
    { 0x06, 0xc5, &arrow_lake },   { 0x06, 0xc6, &lunar_lake },     { 0x06, 0xcc, &panther_lake },
    { 0x06, 0xd5, &panther_lake }, { 0x06, 0xe5, &panther_lake },   { 0x06, 0xdd, &darkmont },
    { 0x12, 0x01, &nova_lake },    { 0x12, 0x03, &nova_lake },      { 0x13, 0x01, &panther_cove },
};

/* A hybrid's kinds of core. native: the native model id, if the type alone does not identify the kind; 0: any. */
static const struct {
    const struct core *hybrid;
    unsigned type, native;
    const struct core *core;
} kinds[] = {
    { &lakefield, CORE_TYPE_CORE, 0, &sunny_cove },     { &lakefield, CORE_TYPE_ATOM, 0, &lakefield_tremont },
    { &alder_lake, CORE_TYPE_CORE, 0, &golden_cove },   { &alder_lake, CORE_TYPE_ATOM, 0, &gracemont },
    { &meteor_lake, CORE_TYPE_CORE, 0, &redwood_cove }, { &meteor_lake, CORE_TYPE_ATOM, 0, &crestmont_client },
    { &lunar_lake, CORE_TYPE_CORE, 0, &lion_cove },     { &lunar_lake, CORE_TYPE_ATOM, 0, &skymont },
    { &arrow_lake, CORE_TYPE_CORE, 0, &lion_cove },     { &arrow_lake, CORE_TYPE_ATOM, 2, &crestmont_client },
    { &arrow_lake, CORE_TYPE_ATOM, 3, &skymont },       { &panther_lake, CORE_TYPE_CORE, 0, &cougar_cove },
    { &panther_lake, CORE_TYPE_ATOM, 0, &darkmont },    { &nova_lake, CORE_TYPE_CORE, 0, &coyote_cove },
    { &nova_lake, CORE_TYPE_ATOM, 0, &arctic_wolf },
};

/* An unlisted model: only capability registers and the architectural IA32_DEBUGCTL. */
static const struct core unlisted = { .debugctl = &debugctl_core, .lbr_format = CAPS_UNKNOWN };

const struct core *core_find(unsigned family, unsigned model)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (models[i].family == family && models[i].model == model)
            return models[i].core;
    return &unlisted;
}

const struct core *core_find_kind(unsigned family, unsigned model, unsigned type, unsigned native)
{
    const struct core *core = core_find(family, model);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].hybrid == core && kinds[i].type == type && (kinds[i].native == 0 || kinds[i].native == native))
            return kinds[i].core;
    return core;
}

uint32_t core_microcode_least(const struct core *core, unsigned model, unsigned stepping)
{
    if (!core->microcode)
        return 0;
    for (const struct core_microcode *m = core->microcode; m->revision; m++)
        if (m->model == model && m->stepping == stepping)
            return m->revision;
    return UINT32_MAX;
}

/* SPDX-License-Identifier: MIT */
/*
 * Intel's data for its processors: the core of each model, and for each precise event of a core that the kernel or the
 * model knows, the cores that have it and its restrictions. Copied from github.com/intel/perfmon of 2026 (mapfile.csv,
 * core event files), of older processors (by profile) from libpfm4 (github.com/wcohen/libpfm4, 91970fe, lib/events);
 * never from cpu/ or model/. Events that differ only in the value of an MSR (load latency, FRONTEND_RETIRED) share a
 * row, and so do events with and without "_PS".
 */
#ifndef TESTS_HOST_INTEL_EVENTS_H
#define TESTS_HOST_INTEL_EVENTS_H

#include "tests/host/host_test.h"

/*
 * The models of each event file, by the file's folder; 06_55 depends on the stepping. A hybrid has a row for each kind
 * of core, by CPUID.1AH:EAX[31:24] and the native model ID in [23:0]; its folder ends in -P, -E or (third kind) -LP.
 */
static const struct intel_kind {
    const char *folder, *core;
    unsigned family, type, native;
    uint8_t models[7]; /* 0 ends them */
    uint16_t counters; /* general counters that can sample; where the lists lack this, that can count */
    uint8_t pdist;     /* of these, with precise distribution; 0: none, or the lists do not say */
} intel_kinds[] = {
    { "NHM-EX", "Nehalem", 6, 0x00, 0, { 0x2e }, 0xf, 0 },
    { "NHM-EP", "Nehalem", 6, 0x00, 0, { 0x1e, 0x1f, 0x1a }, 0xf, 0 },
    { "WSM-EX", "Westmere", 6, 0x00, 0, { 0x2f }, 0xf, 0 },
    { "WSM-EP-SP", "Westmere", 6, 0x00, 0, { 0x25 }, 0xf, 0 },
    { "WSM-EP-DP", "Westmere", 6, 0x00, 0, { 0x2c }, 0xf, 0 },
    { "SLM", "Silvermont", 6, 0x00, 0, { 0x37, 0x4a, 0x4d, 0x4c, 0x5a }, 0x1, 0 },
    { "GLM", "Goldmont", 6, 0x00, 0, { 0x5c, 0x5f }, 0x1, 0 },
    { "BNL", "Bonnell", 6, 0x00, 0, { 0x1c, 0x26, 0x27, 0x36, 0x35 }, 0x3, 0 },
    { "SNB", "Sandy Bridge", 6, 0x00, 0, { 0x2a }, 0xf, 0 },
    { "JKT", "Sandy Bridge", 6, 0x00, 0, { 0x2d }, 0xf, 0 },
    { "IVB", "Ivy Bridge", 6, 0x00, 0, { 0x3a }, 0xf, 0 },
    { "IVT", "Ivy Bridge", 6, 0x00, 0, { 0x3e }, 0xf, 0 },
    { "HSW", "Haswell", 6, 0x00, 0, { 0x3c, 0x45, 0x46 }, 0xf, 0 },
    { "HSX", "Haswell", 6, 0x00, 0, { 0x3f }, 0xf, 0 },
    { "BDW", "Broadwell", 6, 0x00, 0, { 0x3d, 0x47 }, 0xf, 0 },
    { "BDX", "Broadwell", 6, 0x00, 0, { 0x4f }, 0xf, 0 },
    { "BDW-DE", "Broadwell", 6, 0x00, 0, { 0x56 }, 0xf, 0 },
    { "SKL", "Skylake", 6, 0x00, 0, { 0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 }, 0xf, 0 },
    { "KNL", "Knights Landing", 6, 0x00, 0, { 0x57, 0x85 }, 0x1, 0 },
    { "SKX", "Skylake", 6, 0x00, 0, { 0x55 }, 0xf, 0 },
    { "CLX", "Skylake", 6, 0x00, 0, { 0x55 }, 0xf, 0 },
    { "GLP", "Goldmont Plus", 6, 0x00, 0, { 0x7a }, 0xf, 0 },
    { "ICL", "Ice Lake", 6, 0x00, 0, { 0x7d, 0x7e }, 0xff, 0 },
    { "RKL", "Ice Lake", 6, 0x00, 0, { 0xa7 }, 0xff, 0 },
    { "TGL", "Ice Lake", 6, 0x00, 0, { 0x8c, 0x8d }, 0xff, 0 },
    { "SPR", "Golden Cove", 6, 0x00, 0, { 0x8f }, 0xff, 1 },
    { "EMR", "Raptor Cove", 6, 0x00, 0, { 0xcf }, 0xff, 1 },
    { "ICX", "Ice Lake", 6, 0x00, 0, { 0x6a, 0x6c }, 0xff, 0 },
    { "EHL", "Tremont", 6, 0x00, 0, { 0x96, 0x9c }, 0xf, 1 },
    { "SNR", "Tremont", 6, 0x00, 0, { 0x86 }, 0xf, 1 },
    { "ADL-P", "Golden Cove", 6, 0x40, 1, { 0x97, 0x9a, 0xb7, 0xba, 0xbf }, 0xff, 1 },
    { "ADL-E", "Gracemont", 6, 0x20, 1, { 0x97, 0x9a, 0xb7, 0xba, 0xbf }, 0x3f, 0 },
    { "ADL-E", "Gracemont", 6, 0x00, 0, { 0xbe }, 0x3f, 0 },
    { "MTL-P", "Redwood Cove", 6, 0x40, 2, { 0xaa, 0xac, 0xb5 }, 0xff, 1 },
    { "MTL-E", "Crestmont", 6, 0x20, 2, { 0xaa, 0xac, 0xb5 }, 0xff, 0 },
    { "GNR", "Redwood Cove", 6, 0x00, 0, { 0xad, 0xae }, 0xff, 1 },
    { "SRF", "Crestmont", 6, 0x00, 0, { 0xaf }, 0xff, 0 },
    { "GRR", "Crestmont", 6, 0x00, 0, { 0xb6 }, 0xff, 0 },
    { "LNL-P", "Lion Cove", 6, 0x40, 3, { 0xbd }, 0x3ff, 3 },
    { "LNL-E", "Skymont", 6, 0x20, 3, { 0xbd }, 0xff, 0 },
    { "ARL-P", "Lion Cove", 6, 0x40, 3, { 0xc5, 0xc6 }, 0x3ff, 3 },
    { "ARL-E", "Skymont", 6, 0x20, 3, { 0xc5, 0xc6 }, 0xff, 0 },
    { "ARL-LP", "Crestmont", 6, 0x20, 2, { 0xc5 }, 0xff, 0 },
    { "PTL-P", "Cougar Cove", 6, 0x40, 4, { 0xcc, 0xd5, 0xe5 }, 0x3ff, 3 },
    { "PTL-E", "Darkmont", 6, 0x20, 4, { 0xcc, 0xd5, 0xe5 }, 0xff, 3 },
    { "CWF", "Darkmont", 6, 0x00, 0, { 0xdd }, 0xff, 3 },
    { "NVL-P", "Coyote Cove", 0x12, 0x40, 5, { 0x1, 0x3 }, 0xff, 3 },
    { "NVL-E", "Arctic Wolf", 0x12, 0x20, 5, { 0x1, 0x3 }, 0xff, 3 },
};

/* Groups of folders with similar lists. */
#define OLDER      "NHM-EP NHM-EX WSM-EP-SP WSM-EP-DP WSM-EX "
#define BRIDGES    "SNB JKT IVB IVT "
#define WELLS      "HSW HSX BDW BDX BDW-DE "
#define LAKES      "SKL SKX CLX "
#define ADAPTIVE   "ICL ICX TGL RKL SPR EMR "
#define KNIGHTS    "SLM KNL "
#define GOLDMONTS  "GLM GLP "
#define TREMONTS   "EHL SNR "
#define ATOMS      KNIGHTS GOLDMONTS TREMONTS
#define GOLDEN     "ADL-P MTL-P GNR "
#define LIONS      "LNL-P ARL-P "
#define COVES      GOLDEN LIONS "PTL-P NVL-P "
#define CRESTMONTS "MTL-E SRF GRR LNL-E ARL-E ARL-LP "
#define DARKMONTS  "PTL-E CWF "
#define MONTS      "ADL-E " CRESTMONTS DARKMONTS "NVL-E "

/* Folders whose lists lack the counters with precise distribution, and "Data_LA". */
#define DISTRIBUTION_UNTOLD OLDER BRIDGES WELLS LAKES KNIGHTS GOLDMONTS "BNL ICL ICX TGL RKL"
#define ADDRESS_UNTOLD      OLDER BRIDGES "BNL SLM"

#define FIXED_0  (UINT64_C(1) << 32) /* fixed counter 0 */
#define NO_PDIST (UINT64_C(1) << 63)

static const struct intel_event {
    const char *name;
    uint32_t select;     /* bits 15:0: unit mask and event select; above: UMASK2 */
    bool address;        /* "Data_LA": the record has the data's linear address */
    const char *in;      /* the folders in which it is precise; NULL: none */
    const char *counted; /* of the model's processors (folders, or profiles), those in which it is not */
    uint64_t counters;   /* that can sample or count it; 0: all general ones of the folder */
    uint64_t pdist;      /* counters with precise distribution; 0: as for the folder */
    uint16_t msr;        /* an MSR that it also needs; 0: none */
    uint64_t values;     /* the bits that this MSR may have */
    uint8_t cmask;
    bool inverted;
} intel_events[] = {
    { "BR_INSTR_RET", 0x00c4, false, .counted = "core-duo" },
    { "BR_INST_RETIRED", 0x00c4, false, .counted = "pentium-m" },
    { "BR_INST_RETIRED.ALL_BRANCHES", 0x00c4, false,
      .in = ADAPTIVE GOLDEN LIONS KNIGHTS GOLDMONTS TREMONTS CRESTMONTS DARKMONTS "ADL-E PTL-P NVL-P NVL-E",
      .counted = "SNB IVB HSW BDW SKL CLX" },
    { "BR_INST_RETIRED.ALL_BRANCHES", 0x04c4, false, .in = OLDER },
    { "BR_INST_RETIRED.ALL_BRANCHES_PEBS", 0x04c4, false, .in = BRIDGES WELLS LAKES },
    { "BR_INST_RETIRED.ALL_TAKEN_BRANCHES", 0x80c4, false, .in = GOLDMONTS },
    { "BR_INST_RETIRED.ALL_TAKEN_BRANCHES", 0x80c4, false, .in = "SLM", .counters = 0x3 },
    { "BR_INST_RETIRED.ANY", 0x00c4, false, .counted = "core2" },
    { "BR_INST_RETIRED.CALL", 0xf9c4, false, .in = KNIGHTS GOLDMONTS TREMONTS },
    { "BR_INST_RETIRED.COND", 0x07c4, false, .in = DARKMONTS "PTL-P NVL-P" },
    { "BR_INST_RETIRED.COND", 0x11c4, false, .in = ADAPTIVE GOLDEN },
    { "BR_INST_RETIRED.COND", 0x7ec4, false, .in = CRESTMONTS "ADL-E" },
    { "BR_INST_RETIRED.COND", 0x111c4, false, .in = LIONS },
    { "BR_INST_RETIRED.CONDITIONAL", 0x01c4, false, .in = OLDER BRIDGES WELLS LAKES },
    { "BR_INST_RETIRED.COND_NTAKEN", 0x04c4, false, .counted = DARKMONTS "PTL-P" },
    { "BR_INST_RETIRED.COND_NTAKEN", 0x10c4, false, .in = ADAPTIVE GOLDEN, .counted = "SKL LNL-P ARL-P" },
    { "BR_INST_RETIRED.COND_NTAKEN", 0x7fc4, false, .counted = "LNL-E ARL-E" },
    { "BR_INST_RETIRED.COND_NTAKEN", 0x04c4, false, .in = "NVL-P NVL-E" },
    { "BR_INST_RETIRED.COND_TAKEN", 0x01c4, false, .in = ADAPTIVE GOLDEN },
    { "BR_INST_RETIRED.COND_TAKEN", 0x03c4, false, .counted = DARKMONTS "PTL-P" },
    { "BR_INST_RETIRED.COND_TAKEN", 0xfec4, false, .in = CRESTMONTS, .counted = "ADL-E" },
    { "BR_INST_RETIRED.COND_TAKEN", 0x101c4, false, .counted = "LNL-P ARL-P" },
    { "BR_INST_RETIRED.COND_TAKEN", 0x03c4, false, .in = "NVL-P NVL-E" },
    { "BR_INST_RETIRED.FAR_BRANCH", 0x40c4, false, .in = LAKES ADAPTIVE GOLDEN LIONS, .counted = "SNB IVB HSW BDW" },
    { "BR_INST_RETIRED.FAR_BRANCH", 0xbfc4, false, .in = KNIGHTS GOLDMONTS TREMONTS CRESTMONTS "ADL-E" },
    { "BR_INST_RETIRED.FAR_BRANCH", 0x100c4, false, .in = "PTL-P NVL-P" },
    { "BR_INST_RETIRED.INDIRECT", 0x80c4, false, .in = ADAPTIVE GOLDEN, .counted = "LNL-P ARL-P" },
    { "BR_INST_RETIRED.INDIRECT", 0xebc4, false, .in = CRESTMONTS, .counted = "ADL-E" },
    { "BR_INST_RETIRED.INDIRECT_CALL", 0xfbc4, false, .in = CRESTMONTS },
    { "BR_INST_RETIRED.INDIRECT_JMP", 0xefc4, false, .in = CRESTMONTS },
    { "BR_INST_RETIRED.IND_CALL", 0xfbc4, false, .in = KNIGHTS "GLM", .counted = "GLP EHL" },
    { "BR_INST_RETIRED.JCC", 0x7ec4, false, .in = KNIGHTS GOLDMONTS TREMONTS },
    { "BR_INST_RETIRED.MISPRED", 0x00c5, false, .in = "BNL" },
    { "BR_INST_RETIRED.NEAR_CALL", 0x02c4, false, .in = OLDER BRIDGES WELLS LAKES ADAPTIVE GOLDEN LIONS },
    { "BR_INST_RETIRED.NEAR_CALL", 0x30c4, false, .in = DARKMONTS "PTL-P NVL-P" },
    { "BR_INST_RETIRED.NEAR_CALL", 0xf9c4, false, .in = CRESTMONTS "ADL-E" },
    { "BR_INST_RETIRED.NEAR_DIRECT_CALL", 0x20c4, false, .in = "NVL-P", .counted = DARKMONTS "PTL-P" },
    { "BR_INST_RETIRED.NEAR_DIRECT_JMP", 0x80c4, false, .in = "NVL-P", .counted = DARKMONTS "PTL-P" },
    { "BR_INST_RETIRED.NEAR_INDIRECT", 0x50c4, false, .in = "NVL-P", .counted = DARKMONTS "PTL-P" },
    { "BR_INST_RETIRED.NEAR_INDIRECT_CALL", 0x10c4, false, .in = "NVL-P", .counted = DARKMONTS "PTL-P" },
    { "BR_INST_RETIRED.NEAR_INDIRECT_JMP", 0x40c4, false, .in = "NVL-P", .counted = DARKMONTS "PTL-P" },
    { "BR_INST_RETIRED.NEAR_INDIRECT_OR_RETURN", 0x58c4, false, .counted = DARKMONTS },
    { "BR_INST_RETIRED.NEAR_RETURN", 0x08c4, false,
      .in = BRIDGES WELLS LAKES ADAPTIVE GOLDEN LIONS DARKMONTS "PTL-P NVL-P" },
    { "BR_INST_RETIRED.NEAR_RETURN", 0xf7c4, false, .in = CRESTMONTS "ADL-E" },
    { "BR_INST_RETIRED.NEAR_TAKEN", 0x20c4, false, .in = BRIDGES WELLS LAKES ADAPTIVE GOLDEN LIONS },
    { "BR_INST_RETIRED.NEAR_TAKEN", 0xc0c4, false, .in = CRESTMONTS "ADL-E" },
    { "BR_INST_RETIRED.NEAR_TAKEN", 0xfbc4, false, .in = DARKMONTS "PTL-P NVL-P" },
    { "BR_INST_RETIRED.NON_RETURN_IND", 0xebc4, false, .in = KNIGHTS "GLM", .counted = "GLP EHL" },
    { "BR_INST_RETIRED.NOT_TAKEN", 0x10c4, false, .counted = "SNB IVB HSW BDW CLX" },
    { "BR_INST_RETIRED.REL_CALL", 0xfdc4, false, .in = CRESTMONTS KNIGHTS "GLM", .counted = "GLP EHL" },
    { "BR_INST_RETIRED.REL_JMP", 0xdfc4, false, .in = CRESTMONTS },
    { "BR_INST_RETIRED.RETURN", 0xf7c4, false, .in = KNIGHTS GOLDMONTS TREMONTS },
    { "BR_INST_RETIRED.TAKEN", 0x0cc4, false, .counted = "core2" },
    { "BR_INST_RETIRED.TAKEN", 0x80c4, false, .in = CRESTMONTS },
    { "BR_INST_RETIRED.TAKEN_JCC", 0xfec4, false, .in = KNIGHTS "GLM", .counted = "GLP EHL" },
    { "BR_INST_RETIRED_MISPRED", 0x00c5, false, .counted = "core2" },
    { "BR_MISPRED_RET", 0x00c5, false, .counted = "core-duo" },
    { "BR_MISP_RETIRED.ALL_BRANCHES", 0x00c5, false,
      .in = ADAPTIVE GOLDEN LIONS KNIGHTS GOLDMONTS TREMONTS CRESTMONTS DARKMONTS "ADL-E PTL-P NVL-P NVL-E",
      .counted = "SNB IVB HSW BDW SKL CLX" },
    { "BR_MISP_RETIRED.ALL_BRANCHES", 0x04c5, false, .in = "WSM-EP-SP WSM-EP-DP WSM-EX" },
    { "BR_MISP_RETIRED.ALL_BRANCHES_PEBS", 0x04c5, false, .in = BRIDGES WELLS LAKES },
    { "BR_MISP_RETIRED.COND", 0x07c5, false, .in = "PTL-P NVL-P" },
    { "BR_MISP_RETIRED.COND", 0x11c5, false, .in = ADAPTIVE GOLDEN },
    { "BR_MISP_RETIRED.COND", 0x7ec5, false, .in = CRESTMONTS "ADL-E" },
    { "BR_MISP_RETIRED.COND", 0x111c5, false, .in = LIONS },
    { "BR_MISP_RETIRED.CONDITIONAL", 0x01c5, false, .in = BRIDGES WELLS LAKES "WSM-EP-SP WSM-EP-DP WSM-EX" },
    { "BR_MISP_RETIRED.COND_NTAKEN", 0x04c5, false, .counted = DARKMONTS "PTL-P" },
    { "BR_MISP_RETIRED.COND_NTAKEN", 0x10c5, false, .in = ADAPTIVE GOLDEN, .counted = "LNL-P ARL-P" },
    { "BR_MISP_RETIRED.COND_NTAKEN", 0x7fc5, false, .counted = "LNL-E ARL-E" },
    { "BR_MISP_RETIRED.COND_NTAKEN", 0x04c5, false, .in = "NVL-P" },
    { "BR_MISP_RETIRED.COND_TAKEN", 0x01c5, false, .in = ADAPTIVE GOLDEN },
    { "BR_MISP_RETIRED.COND_TAKEN", 0x03c5, false, .counted = DARKMONTS "PTL-P" },
    { "BR_MISP_RETIRED.COND_TAKEN", 0xfec5, false, .in = CRESTMONTS, .counted = "ADL-E" },
    { "BR_MISP_RETIRED.COND_TAKEN", 0x101c5, false, .counted = "LNL-P ARL-P" },
    { "BR_MISP_RETIRED.COND_TAKEN", 0x03c5, false, .in = "NVL-P" },
    { "BR_MISP_RETIRED.INDIRECT", 0x80c5, false, .in = ADAPTIVE GOLDEN, .counted = "LNL-P ARL-P" },
    { "BR_MISP_RETIRED.INDIRECT", 0xebc5, false, .in = CRESTMONTS, .counted = "ADL-E" },
    { "BR_MISP_RETIRED.INDIRECT_CALL", 0x02c5, false, .in = ADAPTIVE GOLDEN, .counted = "LNL-P ARL-P" },
    { "BR_MISP_RETIRED.INDIRECT_CALL", 0xfbc5, false, .in = CRESTMONTS, .counted = "ADL-E" },
    { "BR_MISP_RETIRED.INDIRECT_JMP", 0xefc5, false, .in = CRESTMONTS },
    { "BR_MISP_RETIRED.IND_CALL", 0xfbc5, false, .in = KNIGHTS "GLM", .counted = "GLP EHL" },
    { "BR_MISP_RETIRED.JCC", 0x7ec5, false, .in = KNIGHTS GOLDMONTS TREMONTS },
    { "BR_MISP_RETIRED.NEAR_CALL", 0x02c5, false, .in = OLDER LAKES "SNB JKT" },
    { "BR_MISP_RETIRED.NEAR_INDIRECT", 0x50c5, false, .in = "NVL-P", .counted = DARKMONTS "PTL-P" },
    { "BR_MISP_RETIRED.NEAR_INDIRECT_CALL", 0x10c5, false, .in = "NVL-P", .counted = "PTL-P" },
    { "BR_MISP_RETIRED.NEAR_INDIRECT_JMP", 0x40c5, false, .in = "NVL-P", .counted = "PTL-P" },
    { "BR_MISP_RETIRED.NEAR_RETURN", 0x08c5, false, .in = DARKMONTS "PTL-P NVL-P" },
    { "BR_MISP_RETIRED.NEAR_TAKEN", 0x20c5, false, .in = WELLS LAKES ADAPTIVE GOLDEN LIONS "IVB IVT" },
    { "BR_MISP_RETIRED.NEAR_TAKEN", 0x80c5, false, .in = CRESTMONTS "ADL-E" },
    { "BR_MISP_RETIRED.NEAR_TAKEN", 0xfbc5, false, .in = "PTL-P NVL-P" },
    { "BR_MISP_RETIRED.NON_RETURN_IND", 0xebc5, false, .in = KNIGHTS "GLM", .counted = "GLP EHL" },
    { "BR_MISP_RETIRED.NOT_TAKEN", 0x10c5, false, .in = "SNB JKT" },
    { "BR_MISP_RETIRED.RET", 0x08c5, false, .in = ADAPTIVE GOLDEN LIONS "BDW BDX BDW-DE SKX CLX" },
    { "BR_MISP_RETIRED.RETURN", 0xf7c5, false, .in = KNIGHTS GOLDMONTS TREMONTS CRESTMONTS "ADL-E" },
    { "BR_MISP_RETIRED.TAKEN", 0x20c5, false, .in = "SNB JKT" },
    { "BR_MISP_RETIRED.TAKEN_JCC", 0xfec5, false, .in = KNIGHTS "GLM", .counted = "GLP EHL" },
    { "BR_MISS_PRED_RETIRED", 0x00c5, false, .counted = "pentium-m" },
    { "BR_TAKEN_RET", 0x00c9, false, .counted = "core-duo" },
    { "BR_TAKEN_RETIRED", 0x00c9, false, .counted = "pentium-m" },
    { "CPU_CLK_THREAD_UNHALTED.ONE_THREAD_ACTIVE", 0x023c, false, .counted = "SNB IVB HSW BDW SKL CLX" },
    { "CPU_CLK_THREAD_UNHALTED.REF_XCLK", 0x013c, false, .counted = "SNB IVB HSW BDW SKL CLX" },
    { "CPU_CLK_UNHALTED", 0x0079, false, .counted = "pentium-m" },
    { "CPU_CLK_UNHALTED.BUS", 0x013c, false, .counted = "core2" },
    { "CPU_CLK_UNHALTED.CORE_P", 0x003c, false,
      .counted =
          DARKMONTS "LNL-P GLM SRF LNL-E ADL-E PTL-P core-duo core2 ARL-E ARL-LP ARL-P MTL-E GLP EHL SLM NVL-P NVL-E" },
    { "CPU_CLK_UNHALTED.NONHLT_REF_CYCLES", 0x013c, false, .counted = "core-duo" },
    { "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", 0x023c, false, .counted = "ICX SPR ADL-P EMR GNR MTL-P TGL" },
    { "CPU_CLK_UNHALTED.REF", 0x013c, false, .counted = "GLM GLP EHL SLM" },
    { "CPU_CLK_UNHALTED.REF_P", 0x013c, false, .counted = "NHM-EP WSM-EP-DP" },
    { "CPU_CLK_UNHALTED.REF_TSC_P", 0x013c, false,
      .counted = DARKMONTS "SPR ADL-P LNL-P SRF LNL-E ADL-E PTL-P ARL-E ARL-LP ARL-P EMR GNR MTL-E MTL-P NVL-P NVL-E" },
    { "CPU_CLK_UNHALTED.REF_XCLK", 0x013c, false, .counted = "ICX TGL" },
    { "CPU_CLK_UNHALTED.THREAD_P", 0x003c, false,
      .counted = "NHM-EP SNB IVB HSW BDW SKL ICX SPR ADL-P EMR GNR MTL-P TGL CLX WSM-EP-DP" },
    { "DATA_MEM_REFS", 0x0043, false, .counted = "pentium-m" },
    { "DTLB_LOAD_MISSES.ANY", 0x0108, false, .counted = "NHM-EP WSM-EP-DP" },
    { "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK", 0x0108, false, .counted = "SNB HSW BDW SKL CLX" },
    { "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK", 0x8108, false, .counted = "IVB" },
    { "DTLB_LOAD_MISSES.WALK_COMPLETED", 0x0208, false, .counted = "SNB" },
    { "DTLB_LOAD_MISSES.WALK_COMPLETED", 0x0e08, false,
      .counted = DARKMONTS "HSW BDW SKL SRF LNL-E ADL-E ARL-E ARL-LP MTL-E CLX" },
    { "DTLB_LOAD_MISSES.WALK_COMPLETED", 0x0e08, false, .counted = "ICX TGL", .counters = 0xf },
    { "DTLB_LOAD_MISSES.WALK_COMPLETED", 0x0e12, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "DTLB_LOAD_MISSES.WALK_COMPLETED", 0x0e12, false, .counted = "LNL-P PTL-P ARL-P NVL-P" },
    { "DTLB_LOAD_MISSES.WALK_COMPLETED", 0x8208, false, .counted = "IVB" },
    { "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK", 0x0149, false, .counted = "SNB IVB HSW BDW SKL CLX" },
    { "DTLB_STORE_MISSES.WALK_COMPLETED", 0x0249, false, .counted = "SNB IVB" },
    { "DTLB_STORE_MISSES.WALK_COMPLETED", 0x0e13, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "DTLB_STORE_MISSES.WALK_COMPLETED", 0x0e13, false, .counted = "LNL-P PTL-P ARL-P NVL-P" },
    { "DTLB_STORE_MISSES.WALK_COMPLETED", 0x0e49, false,
      .counted = DARKMONTS "HSW BDW SKL SRF LNL-E ADL-E ARL-E ARL-LP MTL-E CLX" },
    { "DTLB_STORE_MISSES.WALK_COMPLETED", 0x0e49, false, .counted = "ICX TGL", .counters = 0xf },
    { "FP_ASSIST.ALL", 0x01f7, false, .in = OLDER },
    { "FP_ASSIST.INPUT", 0x04f7, false, .in = OLDER },
    { "FP_ASSIST.OUTPUT", 0x02f7, false, .in = OLDER },
    { "FRONTEND_RETIRED", 0x01c6, false, .in = LAKES, .msr = 0x3f7, .values = 0x73ff17 },
    { "FRONTEND_RETIRED", 0x01c6, false, .in = "SPR EMR", .msr = 0x3f7, .values = 0x73ff1f },
    { "FRONTEND_RETIRED", 0x01c6, false, .in = "ICL ICX TGL RKL", .msr = 0x3f7, .values = 0x53ff17 },
    { "HLE_RETIRED.ABORTED", 0x04c8, false, .in = WELLS LAKES },
    { "ICACHE.MISSES", 0x0280, false,
      .counted = DARKMONTS "SNB IVB HSW BDW GLM SRF LNL-E ADL-E ARL-E ARL-LP MTL-E GLP EHL SLM NVL-E" },
    { "ICACHE_64B.IFTAG_MISS", 0x0283, false, .counted = "ICX TGL", .counters = 0xf },
    { "ICACHE_64B.IFTAG_MISS", 0x0283, false, .counted = "SKL CLX" },
    { "IDQ_BUBBLES.CORE", 0x019c, false, .counted = "SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P NVL-P" },
    { "IDQ_UOPS_NOT_DELIVERED.CORE", 0x019c, false, .counted = "SNB IVB HSW BDW SKL ICX TGL CLX" },
    { "INSTR_RET", 0x00c0, false, .counted = "core-duo" },
    { "INST_RETIRED", 0x00c0, false, .counted = "pentium-m" },
    { "INST_RETIRED.ANY", 0x0100, false,
      .in = ADAPTIVE GOLDEN LIONS CRESTMONTS DARKMONTS TREMONTS "GLP ADL-E PTL-P NVL-P NVL-E", .counters = FIXED_0 },
    { "INST_RETIRED.ANY_P", 0x00c0, false,
      .in = LIONS GOLDMONTS TREMONTS CRESTMONTS DARKMONTS "ICL ICX TGL RKL BNL ADL-E PTL-P NVL-P NVL-E",
      .counted = "SNB IVB HSW BDW SKL core2 CLX SLM" },
    { "INST_RETIRED.ANY_P", 0x00c0, false, .in = GOLDEN "SPR EMR", .counters = 0xfe, .pdist = NO_PDIST },
    { "INST_RETIRED.ANY_P", 0x01c0, false, .in = OLDER },
    { "INST_RETIRED.LOADS", 0x01c0, false, .counted = "core2" },
    { "INST_RETIRED.MACRO_FUSED", 0x10c0, false, .in = GOLDEN "SPR EMR", .counters = 0xfe, .pdist = NO_PDIST },
    { "INST_RETIRED.MMX", 0x04c0, false, .in = OLDER },
    { "INST_RETIRED.NOP", 0x02c0, false, .in = GOLDEN "SPR EMR", .counters = 0xfe, .pdist = NO_PDIST },
    { "INST_RETIRED.NOP", 0x02c0, false, .in = LAKES "ICL ICX TGL RKL NVL-P" },
    { "INST_RETIRED.PREC_DIST", 0x00c0, false, .in = "GLP", .counters = 0x1 },
    { "INST_RETIRED.PREC_DIST", 0x0100, false, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = FIXED_0 },
    { "INST_RETIRED.PREC_DIST", 0x01c0, false, .in = BRIDGES WELLS LAKES, .counters = 0x2 },
    { "INST_RETIRED.REP_ITERATION", 0x08c0, false, .in = GOLDEN "SPR EMR", .counters = 0xfe, .pdist = NO_PDIST },
    { "INST_RETIRED.STORES", 0x02c0, false, .counted = "core2" },
    { "INST_RETIRED.X87", 0x02c0, false, .in = OLDER },
    { "INT_MISC.RECOVERY_CYCLES", 0x010d, false, .counted = "SKL ICX TGL CLX" },
    { "INT_MISC.RECOVERY_CYCLES", 0x01ad, false, .counted = "SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P NVL-P" },
    { "INT_MISC.UOP_DROPPING", 0x100d, false, .counted = "ICX TGL" },
    { "INT_MISC.UOP_DROPPING", 0x10ad, false, .counted = "SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P NVL-P" },
    { "ISSUE_SLOTS_NOT_CONSUMED.RECOVERY", 0x02ca, false, .counted = "GLM GLP" },
    { "ITLB.FILLS", 0x0481, false, .counted = "LNL-E ARL-E EHL" },
    { "ITLB.MISS", 0x0481, false, .counted = "GLM GLP" },
    { "ITLB_MISSES.MISS_CAUSES_A_WALK", 0x0185, false, .counted = "SNB IVB HSW BDW SKL CLX" },
    { "ITLB_MISSES.STLB_HIT", 0x1085, false, .counted = "SNB IVB" },
    { "ITLB_MISSES.STLB_HIT", 0x2085, false, .counted = "SKL CLX" },
    { "ITLB_MISSES.STLB_HIT", 0x6085, false, .counted = "HSW BDW" },
    { "ITLB_MISSES.WALK_COMPLETED", 0x0285, false, .counted = "SNB IVB" },
    { "ITLB_MISSES.WALK_COMPLETED", 0x0e11, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "ITLB_MISSES.WALK_COMPLETED", 0x0e11, false, .counted = "LNL-P PTL-P ARL-P NVL-P" },
    { "ITLB_MISSES.WALK_COMPLETED", 0x0e85, false, .counted = "HSW BDW SKL CLX" },
    { "ITLB_MISSES.WALK_COMPLETED", 0x0e85, false, .counted = "ICX TGL", .counters = 0xf },
    { "ITLB_MISS_RETIRED", 0x20c8, false, .in = OLDER },
    { "L1D.REPL", 0x0151, false, .counted = "NHM-EP WSM-EP-DP", .counters = 0x3 },
    { "L1D.REPLACEMENT", 0x0151, false, .counted = "SNB IVB HSW BDW SKL CLX" },
    { "L1D.REPLACEMENT", 0x0151, false, .counted = "ICX TGL", .counters = 0xf },
    { "L1I.MISSES", 0x0280, false, .counted = "NHM-EP WSM-EP-DP" },
    { "L2_RQSTS.ALL_CODE_RD", 0xe424, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "L2_RQSTS.ALL_CODE_RD", 0xe424, false, .counted = "LNL-P PTL-P ARL-P NVL-P" },
    { "L2_RQSTS.ALL_DEMAND_DATA_RD", 0xe124, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "L2_RQSTS.ALL_DEMAND_DATA_RD", 0xe124, false, .counted = "LNL-P PTL-P ARL-P NVL-P" },
    { "LAST_LEVEL_CACHE_MISSES", 0x412e, false, .counted = "core-duo core2" },
    { "LAST_LEVEL_CACHE_REFERENCES", 0x4f2e, false, .counted = "core-duo core2" },
    { "LD_BLOCKS.STORE_FORWARD", 0x8203, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "LONGEST_LAT_CACHE.MISS", 0x412e, false,
      .counted = DARKMONTS
      "NHM-EP SNB IVB HSW BDW SKL ICX SPR ADL-P LNL-P GLM SRF LNL-E ADL-E PTL-P ARL-E ARL-LP CLX WSM-EP-DP "
      "ARL-P EMR GNR MTL-E MTL-P TGL GLP EHL SLM NVL-P NVL-E" },
    { "LONGEST_LAT_CACHE.REFERENCE", 0x4f2e, false,
      .counted = DARKMONTS
      "NHM-EP SNB IVB HSW BDW SKL ICX SPR ADL-P LNL-P GLM SRF LNL-E ADL-E PTL-P ARL-E ARL-LP CLX WSM-EP-DP "
      "ARL-P EMR GNR MTL-E MTL-P GLP EHL SLM NVL-E" },
    { "MEM_INST_RETIRED.ALL_LOADS", 0x81d0, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = 0xf },
    { "MEM_INST_RETIRED.ALL_LOADS", 0x81d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.ALL_STORES", 0x82d0, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = 0xf },
    { "MEM_INST_RETIRED.ALL_STORES", 0x82d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.ANY", 0x83d0, true, .in = ADAPTIVE GOLDEN, .counters = 0xf },
    { "MEM_INST_RETIRED.ANY", 0x83d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD", 0x100b, false, .in = OLDER, .counters = 0x8, .msr = 0x3f6,
      .values = 0xfffc },
    { "MEM_INST_RETIRED.LOADS", 0x010b, false, .in = OLDER },
    { "MEM_INST_RETIRED.LOCK_LOADS", 0x21d0, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = 0xf },
    { "MEM_INST_RETIRED.LOCK_LOADS", 0x21d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.SPLIT_LOADS", 0x41d0, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = 0xf },
    { "MEM_INST_RETIRED.SPLIT_LOADS", 0x41d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.SPLIT_STORES", 0x42d0, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = 0xf },
    { "MEM_INST_RETIRED.SPLIT_STORES", 0x42d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.STLB_MISS_LOADS", 0x11d0, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = 0xf },
    { "MEM_INST_RETIRED.STLB_MISS_LOADS", 0x11d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.STLB_MISS_STORES", 0x12d0, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P NVL-P", .counters = 0xf },
    { "MEM_INST_RETIRED.STLB_MISS_STORES", 0x12d0, true, .in = LAKES },
    { "MEM_INST_RETIRED.STORES", 0x020b, false, .in = OLDER },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD", 0x04d2, true, .in = GOLDEN "ICX TGL SPR EMR", .counters = 0xf },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT", 0x02d2, true, .in = "ICL RKL ADL-P", .counters = 0xf },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT", 0x02d2, true, .in = LAKES },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM", 0x04d2, true, .in = LIONS "ICL RKL ADL-P PTL-P", .counters = 0xf },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM", 0x04d2, true, .in = LAKES },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS", 0x01d2, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS", 0x01d2, true, .in = LAKES },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE", 0x08d2, true, .in = ADAPTIVE GOLDEN, .counters = 0xf },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE", 0x08d2, true, .in = LAKES },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_NO_FWD", 0x02d2, true, .in = GOLDEN "ICX TGL SPR EMR", .counters = 0xf },
    { "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM", 0x01d3, true, .in = GOLDEN "ICX SPR EMR", .counters = 0xf },
    { "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM", 0x01d3, true, .in = "SKX CLX" },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM", 0x02d3, true, .in = "SKX CLX" },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM", 0x02d3, true, .in = "ICX SPR EMR GNR", .counters = 0xf },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_FWD", 0x08d3, true, .in = "ICX SPR EMR GNR", .counters = 0xf },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_FWD", 0x08d3, true, .in = "SKX" },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM", 0x04d3, true, .in = "SKX CLX" },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM", 0x04d3, true, .in = "ICX SPR EMR GNR", .counters = 0xf },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM", 0x10d3, true, .in = "CLX" },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM", 0x10d3, true, .in = "ICX", .counters = 0xf },
    { "MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM", 0x10d3, false, .in = "SPR", .counters = 0xf },
    { "MEM_LOAD_MISC_RETIRED.UC", 0x04d4, true, .in = ADAPTIVE GOLDEN, .counters = 0xf },
    { "MEM_LOAD_MISC_RETIRED.UC", 0x04d4, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.DTLB_MISS", 0x04cb, false, .in = "BNL" },
    { "MEM_LOAD_RETIRED.DTLB_MISS", 0x10cb, false, .counted = "core2", .counters = 0x1 },
    { "MEM_LOAD_RETIRED.DTLB_MISS", 0x80cb, false, .in = OLDER },
    { "MEM_LOAD_RETIRED.FB_HIT", 0x08d1, true, .in = "NVL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.FB_HIT", 0x40d1, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.FB_HIT", 0x40d1, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.HIT_LFB", 0x40cb, false, .in = OLDER },
    { "MEM_LOAD_RETIRED.L1D_HIT", 0x01cb, false, .in = OLDER },
    { "MEM_LOAD_RETIRED.L1D_LINE_MISS", 0x02cb, false, .counted = "core2", .counters = 0x1 },
    { "MEM_LOAD_RETIRED.L1D_MISS", 0x01cb, false, .counted = "core2", .counters = 0x1 },
    { "MEM_LOAD_RETIRED.L1_HIT", 0x01d1, true, .in = ADAPTIVE GOLDEN, .counters = 0xf },
    { "MEM_LOAD_RETIRED.L1_HIT", 0x01d1, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.L1_HIT", 0x06d1, true, .in = "NVL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L1_HIT", 0x101d1, true, .in = LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L1_HIT_L0", 0x01d1, true, .in = LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L1_HIT_L0", 0x02d1, true, .in = "NVL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L1_MISS", 0x08d1, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L1_MISS", 0x08d1, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.L1_MISS", 0x10d1, true, .in = "NVL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L2_HIT", 0x02cb, false, .in = OLDER },
    { "MEM_LOAD_RETIRED.L2_HIT", 0x02d1, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L2_HIT", 0x02d1, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.L2_HIT_LOCAL", 0x20d1, true, .in = "NVL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L2_LINE_MISS", 0x08cb, false, .counted = "core2", .counters = 0x1 },
    { "MEM_LOAD_RETIRED.L2_MISS", 0x04cb, false, .counted = "core2", .counters = 0x1 },
    { "MEM_LOAD_RETIRED.L2_MISS", 0x10d1, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L2_MISS", 0x10d1, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.L2_MISS", 0x8000d1, true, .in = "NVL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L3_HIT", 0x04d1, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L3_HIT", 0x04d1, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.L3_MISS", 0x20d1, true, .in = ADAPTIVE GOLDEN LIONS "PTL-P", .counters = 0xf },
    { "MEM_LOAD_RETIRED.L3_MISS", 0x20d1, true, .in = LAKES },
    { "MEM_LOAD_RETIRED.LLC_MISS", 0x10cb, false, .in = OLDER },
    { "MEM_LOAD_RETIRED.LLC_UNSHARED_HIT", 0x04cb, false, .in = OLDER },
    { "MEM_LOAD_RETIRED.LOCAL_PMM", 0x80d1, true, .in = "CLX" },
    { "MEM_LOAD_RETIRED.LOCAL_PMM", 0x80d1, true, .in = "ICX SPR", .counters = 0xf },
    { "MEM_LOAD_RETIRED.OTHER_CORE_L2_HIT_HITM", 0x08cb, false, .in = OLDER },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HIT", 0x02d2, true, .in = WELLS },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM", 0x04d2, true, .in = WELLS },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_MISS", 0x01d2, true, .in = WELLS },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_NONE", 0x08d2, true, .in = WELLS },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.ALL", 0xffd3, false, .in = "SRF GRR", .counted = DARKMONTS },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM", 0x01d3, true, .in = WELLS },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM", 0x01d3, false, .in = DARKMONTS "SRF GRR" },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_DRAM_OR_NOFWD", 0x02d3, false, .in = "SRF" },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_FWD_HITM", 0x08d3, false, .in = "SRF" },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_FWD_NONM", 0x04d3, false, .in = "SRF" },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HIT", 0x02d2, false, .in = "SNB IVB IVT" },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HITM", 0x04d2, false, .in = "SNB IVB IVT" },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_MISS", 0x01d2, false, .in = "SNB IVB IVT" },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_NONE", 0x08d2, false, .in = "SNB IVB IVT" },
    { "MEM_LOAD_UOPS_LLC_MISS_RETIRED.LOCAL_DRAM", 0x01d3, false, .counted = "LNL-E" },
    { "MEM_LOAD_UOPS_MISC_RETIRED.L3_HIT_SNOOP_HITM", 0x08d4, false, .in = "MTL-E SRF ARL-E" },
    { "MEM_LOAD_UOPS_MISC_RETIRED.LLC_MISS", 0x02d4, false, .in = "SNB" },
    { "MEM_LOAD_UOPS_RETIRED.DRAM_HIT", 0x80d1, true, .in = GOLDMONTS TREMONTS "ADL-E" },
    { "MEM_LOAD_UOPS_RETIRED.HITM", 0x20d1, true, .in = GOLDMONTS TREMONTS "ADL-E" },
    { "MEM_LOAD_UOPS_RETIRED.HIT_LFB", 0x40d1, true, .in = BRIDGES WELLS },
    { "MEM_LOAD_UOPS_RETIRED.L1_HIT", 0x01d1, true, .in = WELLS GOLDMONTS TREMONTS "ADL-E" },
    { "MEM_LOAD_UOPS_RETIRED.L1_HIT", 0x01d1, false, .in = BRIDGES CRESTMONTS DARKMONTS },
    { "MEM_LOAD_UOPS_RETIRED.L1_MISS", 0x08d1, true, .in = WELLS GOLDMONTS TREMONTS "IVB IVT ADL-E" },
    { "MEM_LOAD_UOPS_RETIRED.L1_MISS", 0x40d1, false, .in = CRESTMONTS DARKMONTS },
    { "MEM_LOAD_UOPS_RETIRED.L2_HIT", 0x02d1, true, .in = WELLS GOLDMONTS TREMONTS "ADL-E" },
    { "MEM_LOAD_UOPS_RETIRED.L2_HIT", 0x02d1, false, .in = BRIDGES CRESTMONTS DARKMONTS },
    { "MEM_LOAD_UOPS_RETIRED.L2_MISS", 0x10d1, true, .in = WELLS GOLDMONTS TREMONTS "IVB IVT ADL-E" },
    { "MEM_LOAD_UOPS_RETIRED.L2_MISS", 0x80d1, false, .in = CRESTMONTS DARKMONTS },
    { "MEM_LOAD_UOPS_RETIRED.L3_HIT", 0x04d1, true, .in = WELLS TREMONTS "ADL-E" },
    { "MEM_LOAD_UOPS_RETIRED.L3_HIT", 0x1cd1, false, .in = DARKMONTS "MTL-E SRF GRR ARL-E ARL-LP" },
    { "MEM_LOAD_UOPS_RETIRED.L3_MISS", 0x20d1, true, .in = WELLS },
    { "MEM_LOAD_UOPS_RETIRED.LLC_HIT", 0x04d1, false, .in = "SNB IVB IVT" },
    { "MEM_LOAD_UOPS_RETIRED.LLC_MISS", 0x20d1, false, .in = "IVB IVT" },
    { "MEM_LOAD_UOPS_RETIRED.WCB_HIT", 0x20d1, false, .in = CRESTMONTS },
    { "MEM_LOAD_UOPS_RETIRED.WCB_HIT", 0x40d1, true, .in = GOLDMONTS },
    { "MEM_LOAD_UOPS_RETIRED_MISC.L3_MISS", 0x20d2, true, .in = "ADL-E" },
    { "MEM_STORE_RETIRED.DTLB_MISS", 0x010c, false, .in = OLDER },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, true, .in = "SPR EMR ADL-P", .counters = 0xfe, .pdist = NO_PDIST,
      .msr = 0x3f6, .values = 0x7fc },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, true, .in = LIONS, .counters = 0x3fc, .pdist = NO_PDIST, .msr = 0x3f6,
      .values = 0xffc },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, true, .in = BRIDGES WELLS, .counters = 0x8, .msr = 0x3f6,
      .values = 0x3fc },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, true, .in = LAKES "ICL ICX TGL RKL", .msr = 0x3f6, .values = 0x3fc },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, true, .in = "MTL-P GNR", .counters = 0xfe, .msr = 0x3f6,
      .values = 0xffc },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, true, .in = "NVL-P", .counters = 0xfc, .msr = 0x3f6, .values = 0xffc },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, true, .in = "PTL-P", .counters = 0x3fc, .msr = 0x3f6, .values = 0xffc },
    { "MEM_TRANS_RETIRED.PRECISE_STORE", 0x02cd, false, .in = BRIDGES, .counters = 0x8 },
    { "MEM_TRANS_RETIRED.STORE_SAMPLE", 0x02cd, true, .in = GOLDEN "SPR EMR", .counters = 0x1 },
    { "MEM_TRANS_RETIRED.STORE_SAMPLE", 0x02cd, false, .counted = "LNL-P PTL-P ARL-P", .counters = 0x3 },
    { "MEM_TRANS_RETIRED.STORE_SAMPLE", 0x02cd, true, .in = "NVL-P", .counters = 0x3 },
    { "MEM_UNCORE_RETIRED.LOCAL_DRAM", 0x100f, false, .in = "WSM-EP-SP" },
    { "MEM_UNCORE_RETIRED.LOCAL_DRAM", 0x200f, false, .in = "NHM-EP" },
    { "MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM", 0x020f, false, .in = "NHM-EP WSM-EP-SP" },
    { "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT", 0x080f, false, .in = "NHM-EP WSM-EP-SP" },
    { "MEM_UNCORE_RETIRED.REMOTE_DRAM", 0x100f, false, .in = "NHM-EP" },
    { "MEM_UNCORE_RETIRED.REMOTE_DRAM", 0x200f, false, .in = "WSM-EP-SP WSM-EX" },
    { "MEM_UNCORE_RETIRED.UNCACHEABLE", 0x800f, false, .in = "NHM-EP WSM-EP-SP WSM-EX" },
    { "MEM_UOPS_RETIRED.ALL", 0x83d0, true, .in = CRESTMONTS "GLM", .counted = DARKMONTS "ADL-E GLP EHL" },
    { "MEM_UOPS_RETIRED.ALL_LOADS", 0x4004, false, .counted = "SLM" },
    { "MEM_UOPS_RETIRED.ALL_LOADS", 0x81d0, true, .in = WELLS GOLDMONTS TREMONTS CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.ALL_LOADS", 0x81d0, false, .in = BRIDGES DARKMONTS },
    { "MEM_UOPS_RETIRED.ALL_STORES", 0x8004, false, .counted = "SLM" },
    { "MEM_UOPS_RETIRED.ALL_STORES", 0x82d0, true, .in = WELLS GOLDMONTS TREMONTS CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.ALL_STORES", 0x82d0, false, .in = BRIDGES DARKMONTS },
    { "MEM_UOPS_RETIRED.DTLB_MISS", 0x13d0, true, .in = GOLDMONTS TREMONTS },
    { "MEM_UOPS_RETIRED.DTLB_MISS_LOADS", 0x0804, true, .in = KNIGHTS },
    { "MEM_UOPS_RETIRED.DTLB_MISS_LOADS", 0x11d0, true, .in = GOLDMONTS TREMONTS },
    { "MEM_UOPS_RETIRED.DTLB_MISS_STORES", 0x12d0, true, .in = GOLDMONTS TREMONTS },
    { "MEM_UOPS_RETIRED.HITM", 0x2004, true, .in = KNIGHTS },
    { "MEM_UOPS_RETIRED.L1_MISS_LOADS", 0x0104, false, .counted = "SLM" },
    { "MEM_UOPS_RETIRED.L2_HIT_LOADS", 0x0204, true, .in = KNIGHTS },
    { "MEM_UOPS_RETIRED.L2_MISS_LOADS", 0x0404, true, .in = KNIGHTS },
    { "MEM_UOPS_RETIRED.LOAD_LATENCY", 0x05d0, true, .in = "MTL-E SRF GRR ARL-E ARL-LP ADL-E", .counters = 0x3,
      .msr = 0x3f6, .values = 0xffc },
    { "MEM_UOPS_RETIRED.LOAD_LATENCY", 0x05d0, true, .in = "CWF", .msr = 0x3f6, .values = 0xffc },
    { "MEM_UOPS_RETIRED.LOAD_LATENCY", 0x05d0, true, .in = "LNL-E", .counters = 0x3, .msr = 0x3f6, .values = 0x3fc },
    { "MEM_UOPS_RETIRED.LOAD_LATENCY", 0x05d0, true, .in = "PTL-E", .msr = 0x3f6, .values = 0xffd },
    { "MEM_UOPS_RETIRED.LOCK_LOADS", 0x21d0, true, .in = WELLS GOLDMONTS TREMONTS CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.LOCK_LOADS", 0x21d0, false, .in = BRIDGES DARKMONTS },
    { "MEM_UOPS_RETIRED.SPLIT", 0x43d0, true, .in = CRESTMONTS "GLM", .counted = "GLP EHL" },
    { "MEM_UOPS_RETIRED.SPLIT_LOADS", 0x41d0, true, .in = WELLS GOLDMONTS TREMONTS CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.SPLIT_LOADS", 0x41d0, false, .in = BRIDGES DARKMONTS },
    { "MEM_UOPS_RETIRED.SPLIT_STORES", 0x42d0, true, .in = WELLS GOLDMONTS TREMONTS CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.SPLIT_STORES", 0x42d0, false, .in = BRIDGES DARKMONTS },
    { "MEM_UOPS_RETIRED.STLB_MISS", 0x13d0, true, .in = CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.STLB_MISS", 0x13d0, false, .in = DARKMONTS },
    { "MEM_UOPS_RETIRED.STLB_MISS_LOADS", 0x11d0, true, .in = WELLS CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.STLB_MISS_LOADS", 0x11d0, false, .in = BRIDGES DARKMONTS },
    { "MEM_UOPS_RETIRED.STLB_MISS_STORES", 0x12d0, true, .in = WELLS CRESTMONTS "ADL-E" },
    { "MEM_UOPS_RETIRED.STLB_MISS_STORES", 0x12d0, false, .in = BRIDGES DARKMONTS },
    { "MEM_UOPS_RETIRED.STORE_LATENCY", 0x06d0, true, .in = CRESTMONTS, .counted = DARKMONTS "ADL-E" },
    { "OCR:1A6H", 0x012a, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "OCR:1A6H", 0x012a, false, .counted = "LNL-P PTL-P ARL-P" },
    { "OCR:1A6H", 0x01b7, false, .counted = DARKMONTS "SRF LNL-E ADL-E ARL-E MTL-E EHL" },
    { "OCR:1A6H", 0x01b7, false, .counted = "ICX TGL", .counters = 0xf },
    { "OCR:1A7H", 0x012b, false, .counted = "SPR ADL-P EMR GNR MTL-P", .counters = 0xf },
    { "OCR:1A7H", 0x012b, false, .counted = "LNL-P PTL-P ARL-P" },
    { "OCR:1A7H", 0x01bb, false, .counted = "ICX TGL", .counters = 0xf },
    { "OCR:1A7H", 0x02b7, false, .counted = DARKMONTS "SRF LNL-E ADL-E ARL-E MTL-E EHL" },
    { "OFFCORE_RESPONSE:1A6H", 0x01b7, false, .counted = "SNB IVB HSW BDW SKL GLM GLP CLX WSM-EP-DP SLM" },
    { "OFFCORE_RESPONSE:1A6H", 0x01b7, false, .counted = "NHM-EP", .counters = 0x4 },
    { "OFFCORE_RESPONSE:1A7H", 0x01bb, false, .counted = "SNB IVB HSW BDW SKL CLX WSM-EP-DP" },
    { "OFFCORE_RESPONSE:1A7H", 0x02b7, false, .counted = "GLM GLP SLM" },
    { "REHABQ.LD_BLOCK_ST_FORWARD", 0x0103, false, .in = "SLM" },
    { "REHABQ.LD_SPLITS", 0x0803, false, .in = "SLM" },
    { "REHABQ.ST_SPLITS", 0x0403, false, .counted = "SLM" },
    { "RTM_RETIRED.ABORTED", 0x04c9, false, .in = WELLS LAKES ADAPTIVE },
    { "SIMD_INST_RETIRED.ANY", 0x1fc7, false, .counted = "core2" },
    { "SIMD_INST_RETIRED.PACKED_DOUBLE", 0x04c7, false, .counted = "core2" },
    { "SIMD_INST_RETIRED.PACKED_SINGLE", 0x01c7, false, .counted = "core2" },
    { "SIMD_INST_RETIRED.SCALAR_DOUBLE", 0x08c7, false, .counted = "core2" },
    { "SIMD_INST_RETIRED.SCALAR_SINGLE", 0x02c7, false, .counted = "core2" },
    { "SIMD_INST_RETIRED.VECTOR", 0x10c7, false, .counted = "core2" },
    { "SSEX_UOPS_RETIRED.PACKED_DOUBLE", 0x04c7, false, .in = OLDER },
    { "SSEX_UOPS_RETIRED.PACKED_SINGLE", 0x01c7, false, .in = OLDER },
    { "SSEX_UOPS_RETIRED.SCALAR_DOUBLE", 0x08c7, false, .in = OLDER },
    { "SSEX_UOPS_RETIRED.SCALAR_SINGLE", 0x02c7, false, .in = OLDER },
    { "SSEX_UOPS_RETIRED.VECTOR_INTEGER", 0x10c7, false, .in = OLDER },
    { "TOPDOWN.BACKEND_BOUND_SLOTS", 0x02a4, false,
      .counted = "ICX SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P TGL NVL-P" },
    { "TOPDOWN.BR_MISPREDICT_SLOTS", 0x08a4, false, .counted = "SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P NVL-P",
      .counters = 0x1 },
    { "TOPDOWN.SLOTS_P", 0x01a4, false, .counted = "ICX SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P TGL NVL-P" },
    { "TOPDOWN_BAD_SPECULATION.ALL", 0x0073, false, .counted = "SRF ADL-E MTL-E" },
    { "TOPDOWN_BAD_SPECULATION.ALL_P", 0x0073, false, .counted = DARKMONTS "LNL-E ARL-E ARL-LP NVL-E" },
    { "TOPDOWN_BE_BOUND.ALL", 0x0074, false, .counted = "SRF ADL-E MTL-E" },
    { "TOPDOWN_BE_BOUND.ALL", 0x02a4, false, .counted = DARKMONTS "LNL-E ARL-E NVL-E" },
    { "TOPDOWN_FE_BOUND.ALL", 0x0071, false, .counted = "SRF ADL-E MTL-E" },
    { "TOPDOWN_FE_BOUND.ALL_P", 0x019c, false, .counted = DARKMONTS "LNL-E ARL-E NVL-E" },
    { "TOPDOWN_RETIRING.ALL", 0x0072, false, .counted = "SRF MTL-E" },
    { "TOPDOWN_RETIRING.ALL_P", 0x02c2, false, .in = "NVL-E", .counted = DARKMONTS "LNL-E ARL-E" },
    { "UOPS_DISPATCHED.THREAD", 0x01b1, false, .counted = "SNB" },
    { "UOPS_EXECUTED.THREAD", 0x01b1, false, .counted = "IVB BDW SKL CLX" },
    { "UOPS_ISSUED.ANY", 0x000e, false, .counted = "GLM GLP EHL" },
    { "UOPS_ISSUED.ANY", 0x010e, false, .counted = "SNB IVB HSW BDW SKL ICX TGL CLX" },
    { "UOPS_ISSUED.ANY", 0x01ae, false, .counted = "SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P NVL-P" },
    { "UOPS_NOT_DELIVERED.ANY", 0x009c, false, .counted = "GLM GLP" },
    { "UOPS_RETIRED.ALL", 0x00c2, false, .in = TREMONTS CRESTMONTS "ADL-E" },
    { "UOPS_RETIRED.ALL", 0x00c2, false, .in = "PTL-E", .pdist = NO_PDIST },
    { "UOPS_RETIRED.ALL", 0x01c2, false, .in = BRIDGES WELLS },
    { "UOPS_RETIRED.ALL", 0x10c2, false, .counted = "SLM" },
    { "UOPS_RETIRED.ANY", 0x00c2, false, .in = GOLDMONTS },
    { "UOPS_RETIRED.ANY", 0x01c2, false, .in = OLDER },
    { "UOPS_RETIRED.MACRO_FUSED", 0x04c2, false, .in = OLDER, .counted = "SKL CLX" },
    { "UOPS_RETIRED.RETIRE_SLOTS", 0x02c2, false, .in = OLDER BRIDGES WELLS, .counted = "SKL CLX" },
    { "UOPS_RETIRED.SLOTS", 0x02c2, false, .counted = "ICX SPR ADL-P LNL-P PTL-P ARL-P EMR GNR MTL-P TGL NVL-P" },
    { "X87_OPS_RETIRED.ANY", 0xfec1, false, .counted = "core2" },
    { "TOPDOWN_FE_BOUND.ALL_P", 0x0071, false, .counted = "ARL-LP" },
    { "TOPDOWN_RETIRING.ALL_P", 0x0072, false, .counted = "ARL-LP" },
    { "TOPDOWN_BE_BOUND.ALL_P", 0x0074, false, .counted = "ARL-LP" },
};

/* Whether a list of words separated by blanks has this word. NULL has none. */
static inline bool intel_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list != NULL ? list : ""; *at != '\0'; at += strspn(at, " ")) {
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

/* The folder's counters that can sample the event. */
static inline uint64_t intel_counters(const struct intel_event *event, const char *folder)
{
    for (size_t k = 0; k < sizeof(intel_kinds) / sizeof(intel_kinds[0]) && event->counters == 0; k++)
        if (strcmp(intel_kinds[k].folder, folder) == 0)
            return intel_kinds[k].counters;
    return event->counters;
}

/* Of these, the counters with precise distribution. */
static inline uint64_t intel_pdist(const struct intel_event *event, const char *folder)
{
    for (size_t k = 0; k < sizeof(intel_kinds) / sizeof(intel_kinds[0]) && event->pdist == 0; k++)
        if (strcmp(intel_kinds[k].folder, folder) == 0)
            return event->counters == FIXED_0 ? FIXED_0 : intel_kinds[k].pdist;
    return event->pdist & ~NO_PDIST;
}

/* A difference from the lists that has a reason. */
struct intel_difference {
    const char *places, *events; /* words; events: NULL for all that are not known elsewhere */
    unsigned what;
    const char *why;
    size_t times;
};

static size_t intel_compared, intel_unexplained;

static inline void intel_differ(struct intel_difference *explained, size_t count, const char *place, const char *event,
                                bool elsewhere, unsigned what, const char *words)
{
    for (size_t i = 0; i < count; i++)
        if (explained[i].what == what && intel_has_word(explained[i].places, place) &&
            (explained[i].events != NULL ? intel_has_word(explained[i].events, event) : !elsewhere)) {
            explained[i].times++;
            return;
        }
    print_message("# %s, %s: %s, and nothing explains it\n", place, event, words);
    intel_unexplained++;
}

/* Every difference is explained, and every explanation explains one. */
static inline void intel_report(const struct intel_difference *explained, size_t count, size_t cores,
                                const char *const *words)
{
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        print_message("# %zu times %s: %s\n", explained[i].times, words[explained[i].what], explained[i].why);
        assert_int_not_equal(explained[i].times, 0);
        known += explained[i].times;
    }
    print_message("# %zu events of %zu cores compared with Intel's lists, %zu explained differences, %zu unexplained\n",
                  intel_compared, cores, known, intel_unexplained);
    assert_int_equal(intel_unexplained, 0);
}

#endif

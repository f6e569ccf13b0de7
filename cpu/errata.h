/* SPDX-License-Identifier: MIT */
/*
 * Errata that a test can meet. ERRATUM(identifier, numbers): the number in the specification update of each product
 * line that has it. A core's row in cpu/cores.c names its errata. SRF6 to BDM100: field "Errata" of Intel's event
 * lists (github.com/intel/perfmon, August 2026).
 */
#ifndef CPU_ERRATA_H
#define CPU_ERRATA_H

#define ERRATA(ERRATUM)                                                                                              \
    ERRATUM(AR62, "AR62/W125")                   /* BTS with a filter by privilege level: wrong From */              \
    ERRATUM(HSD053, "HSD053")                    /* a BTS record repeats the previous record's From */               \
    ERRATUM(BJ094, "BJ094")                      /* FREEZE_LBRS_ON_PMI: the newest entry has a wrong From */         \
    ERRATUM(SKL186, "SKL186")                    /* as BJ094, on Skylake */                                          \
    ERRATUM(LBR_COPY, "without a number (BOLT)") /* a frozen stack's newest entry may repeat the second newest */    \
    ERRATUM(SKL088, "SKL088/CML054")             /* the prediction flag of a BTS record may be wrong */              \
    ERRATUM(SKL179, "SKL179")                    /* counter 3 is unreliable unless TSX_FORCE_ABORT bit 0 is set */   \
    ERRATUM(BDM104, "BDM104")                    /* with Intel PT on, IA32_DEBUGCTL raises #GP for LBR and BTS */    \
    ERRATUM(BV086, "BV080/BV086")                /* IA32_PERFEVTSEL4 to 7 do not read back as written */             \
    ERRATUM(SRF7, "SRF7")                        /* far branches count as more than one instruction */               \
    ERRATUM(SRF6, "SRF6/MTL012/ARL010")          /* wrong counts of all branches and of near calls */                \
    ERRATUM(HSD140, "HSD140/BDM61")              /* wrong counts of instructions */                                  \
    ERRATUM(SKL091, "SKL091/SKL044")             /* wrong counts of instructions and of branches */                  \
    ERRATUM(MTL013, "MTL013/ARL011")             /* wrong counts of each kind of branch */                           \
    ERRATUM(HSD76, "HSD76/BDM35")                /* wrong counts of locked loads, L2 hits and load latency */        \
    ERRATUM(BDM100, "BDM100")                    /* wrong counts of L3 hits, L3 misses and load latency */           \
    ERRATUM(CML095, "CML095/KBL115/HSD171")      /* with Hyper-Threading, the load latency facility may stop */      \
    ERRATUM(SKL018, "SKL018/BDM050")             /* wrong EventingIP after a conditional branch that is not taken */ \
    ERRATUM(SKL117, "SKL117/BDM120") /* a counter of one privilege level misses events when the level changes */     \
    ERRATUM(HSD143, "HSD143") /* a fixed counter that is enabled before IA32_PERF_GLOBAL_CTRL counts up to 32 more */

enum erratum {
#define ERRATUM(id, numbers) ERRATUM_##id,
    ERRATA(ERRATUM)
#undef ERRATUM
        ERRATUM_COUNT
};

#define HAS_ERRATUM(id) (1u << ERRATUM_##id)

/* Errata that make the counts of instructions, or of branches, inaccurate; no list says by how much. */
#define ERRATA_INSTRUCTIONS (HAS_ERRATUM(HSD140) | HAS_ERRATUM(SKL091))
#define ERRATA_BRANCHES     (HAS_ERRATUM(SRF6) | HAS_ERRATUM(SKL091) | HAS_ERRATUM(MTL013))

/* The numbers of the first of these errata; there must be one. */
const char *errata_number(unsigned errata);

#endif

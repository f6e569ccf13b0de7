/* SPDX-License-Identifier: MIT */
/*
 * Errata that a test can meet. ERRATUM(identifier, numbers): the number in the specification update of each product
 * line that has it. A core's row in cpu/cores.c names its errata.
 */
#ifndef CPU_ERRATA_H
#define CPU_ERRATA_H

#define ERRATA(ERRATUM)                                                                          \
    ERRATUM(AR62, "AR62/W125")       /* BTS with a filter by privilege level: wrong From */      \
    ERRATUM(HSD053, "HSD053")        /* a BTS record repeats the previous record's From */       \
    ERRATUM(BJ094, "BJ094")          /* FREEZE_LBRS_ON_PMI: the newest entry has a wrong From */ \
    ERRATUM(SKL186, "SKL186")        /* as BJ094, on Skylake */                                  \
    ERRATUM(SKL088, "SKL088/CML054") /* the prediction flag of a BTS record may be wrong */      \
    ERRATUM(HSD143, "HSD143") /* a fixed counter that is enabled before IA32_PERF_GLOBAL_CTRL counts up to 32 more */

enum erratum {
#define ERRATUM(id, numbers) ERRATUM_##id,
    ERRATA(ERRATUM)
#undef ERRATUM
        ERRATUM_COUNT
};

#define HAS_ERRATUM(id) (1u << ERRATUM_##id)

#endif

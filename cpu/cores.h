/* SPDX-License-Identifier: MIT */
/* Facts about each core that no capability register reports, and the models that have the core. Pure data. */
#ifndef CPU_CORES_H
#define CPU_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"

/* The lowest microcode revision (IA32_BIOS_SIGN_ID[63:32]) with which PEBS is reliable, by model and stepping. */
struct core_microcode {
    unsigned model, stepping;
    uint32_t revision;
};

struct core {
    const char *name; /* NULL: the model is not listed */
    bool named_only;  /* only the values in this row are known; for the rest, treat the core like an unlisted model */
    const struct debugctl_bits *debugctl;
    bool bts_prediction; /* bit 4 of a BTS record's flags is defined */

    enum lbr_layout lbr_layout;
    unsigned lbr_depth;
    uint32_t lbr_from, lbr_to, lbr_info, lbr_tos, lbr_select; /* MSRs of entry 0; 0 = none */
    unsigned lbr_format;                                      /* if IA32_PERF_CAPABILITIES does not exist */
    bool lbr_says_lip;           /* IA32_PERF_CAPABILITIES has LBR_FORMAT_LIP, but entries are LBR_FORMAT_FLAGS */
    bool lbr_callstack;          /* LBR_SELECT bit 9 */
    bool lbr_select_jumps_quirk; /* as in struct caps */

    enum pebs_method pebs_method;         /* NETBURST, GENERAL or NONE; IA32_PERF_CAPABILITIES[14] means ADAPTIVE */
    unsigned counter_width;               /* bits of a counter, where CPUID leaf 0Ah does not exist */
    bool pebs_trap_like;                  /* where IA32_PERF_CAPABILITIES does not exist */
    uint64_t pebs_counters;               /* general counters that can do PEBS */
    bool pebs_any_event;                  /* as in struct caps */
    bool pebs_extended;                   /* without the baseline: PEBS on fixed counters; the DS area of format 4 */
    uint64_t pebs_pdist_counters;         /* as in struct caps */
    const struct pebs_event_list *events; /* NULL: no precise event is known */
    uint16_t load_latency_auxiliary;      /* as in struct caps */
    bool cache_latency;                   /* as in struct pebs_form */
    enum pebs_reserved pebs_reserved;     /* as in struct pebs_form */
    enum data_source_encoding data_source;
    unsigned second_level_kib; /* as in struct caps */

    bool prime_counters;                    /* as in struct caps */
    const struct core_microcode *microcode; /* the last row's revision is 0; NULL: any revision */

    unsigned errata;          /* HAS_ERRATUM of cpu/errata.h */
    const char *const *notes; /* sentences, the last one NULL: errata and readings that affect programming */
};

/* Kinds of core in a hybrid processor: CPUID.1AH:EAX[31:24]. */
#define CORE_TYPE_ATOM 0x20u
#define CORE_TYPE_CORE 0x40u

/* The row for an Intel processor's display family and display model; a row without a name if it is not listed. */
const struct core *core_find(unsigned family, unsigned model);

/*
 * The row for one core of a hybrid processor, by its type and its native model id (CPUID.1AH:EAX[23:0]), which
 * distinguishes two kinds of the same type. Type 0: unknown. Some processors of a hybrid model are not hybrid; all
 * their cores are of CORE_TYPE_CORE: Linux, arch/x86/events/intel/core.c, adl_get_hybrid_cpu_type().
 */
const struct core *core_find_kind(unsigned family, unsigned model, unsigned type, unsigned native);

/* The lowest microcode revision with which this processor's PEBS is reliable. 0: any revision; UINT32_MAX: unknown. */
uint32_t core_microcode_least(const struct core *core, unsigned model, unsigned stepping);

#endif

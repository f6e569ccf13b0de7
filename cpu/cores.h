/* SPDX-License-Identifier: MIT */
/* What no capability register tells: a row for each core, and the models with that core. Pure data. */
#ifndef CPU_CORES_H
#define CPU_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"

struct core {
    const char *name; /* NULL: the model is not listed */
    const struct debugctl_bits *debugctl;
    bool bts_prediction; /* bit 4 of a BTS record's flags is defined */

    enum lbr_layout lbr_layout;
    unsigned lbr_depth;
    uint32_t lbr_from, lbr_to, lbr_info, lbr_tos, lbr_select; /* MSRs of entry 0; 0 = none */
    unsigned lbr_format;                                      /* where IA32_PERF_CAPABILITIES does not exist */
    bool lbr_callstack;                                       /* LBR_SELECT bit 9 */
    bool lbr_select_jumps_quirk;                              /* as in struct caps */

    enum pebs_method pebs_method; /* NETBURST, GENERAL or NONE; ADAPTIVE is what IA32_PERF_CAPABILITIES[14] says */
    unsigned counter_width;       /* bits of a counter, where CPUID leaf 0Ah does not exist */
    bool pebs_trap_like;          /* where IA32_PERF_CAPABILITIES does not exist */
    uint64_t pebs_counters;       /* general counters that can do PEBS */
    const struct pebs_event_list *events; /* NULL: no precise event is known */
    uint16_t load_latency_auxiliary;      /* as in struct caps */
    enum data_source_encoding data_source;
    unsigned second_level_kib; /* as in struct caps */

    const char *const *notes; /* sentences, the last one NULL: errata and readings that change what is programmed */
};

/* The row for an Intel processor's display family and display model; a row without a name if it is not listed. */
const struct core *core_find(unsigned family, unsigned model);

#endif

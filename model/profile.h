/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One processor as data: what CPUID says, which MSRs there are, how deep the LBR stack is, which events its counters
 * know. A new processor of the same family is a new table in profiles.c.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* What a counter can count. How each is counted decides which of the three groups it stands in. */
enum event_kind {
    /* known for a whole block when it begins: counted inline */
    EVENT_INSTRUCTIONS,
    EVENT_BRANCHES,
    EVENT_CONDITIONAL,
    EVENT_NEAR_CALLS,
    EVENT_NEAR_RETURNS,
    EVENT_FAR_BRANCHES,
    EVENT_INDIRECT_BRANCHES, /* calls, jumps and returns */
    EVENT_TYPED_BRANCHES,    /* all near ones but direct jumps */
    EVENT_UNITS,             /* in the order of enum insn_unit, which begins with one that has no event */
    EVENT_X87 = EVENT_UNITS,
    EVENT_PACKED_SP,
    EVENT_PACKED_DP,
    EVENT_SCALAR_SP,
    EVENT_SCALAR_DP,
    EVENT_MMX_64,
    EVENT_MMX_128,
    /* known when the block behind a branch begins */
    EVENT_OUTCOMES,
    EVENT_NEAR_TAKEN = EVENT_OUTCOMES,
    EVENT_NOT_TAKEN,
    EVENT_MISPREDICTED,
    EVENT_MISPREDICTED_CONDITIONAL,
    EVENT_MISPREDICTED_CALLS,
    EVENT_MISPREDICTED_NEAR_TAKEN,
    EVENT_MISPREDICTED_TAGGABLE, /* all but returns and far ones */
    /* plus a mask of what is wanted: 1 not taken and predicted, 2 not taken and mispredicted, 4 and 8 taken ones */
    EVENT_BRANCH_SETS,
    EVENT_BRANCH_SETS_LAST = EVENT_BRANCH_SETS + 15,
    /* known when an instruction has accessed memory */
    EVENT_DATA,
    EVENT_LOADS = EVENT_DATA,
    EVENT_STORES,
    EVENT_LOCKED_LOADS,
    EVENT_SPLIT_LOADS,
    EVENT_SPLIT_STORES,
    EVENT_STLB_MISS_LOADS,
    EVENT_STLB_MISS_STORES,
    EVENT_STLB_MISSES, /* of either */
    EVENT_ACCESSES,    /* loads, stores, and both in one */
    EVENT_L1_HITS,
    EVENT_L2_HITS,
    EVENT_L3_HITS,
    EVENT_L1_MISSES,
    EVENT_L2_MISSES,
    EVENT_L3_MISSES,
    EVENT_L3_REFERENCES,
    EVENT_LOAD_LATENCY,
    EVENT_KINDS,
    EVENT_NONE = EVENT_KINDS,
};

struct profile_event {
    uint8_t select, umask;
    uint8_t kind;     /* enum event_kind */
    uint8_t counters; /* bit i: IA32_PMCi can count it */
    bool pebs;        /* may be configured for PEBS */
};

/* Registers that the model keeps. The names are the manual's. */
enum model_register {
    REG_IA32_PERF_CAPABILITIES,
    REG_IA32_MISC_ENABLE,
    REG_IA32_DS_AREA,
    REG_IA32_PEBS_ENABLE,
    REG_MSR_PEBS_LD_LAT,
    REG_MSR_PEBS_FRONTEND,
    REG_IA32_DEBUGCTL,
    REG_MSR_LASTBRANCH_TOS,
    REG_MSR_LBR_SELECT,
    REG_IA32_FIXED_CTR_CTRL,
    REG_IA32_PERF_GLOBAL_CTRL,
    REG_MSR_OFFCORE_RSP_0,
    REG_MSR_OFFCORE_RSP_1,
    REG_MSR_PEBS_MATRIX_VERT,
    REG_MSR_TC_PRECISE_EVENT,
    REG_MSR_LER_FROM_LIP,
    REG_MSR_LER_TO_LIP,
    REG_STORED, /* those above are simply kept in an array; the ones below mean more */
    REG_IA32_PERF_GLOBAL_STATUS = REG_STORED,
    REG_IA32_PERF_GLOBAL_STATUS_RESET,
    REG_IA32_PERF_GLOBAL_STATUS_SET,
    REG_IA32_PERF_GLOBAL_INUSE,
    REG_IA32_PMC,
    REG_IA32_A_PMC, /* the full-width alias */
    REG_IA32_PERFEVTSEL,
    REG_IA32_FIXED_CTR,
    REG_LASTBRANCH_FROM,
    REG_LASTBRANCH_TO,
    REG_LASTBRANCH_INFO,
    REG_NETBURST_COUNTER,
    REG_NETBURST_CCCR,
    REG_NETBURST_ESCR,
};

struct profile_msr {
    uint32_t address;
    uint16_t count;      /* consecutive registers */
    uint8_t reg;         /* enum model_register */
    bool read_only;      /* WRMSR raises #GP */
    bool address_valued; /* WRMSR of a non-canonical value raises #GP */
    uint64_t writable;   /* WRMSR with a bit outside set raises #GP */
    uint64_t ignored;    /* bits whose written value has no effect and raises nothing */
    uint64_t reset;
};

/* A CPUID bit that software of the processor's time relies on, and that QEMU's -cpu decides, not the model. */
struct profile_feature {
    uint32_t leaf;
    uint8_t reg; /* 0 to 3: EAX, EBX, ECX, EDX */
    uint8_t bit;
    const char *name;
};

/* Whose counters are NetBurst's, with ESCRs and CCCRs: netburst.c. */
enum netburst {
    NETBURST_NONE,
    NETBURST_SINGLE_THREADED, /* 0F_00 to 0F_02 as modelled */
    NETBURST_HYPER_THREADED,  /* 0F_03 and later; its other logical processor is never there */
};

struct profile {
    const char *name;
    enum netburst netburst;
    const char *brand;     /* CPUID leaves 80000002h to 80000004h */
    uint32_t signature;    /* CPUID.1:EAX */
    uint32_t features_ecx; /* CPUID.1:ECX and EDX: set on top of what QEMU's -cpu gives */
    uint32_t features_edx;
    uint32_t perfmon[4]; /* CPUID.0Ah: EAX, EBX, ECX, EDX */
    unsigned general_counters, fixed_counters;
    unsigned counter_width; /* bits */
    unsigned pdir_counter;  /* the one on which the instruction that overflows is itself the one recorded */
    uint8_t pdir_select, pdir_umask;
    unsigned lbr_depth;       /* a power of two */
    uint32_t predictor_slots; /* a power of two */
    const struct profile_msr *msrs;
    unsigned msr_count;
    const struct profile_event *events;
    unsigned event_count;
    const struct profile_feature *features;
    unsigned feature_count;
};

/* NULL when there is none of that name. */
const struct profile *profile_find(const char *name);

/* The name of the index-th profile, or NULL past the last. */
const char *profile_name(unsigned index);

#endif

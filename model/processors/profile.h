/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One processor as data: its CPUID, its MSRs, the form of its records and LBR entries, the events that its counters
 * know. A new processor is a new table in the profiles_*.c of its family, and a line in the list at the end of that
 * file.
 */
#ifndef MODEL_PROCESSORS_PROFILE_H
#define MODEL_PROCESSORS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* What a counter can count, in three groups by how it is counted. */
enum event_kind {
    /* known for a whole block when it begins: counted inline */
    EVENT_INSTRUCTIONS,
    EVENT_BRANCHES,
    EVENT_CONDITIONAL,
    EVENT_NEAR_CALLS,
    EVENT_NEAR_RETURNS,
    EVENT_FAR_BRANCHES,
    EVENT_INDIRECT_BRANCHES, /* calls, jumps and returns */
    EVENT_INDIRECT,          /* calls and jumps */
    EVENT_TYPED_BRANCHES,    /* all near ones but direct jumps */
    EVENT_UNITS,             /* in the order of enum insn_unit, whose first unit has no event */
    EVENT_X87 = EVENT_UNITS,
    EVENT_PACKED_SP,
    EVENT_PACKED_DP,
    EVENT_SCALAR_SP,
    EVENT_SCALAR_DP,
    EVENT_MMX_64,
    EVENT_MMX_128,
    EVENT_SIMD, /* any of the units but x87 and 64-bit MMX */
    /* known when the block behind a branch begins */
    EVENT_OUTCOMES,
    EVENT_NEAR_TAKEN = EVENT_OUTCOMES,
    EVENT_NOT_TAKEN,
    EVENT_MISPREDICTED,
    EVENT_MISPREDICTED_CONDITIONAL,
    EVENT_MISPREDICTED_CALLS,
    EVENT_MISPREDICTED_NEAR_RETURNS,
    EVENT_MISPREDICTED_NEAR_TAKEN,
    EVENT_CONDITIONAL_TAKEN,
    EVENT_MISPREDICTED_CONDITIONAL_TAKEN,
    EVENT_MISPREDICTED_NOT_TAKEN,
    EVENT_MISPREDICTED_INDIRECT_CALLS,
    EVENT_MISPREDICTED_INDIRECT, /* calls and jumps */
    EVENT_MISPREDICTED_TAGGABLE, /* all but returns and far branches */
    EVENT_TAKEN,                 /* near and far */
    EVENT_DIRECT_JUMPS,          /* unconditional */
    EVENT_DIRECT_CALLS,
    EVENT_INDIRECT_JUMPS,
    EVENT_INDIRECT_CALLS,
    EVENT_MISPREDICTED_INDIRECT_JUMPS,
    /*
     * with a mask of outcomes: 1 not taken and predicted, 2 not taken and mispredicted, 4 and 8 the same of taken ones
     */
    EVENT_BRANCH_SETS,
    EVENT_BRANCH_SETS_LAST = EVENT_BRANCH_SETS + 15,
    /* known when an instruction has accessed memory */
    EVENT_DATA,
    EVENT_LOADS = EVENT_DATA,
    EVENT_STORES,
    EVENT_LOCKED_LOADS,
    EVENT_SPLIT_LOADS,
    EVENT_SPLIT_STORES,
    EVENT_SPLITS, /* of loads or stores */
    EVENT_STLB_MISS_LOADS,
    EVENT_STLB_MISS_STORES,
    EVENT_STLB_MISSES, /* of loads or stores */
    EVENT_ACCESSES,    /* loads, stores, and both in one */
    EVENT_L1_HITS,
    EVENT_L2_HITS,
    EVENT_L3_HITS,
    EVENT_L1_MISSES,
    EVENT_L2_MISSES,
    EVENT_L3_MISSES,
    EVENT_MODIFIED_HITS, /* in another processor's cache, which had the line modified */
    EVENT_L3_REFERENCES,
    EVENT_LOAD_LATENCY,
    EVENT_PRECISE_STORES,
    EVENT_STORE_LATENCY,
    EVENT_BLOCKED_LOADS, /* behind a store that cannot forward: never happens in modelled time */
    EVENT_KINDS,
    EVENT_NONE = EVENT_KINDS,
    EVENT_CYCLES, /* counted as EVENT_INSTRUCTIONS, since one takes one cycle; but see struct counter */
};

/* The PEBS records that an event can have. */
enum event_precision {
    NOT_PRECISE,
    PRECISE,
    PRECISE_WITH_ADDRESS, /* records have the address of the data */
};

struct profile_event {
    uint8_t select;
    uint16_t umask;    /* where there is a second one, it is above the first */
    uint8_t kind;      /* enum event_kind */
    uint16_t counters; /* bit i: IA32_PMCi can count it, if the processor has it */
    uint8_t precision; /* enum event_precision */
};

/* Registers that the model keeps, by the manual's names. */
enum model_register {
    REG_IA32_PERF_CAPABILITIES,
    REG_IA32_MISC_ENABLE,
    REG_IA32_DS_AREA,
    REG_IA32_PEBS_ENABLE,
    REG_MSR_PEBS_LD_LAT,
    REG_MSR_PEBS_FRONTEND,
    REG_MSR_PEBS_DATA_CFG,
    REG_MSR_PERF_METRICS,
    REG_IA32_LBR_CTL,
    REG_IA32_LBR_DEPTH,
    REG_IA32_DEBUGCTL,
    REG_MSR_LASTBRANCH_TOS,
    REG_MSR_LBR_SELECT,
    REG_IA32_FIXED_CTR_CTRL,
    REG_IA32_PERF_GLOBAL_CTRL,
    REG_MSR_OFFCORE_RSP_0,
    REG_MSR_OFFCORE_RSP_1,
    REG_MSR_SNOOP_RSP_0,
    REG_MSR_SNOOP_RSP_1,
    REG_MSR_PEBS_MATRIX_VERT,
    REG_MSR_TC_PRECISE_EVENT,
    REG_MSR_LER_FROM_LIP,
    REG_MSR_LER_TO_LIP,
    REG_MSR_SMI_COUNT,
    REG_IA32_PEBS_BASE,
    REG_IA32_PEBS_INDEX,
    REG_STORED, /* registers above are only stored, in an array; those below have effects */
    REG_IA32_PERF_GLOBAL_STATUS = REG_STORED,
    REG_IA32_PERF_GLOBAL_STATUS_RESET,
    REG_IA32_PERF_GLOBAL_STATUS_SET,
    REG_IA32_PERF_GLOBAL_INUSE,
    REG_IA32_PMC,
    REG_IA32_A_PMC, /* the full-width alias */
    REG_IA32_PERFEVTSEL,
    REG_IA32_FIXED_CTR,
    REG_IA32_PMC_CFG_B, /* of general counters, and of fixed ones; CFG_A is IA32_PERFEVTSELx */
    REG_IA32_PMC_CFG_C,
    REG_IA32_FIXED_CFG_B,
    REG_IA32_FIXED_CFG_C,
    REG_LASTBRANCH_FROM,
    REG_LASTBRANCH_TO,
    REG_LASTBRANCH_INFO,
    REG_LASTBRANCH_BOTH, /* from in the low doubleword, to in the high one */
    REG_NETBURST_COUNTER,
    REG_NETBURST_CCCR,
    REG_NETBURST_ESCR,
    REG_IA32_BIOS_SIGN_ID,
    REG_ZERO,          /* reads 0 */
    REG_ABSENT,        /* RDMSR and WRMSR raise #GP, even where QEMU has the register */
    REG_IA32_LBR_FROM, /* architectural LBR: 0 is the newest entry */
    REG_IA32_LBR_TO,
    REG_IA32_LBR_INFO,
};

/* Requirements on a written value, besides having no bit outside `writable`. */
enum msr_check {
    CHECK_BITS,
    CHECK_CANONICAL,
    CHECK_FLAG_AND_ADDRESS, /* canonical but for bit 63, which is a flag */
    CHECK_LBR_DEPTH,        /* a depth that the processor has */
    CHECK_PHYSICAL,         /* an address below CPUID's limit of physical ones */
};

struct profile_msr {
    uint32_t address;
    uint16_t count;    /* registers */
    uint8_t reg;       /* enum model_register */
    uint8_t check;     /* enum msr_check: WRMSR of another value raises #GP */
    bool read_only;    /* WRMSR raises #GP */
    uint64_t writable; /* WRMSR with a bit outside set raises #GP */
    uint64_t ignored;  /* bits whose written value has no effect and raises nothing */
    uint64_t reset;
    uint8_t stride; /* addresses from one register to the next, with others between; 0: 1 */
    uint8_t first;  /* the number of the row's first register among its kind */
};

/*
 * A CPUID leaf: the bits of QEMU's -cpu that stay (keep), and those that are set (add). In the order EAX, EBX, ECX,
 * EDX.
 */
struct profile_cpuid {
    uint32_t leaf, subleaf;
    bool indexed; /* the row is for this subleaf only */
    uint32_t keep[4], add[4];
    uint32_t last; /* leaves up to this one are alike; 0: the row is for one leaf */
};

/* A CPUID bit that software of the processor's time relies on, and that QEMU's -cpu decides, not the model. */
struct profile_feature {
    uint32_t leaf;
    uint8_t reg; /* 0 to 3: EAX, EBX, ECX, EDX */
    uint8_t bit;
    const char *name;
    bool firmware; /* firmware may turn the feature off, so software must do without it then */
};

/* Kinds of NetBurst counters, with ESCRs and CCCRs: netburst.c. */
enum netburst {
    NETBURST_NONE,
    NETBURST_SINGLE_THREADED, /* 0F_00 to 0F_02 as modelled */
    NETBURST_HYPER_THREADED,  /* 0F_03 and later; the other logical processor never exists */
};

/* Where MSR_DEBUGCTLA, MSR_DEBUGCTLB or IA32_DEBUGCTL has a flag; 0: the processor has no such flag. */
struct profile_debugctl {
    uint64_t lbr, tr, bts, btint, bts_off_os, bts_off_usr, freeze_lbrs, freeze_perfmon, freeze_while_smm;
};

/* Contents of an LBR entry besides its two addresses: LBR_FMT, IA32_PERF_CAPABILITIES[5:0]. */
enum lbr_format {
    LBR_FORMAT_32,
    LBR_FORMAT_LIP,
    LBR_FORMAT_EIP,
    LBR_FORMAT_EIP_FLAGS,   /* FROM[63]: mispredicted */
    LBR_FORMAT_EIP_FLAGS2,  /* and FROM[62:61]: in a transaction, aborted */
    LBR_FORMAT_INFO,        /* the same flags, and cycles, in LBR_INFO */
    LBR_FORMAT_TIME,        /* FROM[63]: mispredicted; TO[63:48]: cycles */
    LBR_FORMAT_ARCH = 0x3f, /* and the kind of branch, and whether the cycles are valid */
};

/* The modelled memory hierarchy, of 64-byte lines and 4 KiB pages. A cache with 0 sets does not exist. */
enum data_level {
    LEVEL_L1,
    LEVEL_L2,
    LEVEL_L3,
    LEVEL_MEMORY,
    LEVEL_MODIFIED, /* another processor's cache, which has the line modified */
    DATA_LEVELS
};

struct profile_array {
    unsigned sets, ways; /* sets: a power of two; a cache has as many as the one before it, or more */
};

struct profile_memory {
    struct profile_array caches[LEVEL_MEMORY];
    struct profile_array tlb;      /* the last-level one */
    uint16_t latency[DATA_LEVELS]; /* core cycles from dispatch to data */
    uint8_t source[DATA_LEVELS];   /* a load's data source */
    uint16_t source_tlb_miss;      /* the bit of the source that says so of the last-level TLB; 0: there is none */
    uint16_t source_locked;        /* the same, of a locked access */
};

#define PROFILE_KINDS 4 /* kinds of cores in a processor, at most */

/* Tables of rows; empty ones may follow. */
#define PROFILE_TABLES 6

struct profile_msrs {
    const struct profile_msr *rows;
    unsigned count;
};

struct profile_events {
    const struct profile_event *rows;
    unsigned count;
};

/* IA32_PERF_CAPABILITIES[11:8] where PEBS is architectural, and not of the debug store. */
#define PEBS_FORMAT_ARCH 15

struct profile {
    const char *name;
    /*
     * A processor with several kinds of cores has a profile for each, of which the first stands for the whole. All of
     * them have one name, one brand string and one list of kinds, in the order in which the processors are numbered;
     * NULL ends it.
     */
    const struct profile *const *kinds; /* NULL: all cores are alike */
    char letter;                        /* the kind's, in the option cores= */
    const char *core;                   /* and its name */
    const char *brand;                  /* CPUID leaves 80000002h to 80000004h */
    uint32_t microcode;                 /* its revision, IA32_BIOS_SIGN_ID[63:32]: one that Intel has published */
    uint32_t max_leaf, max_extended;    /* leaves beyond these answer like the last one */
    const struct profile_cpuid *cpuid;  /* leaves without a row are answered by QEMU */
    unsigned cpuid_count;
    bool dtes64;
    bool la57; /* 5-level paging, CPUID.7:ECX[16]: registers take addresses of 57 bits, else of 48 */
    enum netburst netburst;
    unsigned perfmon_version; /* CPUID.0Ah:EAX[7:0], 0 without that leaf */
    unsigned general_counters;
    uint32_t fixed_bitmap;  /* bit m: fixed counter m exists; there may be gaps */
    unsigned counter_width; /* bits */
    bool one_enable;        /* IA32_PERFEVTSEL0.EN stands for all */
    unsigned pebs_format;   /* IA32_PERF_CAPABILITIES[11:8] */
    bool pebs_one_page;     /* a PEBS buffer must not be larger than a page */
    bool pebs_any_event;    /* an event that is not precise can be sampled, too */
    bool pebs_address_only; /* of the data a record has the address; the words of its source and latency are reserved */
    unsigned pdir_counter;  /* the counter that records the overflowing instruction itself */
    uint8_t pdir_select, pdir_umask;
    bool pebs_adaptive;      /* "PEBS baseline": records by MSR_PEBS_DATA_CFG, of any event, on fixed counters too */
    bool pebs_timing;        /* the basic group has a retire latency */
    bool pebs_cache_latency; /* the memory group tells the data's latency from the instruction's */
    bool pebs_latency_aux;   /* load latency has a data source only while EVENT_BLOCKED_LOADS is counted */
    uint64_t pdist_counters; /* bits of IA32_PEBS_ENABLE: counters that record the overflowing instruction of any
                                precise event, ... */
    unsigned pdist_distance; /* ... if the counter was loaded with at least so many events to go */
    const struct profile_debugctl *debugctl;
    unsigned lbr_depth;      /* a power of two; for architectural LBR the largest depth */
    uint8_t lbr_depths;      /* architectural LBR: CPUID.1Ch:EAX[7:0], else 0 */
    bool rdpmc_user_disable; /* a counter can be concealed from RDPMC at CPL 1 to 3: CPUID.23h.0:EBX[2] */
    uint8_t lbr_counters;    /* bit i: LBR entries can count the events of IA32_PMCi; CPUID.1Ch:ECX[19:16] */
    enum lbr_format lbr_format;
    uint32_t predictor_slots; /* a power of two */
    bool bts_predicted;       /* BTS records say whether the branch was predicted */
    struct profile_memory memory;
    /*
     * The processor's own rows first, then those it shares with its family: the first row of an address or event
     * counts.
     */
    struct profile_msrs msrs[PROFILE_TABLES];
    struct profile_events events[PROFILE_TABLES];
    const struct profile_feature *features;
    unsigned feature_count;
};

/* The profile of this name; NULL if there is none. */
const struct profile *profile_find(const char *name);

/* The profile of the index-th kind of core, 0 being the profile itself; NULL past the last. */
const struct profile *profile_kind(const struct profile *profile, unsigned index);

/* The row that says what the register at this address is, or NULL. */
const struct profile_msr *profile_find_msr(const struct profile *profile, uint32_t address);

/* The number, among those of its kind, of the register at an address that is the row's. */
static inline unsigned profile_msr_number(const struct profile_msr *row, uint32_t address)
{
    return row->first + (address - row->address) / (row->stride == 0 ? 1 : row->stride);
}

/* One more than the number of the last fixed counter. */
static inline unsigned profile_fixed_counters(const struct profile *profile)
{
    return profile->fixed_bitmap == 0 ? 0 : 32 - (unsigned)__builtin_clz(profile->fixed_bitmap);
}

/* Whether a register is part of the LBR stack: its top, or one of an entry's. */
bool profile_is_lbr_stack(enum model_register reg);

/* The event of this select and unit mask on IA32_PMCi, i being counter, or NULL. */
const struct profile_event *profile_find_event(const struct profile *profile, unsigned select, unsigned umask,
                                               unsigned counter);

/* The index-th profile, by the processors' release; NULL past the last. Of a list of kinds the first. */
const struct profile *profile_at(unsigned index);

/* The name of the index-th profile, by the processors' release; NULL past the last. */
const char *profile_name(unsigned index);

/* The processor's brand string in CPUID; NULL past the last. */
const char *profile_brand(unsigned index);

/* The bits of the processor's widest mode: 64 with long mode, else 32; 0 past the last. */
unsigned profile_width(unsigned index);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One processor as data: CPUID, MSRs, the formats of records and LBR entries, and the events of its counters. To add a
 * processor, add a table to its family's profiles_*.c, and a line to the list at the end of that file.
 */
#ifndef MODEL_PROCESSORS_PROFILE_H
#define MODEL_PROCESSORS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* The events that a counter can count, in three groups by how they are counted. */
enum event_kind {
    /* counts known when the block begins: counted inline */
    EVENT_INSTRUCTIONS,
    EVENT_BRANCHES,
    EVENT_CONDITIONAL,
    EVENT_NEAR_CALLS,
    EVENT_NEAR_RETURNS,
    EVENT_FAR_BRANCHES,
    EVENT_INDIRECT_BRANCHES, /* calls, jumps and returns */
    EVENT_INDIRECT,          /* calls and jumps */
    EVENT_TYPED_BRANCHES,    /* all near branches except direct jumps */
    EVENT_UNITS,             /* in the order of enum insn_unit, without UNIT_INTEGER, which has no event */
    EVENT_X87 = EVENT_UNITS,
    EVENT_PACKED_SP,
    EVENT_PACKED_DP,
    EVENT_SCALAR_SP,
    EVENT_SCALAR_DP,
    EVENT_MMX_64,
    EVENT_MMX_128,
    EVENT_SIMD, /* all units except x87 and 64-bit MMX */
    /* counts known when the block after the branch begins */
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
    EVENT_MISPREDICTED_TAGGABLE, /* all except returns and far branches */
    EVENT_TAKEN,                 /* near and far */
    EVENT_DIRECT_JUMPS,          /* unconditional */
    EVENT_DIRECT_CALLS,
    EVENT_INDIRECT_JUMPS,
    EVENT_INDIRECT_CALLS,
    EVENT_MISPREDICTED_INDIRECT_JUMPS,
    EVENT_CODE_MISSES,     /* lines of code that miss the first-level cache */
    EVENT_CODE_TLB_MISSES, /* pages of code that miss the last-level TLB */
    EVENT_CODE_TLB_HITS,   /* pages of code that hit it, but miss the first-level TLB */
    /*
     * with a mask of outcomes: 1 not taken, predicted; 2 not taken, mispredicted; 4 taken, predicted; 8 taken,
     * mispredicted
     */
    EVENT_BRANCH_SETS,
    EVENT_BRANCH_SETS_LAST = EVENT_BRANCH_SETS + 15,
    /* counts known when the instruction has accessed memory */
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
    EVENT_MODIFIED_HITS, /* hits in another processor's cache that had the line modified */
    EVENT_L3_REFERENCES,
    EVENT_LOAD_LATENCY,
    EVENT_PRECISE_STORES,
    EVENT_STORE_LATENCY,
    EVENT_BLOCKED_LOADS, /* blocked by a store that cannot forward: never happens in modelled time */
    EVENT_L1_FILLS,      /* loads and stores that miss the first-level cache */
    EVENT_STALLED,       /* no branch, and its data was not in the first-level cache */
    EVENT_OFFCORE_0,     /* a request and a response that MSR_OFFCORE_RSP_0 selects */
    EVENT_OFFCORE_1,
    EVENT_OMR_0, /* a request and a response that MSR_OMR_0 selects */
    EVENT_OMR_1,
    EVENT_OMR_2,
    EVENT_OMR_3,
    EVENT_KINDS,
    EVENT_NONE = EVENT_KINDS,
    /* these are computed from others: slots_kind() */
    EVENT_CYCLES,
    EVENT_SLOTS,
    EVENT_FRONTEND_SLOTS, /* this and the next two: lost in the front end, to bad speculation, in the back end */
    EVENT_BAD_SLOTS,
    EVENT_BACKEND_SLOTS,
    EVENT_ISSUED_SLOTS, /* retired or lost to bad speculation */
};

/* The PEBS records that an event can have. */
enum event_precision {
    NOT_PRECISE,
    PRECISE,
    PRECISE_WITH_ADDRESS, /* records have the address of the data */
};

struct profile_event {
    uint8_t select;
    uint16_t umask;    /* the second unit mask, if any, is above the first */
    uint8_t kind;      /* enum event_kind */
    uint16_t counters; /* bit i: IA32_PMCi can count it, if the processor has it */
    uint8_t precision; /* enum event_precision */
};

/* The registers that the model implements, by the manual's names. */
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
    REG_MSR_OMR_0, /* MSR_OFFCORE_RSP_x and MSR_OMR_x are in the order of their events */
    REG_MSR_OMR_1,
    REG_MSR_OMR_2,
    REG_MSR_OMR_3,
    REG_MSR_SNOOP_RSP_0,
    REG_MSR_SNOOP_RSP_1,
    REG_MSR_PEBS_MATRIX_VERT,
    REG_MSR_TC_PRECISE_EVENT,
    REG_MSR_LER_FROM_LIP,
    REG_MSR_LER_TO_LIP,
    REG_MSR_SMI_COUNT,
    REG_IA32_PEBS_BASE,
    REG_IA32_PEBS_INDEX,
    REG_IA32_RTIT_CTL,
    REG_TSX_FORCE_ABORT,
    REG_IA32_TSC_ADJUST,
    REG_STORED, /* the registers above are only stored, in an array; accesses to the registers below have effects */
    REG_IA32_PERF_GLOBAL_STATUS = REG_STORED,
    REG_IA32_PERF_GLOBAL_STATUS_RESET,
    REG_IA32_PERF_GLOBAL_STATUS_SET,
    REG_IA32_PERF_GLOBAL_INUSE,
    REG_IA32_PMC,
    REG_IA32_A_PMC, /* the full-width alias */
    REG_IA32_PERFEVTSEL,
    REG_IA32_FIXED_CTR,
    REG_IA32_PMC_CFG_B, /* CFG_B and CFG_C of general and of fixed counters; CFG_A is IA32_PERFEVTSELx */
    REG_IA32_PMC_CFG_C,
    REG_IA32_FIXED_CFG_B,
    REG_IA32_FIXED_CFG_C,
    REG_LASTBRANCH_FROM,
    REG_LASTBRANCH_TO,
    REG_LASTBRANCH_INFO,
    REG_LASTBRANCH_BOTH, /* FROM in the low doubleword, TO in the high doubleword */
    REG_NETBURST_COUNTER,
    REG_NETBURST_CCCR,
    REG_NETBURST_ESCR,
    REG_IA32_BIOS_SIGN_ID,
    REG_IA32_TIME_STAMP_COUNTER,
    REG_ZERO,          /* reads 0 */
    REG_ABSENT,        /* RDMSR and WRMSR raise #GP, even if QEMU has the register */
    REG_IA32_LBR_FROM, /* architectural LBR: 0 is the newest entry */
    REG_IA32_LBR_TO,
    REG_IA32_LBR_INFO,
};

/* Requirements on a written value, in addition to `writable`. */
enum msr_check {
    CHECK_BITS,
    CHECK_CANONICAL,
    CHECK_FLAG_AND_ADDRESS, /* canonical, except that bit 63 is a flag */
    CHECK_LBR_DEPTH,        /* a depth that the processor supports */
    CHECK_PHYSICAL,         /* below the limit of the physical-address width in CPUID */
};

struct profile_msr {
    uint32_t address;
    uint16_t count;    /* number of registers */
    uint8_t reg;       /* enum model_register */
    uint8_t check;     /* enum msr_check: WRMSR of a value that fails it raises #GP */
    bool read_only;    /* WRMSR raises #GP */
    uint64_t writable; /* WRMSR raises #GP if another bit is set, unless it is in `ignored` */
    uint64_t ignored;  /* bits that WRMSR accepts without effect */
    uint64_t reset;
    uint8_t stride; /* distance in addresses between two registers of the row; 0: 1 */
    uint8_t first;  /* the number of the row's first register in its array of registers */
};

/* A CPUID leaf: `keep` masks QEMU's answer, then the bits of `add` are set; EAX, EBX, ECX, EDX. */
struct profile_cpuid {
    uint32_t leaf, subleaf;
    bool indexed; /* the row is only for this subleaf */
    uint32_t keep[4], add[4];
    uint32_t last; /* the row applies to all leaves up to this one; 0: only to `leaf` */
};

/* A CPUID bit that software of the processor's time relies on, and that QEMU's -cpu must provide. */
struct profile_feature {
    uint32_t leaf;
    uint8_t reg; /* 0 to 3: EAX, EBX, ECX, EDX */
    uint8_t bit;
    const char *name;
    bool firmware; /* firmware can disable the feature, so software must work without it */
};

/* NetBurst counters, with ESCRs and CCCRs: netburst.c. */
enum netburst {
    NETBURST_NONE,
    NETBURST_SINGLE_THREADED, /* 0F_00 to 0F_02 as modelled */
    NETBURST_HYPER_THREADED,  /* 0F_03 and later; the other logical processor is never present */
};

/* The bits of flags in MSR_DEBUGCTLA, MSR_DEBUGCTLB or IA32_DEBUGCTL; 0: the processor lacks the flag. */
struct profile_debugctl {
    uint64_t lbr, tr, bts, btint, bts_off_os, bts_off_usr, freeze_lbrs, freeze_perfmon, freeze_while_smm;
};

/* The contents of an LBR entry in addition to its two addresses: LBR_FMT, IA32_PERF_CAPABILITIES[5:0]. */
enum lbr_format {
    LBR_FORMAT_32,
    LBR_FORMAT_LIP,
    LBR_FORMAT_EIP,
    LBR_FORMAT_EIP_FLAGS,   /* FROM[63]: mispredicted */
    LBR_FORMAT_EIP_FLAGS2,  /* also FROM[62:61]: in a transaction, aborted */
    LBR_FORMAT_INFO,        /* the same flags, and cycles, in LBR_INFO */
    LBR_FORMAT_TIME,        /* FROM[63]: mispredicted; TO[63:48]: cycles */
    LBR_FORMAT_ARCH = 0x3f, /* also the branch type, and whether the cycles are valid */
};

/* The modelled memory hierarchy, with lines of 64 bytes and pages of 4 KiB. A cache with 0 sets does not exist. */
enum data_level {
    LEVEL_L1,
    LEVEL_L2,
    LEVEL_L3,
    LEVEL_MEMORY,
    LEVEL_MODIFIED, /* another processor's cache, with the line modified */
    DATA_LEVELS
};

struct profile_array {
    unsigned sets, ways; /* sets: a power of two; at least as many as in the previous level */
};

struct profile_memory {
    struct profile_array caches[LEVEL_MEMORY];
    struct profile_array code;     /* the first-level instruction cache */
    uint8_t flags[LEVEL_MEMORY];   /* CPUID.4:EDX of each level, for both caches of the first level */
    struct profile_array tlb;      /* the last-level TLB */
    uint16_t latency[DATA_LEVELS]; /* core cycles from dispatch to data */
    uint16_t source[DATA_LEVELS];  /* a load's data source */
    uint16_t source_tlb_miss;      /* the bit for a miss of the last-level TLB; 0: none */
    uint16_t source_locked;        /* the bit for a locked access; 0: none */
};

/*
 * The bits of MSR_OFFCORE_RSP_x or MSR_OMR_x that select responses: any; a cache outside the core, or another core's;
 * memory. Linux, arch/x86/events/intel/core.c, the tables of cache events.
 */
struct profile_offcore {
    uint64_t any, hit, miss;
};

#define PROFILE_KINDS 4 /* maximum number of kinds of cores in a processor */

/* Tables of rows. Unused tables are empty and come last. */
#define PROFILE_TABLES 11

struct profile_msrs {
    const struct profile_msr *rows;
    unsigned count;
};

struct profile_events {
    const struct profile_event *rows;
    unsigned count;
};

/* IA32_PERF_CAPABILITIES[11:8] of a processor with architectural PEBS instead of the debug store's. */
#define PEBS_FORMAT_ARCH 15

struct profile {
    const char *name;
    /*
     * The relative of a variant, or what several processors share, or NULL. A variant names what differs: members that
     * are 0 have the relative's value.
     * Its rows of msrs and events precede the relative's, and its rows of cpuid replace the relative's of the same
     * leaf.
     */
    const struct profile *like;
    /* What the relative has and this does not. LACKS_EVENTS: no table of events of the relative, only its own. */
    enum { LACKS_LA57 = 1, LACKS_LATENCY_AUX = 2, LACKS_KINDS = 4, LACKS_EVENTS = 8 } lacks;
    bool only_data; /* other profiles reach all code that this one reaches, so boots of all rows leave it out */
    /*
     * A processor with several kinds of cores has a profile for each kind. The first one represents the whole
     * processor. All of them share the name, the brand string and the list of kinds, which is in the order of the
     * processors' numbers and ends with NULL.
     */
    const struct profile *const *kinds; /* NULL: only one kind of core */
    char letter;                        /* of the kind of core, in the option cores= */
    const char *core;                   /* the name of the kind of core */
    const char *brand;                  /* CPUID leaves 80000002h to 80000004h */
    uint32_t microcode;                 /* microcode revision, IA32_BIOS_SIGN_ID[63:32]: one that Intel has published */
    uint32_t max_leaf, max_extended;    /* leaves above these answer like the last one */
    const struct profile_cpuid *cpuid;  /* QEMU answers leaves without a row */
    unsigned cpuid_count;
    bool dtes64;
    unsigned physical_bits; /* CPUID.80000008H:EAX[7:0]; 0: as many as the machine has */
    bool la57;              /* 5-level paging, CPUID.7:ECX[16]: linear addresses have 57 bits instead of 48 */
    enum netburst netburst;
    unsigned perfmon_version; /* CPUID.0Ah:EAX[7:0]; 0: no such leaf */
    unsigned general_counters;
    uint32_t fixed_bitmap;  /* bit m: fixed counter m exists; there may be gaps */
    unsigned counter_width; /* bits */
    unsigned width;         /* slots of a cycle; 0: 1 */
    unsigned metrics;       /* fields of PERF_METRICS */
    bool one_enable;        /* IA32_PERFEVTSEL0.EN enables all counters */
    unsigned pebs_format;   /* IA32_PERF_CAPABILITIES[11:8] */
    bool pebs_fault_like;   /* records are made before the instruction; IA32_PERF_CAPABILITIES[6] is clear */
    bool pebs_one_page;     /* a PEBS buffer must not be larger than a page */
    bool pebs_extended;     /* fixed counters can sample, before format 4 */
    bool pebs_any_event;    /* events that are not precise can also be sampled */
    bool pebs_address_only; /* a record has the data address; the words of data source and latency are reserved */
    bool pebs_no_address;   /* with pebs_address_only: the word of the data address is reserved, too */
    unsigned pdir_counter;  /* the counter that records the overflowing instruction, not the next one */
    uint8_t pdir_select, pdir_umask;
    bool pebs_adaptive;      /* "PEBS baseline": records by MSR_PEBS_DATA_CFG, of any event, on fixed counters too */
    bool pebs_timing;        /* the basic group has a retire latency */
    bool pebs_cache_latency; /* the memory group has separate latencies of the data and the instruction */
    bool pebs_latency_aux;   /* load latency has a data source only while EVENT_BLOCKED_LOADS is counted */
    uint64_t pdist_counters; /* bits of IA32_PEBS_ENABLE: counters that record the overflowing instruction, ... */
    unsigned pdist_distance; /* ... if they were loaded with at least this many events to go */
    const struct profile_debugctl *debugctl;
    unsigned lbr_depth;   /* a power of two; for architectural LBR the largest depth */
    uint8_t lbr_depths;   /* architectural LBR: CPUID.1Ch:EAX[7:0], else 0 */
    uint8_t lbr_counters; /* bit i: LBR entries can count the events of IA32_PMCi; CPUID.1Ch:ECX[19:16] */
    enum lbr_format lbr_format;
    uint32_t predictor_slots; /* a power of two */
    bool bts_predicted;       /* BTS records say whether the branch was predicted */
    struct profile_memory memory;
    struct profile_offcore offcore;
    /* The first row for an address or event applies: the processor's own rows come before those of its family. */
    struct profile_msrs msrs[PROFILE_TABLES];
    struct profile_events events[PROFILE_TABLES];
    const struct profile_feature *features;
    unsigned feature_count;
};

/* The profile with this name, or NULL. */
const struct profile *profile_find(const char *name);

/* The profile of the index-th kind of core, or NULL past the last. Index 0 is the profile itself. */
const struct profile *profile_kind(const struct profile *profile, unsigned index);

/* The row of the register at this address, or NULL. */
const struct profile_msr *profile_find_msr(const struct profile *profile, uint32_t address);

/* The number of the register at this address, which must be the row's, in its array of registers. */
static inline unsigned profile_msr_number(const struct profile_msr *row, uint32_t address)
{
    return row->first + (address - row->address) / (row->stride == 0 ? 1 : row->stride);
}

/* The number of the last fixed counter, plus 1. */
static inline unsigned profile_fixed_counters(const struct profile *profile)
{
    return profile->fixed_bitmap == 0 ? 0 : 32 - (unsigned)__builtin_clz(profile->fixed_bitmap);
}

/* Whether a register belongs to the LBR stack: the top-of-stack pointer, or a register of an entry. */
bool profile_is_lbr_stack(enum model_register reg);

/* The event of this select and unit mask on IA32_PMC[counter], or NULL. */
const struct profile_event *profile_find_event(const struct profile *profile, unsigned select, unsigned umask,
                                               unsigned counter);

/* The index-th profile in the order of release, or NULL past the last. For a hybrid, its first kind of core. */
const struct profile *profile_at(unsigned index);

/* The name of the index-th profile, or NULL past the last. */
const char *profile_name(unsigned index);

/* The brand string of the index-th profile, or NULL past the last. */
const char *profile_brand(unsigned index);

/* The relative of the index-th profile, if the two differ only in data; otherwise NULL. */
const char *profile_relative(unsigned index);

/* The width of the processor's widest mode: 64 with long mode, else 32; 0 past the last. */
unsigned profile_width(unsigned index);

#endif

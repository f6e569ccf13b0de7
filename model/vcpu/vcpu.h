/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one modelled processor, by facility, and questions that several facilities ask of it. */
#ifndef MODEL_VCPU_VCPU_H
#define MODEL_VCPU_VCPU_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/bytes/adaptive.h"
#include "model/bytes/encode.h"
#include "model/insn/block.h"
#include "model/processors/profile.h"
#include "model/vcpu/host.h"
#include "model/vcpu/hot.h"
#include "model/vcpu/registers.h"

#define PEBS_STAGE     51200        /* bytes: much, because a write to the guest's memory costs as much as records */
#define MAX_COUNTERS   18           /* general ones first, fixed ones behind */
#define STEPPER        MAX_COUNTERS /* one more, which no register shows: it overflows at every instruction */
#define MAX_LBR        32
#define LBR_COUNTERS   4 /* general counters whose events an LBR entry can count */
#define MAX_VIOLATIONS 96

/* Addresses of NetBurst's registers. Not every address of the last range is a register. */
#define NETBURST_FIRST_COUNTER 0x300
#define NETBURST_FIRST_CCCR    0x360
#define NETBURST_FIRST_ESCR    0x3a0
#define NETBURST_ESCRS         66

/* MSR_UNKNOWN: not a register of the model. MSR_GP: #GP(0), and nothing changes. */
enum msr_answer { MSR_UNKNOWN, MSR_DONE, MSR_GP };

struct data_cache;
struct rules;
struct latitude;

struct counter {
    uint64_t value;       /* counter_width bits */
    unsigned event_class; /* EVENT_CLASSES when the counter counts nothing */
    bool active;
    bool pebs;    /* its overflow arms PEBS */
    bool address; /* records have the address of the data */
    bool pdir;
    bool imprecise;  /* its event belongs to no instruction: the record is made at the next opportunity */
    bool near;       /* loaded with too few events to go for precise distribution */
    bool adaptive;   /* records have the groups of MSR_PEBS_DATA_CFG */
    bool lbrs;       /* records have LBR entries */
    bool counts;     /* records have the counts of counters */
    bool interrupts; /* PMI on overflow */
    bool cycles;     /* instructions stand for the cycles that it counts */
    bool quiet;      /* its overflow shows by nothing but the record of the next event, unless it is recorded itself */
    bool armed;      /* has overflowed; the next event writes the record, ... */
    bool arming;     /* ... but not yet: the processor needs time */
    bool moved;      /* the event happened since the counters were last updated */
    /* NetBurst only */
    bool forced; /* every event overflows */
    bool late;   /* PMI at the event after the overflow, for which the counter is armed */
};

struct data_access {
    uint64_t address;
    uint64_t source;  /* as encoded in the record */
    uint64_t latency; /* cycles */
};

/* A branch as an LBR entry describes it. */
struct lbr_contents {
    uint64_t from, to;
    uint64_t cycles; /* as counted: may exceed what an entry holds */
    bool mispredicted;
    bool timed;                    /* the cycles are known */
    uint8_t end;                   /* enum block_end */
    uint32_t events[LBR_COUNTERS]; /* since the entry before, as counted: may exceed what an entry holds */
};

/*
 * A point of execution: before instruction `index` of `block`, whose count is already added. Without a block: between
 * two blocks.
 */
struct place {
    const struct block *block;
    unsigned index;
};
#define BETWEEN_BLOCKS ((struct place){ NULL, 0 })

struct vcpu {
    unsigned number;
    const struct profile *profile;
    const struct rules *rules;
    struct latitude *latitude; /* what its rules remember (model/latitude); NULL: they are the manual's */
    const struct host *host;
    void *cpu;
    FILE *truth, *violations; /* NULL: no log */
    struct hot *hot;
    uint64_t *predictor;
    struct data_cache *cache;
    void *ring_memory;
    const struct block **places; /* of the ring: ENGINE_RING + 1, in ring_memory */
    struct block *kept;          /* copies for the ring, made when translations go */
    struct block *kept_last;     /* a whole copy of the block that runs */
    struct { /* everything that translated code must report, for all that this processor has ever enabled */
        bool blocks, data;
        uint64_t classes; /* bit i: inline class i */
    } wants;
    struct {                    /* what a debugger waits for: */
        bool record, threshold; /* the next record; an index that reaches its threshold */
        bool hit;               /* it has happened: the processor is to be stopped */
    } watch;

    /* A reset clears all members from here on. */
    uint64_t regs[REG_STORED];
    uint64_t event_select[MAX_COUNTERS]; /* IA32_PERFEVTSELx, or NetBurst's CCCRs */
    uint64_t escr[NETBURST_ESCRS];       /* by address */
    struct {
        uint64_t b, c; /* IA32_PMC_GPx_CFG_B and _C, and those of the fixed counters */
    } config[MAX_COUNTERS];
    uint64_t status; /* IA32_PERF_GLOBAL_STATUS */
    struct counter counters[MAX_COUNTERS + 1];

    struct {
        uint32_t active; /* bit i: counters[i] is active */
        unsigned class_count;
        struct counted_class {
            unsigned id;
            uint32_t counters; /* bit i: counters[i] is active, and counts this class */
            uint64_t base;     /* hot->counts when the counters were last updated */
        } classes[MAX_COUNTERS + 1];
        uint32_t reloads[MAX_COUNTERS + 1]; /* bit i of each: its overflow reloads counters[i] */
        bool outcomes;                      /* some counter counts outcomes of branches */
        bool data;                          /* some counter counts memory accesses */
    } counting;

    struct {
        uint64_t slots; /* fixed counter 3, when PERF_METRICS had the value in regs */
    } metrics;

    struct {
        unsigned start; /* first place of a block that began and was not processed */
    } ring;

    struct {
        uint64_t time;        /* cycles */
        uint64_t last;        /* the branch whose outcome was counted last */
        uint64_t left_behind; /* the instruction that retired last when a block was left in the middle */
    } branches;

    struct {
        bool on;
        bool timed;                    /* cycles have been counted since the previous entry */
        uint64_t time;                 /* cycles; at the newest entry */
        uint32_t logged;               /* bit i: entries count the events of counters[i] */
        uint32_t events[LBR_COUNTERS]; /* of each since the branch that was gathered last, ... */
        uint32_t passed[LBR_COUNTERS]; /* ... and before it since the newest entry, which branches left out follow */
        uint64_t repeated; /* the REP instruction that may go on in the next block, and is counted; else 0 */
        struct lbr_entry stack[MAX_LBR];
        struct lbr_contents told[MAX_LBR]; /* the branches of these entries, as in the truth log */
        uint32_t written;                  /* bit i: software wrote to stack[i] since */
    } lbr;

    struct {
        struct ds_area area; /* as read last */
        struct ds_form form; /* of the area and of the records */
    } ds;

    struct {
        bool on;
        unsigned staged; /* records not yet in memory */
        uint64_t at;     /* their address */
        uint8_t stage[ENGINE_RING * ENCODE_BTS_MAX];
        uint64_t last; /* one of the branches staged last, to which a loss is attributed */
    } bts;

    struct {
        uint64_t enabled; /* bit i: PEBS is on for counters[i] */
        bool lbrs;        /* records may include the LBR stack */
        bool counts;      /* records may include counts of branches' outcomes */
        bool dropping;    /* the last record found no room */
        size_t staged;    /* bytes not yet in memory */
        uint64_t at;      /* their address */
        uint64_t first;   /* the instruction of the first staged record */
        uint8_t stage[PEBS_STAGE + ADAPTIVE_MAX_BYTES];
    } pebs;

    struct {
        bool wanted;
        bool under_way;   /* wanted, and not raised yet, because it skids */
        unsigned left;    /* instructions until it is raised */
        bool lbrs_follow; /* the request has not frozen the LBR stack: the PMI does */
        bool raised;      /* since the last pmi_taken() */
    } pmi;

    struct { /* accesses so far of the instruction that accesses memory */
        uint64_t ip;
        unsigned cpl;
        bool loads, stores, locked;
        bool untaggable; /* cannot be tagged, so NetBurst does not count its accesses */
        bool split_load, split_store, stlb_load, stlb_store;
        struct data_access load, store; /* the slowest of each */
        unsigned level, store_level;    /* levels of the two */
        bool source_known;              /* load latency records have a data source */
    } data;

    struct {
        uint64_t reported[MAX_VIOLATIONS]; /* address where each violation was reported last, plus 1 */
        struct ds_area seen;               /* the area as the processor left it in memory */
        bool watching;                     /* seen is up to date */
        uint64_t unloaded;                 /* bit i: counters[i] was reloaded with 0, and has not been written since */
        uint64_t unacknowledged;           /* global status as a PMI found it, less bits reset since */
        bool pmi_under_way;                /* not yet delivered to its handler */
        bool pmi_fixed;                    /* delivered with a fixed vector, not as NMI */
        uint8_t pmi_vector;
        bool masked_by_pmi; /* the mask bit in LVTPC was set by delivery, as far as can be seen */
    } referee;
};

/* Whether a flag of the DEBUGCTL register that this processor has, or with several flags one of them, is set. */
static inline bool vcpu_debugctl(const struct vcpu *v, uint64_t flags)
{
    return v->regs[REG_IA32_DEBUGCTL] & flags;
}

static inline bool vcpu_is_netburst(const struct vcpu *v)
{
    return v->profile->netburst != NETBURST_NONE;
}

static inline bool vcpu_is_arch_pebs(const struct vcpu *v)
{
    return v->profile->pebs_format == PEBS_FORMAT_ARCH;
}

static inline unsigned vcpu_counters(const struct vcpu *v)
{
    return v->profile->general_counters + profile_fixed_counters(v->profile);
}

/* Whether counters[i], below vcpu_counters(), is a counter that the processor has. */
static inline bool vcpu_has_counter(const struct vcpu *v, unsigned i)
{
    const unsigned general = v->profile->general_counters;

    return i < general || (v->profile->fixed_bitmap >> (i - general) & 1);
}

/* A mask of a counter's bits. */
static inline uint64_t vcpu_width_mask(const struct vcpu *v)
{
    return (UINT64_C(1) << v->profile->counter_width) - 1;
}

/* The bit of a counter in IA32_PERF_GLOBAL_STATUS, _CTRL and IA32_PEBS_ENABLE. */
static inline uint64_t vcpu_counter_bit(const struct vcpu *v, unsigned i)
{
    unsigned general = v->profile->general_counters;

    return UINT64_C(1) << (i < general ? i : FIXED_STATUS_SHIFT + i - general);
}

static inline enum event_kind vcpu_counted(const struct counter *c)
{
    return (enum event_kind)(c->event_class / EVENT_QUALIFIERS);
}

/* Bit i: counters[i] counts for PEBS. */
static inline uint64_t vcpu_pebs_counters(const struct vcpu *v)
{
    return v->pebs.enabled & v->counting.active;
}

/* Those of them whose records go into the debug store. */
static inline uint64_t vcpu_ds_pebs_counters(const struct vcpu *v)
{
    return vcpu_is_arch_pebs(v) ? 0 : vcpu_pebs_counters(v);
}

/* A record was written, and the index has reached its threshold or not. */
static inline void vcpu_written(struct vcpu *v, bool reached)
{
    v->watch.hit = v->watch.hit || v->watch.record || (v->watch.threshold && reached);
}

/* Entries of the LBR stack: a power of two. */
static inline unsigned vcpu_lbr_depth(const struct vcpu *v)
{
    return v->profile->lbr_depths ? (unsigned)v->regs[REG_IA32_LBR_DEPTH] : v->profile->lbr_depth;
}

/* The reset value of v->counters[i], in the DS area or in its own registers. */
static inline uint64_t vcpu_reset_value(const struct vcpu *v, unsigned i)
{
    if (vcpu_is_arch_pebs(v)) {
        return (uint64_t)(int64_t)(int32_t)v->config[i].c;
    }
    const unsigned slots = encode_general_resets(&v->ds.form);
    const unsigned general = v->profile->general_counters;

    if (i >= general) {
        return i - general < encode_fixed_resets(&v->ds.form) ? v->ds.area.reset[slots + i - general] : 0;
    }
    if (vcpu_is_netburst(v)) {
        return v->ds.area.reset[0]; /* the only counter that can sample */
    }
    return i < slots ? v->ds.area.reset[i] : 0;
}

/* The place in v->lbr.stack of the i-th newest entry, and the entry. */
static inline unsigned vcpu_lbr_place(const struct vcpu *v, unsigned i)
{
    return (unsigned)(v->regs[REG_MSR_LASTBRANCH_TOS] - i) & (vcpu_lbr_depth(v) - 1);
}

static inline struct lbr_entry *vcpu_lbr_newest(struct vcpu *v, unsigned i)
{
    return &v->lbr.stack[vcpu_lbr_place(v, i)];
}

#endif

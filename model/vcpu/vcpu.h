/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one modelled processor, by facility, and functions on it that several facilities use. */
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

#define PEBS_STAGE   51200        /* bytes; large, because each write to the guest's memory is slow */
#define MAX_COUNTERS 18           /* the general counters, followed by the fixed ones */
#define STEPPER      MAX_COUNTERS /* a hidden extra counter, which overflows at every instruction */
#define MAX_LBR      32
#define MOST_RULES   96  /* of the referee */
#define MOST_REPORTS 100 /* lines of a rule that the referee prints for a processor */
#define LBR_COUNTERS 4   /* general counters whose events an LBR entry can count */

/* Addresses of NetBurst's registers. Not every address of the last range is a register. */
#define NETBURST_FIRST_COUNTER 0x300
#define NETBURST_FIRST_CCCR    0x360
#define NETBURST_FIRST_ESCR    0x3a0
#define NETBURST_ESCRS         66

/* MSR_UNKNOWN: not a register of the model. MSR_GP: raises #GP(0), without any effect. */
enum msr_answer { MSR_UNKNOWN, MSR_DONE, MSR_GP };

/* What writes records to memory. */
enum facility { FACILITY_BTS, FACILITY_PEBS, FACILITIES };

struct data_cache;
struct rules;
struct latitude;

enum counter_state {
    COUNTER_COUNTS, /* it has not overflowed */
    COUNTER_ARMING, /* it has overflowed, and the processor needs time */
    COUNTER_ARMED   /* the next event writes the record or, on NetBurst, raises the PMI */
};

struct counter {
    uint64_t value; /* counter_width bits */
    enum counter_state state;
    bool happened; /* its event has happened since the counters were last updated */
    bool too_near; /* loaded with fewer events to the overflow than precise distribution needs */
    unsigned rest; /* counted parts of the next event, fewer than `parts` */

    /* What its registers select */
    unsigned event_class; /* EVENT_CLASSES: the counter counts nothing */
    bool active;
    bool known;      /* general counters, except NetBurst's: the model has the event */
    bool cycles;     /* it counts cycles */
    bool interrupts; /* PMI on overflow */
    bool pebs;       /* its overflow arms PEBS */
    bool only_arms;  /* its overflow has no other effect */
    bool pdir;
    bool imprecise; /* its event belongs to no instruction: the record describes the instruction that retires then */
    bool address;   /* records have the address of the data */
    bool adaptive;  /* records have the groups of MSR_PEBS_DATA_CFG */
    bool lbrs;      /* records have LBR entries */
    bool counts;    /* records have the counts of counters */
    /*
     * scaled: an event of the class is each / parts events of the counter. ACCOUNT_FRONTEND counts only events that
     * lost no slots. ACCOUNT_ISSUED adds more / parts if a branch was mispredicted.
     */
    bool scaled;
    enum { ACCOUNT_ALL, ACCOUNT_FRONTEND, ACCOUNT_ISSUED } account;
    unsigned each, parts, more;
    /* NetBurst only */
    bool forced;    /* every event overflows */
    bool pmi_after; /* PMI at the event after the overflow, for which the counter is armed */
};

struct data_access {
    uint64_t address;
    uint64_t source;  /* as encoded in the record */
    uint64_t latency; /* cycles */
};

/* A branch as an LBR entry describes it. */
struct lbr_contents {
    uint64_t from, to;
    uint64_t cycles; /* as counted: may exceed the maximum of an entry */
    bool mispredicted;
    bool timed;                    /* the cycles are known */
    uint8_t end;                   /* enum block_end */
    uint32_t events[LBR_COUNTERS]; /* since the previous entry, as counted: may exceed the maximum of an entry */
};

/*
 * A point of execution: before instruction `index` of `block`, whose events are already added. block NULL: between two
 * blocks.
 */
struct place {
    const struct block *block;
    unsigned index;
};
#define BETWEEN_BLOCKS ((struct place){ NULL, 0 })

/* What translated code must report. */
struct hooks {
    bool blocks;
    bool data;        /* only together with blocks */
    bool ring;        /* all blocks, into the ring; otherwise only the newest block is known */
    uint64_t classes; /* bit i: inline class i */
};

static inline struct hooks hooks_of_both(struct hooks a, struct hooks b)
{
    return (struct hooks){ a.blocks || b.blocks, a.data || b.data, a.ring || b.ring, a.classes | b.classes };
}

static inline bool hooks_are_equal(struct hooks a, struct hooks b)
{
    return a.blocks == b.blocks && a.data == b.data && a.ring == b.ring && a.classes == b.classes;
}

/* Whether `some` are all among `of`. */
static inline bool hooks_are_among(struct hooks some, struct hooks of)
{
    return hooks_are_equal(hooks_of_both(some, of), of);
}

struct vcpu {
    unsigned number;
    const struct profile *profile;
    const struct rules *rules;
    struct latitude *latitude; /* state of its freedoms (model/latitude); NULL: none */
    const struct host *host;
    void *cpu;
    FILE *truth, *violations; /* NULL: no log */
    bool shares_line;         /* `violations` and the guest's output are the same file or terminal */
    struct hot *hot;
    uint64_t *predictor;
    struct data_cache *cache;
    const struct block **ring_memory;
    const struct block **places; /* the ring's places, ENGINE_RING, and one for a block after a drain; in ring_memory */
    const struct block **noted;  /* place of the next block in the ring */
    struct block *kept;          /* copies for the ring, made before translations are freed */
    struct block *kept_last;     /* a full copy of the running block */
    uint64_t width_mask;         /* counter_width bits */
    unsigned ipc;                /* instructions that retire in a cycle; 0 before engine_init(): 1 */
    struct hooks uses;           /* what the processor needs reported now */
    struct hooks wants;          /* of the translations that it runs: at least `uses` */
    struct {                     /* what a debugger waits for: */
        bool record, threshold;  /* the next record; an index that reaches its threshold */
        bool hit;                /* it has happened: stop the processor */
    } watch;

    struct {       /* of each facility, since the machine began: */
        bool used; /* it was enabled */
        uint64_t records, pmis;
    } activity[FACILITIES];
    struct {                           /* of each rule of the referee: */
        uint64_t hashes[MOST_REPORTS]; /* the reports that were printed, by instruction and field */
        unsigned count;                /* of these */
        uint64_t omitted;              /* number of reports that were not printed */
    } reports[MOST_RULES];

    /* A reset clears all members from here on. */
    uint64_t regs[REG_STORED];
    uint64_t event_select[MAX_COUNTERS]; /* IA32_PERFEVTSELx, or NetBurst's CCCRs */
    uint64_t escr[NETBURST_ESCRS];       /* by address */
    struct {
        uint64_t b, c; /* IA32_PMC_GPx_CFG_B and _C, or those of the fixed counters */
    } config[MAX_COUNTERS];
    uint64_t status; /* IA32_PERF_GLOBAL_STATUS */
    struct counter counters[MAX_COUNTERS + 1];

    struct {
        uint32_t active; /* bit i: counters[i] is active */
        unsigned class_count;
        struct counted_class {
            unsigned id;
            uint32_t counters;     /* bit i: counters[i] is active, and counts this class */
            uint64_t base;         /* hot->counts at the last update of the counters */
            uint64_t bad, stalled; /* of counting.bad and .stalled, what the counters have */
        } classes[MAX_COUNTERS + 1];
        uint32_t reloads[MAX_COUNTERS + 1]; /* bit i of each: its overflow reloads counters[i] */
        bool outcomes;                      /* a counter counts outcomes of branches */
        bool data;                          /* a counter counts memory accesses: */
        bool data_of[2];                    /* those of code with CPL 0; of other code */
        struct {                            /* for accesses that change nothing in the caches, counted at once: */
            uint64_t *count;                /* of their class; NULL: data_accessed() must look closer */
            unsigned events[2];             /* that a load adds; that a store adds */
        } hit[2];                           /* of code with CPL 0; of other code */
        uint64_t uncounted;                 /* where `count` points if no counter counts them */
        bool code;                          /* a counter counts misses of code */
        bool slots;                         /* a counter needs to know which slots are lost: */
        uint64_t bad[EVENT_QUALIFIERS];     /* mispredicted branches, and */
        uint64_t stalled[EVENT_QUALIFIERS]; /* EVENT_STALLED */
    } counting;

    struct {
        uint64_t slots;        /* fixed counter 3 at the time when PERF_METRICS had the value in regs */
        uint64_t bad, stalled; /* instructions since then that lost slots of this counter */
    } metrics;

    struct {
        unsigned start; /* place of the first block that began and was not processed */
    } ring;

    struct {
        uint64_t time;         /* retired instructions */
        uint64_t last;         /* the last branch whose outcome was counted */
        uint64_t last_retired; /* the instruction, if no block runs: a block was left in the middle, or interrupted */
    } branches;

    struct {
        bool on;
        bool timed;                    /* cycles have been counted since the previous entry */
        bool forgot;                   /* branches_forget() has dropped branches since software could read TOS */
        uint64_t time;                 /* of the newest entry, in instructions */
        uint32_t logged;               /* bit i: entries count the events of counters[i] */
        uint32_t events[LBR_COUNTERS]; /* counts since the last gathered branch, ... */
        uint32_t passed[LBR_COUNTERS]; /* ... and before: of filtered branches since the newest entry */
        uint64_t repeated;             /* the counted REP instruction that may continue in the next block; 0: none */
        struct lbr_entry stack[MAX_LBR];
        struct lbr_contents contents[MAX_LBR]; /* the branches of these entries, as logged */
        uint32_t written;                      /* bit i: software has overwritten stack[i] */
    } lbr;

    struct {
        struct ds_area area; /* as last read */
        struct ds_form form; /* of the area and of the records */
    } ds;

    struct {
        bool on;
        unsigned staged; /* number of records not yet in memory, or not yet in its index */
        bool lost;       /* the area could not be read */
        uint64_t at;     /* address of the staged records in the guest */
        uint8_t stage[ENGINE_RING * ENCODE_BTS_MAX];
        uint64_t last; /* one of the last staged branches, for reports of lost records */
    } bts;

    struct {
        uint64_t enabled;                                /* bit i: PEBS is enabled for counters[i] */
        bool lbrs;                                       /* records may include the LBR stack */
        bool counts;                                     /* records may include counts of branches' outcomes */
        bool dropping;                                   /* the last record did not fit */
        struct {                                         /* fault-like records: */
            bool wanted;                                 /* a counter samples, so each instruction is stepped */
            uint64_t rflags, general[GENERAL_REGISTERS]; /* before the next one */
        } before;
        size_t staged;    /* bytes not yet in memory */
        unsigned records; /* in these bytes */
        uint64_t at;      /* their address in the guest */
        uint64_t first;   /* the instruction of the first staged record */
        uint8_t stage[PEBS_STAGE + ADAPTIVE_MAX_BYTES];
    } pebs;

    struct {
        bool wanted;
        bool asked[FACILITIES]; /* it is wanted because this facility's threshold was reached */
        bool under_way;         /* requested but not raised yet, because it skids */
        unsigned left;          /* number of instructions until it is raised */
        bool lbrs_follow;       /* the LBR stack freezes at the PMI, not at the request */
        bool raised;            /* since the last pmi_taken() */
    } pmi;

    struct accesses { /* of the current instruction so far */
        uint64_t ip;
        unsigned cpl;
        bool loads, stores, locked;
        bool untaggable; /* cannot be tagged, so NetBurst does not count its accesses */
        bool split_load, split_store, stlb_load, stlb_store;
        bool branches;                  /* the instruction is a branch */
        struct data_access load, store; /* the slowest load and the slowest store */
        unsigned level, store_level;    /* their levels */
        bool source_known;              /* load latency records have a data source */
        uint64_t hit_address;           /* of hot->hit */
        bool hit_store;
    } data;

    struct {
        struct ds_area seen;          /* the area as the processor left it in memory */
        bool watching;                /* `seen` is up to date */
        uint64_t written_pebs;        /* the index that the processor last wrote */
        uint64_t unloaded;            /* bit i: counters[i] was reloaded with 0 and not written since */
        uint64_t off, off_ip, global; /* bit i: since off_ip counters[i] should count and does not; GLOBAL_CTRL then */
        uint64_t unstarted, unstarted_ip; /* bit i: since then only IA32_PERF_GLOBAL_CTRL keeps counters[i] off */
        uint64_t near;                    /* bit i: software loaded counters[i] with less than half its range to go */
        uint64_t far;                     /* bit i: with half or more to go; not set by 0, where counting may start */
        uint64_t kept_pebs, kept_bts;     /* the index at the PMI of the threshold, until it is reset; else 0 */
        uint64_t unacknowledged;          /* global status at a PMI, without the bits cleared since */
        const char *lbr_register; /* it lets the LBR stack store nothing, with lbr_value since lbr_ip; NULL: none */
        uint64_t lbr_value, lbr_ip;
        uint64_t checked_base; /* the value of IA32_PEBS_BASE whose buffer was checked last */
        uint64_t index_ip;     /* the last instruction that started a counter while IA32_PEBS_INDEX has EN; 0: none */
        bool index_used;       /* a counter has sampled since EN was set */
        bool pmi_under_way;    /* not yet delivered to its handler */
        bool pmi_served;       /* it has a handler, which begins and ends visibly: fixed vector or NMI */
        uint8_t pmi_vector;    /* HOST_NMI: NMI */
        uint64_t handler, handler_sp; /* address and stack pointer of the first instruction of the last handler */
        bool masked_by_pmi;           /* as far as the model can see, delivery set LVTPC's mask bit */
    } referee;
};

/* Whether any of these flags is set in the processor's DEBUGCTL register. Flags that it lacks are 0. */
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

/* Whether the processor has counters[i]; i must be below vcpu_counters(). */
static inline bool vcpu_has_counter(const struct vcpu *v, unsigned i)
{
    const unsigned general = v->profile->general_counters;

    return i < general || (v->profile->fixed_bitmap >> (i - general) & 1);
}

/* The mask of a counter's bits. */
static inline uint64_t vcpu_width_mask(const struct vcpu *v)
{
    return v->width_mask;
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

/* Bit i: counters[i] is sampling (PEBS). */
static inline uint64_t vcpu_pebs_counters(const struct vcpu *v)
{
    return v->pebs.enabled & v->counting.active;
}

/* The sampling counters whose records go into the DS area. */
static inline uint64_t vcpu_ds_pebs_counters(const struct vcpu *v)
{
    return vcpu_is_arch_pebs(v) ? 0 : vcpu_pebs_counters(v);
}

/* A record was written. reached: the index has reached the threshold. */
static inline void vcpu_written(struct vcpu *v, bool reached)
{
    v->watch.hit = v->watch.hit || v->watch.record || (v->watch.threshold && reached);
}

/* Number of entries of the LBR stack: a power of two. */
static inline unsigned vcpu_lbr_depth(const struct vcpu *v)
{
    return v->profile->lbr_depths ? (unsigned)v->regs[REG_IA32_LBR_DEPTH] : v->profile->lbr_depth;
}

/* The place of v->counters[i]'s reset value in the DS area; ENCODE_RESETS_MAX: it has none. */
static inline unsigned vcpu_reset_slot(const struct vcpu *v, unsigned i)
{
    const unsigned slots = encode_general_resets(&v->ds.form);
    const unsigned general = v->profile->general_counters;

    if (i >= general)
        return i - general < encode_fixed_resets(&v->ds.form) ? slots + i - general : ENCODE_RESETS_MAX;
    if (vcpu_is_netburst(v))
        return 0; /* the only counter that can sample */
    return i < slots ? i : ENCODE_RESETS_MAX;
}

/* The reset value of v->counters[i], from the DS area or from CFG_C. */
static inline uint64_t vcpu_reset_value(const struct vcpu *v, unsigned i)
{
    if (vcpu_is_arch_pebs(v))
        return (uint64_t)(int64_t)(int32_t)v->config[i].c;
    const unsigned slot = vcpu_reset_slot(v, i);

    return slot < ENCODE_RESETS_MAX ? v->ds.area.reset[slot] : 0;
}

/* The place in v->lbr.stack of the i-th newest entry, and that entry. */
static inline unsigned vcpu_lbr_place(const struct vcpu *v, unsigned i)
{
    return (unsigned)(v->regs[REG_MSR_LASTBRANCH_TOS] - i) & (vcpu_lbr_depth(v) - 1);
}

static inline struct lbr_entry *vcpu_lbr_newest(struct vcpu *v, unsigned i)
{
    return &v->lbr.stack[vcpu_lbr_place(v, i)];
}

#endif

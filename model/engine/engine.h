/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug store of one processor as a state machine, without QEMU: it is told of MSR accesses, of blocks that begin
 * and of interruptions, and answers with values, faults, records in memory and interrupts, all through struct host.
 *
 * Which file does what: engine.c begins, ends and delivers; msr.c the registers; counting.c counters and overflow;
 * pebs.c PEBS records; branches.c what a branch leaves behind in BTS and the LBR stack; lbr_arch.c that stack where it
 * is architectural; data.c memory accesses; referee*.c what the manual forbids.
 *
 * Time. One instruction takes one cycle. Batches. Branches are gathered in a ring and worked through when it is full,
 * when the next branch could raise an interrupt, and before anything by which software may look: an access to any MSR,
 * CPUID, RDPMC, an interrupt or exception. This is the modelled store buffer: a guest that reads the DS area by a plain
 * load while tracing sees BTS records up to ENGINE_RING blocks late, and PEBS records up to PEBS_STAGE bytes late.
 */
#ifndef MODEL_ENGINE_ENGINE_H
#define MODEL_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/code/block.h"
#include "model/engine/adaptive.h"
#include "model/engine/data_cache.h"
#include "model/engine/encode.h"
#include "model/faults/faults.h"
#include "model/faults/lies.h"
#include "model/processors/profile.h"
#include "model/referee/referee.h"

#define ENGINE_RING      2048  /* blocks */
#define PEBS_STAGE       12800 /* bytes */
#define MAX_COUNTERS     18    /* general ones first, fixed ones behind */
#define MAX_LBR          32
#define EVENT_QUALIFIERS 3

/* Where NetBurst's registers lie. Not every address of the last range is one. */
#define NETBURST_FIRST_COUNTER 0x300
#define NETBURST_FIRST_CCCR    0x360
#define NETBURST_FIRST_ESCR    0x3a0
#define NETBURST_ESCRS         66

/*
 * An event counted in all rings, in ring 0 only or outside it only is a class of its own, with a running count that
 * says how far the nearest counter is from overflow, or from the event behind it if that alone shows: the event that
 * takes it to CLASS_DUE is the one. CLASS_DUE is more than a counter can be away. CLASS_FORCE on top makes the next
 * block's check call the engine in any case.
 */
enum event_qualifier { ANY_RING, RING_0, OTHER_RINGS };
#define EVENT_CLASSES  (EVENT_KINDS * EVENT_QUALIFIERS)
#define INLINE_CLASSES (EVENT_OUTCOMES * EVENT_QUALIFIERS) /* at most 64 */
#define CLASS_DUE      (UINT64_C(1) << 49)
#define CLASS_FORCE    (UINT64_C(1) << 56)

static inline unsigned event_class(enum event_kind kind, enum event_qualifier qualifier)
{
    return (unsigned)kind * EVENT_QUALIFIERS + (unsigned)qualifier;
}

/* What translated code reads and writes by itself, one a processor. */
struct hot {
    uint64_t tracing;          /* what a block takes in the ring: 0 while branches are not wanted */
    const struct block *block; /* the block that began last; NULL after an interruption */
    uint64_t stop_at;          /* address before which engine_stop wants to be called, 0 for none */
    uint64_t fix_up;           /* the glue's: registers are to be replaced after CPUID or RDMSR */
    uint64_t data_pending;     /* the instruction before this one accessed memory */
    uint64_t counts[EVENT_CLASSES];
    uint64_t noted;                            /* where in the ring the next block goes, in bytes */
    const struct block *ring[ENGINE_RING + 1]; /* one more for what comes after a drain */
};

/* Of hot->noted. */
#define RING_FULL        (ENGINE_RING * sizeof(const struct block *))
#define RING_NEARLY_FULL (RING_FULL - sizeof(const struct block *))

struct registers {
    uint64_t general[GENERAL_REGISTERS];
    uint64_t rflags;
};

enum in_service { NOT_IN_SERVICE, IN_SERVICE, SERVICE_UNSEEN };

/* The world outside one processor. cpu is what engine_init was given. */
struct host {
    /* Guest memory by linear address, through the page tables of the moment. False where a byte is not mapped. */
    bool (*read)(void *cpu, uint64_t address, void *bytes, size_t size);
    bool (*write)(void *cpu, uint64_t address, const void *bytes, size_t size);
    /* The register file as it stands after the instruction that retired last, which is followed by the one at ip. */
    void (*registers)(void *cpu, uint64_t ip, struct registers *registers);
    /* XMM0 to XMM15 at that moment, the low quadword of each first. */
    void (*xmm)(void *cpu, uint64_t xmm[XMM_REGISTERS][2]);
    /* What RDTSC would read. */
    uint64_t (*tsc)(void *cpu);
    /* Delivers what LVTPC says and sets its mask bit; returns LVTPC as it stood before. */
    uint32_t (*pmi)(void *cpu);
    /* Whether IA-32e mode is active (IA32_EFER.LMA). */
    bool (*ia32e)(void *cpu);
    /* Page-table entry flags of a linear address (P, RW, US, A, D, G, NX of the leaf), 0 where it is not mapped. */
    uint64_t (*page)(void *cpu, uint64_t address);
    /* Whether code that has run lies in the 4 KiB page at this linear address. */
    bool (*has_code)(void *cpu, uint64_t address);
    /* Whether another processor that is recording has this linear address in IA32_DS_AREA. */
    bool (*area_shared)(void *cpu, uint64_t area);
    /* LVTPC without touching it; whether its local APIC is on, as far as one can see. */
    uint32_t (*lvtpc)(void *cpu);
    bool (*apic_enabled)(void *cpu);
    /* Whether an interrupt of this vector is being serviced; and RFLAGS.IF. */
    enum in_service (*in_service)(void *cpu, uint8_t vector);
    bool (*interrupts_on)(void *cpu);
    /* In an interruption: the privilege level of the code at ip that it interrupted; where that is not seen, otherwise.
     */
    unsigned (*interrupted_cpl)(void *cpu, uint64_t ip, unsigned otherwise);
};

struct counter {
    uint64_t value;       /* counter_width bits */
    uint64_t written;     /* what software wrote to it last; only for faults */
    unsigned event_class; /* EVENT_CLASSES when it counts nothing */
    bool active;
    bool pebs;    /* its overflow arms PEBS */
    bool address; /* its records say which data was accessed */
    bool pdir;
    bool near;       /* it was loaded with too few events to go for that */
    bool adaptive;   /* its records have the groups of MSR_PEBS_DATA_CFG */
    bool interrupts; /* PMI on overflow */
    bool armed;      /* it has overflowed; its next event writes the record */
    bool moved;      /* its event happened since the counters were last looked at */
    /* NetBurst's */
    bool forced; /* every event overflows */
    bool late;   /* PMI at the event after the overflow, for which it is armed */
};

struct data_access {
    uint64_t address;
    uint64_t source;  /* the record's encoding */
    uint64_t latency; /* cycles */
};

/* Where the processor stands: before instruction `index` of `block`, whose count is already in. No block: between two.
 */
struct place {
    const struct block *block;
    unsigned index;
};
#define BETWEEN_BLOCKS ((struct place){ NULL, 0 })

struct vcpu {
    unsigned number;
    const struct profile *profile;
    const struct host *host;
    void *cpu;
    FILE *truth, *violations; /* NULL: not wanted */
    struct fault_set faults;
    uint32_t lies; /* a bit each, by enum lie */
    struct hot *hot;
    uint64_t *predictor;
    struct data_cache *cache;
    struct block *kept;      /* copies for the ring, made when translations go */
    struct block *kept_last; /* a whole copy of the block that runs */
    /* what translated code must report, as far as this processor has ever been concerned */
    bool wants_blocks, wants_data;
    uint64_t wants_classes; /* bit i: inline class i */

    /* all from here on is cleared by reset */
    /* the referee's */
    uint64_t reported[VIOLATIONS]; /* where each violation was reported last, plus 1 */
    struct ds_area seen;           /* as the processor left it in memory */
    bool watching_area;            /* seen is up to date */
    uint64_t unacknowledged;       /* global status as a PMI found it, less what was reset since */
    bool pmi_under_way;            /* not yet with its handler */
    bool pmi_fixed;                /* not delivered as NMI */
    uint8_t pmi_vector;

    uint64_t regs[REG_STORED];
    uint64_t event_select[MAX_COUNTERS]; /* IA32_PERFEVTSELx, or NetBurst's CCCRs */
    uint64_t escr[NETBURST_ESCRS];       /* by address */
    uint64_t status;                     /* IA32_PERF_GLOBAL_STATUS */
    struct counter counters[MAX_COUNTERS];
    uint32_t active;              /* bit i: counters[i] is */
    uint64_t base[EVENT_CLASSES]; /* hot->counts when the counters were last brought up to date */

    bool counts_outcomes;
    bool counts_data;  /* some counter counts memory accesses, of one kind or another */
    bool records_lbrs; /* PEBS records may hold the LBR stack */

    /* branches */
    unsigned ring_start;     /* blocks that began and were not worked through are from here on in hot->ring */
    uint64_t time, lbr_time; /* cycles; at the newest entry */
    struct lbr_entry lbr[MAX_LBR];
    bool lbr_timed; /* cycles have been counted since the entry before */
    uint64_t last_branch;
    uint64_t left_behind; /* the instruction that retired last when a block was left in its middle */

    /* records on their way to memory */
    uint8_t bts_stage[ENGINE_RING * ENCODE_BTS_MAX];
    uint8_t pebs_stage[PEBS_STAGE + ADAPTIVE_MAX_BYTES];
    unsigned bts_staged;      /* records */
    size_t pebs_staged;       /* bytes */
    uint64_t bts_at, pebs_at; /* where the stage goes */
    uint64_t pebs_first;      /* the instruction that the first record in the stage is of */
    struct ds_area ds;        /* as read last */
    struct ds_form form;      /* of it and of the records */
    bool pebs_ds_read, pebs_dropping;
    bool pmi_wanted;
    bool pmi_raised;      /* since the last engine_took_pmi */
    bool pmi_waits;       /* a fault has put it off */
    bool sampled;         /* the newest branch has left a PEBS record; only for faults */
    uint32_t first_lvtpc; /* of the first PMI; only for faults */
    bool masked_by_pmi;   /* the mask bit in LVTPC is the one that delivery set, as far as one can see */

    struct {
        uint64_t ip; /* of the instruction */
        unsigned cpl;
        bool loads, stores, locked;
        bool untaggable; /* NetBurst's tags, by which alone it counts accesses, pass it over */
        bool split_load, split_store, stlb_load, stlb_store;
        struct data_access load, store; /* the slowest of each */
        unsigned level, store_level;    /* of these two */
    } data;
};

/*
 * Makes a processor, in its state after reset; all of v but its logs and faults must be zero. hot is the memory that
 * translated code shares and must outlive it. Returns false without memory.
 */
bool engine_init(struct vcpu *v, unsigned number, const struct profile *profile, const struct host *host, void *cpu,
                 struct hot *hot);
void engine_free(struct vcpu *v);
void engine_reset(struct vcpu *v);

/* --- registers ------------------------------------------------------------------------------------------------- */
enum msr_answer { MSR_UNKNOWN, MSR_DONE, MSR_FAULT };

/* place: the RDMSR, WRMSR or RDPMC itself. MSR_UNKNOWN: not the model's. MSR_FAULT: #GP(0), and nothing changed. */
enum msr_answer engine_rdmsr(struct vcpu *v, uint32_t address, uint64_t *value, struct place place);
enum msr_answer engine_wrmsr(struct vcpu *v, uint32_t address, uint64_t value, struct place place);
enum msr_answer engine_rdpmc(struct vcpu *v, uint32_t index, uint64_t *value, struct place place);

/* Changes what QEMU's processor answered (EAX, EBX, ECX, EDX) into what the modelled one does. */
void engine_cpuid(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* The leaf that answers when software asks for this one: past the processor's last it is the last basic one. */
uint32_t engine_cpuid_leaf(const struct vcpu *v, uint32_t leaf);

/*
 * A feature in this leaf, as QEMU's processor answered it, that the modelled one has and QEMU's lacks; or NULL. Those
 * that firmware may turn off come last.
 */
const struct profile_feature *engine_missing_feature(const struct vcpu *v, uint32_t leaf, const uint32_t regs[4]);

/* --- what translated code adds ------------------------------------------------------------------------------------ */

/* Whether an event class counts at this privilege level. */
bool engine_class_covers(unsigned id, unsigned cpl);

/* Events of an inline class that instructions [from, ...) of a block are. */
unsigned engine_class_events(unsigned id, const struct block *block, unsigned from);

/* --- execution ------------------------------------------------------------------------------------------------- */

/* A block begins while hot->tracing. True: engine_ring_full has to be called. */
static inline bool engine_block(struct vcpu *v, const struct block *block)
{
    v->hot->ring[v->hot->noted / sizeof(block)] = block;
    v->hot->noted += sizeof(block);
    return v->hot->noted >= RING_FULL;
}

/* True: a PMI was raised at the newest block's first instruction, and the block is to be begun again so that it can be
 * delivered there. */
bool engine_ring_full(struct vcpu *v);

/*
 * Both in one, for a block that translated code is about to append to hot->ring itself: to be called before it does so
 * when hot->noted is RING_NEARLY_FULL or more.
 */
bool engine_ring_nearly_full(struct vcpu *v, const struct block *block);

/*
 * A block is about to begin, before its count is added, and may hold the event that some counter waits for (or
 * CLASS_FORCE is set).
 */
enum due_answer {
    DUE_GO_ON,
    DUE_WATCH, /* run it in the translation that calls engine_stop before hot->stop_at */
    DUE_AGAIN, /* a PMI was raised: begin the block again */
};
enum due_answer engine_due(struct vcpu *v, const struct block *block, bool watching);

/*
 * The instruction before hot->stop_at has retired in a block that is being watched. True: a PMI was raised; it is taken
 * here if the block is left, or else at its end.
 */
bool engine_stop(struct vcpu *v, struct place place);

/* A block that a REP instruction has come back to begins: its first instruction was counted before. */
void engine_repeat(struct vcpu *v, const struct block *block);

/*
 * An instruction in the middle of the running block was taken out of it and run by itself (QEMU does so for device
 * access); the rest of the block follows as a block of its own.
 */
void engine_lone_instruction(struct vcpu *v, uint64_t address);

/* The running block is left before place.index, which is at least 1; the rest follows as a block of its own. */
void engine_leave(struct vcpu *v, struct place place);

/* Control went from `from` to the handler at `to`, which runs at privilege level cpl. */
enum interruption {
    INTERRUPTION_EXTERNAL,
    INTERRUPTION_EXCEPTION,
    INTERRUPTION_DEBUG, /* a debug exception, #DB, which the LBR stack does not record and which turns it off */
};
void engine_interruption(struct vcpu *v, enum interruption kind, uint64_t from, uint64_t to, unsigned cpl);

/* An instruction accesses memory: size 1 to 64 bytes. */
void engine_data(struct vcpu *v, struct place place, uint64_t address, unsigned size, bool store);

/*
 * hot->data_pending was set and its instruction has retired; the next one is at ip, at privilege level cpl. True: as
 * engine_stop's.
 */
bool engine_data_retired(struct vcpu *v, struct place place, uint64_t ip, unsigned cpl);

/*
 * All blocks are about to be freed, with no processor running translated code: this one makes copies of those that it
 * still needs.
 */
void engine_keep_blocks(struct vcpu *v);

/* Everything gathered goes to memory: software may look now, by the instruction at place. */
void engine_settle(struct vcpu *v, struct place place);

static inline bool engine_took_pmi(struct vcpu *v)
{
    bool raised = v->pmi_raised;

    v->pmi_raised = false;
    return raised;
}

#endif

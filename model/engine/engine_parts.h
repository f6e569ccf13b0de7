/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine's files need of each other, and the register bits that more than one of them reads. */
#ifndef MODEL_ENGINE_ENGINE_PARTS_H
#define MODEL_ENGINE_ENGINE_PARTS_H

#include "model/engine/engine.h"
#include "model/referee/referee.h"

/* IA32_PERF_GLOBAL_STATUS */
#define STATUS_LBR_FRZ (UINT64_C(1) << 58)
#define STATUS_CTR_FRZ (UINT64_C(1) << 59)
#define STATUS_OVF_BUF (UINT64_C(1) << 62)

/* IA32_PERFEVTSELx */
#define EVTSEL_USR      (UINT64_C(1) << 16)
#define EVTSEL_OS       (UINT64_C(1) << 17)
#define EVTSEL_EDGE     (UINT64_C(1) << 18)
#define EVTSEL_INT      (UINT64_C(1) << 20)
#define EVTSEL_ANY      (UINT64_C(1) << 21)
#define EVTSEL_EN       (UINT64_C(1) << 22)
#define EVTSEL_INV      (UINT64_C(1) << 23)
#define EVTSEL_CMASK(v) ((unsigned)((v) >> 24) & 0xff)

#define EVTSEL_ADAPTIVE (UINT64_C(1) << 34)

/* IA32_FIXED_CTR_CTRL: the first of a bit every four for the fixed counters */
#define FIXED_CTRL_ADAPTIVE 32

#define FIXED_STATUS_SHIFT 32

/* NetBurst's CCCRs */
#define CCCR_ENABLE (UINT64_C(1) << 12)
#define CCCR_OVF    (UINT64_C(1) << 31)

/* IA32_LBR_CTL */
#define LBR_CTL_LBREN (UINT64_C(1) << 0)

/* MSR_LBR_SELECT: what is not recorded. From the third bit on, kinds of branch in the order of enum block_end. */
#define LBR_SELECT_CPL_EQ_0     (UINT64_C(1) << 0)
#define LBR_SELECT_CPL_NEQ_0    (UINT64_C(1) << 1)
#define LBR_SELECT_FIRST_KIND   2
#define LBR_SELECT_EN_CALLSTACK (UINT64_C(1) << 9)

/* IA32_PEBS_ENABLE: the first of a bit for each general counter, and the precise store facility's */
#define PEBS_ENABLE_LL_EN 32
#define PEBS_ENABLE_PS_EN 63

/* Whether a flag of the DEBUGCTL register that this processor has, or with several flags one of them, is set. */
static inline bool debugctl_has(const struct vcpu *v, uint64_t flags)
{
    return v->regs[REG_IA32_DEBUGCTL] & flags;
}

bool faults_bts_on(const struct vcpu *v);

static inline bool bts_on(const struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return v->faults.any ? faults_bts_on(v) : debugctl_has(v, bits->tr) && debugctl_has(v, bits->bts);
}

static inline bool lbr_on(const struct vcpu *v)
{
    bool on =
        v->profile->lbr_depths ? v->regs[REG_IA32_LBR_CTL] & LBR_CTL_LBREN : debugctl_has(v, v->profile->debugctl->lbr);

    return on && !(v->status & STATUS_LBR_FRZ);
}

static inline unsigned lbr_depth(const struct vcpu *v)
{
    return v->profile->lbr_depths ? (unsigned)v->regs[REG_IA32_LBR_DEPTH] : v->profile->lbr_depth;
}

static inline uint64_t width_mask(const struct vcpu *v)
{
    return (UINT64_C(1) << v->profile->counter_width) - 1;
}

/* The blocks in the ring, the oldest first, and how many there are. */
static inline const struct block **ring_blocks(const struct vcpu *v)
{
    return &v->hot->ring[v->ring_start];
}

static inline unsigned ring_used(const struct vcpu *v)
{
    return (unsigned)(v->hot->noted / sizeof(v->hot->ring[0])) - v->ring_start;
}

static inline void ring_set_used(struct vcpu *v, unsigned n)
{
    v->hot->noted = (v->ring_start + n) * sizeof(v->hot->ring[0]);
}

/* The block that runs, or between two the one that ran last; NULL after an interruption. */
static inline const struct block *running_block(const struct vcpu *v)
{
    return v->hot->block != NULL ? v->hot->block : ring_used(v) > 0 ? ring_blocks(v)[ring_used(v) - 1] : NULL;
}

/* engine.c: where the DS area is. */
uint64_t engine_ds_area(const struct vcpu *v);
/* engine.c: raises the PMI that was asked for, once everything else that fell due has been done. */
void engine_deliver(struct vcpu *v, struct place place);
/* engine.c: takes DEBUGCTL, the counters' configuration and the freeze bits over into what translated code does. */
void engine_update(struct vcpu *v, struct place place);

/* counting.c. place: how far the block that runs has come. */
/* Brings the counters' values up to the instruction before place. */
void counting_update(struct vcpu *v, struct place place);
/* Reads the event selects, fixed control, global control and PEBS enable registers; values must be up to date. */
void counting_configure(struct vcpu *v, struct place place);
/* Loads v->counters[i] with a value of counter_width bits. */
void counting_load(struct vcpu *v, unsigned i, uint64_t value);
/* Says anew how far each class is from overflow. */
void counting_arm(struct vcpu *v, struct place place);
/* Whether, between two blocks, the instruction that retired last has taken a class to its end. */
bool counting_due(const struct vcpu *v);
/* The instruction at eventing_ip has retired and made something overflow. data: its access, for data events. */
void counting_fall_due(struct vcpu *v, struct place place, uint64_t ip, uint64_t eventing_ip,
                       const struct data_access *data);
/* The running block is left before place.index: what was counted for the rest is taken back. */
void counting_cut(struct vcpu *v, struct place place);
/* Whether an outcome event's counter has come to its end. */
bool counting_outcome_due(const struct vcpu *v);
/* Branches that may go by before one could be. */
uint64_t counting_outcomes_left(const struct vcpu *v);

/* branches.c */
/* A taken branch. Gathered from the ring a handful at a time and then handed to who wants it: short loops run fast. */
struct branch {
    const struct block *block; /* the one that it ended */
    uint64_t to;
    uint64_t time;                /* cycles, its own included */
    bool mispredicted, predicted; /* interruptions are neither */
    uint8_t to_cpl;
    bool not_taken; /* only while there are faults */
};

#define BTS_PREDICTED UINT64_C(0x10) /* flags of a BTS record, where the processor has it */

/*
 * Works through the ring. With keep_last the newest block still runs and stays; otherwise it has ended, and control
 * went on at next, at privilege level cpl.
 */
void branches_drain(struct vcpu *v, bool keep_last, uint64_t next, unsigned cpl);
/* The newest block was left before its index-th instruction, and its branch did not happen. */
void branches_drop_last(struct vcpu *v, unsigned index);
/* Control went to a handler. */
void branches_interruption(struct vcpu *v, uint64_t from, uint64_t to, unsigned from_cpl, unsigned to_cpl);
void branches_flush(struct vcpu *v);
void branches_set_limit(struct vcpu *v);

/* A branch as the LBR stack is to tell of it. */
struct lbr_event {
    uint64_t from, to;
    uint64_t cycles; /* as counted: may be more than an entry holds */
    bool mispredicted;
    bool timed;  /* the cycles are known */
    uint8_t end; /* enum block_end */
};

/* netburst.c, for processors whose counters are NetBurst's */
/* Takes CCCR, ESCRs and PEBS enabling over into the i-th counter. */
void netburst_configure(struct vcpu *v, unsigned i);
/* The i-th counter, which does not sample, has overflowed. */
void netburst_overflow(struct vcpu *v, unsigned i);
/* Bit i: PEBS is on for the i-th counter. */
uint64_t netburst_pebs_counters(const struct vcpu *v);
/* Bit i: the OVF flag of the i-th CCCR. */
uint64_t netburst_overflows(const struct vcpu *v);
enum msr_answer netburst_rdpmc(const struct vcpu *v, uint32_t index, uint64_t *value);
/* A CCCR or MSR_PEBS_ENABLE was written by the WRMSR at ip. */
void netburst_referee(struct vcpu *v, uint64_t ip);

static inline bool is_netburst(const struct vcpu *v)
{
    return v->profile->netburst != NETBURST_NONE;
}

/* data.c */
/*
 * Cycles from the dispatch of an instruction to its completion. Where a record tells them from those of the data there
 * is one more, that in which the instruction retires.
 */
uint64_t data_instruction_latency(const struct vcpu *v, const struct data_access *access);
/* Whether load latency records have a data source: an event that some processors need for it is counted. */
bool data_source_known(const struct vcpu *v);

/* pebs.c */
/* Writes a record; false when there was no room for it. counters: bit i is v->counters[i]. */
bool pebs_record(struct vcpu *v, uint64_t counters, uint64_t ip, uint64_t eventing_ip, const struct data_access *data);
/* What v->counters[i] is reloaded with. */
uint64_t pebs_reset_value(const struct vcpu *v, unsigned i);
void pebs_flush(struct vcpu *v);
/* The size of a record of these counters. */
size_t pebs_record_bytes(const struct vcpu *v, const struct ds_form *form, uint64_t counters);

/* lbr_arch.c: the architectural LBR stack, whose entry 0 is the newest */
bool lbr_arch_has_depth(const struct profile *profile, uint64_t depth);
void lbr_arch_set_depth(struct vcpu *v, uint64_t depth);
void lbr_arch_set_control(struct vcpu *v, uint64_t control);
/* The value of INFO for a branch. */
uint64_t lbr_arch_info(const struct lbr_event *event);
/* BR_TYPE. */
unsigned lbr_arch_type(enum block_end end);

/* The i-th newest entry of the stack. */
static inline struct lbr_entry *lbr_newest(struct vcpu *v, unsigned i)
{
    return &v->lbr[(v->regs[REG_MSR_LASTBRANCH_TOS] - i) & (lbr_depth(v) - 1)];
}

/* The bit of a counter in IA32_PERF_GLOBAL_STATUS, _CTRL and IA32_PEBS_ENABLE. */
static inline uint64_t counter_bit(const struct vcpu *v, unsigned i)
{
    unsigned general = v->profile->general_counters;

    return UINT64_C(1) << (i < general ? i : FIXED_STATUS_SHIFT + i - general);
}

/* How the debug store is laid out now. */
struct ds_form engine_ds_form(const struct vcpu *v);
/* Reads the management area into v->ds. False where it is not mapped. */
bool engine_read_ds(struct vcpu *v);

/* lies.c: what a lie that is told makes of a register and of CPUID. */
static inline bool lies(const struct vcpu *v, enum lie lie)
{
    return v->lies >> lie & 1;
}
bool lies_keep_back(const struct vcpu *v, const struct profile_msr *m);
uint64_t lies_rdmsr(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
void lies_cpuid(const struct vcpu *v, uint32_t leaf, uint32_t regs[4]);

/* faults.c: what a fault that is on makes of what was about to be done. */
static inline bool fault(const struct vcpu *v, enum fault fault)
{
    return fault_set_has(&v->faults, fault);
}

/* How the area is laid out; and what it holds, read just now. */
void faults_ds_form(const struct vcpu *v, struct ds_form *form);
void faults_ds_area(const struct vcpu *v, struct ds_area *area);
/* The value of the PEBS index behind so many bytes that go to v->pebs_at. */
uint64_t faults_pebs_index(const struct vcpu *v, size_t written);
/* Whether the record to be written, of so many bytes, is lost. */
bool faults_pebs_lose(const struct vcpu *v, size_t size);
/* What v->counters[i] is reloaded with. */
uint64_t faults_pebs_reload(const struct vcpu *v, unsigned i);
void faults_pebs_event(const struct vcpu *v, struct pebs_event *event);
/* Whether a record of this size has no room. */
bool faults_pebs_full(struct vcpu *v, size_t size);
/* The staged record and the index were written. */
void faults_pebs_written(struct vcpu *v);
/* The counters in recorded have been reloaded. */
void faults_pebs_reloaded(struct vcpu *v, uint64_t recorded);
/* The i-th counter's configuration, and what it may count. */
void faults_counter(const struct vcpu *v, unsigned i, bool *user, bool *system, bool *enabled, bool *asked);
bool faults_latency(const struct vcpu *v, uint64_t latency, uint64_t threshold);
uint64_t faults_overflow(const struct vcpu *v, uint64_t bit);
/* The branches that BTS and the LBR stack are told of; kept has room for all. */
unsigned faults_bts_branches(struct vcpu *v, const struct branch *branches, unsigned n, struct branch *kept);
unsigned faults_lbr_branches(const struct vcpu *v, const struct branch *branches, unsigned n, struct branch *kept);
/* Which groups a record has; what is in them, stack being the LBR group's; and the bytes of its basic group. */
uint32_t faults_adaptive_format(const struct vcpu *v, uint32_t format);
void faults_adaptive(const struct vcpu *v, struct pebs_event *event, struct adaptive_event *extra,
                     struct lbr_entry *stack);
void faults_adaptive_bytes(const struct vcpu *v, uint8_t *bytes);
/* v->counters[i] has been configured. */
void faults_counted(struct vcpu *v, unsigned i);
/* How many events are counted where there were so many. */
uint64_t faults_events(const struct vcpu *v, uint64_t events);
void faults_bts_filters(const struct vcpu *v, bool *skip_system, bool *skip_user);
/* Whether the record that would go to index is lost. */
bool faults_bts_lose(const struct vcpu *v, uint64_t index, unsigned size);
void faults_bts_event(const struct vcpu *v, const struct branch *b, struct bts_event *event);
/* The value of the BTS index that is written to the area. */
uint64_t faults_bts_index(const struct vcpu *v, uint64_t index);
/* Where a buffer that is full goes on. */
uint64_t faults_bts_wrap(const struct vcpu *v, uint64_t base);
/* What else is written with the index. */
void faults_bts_fields(const struct vcpu *v);
uint64_t faults_lbr_select(const struct vcpu *v, uint64_t select);
/* Whether a return removes an entry from the call stack. */
bool faults_lbr_pops(const struct vcpu *v);
/* The value that RDMSR returns, and the one that WRMSR is taken to write. */
uint64_t faults_rdmsr(struct vcpu *v, const struct profile_msr *m, uint64_t value);
uint64_t faults_wrmsr(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value);
/* Whether a register takes every value, its read-only bits included. */
bool faults_writable(const struct vcpu *v, const struct profile_msr *m);
/* All is as after reset. */
void faults_reset(struct vcpu *v);
void faults_lbr_event(const struct vcpu *v, const struct branch *b, struct lbr_event *event);
void faults_lbr_entry(const struct vcpu *v, struct lbr_entry *entry);
/* The top of the stack behind this one, before it is taken modulo the depth. */
uint64_t faults_lbr_top(const struct vcpu *v, uint64_t top);
/* What a PMI freezes. */
void faults_freeze(const struct vcpu *v, bool *lbrs, bool *counters);
/* Whether the PMI that is wanted is put off; and, once it was raised, whether it is wanted again. */
bool faults_pmi_waits(struct vcpu *v);
bool faults_pmi_lost(const struct vcpu *v);
bool faults_pmi_again(struct vcpu *v);

/* truth.c: one line each in the truth log, if there is one. */
void truth_bts(struct vcpu *v, uint64_t at, const struct bts_event *event);
void truth_pebs(struct vcpu *v, uint64_t at, size_t size, const struct pebs_event *event);
void truth_adaptive(struct vcpu *v, uint64_t at, const struct pebs_event *event, const struct adaptive_event *extra);
void truth_pebs_dropped(struct vcpu *v, uint64_t at);
void truth_lbr(struct vcpu *v, unsigned tos, const struct lbr_event *event);
void truth_pmi(struct vcpu *v, uint32_t lvtpc);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the manual that a processor goes by, a function each. rules_manual are the manual's own: each is the
 * function of the same name, and stands with its source in the file that its prefix says. A processor that is to keep
 * another rule gets a table of its own (model/faults). What registers switch on is asked when they are written, and
 * kept in struct vcpu; the rest is asked where it matters, which is once a batch of branches or once an overflow.
 */
#ifndef MODEL_ENGINE_RULES_H
#define MODEL_ENGINE_RULES_H

#include "model/vcpu/vcpu.h"

struct branch;
struct lbr_contents;
struct pebs_sample;
struct counters_request;

struct rules {
    /* The registers as they are after a reset. */
    void (*engine_reset_registers)(struct vcpu *v);

    /* Whether the i-th register of a row exists, and takes this value: else #GP. What RDMSR returns, and WRMSR does. */
    bool (*msr_exists)(const struct vcpu *v, const struct profile_msr *m, unsigned i);
    bool (*msr_takes)(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
    uint64_t (*msr_value)(struct vcpu *v, const struct profile_msr *m, unsigned i);
    void (*msr_set)(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value);
    enum msr_answer (*msr_counter)(struct vcpu *v, uint32_t index, uint64_t *value); /* RDPMC */
    void (*cpuid_answer)(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

    /* What the registers ask of the i-th counter, NetBurst's aside; and what it counts, for whom and how. */
    struct counters_request (*counters_request)(const struct vcpu *v, unsigned i);
    void (*counters_set_up)(struct vcpu *v, unsigned i);

    /* How many events are counted where there were so many. */
    uint64_t (*counting_events)(const struct vcpu *v, uint64_t events);
    /* Whether the event that makes a PEBS counter overflow is itself recorded, not the one after it. */
    bool (*counting_exact)(const struct vcpu *v, const struct counter *c);
    /* The i-th counter, which does not sample, has overflowed. */
    void (*overflow_of)(struct vcpu *v, unsigned i);
    /* Whether a load of this latency is an event of load latency; both in cycles. */
    bool (*data_latency_counts)(const struct vcpu *v, uint64_t latency, uint64_t threshold);

    /* How the DS area is laid out, where it is, and what its bytes, encode_ds_bytes() of them, say. */
    struct ds_form (*ds_form)(const struct vcpu *v);
    uint64_t (*ds_address)(const struct vcpu *v);
    void (*ds_decode)(const struct vcpu *v, struct ds_area *area, const uint8_t *bytes);

    /* Every branch that a block can end in is gathered, taken or not; none is passed over as without a trace. */
    bool every_branch;
    /* What n branches leave behind; area_readable: v->ds.area has just been read. */
    void (*branches_record)(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable);

    /* Whether branches are stored; those of which privilege levels are not; what a record says. */
    bool (*bts_on)(const struct vcpu *v);
    void (*bts_filters)(const struct vcpu *v, bool *skip_system, bool *skip_user);
    struct bts_contents (*bts_contents)(const struct vcpu *v, const struct branch *branch);
    /* Where a record goes for which there is no room before the absolute maximum. */
    uint64_t (*bts_wrap)(const struct vcpu *v);
    /* The index behind the staged records; and writes these and it. False where memory is not mapped. */
    uint64_t (*bts_index)(const struct vcpu *v);
    bool (*bts_write)(struct vcpu *v, uint64_t index);

    /* Whether branches are recorded; what MSR_LBR_SELECT suppresses; and makes the newest entry of a branch. */
    bool (*lbr_on)(const struct vcpu *v);
    uint64_t (*lbr_select)(const struct vcpu *v);
    void (*lbr_push)(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents);
    /* A debug exception is about to be delivered. */
    void (*lbr_debug_exception)(struct vcpu *v);

    /* Bit i: PEBS is on for counters[i]. */
    uint64_t (*pebs_enabled)(const struct vcpu *v);
    /* Whether a record of this size has no room. Else it is stored; where it reaches the threshold, that is noted. */
    bool (*pebs_full)(struct vcpu *v, size_t size);
    void (*pebs_store)(struct vcpu *v, const struct pebs_sample *sample, size_t size);
    void (*pebs_reached)(struct vcpu *v);
    /* What a record says; for adaptive ones, which groups it has, what these say besides, and their bytes. */
    void (*pebs_describe)(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents);
    uint32_t (*pebs_groups)(const struct vcpu *v, uint64_t counters);
    void (*pebs_describe_groups)(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                                 struct adaptive_contents *extra, struct lbr_entry *stack);
    void (*adaptive_encode)(uint8_t *bytes, const struct pebs_contents *contents,
                            const struct adaptive_contents *extra);
    /* Bytes of records that may wait; the index behind them; and writes them and it. False as bts_write. */
    size_t pebs_stage;
    uint64_t (*pebs_index)(const struct vcpu *v);
    bool (*pebs_write)(struct vcpu *v, uint64_t index);
    /* The record of these counters was stored. */
    void (*pebs_reload)(struct vcpu *v, uint64_t counters);

    /* The PMI that was asked for; what it freezes; LVTPC as it finds it; and whether it masks LVTPC. */
    void (*pmi_raise)(struct vcpu *v, struct place place);
    void (*pmi_freezes)(const struct vcpu *v, bool *lbrs, bool *counters);
    uint32_t (*pmi_entry)(struct vcpu *v, uint32_t lvtpc);
    bool (*pmi_masks)(const struct vcpu *v);

    /* Changes what an exception has pushed; code is NULL where there is none. NULL: it stays as QEMU pushed it. */
    void (*exception_pushed)(struct vcpu *v, uint64_t *flags, uint64_t *code);
};

extern const struct rules rules_manual;

#endif

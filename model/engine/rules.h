/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The manual's rules for a processor, each a function. rules_manual has the manual's behaviour: the function with the
 * rule's name, in the file that its prefix names, which cites the source. A processor with other rules has its own
 * table (model/faults, model/latitude). The engine calls rules about what registers enable when a register is written,
 * and keeps their results in struct vcpu. It calls the other rules for each batch of branches or each overflow.
 */
#ifndef MODEL_ENGINE_RULES_H
#define MODEL_ENGINE_RULES_H

#include "model/bytes/arch_pebs.h"
#include "model/vcpu/vcpu.h"

struct branch;
struct pebs_sample;
struct pmi_skid;
struct counters_request;

struct rules {
    /* The registers after a reset. */
    void (*engine_reset_registers)(struct vcpu *v);

    /*
     * Whether the i-th register of a row exists, and whether it accepts this value (if not, #GP); the value that RDMSR
     * reads; the effect of WRMSR.
     */
    bool (*msr_exists)(const struct vcpu *v, const struct profile_msr *m, unsigned i);
    bool (*msr_takes)(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
    uint64_t (*msr_value)(struct vcpu *v, const struct profile_msr *m, unsigned i);
    void (*msr_set)(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value);
    enum msr_answer (*msr_counter)(struct vcpu *v, uint32_t index, uint64_t *value); /* RDPMC */
    bool (*msr_counter_concealed)(const struct vcpu *v, uint32_t index);             /* at CPL 1 to 3 RDPMC reads 0 */
    void (*cpuid_answer)(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

    /*
     * What the i-th counter's registers request (except NetBurst's); and the counter's set-up: its event, privilege
     * levels and use.
     */
    struct counters_request (*counters_request)(const struct vcpu *v, unsigned i);
    void (*counters_set_up)(struct vcpu *v, unsigned i);

    /* The number of events that the counter counts if `events` happened. */
    uint64_t (*counting_events)(const struct vcpu *v, uint64_t events);
    /*
     * The number of events, EVENT_INSTRUCTIONS or EVENT_BRANCHES, that an interruption adds to the retired ones.
     * software: it is INT n, which has retired.
     */
    unsigned (*counting_interruption)(struct vcpu *v, enum event_kind kind, bool software);
    /* Whether the record of a PEBS counter describes the event that overflows it, not the next one. */
    bool (*counting_exact)(const struct vcpu *v, const struct counter *c);
    /* Overflow of the i-th counter, which does not sample. */
    void (*overflow_of)(struct vcpu *v, unsigned i);
    /* Bit i: the j-th counter's overflow reloads counters[i]; the value that the i-th counter gets. */
    uint32_t (*reload_targets)(const struct vcpu *v, unsigned j);
    uint64_t (*reload_value)(const struct vcpu *v, unsigned i);
    /* Whether overflow of the i-th counter, which samples, arms PEBS at once; if not, clearing .arming arms it. */
    bool (*overflow_arms)(struct vcpu *v, unsigned i);
    /* `instructions` before place have retired while counting_step() was on. NULL: it is never on. */
    void (*stepped)(struct vcpu *v, struct place place, uint64_t instructions);
    /* The subset of the `due` counters (a bitmask) that share the next record. The others get later records. */
    uint64_t (*pebs_together)(struct vcpu *v, uint64_t due);
    /* Whether the load latency or precise store facility selects the memory access that has just happened. */
    bool (*data_followed)(const struct vcpu *v);
    /*
     * The level that has the line of this address (all levels have it afterwards); whether the access misses the
     * last-level TLB; the cycles that a level takes, 1 to UINT16_MAX; the data source of a load from a level, without
     * flags.
     */
    enum data_level (*data_reach)(struct vcpu *v, uint64_t address, bool store);
    bool (*data_misses_tlb)(struct vcpu *v, uint64_t address);
    unsigned (*data_latency)(struct vcpu *v, enum data_level level);
    uint64_t (*data_source)(struct vcpu *v, enum data_level level);
    /* Whether a load of this latency is a load latency event; latency and threshold in cycles. */
    bool (*data_latency_counts)(const struct vcpu *v, uint64_t latency, uint64_t threshold);

    /* The DS area's layout and address, and the decoder of its encode_ds_bytes() bytes. */
    struct ds_form (*ds_form)(const struct vcpu *v);
    uint64_t (*ds_address)(const struct vcpu *v);
    void (*ds_decode)(const struct vcpu *v, struct ds_area *area, const uint8_t *bytes);

    /* Whether every branch that can end a block is gathered, even if it is not taken or has no effect. */
    bool every_branch;
    /* Whether the branch at the end of this block, which went to `to`, was predicted to go elsewhere. */
    bool (*branches_mispredicted)(struct vcpu *v, const struct block *block, uint64_t to);
    /* Records n branches. area_readable: v->ds.area was just read. */
    void (*branches_record)(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable);

    /* Whether branches are stored; the privilege levels that are skipped; the contents of a record. */
    bool (*bts_on)(const struct vcpu *v);
    void (*bts_filters)(const struct vcpu *v, bool *skip_system, bool *skip_user);
    struct bts_contents (*bts_contents)(const struct vcpu *v, const struct branch *branch);
    /* The address of a record that does not fit before the absolute maximum. */
    uint64_t (*bts_wrap)(const struct vcpu *v);
    /* The index after the staged records; the write of records and index. False: the memory is not mapped. */
    uint64_t (*bts_index)(const struct vcpu *v);
    bool (*bts_write)(struct vcpu *v, uint64_t index);

    /* Whether branches are recorded; the filter bits of MSR_LBR_SELECT; the push of a branch's entry. */
    bool (*lbr_on)(const struct vcpu *v);
    uint64_t (*lbr_select)(const struct vcpu *v);
    uint32_t (*lbr_events_logged)(const struct vcpu *v); /* bit i: entries count the events of counters[i] */
    void (*lbr_push)(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents);
    /* A debug exception is about to be delivered. */
    void (*lbr_debug_exception)(struct vcpu *v);

    /* Bit i: PEBS is on for counters[i]. */
    uint64_t (*pebs_enabled)(const struct vcpu *v);
    /*
     * Whether a record of this size does not fit. If it fits: the store of the record, and the check of the threshold.
     */
    bool (*pebs_full)(struct vcpu *v, size_t size);
    void (*pebs_store)(struct vcpu *v, const struct pebs_sample *sample, size_t size);
    void (*pebs_reached)(struct vcpu *v);
    /* The contents of a record; for adaptive records also the groups, their contents, and their encoding. */
    void (*pebs_describe)(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents);
    uint64_t (*pebs_groups)(const struct vcpu *v, uint64_t counters);
    void (*pebs_describe_groups)(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                                 struct adaptive_contents *extra, struct lbr_entry *stack);
    void (*adaptive_encode)(uint8_t *bytes, const struct pebs_contents *contents,
                            const struct adaptive_contents *extra);
    /*
     * Architectural PEBS: the format of a record of these counters; the counters (bit i: counters[i]) that a counters
     * group may include; the other contents of the record, and its counter values before the reload; its fragments; its
     * bytes.
     */
    uint64_t (*pebs_arch_format)(const struct vcpu *v, uint64_t counters);
    uint64_t (*pebs_arch_counted)(const struct vcpu *v);
    void (*pebs_arch_describe)(struct vcpu *v, struct arch_contents *arch);
    void (*pebs_arch_counts)(struct vcpu *v, struct arch_contents *arch);
    void (*pebs_arch_split)(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split);
    void (*pebs_arch_encode)(struct vcpu *v, uint8_t *bytes, const struct pebs_contents *contents,
                             const struct adaptive_contents *extra, const struct arch_contents *arch,
                             const struct arch_split *split);
    /*
     * Whether the record does not fit; its physical address; IA32_PEBS_INDEX after it; whether this reaches the
     * threshold.
     */
    bool (*pebs_arch_full)(struct vcpu *v, size_t size);
    uint64_t (*pebs_arch_address)(const struct vcpu *v);
    uint64_t (*pebs_arch_index)(const struct vcpu *v, size_t size);
    bool (*pebs_arch_reaches)(const struct vcpu *v);
    /*
     * The maximum of staged bytes; the index after the staged records; the write of records and index, as for
     * bts_write.
     */
    size_t pebs_stage;
    uint64_t (*pebs_index)(const struct vcpu *v);
    bool (*pebs_write)(struct vcpu *v, uint64_t index);
    /* Whether the staged records are visible to software now. */
    bool (*pebs_visible)(const struct vcpu *v);
    /* Called after a record of these counters was stored: reloads them. */
    void (*pebs_reload)(struct vcpu *v, uint64_t counters);

    /* The duration of the SMI before the next access by software, in microseconds; 0: none. */
    unsigned (*smi_microseconds)(struct vcpu *v);
    /* How far the requested PMI skids; whether it may arrive after an access by software that pmi_settle() handles. */
    struct pmi_skid (*pmi_skid)(struct vcpu *v);
    bool pmi_trails;
    /*
     * Raises the requested PMI; what it freezes, and whether by a status bit; the value of LVTPC that delivery uses;
     * whether delivery sets LVTPC's mask bit.
     */
    void (*pmi_raise)(struct vcpu *v, struct place place);
    void (*pmi_freezes)(const struct vcpu *v, bool *lbrs, bool *counters);
    bool (*pmi_freezes_by_status)(const struct vcpu *v);
    uint32_t (*pmi_entry)(struct vcpu *v, uint32_t lvtpc);
    bool (*pmi_masks)(const struct vcpu *v);

    /* Changes the frame that an exception has pushed. code: NULL if it has no error code. Rule NULL: no change. */
    void (*exception_pushed)(struct vcpu *v, uint64_t *flags, uint64_t *code);
};

extern const struct rules rules_manual;

#endif

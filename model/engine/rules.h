/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The manual's rules for a processor, by facility. v->rules->pebs.full, for example, is a rule of PEBS: pebs_rules.h
 * says what the rule decides and names the manual's function, pebs_full(). That function is in the file that its prefix
 * names, which cites the source. rules_manual has all of the manual's functions. A processor with other rules has its
 * own table: faults.inc lists what a fault replaces, with functions of break.c; freedoms.inc what a freedom replaces,
 * with functions of latitude.c; quirks_apply() replaces rules for quirks.
 *
 * The engine calls rules about what registers enable when a register is written, and keeps their results in struct
 * vcpu. It calls the other rules for each batch of branches or each overflow.
 */
#ifndef MODEL_ENGINE_RULES_H
#define MODEL_ENGINE_RULES_H

#include "model/engine/branches_rules.h"
#include "model/engine/bts_rules.h"
#include "model/engine/counters_rules.h"
#include "model/engine/data_rules.h"
#include "model/engine/ds_rules.h"
#include "model/engine/lbr_rules.h"
#include "model/engine/msr_rules.h"
#include "model/engine/pebs_rules.h"
#include "model/engine/pebs_arch_rules.h"
#include "model/engine/pmi_rules.h"
#include "model/vcpu/vcpu.h"

struct rules {
    struct msr_rules msr;
    struct counters_rules counters;
    struct data_rules data;
    struct ds_rules ds;
    struct branches_rules branches;
    struct bts_rules bts;
    struct lbr_rules lbr;
    struct pebs_rules pebs;
    struct pebs_arch_rules pebs_arch;
    struct pmi_rules pmi;

    /* The registers after a reset; CPUID; the microseconds of the SMI before the next access by software, or 0. */
    void (*engine_reset_registers)(struct vcpu *v);
    void (*cpuid_answer)(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
    unsigned (*smi_microseconds)(struct vcpu *v);

    /* `instructions` before place have retired while counting_step() was on. NULL: it is never on. */
    void (*stepped)(struct vcpu *v, struct place place, uint64_t instructions);
    /* Changes the frame that an exception has pushed. code: NULL if it has no error code. Rule NULL: no change. */
    void (*exception_pushed)(struct vcpu *v, uint64_t *flags, uint64_t *code);
};

extern const struct rules rules_manual;

#endif

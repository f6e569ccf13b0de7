/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The manual's rules for a processor. v->rules->pebs_full, for example, is a rule of PEBS: rules.inc says what the rule
 * decides, and the manual's function of that name is in pebs.c. A processor with other rules has its own table:
 * faults.inc lists what a fault replaces, with functions wrong_NAME() of model/faults; freedoms.inc what a freedom
 * replaces, with functions latitude_NAME() of model/latitude; quirks_apply() replaces rules for quirks. A new rule is a
 * line in rules.inc.
 *
 * The engine calls rules about what registers enable when a register is written, and keeps their results in struct
 * vcpu. It calls the other rules for each batch of branches or each overflow.
 */
#ifndef MODEL_ENGINE_RULES_H
#define MODEL_ENGINE_RULES_H

#include "model/bytes/arch_pebs.h"
#include "model/vcpu/vcpu.h"

struct branch;
struct counters_request;
struct pebs_sample;
struct pmi_skid;

#define RULE(result, name, parameters) result name parameters;
#include "model/engine/rules.inc"
#undef RULE

struct rules {
#define RULE(result, name, parameters) result(*name) parameters;
#include "model/engine/rules.inc"
#undef RULE

    bool every_branch; /* every branch that can end a block is gathered, even if it is not taken or has no effect */
    bool pmi_trails;   /* the PMI may arrive after an access by software that pmi_settle() handles */
    size_t pebs_stage; /* the maximum of staged bytes */

    /* Called after `instructions` before place have retired, while counting_step() is on. NULL: not used. */
    void (*stepped)(struct vcpu *v, struct place place, uint64_t instructions);
    /* Changes the frame that an exception has pushed. code: NULL if it has no error code. Rule NULL: no change. */
    void (*exception_pushed)(struct vcpu *v, uint64_t *flags, uint64_t *code);
};

extern const struct rules rules_sdm;

#endif

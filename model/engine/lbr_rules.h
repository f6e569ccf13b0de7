/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of the LBR stack (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_LBR_RULES_H
#define MODEL_ENGINE_LBR_RULES_H

#include "model/vcpu/vcpu.h"

struct branch;

/* Whether branches are recorded; the filter bits of MSR_LBR_SELECT; the push of a branch's entry. */
bool lbr_on(const struct vcpu *v);
uint64_t lbr_select(const struct vcpu *v);
void lbr_push(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents);
/* A debug exception is about to be delivered. */
void lbr_debug_exception(struct vcpu *v);
/* Bit i: entries count the events of counters[i]. */
uint32_t lbr_events_logged(const struct vcpu *v);

struct lbr_rules {
    __typeof__(lbr_on) *on;
    __typeof__(lbr_select) *select;
    __typeof__(lbr_push) *push;
    __typeof__(lbr_debug_exception) *debug_exception;
    __typeof__(lbr_events_logged) *events_logged;
};

#endif

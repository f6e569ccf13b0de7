/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of counters (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_COUNTERS_RULES_H
#define MODEL_ENGINE_COUNTERS_RULES_H

#include "model/vcpu/vcpu.h"

struct counters_request;

/*
 * What the i-th counter's registers request (except NetBurst's); and the counter's set-up: its event, privilege levels
 * and use.
 */
struct counters_request counters_request(const struct vcpu *v, unsigned i);
void counters_set_up(struct vcpu *v, unsigned i);
/* The number of events that the counter counts if `events` happened. */
uint64_t counting_events(const struct vcpu *v, uint64_t events);
/*
 * The number of events, EVENT_INSTRUCTIONS or EVENT_BRANCHES, that an interruption adds to the retired ones. software:
 * it is INT n, which has retired.
 */
unsigned counting_interruption(struct vcpu *v, enum event_kind kind, bool software);
/* Whether the record of a PEBS counter describes the event that overflows it, not the next one. */
bool counting_exact(const struct vcpu *v, const struct counter *c);
/* Overflow of the i-th counter, which does not sample. */
void overflow_of(struct vcpu *v, unsigned i);
/* Whether overflow of the i-th counter, which samples, arms PEBS at once; if not, clearing .arming arms it. */
bool overflow_arms(struct vcpu *v, unsigned i);
/* Bit i: the j-th counter's overflow reloads counters[i]; the value that the i-th counter gets. */
uint32_t reload_targets(const struct vcpu *v, unsigned j);
uint64_t reload_value(const struct vcpu *v, unsigned i);

struct counters_rules {
    __typeof__(counters_request) *request;
    __typeof__(counters_set_up) *set_up;
    __typeof__(counting_events) *events;
    __typeof__(counting_interruption) *interruption;
    __typeof__(counting_exact) *exact;
    __typeof__(overflow_of) *overflow;
    __typeof__(overflow_arms) *arms;
    __typeof__(reload_targets) *reload_targets;
    __typeof__(reload_value) *reload_value;
};

#endif

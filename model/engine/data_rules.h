/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of memory accesses (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_DATA_RULES_H
#define MODEL_ENGINE_DATA_RULES_H

#include "model/vcpu/vcpu.h"

/* Whether the load latency or precise store facility selects the memory access that has just happened. */
bool data_followed(const struct vcpu *v);
/*
 * The level that has the line of this address (all levels have it afterwards); whether the access misses the last-level
 * TLB; the cycles that a level takes, 1 to UINT16_MAX; the data source of a load from a level, without flags.
 */
enum data_level data_reach(struct vcpu *v, uint64_t address, bool store);
bool data_misses_tlb(struct vcpu *v, uint64_t address);
unsigned data_latency(struct vcpu *v, enum data_level level);
uint64_t data_source(struct vcpu *v, enum data_level level);
/* Whether a load of this latency is a load latency event; latency and threshold in cycles. */
bool data_latency_counts(const struct vcpu *v, uint64_t latency, uint64_t threshold);

struct data_rules {
    __typeof__(data_followed) *followed;
    __typeof__(data_reach) *reach;
    __typeof__(data_misses_tlb) *misses_tlb;
    __typeof__(data_latency) *latency;
    __typeof__(data_source) *source;
    __typeof__(data_latency_counts) *latency_counts;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory accesses: a load's data source and latency, and the events that count accesses. */
#ifndef MODEL_ENGINE_DATA_H
#define MODEL_ENGINE_DATA_H

#include "model/vcpu/vcpu.h"

/* Call when v->counting has changed. */
void data_configure(struct vcpu *v);

/*
 * An instruction accesses memory. size: 1 to 64 bytes. If this sets hot->data_pending, call engine_data_counted() when
 * the instruction has retired.
 */
void data_accessed(struct vcpu *v, struct place place, uint64_t address, unsigned size, bool store);

/* The instruction, whose access may have been counted at once, does not retire. */
void data_cancel(struct vcpu *v, struct place place);

/*
 * The guest executes an instruction that empties caches or TLBs: CLFLUSH or CLFLUSHOPT, or CLWB (keep); WBINVD or INVD,
 * or WBNOINVD (keep); INVLPG; a MOV that empties the TLBs, of pages that are not global or of all pages. Call
 * engine_flush_caches() before.
 */
void data_flush_line(struct vcpu *v, uint64_t address, bool keep);
void data_flush_caches(struct vcpu *v, bool keep);
void data_flush_page(struct vcpu *v, uint64_t address);
void data_flush_tlbs(struct vcpu *v, bool globals_too);

/* Whether the instruction that accessed memory was an event of this kind. */
bool data_happened(const struct vcpu *v, enum event_kind kind);

/* Describes the access for a record of an event of this kind. */
struct data_access data_describe(const struct vcpu *v, enum event_kind kind);

/*
 * Cycles from the dispatch of an instruction to its completion. In records with separate latencies of instruction and
 * data this is one more: the cycle in which the instruction retires.
 */
uint64_t data_instruction_latency(const struct vcpu *v, const struct data_access *access);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration of a counter when it starts to count. */
#ifndef MODEL_REFEREE_REFEREE_COUNTERS_H
#define MODEL_REFEREE_REFEREE_COUNTERS_H

#include "model/vcpu/vcpu.h"

/* The counters of a mask have started to sample. */
void referee_counters_check_pebs(struct vcpu *v, uint64_t counters, uint64_t ip);

/* Bit i: v->counters[i] is set up to sample with qualifiers that PEBS forbids, even if the model never starts it. */
uint64_t referee_counters_qualified(const struct vcpu *v);

/*
 * IA32_PERF_GLOBAL_CTRL was written: reports counters that did not count since the last call, although this register or
 * IA32_PEBS_ENABLE enabled them, because another register kept them off. IA32_PERF_GLOBAL_CTRL may enable all counters,
 * as in Linux: then it is no reason for a report.
 */
void referee_counters_check_enables(struct vcpu *v, uint64_t ip);

/* Bit i: except for IA32_PERF_GLOBAL_CTRL, v->counters[i] is set up to count, and to sample or to interrupt. */
uint64_t referee_counters_armed(const struct vcpu *v);

/*
 * The register reg, which is not IA32_PERF_GLOBAL_CTRL, was written; before: the earlier result of
 * referee_counters_armed(). Reports counters that the write turned off and that had not counted, because
 * IA32_PERF_GLOBAL_CTRL did not enable them; except those that IA32_PEBS_ENABLE still enables: software only programs
 * these again.
 */
void referee_counters_check_armed(struct vcpu *v, uint64_t before, enum model_register reg, uint64_t ip);

/* The guest has ended: makes the reports that check_enables() and check_armed() had put off. */
void referee_counters_end(struct vcpu *v);

/* Software loads v->counters[i]. */
void referee_counters_loaded(struct vcpu *v, unsigned i, uint64_t value);

/* A record of the instruction at ip was written for the counters of a mask, and they were reloaded. */
void referee_counters_reloaded(struct vcpu *v, uint64_t counters, uint64_t ip);

/* The counters of a mask have started to count. */
void referee_counters_check(struct vcpu *v, uint64_t started, uint64_t ip);

/* Software wrote a register that enables counters: reports events that the model does not count, each once. */
void referee_counters_check_events(struct vcpu *v, uint64_t ip);

#endif

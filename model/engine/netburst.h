/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NetBurst's counters. An ESCR selects an event and privilege levels; a counter's CCCR selects an ESCR, and filters. */
#ifndef MODEL_ENGINE_NETBURST_H
#define MODEL_ENGINE_NETBURST_H

#include "model/vcpu/vcpu.h"

#define NETBURST_PEBS_COUNTER 16 /* IQ_COUNTER4, the only one that can sample */

/* MSR_PEBS_ENABLE */
#define NETBURST_UOP_TAG (UINT64_C(1) << 24)
#define NETBURST_MY_THR  (UINT64_C(1) << 25)

/* Applies the i-th counter's CCCR and ESCR, and MSR_PEBS_ENABLE. */
void netburst_configure(struct vcpu *v, unsigned i);

/* Overflow of the i-th counter, which does not sample. */
void netburst_overflow(struct vcpu *v, unsigned i);

/* Bit i: PEBS is on for the i-th counter. */
uint64_t netburst_pebs_enabled(const struct vcpu *v);

/* Bit i: the OVF flag of the i-th CCCR. */
uint64_t netburst_overflows(const struct vcpu *v);

enum msr_answer netburst_rdpmc(const struct vcpu *v, uint32_t index, uint64_t *value);

/* The referee's checks after the WRMSR at ip wrote a CCCR or MSR_PEBS_ENABLE: whether the registers fit together. */
void netburst_referee(struct vcpu *v, uint64_t ip);

#endif

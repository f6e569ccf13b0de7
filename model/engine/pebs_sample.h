/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MODEL_ENGINE_PEBS_SAMPLE_H
#define MODEL_ENGINE_PEBS_SAMPLE_H

#include "model/vcpu/vcpu.h"

/* The event that causes a record. */
struct pebs_sample {
    uint64_t counters;              /* bit i: v->counters[i] */
    uint64_t ip;                    /* address of the next instruction */
    uint64_t eventing_ip;           /* address of the instruction that caused the record */
    const struct data_access *data; /* NULL: the event is not a memory access */
};

#endif

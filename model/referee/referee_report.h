/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The referee's report: one line for each violation, with its rule, the instruction and, where it helps, the value. */
#ifndef MODEL_REFEREE_REFEREE_REPORT_H
#define MODEL_REFEREE_REFEREE_REPORT_H

#include "model/vcpu/vcpu.h"

enum violation {
#define VIOLATION(id, name, severity, sentence, citation) id,
#include "model/referee/referee.inc"
#undef VIOLATION
    VIOLATIONS
};

static inline bool referee_report_wanted(const struct vcpu *v)
{
    return v->violations != NULL;
}

/*
 * Reports a violation by the instruction at ip, unless its last report was for the same instruction.
 * referee_report_value() adds the value of the wrong field.
 */
void referee_report(struct vcpu *v, enum violation violation, uint64_t ip);
void referee_report_value(struct vcpu *v, enum violation violation, uint64_t ip, const char *field, uint64_t value);

/* The name of the index-th violation, or NULL past the last. */
const char *referee_report_name(unsigned index);

#endif

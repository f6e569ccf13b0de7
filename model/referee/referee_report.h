/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The referee's report: one line for each violation, with the instruction, the rule, the field and its value. */
#ifndef MODEL_REFEREE_REFEREE_REPORT_H
#define MODEL_REFEREE_REFEREE_REPORT_H

#include "model/vcpu/vcpu.h"

enum violation {
#define SECTION(title)
#define VIOLATION(id, name, severity, predicate, citation, advice) id,
#include "model/referee/referee.inc"
#undef VIOLATION
#undef SECTION
    VIOLATIONS,
    REFUSED = VIOLATIONS /* no violation: referee_refused.h */
};

static inline bool referee_report_wanted(const struct vcpu *v)
{
    return v->violations != NULL;
}

/*
 * Reports a violation by the instruction at ip: the field, named as printf() does, has this value. Each rule is
 * reported once for an instruction and field, and at most MOST_REPORTS times. A reset of the processor does not change
 * this.
 */
__attribute__((format(printf, 5, 6))) void referee_report(struct vcpu *v, enum violation violation, uint64_t ip,
                                                          uint64_t value, const char *field, ...);

/* referee_report() that also names the size of the buffer's records. */
__attribute__((format(printf, 6, 7))) void referee_report_record(struct vcpu *v, enum violation violation, uint64_t ip,
                                                                 uint64_t value, uint64_t record, const char *field,
                                                                 ...);

/* The text before a line of the report: a line end, if the guest's output may be on the same line. */
static inline const char *referee_report_break(const struct vcpu *v)
{
    return v->shares_line ? "\n" : "";
}

/* Whether a report is not to be printed: it was before, or the rule has been reported often enough. Notes it. */
bool referee_report_is_omitted(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value,
                               const char *field);

/* referee_report() of the event select of v->counters[i]; of the register that enables LBRs. */
void referee_report_select(struct vcpu *v, enum violation violation, uint64_t ip, unsigned i);
void referee_report_lbr_control(struct vcpu *v, enum violation violation, uint64_t ip);

/* referee_report() of v->counters[i]: the field is `which`, and the name of the counter. */
void referee_report_value(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value, const char *which,
                          unsigned i);

/*
 * Prints how many reports of each rule were omitted because of MOST_REPORTS, and what each facility that was enabled
 * has recorded. Call when the guest has ended.
 */
void referee_report_end(const struct vcpu *v);

/* The name of the index-th violation, or NULL past the last. */
const char *referee_report_name(unsigned index);

#endif

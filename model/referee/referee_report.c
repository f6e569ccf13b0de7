/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/referee/referee_report.h"

#include <inttypes.h>
#include <stdarg.h>

#include "model/referee/citations.h"

enum severity { DEMAND, ADVICE };

static const struct {
    const char *name, *predicate, *citation;
    enum severity severity;
} rules[] = {
#define SECTION(title)
#define VIOLATION(id, name, severity, predicate, citation, advice) [id] = { name, predicate, citation, severity },
#include "model/referee/referee.inc"
#undef VIOLATION
#undef SECTION
    [REFUSED] = { .name = "refused" },
};

_Static_assert(REFUSED < MOST_RULES, "struct vcpu has space for the reports of each rule");

bool referee_report_is_omitted(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value, const char *field)
{
    __typeof__(v->reports[0]) *const of = &v->reports[violation];
    uint64_t hash = ip ^ (violation == EVENT_NOT_COUNTED ? value : 0);

    for (; *field != '\0'; field++)
        hash = (hash ^ (uint8_t)*field) * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < of->count; i++)
        if (of->hashes[i] == hash)
            return true;
    if (of->count == MOST_REPORTS) {
        of->omitted++;
        return true;
    }
    of->hashes[of->count++] = hash;
    return false;
}

/* note: what else the reader needs to know, or "" */
static void report(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value, const char *note,
                   const char *field, va_list words) __attribute__((format(printf, 6, 0)));
static void report(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value, const char *note,
                   const char *field, va_list words)
{
    char name[80];

    vsnprintf(name, sizeof(name), field, words);
    if (!referee_report_wanted(v) || referee_report_is_omitted(v, violation, ip, value, name))
        return;
    fprintf(v->violations, "%s%s vcpu=%u rip=0x%" PRIx64 " %s: %s 0x%" PRIx64 " %s%s [%s]\n", referee_report_break(v),
            rules[violation].severity == ADVICE ? "advice" : "violation", v->number, ip, rules[violation].name, name,
            value, rules[violation].predicate, note, rules[violation].citation);
}

void referee_report(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value, const char *field, ...)
{
    va_list words;

    va_start(words, field);
    report(v, violation, ip, value, "", field, words);
    va_end(words);
}

void referee_report_record(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value, uint64_t record,
                           const char *field, ...)
{
    char note[48];
    va_list words;

    snprintf(note, sizeof(note), "; a record has %" PRIu64 " bytes", record);
    va_start(words, field);
    report(v, violation, ip, value, note, field, words);
    va_end(words);
}

void referee_report_select(struct vcpu *v, enum violation violation, uint64_t ip, unsigned i)
{
    if (i >= v->profile->general_counters) {
        referee_report(v, violation, ip, v->regs[REG_IA32_FIXED_CTR_CTRL], "IA32_FIXED_CTR_CTRL");
    } else {
        referee_report(v, violation, ip, v->event_select[i], "%s%u",
                       vcpu_is_netburst(v) ? "CCCR of counter " : "IA32_PERFEVTSEL", i);
    }
}

void referee_report_value(struct vcpu *v, enum violation violation, uint64_t ip, uint64_t value, const char *which,
                          unsigned i)
{
    const unsigned general = v->profile->general_counters;

    referee_report(v, violation, ip, value, "%s %s%u", which, i < general ? "PMC" : "FIXED_CTR",
                   i < general ? i : i - general);
}

void referee_report_lbr_control(struct vcpu *v, enum violation violation, uint64_t ip)
{
    const bool arch = v->profile->lbr_depths != 0;

    referee_report(v, violation, ip, v->regs[arch ? REG_IA32_LBR_CTL : REG_IA32_DEBUGCTL],
                   arch ? "IA32_LBR_CTL" : "IA32_DEBUGCTL");
}

static void print_activity(const struct vcpu *v, const char *name, enum facility facility)
{
    const uint64_t records = v->activity[facility].records, pmis = v->activity[facility].pmis;

    if (v->activity[facility].used) {
        fprintf(v->violations, "%s%s on cpu %u: %" PRIu64 " record%s, %" PRIu64 " PMI%s\n", referee_report_break(v),
                name, v->number, records, records == 1 ? "" : "s", pmis, pmis == 1 ? "" : "s");
    }
}

void referee_report_end(const struct vcpu *v)
{
    for (unsigned i = 0; i <= REFUSED; i++) {
        if (v->reports[i].omitted != 0) {
            fprintf(v->violations, "%s%s on cpu %u: %u reports, %" PRIu64 " more omitted\n", referee_report_break(v),
                    rules[i].name, v->number, v->reports[i].count, v->reports[i].omitted);
        }
    }
    print_activity(v, "BTS", FACILITY_BTS);
    print_activity(v, "PEBS", FACILITY_PEBS);
}

const char *referee_report_name(unsigned index)
{
    return index < VIOLATIONS ? rules[index].name : NULL;
}

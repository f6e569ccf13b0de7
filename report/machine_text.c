/* SPDX-License-Identifier: MIT */
#include "report/machine_text.h"

#include <inttypes.h>

#include "base/format.h"
#include "lbr/lbr_layout.h"

#define EVENTS_WIDTH 100 /* characters, after which a new line is started */

static void perfmon(const struct line_sink *out, const struct caps *c)
{
    static const char *const freeze[] = { "no freeze on PMI", "legacy freeze on PMI", "streamlined freeze on PMI" };
    enum caps_reason missing = caps_missing(c, NEED_PERFMON);

    if (missing != CAPS_AVAILABLE)
        say(out, "perfmon none: %s", caps_reason_text(missing));
    else
        say(out, "perfmon version %u, %u general counters of %u bits, %u fixed of %u bits%s, %s", c->perfmon_version,
            c->general_count, c->general_width, c->fixed_count, c->fixed_width,
            c->full_width_write ? ", full-width writes" : "", freeze[c->freeze]);
}

static void debug_store(const struct line_sink *out, const struct caps *c)
{
    enum caps_reason missing = caps_missing(c, NEED_DS);

    if (missing != CAPS_AVAILABLE)
        say(out, "ds none: %s", caps_reason_text(missing));
    else
        say(out, "ds %u-bit layout, management area of %u bytes%s", 8 * c->ds_width, (unsigned)c->ds_area_size,
            c->dtes64 ? ", DTES64" : "");

    missing = caps_missing(c, NEED_BTS);
    if (missing != CAPS_AVAILABLE)
        say(out, "bts none: %s", caps_reason_text(missing));
    else
        say(out, "bts records of %u bytes, %s, prediction flag %s", c->bts_record_size,
            c->ds_cpl ? "filter by privilege level" : "no filter by privilege level",
            c->bts_prediction ? "defined" : "not defined");

    missing = caps_missing(c, NEED_PEBS);
    if (missing != CAPS_AVAILABLE)
        say(out, "pebs none: %s", caps_reason_text(missing));
    else if (c->pebs_method == PEBS_METHOD_NETBURST)
        say(out, "pebs format %u, records of %u bytes, %s-like, MSR_IQ_COUNTER4 of %u bits", c->pebs_format,
            c->pebs_record_size, c->pebs_trap_like ? "trap" : "fault", c->general_width);
    else if (c->pebs_method == PEBS_METHOD_ADAPTIVE)
        say(out,
            "pebs format %u adaptive, records of %u to %u bytes, %s-like, counters 0x%" PRIx64
            ", fixed counters 0x%" PRIx64 "%s",
            c->pebs_format, c->pebs_record_size, c->pebs_record_most, c->pebs_trap_like ? "trap" : "fault",
            c->pebs_counters, c->pebs_fixed_counters, c->pebs_retire_latency ? ", with retire latency" : "");
    else
        say(out, "pebs format %u, records of %u bytes, %s-like, counters 0x%" PRIx64, c->pebs_format,
            c->pebs_record_size, c->pebs_trap_like ? "trap" : "fault", c->pebs_counters);
}

static void branch_records(const struct line_sink *out, const struct caps *c)
{
    enum caps_reason missing = caps_missing(c, NEED_LBR);
    const char *info = c->lbr_info ? ", with info" : "", *filter = c->lbr_filter ? ", with filter" : "";

    if (missing != CAPS_AVAILABLE)
        say(out, "lbr none: %s", caps_reason_text(missing));
    else if (c->lbr_layout == LBR_LAYOUT_PACKED)
        say(out, "lbr format %u, %u entries, from and to in one register each from 0x%" PRIx32, c->lbr_format,
            c->lbr_depth, c->lbr_from);
    else
        say(out, "lbr format %u, %u entries%s, from 0x%" PRIx32 " to 0x%" PRIx32 "%s%s%s%s", c->lbr_format,
            c->lbr_depth, c->arch_lbr ? ", architectural" : "", c->lbr_from, c->lbr_to, info, filter,
            c->lbr_callstack ? ", with call-stack mode" : "", c->lbr_branch_type ? ", with branch types" : "");
}

/* The names of the precise events, as many on a line as fit. */
static void events(const struct line_sink *out, const struct caps *c)
{
    char line[LINE_SIZE];
    int used = 0;

    if (caps_missing(c, NEED_PEBS | NEED_EVENT_ANY) != CAPS_AVAILABLE)
        return;
    for (size_t i = 0; i < c->events->count; i++) {
        used += format(line + used, sizeof line - (size_t)used, " %s", c->events->events[i].name);
        if (used > EVENTS_WIDTH || i + 1 == c->events->count) {
            say(out, "events%s", line);
            used = 0;
        }
    }
}

/* The readings taken where prints of the manual contradict each other. */
static void readings(const struct line_sink *out, const struct caps *c)
{
    if (caps_missing(c, NEED_DS) == CAPS_AVAILABLE)
        say(out, "reading of the absolute maximum: base + n * record; SDM Vol. 3A (253668-032) has a multiple of the "
                 "record plus 1");
    if (caps_missing(c, NEED_PEBS) == CAPS_AVAILABLE)
        say(out, "reading of the counter reset: 64 bits, of which the counter has %u; older prints have 40",
            c->general_width);
    if (caps_missing(c, NEED_LBR) == CAPS_AVAILABLE && (c->arch_lbr || c->lbr_format >= LBR_FORMAT_FLAGS))
        say(out, "reading of MISPRED: set where the prediction was wrong; SDM Vol. 3A (253668-032), table 16-6, has "
                 "the reverse");
}

void machine_text(const struct line_sink *out, const struct caps *c)
{
    say(out, "cpu %s family %x model %x stepping %x signature 0x%08" PRIx32 " %s", c->vendor, c->family, c->model,
        c->stepping, c->signature, c->core ? c->core : "not in the table of models");
    if (c->brand[0])
        say(out, "cpu %s", c->brand);
    say(out, "cpu physical %u bits, linear %u bits, %s, %s", c->physical_bits, c->linear_bits, c->nx ? "NX" : "no NX",
        c->hypervisor ? "under a hypervisor" : "no hypervisor");
    perfmon(out, c);
    debug_store(out, c);
    branch_records(out, c);
    events(out, c);
    readings(out, c);
    for (unsigned i = 0; c->notes[i]; i++)
        say(out, "note %s", c->notes[i]);
}

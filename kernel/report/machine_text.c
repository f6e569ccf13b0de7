/* SPDX-License-Identifier: MIT */
#include "kernel/report/machine_text.h"

#include <inttypes.h>

#include "cpu/errata.h"
#include "lib/format.h"
#include "lib/text.h"
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

/* Features of the counters beyond their number. */
static void counters(const struct line_sink *out, const struct caps *c)
{
    const uint64_t general = c->general_counters >> c->general_count, fixed = c->fixed_counters >> c->fixed_count;

    if (general || fixed)
        say(out, "perfmon counters behind a gap: general 0x%" PRIx64 ", fixed 0x%" PRIx64, general << c->general_count,
            fixed << c->fixed_count);
    for (unsigned n = 0; n < 64; n++)
        if (c->counters_taken >> n & 1)
            say(out, "perfmon counter %u does not hold what is written: firmware or a hypervisor uses it", n);
    if ((c->general_possible & ~c->counters_taken) || c->fixed_possible)
        say(out, "perfmon counters that CPUID need not list: general 0x%" PRIx64 ", fixed 0x%" PRIx64,
            c->general_possible & ~c->counters_taken, c->fixed_possible);
}

/* Whether PEBS is known to be reliable with this microcode, on steppings where that depends on its revision. */
static void microcode(const struct line_sink *out, const struct caps *c)
{
    if (c->microcode >= c->microcode_least)
        return;
    if (c->microcode_least == UINT32_MAX)
        say(out, "note no microcode is known with which PEBS is reliable on this stepping");
    else
        say(out, "note PEBS is unreliable with this microcode: it needs revision 0x%" PRIx32 " or later",
            c->microcode_least);
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
            !c->bts_prediction                ? "not defined"
            : c->errata & HAS_ERRATUM(SKL088) ? "defined, but unreliable (erratum SKL088/CML054)"
                                              : "defined");

    missing = caps_missing(c, NEED_PEBS);
    if (missing != CAPS_AVAILABLE)
        say(out, "pebs none: %s", caps_reason_text(missing));
    else if (c->pebs_method == PEBS_METHOD_NETBURST)
        say(out, "pebs format %u, records of %u bytes, %s-like, MSR_IQ_COUNTER4 of %u bits", c->pebs_format,
            c->pebs_record_size, c->pebs_trap_like ? "trap" : "fault", c->general_width);
    else if (c->pebs_method == PEBS_METHOD_ADAPTIVE)
        say(out,
            "pebs format %u adaptive, records of %u to %u bytes, %s-like, counters 0x%" PRIx64
            ", fixed counters 0x%" PRIx64 "%s%s",
            c->pebs_format, c->pebs_record_size, c->pebs_record_most, c->pebs_trap_like ? "trap" : "fault",
            c->pebs_counters, c->pebs_fixed_counters, c->pebs_retire_latency ? ", with retire latency" : "",
            c->pebs_output_pt ? ", output to PT (not tested)" : "");
    else if (c->pebs_method == PEBS_METHOD_ARCH)
        say(out,
            "pebs architectural, records of %u to %u bytes, counters 0x%" PRIx64 ", fixed counters 0x%" PRIx64
            ", precise distribution 0x%" PRIx64 " and fixed 0x%" PRIx64 ", CFG_C 0x%" PRIx64,
            c->pebs_record_size, c->pebs_record_most, c->pebs_counters, c->pebs_fixed_counters, c->pebs_pdist_counters,
            c->pebs_pdist_fixed_counters, c->pebs_cfg_c);
    else
        say(out, "pebs format %u, records of %u bytes, %s-like, counters 0x%" PRIx64 ", fixed counters 0x%" PRIx64,
            c->pebs_format, c->pebs_record_size, c->pebs_trap_like ? "trap" : "fault", c->pebs_counters,
            c->pebs_fixed_counters);
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
        say(out, "reading of the counter reset: 64 bits, the counter has %u; older prints have 40", c->general_width);
    if (caps_missing(c, NEED_LBR) == CAPS_AVAILABLE && (c->arch_lbr || c->lbr_format >= LBR_FORMAT_FLAGS))
        say(out, "reading of MISPRED: set where the prediction was wrong; SDM Vol. 3A (253668-032), table 16-6, has "
                 "the reverse");
}

/* Whether the processor behind a hypervisor is real, judged by the hypervisor's name. */
static void hypervisor(const struct line_sink *out, const struct caps *c)
{
    static const struct {
        const char *name, *meaning;
    } known[] = {
        { "KVMKVMKVM", "a real processor, with the features that KVM exposes" },
        { "TCGTCGTCGTCG", "QEMU's emulation: no silicon, a debug store is modelled" },
    };
    const char *meaning = "the hypervisor chooses the processor's features";

    if (c->hypervisor_name[0] == '\0')
        return;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (text_compare(c->hypervisor_name, known[i].name) == 0)
            meaning = known[i].meaning;
    say(out, "hypervisor %s: %s", c->hypervisor_name, meaning);
}

void machine_text(const struct line_sink *out, const struct caps *c)
{
    say(out, "cpu %s family %x model %x stepping %x signature 0x%08" PRIx32 " %s%s", c->vendor, c->family, c->model,
        c->stepping, c->signature, c->core ? c->core : "not in the table of models",
        c->core && !c->core_known ? ", listed without details" : "");
    if (c->brand[0])
        say(out, "cpu %s", c->brand);
    say(out, "cpu physical %u bits, linear %u bits, %s, %s, microcode 0x%" PRIx32, c->physical_bits, c->linear_bits,
        c->nx ? "NX" : "no NX", c->hypervisor ? "under a hypervisor" : "no hypervisor", c->microcode);
    hypervisor(out, c);
    perfmon(out, c);
    counters(out, c);
    debug_store(out, c);
    branch_records(out, c);
    events(out, c);
    readings(out, c);
    for (unsigned i = 0; c->notes[i]; i++)
        say(out, "note %s", c->notes[i]);
    microcode(out, c);
}

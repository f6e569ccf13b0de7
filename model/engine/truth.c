/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L /* flockfile */
#include "model/engine/truth.h"

#include <inttypes.h>

#include "model/engine/lbr_arch.h"
#include "model/engine/lbr_events.h"
#include "model/engine/netburst.h"

void truth_bts(struct vcpu *v, uint64_t at, const struct bts_contents *contents)
{
    fprintf(v->truth, "bts vcpu=%u at=0x%" PRIx64 " from=0x%" PRIx64 " to=0x%" PRIx64 " flags=0x%" PRIx64 "\n",
            v->number, at, contents->from, contents->to, contents->flags);
}

void truth_pebs(struct vcpu *v, uint64_t at, size_t size, const struct pebs_contents *contents)
{
    static const char *const names[GENERAL_REGISTERS] = {
        [RAX] = "ax",  [RBX] = "bx",  [RCX] = "cx",  [RDX] = "dx",  [RSI] = "si",  [RDI] = "di",
        [RBP] = "bp",  [RSP] = "sp",  [R8] = "r8",   [R9] = "r9",   [R10] = "r10", [R11] = "r11",
        [R12] = "r12", [R13] = "r13", [R14] = "r14", [R15] = "r15",
    };
    const bool wide = v->ds.form.width == 8;
    const unsigned format = wide ? v->ds.form.format : 0;

    flockfile(v->truth);
    fprintf(v->truth, "pebs vcpu=%u at=0x%" PRIx64 " size=%zu", v->number, at, size);
    if (format >= 1)
        fprintf(v->truth, " counters=0x%" PRIx64, contents->counters);
    fprintf(v->truth, wide ? " rflags=0x%" PRIx64 " ip=0x%" PRIx64 : " eflags=0x%" PRIx64 " eip=0x%" PRIx64,
            contents->rflags, contents->ip);
    for (unsigned i = 0; i < (wide ? GENERAL_REGISTERS : R8); i++)
        fprintf(v->truth, " %s%s=0x%" PRIx64, i >= R8 ? "" : wide ? "r" : "e", names[i], contents->general[i]);
    if (format >= 1 && !v->profile->pebs_no_address)
        fprintf(v->truth, " data_address=0x%" PRIx64, contents->data_address);
    if (format >= 1 && !v->profile->pebs_address_only)
        fprintf(v->truth, " data_source=0x%" PRIx64 " latency=%" PRIu64, contents->data_source, contents->latency);
    if (format >= 2)
        fprintf(v->truth, " eventing_ip=0x%" PRIx64, contents->eventing_ip);
    if (format >= 2 && !v->profile->pebs_address_only)
        fprintf(v->truth, " tsx=0x%" PRIx64, contents->tsx);
    if (format >= 3)
        fprintf(v->truth, " tsc=0x%" PRIx64, contents->tsc);
    fputc('\n', v->truth);
    funlockfile(v->truth);
}

static void truth_gprs(FILE *log, const struct pebs_contents *contents)
{
    static const char *const names[GENERAL_REGISTERS] = { "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

    fprintf(log, " rflags=0x%" PRIx64 " ip=0x%" PRIx64, contents->rflags, contents->ip);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        fprintf(log, " %s=0x%" PRIx64, names[i], contents->general[i]);
}

/* The cycles as an entry of this format stores them. */
static unsigned truth_cycles(enum lbr_format format, const struct lbr_contents *contents)
{
    const uint64_t cycles = format == LBR_FORMAT_ARCH && !contents->timed ? 0 : contents->cycles;

    return cycles < UINT16_MAX ? (unsigned)cycles : UINT16_MAX;
}

/* Event counts as four digits, the lowest counter first. */
static void truth_events(FILE *log, const char *name, const struct lbr_contents *contents)
{
    fputs(name, log);
    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        fprintf(log, "%u", lbr_events_held(contents->events[i]));
}

/* The event counts of an entry in a record; prints nothing if all are 0. */
static void truth_group_events(FILE *log, struct lbr_contents contents)
{
    bool any = false;

    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        any = any || contents.events[i] != 0;
    if (any)
        truth_events(log, ",", &contents);
}

/* An LBR group: the branches as in the log, and registers that software has written since. */
static void truth_lbrs(struct vcpu *v, uint64_t groups)
{
    const enum lbr_format format = v->profile->lbr_format;

    for (unsigned i = 0; i < DATA_CFG_LBR_COUNT(groups); i++) {
        const bool there = i < vcpu_lbr_depth(v);
        const struct lbr_contents logged =
            there ? v->lbr.contents[vcpu_lbr_place(v, i)] : (struct lbr_contents){ .from = 0 };
        const struct lbr_entry e = *vcpu_lbr_newest(v, i);
        const bool written = there && (v->lbr.written >> vcpu_lbr_place(v, i) & 1);

        if (written) {
            fprintf(v->truth, " lbr%u=0x%" PRIx64 ",0x%" PRIx64 ",%u,%u,%u,%u", i, e.from, e.to,
                    (unsigned)(e.info >> 63), (unsigned)(e.info >> 62 & 1), (unsigned)(e.info >> 61 & 1),
                    (unsigned)(e.info & 0xffff));
        } else {
            fprintf(v->truth, " lbr%u=0x%" PRIx64 ",0x%" PRIx64 ",%u,0,0,%u", i, logged.from, logged.to,
                    logged.mispredicted, truth_cycles(format, &logged));
        }
        if (format == LBR_FORMAT_ARCH) {
            fprintf(v->truth, ",%u",
                    written ? (unsigned)(e.info >> 56 & 0xf) : lbr_arch_type((enum block_end)logged.end));
            truth_group_events(v->truth, written ? lbr_arch_events(e.info) : logged);
        }
    }
}

static void truth_memory(struct vcpu *v, const struct pebs_contents *contents, const struct adaptive_contents *extra)
{
    fprintf(v->truth, " data_address=0x%" PRIx64 " data_source=0x%" PRIx64 " latency=%" PRIu64, contents->data_address,
            contents->data_source, contents->latency);
    if (v->profile->pebs_cache_latency)
        fprintf(v->truth, " cache_latency=%u", extra->cache_latency);
    fprintf(v->truth, " tsx=0x%" PRIx64 " tsx_cycles=%u", contents->tsx, (uint32_t)contents->tsx);
}

static void truth_vectors(FILE *log, const char *name, const uint64_t vectors[XMM_REGISTERS][2])
{
    for (unsigned i = 0; i < XMM_REGISTERS; i++)
        fprintf(log, " %s%u=0x%016" PRIx64 "%016" PRIx64, name, i, vectors[i][1], vectors[i][0]);
}

/* The counters of two bitmaps, in the order of a record. */
static void truth_counts(FILE *log, uint32_t general, uint32_t fixed, const uint64_t *counts)
{
    for (; general != 0; general &= general - 1)
        fprintf(log, " count%d=0x%" PRIx64, __builtin_ctz(general), *counts++);
    for (; fixed != 0; fixed &= fixed - 1)
        fprintf(log, " fixed_count%d=0x%" PRIx64, __builtin_ctz(fixed), *counts++);
}

void truth_adaptive(struct vcpu *v, uint64_t at, const struct pebs_contents *contents,
                    const struct adaptive_contents *extra)
{
    flockfile(v->truth);
    fprintf(v->truth, "pebs vcpu=%u at=0x%" PRIx64 " size=%zu format_group=0x%x", v->number, at,
            adaptive_bytes(extra->format), (uint32_t)extra->format);
    if (v->profile->pebs_timing)
        fprintf(v->truth, " retire_latency=%u", extra->retire_latency);
    fprintf(v->truth, " eventing_ip=0x%" PRIx64 " counters=0x%" PRIx64 " tsc=0x%" PRIx64, contents->eventing_ip,
            contents->counters, contents->tsc);
    if (extra->format & DATA_CFG_MEMINFO)
        truth_memory(v, contents, extra);
    if (extra->format & DATA_CFG_GPRS)
        truth_gprs(v->truth, contents);
    if (extra->format & DATA_CFG_XMMS)
        truth_vectors(v->truth, "xmm", extra->xmm);
    if (extra->format & DATA_CFG_LBRS)
        truth_lbrs(v, extra->format);
    truth_counts(v->truth, DATA_CFG_GENERAL(extra->format), DATA_CFG_FIXED(extra->format), extra->counters);
    if (extra->format & DATA_CFG_METRICS)
        fprintf(v->truth, " slots=0x%" PRIx64 " metrics=0x%" PRIx64, extra->slots, extra->metrics);
    fputc('\n', v->truth);
    funlockfile(v->truth);
}

/* The number of fragments with groups. Null records are not counted. */
static unsigned truth_fragments(const struct arch_contents *arch, const struct arch_split *split)
{
    unsigned fragments = 1;

    for (unsigned group = 1; group < ARCH_GROUPS; group++)
        fragments += split->cut[group] && arch_has_group(arch->format, (enum arch_group)group);
    return fragments;
}

void truth_arch(struct vcpu *v, uint64_t at, const struct pebs_contents *contents,
                const struct adaptive_contents *extra, const struct arch_contents *arch, const struct arch_split *split)
{
    flockfile(v->truth);
    fprintf(v->truth, "pebs vcpu=%u at=0x%" PRIx64 " size=%zu format_group=0x%" PRIx64 " fragments=%u mode_64=%u",
            v->number, at, arch_bytes(arch, split), arch->format, truth_fragments(arch, split), arch->mode_64);
    if (arch->retire_valid)
        fprintf(v->truth, " retire_latency=%u", extra->retire_latency);
    fprintf(v->truth, " eventing_ip=0x%" PRIx64 " counters=0x%" PRIx64 " tsc=0x%" PRIx64, contents->eventing_ip,
            contents->counters, contents->tsc);
    if (arch->format & ARCH_AUX)
        truth_memory(v, contents, extra);
    if (arch->format & ARCH_GPR) {
        truth_gprs(v->truth, contents);
        fprintf(v->truth, " ssp=0x%" PRIx64, arch->ssp);
    }
    if (arch->format & ARCH_XER)
        fprintf(v->truth, " xer=0x%" PRIx64, arch->xer);
    if (arch->format & ARCH_XMM)
        truth_vectors(v->truth, "xmm", extra->xmm);
    if (arch->format & ARCH_YMMH)
        truth_vectors(v->truth, "ymmh", arch->ymmh);
    if (arch->format & ARCH_LBR) {
        fprintf(v->truth,
                " lbr_ctl=0x%" PRIx64 " lbr_depth=%" PRIu64 " ler_from=0x%" PRIx64 " ler_to=0x%" PRIx64
                " ler_info=0x%" PRIx64,
                arch->lbr_control, arch->lbr_depth, arch->last_event.from, arch->last_event.to, arch->last_event.info);
        truth_lbrs(v, extra->format);
    }
    truth_counts(v->truth, arch->general, arch->fixed, arch->counts);
    if (arch->format & ARCH_CNTR_METRICS) {
        const uint64_t *const words =
            arch->counts + __builtin_popcount(arch->general) + __builtin_popcount(arch->fixed);

        fprintf(v->truth, " slots=0x%" PRIx64 " metrics=0x%" PRIx64, words[0], words[1]);
    }
    fputc('\n', v->truth);
    funlockfile(v->truth);
}

void truth_pebs_dropped(struct vcpu *v, uint64_t at)
{
    if (v->truth != NULL)
        fprintf(v->truth, "pebs-dropped vcpu=%u at=0x%" PRIx64 "\n", v->number, at);
}

void truth_lbr(struct vcpu *v, unsigned tos, const struct lbr_contents *contents)
{
    const enum lbr_format format = v->profile->lbr_format;

    v->lbr.contents[tos] = *contents;
    v->lbr.written &= ~(UINT32_C(1) << tos);
    flockfile(v->truth);
    fprintf(v->truth, "lbr vcpu=%u", v->number);
    if (format != LBR_FORMAT_ARCH)
        fprintf(v->truth, " tos=%u", tos);
    fprintf(v->truth, " from=0x%" PRIx64 " to=0x%" PRIx64, contents->from, contents->to);
    if (format >= LBR_FORMAT_EIP_FLAGS)
        fprintf(v->truth, " mispred=%u", contents->mispredicted);
    if (format >= LBR_FORMAT_EIP_FLAGS2 && format != LBR_FORMAT_TIME)
        fprintf(v->truth, " in_tsx=0 abort=0");
    if (format >= LBR_FORMAT_INFO)
        fprintf(v->truth, " cycles=%u", truth_cycles(format, contents));
    if (format == LBR_FORMAT_ARCH)
        fprintf(v->truth, " type=%u", lbr_arch_type((enum block_end)contents->end));
    if (v->profile->lbr_counters != 0)
        truth_events(v->truth, " events=", contents);
    fputc('\n', v->truth);
    funlockfile(v->truth);
}

void truth_pmi(struct vcpu *v, uint32_t lvtpc)
{
    if (v->truth != NULL) {
        uint64_t status = vcpu_is_netburst(v) ? netburst_overflows(v) : v->status;

        fprintf(v->truth, "pmi vcpu=%u status=0x%" PRIx64 " lvtpc=0x%x %s\n", v->number, status, lvtpc,
                lvtpc & LVT_MASKED ? "masked" : "delivered");
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L /* flockfile */
#include "model/engine/truth.h"

#include <inttypes.h>

#include "model/engine/lbr_arch.h"
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
    if (format >= 1) {
        fprintf(v->truth, " counters=0x%" PRIx64, contents->counters);
    }
    fprintf(v->truth, wide ? " rflags=0x%" PRIx64 " ip=0x%" PRIx64 : " eflags=0x%" PRIx64 " eip=0x%" PRIx64,
            contents->rflags, contents->ip);
    for (unsigned i = 0; i < (wide ? GENERAL_REGISTERS : R8); i++) {
        fprintf(v->truth, " %s%s=0x%" PRIx64, i >= R8 ? "" : wide ? "r" : "e", names[i], contents->general[i]);
    }
    if (format >= 1) {
        fprintf(v->truth, " data_address=0x%" PRIx64 " data_source=0x%" PRIx64 " latency=%" PRIu64,
                contents->data_address, contents->data_source, contents->latency);
    }
    if (format >= 2) {
        fprintf(v->truth, " eventing_ip=0x%" PRIx64 " tsx=0x%" PRIx64, contents->eventing_ip, contents->tsx);
    }
    if (format >= 3) {
        fprintf(v->truth, " tsc=0x%" PRIx64, contents->tsc);
    }
    fputc('\n', v->truth);
    funlockfile(v->truth);
}

static void truth_gprs(FILE *log, const struct pebs_contents *contents)
{
    static const char *const names[GENERAL_REGISTERS] = { "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

    fprintf(log, " rflags=0x%" PRIx64 " ip=0x%" PRIx64, contents->rflags, contents->ip);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
        fprintf(log, " %s=0x%" PRIx64, names[i], contents->general[i]);
    }
}

static void truth_lbrs(FILE *log, enum lbr_format format, const struct adaptive_contents *extra)
{
    static const struct lbr_entry none;

    for (unsigned i = 0; i < DATA_CFG_LBR_COUNT(extra->format); i++) {
        const struct lbr_entry *e = i < extra->lbr_count ? &extra->lbr[i] : &none;

        fprintf(log, " lbr%u=0x%" PRIx64 ",0x%" PRIx64 ",%u,%u,%u,%u", i, e->from, e->to, (unsigned)(e->info >> 63),
                (unsigned)(e->info >> 62 & 1), (unsigned)(e->info >> 61 & 1), (unsigned)(e->info & 0xffff));
        if (format == LBR_FORMAT_ARCH) {
            fprintf(log, ",%u", (unsigned)(e->info >> 56 & 0xf));
        }
    }
}

void truth_adaptive(struct vcpu *v, uint64_t at, const struct pebs_contents *contents,
                    const struct adaptive_contents *extra)
{
    flockfile(v->truth);
    fprintf(v->truth, "pebs vcpu=%u at=0x%" PRIx64 " size=%zu format_group=0x%x", v->number, at,
            adaptive_bytes(extra->format), extra->format);
    if (v->profile->pebs_timing) {
        fprintf(v->truth, " retire_latency=%u", extra->retire_latency);
    }
    fprintf(v->truth, " eventing_ip=0x%" PRIx64 " counters=0x%" PRIx64 " tsc=0x%" PRIx64, contents->eventing_ip,
            contents->counters, contents->tsc);
    if (extra->format & DATA_CFG_MEMINFO) {
        fprintf(v->truth, " data_address=0x%" PRIx64 " data_source=0x%" PRIx64 " latency=%" PRIu64,
                contents->data_address, contents->data_source, contents->latency);
        if (v->profile->pebs_cache_latency) {
            fprintf(v->truth, " cache_latency=%u", extra->cache_latency);
        }
        fprintf(v->truth, " tsx=0x%" PRIx64 " tsx_cycles=%u", contents->tsx, (uint32_t)contents->tsx);
    }
    if (extra->format & DATA_CFG_GPRS) {
        truth_gprs(v->truth, contents);
    }
    if (extra->format & DATA_CFG_XMMS) {
        for (unsigned i = 0; i < XMM_REGISTERS; i++) {
            fprintf(v->truth, " xmm%u=0x%016" PRIx64 "%016" PRIx64, i, extra->xmm[i][1], extra->xmm[i][0]);
        }
    }
    if (extra->format & DATA_CFG_LBRS) {
        truth_lbrs(v->truth, v->profile->lbr_format, extra);
    }
    fputc('\n', v->truth);
    funlockfile(v->truth);
}

void truth_pebs_dropped(struct vcpu *v, uint64_t at)
{
    if (v->truth != NULL) {
        fprintf(v->truth, "pebs-dropped vcpu=%u at=0x%" PRIx64 "\n", v->number, at);
    }
}

void truth_lbr(struct vcpu *v, unsigned tos, const struct lbr_contents *contents)
{
    const enum lbr_format format = v->profile->lbr_format;

    flockfile(v->truth);
    fprintf(v->truth, "lbr vcpu=%u", v->number);
    if (format != LBR_FORMAT_ARCH) {
        fprintf(v->truth, " tos=%u", tos);
    }
    fprintf(v->truth, " from=0x%" PRIx64 " to=0x%" PRIx64, contents->from, contents->to);
    if (format >= LBR_FORMAT_EIP_FLAGS) {
        fprintf(v->truth, " mispred=%u", contents->mispredicted);
    }
    if (format >= LBR_FORMAT_EIP_FLAGS2) {
        fprintf(v->truth, " in_tsx=0 abort=0");
    }
    if (format >= LBR_FORMAT_INFO) {
        uint64_t cycles = format == LBR_FORMAT_ARCH && !contents->timed ? 0 : contents->cycles;

        fprintf(v->truth, " cycles=%" PRIu64, cycles < UINT16_MAX ? cycles : UINT16_MAX);
    }
    if (format == LBR_FORMAT_ARCH) {
        fprintf(v->truth, " type=%u", lbr_arch_type((enum block_end)contents->end));
    }
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

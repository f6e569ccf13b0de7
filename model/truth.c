/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The truth log: what the model did, taken from the event itself and not from the bytes that it became. */
#define _POSIX_C_SOURCE 200809L /* flockfile */
#include <inttypes.h>

#include "model/engine_parts.h"

void truth_bts(struct vcpu *v, uint64_t at, const struct bts_event *event)
{
    fprintf(v->truth, "bts vcpu=%u at=0x%" PRIx64 " from=0x%" PRIx64 " to=0x%" PRIx64 " flags=0x%" PRIx64 "\n",
            v->number, at, event->from, event->to, event->flags);
}

void truth_pebs(struct vcpu *v, uint64_t at, size_t size, const struct pebs_event *event)
{
    static const char *const names[GENERAL_REGISTERS] = {
        [RAX] = "ax",  [RBX] = "bx",  [RCX] = "cx",  [RDX] = "dx",  [RSI] = "si",  [RDI] = "di",
        [RBP] = "bp",  [RSP] = "sp",  [R8] = "r8",   [R9] = "r9",   [R10] = "r10", [R11] = "r11",
        [R12] = "r12", [R13] = "r13", [R14] = "r14", [R15] = "r15",
    };
    const bool wide = v->form.width == 8;
    const unsigned format = wide ? v->form.format : 0;

    flockfile(v->truth);
    fprintf(v->truth, "pebs vcpu=%u at=0x%" PRIx64 " size=%zu", v->number, at, size);
    if (format >= 1) {
        fprintf(v->truth, " counters=0x%" PRIx64, event->counters);
    }
    fprintf(v->truth, wide ? " rflags=0x%" PRIx64 " ip=0x%" PRIx64 : " eflags=0x%" PRIx64 " eip=0x%" PRIx64,
            event->rflags, event->ip);
    for (unsigned i = 0; i < (wide ? GENERAL_REGISTERS : R8); i++) {
        fprintf(v->truth, " %s%s=0x%" PRIx64, i >= R8 ? "" : wide ? "r" : "e", names[i], event->general[i]);
    }
    if (format >= 1) {
        fprintf(v->truth, " data_address=0x%" PRIx64 " data_source=0x%" PRIx64 " latency=%" PRIu64, event->data_address,
                event->data_source, event->latency);
    }
    if (format >= 2) {
        fprintf(v->truth, " eventing_ip=0x%" PRIx64 " tsx=0x%" PRIx64, event->eventing_ip, event->tsx);
    }
    if (format >= 3) {
        fprintf(v->truth, " tsc=0x%" PRIx64, event->tsc);
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

void truth_lbr(struct vcpu *v, unsigned tos, const struct lbr_event *event)
{
    const enum lbr_format format = v->profile->lbr_format;

    flockfile(v->truth);
    fprintf(v->truth, "lbr vcpu=%u tos=%u from=0x%" PRIx64 " to=0x%" PRIx64, v->number, tos, event->from, event->to);
    if (format >= LBR_FORMAT_EIP_FLAGS) {
        fprintf(v->truth, " mispred=%u", event->mispredicted);
    }
    if (format >= LBR_FORMAT_EIP_FLAGS2) {
        fprintf(v->truth, " in_tsx=0 abort=0");
    }
    if (format >= LBR_FORMAT_INFO) {
        fprintf(v->truth, " cycles=%" PRIu64, event->cycles < UINT16_MAX ? event->cycles : UINT16_MAX);
    }
    fputc('\n', v->truth);
    funlockfile(v->truth);
}

void truth_pmi(struct vcpu *v, uint32_t lvtpc)
{
    if (v->truth != NULL) {
        fprintf(v->truth, "pmi vcpu=%u status=0x%" PRIx64 " lvtpc=0x%x %s\n", v->number, v->status, lvtpc,
                lvtpc & 1u << 16 ? "masked" : "delivered");
    }
}

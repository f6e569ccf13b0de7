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

void truth_pebs(struct vcpu *v, uint64_t at, const struct pebs_event *event)
{
    static const char *const names[GENERAL_REGISTERS] = {
        [RAX] = "rax", [RBX] = "rbx", [RCX] = "rcx", [RDX] = "rdx", [RSI] = "rsi", [RDI] = "rdi",
        [RBP] = "rbp", [RSP] = "rsp", [R8] = "r8",   [R9] = "r9",   [R10] = "r10", [R11] = "r11",
        [R12] = "r12", [R13] = "r13", [R14] = "r14", [R15] = "r15",
    };

    flockfile(v->truth);
    fprintf(v->truth, "pebs vcpu=%u at=0x%" PRIx64 " size=%d counters=0x%" PRIx64 " rflags=0x%" PRIx64 " ip=0x%" PRIx64,
            v->number, at, ENCODE_PEBS_BYTES, event->counters, event->rflags, event->ip);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
        fprintf(v->truth, " %s=0x%" PRIx64, names[i], event->general[i]);
    }
    fprintf(v->truth,
            " data_address=0x%" PRIx64 " data_source=0x%" PRIx64 " latency=%" PRIu64 " eventing_ip=0x%" PRIx64
            " tsx=0x%" PRIx64 " tsc=0x%" PRIx64 "\n",
            event->data_address, event->data_source, event->latency, event->eventing_ip, event->tsx, event->tsc);
    funlockfile(v->truth);
}

void truth_pebs_dropped(struct vcpu *v, uint64_t at)
{
    if (v->truth != NULL) {
        fprintf(v->truth, "pebs-dropped vcpu=%u at=0x%" PRIx64 "\n", v->number, at);
    }
}

void truth_lbr(struct vcpu *v, unsigned tos, const struct lbr_entry *entry)
{
    fprintf(v->truth,
            "lbr vcpu=%u tos=%u from=0x%" PRIx64 " to=0x%" PRIx64 " mispred=%u in_tsx=%u abort=%u cycles=%u\n",
            v->number, tos, entry->from, entry->to, (unsigned)(entry->info >> 63), (unsigned)(entry->info >> 62 & 1),
            (unsigned)(entry->info >> 61 & 1), (unsigned)(entry->info & 0xffff));
}

void truth_pmi(struct vcpu *v, uint32_t lvtpc)
{
    if (v->truth != NULL) {
        fprintf(v->truth, "pmi vcpu=%u status=0x%" PRIx64 " lvtpc=0x%x %s\n", v->number, v->status, lvtpc,
                lvtpc & 1u << 16 ? "masked" : "delivered");
    }
}

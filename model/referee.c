/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "model/engine_parts.h"

void referee_report(struct vcpu *v, uint64_t ip, const char *name, const char *sentence, const char *citation)
{
    if (v->violations != NULL) {
        fprintf(v->violations, "violation vcpu=%u rip=0x%" PRIx64 " %s: %s [%s]\n", v->number, ip, name, sentence,
                citation);
    }
}

void referee_enabled(struct vcpu *v, uint64_t ip, uint64_t debugctl_before, uint64_t pebs_before)
{
    (void)v;
    (void)ip;
    (void)debugctl_before;
    (void)pebs_before;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/referee/referee_lvtpc.h"

#include "model/referee/referee_report.h"

#define LVT_LEVEL         (1u << 15)
#define DELIVERY(lvt)     ((lvt) >> 8 & 7)
#define DELIVERY_FIXED    0
#define DELIVERY_NMI      4
#define FIRST_FREE_VECTOR 32

/* A handler may enable everything before it clears the mask bit that delivery set. */
void referee_lvtpc_check(struct vcpu *v, const char *who, uint64_t ip)
{
    uint32_t lvtpc = v->host->lvtpc(v->cpu);
    bool masked = lvtpc & LVT_MASKED;
    bool fixed = DELIVERY(lvtpc) == DELIVERY_FIXED;

    v->referee.masked_by_pmi = v->referee.masked_by_pmi && masked;
    if (!v->host->apic_enabled(v->cpu))
        referee_report(v, APIC_DISABLED, ip, 0, "local APIC's enable bit for %s", who);
    if (masked && !v->referee.masked_by_pmi) {
        referee_report(v, LVTPC_MASKED, ip, lvtpc, "LVTPC for %s", who);
    } else if (!fixed && DELIVERY(lvtpc) != DELIVERY_NMI) {
        referee_report(v, LVTPC_DELIVERY_MODE, ip, lvtpc, "LVTPC for %s", who);
    } else if (fixed) {
        if (lvtpc & LVT_LEVEL)
            referee_report(v, LVTPC_TRIGGER_MODE, ip, lvtpc, "LVTPC for %s", who);
        if ((lvtpc & LVT_VECTOR) < FIRST_FREE_VECTOR)
            referee_report(v, LVTPC_VECTOR, ip, lvtpc, "LVTPC for %s", who);
    }
}

/* SPDX-License-Identifier: MIT */
#include "cpu/caps.h"

enum caps_reason caps_missing(const struct caps *caps, uint64_t needs)
{
    for (unsigned i = 0; i < CAPS_NEED_COUNT; i++)
        if ((needs >> i & 1) != 0 && caps->reason[i] != CAPS_AVAILABLE)
            return caps->reason[i];
    return CAPS_AVAILABLE;
}

/*
 * Reasons from the processor's flags or from tables. Legacy LBRs have no flag: a processor without them lacks bit 0 of
 * IA32_DEBUGCTL. Any other reason counts as present but unusable, so that no run passes untested.
 */
bool caps_reason_absent(enum caps_reason reason)
{
    static const enum caps_reason absent[] = {
        CAPS_NO_DS_FLAG,         CAPS_DS_NO_PERFMON_FLAG, CAPS_BTS_UNAVAILABLE, CAPS_PEBS_UNAVAILABLE,
        CAPS_PEBS_CORE_HAS_NONE, CAPS_LBR_NOT_INTEL,      CAPS_LBR_CONCEALED,   CAPS_LBR_DIFFERS,
    };
    bool found = false;

    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        found = found || absent[i] == reason;
    return found;
}

bool caps_reason_no_row(enum caps_reason reason)
{
    return reason == CAPS_BTS_BITS_UNKNOWN || reason == CAPS_PEBS_METHOD_UNKNOWN || reason == CAPS_NO_EVENT_ANY ||
           reason == CAPS_LBR_MODEL_UNLISTED;
}

const char *caps_reason_text(enum caps_reason reason)
{
    static const char *const texts[] = {
#define REASON(id, text) text,
#include "cpu/caps_reasons.inc"
#undef REASON
    };

    return reason < CAPS_REASON_COUNT ? texts[reason] : "unknown reason";
}

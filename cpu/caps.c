/* SPDX-License-Identifier: MIT */
#include "cpu/caps.h"

#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define CPUID_7_1_EAX_PERFMON  (1u << 8)

void caps_read_leaves(struct caps_input *in, struct caps_leaf (*cpuid)(uint32_t leaf, uint32_t subleaf))
{
    static const struct {
        uint32_t leaf, subleaf;
        size_t at;
    } wanted[] = {
#define LEAF(number, subleaf, member) { number, subleaf, offsetof(struct caps_input, member) }
        LEAF(1, 0, leaf_1),
        LEAF(7, 0, leaf_7),
        LEAF(7, 1, leaf_7_1),
        LEAF(0xa, 0, leaf_a),
        LEAF(0x15, 0, leaf_15),
        LEAF(0x16, 0, leaf_16),
        LEAF(0x1a, 0, leaf_1a),
        LEAF(0x1c, 0, leaf_1c),
        LEAF(0x23, 0, leaf_23),
        LEAF(0x23, 1, leaf_23_1),
        LEAF(0x23, 2, leaf_23_2),
        LEAF(0x23, 3, leaf_23_3),
        LEAF(0x23, 4, leaf_23_4),
        LEAF(0x23, 5, leaf_23_5),
        LEAF(0x40000000, 0, leaf_40000000),
        LEAF(0x80000001, 0, leaf_80000001),
        LEAF(0x80000002, 0, leaf_80000002),
        LEAF(0x80000003, 0, leaf_80000003),
        LEAF(0x80000004, 0, leaf_80000004),
        LEAF(0x80000008, 0, leaf_80000008),
#undef LEAF
    };
    const uint32_t extended = cpuid(0x80000000, 0).eax;

    in->leaf_0 = cpuid(0, 0);
    if (in->leaf_0.eax >> 31)
        in->leaf_0 = (struct caps_leaf){ 0 }; /* no CPUID of Intel answers this: no basic leaf is believed */
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const uint32_t leaf = wanted[i].leaf, subleaf = wanted[i].subleaf;
        const bool exists = leaf == 0x40000000             ? (in->leaf_1.ecx & CPUID_1_ECX_HYPERVISOR) != 0
                            : leaf >> 31                   ? extended >> 31 && leaf <= extended
                            : leaf > in->leaf_0.eax        ? false
                            : leaf == 7                    ? subleaf == 0 || in->leaf_7.eax >= subleaf
                            : leaf == 0x23 && subleaf == 0 ? (in->leaf_7_1.eax & CPUID_7_1_EAX_PERFMON) != 0
                            : leaf == 0x23                 ? (in->leaf_23.eax >> subleaf & 1) != 0
                                                           : true;
        if (exists)
            *(struct caps_leaf *)(void *)((char *)in + wanted[i].at) = cpuid(leaf, subleaf);
    }
}

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

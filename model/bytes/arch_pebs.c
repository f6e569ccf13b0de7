/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/bytes/arch_pebs.h"

#define BASIC_BYTES      48
#define AUX_BYTES        64
#define GPR_BYTES        160
#define XER_HEADER_BYTES 16
#define XMM_BYTES        256 /* also those of the upper halves */
#define LBR_HEADER_BYTES 48
#define LBR_ENTRY_BYTES  24
#define LBR_FEWEST       8
#define CNTR_BYTES       16
#define METRICS_WORDS    2u
#define METRICS_BOTH     3 /* both words follow */

#define RETIRE_VALID        (UINT64_C(1) << 16)
#define CACHE_LATENCY_SHIFT 32

static const uint64_t group_bits[ARCH_GROUPS] = {
    [GROUP_BASIC] = ARCH_BASIC, [GROUP_AUX] = ARCH_AUX, [GROUP_GPR] = ARCH_GPR,
    [GROUP_XER] = ARCH_XER,     [GROUP_LBR] = ARCH_LBR, [GROUP_CNTR] = ARCH_CNTR,
};

bool arch_has_group(uint64_t format, enum arch_group group)
{
    return format & group_bits[group];
}

unsigned arch_lbr_entries(const struct arch_contents *arch)
{
    const unsigned asked = (unsigned)((arch->format & ARCH_LBR) >> ARCH_LBR_SHIFT);

    return asked == 3 ? (unsigned)arch->lbr_depth : LBR_FEWEST * asked;
}

static unsigned counted(const struct arch_contents *arch)
{
    return (unsigned)__builtin_popcount(arch->general) + (unsigned)__builtin_popcount(arch->fixed) +
           (arch->format & ARCH_CNTR_METRICS ? METRICS_WORDS : 0);
}

size_t arch_group_bytes(const struct arch_contents *arch, enum arch_group group)
{
    if (!arch_has_group(arch->format, group))
        return 0;
    switch (group) {
    case GROUP_BASIC:
        return BASIC_BYTES;
    case GROUP_AUX:
        return AUX_BYTES;
    case GROUP_GPR:
        return GPR_BYTES;
    case GROUP_XER:
        return XER_HEADER_BYTES + XMM_BYTES * (size_t)__builtin_popcountll(arch->format & ARCH_XER);
    case GROUP_LBR:
        return LBR_HEADER_BYTES + LBR_ENTRY_BYTES * arch_lbr_entries(arch);
    default:
        return CNTR_BYTES + sizeof(uint64_t) * counted(arch);
    }
}

static size_t whole_units(size_t bytes)
{
    return (bytes + ARCH_UNIT - 1) / ARCH_UNIT * ARCH_UNIT;
}

/*
 * Returns the size in bytes of the fragment that begins with group `first`. *next: the first group of the next
 * fragment, or ARCH_GROUPS.
 */
static size_t fragment_bytes(const struct arch_contents *arch, const struct arch_split *split, unsigned first,
                             unsigned *next)
{
    size_t bytes = ARCH_HEADER_BYTES;
    unsigned group = first;

    for (; group < ARCH_GROUPS; group++) {
        if (group > first && split->cut[group] && arch_has_group(arch->format, (enum arch_group)group))
            break;
        bytes += arch_group_bytes(arch, (enum arch_group)group);
    }
    *next = group;
    return whole_units(bytes);
}

size_t arch_bytes(const struct arch_contents *arch, const struct arch_split *split)
{
    size_t bytes = 0;

    for (unsigned first = 0, next; first < ARCH_GROUPS; first = next)
        bytes += (first > 0 ? split->null_bytes[first] : 0) + fragment_bytes(arch, split, first, &next);
    return bytes;
}

static void encode_basic(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra,
                         const struct arch_contents *arch)
{
    encode_u64(bytes + 0x00, contents->eventing_ip);
    encode_u64(bytes + 0x08, contents->counters);
    encode_u64(bytes + 0x10, contents->tsc);
    encode_u64(bytes + 0x18, arch->retire_valid ? extra->retire_latency | RETIRE_VALID : 0);
}

static void encode_aux(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra)
{
    encode_u64(bytes + 0x00, contents->data_address);
    encode_u64(bytes + 0x28, contents->data_source);
    encode_u64(bytes + 0x30, (uint16_t)contents->latency | (uint64_t)extra->cache_latency << CACHE_LATENCY_SHIFT);
    encode_u64(bytes + 0x38, contents->tsx);
}

/* The registers are in the order of instruction encodings. */
static void encode_gpr(uint8_t *bytes, const struct pebs_contents *contents, const struct arch_contents *arch)
{
    static const uint8_t order[] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

    encode_u64(bytes + 0x00, contents->rflags);
    encode_u64(bytes + 0x08, contents->ip);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        encode_u64(bytes + 0x10 + 8 * i, contents->general[order[i]]);
    encode_u64(bytes + 0x90, arch->ssp);
}

static void encode_vectors(uint8_t *bytes, const uint64_t vectors[XMM_REGISTERS][2])
{
    for (unsigned i = 0; i < XMM_REGISTERS; i++) {
        encode_u64(bytes + 16 * i, vectors[i][0]);
        encode_u64(bytes + 16 * i + 8, vectors[i][1]);
    }
}

static void encode_xer(uint8_t *bytes, const struct adaptive_contents *extra, const struct arch_contents *arch)
{
    encode_u64(bytes, arch->xer);
    bytes += XER_HEADER_BYTES;
    if (arch->format & ARCH_XMM) {
        encode_vectors(bytes, extra->xmm);
        bytes += XMM_BYTES;
    }
    if (arch->format & ARCH_YMMH)
        encode_vectors(bytes, arch->ymmh);
}

static void encode_entry(uint8_t *bytes, const struct lbr_entry *entry)
{
    encode_u64(bytes + 0x00, entry->from);
    encode_u64(bytes + 0x08, entry->to);
    encode_u64(bytes + 0x10, entry->info);
}

/* Requested entries beyond the stack's depth are zero. */
static void encode_lbr(uint8_t *bytes, const struct adaptive_contents *extra, const struct arch_contents *arch)
{
    encode_u64(bytes + 0x08, arch->lbr_control);
    encode_u64(bytes + 0x10, arch->lbr_depth);
    encode_entry(bytes + 0x18, &arch->last_event);
    for (unsigned i = 0; i < arch_lbr_entries(arch) && i < extra->lbr_count; i++)
        encode_entry(bytes + LBR_HEADER_BYTES + i * LBR_ENTRY_BYTES, &extra->lbr[i]);
}

static void encode_counters(uint8_t *bytes, const struct arch_contents *arch)
{
    encode_u64(bytes, arch->general | (uint64_t)arch->fixed << 32);
    encode_u64(bytes + 8, arch->format & ARCH_CNTR_METRICS ? METRICS_BOTH : 0);
    for (unsigned i = 0; i < counted(arch); i++)
        encode_u64(bytes + CNTR_BYTES + 8 * i, arch->counts[i]);
}

static void encode_group(uint8_t *bytes, enum arch_group group, const struct pebs_contents *contents,
                         const struct adaptive_contents *extra, const struct arch_contents *arch)
{
    switch (group) {
    case GROUP_BASIC:
        encode_basic(bytes, contents, extra, arch);
        break;
    case GROUP_AUX:
        encode_aux(bytes, contents, extra);
        break;
    case GROUP_GPR:
        encode_gpr(bytes, contents, arch);
        break;
    case GROUP_XER:
        encode_xer(bytes, extra, arch);
        break;
    case GROUP_LBR:
        encode_lbr(bytes, extra, arch);
        break;
    default:
        encode_counters(bytes, arch);
        break;
    }
}

/* The format bits of the groups from `first` up to, but not including, `next`. */
static uint64_t format_of(const struct arch_contents *arch, unsigned first, unsigned next)
{
    uint64_t format = 0;

    for (unsigned group = first; group < next; group++)
        format |= arch->format & group_bits[group];
    return format;
}

void arch_encode(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra,
                 const struct arch_contents *arch, const struct arch_split *split)
{
    memset(bytes, 0, arch_bytes(arch, split));
    for (unsigned first = 0, next; first < ARCH_GROUPS; first = next) {
        if (first > 0 && split->null_bytes[first] > 0) { /* a null record has only a size */
            encode_u64(bytes, split->null_bytes[first]);
            bytes += split->null_bytes[first];
        }
        const size_t size = fragment_bytes(arch, split, first, &next);
        uint8_t *at = bytes + ARCH_HEADER_BYTES;

        encode_u64(bytes, size | format_of(arch, first, next) | (arch->mode_64 ? ARCH_MODE_64 : 0) |
                              (next < ARCH_GROUPS ? ARCH_CONTINUE : 0));
        for (unsigned group = first; group < next; group++) {
            if (arch_has_group(arch->format, (enum arch_group)group)) {
                encode_group(at, (enum arch_group)group, contents, extra, arch);
                at += arch_group_bytes(arch, (enum arch_group)group);
            }
        }
        bytes += size;
    }
}

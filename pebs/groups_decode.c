/* SPDX-License-Identifier: MIT */
#include "pebs/groups_decode.h"

#include "lib/bytes.h"

void groups_read_xmm(const uint8_t *bytes, struct pebs_record *out)
{
    out->has |= PEBS_HAS_XMM;
    for (unsigned i = 0; i < 16; i++) {
        out->xmm[i].low = read_u64(bytes, 16 * i);
        out->xmm[i].high = read_u64(bytes, 16 * i + 8);
    }
}

/* The newest entry is first; each entry is FROM, TO and INFO. */
void groups_read_lbr(unsigned lbr_format, const uint8_t *bytes, unsigned entries, struct pebs_record *out)
{
    out->has |= PEBS_HAS_LBR;
    out->lbr_count = entries;
    for (unsigned i = 0; i < entries; i++, bytes += PEBS_LBR_BYTES) {
        uint64_t from = read_u64(bytes, 0), to = read_u64(bytes, 8), info = read_u64(bytes, 16);
        if (lbr_format == LBR_FORMAT_ARCH)
            lbr_decode_arch(from, to, info, &out->lbr[i]);
        else if (lbr_decode(lbr_format, from, to, info, &out->lbr[i]) != LBR_DECODE_OK)
            out->lbr[i] = (struct lbr_entry){ .from = from, .to = to };
    }
}

/* The counts follow the header in the order of their bits. Slots and metrics follow if they were requested. */
void groups_read_counters(const uint8_t *bytes, struct pebs_record *out)
{
    const uint8_t *at = bytes + PEBS_COUNTERS_BYTES;
    unsigned count = 0;

    out->has |= PEBS_HAS_COUNTS;
    out->counted = read_u64(bytes, 0);
    for (uint64_t left = out->counted; left; left &= left - 1, at += 8)
        out->counts[count++] = read_u64(at, 0);
    if (read_u32(bytes, 8) != PEBS_COUNTERS_METRICS)
        return;
    out->has |= PEBS_HAS_METRICS;
    out->slots = read_u64(at, 0);
    out->metrics = read_u64(at, 8);
}

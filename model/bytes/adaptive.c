/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/bytes/adaptive.h"

#include <stdbool.h>

#define BASIC_BYTES     32
#define MEMINFO_BYTES   32
#define GPRS_BYTES      144
#define XMMS_BYTES      256
#define LBR_ENTRY_BYTES 24
#define COUNTERS_BYTES  16 /* size of the group's header */
#define METRICS_BYTES   16

#define RETIRE_LATENCY_SHIFT 32
#define RECORD_SIZE_SHIFT    48
#define CACHE_LATENCY_SHIFT  32
#define FIXED_BITMAP_SHIFT   32
#define METRICS_BOTH         3 /* both words follow */

static unsigned counters_of(uint64_t format)
{
    return (unsigned)(__builtin_popcount(DATA_CFG_GENERAL(format)) + __builtin_popcount(DATA_CFG_FIXED(format)));
}

size_t adaptive_bytes(uint64_t format)
{
    size_t bytes = BASIC_BYTES;

    bytes += format & DATA_CFG_MEMINFO ? MEMINFO_BYTES : 0;
    bytes += format & DATA_CFG_GPRS ? GPRS_BYTES : 0;
    bytes += format & DATA_CFG_XMMS ? XMMS_BYTES : 0;
    bytes += format & DATA_CFG_LBRS ? LBR_ENTRY_BYTES * DATA_CFG_LBR_COUNT(format) : 0;
    bytes += format & (DATA_CFG_COUNTERS | DATA_CFG_METRICS) ? COUNTERS_BYTES + 8 * counters_of(format) : 0;
    bytes += format & DATA_CFG_METRICS ? METRICS_BYTES : 0;
    return bytes;
}

static void encode_basic(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra)
{
    encode_u64(bytes + 0x00, (uint32_t)extra->format | (uint64_t)extra->retire_latency << RETIRE_LATENCY_SHIFT |
                                 (uint64_t)adaptive_bytes(extra->format) << RECORD_SIZE_SHIFT);
    encode_u64(bytes + 0x08, contents->eventing_ip);
    encode_u64(bytes + 0x10, contents->counters);
    encode_u64(bytes + 0x18, contents->tsc);
}

static void encode_meminfo(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra)
{
    encode_u64(bytes + 0x00, contents->data_address);
    encode_u64(bytes + 0x08, contents->data_source);
    encode_u64(bytes + 0x10, contents->latency | (uint64_t)extra->cache_latency << CACHE_LATENCY_SHIFT);
    encode_u64(bytes + 0x18, contents->tsx);
}

/* The registers are in the order of instruction encodings, unlike in the fixed formats. */
static void encode_gprs(uint8_t *bytes, const struct pebs_contents *contents)
{
    encode_u64(bytes + 0x00, contents->rflags);
    encode_u64(bytes + 0x08, contents->ip);
    encode_u64(bytes + 0x10, contents->general[RAX]);
    encode_u64(bytes + 0x18, contents->general[RCX]);
    encode_u64(bytes + 0x20, contents->general[RDX]);
    encode_u64(bytes + 0x28, contents->general[RBX]);
    encode_u64(bytes + 0x30, contents->general[RSP]);
    encode_u64(bytes + 0x38, contents->general[RBP]);
    encode_u64(bytes + 0x40, contents->general[RSI]);
    encode_u64(bytes + 0x48, contents->general[RDI]);
    for (unsigned i = 0; i < 8; i++)
        encode_u64(bytes + 0x50 + 8 * i, contents->general[R8 + i]);
}

static void encode_lbrs(uint8_t *bytes, unsigned count, const struct adaptive_contents *extra)
{
    static const struct lbr_entry none;

    for (unsigned i = 0; i < count; i++) {
        const struct lbr_entry *entry = i < extra->lbr_count ? &extra->lbr[i] : &none;

        encode_u64(bytes + i * LBR_ENTRY_BYTES, entry->from);
        encode_u64(bytes + i * LBR_ENTRY_BYTES + 0x08, entry->to);
        encode_u64(bytes + i * LBR_ENTRY_BYTES + 0x10, entry->info);
    }
}

/* A header of four doublewords (two bitmaps, which metrics follow, reserved), then the values. */
static void encode_counters(uint8_t *bytes, const struct adaptive_contents *extra)
{
    const bool metrics = extra->format & DATA_CFG_METRICS;

    encode_u64(bytes + 0x00, DATA_CFG_GENERAL(extra->format) | (uint64_t)DATA_CFG_FIXED(extra->format)
                                                                   << FIXED_BITMAP_SHIFT);
    encode_u64(bytes + 0x08, metrics ? METRICS_BOTH : 0);
    bytes += COUNTERS_BYTES;
    for (unsigned i = 0; i < counters_of(extra->format); i++, bytes += 8)
        encode_u64(bytes, extra->counters[i]);
    if (metrics) {
        encode_u64(bytes + 0x00, extra->slots);
        encode_u64(bytes + 0x08, extra->metrics);
    }
}

void adaptive_encode(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra)
{
    encode_basic(bytes, contents, extra);
    bytes += BASIC_BYTES;
    if (extra->format & DATA_CFG_MEMINFO) {
        encode_meminfo(bytes, contents, extra);
        bytes += MEMINFO_BYTES;
    }
    if (extra->format & DATA_CFG_GPRS) {
        encode_gprs(bytes, contents);
        bytes += GPRS_BYTES;
    }
    if (extra->format & DATA_CFG_XMMS) {
        for (unsigned i = 0; i < XMM_REGISTERS; i++) {
            encode_u64(bytes + 16 * i, extra->xmm[i][0]);
            encode_u64(bytes + 16 * i + 8, extra->xmm[i][1]);
        }
        bytes += XMMS_BYTES;
    }
    if (extra->format & DATA_CFG_LBRS) {
        encode_lbrs(bytes, DATA_CFG_LBR_COUNT(extra->format), extra);
        bytes += DATA_CFG_LBR_COUNT(extra->format) * LBR_ENTRY_BYTES;
    }
    if (extra->format & (DATA_CFG_COUNTERS | DATA_CFG_METRICS))
        encode_counters(bytes, extra);
}

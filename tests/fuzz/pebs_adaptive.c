/* SPDX-License-Identifier: MIT */
/*
 * Input: a byte, bit 0 PEBS baseline, bit 1 retire latency, bits 3:2 added to format 4, bit 4 cache latency; a byte,
 * the LBR format; a byte, the encoding of the data source; then a buffer of records, each with its own size.
 */
#include "tests/fuzz/records.h"

/* The size of the record's groups: those named in its basic group, and the counters in its own bitmap. */
static uint64_t size_of(const struct pebs_record *record)
{
    if (!(record->has & PEBS_HAS_COUNTS))
        return pebs_adaptive_size(record->format_group);
    return pebs_group_at(record->format_group, PEBS_IN_COUNTERS) +
           pebs_counters_size(record->counted, record->has & PEBS_HAS_METRICS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    unsigned flags = (unsigned)take(&in, 1);
    const struct pebs_form form = { .width = 8,
                                    .format = 4 + (flags >> 2 & 3) % 3,
                                    .adaptive = flags & 1,
                                    .retire_latency = (flags & 2) != 0,
                                    .cache_latency = (flags & 16) != 0,
                                    .lbr_format = (unsigned)take(&in, 1) & 0x3f };
    unsigned how = (unsigned)take(&in, 1), lines = 0, n = 0;
    const struct line_sink out = { take_line, &lines };
    static struct pebs_record record;
    enum pebs_error error;

    while (fill(&record, sizeof(record)), (error = pebs_decode(&form, in.data, in.size, &record)) == PEBS_DECODE_OK) {
        REQUIRE(record.size >= 32 && record.size <= in.size);
        REQUIRE(record.size == size_of(&record));
        REQUIRE(!(record.has & (PEBS_HAS_COUNTS | PEBS_HAS_METRICS)) || form.format == 6);
        REQUIRE(form.adaptive || record.size == 32);
        REQUIRE(record.lbr_count <= PEBS_LBR_MAX);
        pebs_text(&out, n++, &record, (enum data_source_encoding)(how % DATA_SOURCE_ENCODINGS),
                  how & 0x80 ? &odd_symbols : NULL);
        in.data += record.size;
        in.size -= record.size;
    }
    REQUIRE(lines >= n);
    REQUIRE(untouched(&record, sizeof(record)));
    REQUIRE(in.size >= 32 || error == PEBS_DECODE_TRUNCATED);
    REQUIRE(error != PEBS_DECODE_FORMAT_UNKNOWN && pebs_error_text(error)[0] != '\0');
    REQUIRE(pebs_adaptive_size(take(&in, 8)) <= 1456);
    return 0;
}

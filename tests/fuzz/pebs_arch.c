/* SPDX-License-Identifier: MIT */
/*
 * Input: a byte, the LBR format; a byte, the encoding of the data source; then a buffer of records of architectural
 * PEBS, each of one fragment or several.
 */
#include "pebs/layout/arch_pebs.h"
#include "tests/fuzz/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    const struct pebs_form form = { .width = 8,
                                    .format = ARCH_PEBS_FORMAT,
                                    .lbr_format = (unsigned)take(&in, 1) & 0x3f };
    unsigned how = (unsigned)take(&in, 1), lines = 0, n = 0;
    const struct line_sink out = { take_line, &lines };
    static struct pebs_record record;
    enum pebs_error error;
    size_t extent;

    while (fill(&record, sizeof(record)), (error = pebs_decode(&form, in.data, in.size, &record)) == PEBS_DECODE_OK) {
        REQUIRE(arch_pebs_extent(in.data, in.size, &extent) == PEBS_DECODE_OK && extent == record.size);
        REQUIRE(record.size >= 64 && record.size <= in.size);
        REQUIRE(record.fragments >= 1 && record.fragments * 16 <= record.size);
        REQUIRE(record.has & PEBS_HAS_EVENTING_IP && record.lbr_count <= PEBS_LBR_MAX);
        REQUIRE(record.size >= arch_pebs_size(record.format_group & ~ARCH_PEBS_LBR & ~ARCH_PEBS_COUNTERS, 0, 0));
        pebs_text(&out, n++, &record, (enum data_source_encoding)(how % 5), how & 0x80 ? &odd_symbols : NULL);
        in.data += record.size;
        in.size -= record.size;
    }
    REQUIRE(lines >= n);
    REQUIRE(untouched(&record, sizeof(record)));
    REQUIRE(in.size >= 16 || error == PEBS_DECODE_TRUNCATED);
    REQUIRE(error != PEBS_DECODE_FORMAT_UNKNOWN && error != PEBS_DECODE_SIZE_SMALL &&
            pebs_error_text(error)[0] != '\0');
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Input: a byte, bit 0 PEBS baseline, bit 1 timing, bits 3:2 added to format 4; a byte, the LBR format; a byte, the
 * encoding of the data source; then a buffer of records, each with its own size.
 */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    unsigned flags = (unsigned)take(&in, 1);
    const struct pebs_form form = { .width = 8,
                                    .format = 4 + (flags >> 2 & 3) % 3,
                                    .adaptive = flags & 1,
                                    .timing = (flags & 2) != 0,
                                    .lbr_format = (unsigned)take(&in, 1) & 0x3f };
    unsigned how = (unsigned)take(&in, 1), lines = 0, n = 0;
    const struct line_sink out = { take_line, &lines };
    static struct pebs_record record;
    enum pebs_error error;

    while (fill(&record, sizeof(record)), (error = pebs_decode(&form, in.data, in.size, &record)) == PEBS_DECODE_OK) {
        REQUIRE(record.size >= 32 && record.size <= in.size);
        REQUIRE(record.size == pebs_adaptive_size(record.format_group));
        REQUIRE(form.adaptive || record.size == 32);
        REQUIRE(record.lbr_count <= PEBS_LBR_MAX);
        pebs_text(&out, n++, &record, (enum data_source_encoding)(how % 5), how & 0x80 ? &odd_symbols : NULL);
        in.data += record.size;
        in.size -= record.size;
    }
    REQUIRE(lines >= n);
    REQUIRE(untouched(&record, sizeof(record)));
    REQUIRE(in.size >= 32 || error == PEBS_DECODE_TRUNCATED);
    REQUIRE(error != PEBS_DECODE_FORMAT_UNKNOWN && pebs_error_text(error)[0] != '\0');
    REQUIRE(pebs_adaptive_size(take(&in, 8)) <= 1232);
    return 0;
}

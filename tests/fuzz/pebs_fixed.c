/* SPDX-License-Identifier: MIT */
/* Input: three bytes, width, format and encoding of the data source; then a buffer of records. */
#include "tests/fuzz/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    const struct pebs_form form = { .width = (unsigned)take(&in, 1), .format = (unsigned)take(&in, 1) };
    unsigned how = (unsigned)take(&in, 1), lines = 0, n = 0;
    const struct line_sink out = { take_line, &lines };
    struct pebs_record record;
    enum pebs_error error;

    if (form.width == 8 && ((form.format >= 4 && form.format <= 6) || form.format == 15))
        return 0; /* pebs_adaptive.c, pebs_arch.c */
    while (fill(&record, sizeof(record)), (error = pebs_decode(&form, in.data, in.size, &record)) == PEBS_DECODE_OK) {
        REQUIRE(record.size == pebs_record_size(&form) && record.size <= in.size);
        REQUIRE(record.width == form.width && record.format == form.format && record.has & PEBS_HAS_GPRS);
        REQUIRE(form.width == 8 || (record.ip | record.rflags | record.gpr[PEBS_RSP]) >> 32 == 0);
        REQUIRE(record.lbr_count == 0);
        pebs_text(&out, n++, &record, (enum data_source_encoding)(how % DATA_SOURCE_ENCODINGS),
                  how & 0x80 ? &odd_symbols : NULL);
        in.data += record.size;
        in.size -= record.size;
    }
    REQUIRE(lines >= n);
    REQUIRE(untouched(&record, sizeof(record)));
    REQUIRE(error == (pebs_record_size(&form) ? PEBS_DECODE_TRUNCATED : PEBS_DECODE_FORMAT_UNKNOWN));
    REQUIRE(error != PEBS_DECODE_TRUNCATED || in.size < pebs_record_size(&form));
    REQUIRE(pebs_error_text((enum pebs_error)form.format)[0] != '\0');
    return 0;
}

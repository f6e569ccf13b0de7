/* SPDX-License-Identifier: MIT */
/* Input: a byte, bits 3:0 the width, bit 4 prediction defined; then a buffer of records. */
#include "tests/fuzz/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    uint64_t how = take(&in, 1);
    unsigned width = how & 0xf, lines = 0, n = 0;
    const struct line_sink out = { take_line, &lines };
    struct bts_record record;
    enum bts_error error;

    while (fill(&record, sizeof(record)),
           (error = bts_decode(width, in.data, in.size, (how & 0x10) != 0, &record)) == BTS_DECODE_OK) {
        REQUIRE(record.width == width && in.size >= 3 * width);
        REQUIRE(width == 8 || (record.from | record.to | record.flags) >> 32 == 0);
        REQUIRE(record.predicted == (record.prediction_valid && (record.flags & 0x10) != 0));
        bts_text(&out, n++, &record, how & 0x20 ? &odd_symbols : NULL);
        in.data += 3 * width;
        in.size -= 3 * width;
    }
    REQUIRE(lines == n);
    REQUIRE(untouched(&record, sizeof(record)));
    REQUIRE(error == (width == 4 || width == 8 ? BTS_DECODE_TRUNCATED : BTS_DECODE_WIDTH));
    REQUIRE(error != BTS_DECODE_TRUNCATED || in.size < 3 * width);
    return 0;
}

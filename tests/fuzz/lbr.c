/* SPDX-License-Identifier: MIT */
/* Input: a byte, the format; a byte, the depth; 8 bytes, TOS; then triples of FROM, TO and INFO. */
#include "lbr/lbr_decode.h"
#include "tests/fuzz/records.h"

#define DEPTH_MAX 64

static void check_positions(unsigned depth, uint64_t tos)
{
    uint64_t seen = 0;
    unsigned age = 0, position = 77;
    enum lbr_error error;

    for (; (error = lbr_position(depth, tos, age, &position)) == LBR_DECODE_OK; age++) {
        REQUIRE(position < depth && (seen >> position & 1) == 0);
        seen |= UINT64_C(1) << position;
    }
    REQUIRE(age == 0 || (age == depth && tos < depth)); /* each register has one age */
    REQUIRE(error == LBR_DECODE_TOS_RANGE ? tos >= depth : error == LBR_DECODE_DEPTH);
    position = 77;
    REQUIRE(lbr_position(depth, tos, depth, &position) != LBR_DECODE_OK && position == 77);
    REQUIRE(lbr_error_text(error)[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    unsigned lbr_format = (unsigned)take(&in, 1), depth = (unsigned)take(&in, 1), lines = 0, n = 0;
    uint64_t tos = take(&in, 8);
    uint64_t from[DEPTH_MAX] = { 0 }, to[DEPTH_MAX] = { 0 }, info[DEPTH_MAX] = { 0 };
    const struct line_sink out = { take_line, &lines };

    check_positions(depth, tos);
    for (; n < DEPTH_MAX && in.size > 0; n++) {
        struct lbr_entry entry;
        from[n] = take(&in, 8);
        to[n] = take(&in, 8);
        info[n] = take(&in, 8);

        fill(&entry, sizeof(entry));
        if (lbr_decode(lbr_format, from[n], to[n], info[n], &entry) == LBR_DECODE_OK) {
            REQUIRE(entry.has & LBR_HAS_MISPRED || !entry.mispredicted);
            REQUIRE(entry.has & LBR_HAS_TSX || (!entry.in_tsx && !entry.tsx_abort));
            REQUIRE(entry.has & LBR_HAS_CYCLES || entry.cycles == 0);
            lbr_text(&out, n, &entry, &odd_symbols);
        } else {
            REQUIRE(lbr_format > 7 && untouched(&entry, sizeof(entry)));
        }
        lbr_decode_packed(from[n], &entry);
        REQUIRE((entry.to << 32 | entry.from) == from[n] && entry.has == 0);
        lbr_text(&out, n, &entry, NULL);
        lbr_decode_arch(from[n], to[n], info[n], &entry);
        REQUIRE(entry.type < 16 && (entry.has & LBR_HAS_CYCLES || entry.cycles == 0));
        lbr_text(&out, n, &entry, &odd_symbols);
    }
    REQUIRE(lbr_error_text((enum lbr_error)lbr_format)[0] != '\0');
    return 0;
}

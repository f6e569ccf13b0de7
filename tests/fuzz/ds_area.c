/* SPDX-License-Identifier: MIT */
/* Input: two bytes, width and PEBS format; then the management area. */
#include "ds/ds_area.h"
#include "tests/fuzz/fuzz.h"

static unsigned used_slots(unsigned width, unsigned format)
{
    return width == 4 ? 1 : ds_reset_slots(format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    unsigned width = (unsigned)take(&in, 1), format = (unsigned)take(&in, 1);
    struct ds_area area, again;

    REQUIRE(ds_reset_general(format, width) <= DS_RESET_MAX && ds_reset_fixed(format, width) <= DS_RESET_MAX);
    fill(&area, sizeof(area));
    enum ds_area_error error = ds_area_decode(width, format, in.data, in.size, &area);
    REQUIRE((error == DS_AREA_OK || error == DS_AREA_TRUNCATED) == (ds_area_size(width, format) > 0));
    if (error != DS_AREA_OK) {
        REQUIRE(untouched(&area, sizeof(area)));
        return 0;
    }
    size_t bytes = ds_area_size(width, format);
    REQUIRE(bytes > 0 && bytes <= in.size);
    for (unsigned i = used_slots(width, format); i < DS_RESET_MAX; i++)
        REQUIRE(area.pebs_reset[i] == 0);

    uint8_t *copy = malloc(bytes);
    REQUIRE(copy != NULL);
    REQUIRE(ds_area_encode(width, format, &area, copy, bytes) == DS_AREA_OK);
    const size_t reserved = 8 * width + 8 * used_slots(width, format);
    REQUIRE(memcmp(copy, in.data, reserved) == 0);
    for (size_t i = reserved; i < bytes; i++)
        REQUIRE(copy[i] == 0);
    REQUIRE(ds_area_decode(width, format, copy, bytes, &again) == DS_AREA_OK);
    REQUIRE(memcmp(&area, &again, sizeof(area)) == 0);
    if (width == 8) { /* and into the 32-bit area, if it fits */
        uint64_t high = (area.bts.base | area.bts.index | area.bts.maximum | area.bts.threshold | area.pebs.base |
                         area.pebs.index | area.pebs.maximum | area.pebs.threshold) >>
                        32;
        fill(copy, bytes);
        error = ds_area_encode(4, format, &area, copy, bytes);
        REQUIRE(error == (high ? DS_AREA_VALUE : DS_AREA_OK));
        REQUIRE(!high || untouched(copy, bytes));
    }
    fill(copy, bytes);
    REQUIRE(ds_area_encode(width, format, &area, copy, bytes - 1) == DS_AREA_TRUNCATED && untouched(copy, bytes));
    free(copy);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* Input: what follows the header of a gzip file, up to the low half of its length. */
#include "boot/gzip.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t header[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
    const size_t length = sizeof header + size + 2;
    uint8_t *file = malloc(length);

    REQUIRE(file != NULL);
    memcpy(file, header, sizeof header);
    memcpy(file + sizeof header, data, size);
    memset(file + sizeof header + size, 0, 2);
    const uint32_t room = gzip_length(file, length);
    REQUIRE(room <= UINT16_MAX);
    uint8_t *out = malloc(room > 0 ? room : 1);
    REQUIRE(out != NULL);
    const enum gzip_error error = gzip_unpack(file, length, out);
    REQUIRE(gzip_error_text(error)[0] != '\0' && gzip_error_text((enum gzip_error)size));
    REQUIRE(error != GZIP_NOT_GZIP);
    free(out);
    free(file);
    return 0;
}

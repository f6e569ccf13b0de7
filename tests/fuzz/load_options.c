/* SPDX-License-Identifier: MIT */
/* Input: a byte, even for firmware's LoadOptions, odd for a file; then its bytes. */
#include "boot/load_options.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    bool file = take(&in, 1) & 1;
    char text[LOAD_OPTIONS_MAX + 1];
    size_t where = 0;

    fill(text, sizeof(text));
    enum load_options_error error = file ? load_options_from_file(in.data, in.size, text, &where)
                                         : load_options_from_ucs2(in.data, in.size, u"\\BOOT\\list.efi", text, &where);
    REQUIRE(memchr(text, '\0', sizeof(text)) != NULL);
    REQUIRE(error == LOAD_OPTIONS_OK || text[0] == '\0');
    REQUIRE(text[0] != ' ');
    for (size_t i = 0; text[i] != '\0'; i++)
        REQUIRE(text[i] >= ' ' && text[i] <= '~' && (text[i] != ' ' || (text[i + 1] != ' ' && text[i + 1] != '\0')));
    if (file)
        REQUIRE(error == LOAD_OPTIONS_OK || where >= 1);
    else
        REQUIRE(where <= in.size);
    return 0;
}

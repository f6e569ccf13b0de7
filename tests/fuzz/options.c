/* SPDX-License-Identifier: MIT */
/* Input: the text of the options. */
#include "boot/options.h"
#include "tests/fuzz/fuzz.h"

static bool within(struct slice slice, const char *text, size_t length)
{
    return slice.length == 0 || (slice.start >= text && slice.start + slice.length <= text + length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned lines = 0;
    char *text = malloc(size + 1);
    struct options options;
    struct slice offender = { NULL, 0 };

    REQUIRE(text != NULL);
    REQUIRE(options_parse(NULL, &options, &offender) == OPTIONS_OK && options.run.length > 0);
    memcpy(text, data, size);
    text[size] = '\0';
    enum options_error error = options_parse(text, &options, &offender);
    REQUIRE(options_error_text(error)[0] != '\0' && options_error_text((enum options_error)size)[0] != '\0');
    if (error == OPTIONS_OK) {
        struct slice list = options.run, glob;
        REQUIRE(options.timeout >= 1 && options.timeout <= 3600);
        REQUIRE(options.consoles <= OPTIONS_CONSOLES &&
                !(options.console_usual && (options.consoles || options.console_pci)));
        for (unsigned i = 0; i < options.consoles; i++) {
            const struct uart *uart = &options.console[i].uart;
            REQUIRE(uart->base && (uart->memory || uart_reach(uart) == UART_OK));
            REQUIRE(!uart->baud || uart_divisor(uart));
        }
        REQUIRE(options.width == 0 || options.width == 32 || options.width == 64);
        REQUIRE(options.run.length <= OPTIONS_LENGTH_MAX && options.skip.length <= OPTIONS_LENGTH_MAX);
        for (size_t left = options.run.length + 1; glob_next(&list, &glob); left--)
            REQUIRE(left > 0 && glob.length > 0);
        bool wanted = options_select(&options, "bts.interrupt.threshold");
        REQUIRE(!wanted || glob_list_match(options.run, "bts.interrupt.threshold"));
    } else {
        REQUIRE(within(offender, text, size));
    }
    if (error != OPTIONS_OK) /* the kernel then prints the options */
        options_help(take_line, &lines);
    REQUIRE(error == OPTIONS_OK || lines > 0);
    glob_match((struct slice){ text, strlen(text) }, "pebs.load_latency.l1");
    free(text);
    return 0;
}

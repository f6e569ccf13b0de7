/* SPDX-License-Identifier: MIT */
/* The console of a firmware that is a table of functions: gnu-efi's Print(), with the conversions that the loader uses.
 */
#ifndef TESTS_HOST_UEFI_CONSOLE_H
#define TESTS_HOST_UEFI_CONSOLE_H

#include <efi.h>
#include <efilib.h>

#include "tests/host/host_test.h"

/* What was said since a test emptied it. */
static char console_said[8192];

static void console_char(char c)
{
    const size_t length = strlen(console_said);
    assert_true(length + 1 < sizeof console_said);
    console_said[length] = c;
    console_said[length + 1] = '\0';
}

static void console_text(const char *text)
{
    while (*text)
        console_char(*text++);
}

UINTN Print(const CHAR16 *text, ...)
{
    va_list values;
    va_start(values, text);
    for (; *text; text++) {
        char number[32] = "";
        if (*text != '%') {
            console_char((char)*text);
            continue;
        }
        text++;
        if (*text == 'l') {
            text++;
            assert_int_equal(*text, 'x');
            snprintf(number, sizeof number, "%llx", (unsigned long long)va_arg(values, UINT64));
        } else if (*text == 'c') {
            snprintf(number, sizeof number, "%c", (char)va_arg(values, UINT32));
        } else if (*text == 'd') {
            snprintf(number, sizeof number, "%u", va_arg(values, UINT32));
        } else if (*text == 'x') {
            snprintf(number, sizeof number, "%x", va_arg(values, UINT32));
        } else if (*text == 'r') {
            snprintf(number, sizeof number, "status %u", (unsigned)(va_arg(values, EFI_STATUS) & 0xff));
        } else if (*text == 'a') {
            console_text(va_arg(values, const char *));
        } else {
            assert_int_equal(*text, 's');
            for (const CHAR16 *wide = va_arg(values, const CHAR16 *); *wide; wide++)
                console_char((char)*wide);
        }
        console_text(number);
    }
    va_end(values);
    return 0;
}

#endif

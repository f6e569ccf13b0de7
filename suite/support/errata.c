/* SPDX-License-Identifier: MIT */
#include "suite/support/errata.h"

#include <inttypes.h>
#include <stdarg.h>

#include "lib/format.h"

void(errata_explain)(struct test_run *run, unsigned errata, const char *fmt, ...)
{
    char text[120];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    (test_differs)(run, "erratum %s: %s", errata_number(run->caps->errata & errata), text);
}

void(errata_equal)(struct test_run *run, unsigned errata, const char *what, uint64_t got, uint64_t want)
{
    if (got != want && errata_any(run, errata))
        (errata_explain)(run, errata, "%s is 0x%" PRIx64 ", must be 0x%" PRIx64, what, got, want);
    else
        (test_equal)(run, what, got, want);
}

/* SPDX-License-Identifier: MIT */
#include "suite/support/errata.h"

#include <stdarg.h>

#include "lib/format.h"

static const char *const numbers[] = {
#define ERRATUM(id, numbers_) [ERRATUM_##id] = (numbers_),
    ERRATA(ERRATUM)
#undef ERRATUM
};

void errata_explain(struct test_run *run, unsigned errata, const char *fmt, ...)
{
    char text[120];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    test_differs(run, "erratum %s: %s", numbers[__builtin_ctz(run->caps->errata & errata)], text);
}

/* SPDX-License-Identifier: MIT */
#include "cpu/errata.h"

const char *errata_number(unsigned errata)
{
    static const char *const numbers[] = {
#define ERRATUM(id, numbers_) [ERRATUM_##id] = (numbers_),
        ERRATA(ERRATUM)
#undef ERRATUM
    };

    return numbers[__builtin_ctz(errata)];
}

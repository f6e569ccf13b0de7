/* SPDX-License-Identifier: MIT */
/* Deviations that a known erratum of the processor explains. */
#ifndef SUITE_SUPPORT_ERRATA_H
#define SUITE_SUPPORT_ERRATA_H

#include "cpu/errata.h"
#include "kernel/test.h"

/* Whether the processor has one of these errata (HAS_ERRATUM). */
static inline bool errata_any(const struct test_run *run, unsigned errata)
{
    return run->caps->errata & errata;
}

/* Reports a difference, with the number of the first of these errata that the processor has. It must have one. */
void errata_explain(struct test_run *run, unsigned errata, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* test_equal(). A difference is not a failure if the processor has one of these errata. */
void errata_equal(struct test_run *run, unsigned errata, const char *what, uint64_t got, uint64_t want);

#define errata_explain(run, ...) errata_explain(TEST_AT(run), __VA_ARGS__)
#define errata_equal(run, ...)   errata_equal(TEST_AT(run), __VA_ARGS__)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Tests that register themselves, in the file's order, and the program that runs them. Before including this header, a
 * file may name fixtures: SETUP and TEARDOWN for each test, FIRST and LAST for all.
 */
#ifndef TESTS_HOST_UNIT_TEST_H
#define TESTS_HOST_UNIT_TEST_H

#include "tests/host/host_test.h"

#ifdef SETUP
static int SETUP(void **state);
#else
#define SETUP NULL
#endif
#ifdef TEARDOWN
static int TEARDOWN(void **state);
#else
#define TEARDOWN NULL
#endif
#ifdef FIRST
static int FIRST(void **state);
#else
#define FIRST NULL
#endif
#ifdef LAST
static int LAST(void **state);
#else
#define LAST NULL
#endif

static struct CMUnitTest unit_tests[100];
static size_t unit_test_count;

#define UNIT_TEST(function)                                                                                            \
    static void function(void **state);                                                                                \
    __attribute__((constructor)) static void register_##function(void)                                                 \
    {                                                                                                                  \
        unit_tests[unit_test_count++] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(function, SETUP, TEARDOWN); \
    }                                                                                                                  \
    static void function(void **state)

/* Code under test has parameters named main. */
#pragma GCC diagnostic ignored "-Wshadow"

int main(void)
{
    assert_in_range(unit_test_count, 1, COUNT_OF(unit_tests));
    return _cmocka_run_group_tests(__BASE_FILE__, unit_tests, unit_test_count, FIRST, LAST);
}

#endif

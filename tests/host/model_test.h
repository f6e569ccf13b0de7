/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the model that register themselves, in the order of the file, and the program that runs them. A file may
 * define fixtures before it includes this header: SETUP and TEARDOWN of each test, FIRST and LAST of all of them.
 */
#ifndef TESTS_HOST_MODEL_TEST_H
#define TESTS_HOST_MODEL_TEST_H

#include "tests/host/host_test.h"

#ifndef SETUP
#define SETUP NULL
#endif
#ifndef TEARDOWN
#define TEARDOWN NULL
#endif
#ifndef FIRST
#define FIRST NULL
#endif
#ifndef LAST
#define LAST NULL
#endif

static struct CMUnitTest registered_tests[100];
static size_t registered_count;

#define TEST(function)                                                                      \
    static void function(void **state);                                                     \
    __attribute__((constructor)) static void register_##function(void)                      \
    {                                                                                       \
        registered_tests[registered_count++] =                                              \
            (struct CMUnitTest)cmocka_unit_test_setup_teardown(function, SETUP, TEARDOWN); \
    }                                                                                       \
    static void function(__attribute__((unused)) void **state)

int main(void)
{
    assert_in_range(registered_count, 1, COUNT_OF(registered_tests));
    return _cmocka_run_group_tests(__BASE_FILE__, registered_tests, registered_count, FIRST, LAST);
}

#endif

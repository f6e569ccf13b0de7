/* SPDX-License-Identifier: MIT */
/*
 * A test is one struct in one file, which the linker collects for the runner. The runner owns plan and verdict. A test
 * only says what it expects and what is wrong.
 */
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"

struct test_run {
    const struct test *test;
    const struct caps *caps;
    unsigned expected, most;               /* minimum and maximum number of expected records, of all kinds together */
    unsigned typical;                      /* the typical number of records: any other is a difference; 0: not set */
    unsigned seen;                         /* records seen so far */
    bool planned;                          /* test_plan was called */
    unsigned problems;                     /* calls of test_fail, if the claim is architectural */
    unsigned differences;                  /* deviations from what is typical, which are not failures */
    const char *skipped;                   /* the reason given to test_skip; else NULL */
    unsigned print_most;                   /* records of a kind to print (options: records=) */
    unsigned hold_most;                    /* records of a kind to print or to hold back until the outcome is known */
    unsigned lbr_most;                     /* entries of an LBR stack to print; the others are held back */
    unsigned bts_printed, pebs_printed;    /* records printed or held so far in the whole test */
    unsigned stacks_printed;               /* LBR stacks */
    enum data_source_encoding data_source; /* encoding of the records' data sources */
    const char *file, *plan_file;          /* the file of the last check; the file of the plan */
    unsigned line, plan_line; /* their lines. With `aside`, plan_.. are those of the check that it describes */
    char *aside; /* on another processor: TEST_ASIDE bytes for its first problem or, without one, its first difference;
                    NULL: all problems and differences go to the console */
};

#define TEST_ASIDE 160u

struct test {
    const char *id;     /* stable, dotted, [a-z0-9._] */
    const char *title;  /* the claim in one sentence */
    const char *source; /* the source of the claim: title, number with edition and section of the manual
                           (suite/support/sources.h) */
    /*
     * The claim's level. NULL: architectural, the manual promises it on every processor that has the feature. Otherwise
     * it is typical, a known behaviour of processors, and this sentence says why it is not promised.
     */
    const char *typical;
    uint64_t needs;                                /* NEED_* of cpu/caps.h */
    const char *(*lacks)(const struct caps *caps); /* another missing requirement, as a sentence, or NULL */
    bool records;                                  /* arms a facility: must call test_plan before it does */
    bool on_request; /* fails by design or needs consent: runs only if run= spells out its first word */
    void (*run)(struct test_run *run);
    const void *argument; /* for tests that differ only in values: run->test->argument; else NULL */
};

/*
 * TEST adds a test to the runner's table. TESTS adds several that belong together, below their functions: each row
 * begins with id, title and source. Members that most tests of a file share are in that file's GROUP.
 */
#define TEST(name)  static const struct test name COLLECTED
#define TESTS(name) static const struct test name[] COLLECTED
#define COLLECTED   __attribute__((used, section(".tests"), aligned(sizeof(void *))))

/* States how many records are expected, before anything is armed. Zero means that no record may be written. */
void test_plan(struct test_run *run, unsigned records);

/* States a range, for hardware that samples at random. */
void test_plan_between(struct test_run *run, unsigned least, unsigned most);

/* States a range, and the number in it that is typical. */
void test_plan_typical(struct test_run *run, unsigned least, unsigned most, unsigned typical);

/* Counts records. The runner compares the sum with the plan at the end. */
void test_saw(struct test_run *run, unsigned records);

/*
 * Skips the test for a reason that no NEED_* covers. The test must then return at once, with nothing armed. The reason
 * is a sentence.
 */
void test_skip(struct test_run *run, const char *reason);

/* Reports a problem. The test goes on, and fails. If its claim is typical, this is test_differs. */
void test_fail(struct test_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reports a deviation from typical behaviour that breaks no promise. The test goes on, and may pass. */
void test_differs(struct test_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fails the test unless got equals want. `what` names the value. Returns whether they are equal. */
bool test_equal(struct test_run *run, const char *what, uint64_t got, uint64_t want);

/* Fails the test unless got is from least to most. Returns whether it is. */
bool test_between(struct test_run *run, const char *what, uint64_t got, uint64_t least, uint64_t most);

/* Each call of these macros is a check. After a problem the log prints the check's file and line. */
static inline struct test_run *test_at(struct test_run *run, const char *file, unsigned line)
{
    run->file = file;
    run->line = line;
    return run;
}
#define TEST_AT(run)                test_at(run, __FILE__, __LINE__)
#define test_plan(run, ...)         test_plan(TEST_AT(run), __VA_ARGS__)
#define test_plan_between(run, ...) test_plan_between(TEST_AT(run), __VA_ARGS__)
#define test_plan_typical(run, ...) test_plan_typical(TEST_AT(run), __VA_ARGS__)
#define test_fail(run, ...)         test_fail(TEST_AT(run), __VA_ARGS__)
#define test_differs(run, ...)      test_differs(TEST_AT(run), __VA_ARGS__)
#define test_equal(run, ...)        test_equal(TEST_AT(run), __VA_ARGS__)
#define test_between(run, ...)      test_between(TEST_AT(run), __VA_ARGS__)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a test is: one struct in one file, found by the runner through the linker. The runner owns plan and verdict; a
 * test only says what it expects and what it found wrong.
 */
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"

struct test_run {
    const struct test *test;
    const struct caps *caps;
    unsigned expected, most;               /* records of all kinds together: at least and at most so many must come */
    unsigned seen;                         /* so many came */
    bool planned;                          /* test_plan was called */
    unsigned problems;                     /* what went wrong, said by test_fail */
    const char *skipped;                   /* why, said by test_skip; else NULL */
    unsigned print_most;                   /* records of a kind to print (options: records=) */
    unsigned bts_printed, pebs_printed;    /* records printed so far: a test that samples twice goes on counting */
    enum data_source_encoding data_source; /* of the records to be printed */
};

struct test {
    const char *id;     /* stable, dotted, [a-z0-9._] */
    const char *title;  /* the claim in one sentence */
    const char *source; /* who claims it: title, number with edition and section of the manual (suite/sources.h) */
    uint64_t needs;     /* NEED_* of cpu/caps.h */
    const char *(*lacks)(const struct caps *caps); /* what else is missing, in a sentence, or NULL */
    bool records;                                  /* arms a facility: must call test_plan before it does */
    bool on_request; /* must not pass, or must not be done unasked: runs only when run= names its first word */
    void (*run)(struct test_run *run);
    const void *argument; /* where tests differ by values alone: what run finds in run->test->argument; else NULL */
};

/* Puts a test into the runner's table. */
#define TEST(name) static const struct test name __attribute__((used, section(".tests"), aligned(sizeof(void *))))

/* Says how many records must come, before anything is armed. Zero is an expectation too: "none may come". */
void test_plan(struct test_run *run, unsigned records);

/* The same where the hardware samples at random. */
void test_plan_between(struct test_run *run, unsigned least, unsigned most);

/* Adds to the records that came. The runner compares at the end. */
void test_saw(struct test_run *run, unsigned records);

/*
 * Says why this processor cannot be asked, where no NEED_* can tell. The test must end at once, with nothing armed; it
 * counts as skipped.
 */
void test_skip(struct test_run *run, const char *reason);

/* Says what is wrong; the test goes on, and fails. */
void test_fail(struct test_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fails unless got equals want; what names the value. Returns whether they are equal. */
bool test_equal(struct test_run *run, const char *what, uint64_t got, uint64_t want);

#endif

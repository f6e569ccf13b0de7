/* SPDX-License-Identifier: MIT */
/*
 * The page on the screen, for the person at the machine: progress, results, and at the end what to do (docs/booting.md,
 * "What the screen shows"). Pure.
 */
#ifndef KERNEL_SCREEN_PAGE_H
#define KERNEL_SCREEN_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/caps.h"
#include "kernel/report/results.h"
#include "kernel/report/verdict.h"
#include "kernel/screen/cells.h"
#include "kernel/screen/page_code.h"

enum page_state {
    PAGE_STEPS,   /* before the tests */
    PAGE_TESTS,   /* a test runs */
    PAGE_VERDICT, /* the verdict is known, and the end of the log is being written */
    PAGE_END      /* the log is complete */
};

/* What the machine does after the last page. */
enum page_then { PAGE_HALTS, PAGE_REBOOTS, PAGE_SWITCHES_OFF };

/* Which lines of the log the further pages show, and when. */
enum page_lines {
    PAGE_LINES_ALL,   /* all of them, in turn with the other pages */
    PAGE_LINES_LAST,  /* the last ones, in turn */
    PAGE_LINES_BY_KEY /* all of them, only if a key asks for them */
};

/* The state of a run. */
struct page {
    enum page_state state;
    const char *version, *revision; /* of this program */
    unsigned bits;                  /* the kernel's width */
    unsigned step, steps;           /* from 1; 0: no step has begun */
    const char *step_name;
    const struct caps *caps;         /* NULL: the processor is not known yet */
    const struct result *results;    /* one for each test of the kernel, also for those that have not run yet */
    size_t result_count;             /* 0: no results yet */
    unsigned planned, number;        /* number of tests to run; number of the running test, from 1 */
    const char *test;                /* its id */
    const struct facility *verdicts; /* FACILITIES of them, in the order BTS, PEBS, LBR; NULL: not judged */
    enum verdict verdict;            /* valid from PAGE_VERDICT on */
    const char *trouble;             /* a problem of the options or the machine, or an exception; else NULL */
    const char *send_to;             /* "to NAME", who wants the log or a photo; NULL: not known */
    const char *log;                 /* where the log goes: "COM1 at 115200 baud"; NULL: nowhere */
    const char *system;              /* machine and firmware; NULL: not known */
    const char *kinds;               /* the tested kinds of cores of a hybrid; "" or NULL: there is one kind */
    const char *remarks;             /* the loader's remarks; NULL: none */
    const struct page_code *codes;   /* the result as QR codes, shown from PAGE_VERDICT on */
    unsigned code_count;
    enum page_then then;
    const char *lines;    /* of further pages, each NUL-terminated; NULL: none */
    size_t lines_size;    /* bytes */
    enum page_lines take; /* which of them are shown, and when */
    const char *keys;     /* which keys do what; NULL: there is no keyboard */
    unsigned elapsed;     /* seconds that the run took; 0: not known */
    unsigned turn;        /* number of the page, below page_turns() */
};

/*
 * The number of pages that are shown in turn on a screen of this size: more than one if not everything fits. keys: also
 * counts the pages that only a key shows.
 */
unsigned page_turns(const struct page *page, const struct cells *cells, bool keys);

/* The largest side of a QR code that fits on a screen of this size, in modules. */
unsigned page_code_most(const struct cells *cells);

/* Draws the page. Sets every cell of the screen, and keeps no state. */
void page_draw(const struct page *page, struct cells *cells);

#endif

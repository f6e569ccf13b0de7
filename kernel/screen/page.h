/* SPDX-License-Identifier: MIT */
/*
 * The page for the person in front of the machine: not the log, but where the run is, what it has found, and at the
 * end what to do with it (docs/booting.md, "What the screen shows"). Pure.
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

/* The state of a run. */
struct page {
    enum page_state state;
    const char *version, *revision; /* of this program */
    unsigned bits;                  /* the kernel's width */
    unsigned step, steps;           /* steps from 1 on; 0: none has begun */
    const char *step_name;
    const struct caps *caps;         /* NULL: the processor is not known yet */
    const struct result *results;    /* of all tests that the kernel has, as far as they ran */
    size_t result_count;             /* 0: there are none yet */
    unsigned planned, number;        /* how many tests will run; which of them runs, from 1 on */
    const char *test;                /* its id */
    const struct facility *verdicts; /* FACILITIES of them, in the order BTS, PEBS, LBR; NULL: not judged */
    enum verdict verdict;            /* valid from PAGE_VERDICT on */
    const char *trouble;             /* what is wrong with the options or the machine, or the exception; else NULL */
    const char *log;                 /* where the log goes: "COM1 at 115200 baud"; NULL: nowhere */
    const struct page_code *codes;   /* the result as QR codes, shown from PAGE_VERDICT on */
    unsigned code_count;
    enum page_then then;
    unsigned turn; /* which of page_turns() pages */
};

/* How many pages take turns on a screen of this size: more than one if not all of it has room. */
unsigned page_turns(const struct page *page, const struct cells *cells);

/* The largest side of a QR code that has room on a screen of this size, in modules. */
unsigned page_code_most(const struct cells *cells);

/* Draws the page. Every cell of the screen is set; nothing is kept. */
void page_draw(const struct page *page, struct cells *cells);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Tells the page (kernel/screen/page.h) where the run is, and shows it. What is given is kept by reference, and read
 * until the end. Nothing here may be called while a test runs or anything samples: drawing takes time, and branches.
 */
#ifndef KERNEL_PROGRESS_H
#define KERNEL_PROGRESS_H

#include "kernel/screen/page.h"

/* What runs. */
void progress_start(const char *version, const char *revision, unsigned bits);

/* Step number `step` of `steps`, from 1 on, begins. */
void progress_step(unsigned step, unsigned steps, const char *name);

void progress_machine(const struct caps *caps);

/* One more place where the log goes: "COM1 at 115200 baud". */
void progress_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The tests are about to begin: `planned` of them; their results, as they come. */
void progress_plan(const struct result *results, size_t count, unsigned planned);

/* Test `number`, from 1 on, begins. */
void progress_test(unsigned number, const char *id);

/* The last test has ended. */
void progress_verdict(enum verdict verdict, const struct facility facilities[FACILITIES]);

/* Whether there is a screen. */
bool progress_is_seen(void);

/* The largest side of a QR code that has room on the screen, in modules; 0 without a screen. */
unsigned progress_code_most(void);

/* One more QR code for the last pages. It is shown from the next call on that shows something. */
void progress_code(const struct page_code *code);

/*
 * Keeps what is wrong with the options or the machine, or the exception, for the last page. Several follow one another.
 */
void progress_trouble(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Shows the last page; sent: all of the log is on its way, and the machine may be switched off. */
void progress_end(enum verdict verdict, enum page_then then, bool sent);

/* Shows the last pages in turn, if they are more than one and there is a clock. Returns when there is nothing to do. */
void progress_take_turns(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Passes the state of the run to the page (kernel/screen/page.h), and shows it. Keeps pointers to its arguments, which
 * must stay valid. Must not be called while a test runs or a facility records: drawing takes time and branches.
 */
#ifndef KERNEL_PROGRESS_H
#define KERNEL_PROGRESS_H

#include "arch/x86/devices/keyboard.h"
#include "kernel/screen/page.h"

/*
 * The page. Other code only sets members that say something about the program or the machine: version, revision, bits,
 * send_to, caps, system, kinds, remarks, elapsed and keys. The page shows them when it is drawn again.
 */
extern struct page progress_page;

/* Step number `step` of `steps`, from 1, begins. */
void progress_step(unsigned step, unsigned steps, const char *name);

/* Adds a destination of the log: "COM1 at 115200 baud". */
void progress_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* `planned` tests are about to begin. results is filled in as they end. */
void progress_plan(const struct result *results, size_t count, unsigned planned);

/* Test `number`, from 1, begins. */
void progress_test(unsigned number, const char *id);

/* The last test has ended. */
void progress_verdict(enum verdict verdict, const struct facility facilities[FACILITIES]);

/* Whether there is a screen. */
bool progress_is_seen(void);

/* Shows the lines of the log that are kept now (kernel/log_lines.h) on further pages at the end. */
void progress_lines(enum page_lines take);

/* Keeps a problem of the options or the machine, or the exception, for the last page. Several are joined. */
void progress_trouble(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Shows the last page, and, after progress_plan(), the results in QR codes. sent: all of the log has been sent, and the
 * machine may be switched off.
 */
void progress_end(enum verdict verdict, enum page_then then, bool sent);

/*
 * Shows the last pages: the next one after a time, if there is a clock, or at a key. Returns the key that restarts or
 * switches off, or KEY_NONE if there is no keyboard, and only one page or no clock.
 */
enum key progress_take_turns(void);

#endif

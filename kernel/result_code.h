/* SPDX-License-Identifier: MIT */
/*
 * What a person takes home: the results as a short text, which is a line of the log and a QR code, and the reasons of
 * failures as codes of their own (kernel/report/packed.h, kernel/report/reasons.h).
 */
#ifndef KERNEL_RESULT_CODE_H
#define KERNEL_RESULT_CODE_H

#include "lib/qr/qr.h"
#include "cpu/caps.h"
#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

/*
 * Sets what the codes tell of: the machine, and this program. Must be called after memory_init(). Without it, and
 * before the first test, there are no codes.
 */
void result_code_init(const struct caps *caps, const char *version, const char *revision);

/* Prints "# code TEXT". Only the first call does anything: what raises an exception in it is not tried again. */
void result_code_say(enum verdict verdict, const struct totals *totals);

/*
 * Makes the QR codes, none of which has more than so many modules a side: first the results, in several codes if they
 * must be, then the reasons. Returns how many there are. Only the first call does anything, as above.
 */
unsigned result_code_draw(enum verdict verdict, const struct totals *totals, unsigned side_most);

/* A code, by its number from 0 on. */
const struct qr_code *result_code(unsigned number);

#endif

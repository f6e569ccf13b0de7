/* SPDX-License-Identifier: MIT */
/*
 * The results as a short text, in a line of the log and in QR codes, and the reasons of failures in further QR codes
 * (kernel/report/packed.h, kernel/report/reasons.h).
 */
#ifndef KERNEL_RESULT_CODE_H
#define KERNEL_RESULT_CODE_H

#include "lib/qr/qr.h"
#include "cpu/caps.h"
#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

/*
 * Sets the machine and the program that the codes describe. Must be called after memory_init(). Without this call, and
 * before the first test, there are no codes.
 */
void result_code_init(const struct caps *caps, const char *version, const char *revision);

/* Prints "# code TEXT". Only the first call has an effect: if it raises an exception, the panic does not repeat it. */
void result_code_say(enum verdict verdict, const struct totals *totals);

/*
 * Makes the QR codes, each with at most side_most modules a side: first the results, in several codes if necessary,
 * then the reasons. Returns the number of codes. Only the first call has an effect, as above.
 */
unsigned result_code_draw(enum verdict verdict, const struct totals *totals, unsigned side_most);

/* Whether this code has reasons as plain text. */
bool result_code_is_plain(unsigned number);

/* A code, by its number from 0. */
const struct qr_code *result_code(unsigned number);

#endif

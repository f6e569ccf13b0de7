/* SPDX-License-Identifier: MIT */
/*
 * The results of a run as a short text (docs/output.md, "The result as a code"): processor, program, verdict, and each
 * test's outcome. A test is identified by its number in the kernel's list. The text has a fingerprint of that list.
 * Pure.
 */
#ifndef KERNEL_REPORT_PACKED_H
#define KERNEL_REPORT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

#define PACKED_PREFIX    "DSTEST86:" /* identifies the text to a person, and its start to dsdump */
#define PACKED_FORMAT    1u
#define PACKED_WORD      32u   /* characters, NUL included, of version and revision; longer ones are cut */
#define PACKED_TESTS_MAX 1024u /* tests in the list */
#define PACKED_BYTES_MAX 512u
#define PACKED_TEXT_MAX  (sizeof PACKED_PREFIX + (PACKED_BYTES_MAX + 1) / 2 * 3) /* characters, NUL included */

struct packed_head {
    char version[PACKED_WORD], revision[PACKED_WORD]; /* printable ASCII */
    unsigned width;                                   /* of the kernel: 32 or 64 */
    bool hypervisor;
    uint32_t signature, microcode; /* CPUID.1:EAX; 0 if not known */
    enum verdict verdict;
    enum facility_state facilities[FACILITIES];
    struct totals totals; /* each at most 65535 */
    uint32_t fingerprint; /* packed_fingerprint() */
    unsigned tests;       /* of the list, at most PACKED_TESTS_MAX */
};

/* A text's contents. */
struct packed {
    struct packed_head head;
    unsigned first, count;              /* the tests whose outcomes are in this text */
    uint8_t outcomes[PACKED_TESTS_MAX]; /* enum outcome by test number; other tests are "not run" */
};

enum packed_error {
    PACKED_OK,
    PACKED_NO_PREFIX,
    PACKED_CHARACTER, /* a character that is not valid in a code */
    PACKED_VALUE,     /* three characters that encode more than two bytes */
    PACKED_CUT,       /* a number of characters, or of bytes, that no code has */
    PACKED_LONG,
    PACKED_CHECKSUM,
    PACKED_UNKNOWN_FORMAT,
    PACKED_CONTENTS /* contents that no kernel of this format writes */
};

/* Fingerprint of the ids of all tests in the kernel's list, in its order. */
uint32_t packed_fingerprint(const struct result *results, size_t count);

/*
 * Writes the text of `count` tests from number `first`. results has the whole list, head->tests of them. Returns the
 * text's length.
 */
size_t packed_write(char text[PACKED_TEXT_MAX], const struct packed_head *head, const struct result *results,
                    unsigned first, unsigned count);

/* Reads a NUL-terminated text. On an error *offender is the position of the invalid part, and *packed is undefined. */
enum packed_error packed_read(const char *text, struct packed *packed, size_t *offender);

/* The error as a sentence. */
const char *packed_error_text(enum packed_error error);

#endif

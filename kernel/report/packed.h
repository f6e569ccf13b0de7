/* SPDX-License-Identifier: MIT */
/*
 * The results of a run as a short text (docs/output.md, "The result as a code"): what ran where, the verdict, and each
 * test's outcome. Tests are told by their numbers in the kernel's list, of which the text has a fingerprint. Pure.
 */
#ifndef KERNEL_REPORT_PACKED_H
#define KERNEL_REPORT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

#define PACKED_PREFIX    "DSTEST86:" /* tells a person what the text is, and dsdump where it begins */
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
    unsigned first, count;              /* the tests that this text tells of */
    uint8_t outcomes[PACKED_TESTS_MAX]; /* enum outcome of the test with that number; not run: of any other text */
};

enum packed_error {
    PACKED_OK,
    PACKED_NO_PREFIX,
    PACKED_CHARACTER, /* one that no code has */
    PACKED_VALUE,     /* three characters that stand for more than two bytes */
    PACKED_CUT,       /* a number of characters, or of bytes, that no code has */
    PACKED_LONG,
    PACKED_CHECKSUM,
    PACKED_UNKNOWN_FORMAT,
    PACKED_CONTENTS /* what no kernel of this format writes */
};

/* Of the ids of all tests in the kernel's list, in its order. */
uint32_t packed_fingerprint(const struct result *results, size_t count);

/*
 * Writes the text of `count` tests from number `first` on. results are those of the whole list, head->tests of them.
 * Returns the text's length.
 */
size_t packed_write(char text[PACKED_TEXT_MAX], const struct packed_head *head, const struct result *results,
                    unsigned first, unsigned count);

/*
 * Reads a text that ends with a NUL. On an error *offender is the position of what offends, and *packed is undefined.
 */
enum packed_error packed_read(const char *text, struct packed *packed, size_t *offender);

/* The error as a sentence. */
const char *packed_error_text(enum packed_error error);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_LIB_LOG_STATUS_H
#define TOOLS_LIB_LOG_STATUS_H

#include <stdbool.h>

/* What a log says, as an exit status. */
enum log_status {
    LOG_PASS = 0,
    LOG_FAIL = 1,
    LOG_UNUSABLE = 2, /* the log has a problem, so its verdict counts for nothing */
    LOG_INCOMPLETE = 3,
    LOG_SKIP = 77,
    LOG_ERROR = 99,
    LOG_PANIC = 134
};

#define LOG_PROBLEM_SIZE 320u /* characters of a problem's text, NUL included */

/* The status as a word: the verdict, or "unusable". */
const char *log_status_text(enum log_status status);

/* Whether a is worse than b. */
bool log_status_worse(enum log_status a, enum log_status b);

/* The status of a verdict's word; LOG_UNUSABLE if it is not a verdict. */
enum log_status log_status_of(const char *verdict);

#endif

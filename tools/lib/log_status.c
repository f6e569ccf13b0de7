/* SPDX-License-Identifier: MIT */
#include "tools/lib/log_status.h"

#include <stddef.h>
#include <string.h>

/* The worst first. */
static const struct {
    enum log_status status;
    const char *text;
} statuses[] = { { LOG_UNUSABLE, "unusable" },     { LOG_PANIC, "panic" }, { LOG_ERROR, "error" }, { LOG_FAIL, "fail" },
                 { LOG_INCOMPLETE, "incomplete" }, { LOG_SKIP, "skip" },   { LOG_PASS, "pass" } };

#define STATUSES (sizeof statuses / sizeof *statuses)

const char *log_status_text(enum log_status status)
{
    size_t i = 0;

    while (statuses[i].status != status)
        i++;
    return statuses[i].text;
}

bool log_status_worse(enum log_status a, enum log_status b)
{
    size_t i = 0;

    while (statuses[i].status != a && statuses[i].status != b)
        i++;
    return a != b && statuses[i].status == a;
}

enum log_status log_status_of(const char *verdict)
{
    for (size_t i = 0; i < STATUSES; i++)
        if (strcmp(statuses[i].text, verdict) == 0)
            return statuses[i].status;
    return LOG_UNUSABLE;
}

/* SPDX-License-Identifier: MIT */
#include "kernel/report/reasons.h"

#include <inttypes.h>

#include "lib/format.h"

/* The first test from this one on that failed or has no verdict; count if there is none. */
static size_t failed_from(const struct result *results, size_t count, size_t at)
{
    while (at < count && results[at].outcome != OUTCOME_FAIL && results[at].outcome != OUTCOME_ERROR)
        at++;
    return at;
}

size_t reasons_write(char *text, size_t size, const struct packed_head *head, const struct result *results,
                     size_t count, size_t *next)
{
    size_t at = failed_from(results, count, *next), used;
    bool any = false;

    if (at == count)
        return 0;
    used = (size_t)format(text, size, "dstest86 %s verdict=%s signature 0x%08" PRIx32, head->version,
                          verdict_text(head->verdict), head->signature);
    for (; at < count; at = failed_from(results, count, at + 1)) {
        const struct result *const r = &results[at];
        const size_t length =
            (size_t)format(text + used, size - used, "\n%s %s: %s", outcome_text(r->outcome), r->id, result_why(r));
        const bool fits = length < size - used;
        if (!fits && any) {
            text[used] = '\0';
            break;
        }
        used += fits ? length : size - used - 1;
        any = true;
    }
    *next = at;
    return used;
}

/* SPDX-License-Identifier: MIT */
#include "kernel/report/lbr_listing.h"

#include <inttypes.h>

#include "lib/format.h"
#include "lbr/lbr_layout.h"

#define SYMBOL_NAME_MAX 64 /* characters of a symbol's name that are printed */
#define SYMBOL_SIZE     (SYMBOL_NAME_MAX + sizeof(" +0123456789abcdef"))

static const char *symbol(char text[SYMBOL_SIZE], uint64_t address, const struct symbolizer *symbols)
{
    const char *name;
    uint64_t offset;

    text[0] = '\0';
    if (symbols && symbols->find(symbols->context, address, &name, &offset))
        format(text, SYMBOL_SIZE, " %.*s+%" PRIx64, SYMBOL_NAME_MAX, name, offset);
    return text;
}

void lbr_listing_state(const struct line_sink *out, bool enabled)
{
    say(out, "LBR bit is %s now.", enabled ? "set" : "cleared");
}

void lbr_listing_head(const struct line_sink *out, const struct lbr_listing_head *head)
{
    say(out, "Family 0x%x Model 0x%x detected", head->family, head->model);
    say(out, "LBR stack: count %u, BaseFrom=0x%" PRIx32 ", BaseTo=0x%" PRIx32 ", BaseInfo=0x%" PRIx32 ", flags 0x%x",
        head->depth, head->from, head->to, head->info, head->flags);
    say(out, "IA32_PERF_CAPABILITIES = 0x%" PRIx64, head->perf_capabilities);
    say(out, "MSR_DEBUGCTL = 0x%" PRIx64, head->debugctl);
    lbr_listing_state(out, head->enabled);
    say(out, "MSR_LASTBRANCH_TOS=%" PRIx64, head->tos);
}

/* Whether the newest `count` entries exist: if the oldest of them does, all do. */
static enum lbr_error check(unsigned depth, uint64_t tos, unsigned count)
{
    unsigned n;

    return lbr_position(depth, tos, count > 0 ? count - 1 : 0, &n);
}

enum lbr_error lbr_listing_packed(const struct line_sink *out, unsigned depth, uint64_t tos, unsigned count,
                                  const uint64_t *values, const struct symbolizer *symbols)
{
    enum lbr_error error = check(depth, tos, count);

    for (unsigned age = 0; error == LBR_DECODE_OK && age < count; age++) {
        struct lbr_entry entry;
        char text[SYMBOL_SIZE];
        unsigned n;

        lbr_position(depth, tos, age, &n);
        lbr_decode_packed(values[n], &entry);
        say(out, "MSR_LASTBRANCH_%x: [%08" PRIx64 "]%s", n, entry.to, symbol(text, entry.to, symbols));
        say(out, "MSR_LASTBRANCH_%x: [%08" PRIx64 "]%s", n, entry.from, symbol(text, entry.from, symbols));
    }
    return error;
}

enum lbr_error lbr_listing_info(const struct line_sink *out, unsigned depth, uint64_t tos, unsigned count,
                                const uint64_t *from, const uint64_t *to, const uint64_t *info,
                                const struct symbolizer *symbols)
{
    enum lbr_error error = check(depth, tos, count);

    for (unsigned age = 0; error == LBR_DECODE_OK && age < count; age++) {
        struct lbr_entry entry;
        char text[SYMBOL_SIZE];
        unsigned n;

        lbr_position(depth, tos, age, &n);
        lbr_decode(LBR_FORMAT_INFO, from[n], to[n], info[n], &entry);
        say(out, "MSR_LASTBRANCH_%x (info): Cycle Count %u, HIDWORD %" PRIx64, n, entry.cycles, info[n] >> 32);
        say(out, "MSR_LASTBRANCH_%x (to): [%016" PRIx64 "]%s", n, entry.to, symbol(text, entry.to, symbols));
        say(out, "MSR_LASTBRANCH_%x (from): [%016" PRIx64 "]%s bMISPRED %d", n, entry.from,
            symbol(text, entry.from, symbols), entry.mispredicted);
    }
    return error;
}

/* SPDX-License-Identifier: MIT */
#include "kernel/result_code.h"

#include <stddef.h>

#include "arch/x86/paging.h"
#include "lib/format.h"
#include "kernel/report/packed.h"
#include "kernel/report/reasons.h"
#include "kernel/console.h"
#include "kernel/memory.h"
#include "kernel/runner.h"

#define WIDTH (unsigned)(8 * sizeof(void *))

#define PARTS_MAX     4u /* codes of results */
#define REASONS_MAX   3u /* codes of reasons */
#define CODES_MAX     (PARTS_MAX + REASONS_MAX)
#define REASONS_LEAST 6u   /* the smallest version for them, with 134 bytes */
#define REASONS_SIZE  272u /* version 10 has 271 bytes; phones have difficulty with more modules */

static const struct caps *machine;
static const char *version_name, *revision_name;
static struct qr_code *codes;       /* CODES_MAX of them, or NULL */
static unsigned count, results_end; /* of all codes; of those with results */
static bool said, drawn;

void result_code_init(const struct caps *caps, const char *version, const char *revision)
{
    machine = caps;
    version_name = version;
    revision_name = revision;
    codes = memory_keep(CODES_MAX * sizeof *codes, PAGE_SIZE);
    if (!codes)
        console_note("code for the screen none: no memory for it");
}

/*
 * Fills in the head of the results on one kind of cores. Returns the results; NULL if there are none. verdict, totals:
 * of the whole run. With several kinds, each code has its kind's own verdict, except in a run that was cut short.
 */
static const struct result *head_of(unsigned kind, enum verdict verdict, const struct totals *totals,
                                    struct packed_head *head)
{
    size_t tests;
    const struct caps *caps;
    const struct result *const results = runner_results(kind, &tests, &caps);
    struct facility facilities[FACILITIES];
    struct totals own = *totals;
    const struct caps *first;

    if (!machine || tests == 0 || (!caps && kind > 0))
        return NULL;
    facilities_judge(caps ? caps : machine, results, tests, facilities);
    if (runner_kinds() > 1) {
        results_count(results, tests, &own);
        verdict = verdict == VERDICT_PANIC ? verdict : verdict_of(facilities, &own);
    }
    *head = (struct packed_head){ .width = WIDTH,
                                  .hypervisor = machine->hypervisor,
                                  .signature = machine->signature,
                                  .microcode = machine->microcode,
                                  .verdict = verdict,
                                  .totals = own,
                                  .fingerprint = packed_fingerprint(runner_results(0, &tests, &first), tests),
                                  .tests = (unsigned)tests };
    format(head->version, sizeof head->version, "%s", version_name);
    format(head->revision, sizeof head->revision, "%s", revision_name);
    for (unsigned i = 0; i < FACILITIES; i++)
        head->facilities[i] = facilities[i].state;
    return results;
}

void result_code_say(enum verdict verdict, const struct totals *totals)
{
    static char text[sizeof "code " + PACKED_TEXT_MAX] = "code ";
    struct packed_head head;

    for (unsigned kind = 0; !said && kind < runner_kinds(); kind++) {
        const struct result *const results = head_of(kind, verdict, totals, &head);
        if (!results)
            continue;
        packed_write(text + sizeof "code " - 1, &head, results, 0, head.tests);
        console_text(text);
    }
    said = true;
}

/* Draws a text in the smallest version, with the highest error correction that fits. */
static bool draw(const char *text, size_t length, unsigned side_most)
{
    struct qr_code *const code = &codes[count];
    const unsigned version = qr_version_for(text, length, QR_LEVEL_L);

    if (QR_SIDE(version) > side_most || !(qr_encode(code, text, length, QR_LEVEL_M, version, QR_MASK_BEST) ||
                                          qr_encode(code, text, length, QR_LEVEL_L, version, QR_MASK_BEST)))
        return false;
    count++;
    return true;
}

/* Draws the results in this many codes; in none, if one of them is too large. */
static bool draw_parts(const struct packed_head *head, const struct result *results, unsigned parts, unsigned side_most)
{
    static char text[PACKED_TEXT_MAX];

    for (unsigned part = 0; part < parts; part++) {
        const unsigned first = head->tests * part / parts, end = head->tests * (part + 1) / parts;
        const size_t length = packed_write(text, head, results, first, end - first);
        if (!draw(text, length, side_most)) {
            count = 0;
            return false;
        }
    }
    return true;
}

static void draw_reasons(const struct packed_head *head, const struct result *results, unsigned side_most)
{
    static char text[REASONS_SIZE]; /* all NULs: like lower-case letters, they are encoded as bytes */
    size_t next = 0, length, size = REASONS_SIZE;

    if (side_most < QR_SIDE(REASONS_LEAST))
        return;
    while (QR_SIDE(qr_version_for(text, size - 1, QR_LEVEL_L)) > side_most)
        size--;
    for (unsigned i = 0; i < REASONS_MAX; i++) {
        length = reasons_write(text, size, head, results, head->tests, &next);
        if (length == 0 || !draw(text, length, side_most))
            return;
    }
}

/* The kind whose results a photo should show: the first one with the whole run's verdict. */
static unsigned telling(enum verdict verdict, const struct totals *totals)
{
    struct packed_head head;
    unsigned kind = 0;

    while (kind < runner_kinds() && !(head_of(kind, verdict, totals, &head) && head.verdict == verdict))
        kind++;
    return kind < runner_kinds() ? kind : 0;
}

unsigned result_code_draw(enum verdict verdict, const struct totals *totals, unsigned side_most)
{
    struct packed_head head;
    const struct result *const results =
        drawn || !codes ? NULL : head_of(telling(verdict, totals), verdict, totals, &head);

    drawn = true;
    if (!results)
        return count;
    for (unsigned parts = 1; parts <= PARTS_MAX; parts++)
        if (draw_parts(&head, results, parts, side_most))
            break;
    results_end = count;
    draw_reasons(&head, results, side_most);
    return count;
}

bool result_code_is_plain(unsigned number)
{
    return number >= results_end;
}

const struct qr_code *result_code(unsigned number)
{
    return &codes[number];
}

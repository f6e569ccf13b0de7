/* SPDX-License-Identifier: MIT */
#include "tools/result_code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/format.h"
#include "kernel/report/packed.h"
#include "cpu/caps.h"
#include "cpu/cores.h"
#include "kernel/report/results.h"
#include "tools/complain.h"
#include "tools/test_list.h"

#define REASONS_START "dstest86 " /* kernel/report/reasons.h */
#define LINE_MAX_SIZE 4096        /* characters; a longer line has no code, and is read in pieces */

enum { STATUS_WHOLE, STATUS_DAMAGED, STATUS_NOTHING };

/* The run whose texts are being read. */
static struct {
    bool any; /* a text was read */
    struct packed packed;
    bool told[PACKED_TESTS_MAX]; /* tests whose results a text had */
} run;

static bool printed, damaged;

static void print_line(void *context, const char *text)
{
    (void)context;
    printf("# %s\n", text);
}

static const struct line_sink out = { print_line, NULL };

/* Fills in the ids, if this dsdump's list of tests is the one that the code was made with. */
static bool name_tests(struct result *results, const struct packed_head *head)
{
    const char *const *const list = head->width == 64 ? test_list_64 : test_list_32;
    unsigned count = 0;

    for (; list[count] && count < head->tests; count++)
        results[count].id = list[count];
    return !list[count] && count == head->tests && packed_fingerprint(results, count) == head->fingerprint;
}

/* Numbers as names, for the tests of an unknown list. */
static void number_tests(struct result *results, unsigned count)
{
    static char names[PACKED_TESTS_MAX][sizeof "1024"];

    for (unsigned i = 0; i < count; i++) {
        format(names[i], sizeof names[i], "%u", i);
        results[i].id = names[i];
    }
}

static void print_machine(const struct packed_head *head)
{
    unsigned family, model, stepping;

    caps_signature(head->signature, &family, &model, &stepping);
    const char *const core = core_find(family, model)->name;
    say(&out, "begin dstest86 %s %s %u", head->version, head->revision, head->width);
    say(&out, "cpu family %x model %x stepping %x signature 0x%08" PRIx32 " %s", family, model, stepping,
        head->signature, core ? core : "not in the table of models");
    say(&out, "cpu %s, microcode 0x%" PRIx32, head->hypervisor ? "under a hypervisor" : "no hypervisor",
        head->microcode);
}

/* Whether a facility is untested on a model known only by name. */
static bool lacks_row(const struct packed_head *head)
{
    unsigned family, model, stepping;
    bool untested = false;

    caps_signature(head->signature, &family, &model, &stepping);
    const struct core *const core = core_find_kind(family, model, CORE_TYPE_CORE, 0);
    for (unsigned i = 0; i < FACILITIES; i++)
        untested = untested || head->facilities[i] == FACILITY_UNTESTED;
    return untested && (!core->name || core->named_only);
}

/* After a panic the facilities were never judged. */
static void print_verdict(const struct packed_head *head)
{
    for (unsigned i = 0; i < FACILITIES && head->verdict != VERDICT_PANIC; i++)
        say(&out, "facility %s %s", facility_name(i), facility_state_text(head->facilities[i]));
    say(&out, "end dstest86 verdict=%s pass=%u fail=%u skip=%u error=%u differs=%u", verdict_text(head->verdict),
        head->totals.pass, head->totals.fail, head->totals.skip, head->totals.error, head->totals.differs);
}

/* Complains about the tests whose results no text had. */
static void check_told(unsigned count)
{
    unsigned first = 0, last;

    while (first < count && run.told[first])
        first++;
    for (last = first; last + 1 < count && !run.told[last + 1]; last++)
        ;
    if (first == count)
        return;
    complain("--code", "tests %u to %u of 0 to %u are in another code of this run: add its text", first, last,
             count - 1);
    damaged = true;
}

/* Prints the run, if there is one, and forgets it. */
static void print_run(void)
{
    static struct result results[PACKED_TESTS_MAX];
    const struct packed_head *const head = &run.packed.head;

    if (!run.any)
        return;
    for (unsigned i = 0; i < head->tests; i++)
        results[i] = (struct result){ .outcome = (enum outcome)run.packed.outcomes[i] };
    const bool named = name_tests(results, head);
    if (!named) {
        number_tests(results, head->tests);
        complain("--code",
                 "this code is of version %s %s, whose list of tests differs from that of this dsdump, %s: tests are "
                 "printed as numbers; the dsdump of that version knows their names",
                 head->version, head->revision, test_list_version);
        damaged = true;
    }
    print_machine(head);
    if (named)
        results_table(&out, results, head->tests);
    results_recap(&out, results, head->tests);
    print_verdict(head);
    if (lacks_row(head))
        complain("--code", MISSING_ROW);
    check_told(head->tests);
    memset(&run, 0, sizeof run);
    printed = true;
}

static bool same_run(const struct packed_head *a, const struct packed_head *b)
{
    return strcmp(a->version, b->version) == 0 && strcmp(a->revision, b->revision) == 0 && a->width == b->width &&
           a->hypervisor == b->hypervisor && a->signature == b->signature && a->microcode == b->microcode &&
           a->verdict == b->verdict && memcmp(a->facilities, b->facilities, sizeof a->facilities) == 0 &&
           memcmp(&a->totals, &b->totals, sizeof a->totals) == 0 && a->fingerprint == b->fingerprint &&
           a->tests == b->tests;
}

/* Adds a text's results to the run, or begins another run. */
static void add(const struct packed *packed)
{
    bool other = !run.any || !same_run(&run.packed.head, &packed->head);

    for (unsigned i = 0; i < packed->count; i++)
        other = other || run.told[packed->first + i];
    if (other) {
        print_run();
        run.packed = *packed;
        run.any = true;
    }
    for (unsigned i = packed->first; i < packed->first + packed->count; i++) {
        run.packed.outcomes[i] = packed->outcomes[i];
        run.told[i] = true;
    }
}

/* Reads the code in a text, which may also have "QR-Code:", "# code " or blanks around it. */
static void take(const char *name, char *text)
{
    static struct packed packed;
    char *const start = strstr(text, PACKED_PREFIX);
    size_t offender;

    if (start)
        text = start;
    else if (strncmp(text, REASONS_START, sizeof REASONS_START - 1) == 0) {
        complain(name, "this code is plain text: what failed, and why; the code of the results begins with %s",
                 PACKED_PREFIX);
        damaged = true;
        return;
    }
    text[strcspn(text, " \t\r\n")] = '\0';
    const enum packed_error error = packed_read(text, &packed, &offender);
    if (error == PACKED_OK) {
        add(&packed);
        return;
    }
    damaged = true;
    if (error == PACKED_CHARACTER)
        complain(name, "character %zu, '%c': %s", offender + 1, text[offender], packed_error_text(error));
    else if (error == PACKED_VALUE)
        complain(name, "character %zu: %s", offender + 1, packed_error_text(error));
    else
        complain(name, "%s", packed_error_text(error));
}

static void take_input(void)
{
    static char line[LINE_MAX_SIZE];
    bool any = false;

    while (fgets(line, sizeof line, stdin))
        if (strstr(line, PACKED_PREFIX)) {
            any = true;
            take("standard input", line);
        }
    if (ferror(stdin))
        complain("standard input", "%s", strerror(errno));
    else if (!any)
        complain("standard input", "no code: expected a text that begins with %s", PACKED_PREFIX);
    damaged = damaged || !any || ferror(stdin);
}

int result_code_print(char *const *texts, int count)
{
    if (count == 0) {
        complain("--code", "missing text of a code, or - for standard input");
        return STATUS_NOTHING;
    }
    for (int i = 0; i < count; i++)
        if (strcmp(texts[i], "-") == 0)
            take_input();
        else
            take("--code", texts[i]);
    print_run();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output", "cannot write: %s", strerror(errno));
        damaged = true;
    }
    return !printed ? STATUS_NOTHING : damaged ? STATUS_DAMAGED : STATUS_WHOLE;
}

/* SPDX-License-Identifier: MIT */
/*
 * ds-linux: the kernel's tests of records as a Linux program. Runs the claims on each kind of cores, and prints a log
 * in the kernel's form: docs/output.md.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/report/results.h"
#include "tools/linux/claims.h"
#include "tools/linux/output.h"
#include "version.h"

#define CLAIMS_MAX 64u
#define ID_SIZE    96u
#define SAID       4u /* problems and differences that a test prints */

static struct result results[KINDS_MAX * CLAIMS_MAX];
static char ids[KINDS_MAX * CLAIMS_MAX][ID_SIZE], whys[KINDS_MAX * CLAIMS_MAX][sizeof(((struct check *)0)->why)];

void check_say(struct check *c, bool wrong, unsigned errata, const char *format, ...)
{
    char text[sizeof c->why];
    int used = 0;
    va_list args;

    errata &= c->kind->caps.errata;
    if (errata)
        used = snprintf(text, sizeof text, "erratum %s: ", errata_number(errata));
    wrong = wrong && !errata;
    va_start(args, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, args);
    va_end(args);
    if (c->problems + c->differences < SAID)
        note("%s: %s", wrong ? "wrong" : "differs", text);
    if (wrong ? !c->problems : !c->differences && !c->problems)
        memcpy(c->why, text, sizeof text);
    c->problems += wrong;
    c->differences += !wrong;
}

void check_skip(struct check *c, const char *why)
{
    c->skipped = true;
    snprintf(c->why, sizeof c->why, "%s", why);
}

bool check_record(struct check *c, struct recording *r)
{
    perf_record(r, c->kind->cpu);
    if (r->refused)
        check_skip(c, r->refused);
    else if (r->lost || r->throttled)
        note("linux lost records %u times and stopped the counter for its rate %u times", r->lost, r->throttled);
    return !r->refused;
}

struct perf_event_attr check_event(const struct check *c, uint64_t select)
{
    return perf_event(c->kind->type, select);
}

/* Why the claim's facility cannot be tested on this kind of cores. */
static const char *absent(const struct kind *kind, const struct result *result)
{
    static const char *const areas[] = { "bts", "pebs", "lbr" };

    for (unsigned i = 0; i < FACILITIES; i++)
        if (result_is_of(result, areas[i]))
            return kind->absent[i];
    return NULL;
}

static void run_claim(const struct claim *claim, const struct kind *kind, const char *why_not, unsigned number)
{
    struct result *const result = &results[number];
    struct check check = { .claim = claim, .kind = kind };

    snprintf(ids[number], ID_SIZE, "%s%s%s", claim->id, kind->suffix ? "." : "", kind->suffix ? kind->suffix : "");
    *result = (struct result){ .id = ids[number], .records = claim->records };
    why_not = why_not ? why_not : absent(kind, result);
    note("test %s", result->id);
    if (why_not) {
        check_skip(&check, why_not);
    } else {
        note("%s", claim->title);
        output_test(claim->id);
        claim->run(&check);
        if (claim->records)
            note("%u records compared", check.seen);
        if (!check.skipped && claim->records && !check.seen && !check.differences)
            check_wrong(&check, "no record of the workload");
    }
    result->seen = check.seen != 0;
    result->outcome = check.problems      ? OUTCOME_FAIL
                      : check.skipped     ? OUTCOME_SKIP
                      : check.differences ? OUTCOME_DIFFERS
                                          : OUTCOME_PASS;
    memcpy(whys[number], check.why, sizeof check.why);
    result->why = check.why[0] ? whys[number] : NULL;
    if (result->outcome == OUTCOME_FAIL || result->outcome == OUTCOME_DIFFERS)
        note("claimed by %s", claim->source);
    printf("%sok %u %s%s%s\n", result->outcome == OUTCOME_FAIL ? "not " : "", number + 1, result->id,
           check.skipped ? " # SKIP " : "", check.skipped ? check.why : "");
    fflush(stdout);
}

static void run_kind(const struct kind *kind, const char *why_not, bool dump, unsigned first)
{
    if (!why_not && !pin(kind->cpu))
        why_not = "the processor of this kind is not available to this process";
    if (kind->suffix)
        note("tests on cpu %u apic 0x%x %s", kind->cpu, kind->apic_id, kind->caps.core ? kind->caps.core : "unknown");
    output_dump(dump ? &kind->caps : NULL);
    for (unsigned i = 0; i < claim_count; i++)
        run_claim(&claims[i], kind, why_not, first + i);
    output_dump(NULL);
}

/* A facility that Linux does not offer counts as absent. */
static void judge_kind(const struct kind *kind, const char *why_not, const struct result *first,
                       struct facility facilities[FACILITIES])
{
    facilities_judge(&kind->caps, first, claim_count, facilities);
    for (unsigned i = 0; i < FACILITIES; i++) {
        const char *const why = why_not ? why_not : kind->absent[i];
        facilities[i].kind = kind->suffix;
        if (!why || facilities[i].state == FACILITY_FAIL)
            continue;
        facilities[i].state = FACILITY_NONE;
        facilities[i].reason = why;
        facilities[i].row[0] = '\0';
    }
}

static enum verdict conclude(const char *why_not)
{
    struct facility all[FACILITIES], facilities[KINDS_MAX][FACILITIES];
    struct totals totals = { 0 };
    const unsigned count = kind_count * claim_count;

    for (unsigned k = 0; k < kind_count; k++) {
        judge_kind(&core_kinds[k], why_not, results + k * claim_count, facilities[k]);
        if (k)
            facilities_merge(all, facilities[k]);
        else
            memcpy(all, facilities[0], sizeof all);
    }
    results_count(results, count, &totals);
    results_table(&output_lines, results, count);
    results_reasons(&output_lines, results, count);
    for (unsigned k = 0; k < kind_count; k++)
        facilities_text(&output_lines, facilities[k]);
    const enum verdict verdict = verdict_of(all, &totals);
    printf("# end dstest86 verdict=%s pass=%u fail=%u skip=%u error=%u differs=%u", verdict_text(verdict), totals.pass,
           totals.fail, totals.skip, totals.error, totals.differs);
    for (unsigned k = 0; k < kind_count && core_kinds[0].name; k++)
        printf("%s%s", k ? "," : " kinds=", core_kinds[k].name);
    putchar('\n');
    return verdict;
}

/* As `scripts/machine run`. */
static const int status_of[] = { [VERDICT_PASS] = 0,  [VERDICT_FAIL] = 1,   [VERDICT_INCOMPLETE] = 3,
                                 [VERDICT_SKIP] = 77, [VERDICT_ERROR] = 99, [VERDICT_PANIC] = 99 };

int main(int argc, char **argv)
{
    const bool dump = argc == 2 && strcmp(argv[1], "--dump") == 0;

    if (argc > 1 && !dump) {
        fputs("usage: ds-linux [--dump] >LOG\n"
              "Tests this processor's BTS, LBR and PEBS through perf_event_open(2), as root or with\n"
              "/proc/sys/kernel/perf_event_paranoid of at most 2. --dump: also all records\n",
              stderr);
        return 2;
    }
    note("begin dstest86 %s %s linux", DSTEST86_VERSION, DSTEST86_REVISION);
    const char *const why_not = machine_find();
    machine_say();
    if (why_not)
        note("no test can run: %s", why_not);
    mlockall(MCL_CURRENT); /* no page fault while it records; not permitted to every user */
    printf("KTAP version 1\n1..%u\n", kind_count * claim_count);
    for (unsigned k = 0; k < kind_count; k++)
        run_kind(&core_kinds[k], why_not, dump, k * claim_count);
    const enum verdict verdict = conclude(why_not);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("ds-linux: standard output");
        return 99;
    }
    return status_of[verdict];
}

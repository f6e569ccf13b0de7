/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's precise events against Intel's lists: code, counters that sample the event, precise distribution, the
 * data's address, and the MSR that the event needs. Every difference has an explanation.
 */
#include "tests/host/unit_test.h"

#include "model/processors/profile.h"
#include "tests/host/intel_events.h"

/*
 * The folder of the list for a profile's model. NULL if intel_events.h has no events for it: processors before Nehalem,
 * and hybrids except Alder Lake, whose P-core uses the list of Sapphire Rapids.
 */
static const char *folder_of(const struct profile *p)
{
    const uint32_t signature = p->cpuid[0].add[0];
    const unsigned family = signature >> 8 & 0xf;
    const unsigned model = (signature >> 4 & 0xf) | (signature >> 12 & 0xf0);

    assert_int_equal(p->cpuid[0].leaf, 1);
    if (p->pebs_format == PEBS_FORMAT_ARCH) {
        return NULL;
    }
    for (size_t k = 0; k < COUNT_OF(intel_kinds); k++) {
        const struct intel_kind *kind = &intel_kinds[k];

        if (kind->family != family || memchr(kind->models, (int)model, sizeof(kind->models)) == NULL) {
            continue;
        }
        for (size_t e = 0; e < COUNT_OF(intel_events); e++) {
            if (kind->type == 0 && intel_has_word(intel_events[e].in, kind->folder)) {
                return kind->folder;
            }
        }
    }
    return strcmp(p->name, "alderlake") == 0 ? "SPR" : NULL;
}

enum difference { NOT_LISTED, NOT_PRECISE_HERE, COUNTERS, ADDRESS, DISTRIBUTION, EXTRA_MSR };
static const char *const differences[] = {
    [NOT_LISTED] = "Intel's list lacks it",
    [NOT_PRECISE_HERE] = "not precise in the model",
    [COUNTERS] = "other counters can sample it",
    [ADDRESS] = "with or without a data address",
    [DISTRIBUTION] = "other counters have precise distribution",
    [EXTRA_MSR] = "its MSR does not take its values",
};

/* All differences, by code and unit mask, with the reason. */
static struct {
    const char *profiles, *events;
    enum difference what;
    const char *why;
    size_t times;
} explained[] = {
    { "nehalem skylake", "c0/00", NOT_LISTED, "with INV and CMask it is how Linux samples cycles there", 0 },
    { "nehalem haswell broadwell", "0b/10 cd/01", COUNTERS,
      "Linux's table has every counter, and perf takes the first free one", 0 },
    { "icelake goldencove alderlake sierraforest",
      "3c/00 3c/01 3c/02 a4/01 2e/41 2e/4f 03/82 08/0e 0e/01 11/0e 12/0e 13/0e 24/e1 24/e4 2a/01 2b/01 49/0e 51/01 "
      "71/00 "
      "72/00 73/00 74/00 80/02 81/04 83/02 85/0e 9c/01 a4/02 a4/08 ae/01 b7/01 b7/02 bb/01 c2/02",
      NOT_LISTED, "it is not precise, and extended PEBS can sample any event", 0 },
    { "sierraforest",
      "c0/00 c2/00 c4/00 c4/7e c4/80 c4/bf c4/c0 c4/df c4/eb c4/ef c4/f7 c4/f9 c4/fb c4/fd c4/fe c5/00 c5/7e c5/80 "
      "c5/eb "
      "c5/ef c5/f7 c5/fb c5/fe d0/05 d0/06 d0/11 d0/12 d0/13 d0/21 d0/41 d0/42 d0/43 d0/81 d0/82 d0/83 d1/01 d1/02 "
      "d1/1c "
      "d1/40 d1/80 d3/01 d3/ff d4/08",
      DISTRIBUTION, "Intel's list has none on general counters, and Linux two (cmt_get_event_constraints)", 0 },
};

static size_t compared, unexplained;

static void differ(const char *profile, unsigned select, enum difference what)
{
    char event[] = "00/00";

    snprintf(event, sizeof(event), "%02x/%02x", select & 0xff, select >> 8 & 0xff);
    for (size_t i = 0; i < COUNT_OF(explained); i++) {
        if (explained[i].what == what && intel_has_word(explained[i].profiles, profile) &&
            intel_has_word(explained[i].events, event)) {
            explained[i].times++;
            return;
        }
    }
    print_message("# %s, %s: %s, and nothing explains it\n", profile, event, differences[what]);
    unexplained++;
}

/* Intel's event with this select, made without CMask, on one of these counters. */
static const struct intel_event *listed(const char *folder, unsigned select, uint64_t counters)
{
    for (size_t i = 0; i < COUNT_OF(intel_events); i++) {
        const struct intel_event *e = &intel_events[i];

        if (e->select == select && (e->counters & counters) && e->cmask == 0 && intel_has_word(e->in, folder)) {
            return e;
        }
    }
    return NULL;
}

static bool tells_distribution(const char *folder)
{
    return !intel_has_word(DISTRIBUTION_UNTOLD, folder);
}

/* The counters that record the event that overflows them, not the one after it. */
static uint64_t exact(const struct profile *p, unsigned select, uint64_t counters)
{
    const bool pdir = select == (p->pdir_select | (unsigned)p->pdir_umask << 8) && p->pdir_select != 0;

    return ((pdir ? UINT64_C(1) << p->pdir_counter : 0) | p->pdist_counters) & counters;
}

/* The general counters that sample an event, and the precision of its records; 0: the model does not know the event. */
static uint64_t sampling(const struct profile *p, unsigned select, enum event_precision *precision, bool *known)
{
    const uint64_t able = profile_find_msr(p, 0x3f1)->writable; /* IA32_PEBS_ENABLE */
    uint64_t counters = 0;

    *known = false;
    for (unsigned i = 0; i < p->general_counters; i++) {
        const struct profile_event *e = profile_find_event(p, select & 0xff, select >> 8, i);

        *known = *known || e != NULL;
        if (e != NULL && e->precision != NOT_PRECISE && (able >> i & 1)) {
            *precision = (enum event_precision)e->precision;
            counters |= UINT64_C(1) << i;
        }
    }
    return counters;
}

static void compare(const struct profile *p, const char *folder, unsigned select)
{
    enum event_precision precision = NOT_PRECISE;
    bool known;
    const uint64_t counters = sampling(p, select, &precision, &known);
    const struct intel_event *want = listed(folder, select, ~FIXED_0);

    if (!known || (counters == 0 && want == NULL)) {
        return;
    }
    compared++;
    if (want == NULL) {
        differ(p->name, select, NOT_LISTED);
        return;
    }
    if (counters == 0) {
        differ(p->name, select, NOT_PRECISE_HERE);
        return;
    }
    /*
     * Before Haswell the lists lack the address. By the manual, load latency (the event with an MSR) and precise stores
     * have it.
     */
    const bool address = want->address == YES || (want->address == UNSAID && (want->msr == 0x3f6 || select == 0x02cd));

    if (counters != want->counters) {
        differ(p->name, select, COUNTERS);
    }
    if ((precision == PRECISE_WITH_ADDRESS) != address) {
        differ(p->name, select, ADDRESS);
    }
    if (tells_distribution(folder) && exact(p, select, counters) != want->pdist) {
        differ(p->name, select, DISTRIBUTION);
    }
}

/* Every MSR that an event of the list needs, even if the model does not know the event. */
static void compare_msrs(const struct profile *p, const char *folder)
{
    for (size_t i = 0; i < COUNT_OF(intel_events); i++) {
        const struct intel_event *e = &intel_events[i];
        const struct profile_msr *msr = profile_find_msr(p, e->msr);

        if (e->msr != 0 && intel_has_word(e->in, folder) &&
            (msr == NULL || msr->reg == REG_ABSENT || (e->values & ~msr->writable))) {
            differ(p->name, e->select, EXTRA_MSR);
        }
    }
}

/* Fixed counter 0, which samples from Ice Lake on. */
static void compare_fixed(const struct profile *p, const char *folder)
{
    const struct intel_event *want = listed(folder, 0x0100, FIXED_0);

    assert_true(p->pebs_adaptive == (want != NULL));
    if (want != NULL) {
        compared++;
        if (tells_distribution(folder) && exact(p, 0x0100, FIXED_0) != want->pdist) {
            differ(p->name, 0x0100, DISTRIBUTION);
        }
    }
}

UNIT_TEST(intels_lists)
{
    size_t known = 0, profiles = 0;

    for (unsigned i = 0; profile_name(i) != NULL; i++) {
        const struct profile *p = profile_find(profile_name(i));
        const char *folder = folder_of(p);

        if (folder == NULL) {
            print_message("# %s: no list\n", p->name);
            continue;
        }
        for (unsigned select = 0; select <= 0xffff; select++) {
            compare(p, folder, select);
        }
        compare_fixed(p, folder);
        compare_msrs(p, folder);
        profiles++;
    }
    for (size_t i = 0; i < COUNT_OF(explained); i++) {
        known += explained[i].times;
    }
    print_message(
        "# %zu events of %zu processors compared with Intel's lists, %zu explained differences, %zu unexplained\n",
        compared, profiles, known, unexplained);
    assert_true(profiles > 10);
    for (size_t i = 0; i < COUNT_OF(explained); i++) {
        print_message("# %zu times %s: %s\n", explained[i].times, differences[explained[i].what], explained[i].why);
        assert_int_not_equal(explained[i].times, 0); /* otherwise the explanation is out of date */
    }
    assert_int_equal(unexplained, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option cores=: each processor's kind. */
#include "tests/host/unit_test.h"

#include "model/processors/cores.h"

static const struct profile of_p = { .letter = 'P' }, of_e = { .letter = 'E' }, of_l = { .letter = 'L' };
static const struct profile *const two_kinds[] = { &of_p, &of_e, NULL };
static const struct profile *const three_kinds[] = { &of_p, &of_e, &of_l, NULL };

static struct profile machine_with(const struct profile *const *kinds)
{
    return (struct profile){ .letter = 'P', .kinds = kinds };
}

/* The letters of the first `count` of `total` processors. */
static const char *letters(const struct cores *cores, const struct profile *profile, unsigned count,
                           unsigned processors)
{
    static char text[64];

    memset(text, 0, sizeof(text));
    for (unsigned i = 0; i < count; i++)
        text[i] = profile_kind(profile, cores_kind(cores, profile, i, processors))->letter;
    return text;
}

UNIT_TEST(half_of_each)
{
    static const struct {
        unsigned processors;
        const char *two, *three;
    } rows[] = {
        { 1, "P", "P" },         { 2, "PE", "PE" },         { 3, "PPE", "PEL" },         { 4, "PPEE", "PPEL" },
        { 5, "PPPEE", "PPEEL" }, { 6, "PPPEEE", "PPEELL" }, { 7, "PPPPEEE", "PPPEELL" },
    };
    const struct profile two = machine_with(two_kinds), three = machine_with(three_kinds), one = { .letter = 'P' };
    const struct cores none = { .named = 0 };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_string_equal(letters(&none, &two, rows[i].processors, rows[i].processors), rows[i].two);
        assert_string_equal(letters(&none, &three, rows[i].processors, rows[i].processors), rows[i].three);
        assert_int_equal(cores_kind(&none, &one, rows[i].processors - 1, rows[i].processors), 0);
    }
    assert_int_equal(cores_kind(&none, &two, 4, 4), 1); /* a processor beyond the machine's number */
    assert_int_equal(cores_kind(&none, &three, 1000, 4), 2);
}

UNIT_TEST(named)
{
    static const struct {
        const char *list;
        unsigned named;
        const char *eight;
    } rows[] = {
        { "P", 1, "PPPPPPPP" },    { "E", 1, "EEEEEEEE" },      { "PPEE", 4, "PPEEEEEE" },    { "P2E6", 8, "PPEEEEEE" },
        { "EPE", 3, "EPEEEEEE" },  { "E1P", 2, "EPPPPPPP" },    { "P3E2P", 6, "PPPEEPPP" },   { "P01E", 2, "PEEEEEEE" },
        { "P10", 10, "PPPPPPPP" }, { "P256", 256, "PPPPPPPP" }, { "P255E", 256, "PPPPPPPP" },
    };
    const struct profile two = machine_with(two_kinds);
    struct cores cores;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_null(cores_parse(&cores, &two, rows[i].list));
        assert_int_equal(cores.named, rows[i].named);
        assert_string_equal(letters(&cores, &two, 8, 8), rows[i].eight);
    }
    assert_int_equal(cores_kind(&cores, &two, 254, 256), 0); /* beyond the 256 of P255E */
    assert_int_equal(cores_kind(&cores, &two, 255, 256), 1);
    assert_int_equal(cores_kind(&cores, &two, 300, 256), 1);
}

UNIT_TEST(refused)
{
    static const struct {
        const char *list;
        size_t at;
    } rows[] = {
        { "X", 0 },   { "PX", 1 },      { "p", 0 },           { "P0", 0 },     { "PE0", 1 },
        { "2P", 0 },  { "P:2,E:6", 1 }, { "P 2", 1 },         { "P257", 0 },   { "P256E", 4 },
        { "P-1", 1 }, { "PL", 1 },      { "P4294967297", 0 }, { "E2P255", 2 }, { "P99999999999999999999", 0 },
    };
    const struct profile two = machine_with(two_kinds), one = { .letter = 'P' };
    struct cores cores;

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_ptr_equal(cores_parse(&cores, &two, rows[i].list), rows[i].list + rows[i].at);
    static const char list[] = "P"; /* a profile with one kind of core has no letters */

    assert_ptr_equal(cores_parse(&cores, &one, list), list);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If an allocation of the model fails (each one in turn), everything allocated before is freed. The linker redirects
 * the model's calls to this file (mk/host-test.mk).
 */
#include "tests/host/model_machine.h"
#include "tests/host/fakes.h"

#include "model/engine/rules.h"
#include "model/faults/break.h"
#include "model/latitude/latitude.h"

void *__real_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);

#define NONE (-1)

static int failing = NONE; /* allocations before the one that fails */

FAKE(static bool, fails, (void), failing != NONE && failing-- == 0)
FAKE(void *, __wrap_calloc, (size_t count, size_t size), fails() ? NULL : __real_calloc(count, size))
FAKE(void *, __wrap_malloc, (size_t size), fails() ? NULL : __real_malloc(size))

/* The predictor; caches: three levels of data, one of code, three TLBs; the ring; two lists of kept blocks. */
#define OF_A_PROCESSOR 12

UNIT_TEST(processor)
{
    struct vcpu *v = calloc(1, sizeof(*v));
    struct hot *hot = calloc(1, sizeof(*hot));

    assert_true(v != NULL && hot != NULL);
    for (int i = 0; i < OF_A_PROCESSOR; i++) {
        bool made;

        memset(v, 0, sizeof(*v));
        failing = i;
        made = engine_init(v, 0, profile_find("skylake"), &machine_host, NULL, hot);
        failing = NONE;
        assert_false(made);
        assert_true(v->predictor == NULL && v->cache == NULL && v->kept == NULL && v->kept_last == NULL);
    }
    memset(v, 0, sizeof(*v));
    failing = OF_A_PROCESSOR;
    assert_true(engine_init(v, 0, profile_find("skylake"), &machine_host, NULL, hot));
    failing = NONE;
    engine_free(v);
    engine_free(v); /* freeing twice must be harmless */
    free(hot);
    free(v);
}

/* If caches cannot be joined, they are unchanged, and can be joined later. */
UNIT_TEST(joined_caches)
{
    const struct profile_memory *memory = &profile_find("skylake")->memory;
    struct data_cache *first = data_cache_new(memory), *second = data_cache_new(memory);
    bool joined;

    assert_true(first != NULL && second != NULL);
    failing = 0;
    joined = data_cache_join(second, first);
    failing = NONE;
    assert_false(joined);
    assert_int_equal(data_cache_load(first, 0x1000), LEVEL_MEMORY);
    assert_int_equal(data_cache_load(second, 0x2000), LEVEL_MEMORY);
    assert_true(data_cache_join(second, first));
    assert_int_equal(data_cache_store(first, 0x1000), LEVEL_L1);
    assert_int_equal(data_cache_load(second, 0x1000), LEVEL_MODIFIED);
    data_cache_free(first);
    data_cache_free(second);
}

/* If a fault cannot be set up, the manual's rules remain. */
UNIT_TEST(faults)
{
    struct machine *m = machine_new();
    struct fault_set set = { 0 };
    const struct profile *changed;
    size_t length;
    bool broken;

    assert_null(faults_parse(&set, "perfmon.width.32", &length));
    failing = 0;
    broken = break_rules(&m->v, &set, 0, NULL);
    failing = 0;
    changed = break_profile(m->v.profile, &set, 0);
    failing = NONE;
    assert_false(broken);
    assert_ptr_equal(m->v.rules, &rules_sdm);
    assert_null(changed);
    changed = break_profile(m->v.profile, &set, 0);
    assert_int_equal(changed->counter_width, 32);
    free((void *)(uintptr_t)changed);
}

/* If latitude cannot be set up, the manual's rules remain. */
UNIT_TEST(latitude)
{
    struct machine *m = machine_new();
    bool given;

    failing = 0;
    given = latitude_give(&m->v, 1, ALL_FREEDOMS);
    failing = NONE;
    assert_false(given);
    assert_ptr_equal(m->v.rules, &rules_sdm);
    assert_null(m->v.latitude);
}

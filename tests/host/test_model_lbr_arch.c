/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Architectural LBR on the modelled Golden Cove: order, filters, call stack, depth, freeze, the bits of INFO. */
#include "tests/host/model_machine.h"

#define LBR_CTL   0x14ce
#define LBR_DEPTH 0x14cf
#define FROM      0x1500
#define TO        0x1600
#define INFO      0x1200

#define LBREN      1u
#define OS         2u
#define USR        4u
#define CALL_STACK 8u
#define ALL_KINDS  0x7f0000u
#define EVERYTHING (LBREN | OS | USR | ALL_KINDS)

#define INFO_MISPRED (UINT64_C(1) << 63)
#define INFO_VALID   (UINT64_C(1) << 60)
#define INFO_TYPE(n) (UINT64_C(n) << 56)

#define HANDLER UINT64_C(0x900000)

static struct machine *golden_cove(void)
{
    return machine_of("goldencove");
}

static void expect(struct machine *m, unsigned i, uint64_t from, uint64_t to, uint64_t info)
{
    assert_int_equal(rdmsr(m, FROM + i), from);
    assert_int_equal(rdmsr(m, TO + i), to);
    assert_int_equal(rdmsr(m, INFO + i), info);
}

static void after_reset(void **state)
{
    struct machine *m = golden_cove();
    uint64_t value;

    (void)state;
    assert_int_equal(rdmsr(m, LBR_CTL), 0);
    assert_int_equal(rdmsr(m, LBR_DEPTH), 32);
    expect(m, 31, 0, 0, 0);
    assert_int_equal(engine_rdmsr(&m->v, LBR_SELECT, &value, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_rdmsr(&m->v, LBR_FROM0, &value, BETWEEN_BLOCKS), MSR_GP);
    machine_free(m);
}

static void reserved_bits(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        struct machine *m = golden_cove();
        uint64_t value = UINT64_C(1) << bit;
        bool control = UINT64_C(0x7f000f) & value;
        bool info = UINT64_C(0xff0000000000ffff) & value;

        assert_int_equal(engine_wrmsr(&m->v, LBR_CTL, value, BETWEEN_BLOCKS), control ? MSR_DONE : MSR_GP);
        assert_int_equal(rdmsr(m, LBR_CTL), control ? value : 0);
        wrmsr(m, LBR_CTL, 0);
        wrmsr(m, INFO + 5, value);
        assert_int_equal(rdmsr(m, INFO + 5), info ? value : 0);
        machine_free(m);
    }
}

static void depths(void **state)
{
    (void)state;
    for (uint64_t depth = 0; depth < 80; depth++) {
        struct machine *m = golden_cove();
        bool has = depth == 8 || depth == 16 || depth == 32;
        uint64_t value;

        assert_int_equal(engine_wrmsr(&m->v, LBR_DEPTH, depth, BETWEEN_BLOCKS), has ? MSR_DONE : MSR_GP);
        assert_int_equal(rdmsr(m, LBR_DEPTH), has ? depth : 32);
        for (uint32_t i = 0; i < 32; i++) {
            enum msr_answer answer = !has || i < depth ? MSR_DONE : MSR_GP;

            assert_int_equal(engine_rdmsr(&m->v, FROM + i, &value, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_rdmsr(&m->v, TO + i, &value, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_rdmsr(&m->v, INFO + i, &value, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_wrmsr(&m->v, FROM + i, CODE, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_wrmsr(&m->v, TO + i, CODE, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_wrmsr(&m->v, INFO + i, 0, BETWEEN_BLOCKS), answer);
        }
        machine_free(m);
    }
    struct machine *m = golden_cove();

    assert_int_equal(engine_wrmsr(&m->v, LBR_DEPTH, UINT64_C(0x100000008), BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_wrmsr(&m->v, FROM, UINT64_C(1) << 62, BETWEEN_BLOCKS), MSR_GP);
    machine_free(m);
}

/* Entry 0 is the newest whatever the depth, and each branch moves the others up by one. */
static void newest_first(void **state)
{
    static const unsigned depths_of_it[] = { 8, 16, 32 };
    struct block *blocks[5];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        blocks[i] = block_new(0x100 * i, 1 + i, END_REL_JMP);
    }
    for (size_t d = 0; d < COUNT_OF(depths_of_it); d++) {
        const unsigned depth = depths_of_it[d];

        for (unsigned branches = 1; branches < 1300; branches += branches < 70 ? 1 : 411) {
            struct machine *m = golden_cove();

            wrmsr(m, LBR_DEPTH, depth);
            wrmsr(m, LBR_CTL, EVERYTHING);
            for (unsigned i = 0; i <= branches; i++) {
                run(m, blocks[i % 5]);
            }
            wrmsr(m, LBR_CTL, 0); /* the last block's branch goes to this one */
            for (unsigned n = 0; n < depth; n++) {
                if (n == 0) {
                    expect(m, n, blocks[branches % 5]->last, CODE + 0x20000,
                           INFO_TYPE(2) | (branches > 0 ? INFO_VALID | blocks[branches % 5]->count : 0) | INFO_MISPRED);
                } else if (n < branches) {
                    const unsigned i = branches - n;
                    const uint64_t mispredicted = i < 5 ? INFO_MISPRED : 0;

                    expect(m, n, blocks[i % 5]->last, blocks[(i + 1) % 5]->pc,
                           INFO_TYPE(2) | INFO_VALID | blocks[i % 5]->count | mispredicted);
                } else if (n == branches) { /* the first since enabling: its cycles are not known */
                    expect(m, n, blocks[0]->last, blocks[1]->pc, INFO_TYPE(2) | INFO_MISPRED);
                } else {
                    expect(m, n, 0, 0, 0);
                }
            }
            machine_free(m);
        }
    }
    for (unsigned i = 0; i < 5; i++) {
        free(blocks[i]);
    }
}

static void writing_the_depth_clears_the_stack(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    (void)state;
    wrmsr(m, LBR_CTL, EVERYTHING);
    for (unsigned i = 0; i < 40; i++) {
        run(m, b);
    }
    wrmsr(m, LBR_CTL, 0);
    assert_int_not_equal(rdmsr(m, FROM), 0);
    wrmsr(m, LBR_DEPTH, 32);
    for (unsigned i = 0; i < 32; i++) {
        expect(m, i, 0, 0, 0);
    }
    free(b);
    machine_free(m);
}

/* Cycles while LBRs were off are in no entry. */
static void enabled_again(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        wrmsr(m, LBR_CTL, EVERYTHING);
        run(m, b);
        run(m, b);
        wrmsr(m, LBR_CTL, 0);
        expect(m, 1, b->last, b->pc, INFO_TYPE(2) | INFO_MISPRED);
        run(m, b);
    }
    free(b);
    machine_free(m);
}

static void entries_can_be_written(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    (void)state;
    for (uint32_t i = 0; i < 32; i++) {
        wrmsr(m, FROM + i, CODE + i);
        wrmsr(m, TO + i, CODE + 0x100 + i);
        wrmsr(m, INFO + i, i);
    }
    wrmsr(m, LBR_CTL, EVERYTHING);
    run(m, b);
    run(m, b);
    wrmsr(m, LBR_CTL, 0);
    for (uint32_t i = 0; i < 30; i++) {
        expect(m, i + 2, CODE + i, CODE + 0x100 + i, i);
    }
    free(b);
    machine_free(m);
}

/* Each filter lets its own kind of branch pass, and INFO has that kind. */
static void filters_and_types(void **state)
{
    static const struct {
        enum block_end end;
        unsigned bit, type;
    } kinds[] = {
        { END_JCC, 16, 0 },      { END_REL_JMP, 17, 2 }, { END_IND_JMP, 18, 1 }, { END_REL_CALL, 19, 4 },
        { END_IND_CALL, 20, 3 }, { END_RET, 21, 5 },     { END_FAR, 22, 8 },
    };

    (void)state;
    for (size_t allowed = 0; allowed < COUNT_OF(kinds); allowed++) {
        struct machine *m = golden_cove();
        struct block *blocks[COUNT_OF(kinds)];

        for (unsigned i = 0; i < COUNT_OF(kinds); i++) {
            blocks[i] = block_new(0x100 * i, 1, kinds[i].end);
        }
        wrmsr(m, LBR_CTL, LBREN | OS | USR | 1u << kinds[allowed].bit);
        for (unsigned i = 0; i < COUNT_OF(kinds); i++) {
            run(m, blocks[i]);
        }
        finish(m);
        wrmsr(m, LBR_CTL, 0);
        assert_int_equal(rdmsr(m, FROM), blocks[allowed]->last);
        assert_int_equal(rdmsr(m, INFO) >> 56 & 0xf, kinds[allowed].type);
        expect(m, 1, 0, 0, 0);
        for (unsigned i = 0; i < COUNT_OF(kinds); i++) {
            free(blocks[i]);
        }
        machine_free(m);
    }
}

static void interrupts_are_other_branches(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    (void)state;
    wrmsr(m, LBR_CTL, EVERYTHING & ~(1u << 17));
    run(m, b);
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, HANDLER, 0);
    wrmsr(m, LBR_CTL, EVERYTHING & ~(1u << 22));
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, HANDLER + 1, 0);
    expect(m, 0, b->pc, HANDLER, INFO_TYPE(8));
    expect(m, 1, 0, 0, 0);
    free(b);
    machine_free(m);
}

/* By the level in which the branch ends; with neither level allowed nothing is recorded. */
static void privilege_filters(void **state)
{
    static const struct {
        unsigned levels;
        unsigned entries;
        uint64_t oldest_from; /* all ones: from the level that is left out */
    } cases[] = { { 0, 0, 0 }, { OS, 1, UINT64_MAX }, { USR, 2, UINT64_MAX }, { OS | USR, 3, 0 } };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine *m = golden_cove();
        struct block *system = block_new(0x40, 1, END_FAR);
        struct block *user = block_new(0x100, 1, END_REL_JMP);
        struct block *user_far = block_new(0x200, 1, END_FAR);
        unsigned entries = 0;

        user->cpl = user_far->cpl = 3;
        wrmsr(m, LBR_CTL, (EVERYTHING & ~(OS | USR)) | cases[i].levels);
        run(m, system);   /* to user */
        run(m, user);     /* in it */
        run(m, user_far); /* back */
        finish(m);
        wrmsr(m, LBR_CTL, 0);
        while (entries < 32 && rdmsr(m, FROM + entries) != 0) {
            entries++;
        }
        /* finish()'s block is ring 0 and ends in no branch */
        assert_int_equal(entries, cases[i].entries);
        if (entries > 0) {
            assert_int_equal(rdmsr(m, FROM + entries - 1), cases[i].oldest_from ? cases[i].oldest_from : system->last);
        }
        free(system), free(user), free(user_far);
        machine_free(m);
    }
}

/* Returns remove the newest entry: the rest are the places where control would return to. */
static void call_stack(void **state)
{
    struct machine *m = golden_cove();
    struct block *calls[3], *ret = block_new(0x1000, 1, END_RET);
    const unsigned control = LBREN | OS | USR | CALL_STACK | 1u << 19 | 1u << 20 | 1u << 21;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        calls[i] = block_new(0x100 * i, 1, i == 1 ? END_IND_CALL : END_REL_CALL);
    }
    wrmsr(m, LBR_DEPTH, 8);
    wrmsr(m, FROM + 7, 0xdead00);
    wrmsr(m, LBR_CTL, control);
    run(m, calls[0]);
    run(m, calls[1]);
    run(m, calls[2]);
    run(m, ret); /* from the third */
    finish(m);
    assert_int_equal(rdmsr(m, FROM), calls[1]->last);
    assert_int_equal(rdmsr(m, FROM + 1), calls[0]->last);
    expect(m, 2, 0, 0, 0);
    expect(m, 7, 0, 0, 0); /* the oldest */
    run(m, ret);
    run(m, ret);
    finish(m);
    for (unsigned i = 0; i < 8; i++) {
        expect(m, i, 0, 0, 0);
    }
    wrmsr(m, LBR_DEPTH, 8);
    for (unsigned i = 0; i < 9; i++) { /* one more than fit */
        run(m, calls[0]);
    }
    for (unsigned i = 0; i < 9; i++) {
        run(m, ret);
    }
    finish(m);
    for (unsigned i = 0; i < 8; i++) {
        expect(m, i, 0, 0, 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        free(calls[i]);
    }
    free(ret);
    machine_free(m);
}

static void debugctl_does_not_enable_it(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    (void)state;
    wrmsr(m, DEBUGCTL, 1);
    assert_int_equal(rdmsr(m, DEBUGCTL), 0);
    run(m, b);
    run(m, b);
    finish(m);
    expect(m, 0, 0, 0, 0);
    free(b);
    machine_free(m);
}

/* FREEZE_LBRS_ON_PMI sets LBR_FRZ at the PMI, which holds the stack until it is acknowledged. */
static void frozen_by_a_pmi(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 4, END_REL_JMP);
    struct block *c = block_new(0x100, 4, END_REL_JMP);

    (void)state;
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, DEBUGCTL, 1u << 11);
    wrmsr(m, LBR_CTL, EVERYTHING);
    wrmsr(m, EVTSEL0, EVTSEL_ON | 1u << 20 | INST_RETIRED);
    wrmsr(m, PMC0, (uint32_t)-10);
    wrmsr(m, GLOBAL_CTRL, 1);
    for (unsigned i = 0; i < 3; i++) {
        run(m, b);
    }
    assert_int_equal(m->pmis, 1);
    assert_int_equal(rdmsr(m, GLOBAL_STATUS), STATUS_LBRFRZ | 1);
    uint64_t newest = rdmsr(m, FROM);

    run(m, c);
    run(m, c);
    finish(m);
    assert_int_equal(rdmsr(m, FROM), newest);
    assert_int_equal(newest, b->last);
    assert_int_equal(rdmsr(m, LBR_CTL), EVERYTHING);
    wrmsr(m, STATUS_RESET, STATUS_LBRFRZ | 1);
    run(m, c);
    run(m, c);
    finish(m);
    assert_int_equal(rdmsr(m, FROM), c->last);
    free(b), free(c);
    machine_free(m);
}

/* A record's LBR group is the same stack. */
static void in_a_pebs_record(void **state)
{
    struct machine *m = golden_cove();
    struct block *a = block_new(0, 3, END_REL_JMP);
    struct block *b = block_new(0x100, 2, END_IND_CALL);

    (void)state;
    put(m, DS + 0x20, PEBS);
    put(m, DS + 0x28, PEBS);
    put(m, DS + 0x30, PEBS + 80);
    put(m, DS + 0x38, PEBS + 80);
    put(m, DS + 0x48, -UINT64_C(6));
    wrmsr(m, DS_AREA, DS);
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, LBR_CTL, EVERYTHING);
    wrmsr(m, 0x3f2, 0x01000008);
    wrmsr(m, EVTSEL0 + 1, EVTSEL_ON | UINT64_C(1) << 34 | ANY_BRANCH);
    wrmsr(m, PMC0 + 1, (uint32_t)-6);
    wrmsr(m, PEBS_ENABLE, 2);
    wrmsr(m, GLOBAL_CTRL, 2);
    for (unsigned i = 0; i < 4; i++) {
        run(m, a);
        run(m, b);
    }
    wrmsr(m, LBR_CTL, 0);
    assert_int_equal(get(m, DS + 0x28), PEBS + 80);
    assert_int_equal(get(m, PEBS + 8), a->last);
    assert_int_equal(get(m, PEBS + 32), a->last);
    assert_int_equal(get(m, PEBS + 40), b->pc);
    assert_int_equal(get(m, PEBS + 48), INFO_TYPE(2) | INFO_VALID | 3);
    assert_int_equal(get(m, PEBS + 56), b->last);
    assert_int_equal(get(m, PEBS + 64), a->pc);
    assert_int_equal(get(m, PEBS + 72), INFO_TYPE(3) | INFO_VALID | 2);
    free(a), free(b);
    machine_free(m);
}

/* With a smaller depth a record has no more entries than that. */
static void in_a_pebs_record_of_small_depth(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 4, END_REL_JMP);
    const uint64_t size = 32 + 10 * 24;

    (void)state;
    put(m, DS + 0x20, PEBS);
    put(m, DS + 0x28, PEBS);
    put(m, DS + 0x30, PEBS + size);
    put(m, DS + 0x38, PEBS + size);
    wrmsr(m, DS_AREA, DS);
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, LBR_DEPTH, 8);
    wrmsr(m, LBR_CTL, EVERYTHING);
    for (unsigned i = 0; i < 20; i++) {
        run(m, b);
    }
    wrmsr(m, 0x3f2, 0x09000008);
    wrmsr(m, EVTSEL0 + 1, EVTSEL_ON | UINT64_C(1) << 34 | INST_RETIRED);
    wrmsr(m, PMC0 + 1, (uint32_t)-1);
    wrmsr(m, PEBS_ENABLE, 2);
    wrmsr(m, GLOBAL_CTRL, 2);
    run(m, b);
    finish(m);
    assert_int_equal(get(m, DS + 0x28), PEBS + size);
    assert_int_equal(get(m, PEBS + 32 + 7 * 24), b->last);
    for (unsigned at = 32 + 8 * 24; at < size; at += 8) {
        assert_int_equal(get(m, PEBS + at), 0);
    }
    free(b);
    machine_free(m);
}

static void truth_line(void **state)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_IND_CALL);
    char *text;
    size_t size;

    (void)state;
    m->v.truth = open_memstream(&text, &size);
    wrmsr(m, LBR_CTL, EVERYTHING);
    run(m, b);
    run(m, b);
    wrmsr(m, LBR_CTL, 0);
    fclose(m->v.truth);
    m->v.truth = NULL;
    assert_non_null(strstr(text, "lbr vcpu=0 from=0x400004 to=0x400000 mispred=1 in_tsx=0 abort=0 cycles=0 type=3\n"
                                 "lbr vcpu=0 from=0x400004 to=0x420000 mispred=1 in_tsx=0 abort=0 cycles=2 type=3\n"));
    free(text);
    free(b);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_reset),
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(depths),
        cmocka_unit_test(newest_first),
        cmocka_unit_test(writing_the_depth_clears_the_stack),
        cmocka_unit_test(enabled_again),
        cmocka_unit_test(entries_can_be_written),
        cmocka_unit_test(filters_and_types),
        cmocka_unit_test(interrupts_are_other_branches),
        cmocka_unit_test(privilege_filters),
        cmocka_unit_test(call_stack),
        cmocka_unit_test(debugctl_does_not_enable_it),
        cmocka_unit_test(frozen_by_a_pmi),
        cmocka_unit_test(in_a_pebs_record),
        cmocka_unit_test(in_a_pebs_record_of_small_depth),
        cmocka_unit_test(truth_line),
    };
    return cmocka_run_group_tests_name("the modelled architectural LBR stack", tests, NULL, NULL);
}

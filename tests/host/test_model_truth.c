/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole lines of the truth log: every field of each form of record, with the names and values that boots compare with
 * the kernel's output, and branches as executed, even if the registers differ.
 */
#include "tests/host/model_machine.h"

#include "model/engine/branches.h"
#include "model/engine/lbr.h"
#include "model/engine/truth.h"

#define LBR_CTL     0x14ce
#define LBR_CTL_ALL 0x7f0007

static char *text;
static size_t size;

static struct machine *logging(const char *profile)
{
    struct machine *m = machine_of(profile);

    m->v.number = 3;
    m->v.truth = open_memstream(&text, &size);
    assert_non_null(m->v.truth);
    return m;
}

static void free_log(struct machine *m)
{
    fclose(m->v.truth);
    m->v.truth = NULL;
    free(text);
}

static void expect_and_free(struct machine *m, const char *expected)
{
    fflush(m->v.truth);
    assert_string_equal(text, expected);
    free_log(m);
}

UNIT_TEST(interrupts_and_lost_records)
{
    struct machine *m = logging("skylake");

    m->v.status = 0x4000000000000001;
    truth_pmi(&m->v, 0x100fe);
    truth_pmi(&m->v, 0xfe);
    truth_pebs_dropped(&m->v, 0x7080);
    truth_bts(&m->v, 0x7100, &(struct bts_contents){ 0x400000, 0x401000, 0x10 });
    expect_and_free(m, "pmi vcpu=3 status=0x4000000000000001 lvtpc=0x100fe masked\n"
                       "pmi vcpu=3 status=0x4000000000000001 lvtpc=0xfe delivered\n"
                       "pebs-dropped vcpu=3 at=0x7080\n"
                       "bts vcpu=3 at=0x7100 from=0x400000 to=0x401000 flags=0x10\n");

    m = logging("netburst");
    m->v.status = 0x77; /* NetBurst has no global status: its CCCRs have the overflow bits */
    m->v.event_select[16] = UINT64_C(1) << 31;
    truth_pmi(&m->v, 0xfe);
    expect_and_free(m, "pmi vcpu=3 status=0x10000 lvtpc=0xfe delivered\n");

    m = machine_new(); /* without a log */
    truth_pmi(&m->v, 0xfe);
    truth_pebs_dropped(&m->v, 0x7000);
}

/* Records n LBR entries by PEBS; returns the LBR group in the log. */
static const char *group(struct machine *m, unsigned n)
{
    struct pebs_contents none = { 0 };
    struct adaptive_contents extra = { .format = DATA_CFG_LBRS | (uint32_t)(n - 1) << 24 };
    const char *last;

    truth_adaptive(&m->v, 0, &none, &extra);
    fflush(m->v.truth);
    last = text;
    while (strstr(last, " lbr0=") != NULL)
        last = strstr(last, " lbr0=") + 1;
    return last - 1;
}

/* The log's LBR group has the executed branches, even after the registers were changed, as a wrong encoder would do. */
UNIT_TEST(groups_have_executed_branches)
{
    static const struct {
        const char *profile;
        uint32_t control;
        uint64_t enable;
        const char *group;
    } rows[] = {
        { "icelake", DEBUGCTL, 1,
          " lbr0=0x401008,0x400000,0,0,0,3 lbr1=0x40000c,0x401000,0,0,0,4 lbr2=0x401008,0x400000,1,0,0,3"
          " lbr3=0x40000c,0x401000,1,0,0,4 lbr4=0x0,0x0,0,0,0,0\n" },
        { "goldencove", LBR_CTL, LBR_CTL_ALL,
          " lbr0=0x401008,0x400000,0,0,0,3,2 lbr1=0x40000c,0x401000,0,0,0,4,3 lbr2=0x401008,0x400000,1,0,0,3,2"
          " lbr3=0x40000c,0x401000,1,0,0,0,3 lbr4=0x0,0x0,0,0,0,0,0\n" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = logging(rows[i].profile);
        struct block *call = block_new(0, 4, END_IND_CALL), *jump = block_new(0x1000, 3, END_REL_JMP);

        wrmsr(m, rows[i].control, rows[i].enable);
        run(m, call), run(m, jump), run(m, call), run(m, jump);
        branches_drain(&m->v, false, call->pc, 0);
        memset(m->v.lbr.stack, 0xa5, sizeof(m->v.lbr.stack));
        assert_string_equal(group(m, 5), rows[i].group);
        free_log(m);
    }
}

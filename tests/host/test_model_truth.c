/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The truth log, whole lines of it: every field of each form of record, under the name and with the value that the
 * boots compare with what the kernel prints, and branches as they ran, whatever the registers made of them.
 */
#include "tests/host/model_machine.h"

#include "model/engine/branches.h"
#include "model/engine/lbr.h"
#include "model/engine/truth.h"

#define LBR_CTL     0x14ce
#define LBR_FROM    0x1500
#define LBR_TO      0x1600
#define LBR_INFO    0x1200
#define LBR_CTL_ALL 0x7f0007
#define CALL_STACK  0x8

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

static const struct pebs_contents contents = {
    .rflags = 0x246,
    .ip = 0x401000,
    .general = { [RAX] = 0xa0,
                 [RBX] = 0xb0,
                 [RCX] = 0xc0,
                 [RDX] = 0xd0,
                 [RSI] = 0x51,
                 [RDI] = 0xd1,
                 [RBP] = 0xb9,
                 [RSP] = 0x59,
                 [R8] = 0x108,
                 [R9] = 0x109,
                 [R10] = 0x110,
                 [R11] = 0x111,
                 [R12] = 0x112,
                 [R13] = 0x113,
                 [R14] = 0x114,
                 [R15] = 0x115 },
    .counters = 0x200000001,
    .data_address = 0xffff800000001238,
    .data_source = 0x23,
    .latency = 250,
    .eventing_ip = 0x400ffc,
    .tsx = 0x1100000007,
    .tsc = 0x123456789a,
};

#define NARROW_REGISTERS " eax=0xa0 ebx=0xb0 ecx=0xc0 edx=0xd0 esi=0x51 edi=0xd1 ebp=0xb9 esp=0x59"
#define WIDE_REGISTERS                                                                                  \
    " rflags=0x246 ip=0x401000 rax=0xa0 rbx=0xb0 rcx=0xc0 rdx=0xd0 rsi=0x51 rdi=0xd1 rbp=0xb9 rsp=0x59" \
    " r8=0x108 r9=0x109 r10=0x110 r11=0x111 r12=0x112 r13=0x113 r14=0x114 r15=0x115"
#define DATA " data_address=0xffff800000001238 data_source=0x23 latency=250"

UNIT_TEST(records_of_fixed_formats)
{
    static const struct {
        const char *profile;
        struct ds_form form;
        size_t size;
        const char *line;
    } rows[] = {
        { "netburst", { 4, 0 }, 40, "pebs vcpu=3 at=0x7000 size=40 eflags=0x246 eip=0x401000" NARROW_REGISTERS "\n" },
        { "core2", { 8, 0 }, 144, "pebs vcpu=3 at=0x7000 size=144" WIDE_REGISTERS "\n" },
        { "nehalem", { 8, 1 }, 176, "pebs vcpu=3 at=0x7000 size=176 counters=0x200000001" WIDE_REGISTERS DATA "\n" },
        { "haswell",
          { 8, 2 },
          192,
          "pebs vcpu=3 at=0x7000 size=192 counters=0x200000001" WIDE_REGISTERS DATA
          " eventing_ip=0x400ffc tsx=0x1100000007\n" },
        { "skylake",
          { 8, 3 },
          200,
          "pebs vcpu=3 at=0x7000 size=200 counters=0x200000001" WIDE_REGISTERS DATA
          " eventing_ip=0x400ffc tsx=0x1100000007 tsc=0x123456789a\n" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = logging(rows[i].profile);

        m->v.ds.form = rows[i].form;
        truth_pebs(&m->v, 0x7000, rows[i].size, &contents);
        expect_and_free(m, rows[i].line);
    }
}

#define XMM_0_TO_15                                                                      \
    " xmm0=0x80000000000000000000000000001000 xmm1=0x80000000000000010000000000001001"   \
    " xmm2=0x80000000000000020000000000001002 xmm3=0x80000000000000030000000000001003"   \
    " xmm4=0x80000000000000040000000000001004 xmm5=0x80000000000000050000000000001005"   \
    " xmm6=0x80000000000000060000000000001006 xmm7=0x80000000000000070000000000001007"   \
    " xmm8=0x80000000000000080000000000001008 xmm9=0x80000000000000090000000000001009"   \
    " xmm10=0x800000000000000a000000000000100a xmm11=0x800000000000000b000000000000100b" \
    " xmm12=0x800000000000000c000000000000100c xmm13=0x800000000000000d000000000000100d" \
    " xmm14=0x800000000000000e000000000000100e xmm15=0x800000000000000f000000000000100f"

/* Each group's fields; those that only Golden Cove has; sizes as the manual's tables add up. */
UNIT_TEST(records_with_groups)
{
    static const struct {
        const char *profile;
        uint32_t groups;
        const char *line;
    } rows[] = {
        { "icelake", 0,
          "pebs vcpu=3 at=0x7000 size=32 format_group=0x0 eventing_ip=0x400ffc counters=0x200000001 "
          "tsc=0x123456789a\n" },
        { "icelake", 1,
          "pebs vcpu=3 at=0x7000 size=64 format_group=0x1 eventing_ip=0x400ffc counters=0x200000001 "
          "tsc=0x123456789a" DATA " tsx=0x1100000007 tsx_cycles=7\n" },
        { "goldencove", 1,
          "pebs vcpu=3 at=0x7000 size=64 format_group=0x1 retire_latency=17 eventing_ip=0x400ffc "
          "counters=0x200000001 tsc=0x123456789a" DATA " cache_latency=99 tsx=0x1100000007 tsx_cycles=7\n" },
        { "icelake", 2,
          "pebs vcpu=3 at=0x7000 size=176 format_group=0x2 eventing_ip=0x400ffc counters=0x200000001 "
          "tsc=0x123456789a" WIDE_REGISTERS "\n" },
        { "icelake", 4,
          "pebs vcpu=3 at=0x7000 size=288 format_group=0x4 eventing_ip=0x400ffc counters=0x200000001 "
          "tsc=0x123456789a" XMM_0_TO_15 "\n" },
        { "icelake", 0x01000008,
          "pebs vcpu=3 at=0x7000 size=80 format_group=0x1000008 eventing_ip=0x400ffc counters=0x200000001 "
          "tsc=0x123456789a lbr0=0x0,0x0,0,0,0,0 lbr1=0x0,0x0,0,0,0,0\n" },
        { "goldencove", 0x00000008,
          "pebs vcpu=3 at=0x7000 size=56 format_group=0x8 retire_latency=17 eventing_ip=0x400ffc "
          "counters=0x200000001 tsc=0x123456789a lbr0=0x0,0x0,0,0,0,0,0\n" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = logging(rows[i].profile);
        struct adaptive_contents extra = { .format = rows[i].groups, .retire_latency = 17, .cache_latency = 99 };

        for (unsigned x = 0; x < XMM_REGISTERS; x++) {
            extra.xmm[x][0] = 0x1000 + x;
            extra.xmm[x][1] = UINT64_C(0x8000000000000000) + x;
        }
        truth_adaptive(&m->v, 0x7000, &contents, &extra);
        expect_and_free(m, rows[i].line);
    }
}

UNIT_TEST(branches_of_every_format)
{
    static const struct lbr_contents branch = { 0x400004, 0x402000, 70000, true, true, END_REL_CALL, { 0, 1, 2, 3 } };
    static const struct lbr_contents untimed = { 0x400008, 0x402010, 65534, false, false, END_RET, { 4, 0, 7, 0 } };
    static const struct {
        const char *profile, *lines;
    } rows[] = {
        { "netburst", "lbr vcpu=3 tos=1 from=0x400004 to=0x402000\nlbr vcpu=3 tos=2 from=0x400008 to=0x402010\n" },
        { "netburst64", "lbr vcpu=3 tos=1 from=0x400004 to=0x402000\nlbr vcpu=3 tos=2 from=0x400008 to=0x402010\n" },
        { "core2", "lbr vcpu=3 tos=1 from=0x400004 to=0x402000\nlbr vcpu=3 tos=2 from=0x400008 to=0x402010\n" },
        { "nehalem", "lbr vcpu=3 tos=1 from=0x400004 to=0x402000 mispred=1\n"
                     "lbr vcpu=3 tos=2 from=0x400008 to=0x402010 mispred=0\n" },
        { "haswell", "lbr vcpu=3 tos=1 from=0x400004 to=0x402000 mispred=1 in_tsx=0 abort=0\n"
                     "lbr vcpu=3 tos=2 from=0x400008 to=0x402010 mispred=0 in_tsx=0 abort=0\n" },
        { "skylake", "lbr vcpu=3 tos=1 from=0x400004 to=0x402000 mispred=1 in_tsx=0 abort=0 cycles=65535\n"
                     "lbr vcpu=3 tos=2 from=0x400008 to=0x402010 mispred=0 in_tsx=0 abort=0 cycles=65534\n" },
        { "goldencove", "lbr vcpu=3 from=0x400004 to=0x402000 mispred=1 in_tsx=0 abort=0 cycles=65535 type=4\n"
                        "lbr vcpu=3 from=0x400008 to=0x402010 mispred=0 in_tsx=0 abort=0 cycles=0 type=5\n" },
        { "clearwaterforest",
          "lbr vcpu=3 from=0x400004 to=0x402000 mispred=1 in_tsx=0 abort=0 cycles=65535 type=4 events=0123\n"
          "lbr vcpu=3 from=0x400008 to=0x402010 mispred=0 in_tsx=0 abort=0 cycles=0 type=5 events=3030\n" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = logging(rows[i].profile);

        truth_lbr(&m->v, 1, &branch);
        truth_lbr(&m->v, 2, &untimed);
        expect_and_free(m, rows[i].lines);
    }
}

/* Lines that are no records. */
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
    m->v.status = 0x77; /* NetBurst has no global status: its CCCRs say which counters overflowed */
    m->v.event_select[16] = UINT64_C(1) << 31;
    truth_pmi(&m->v, 0xfe);
    expect_and_free(m, "pmi vcpu=3 status=0x10000 lvtpc=0xfe delivered\n");

    m = machine_new(); /* without a log */
    truth_pmi(&m->v, 0xfe);
    truth_pebs_dropped(&m->v, 0x7000);
}

/* Records n entries of the stack by PEBS, and returns the record's LBR group as the log tells it. */
static const char *group(struct machine *m, unsigned n)
{
    struct pebs_contents none = { 0 };
    struct adaptive_contents extra = { .format = DATA_CFG_LBRS | (uint32_t)(n - 1) << 24 };
    const char *last;

    truth_adaptive(&m->v, 0, &none, &extra);
    fflush(m->v.truth);
    last = text;
    while (strstr(last, " lbr0=") != NULL) {
        last = strstr(last, " lbr0=") + 1;
    }
    return last - 1;
}

/*
 * An LBR group tells the branches that ran. It does so after the registers were spoilt, as an encoder's mistake would
 * spoil them.
 */
UNIT_TEST(groups_are_told_by_what_ran)
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

/* An entry that software wrote has no branch behind it: the log tells the three registers until the next branch. */
UNIT_TEST(groups_have_what_software_wrote)
{
    struct machine *m = logging("goldencove");
    struct block *jump = block_new(0x1000, 3, END_REL_JMP);

    wrmsr(m, LBR_CTL, LBR_CTL_ALL);
    run(m, jump), run(m, jump);
    WRMSR(m, { LBR_CTL, 0 }, { LBR_FROM + 1, 0x7000 });
    assert_string_equal(group(m, 3), " lbr0=0x401008,0x420000,1,0,0,3,2 lbr1=0x7000,0x401000,1,0,0,0,2"
                                     " lbr2=0x0,0x0,0,0,0,0,0\n");
    WRMSR(m, { LBR_TO + 1, 0x8000 }, { LBR_INFO + 1, 0x6100000000000123 });
    assert_string_equal(group(m, 2), " lbr0=0x401008,0x420000,1,0,0,3,2 lbr1=0x7000,0x8000,0,1,1,291,1\n");
    wrmsr(m, LBR_CTL, LBR_CTL_ALL);
    run_times(m, jump, 32);
    branches_drain(&m->v, false, jump->pc, 0);
    for (const char *told = group(m, 32); *told != '\0'; told++) {
        assert_true(strncmp(told, "=0x7000,", 8) != 0);
    }
    free_log(m);
}

/* A return that takes its call's entry away, and a change of depth, leave entries of zeroes. */
UNIT_TEST(groups_of_entries_taken_away)
{
    struct machine *m = logging("goldencove");
    struct block *call = block_new(0, 2, END_REL_CALL), *back = block_new(0x1000, 2, END_RET);

    wrmsr(m, LBR_CTL, LBR_CTL_ALL | CALL_STACK);
    run(m, call), run(m, call), run(m, back);
    branches_drain(&m->v, false, call->pc, 0);
    assert_string_equal(group(m, 2), " lbr0=0x400004,0x400000,1,0,0,0,4 lbr1=0x0,0x0,0,0,0,0,0\n");
    WRMSR(m, { LBR_CTL, 0 }, { 0x14cf, 8 });
    assert_string_equal(group(m, 2), " lbr0=0x0,0x0,0,0,0,0,0 lbr1=0x0,0x0,0,0,0,0,0\n");
    WRMSR(m, { LBR_FROM, 0x7000 }, { 0x14cf, 16 });
    assert_string_equal(group(m, 2), " lbr0=0x0,0x0,0,0,0,0,0 lbr1=0x0,0x0,0,0,0,0,0\n");
    free_log(m);
}

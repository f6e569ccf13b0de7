/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults: the list of fault=, and the tables that a fault leaves unchanged. */
#include "tests/host/model_machine.h"

#include <unistd.h>

#include "model/engine/rules.h"
#include "model/faults/break.h"
#include "model/faults/faults.h"
#include "model/faults/flip.h"
#include "model/faults/quirks.h"

static const char *parse(struct fault_set *set, const char *list, size_t *length)
{
    *set = (struct fault_set){ 0 };
    return faults_parse(set, list, length);
}

/* The list is refused because of the unknown name at this byte. */
static void assert_unknown(const char *list, const char *name, size_t at)
{
    struct fault_set set;
    size_t length;
    const char *unknown = parse(&set, list, &length);

    assert_non_null(unknown);
    assert_int_equal(unknown - list, at);
    assert_int_equal(length, strlen(name));
    assert_memory_equal(unknown, name, length);
}

UNIT_TEST(on_one_processor_or_all)
{
    struct fault_set set;
    size_t length;

    set = (struct fault_set){ 0 };
    assert_false(fault_set_is_of(&set, 0));
    assert_null(parse(&set, "bts.index.stuck", &length));
    assert_true(fault_set_is_of(&set, 0));
    assert_true(fault_set_is_of(&set, 9999));
    assert_null(parse(&set, "bts.index.stuck,pmi.no_mask@0", &length));
    assert_true(fault_set_has(&set, FAULT_PMI_NO_MASK));
    assert_true(fault_set_is_of(&set, 0));
    assert_false(fault_set_is_of(&set, 1));
    assert_null(parse(&set, "bts.index.stuck@2017", &length));
    assert_true(fault_set_is_of(&set, 2017));
    assert_false(fault_set_is_of(&set, 0));
    assert_false(fault_set_is_of(&set, 201));
    assert_unknown("bts.index.stuck@", "", 16);
    assert_unknown("bts.index.stuck@1,pmi.no_mask", "1,pmi.no_mask", 16);
    assert_unknown("bts.index.stuck@-1", "-1", 16);
    assert_unknown("bts.index.stuck@10000", "10000", 16);
    assert_unknown("bts.index.stuck@1x", "1x", 16);
    assert_unknown("@1", "", 0);
}

/* Faults of other areas do not change the processor's tables; these faults change exactly what they say. */
UNIT_TEST(processors)
{
    const struct profile *healthy = profile_find("netburst");
    struct fault_set set;
    size_t length;

    assert_null(parse(&set, "bts.index.stuck", &length));
    const struct profile *same = break_profile(healthy, &set, 0);

    assert_int_equal(same->counter_width, healthy->counter_width);
    for (unsigned i = 0; i < PROFILE_TABLES; i++) {
        const struct profile_msrs *as = &healthy->msrs[i];

        assert_int_equal(same->msrs[i].count, as->count);
        if (as->count > 0)
            assert_memory_equal(same->msrs[i].rows, as->rows, as->count * sizeof(*as->rows));
    }
    free((void *)(uintptr_t)same);

    assert_null(parse(&set, "perfmon.width.32", &length));
    const struct profile *narrow = break_profile(healthy, &set, 0);

    assert_int_equal(narrow->counter_width, 32);
    assert_int_equal(healthy->counter_width, 40);
    free((void *)(uintptr_t)narrow);
}

static void break_machine(struct machine *m, const char *faults)
{
    struct fault_set set;
    size_t length;

    assert_null(parse(&set, faults, &length));
    assert_true(break_rules(&m->v, &set, 0, NULL));
}

UNIT_TEST(together)
{
    struct machine *m = machine_new();
    struct fault_set set;
    size_t length;

    assert_null(
        parse(&set, "msr:600:write:clear:ffffffff00000000,msr:600:write:clear:100000,msr:3f1:read:clear", &length));
    assert_true(break_rules(&m->v, &set, UINT32_C(1) << QUIRK_COUNTER_TAKEN, NULL));
    WRMSR(m, { DS_AREA, MEMORY }, { PEBS_ENABLE, 1 });
    EXPECT_MSRS(m, { DS_AREA, (uint32_t)MEMORY & ~UINT32_C(0x100000) }, { PEBS_ENABLE, 0 }, { PMC0 + 1, 0x5a17 });
    break_mend(&m->v);
    assert_int_equal(rdmsr(m, PMC0 + 1), 0);
}

/* What each kind of bit fault does to a register. */
UNIT_TEST(bits_of_registers)
{
    static const struct {
        const char *fault;
        uint64_t written;
        enum msr_answer answer;
        uint64_t read;
    } rows[] = {
        { "msr:600:read:set:40", 0x1000, MSR_DONE, 0x1040 },
        { "msr:600:read:flip:1040", 0x1000, MSR_DONE, 0x40 },
        { "msr:600:read:clear", 0x1000, MSR_DONE, 0 },
        { "msr:600:write:set:40", 0x1000, MSR_DONE, 0x1040 },
        { "msr:600:write:clear:1000", 0x3000, MSR_DONE, 0x2000 },
        { "msr:600:stick:1000", 0, MSR_DONE, 0x1000 },
        { "msr:600:stick", 0x2000, MSR_DONE, 0x3000 },
        { "msr:600:gp:6000", 0x2000, MSR_GP, 0x1000 },
        { "msr:600:gp:6000", 0x8000, MSR_DONE, 0x8000 },
        { "msr:600:gp", 0x8000, MSR_GP, 0x1000 },
        { "msr:600:take", UINT64_C(1) << 62, MSR_DONE, UINT64_C(1) << 62 },
        { "msr:600:write:flip:ff,msr:600:gp:2000", 0x1000, MSR_DONE, 0x10ff },
        { "msr:3f1:gp", 0x1000, MSR_DONE, 0x1000 }, /* another register */
        { "bts.index.stuck", UINT64_C(1) << 62, MSR_GP, 0x1000 },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_new();

        wrmsr(m, DS_AREA, 0x1000);
        break_machine(m, rows[i].fault);
        assert_int_equal(try_write(m, DS_AREA, rows[i].written), rows[i].answer);
        assert_int_equal(rdmsr(m, DS_AREA), rows[i].read);
        break_mend(&m->v);
    }
}

/* A register accepts exactly the bits that a fault names, also if it is read-only. */
UNIT_TEST(taken_bits)
{
    struct machine *m = machine_new();
    const uint64_t capabilities = rdmsr(m, 0x345), flags = rdmsr(m, 0x1a0);

    break_machine(m, "msr:345:take:1,msr:1a0:take:1000");
    assert_int_equal(try_write(m, 0x345, capabilities ^ 2), MSR_GP);
    assert_int_equal(try_write(m, 0x345, capabilities ^ 3), MSR_GP);
    assert_int_equal(try_write(m, 0x345, capabilities ^ 1), MSR_DONE);
    assert_int_equal(rdmsr(m, 0x345), capabilities ^ 1);
    assert_int_equal(try_write(m, 0x1a0, flags ^ 0x1800), MSR_DONE);
    assert_int_equal(rdmsr(m, 0x1a0), flags ^ 0x1000);
    break_mend(&m->v);
}

/* A fault of the first event select is of all. */
UNIT_TEST(bits_of_several_registers)
{
    struct machine *m = machine_new();
    uint64_t value;

    break_machine(m, "msr:186:absent@0");
    assert_int_equal(engine_rdmsr(&m->v, 0x186, &value, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_rdmsr(&m->v, 0x189, &value, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(try_write(m, 0x187, 0), MSR_GP);
    assert_int_equal(engine_rdmsr(&m->v, 0xc1, &value, BETWEEN_BLOCKS), MSR_DONE);
    break_mend(&m->v);
    break_machine(m, "msr:187:absent");
    assert_int_equal(try_write(m, 0x187, 0), MSR_GP);
    assert_int_equal(try_write(m, 0x186, 0), MSR_DONE);
    assert_int_equal(try_write(m, 0x188, 0), MSR_DONE);
    break_mend(&m->v);
}

UNIT_TEST(bits_of_cpuid)
{
    struct machine *m = machine_new();
    uint32_t before[4] = { 0 }, regs[4] = { 0 };

    m->v.rules->cpuid_answer(&m->v, 0xa, 0, before);
    break_machine(m, "cpuid:a.0:eax:flip:101,cpuid:a.0:edx:set,cpuid:a.1:ecx:set,cpuid:a.0:ebx:clear:f");
    m->v.rules->cpuid_answer(&m->v, 0xa, 0, regs);
    assert_int_equal(regs[0], before[0] ^ 0x101);
    assert_int_equal(regs[1], before[1] & ~0xfu);
    assert_int_equal(regs[2], before[2]);
    assert_int_equal(regs[3], UINT32_MAX);
    break_mend(&m->v);
}

UNIT_TEST(bits_refused)
{
    static const char *const wrong[] = { "msr:",
                                         "msr:600",
                                         "msr::gp",
                                         "msr:0x600:gp",
                                         "msr:123456789:gp",
                                         "msr:600:gpx",
                                         "msr:600:gp:",
                                         "msr:600:gp:0",
                                         "msr:600:gp:11111111111111111",
                                         "msr:600:absent:1",
                                         "msr:600:read",
                                         "msr:600:write:set:",
                                         "cpuid:",
                                         "cpuid:a:eax:set:1",
                                         "cpuid:a.:eax:set:1",
                                         "cpuid:a.0:esi:set:1",
                                         "cpuid:a.0:eax",
                                         "cpuid:a.0:eax:set:111111111" };
    char list[32 * (MOST_BIT_FAULTS + 1)] = "";
    size_t last = 0;

    for (unsigned i = 0; i < COUNT_OF(wrong); i++)
        assert_unknown(wrong[i], wrong[i], 0);
    assert_unknown("bts.index.stuck,msr:600:no@1", "msr:600:no", 16);
    for (unsigned i = 0; i <= MOST_BIT_FAULTS; i++) {
        last = strlen(list);
        strcat(list, "msr:600:gp,");
    }
    list[strlen(list) - 1] = '\0';
    assert_unknown(list, "msr:600:gp", last);
}

static void use_registers(struct machine *m, char *said)
{
    m->v.status = UINT64_C(1) << 32 | 1; /* overflows of PMC0 and of fixed counter 0 */
    try_write(m, DS_AREA, 0x1000);
    try_write(m, PMC0, 0);
    try_write(m, STATUS_RESET, 0);
    try_write(m, GLOBAL_CTRL, 0);
    try_write(m, GLOBAL_CTRL, 0);
    sprintf(said, "%x", (unsigned)rdmsr(m, DS_AREA));
    rdmsr(m, GLOBAL_STATUS);
    sprintf(strchr(said, 0), " %llx\n", (unsigned long long)m->v.regs[REG_IA32_PERF_GLOBAL_CTRL]);
}

static void take_branches(struct machine *m, char *said)
{
    set_up_ds(m, 10, 20, 0, 0);
    wrmsr(m, DEBUGCTL, TR_BTS);
    for (unsigned i = 0; i < 4; i++)
        run(m, block_new(0x100 * i, 2, END_REL_JMP));
    wrmsr(m, DEBUGCTL, 0);
    for (unsigned n = 0; n < (get(m, DS + 8) - BTS) / RECORD_BTS; n++)
        said += sprintf(said, "%x ", (unsigned)get(m, BTS + n * RECORD_BTS) & 0xfff);
    sprintf(said, "%x %x\n", (unsigned)(get(m, DS + 8) - BTS), (unsigned)get(m, BTS + 10 * RECORD_BTS));
}

/* Each period-th event, instructions of the WRMSRs included, overflows a counter. A load retires with its block. */
static void sample(struct machine *m, unsigned event, uint64_t period, char *said)
{
    set_up_ds(m, 0, 0, 10, 20);
    WRMSR(m, { EVTSEL0 + 1, EVTSEL_ON | event }, { PMC0 + 1, -period }, { PEBS_ENABLE, 2 }, { GLOBAL_CTRL, 2 });
    put(m, DS + 0x48, -period);
    for (unsigned i = 0; i < 8; i++)
        access_memory(m, block_new(0x100 * i, 60, END_REL_JMP), BTS, 8, LOADS);
    wrmsr(m, GLOBAL_CTRL, 0);
    for (unsigned n = 0; n < (get(m, DS + 0x28) - PEBS) / RECORD_PEBS; n++)
        said += sprintf(said, "%x ", (unsigned)get(m, PEBS + n * RECORD_PEBS + 8) & 0xfff);
    sprintf(said, "\n");
}

/*
 * Single corruptions: the DS area's address that software reads, and GLOBAL_CTRL; or the low bits of each From, the
 * bytes up to the index, and what is behind the buffer. Then the log. A reserved bit changes the next one.
 */
UNIT_TEST(corruptions)
{
    static const struct {
        const char *plan, *said;
    } rows[] = {
        { "1 write 0 flip 12", "1000 0\n" }, /* another window */
        { "0 write 0 flip 12", "0 0\n0 write 600 changed\n" },
        { "0 write 0 flip 76", "0 0\n0 write 600 changed\n" },
        { "0 write 0 lost 0", "0 0\n0 write 600 changed\n" },
        { "0 write 0 twice 0", "1000 0\n0 write 600 changed\n0 same\n" },
        { "0 write 1 flip 31", "1000 0\n0 write c1 changed\n" },
        { "0 write 1 flip 32", "1000 0\n0 write c1 changed\n0 same\n" },
        { "0 write 2 flip 0", "1000 0\n0 write 390 changed\n" },
        { "0 write 2 flip 1", "1000 0\n0 write 390 changed\n0 same\n" },
        { "0 write 2 flip 31", "1000 0\n0 write 390 changed\n" },
        { "0 write 3 flip 0", "1000 0\n0 write 38f changed\n0 overwritten\n" },
        { "0 write 4 flip 31", "1000 100000000\n0 write 38f changed\n" },
        { "0 read 0 flip 12", "0 0\n0 read 600 changed\n" },
        { "0 read 1 flip 1", "1000 0\n0 read 38e changed\n" },
        { "0 read 1 flip 63", "1000 0\n0 read 38e changed\n0 same\n" },
        { "0 bts 4 lost 0", "4 104 204 304 60 0\n" }, /* no such record */
        { "0 bts 0 flip 8", "104 104 204 304 60 0\n0 bts 18 changed\n" },
        { "0 bts 3 flip 200", "4 104 204 204 60 0\n0 bts 18 changed\n" },
        { "0 bts 1 lost 0", "4 204 304 48 0\n0 bts 18 changed\n" },
        { "0 bts 1 twice 0", "4 104 104 204 304 78 0\n0 bts 18 changed\n" },
        { "0 bts 0 swap 0", "104 4 204 304 60 0\n0 bts 18 changed\n" },
        { "0 bts 3 swap 0", "4 104 204 304 60 0\n0 bts 18 changed\n0 same\n" },
        { "0 bts 2 behind 0", "4 104 204 304 60 a5\n0 bts 18 changed\n" },
        { "0 pebs 3 lost 0", "1f0 3f0 5f0 \n0 pebs c8 changed\n" },
        { "0 pebs-index 2 flip 3", "1f0 3f0 5f0 \n0 pebs-index ffff800000104258 changed\n0 overwritten\n" },
        { "0 events 3 lost 0", "34c 69c \n0 events c6 changed\n0 same\n" }, /* before the first record */
        { "0 events 4 lost 0", "348 69c \n0 events c8 changed\n" },
        { "0 events 5 twice 0", "348 698 \n0 events 53 changed\n0 same\n" }, /* behind the last record */
        { "0 bts-index 0 flip 4", "4 104 204 304 70 0\n0 bts-index ffff800000101060 changed\n" },
    };
    static struct flip *flips[COUNT_OF(rows)]; /* they last as long as the program */
    char name[] = "/tmp/flip-XXXXXX", log[sizeof(name) + 4], line[64], said[256];
    const char *why;

    close(mkstemp(name));
    snprintf(log, sizeof(log), "%s.log", name);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_new();
        FILE *file = fopen(name, "w");

        fprintf(file, "400000 500000\n%s\n", rows[i].plan);
        fclose(file);
        flips[i] = flip_open(name, &why);
        assert_true(break_rules(&m->v, &(struct fault_set){ 0 }, 0, flips[i]));
        flip_reached(flips[i], 0x400000);
        if (strstr(rows[i].plan, "bts") != NULL)
            take_branches(m, said);
        else if (strstr(rows[i].plan, "pebs") != NULL)
            sample(m, ALL_LOADS, 1, said);
        else if (strstr(rows[i].plan, "events") != NULL)
            sample(m, PREC_DIST, 200, said);
        else
            use_registers(m, said);
        flip_reached(flips[i], 0x500000);
        break_mend(&m->v);
        file = fopen(log, "r");
        while (fgets(line, sizeof(line), file) != NULL)
            if (strstr(line, " changed") != NULL || strstr(line, " same") != NULL || strstr(line, " over") != NULL)
                strcat(said, line);
        fclose(file);
        assert_string_equal(said, rows[i].said);
    }
    remove(log);
    remove(name);
}

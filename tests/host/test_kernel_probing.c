/* SPDX-License-Identifier: MIT */
/*
 * What the kernel reads of a processor (arch/x86/probe.c), on a machine of variables: which leaves and registers, under
 * which condition; what it tries, and how it leaves it; and what is missing where a register raises #GP. Registers by
 * their numbers from SDM Vol. 4 (335592-086): 1BH IA32_APIC_BASE, 8BH IA32_BIOS_SIGN_ID, C1H IA32_PMC0, 186H
 * IA32_PERFEVTSEL0, 1A0H IA32_MISC_ENABLE, 1D9H IA32_DEBUGCTL, 309H IA32_FIXED_CTR0, 345H IA32_PERF_CAPABILITIES, 38FH
 * IA32_PERF_GLOBAL_CTRL, 3F1H IA32_PEBS_ENABLE, 3F4H and 3F5H IA32_PEBS_BASE and _INDEX, 600H IA32_DS_AREA, 14CEH
 * IA32_LBR_CTL, C0000080H IA32_EFER.
 */
#include "tests/host/host_test.h"

#include "arch/x86/probe.c"
#include "tests/host/machine/machine.h"

static struct caps_input in;
static struct caps caps;

/* What CPUID says: of each leaf its number in all registers, but for these. */
static struct {
    uint32_t most, most_extended;
    uint32_t ebx_0, ecx_0, edx_0, ecx_1, edx_1, eax_7, edx_7, eax_a, eax_7_1, eax_23;
    char asked[400]; /* leaves, in hexadecimal */
} cpu;

static struct cpuid leaves(uint32_t leaf, uint32_t subleaf)
{
    const uint32_t value = leaf << 4 | subleaf;
    struct cpuid r = { value | 0x10000000, value | 0x20000000, value | 0x30000000, value | 0x40000000 };
    const size_t used = strlen(cpu.asked);

    assert_true(subleaf == 0 || leaf == 7 || leaf == 0x23);
    if (leaf & 0x7fffffff)
        snprintf(cpu.asked + used, sizeof cpu.asked - used, subleaf ? "%x.%x " : "%x ", leaf, subleaf);
    if (leaf == 0)
        r = (struct cpuid){ cpu.most, cpu.ebx_0, cpu.ecx_0, cpu.edx_0 };
    else if (leaf == 0x80000000u)
        r.eax = cpu.most_extended;
    else if (leaf == 1)
        r = (struct cpuid){ r.eax, r.ebx, cpu.ecx_1, cpu.edx_1 };
    else if (leaf == 7 && subleaf == 1)
        r.eax = cpu.eax_7_1;
    else if (leaf == 7)
        r = (struct cpuid){ cpu.eax_7, r.ebx, r.ecx, cpu.edx_7 };
    else if (leaf == 0xa)
        r.eax = cpu.eax_a;
    else if (leaf == 0x23 && subleaf == 0)
        r.eax = cpu.eax_23;
    if (leaf == 1 && msr_get(0x8b) == 0)
        machine_set(0x8b, UINT64_C(0x1234) << 32);
    return r;
}

/* A processor that has everything. */
static void start(void)
{
    machine_start();
    machine.leaves = leaves;
    memset(&cpu, 0, sizeof cpu);
    cpu.most = 0x23;
    cpu.most_extended = 0x80000008;
    cpu.ebx_0 = 0x756e6547; /* Genu, ntel, ineI */
    cpu.ecx_0 = 0x6c65746e;
    cpu.edx_0 = 0x49656e69;
    cpu.ecx_1 = 1u << 15 | 1u << 31;
    cpu.edx_1 = 1u << 21;
    cpu.eax_7 = 1;
    cpu.edx_7 = 1u << 19;
    cpu.eax_a = 4;
    cpu.eax_7_1 = 1u << 8;
    cpu.eax_23 = 0x7f; /* a sub-leaf more than is known */
    machine_set(0x345, 0x345345);
    machine_set(0x1a0, 0x1a01a0);
    machine_set(0x1b, 0xfee00900);
    machine_set(0x8b, 7);
    machine_set(0x600, 0x600600);
    machine_set(0x3f4, 0x3f4000);
    machine_set(0x1d9, 0x4000);
    machine_set(0x14ce, 0x6);
    machine_set(0xc0000080, 1 << 10);
}

static void is_leaf(const struct caps_leaf *leaf, uint32_t number, uint32_t subleaf)
{
    const uint32_t value = number << 4 | subleaf;

    assert_true(leaf->valid);
    assert_int_equal(leaf->eax, value | 0x10000000);
    assert_int_equal(leaf->ebx, value | 0x20000000);
    assert_int_equal(leaf->ecx, value | 0x30000000);
    assert_int_equal(leaf->edx, value | 0x40000000);
}

static void everything(void **state)
{
    (void)state;
    start();
    ds_probe(&in);
    assert_true(in.leaf_0.valid && in.leaf_0.eax == 0x23 && in.leaf_0.ebx == cpu.ebx_0 && in.leaf_0.ecx == cpu.ecx_0 &&
                in.leaf_0.edx == cpu.edx_0);
    assert_true(in.leaf_1.valid && in.leaf_1.eax == 0x10000010 && in.leaf_1.ebx == 0x20000010 &&
                in.leaf_1.ecx == cpu.ecx_1 && in.leaf_1.edx == cpu.edx_1);
    assert_true(in.leaf_7.valid && in.leaf_7.eax == 1 && in.leaf_7.edx == cpu.edx_7);
    assert_true(in.leaf_7_1.valid && in.leaf_7_1.eax == 0x100 && in.leaf_7_1.ebx == 0x20000071);
    assert_true(in.leaf_a.valid && in.leaf_a.eax == 4 && in.leaf_a.edx == 0x400000a0);
    assert_true(in.leaf_23.valid && in.leaf_23.eax == 0x7f && in.leaf_23.ecx == 0x30000230);
    is_leaf(&in.leaf_15, 0x15, 0);
    is_leaf(&in.leaf_16, 0x16, 0);
    is_leaf(&in.leaf_1a, 0x1a, 0);
    is_leaf(&in.leaf_1c, 0x1c, 0);
    is_leaf(&in.leaf_23_1, 0x23, 1);
    is_leaf(&in.leaf_23_2, 0x23, 2);
    is_leaf(&in.leaf_23_3, 0x23, 3);
    is_leaf(&in.leaf_23_4, 0x23, 4);
    is_leaf(&in.leaf_23_5, 0x23, 5);
    is_leaf(&in.leaf_40000000, 0x40000000, 0);
    is_leaf(&in.leaf_80000001, 0x80000001, 0);
    is_leaf(&in.leaf_80000002, 0x80000002, 0);
    is_leaf(&in.leaf_80000003, 0x80000003, 0);
    is_leaf(&in.leaf_80000004, 0x80000004, 0);
    is_leaf(&in.leaf_80000008, 0x80000008, 0);
    assert_true(in.perf_capabilities.valid && in.perf_capabilities.value == 0x345345);
    assert_true(in.misc_enable.valid && in.misc_enable.value == 0x1a01a0);
    assert_true(in.apic_base.valid && in.apic_base.value == 0xfee00900);
    assert_true(in.bios_sign_id.valid && in.bios_sign_id.value == UINT64_C(0x1234) << 32);
    assert_int_equal(in.fixed_answers, 7);
    assert_int_equal(in.ds_area, CAPS_HOLDS);
    assert_int_equal(in.debugctl_lbr, CAPS_HOLDS);
    assert_int_equal(in.pebs_base, CAPS_HOLDS);
    assert_int_equal(in.arch_lbr_control, CAPS_HOLDS);
    assert_true(in.ia32e_active);
    machine_did("wrmsr 8b 0\nwrmsr 600 2aa540\nwrmsr 600 600600\nwrmsr 3f4 2aa000\nwrmsr 3f4 3f4000\n"
                "wrmsr 1d9 1\nwrmsr 1d9 4000\nwrmsr 14ce 1\nwrmsr 14ce 6\n");
}

/* No leaf beyond the highest is asked for, and what CPUID says in its place is not taken for one. */
static void leaves_end(void **state)
{
    (void)state;
    for (uint32_t most = 0; most <= 0x23; most++) {
        start();
        cpu.most = most;
        ds_probe(&in);
        assert_true(in.leaf_0.valid);
        assert_int_equal(in.leaf_1.valid, most >= 1);
        assert_int_equal(in.leaf_7.valid, most >= 7);
        assert_int_equal(in.leaf_7_1.valid, most >= 7);
        assert_int_equal(in.leaf_a.valid, most >= 0xa);
        assert_int_equal(in.leaf_15.valid, most >= 0x15);
        assert_int_equal(in.leaf_16.valid, most >= 0x16);
        assert_int_equal(in.leaf_1a.valid, most >= 0x1a);
        assert_int_equal(in.leaf_1c.valid, most >= 0x1c);
        assert_int_equal(in.leaf_23.valid, most >= 0x23);
        assert_int_equal(in.leaf_23_5.valid, most >= 0x23);
        assert_int_equal(in.ds_area != CAPS_NOT_TRIED, most >= 1);
        assert_int_equal(in.arch_lbr_control != CAPS_NOT_TRIED, most >= 7);
        assert_int_equal(in.fixed_answers, most >= 0xa ? 7 : 0);
        assert_true(most >= 0x1c || !strstr(cpu.asked, "1c "));
    }
    start();
    cpu.most_extended = 0x80000003;
    ds_probe(&in);
    assert_true(in.leaf_80000001.valid && in.leaf_80000003.valid);
    assert_false(in.leaf_80000004.valid || in.leaf_80000008.valid);
    for (unsigned i = 0; i < 2; i++) {
        start();
        cpu.most_extended = i ? 0x7fffffff : 0x23; /* no extended leaves: what the highest leaf says */
        ds_probe(&in);
        assert_false(in.leaf_80000001.valid || in.leaf_80000008.valid);
    }
    start();
    cpu.most = 0x80000023; /* nonsense */
    ds_probe(&in);
    assert_false(in.leaf_1.valid);
}

/* Each condition alone is not met: what stands under it is left alone. */
static void conditions(void **state)
{
    (void)state;
    start();
    cpu.ecx_1 &= ~(1u << 15);
    ds_probe(&in);
    assert_false(in.perf_capabilities.valid);
    assert_true(in.leaf_40000000.valid);
    start();
    cpu.ecx_1 &= ~(1u << 31);
    ds_probe(&in);
    assert_false(in.leaf_40000000.valid);
    assert_null(strstr(cpu.asked, "40000000"));
    start();
    cpu.edx_1 = ~(1u << 21);
    ds_probe(&in);
    assert_int_equal(in.ds_area, CAPS_NOT_TRIED);
    start();
    cpu.eax_7 = 0;
    ds_probe(&in);
    assert_false(in.leaf_7_1.valid || in.leaf_23.valid);
    assert_int_equal(in.pebs_base, CAPS_NOT_TRIED);
    start();
    cpu.eax_7_1 = ~(1u << 8);
    ds_probe(&in);
    assert_true(in.leaf_7_1.valid && !in.leaf_23.valid && !in.leaf_23_1.valid);
    start();
    cpu.edx_7 = ~(1u << 19);
    ds_probe(&in);
    assert_int_equal(in.arch_lbr_control, CAPS_NOT_TRIED);
    for (unsigned i = 1; i <= 5; i++) {
        const struct caps_leaf *const subleaves[] = { &in.leaf_23_1, &in.leaf_23_2, &in.leaf_23_3, &in.leaf_23_4,
                                                      &in.leaf_23_5 };
        start();
        cpu.eax_23 = 0x7f & ~(1u << i);
        ds_probe(&in);
        for (unsigned k = 1; k <= 5; k++)
            assert_int_equal(subleaves[k - 1]->valid, k != i);
        assert_int_equal(in.pebs_base, i < 4 ? CAPS_HOLDS : CAPS_NOT_TRIED);
    }
    start();
    machine_set(0xc0000080, 1 << 8 | 1 << 11);
    ds_probe(&in);
    assert_false(in.ia32e_active);
}

/* Version 2 to 4, of which CPUID may conceal some. */
static void fixed_counters(void **state)
{
    static const struct {
        unsigned version, refused, answers;
    } cases[] = {
        { 1, 9, 0 }, { 2, 9, 7 }, { 4, 9, 7 }, { 5, 9, 0 }, { 2, 0, 6 }, { 3, 1, 5 }, { 4, 2, 3 }, { 4, 3, 7 }
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start();
        cpu.eax_a = 0x07300800 | cases[i].version;
        machine_refuse(0x309 + cases[i].refused);
        ds_probe(&in);
        assert_int_equal(in.fixed_answers, cases[i].answers);
    }
}

/* Other vendors' register may be another one; and it may raise #GP. */
static void microcode(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        start();
        *(i == 0 ? &cpu.ebx_0 : i == 1 ? &cpu.ecx_0 : &cpu.edx_0) ^= 1;
        ds_probe(&in);
        assert_false(in.bios_sign_id.valid);
        assert_int_equal(msr_get(0x8b), 7);
    }
    start();
    machine_refuse(0x8b);
    ds_probe(&in);
    assert_false(in.bios_sign_id.valid);
    start();
    machine_refuse(0x1a0);
    machine_refuse(0x1b);
    machine_refuse(0x345);
    ds_probe(&in);
    assert_false(in.misc_enable.valid || in.apic_base.valid || in.perf_capabilities.valid);
}

static uint32_t deaf; /* the register that reads 0, whatever is written */

static void write_deaf(uint32_t msr, uint64_t value)
{
    (void)value;
    if (msr == deaf)
        machine_set(msr, 0);
}

static bool read_only(uint32_t msr, uint64_t value)
{
    (void)value;
    return msr == deaf;
}

static void tried(void **state)
{
    static const uint32_t registers[] = { 0x600, 0x3f4, 0x1d9, 0x14ce };
    const enum caps_probe *const results[] = { &in.ds_area, &in.pebs_base, &in.debugctl_lbr, &in.arch_lbr_control };

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned how = 0; how < 3; how++) {
            start();
            deaf = registers[i];
            if (how == 0)
                machine.write = write_deaf;
            else if (how == 1)
                machine.refuses = read_only;
            else
                machine_refuse(deaf);
            ds_probe(&in);
            for (unsigned k = 0; k < 4; k++)
                assert_int_equal(*results[k], k != i ? CAPS_HOLDS : how ? CAPS_RAISES_GP : CAPS_DIFFERS);
        }
}

/* ---- registers that raise #GP ------------------------------------------------------------------------------------ */

static const struct debugctl_bits core = { .lbr = 1, .freeze_perfmon = 1 << 12 };

/* An event of every role, which any of four counters can sample. */
static struct pebs_event events[PEBS_ROLE_COUNT];
static const struct pebs_event_list every_event = { events, PEBS_ROLE_COUNT };

static void start_registers(void)
{
    start();
    for (unsigned i = 0; i < PEBS_ROLE_COUNT; i++)
        events[i] = (struct pebs_event){ .name = "EVENT", .role = (enum pebs_role)i, .select = 1, .counters = 0xf };
    caps = (struct caps){ .global_ctrl = true,
                          .general_count = 4,
                          .general_counters = 0xf,
                          .lbr_counters = 0xf,
                          .reload_counters = 0xf,
                          .pebs_counters = 0xf,
                          .events = &every_event,
                          .debugctl = &core,
                          .pebs_method = PEBS_METHOD_GENERAL,
                          .lbr_from = 0x680,
                          .lbr_tos = 0x1c9 };
    machine_set(0x38f, 7);
    machine_set(0x186, 0x4300c0);
    machine_set(0x187, 0x4300c0);
    machine_set(0x3f1, 1);
    machine_set(0x3f5, 0x40);
    machine_set(0x1d9, 0x1);
}

/* The reasons in order: "2-5=9 ..", runs of needs of the same reason. */
static void are_missing(const char *ranges)
{
    char text[400] = "";
    size_t used = 0;

    for (unsigned need = 0; need < COUNT_OF(caps.reason); need++) {
        unsigned last = need;
        if (caps.reason[need] == CAPS_AVAILABLE)
            continue;
        while (last + 1 < COUNT_OF(caps.reason) && caps.reason[last + 1] == caps.reason[need])
            last++;
        used += (size_t)snprintf(text + used, sizeof text - used, "%u-%u=%u ", need, last, caps.reason[need]);
        need = last;
    }
    assert_string_equal(text, ranges);
}

static const char *range(unsigned first, unsigned last, enum caps_reason reason)
{
    static char texts[4][40];
    static unsigned next;
    char *const text = texts[next++ % 4];

    snprintf(text, 40, "%u-%u=%u ", first, last, (unsigned)reason);
    return text;
}

static const char *both(const char *a, const char *b, const char *c)
{
    static char text[120];

    snprintf(text, sizeof text, "%s%s%s", a, b, c);
    return text;
}

/* Nothing counts or records afterwards, and what holds what is written is as it was. */
static void all_hold(void **state)
{
    (void)state;
    start_registers();
    ds_probe_registers(&caps);
    are_missing("");
    assert_int_equal(caps.counters_taken, 0);
    machine_did("wrmsr 38f 0\nwrmsr 186 0\nwrmsr c1 0\n"
                "wrmsr 186 0\nwrmsr c1 2aaaaaaa\nwrmsr c1 0\nwrmsr 187 0\nwrmsr c2 2aaaaaaa\nwrmsr c2 0\n"
                "wrmsr 188 0\nwrmsr c3 2aaaaaaa\nwrmsr c3 0\nwrmsr 189 0\nwrmsr c4 2aaaaaaa\nwrmsr c4 0\n"
                "wrmsr 1d9 0\nwrmsr 1d9 1000\nwrmsr 1d9 0\nwrmsr 3f5 0\nwrmsr 3f1 0\n");
}

static void some_raise(void **state)
{
    const char *const counters = range(CAPS_NEED_PERFMON, CAPS_NEED_FREEZE_COUNTERS, CAPS_GLOBAL_CTRL_RAISES_GP);
    const char *const others = range(CAPS_NEED_LBR_EVENTS, CAPS_NEED_COUNTER_RELOAD, CAPS_GLOBAL_CTRL_RAISES_GP);

    (void)state;
    start_registers();
    machine_refuse(0x38f);
    ds_probe_registers(&caps);
    are_missing(both(counters, range(CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, CAPS_GLOBAL_CTRL_RAISES_GP), others));
    start_registers();
    machine_refuse(0x38f);
    caps.pebs_method = PEBS_METHOD_NETBURST; /* whose counters are others */
    ds_probe_registers(&caps);
    are_missing(both(counters, others, ""));
    start_registers();
    machine_refuse(0x38f);
    caps.global_ctrl = false;
    ds_probe_registers(&caps);
    are_missing("");
    for (unsigned i = 0; i < 2; i++) {
        start_registers();
        machine_refuse(i ? 0x186 : 0xc1);
        ds_probe_registers(&caps);
        are_missing(both(range(CAPS_NEED_PERFMON, CAPS_NEED_FREEZE_COUNTERS, CAPS_COUNTER_RAISES_GP),
                         range(CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, CAPS_COUNTER_RAISES_GP),
                         range(CAPS_NEED_LBR_EVENTS, CAPS_NEED_COUNTER_RELOAD, CAPS_COUNTER_RAISES_GP)));
        start_registers();
        machine_refuse(i ? 0x186 : 0xc1);
        caps.general_count = 0;
        caps.reason[CAPS_NEED_PERFMON] = CAPS_PERFMON_NONE; /* which goes on */
        ds_probe_registers(&caps);
        are_missing(range(CAPS_NEED_PERFMON, CAPS_NEED_PERFMON, CAPS_PERFMON_NONE));
    }
    start_registers();
    machine_refuse(0x1d9);
    ds_probe_registers(&caps);
    are_missing(both(range(CAPS_NEED_FREEZE, CAPS_NEED_FREEZE_COUNTERS, CAPS_FREEZE_DEBUGCTL_RAISES_GP),
                     range(CAPS_NEED_BTS, CAPS_NEED_BTS_PREDICTED, CAPS_BTS_DEBUGCTL_RAISES_GP), ""));
    for (unsigned i = 0; i < 2; i++) { /* which one of them wants */
        start_registers();
        machine_refuse(0x1d9);
        caps.reason[i ? CAPS_NEED_BTS : CAPS_NEED_FREEZE] = CAPS_NO_FREEZE;
        ds_probe_registers(&caps);
        assert_int_equal(caps.reason[CAPS_NEED_FREEZE], i ? CAPS_FREEZE_DEBUGCTL_RAISES_GP : CAPS_NO_FREEZE);
        assert_int_equal(caps.reason[CAPS_NEED_BTS], i ? CAPS_NO_FREEZE : CAPS_BTS_DEBUGCTL_RAISES_GP);
    }
    start_registers();
    machine_refuse(0x1d9);
    caps.reason[CAPS_NEED_BTS] = caps.reason[CAPS_NEED_FREEZE] = CAPS_NO_FREEZE; /* nobody wants it */
    ds_probe_registers(&caps);
    are_missing(both(range(CAPS_NEED_FREEZE, CAPS_NEED_FREEZE, CAPS_NO_FREEZE),
                     range(CAPS_NEED_BTS, CAPS_NEED_BTS, CAPS_NO_FREEZE), ""));
    start_registers();
    machine_refuse(0x3f5);
    ds_probe_registers(&caps);
    are_missing(range(CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, CAPS_PEBS_INDEX_RAISES_GP));
    start_registers();
    machine_refuse(0x3f5);
    caps.reason[CAPS_NEED_PEBS_ARCH] = CAPS_NO_FREEZE;
    machine_refuse(0x3f1);
    ds_probe_registers(&caps);
    assert_int_equal(caps.reason[CAPS_NEED_PEBS], CAPS_PEBS_ENABLE_RAISES_GP);
    assert_int_equal(caps.reason[CAPS_NEED_EVENT_ANY], CAPS_PEBS_ENABLE_RAISES_GP);
    start_registers();
    machine_refuse(0x3f1);
    caps.reason[CAPS_NEED_PEBS_AREA] = CAPS_NO_FREEZE;
    ds_probe_registers(&caps);
    are_missing(range(CAPS_NEED_PEBS_AREA, CAPS_NEED_PEBS_AREA, CAPS_NO_FREEZE));
    for (unsigned i = 0; i < 2; i++) {
        start_registers();
        machine_refuse(i ? 0x680 : 0x1c9);
        ds_probe_registers(&caps);
        are_missing(range(CAPS_NEED_LBR, CAPS_NEED_LBR_EVENTS, CAPS_LBR_STACK_RAISES_GP));
    }
    start_registers();
    machine_refuse(0);
    caps.lbr_tos = 0; /* there is none */
    ds_probe_registers(&caps);
    are_missing("");
    start_registers();
    machine_refuse(0x680);
    caps.reason[CAPS_NEED_LBR] = CAPS_NO_FREEZE;
    ds_probe_registers(&caps);
    are_missing(range(CAPS_NEED_LBR, CAPS_NEED_LBR, CAPS_NO_FREEZE));
}

/* The bit alone raises #GP, or the register is read-only. */
static bool no_freeze(uint32_t msr, uint64_t value)
{
    return (msr == 0x1d9 && value & 1 << 12) || ((msr == 0x3f1 || msr == 0x3f5) && deaf == msr);
}

static void bits_raise(void **state)
{
    (void)state;
    deaf = 0;
    start_registers();
    machine.refuses = no_freeze;
    ds_probe_registers(&caps);
    are_missing(range(CAPS_NEED_FREEZE_COUNTERS, CAPS_NEED_FREEZE_COUNTERS, CAPS_FREEZE_COUNTERS_RAISES_GP));
    start_registers();
    machine.refuses = no_freeze;
    caps.reason[CAPS_NEED_FREEZE] = CAPS_NO_FREEZE;
    ds_probe_registers(&caps);
    are_missing(range(CAPS_NEED_FREEZE, CAPS_NEED_FREEZE, CAPS_NO_FREEZE));
    for (unsigned i = 0; i < 2; i++) {
        start_registers();
        deaf = i ? 0x3f1 : 0x3f5;
        machine.refuses = no_freeze;
        caps.reason[CAPS_NEED_FREEZE] = CAPS_NO_FREEZE;
        ds_probe_registers(&caps);
        assert_int_equal(caps.reason[CAPS_NEED_PEBS], i ? CAPS_PEBS_ENABLE_RAISES_GP : CAPS_PEBS_INDEX_RAISES_GP);
    }
}

static unsigned stuck; /* which counters hold what somebody else wants: of the first value that is tried, of both */

static void write_stuck(uint32_t msr, uint64_t value)
{
    if (msr == 0xc2 && (stuck == 2 || value == 0x2aaaaaaa))
        machine_set(msr, 0x777);
}

/* A counter that somebody else uses differs with both values; one alone may be a count. */
static void counters_taken(void **state)
{
    (void)state;
    for (stuck = 1; stuck <= 2; stuck++) {
        start_registers();
        machine.write = write_stuck;
        ds_probe_registers(&caps);
        assert_int_equal(caps.counters_taken, stuck == 2 ? 2 : 0);
        assert_int_equal(caps.general_counters, stuck == 2 ? 0xd : 0xf);
        assert_int_equal(msr_get(0x187), 0);
    }
    start_registers();
    machine_refuse(0xc2); /* is no such counter */
    ds_probe_registers(&caps);
    assert_int_equal(caps.counters_taken, 0);
    start_registers();
    machine.write = write_stuck;
    caps.reason[CAPS_NEED_PERFMON] = CAPS_PERFMON_NONE;
    ds_probe_registers(&caps);
    assert_int_equal(caps.counters_taken, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),     cmocka_unit_test(leaves_end), cmocka_unit_test(conditions),
        cmocka_unit_test(fixed_counters), cmocka_unit_test(microcode),  cmocka_unit_test(tried),
        cmocka_unit_test(all_hold),       cmocka_unit_test(some_raise), cmocka_unit_test(bits_raise),
        cmocka_unit_test(counters_taken),
    };

    return cmocka_run_group_tests_name("kernel_probing", tests, NULL, NULL);
}

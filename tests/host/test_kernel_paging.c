/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of its pages and ports (arch/x86/paging_test.c), on a machine of variables: they try each kind of
 * access to each part of memory, and report the one that is allowed or refused in the wrong way.
 */
#include "tests/host/host_test.h"

#include "arch/x86/paging_test.c"
#include "tests/host/machine/machine.h"

/* The parts of the image that the machine does not have, 64 bytes each, and what lies behind it. */
__asm__(
    ".data\n.globl rodata_start, rodata_end, data_start, ds_start, ds_end, user_data_start, user_data_end\n"
    ".globl symbols_start, symbols_end, stack_bottom, stack_top, data_end, image_end\n"
    "rodata_start: .zero 64\nrodata_end: data_start: .zero 64\nds_start: .zero 64\nds_end: user_data_start: .zero 64\n"
    "user_data_end: stack_bottom: .zero 64\nstack_top: .zero 64\ndata_end: symbols_start: .zero 64\nsymbols_end:\n"
    "image_end: .zero 4096\n.bss\n.globl stack_guard\nstack_guard: .zero 4096\n.text");

static uint8_t low[PAGE_SIZE], of_test[PAGE_SIZE];
static bool no_low_page;

uintptr_t memory_low_page(void)
{
    return no_low_page ? 0 : (uintptr_t)low;
}

void *memory_block(size_t size)
{
    assert_int_equal(size, PAGE_SIZE);
    return of_test;
}

/* What the pages allow: at CPL 0 and 3, in the order read, write, execute. */
static const struct truth {
    const char *name;
    uint8_t *start, *end;
    bool present, kernel[3], user[3];
} truths[] = {
    { "the null page", NULL, NULL, false, { 0, 0, 0 }, { 0, 0, 0 } },
    { "low memory", low, low + PAGE_SIZE, true, { 1, 1, 0 }, { 0, 0, 0 } },
    { "the kernel's code", text_start, text_end, true, { 1, 0, 1 }, { 0, 0, 0 } },
    { "code of CPL 3", user_start, user_end, true, { 1, 0, 1 }, { 1, 0, 1 } },
    { "read-only data", rodata_start, rodata_end, true, { 1, 0, 0 }, { 0, 0, 0 } },
    { "data", data_start, ds_start, true, { 1, 1, 0 }, { 0, 0, 0 } },
    { "the DS area", ds_start, ds_end, true, { 1, 1, 0 }, { 0, 0, 0 } },
    { "data of CPL 3", user_data_start, user_data_end, true, { 1, 1, 0 }, { 1, 1, 0 } },
    { "the guard page", stack_guard, stack_guard + PAGE_SIZE, false, { 0, 0, 0 }, { 0, 0, 0 } },
    { "the stack", stack_bottom, stack_top, true, { 1, 1, 0 }, { 0, 0, 0 } },
    { "zeroed data", stack_top, data_end, true, { 1, 1, 0 }, { 0, 0, 0 } },
    { "the symbol table", symbols_start, symbols_end, true, { 1, 0, 0 }, { 0, 0, 0 } },
    { "a page behind the image", image_end, image_end + PAGE_SIZE, true, { 1, 1, 0 }, { 0, 0, 0 } },
    { "memory of a test", of_test, of_test + PAGE_SIZE, true, { 1, 1, 0 }, { 0, 0, 0 } },
};
#define PARTS COUNT_OF(truths)

static struct test_run run;
static struct caps caps;
static uintptr_t cr4;
static bool user;
static unsigned tried[PARTS][2][3][3]; /* part, CPL 3, access; where: first byte, last byte, elsewhere */

/* Where the machine is wrong, and what it does there. */
static struct {
    unsigned part, access;
    bool here, user, allows, refuses;
    unsigned vector;
    uintptr_t error_code, address; /* added to them */
} wrong;

static uintptr_t cr2;
uintptr_t cr2_read(void)
{
    return cr2;
}

uintptr_t cr4_read(void)
{
    return cr4;
}

void attempt_over(void)
{
}

void attempt_user_over(void)
{
}

static void raise(unsigned vector, uintptr_t error_code)
{
    struct interrupt_frame frame = { .vector = vector, .error_code = error_code, .cs = user ? 0x23 : 0x08, .ip = 1 };
    assert_non_null(machine.handlers[vector]);
    machine.handlers[vector](&frame);
    assert_int_equal(frame.ip, user ? (uintptr_t)attempt_user_over : (uintptr_t)attempt_over);
}

uintptr_t attempt_address, attempt_value;

static const struct truth *part_of(uintptr_t address)
{
    unsigned i = 1;
    if (address < PAGE_SIZE)
        return &truths[0];
    while (i < PARTS && (address < (uintptr_t)truths[i].start || address >= (uintptr_t)truths[i].end))
        i++;
    return i < PARTS ? &truths[i] : NULL;
}

static char elsewhere[200]; /* accesses outside the parts */

static void access_at(unsigned access)
{
    const struct truth *part = part_of(attempt_address);
    const size_t used = strlen(elsewhere);
    const bool nx = caps.nx && cr4 & 0x20;
    bool allowed = part == NULL && attempt_address >> 16 <= 0xffff; /* the first 4 GiB */
    uintptr_t error = (user ? 4 : 0) | (access == WRITE ? 2 : 0) | (access == EXECUTE && nx ? 16 : 0);

    if (!part)
        snprintf(elsewhere + used, sizeof elsewhere - used, "%u at %u: %llx\n", access, user ? 3 : 0,
                 (unsigned long long)attempt_address);
    if (part) {
        const unsigned i = (unsigned)(part - truths);
        const uintptr_t start = i ? (uintptr_t)part->start : 0, last = i ? (uintptr_t)part->end - 1 : PAGE_SIZE - 1;
        const bool here = wrong.here && wrong.part == i && wrong.access == access && wrong.user == user;
        tried[i][user][access][attempt_address == start ? 0 : attempt_address == last ? 1 : 2]++;
        allowed = (user ? part->user : part->kernel)[access];
        if (access == EXECUTE && !nx)
            allowed = (user ? part->user : part->kernel)[READ];
        error |= part->present;
        if (part->present && access == EXECUTE)
            assert_int_equal(*(const uint8_t *)attempt_address, 0xc3); /* RET */
        if (allowed && access == WRITE)
            assert_int_equal(*(const uint8_t *)attempt_address, attempt_value);
        if (here && wrong.allows)
            return;
        if (here && (wrong.vector || wrong.refuses || wrong.error_code || wrong.address)) {
            cr2 = attempt_address + wrong.address;
            raise(wrong.vector ? wrong.vector : 14, error + wrong.error_code);
            return;
        }
    }
    if (!allowed) {
        cr2 = attempt_address;
        raise(14, error);
    }
}

#define ATTEMPT(name, access)      \
    void attempt_##name(void)      \
    {                              \
        assert_false(user);        \
        access_at(access);         \
    }                              \
    void attempt_user_##name(void) \
    {                              \
        assert_true(user);         \
        access_at(access);         \
    }
ATTEMPT(read, READ)
ATTEMPT(write, WRITE)
ATTEMPT(execute, EXECUTE)

void user_call(void (*function)(void))
{
    user = true;
    function();
    user = false;
}

static uint8_t before[PARTS][PAGE_SIZE];

/* Bytes without a RET, but for code, whose RET is neither its first nor its last byte. */
static void start(void)
{
    machine_start();
    caps = (struct caps){ .nx = true };
    cr4 = 0x20;
    no_low_page = false;
    memset(&wrong, 0, sizeof wrong);
    memset(tried, 0, sizeof tried);
    run = (struct test_run){ .caps = &caps };
    for (unsigned i = 1; i < PARTS; i++) {
        const size_t size = (size_t)(truths[i].end - truths[i].start);
        memset(truths[i].start, (int)(0x10 + i), size);
        if (!truths[i].kernel[WRITE] && truths[i].present)
            truths[i].start[size / 2] = 0xc3;
        memcpy(before[i], truths[i].start, size);
    }
}

static void expect_as_before(void)
{
    for (unsigned i = 1; i < PARTS; i++)
        assert_memory_equal(truths[i].start, before[i], (size_t)(truths[i].end - truths[i].start));
    assert_null(machine.handlers[13]);
    assert_null(machine.handlers[14]);
}

static void expect_tried(unsigned part, bool once)
{
    for (unsigned level = 0; level < 2; level++) {
        const struct truth *t = &truths[part];
        for (enum access access = READ; access <= WRITE; access++) {
            assert_int_equal(tried[part][level][access][0], once);
            assert_int_equal(tried[part][level][access][1], once);
            assert_int_equal(tried[part][level][access][2], 0);
        }
        /* A RET is put at the start; where none can be, it is found, and of an absent part the last byte is tried. */
        for (unsigned where = 0; where < 3; where++)
            assert_int_equal(tried[part][level][EXECUTE][where], once && where == (!t->present        ? 1u
                                                                                   : t->kernel[WRITE] ? 0u
                                                                                                      : 2u));
    }
}

static void rights_right(void **state)
{
    static const struct {
        bool nx;
        uintptr_t cr4;
    } kinds[] = { { true, 0x20 }, { false, 0x20 }, { true, ~(uintptr_t)0x20 } };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(kinds); i++) {
        start();
        caps.nx = kinds[i].nx;
        cr4 = kinds[i].cr4;
        selftest_pages_rights.run(&run);
        machine_did("");
        for (unsigned part = 0; part < PARTS; part++)
            expect_tried(part, true);
        expect_as_before();
    }
    start();
    no_low_page = true;
    selftest_pages_rights.run(&run);
    machine_did("");
    expect_tried(0, true);
    expect_tried(1, false);
    expect_tried(2, true);
}

/* Each access to each part at each level: allowed where it must not be, refused where it must be allowed. */
static void rights_wrong(void **state)
{
    static const char *const accesses[] = { "read", "write", "execution" };
    (void)state;
    for (unsigned i = 0; i < PARTS * 6; i++) {
        const struct truth *t = &truths[i / 6];
        const unsigned access = i % 3, level = i / 3 % 2;
        const bool allowed = (level ? t->user : t->kernel)[access];
        const uintptr_t first = i < 6 ? 0 : (uintptr_t)t->start, last = i < 6 ? PAGE_SIZE - 1 : (uintptr_t)t->end - 1;
        const uintptr_t ret = !t->present ? last : t->kernel[WRITE] ? first : first + (last + 1 - first) / 2;
        const unsigned error = (t->present ? 1u : 0) | (level ? 4 : 0) |
                               (access == WRITE     ? 2
                                : access == EXECUTE ? 16
                                                    : 0);
        char lines[400] = "", *end = lines;
        start();
        wrong.here = true;
        wrong.part = i / 6;
        wrong.access = access;
        wrong.user = level;
        wrong.allows = !allowed;
        wrong.refuses = allowed;
        selftest_pages_rights.run(&run);
        for (unsigned n = 0; n < (access == EXECUTE ? 1 : 2); n++) {
            end += sprintf(end, "wrong: %s, %s of 0x%llx at CPL %u", t->name, accesses[access],
                           (unsigned long long)(access == EXECUTE ? ret
                                                : n               ? last
                                                                  : first),
                           level ? 3 : 0);
            end += allowed ? sprintf(end, ": vector 14, error code 0x%x, must be allowed\n", error)
                           : sprintf(end, " is allowed, must be a page fault\n");
        }
        machine_found(lines);
        expect_as_before();
    }
}

/* A refusal is a page fault with this error code, and the address in CR2. */
static void faults_wrong(void **state)
{
    char line[200];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        start();
        wrong.here = true;
        wrong.part = 2;
        wrong.access = EXECUTE;
        wrong.user = true;
        wrong.vector = i == 0 ? 13 : 0;
        wrong.error_code = i == 1 ? 8 : 0;
        wrong.address = i == 2 ? 1 : 0;
        selftest_pages_rights.run(&run);
        snprintf(
            line, sizeof line,
            "wrong: the kernel's code, execution of 0x%llx at CPL 3: vector %u, error code 0x%x, must be 14 and 0x15\n",
            (unsigned long long)(uintptr_t)text_start + 1024, i == 0 ? 13u : 14u, i == 1 ? 0x1du : 0x15u);
        machine_found(line);
    }
}

/* A RET is looked for in every byte; where there is none and none can be put, that is said. */
static void no_ret(void **state)
{
    (void)state;
    start();
    memset(rodata_start, 0x90, 64);
    rodata_start[0] = 0xc3;
    memset(symbols_start, 0x90, 64);
    symbols_start[63] = 0xc3;
    selftest_pages_rights.run(&run);
    machine_found("");
    assert_int_equal(tried[4][0][EXECUTE][0], 1);
    assert_int_equal(tried[11][1][EXECUTE][1], 1);
    rodata_start[0] = 0x90;
    selftest_pages_rights.run(&run);
    machine_found(
        "wrong: read-only data has no byte 0xc3 to execute\nwrong: read-only data has no byte 0xc3 to execute\n");
    low[100] = 0xc3; /* one that is there is taken as it is */
    selftest_pages_rights.run(&run);
    machine_found(
        "wrong: read-only data has no byte 0xc3 to execute\nwrong: read-only data has no byte 0xc3 to execute\n");
    assert_int_equal(tried[1][0][EXECUTE][2], 1);
}

/* ---- the rest of the address space ------------------------------------------------------------------------------- */

static uint64_t device_first, device_last, uncached;
static uint64_t pages(uint64_t linear)
{
    return linear >= device_first && linear <= device_last ? 1 | uncached : 1;
}

/* The APIC is at FEE00000H, in a page of 2 MiB, or of 4 MiB where PAE is off. */
static void limits_wrong(void **state)
{
    static const struct {
        uintptr_t cr4;
        uint64_t first, last, uncached;
        const char *found;
    } rows[] = {
        { 0x20, 0xfee00000, 0xfeffffff, 0x18, "" },
        { 0, 0xfec00000, 0xfeffffff, 0x18, "" },
        { 0x20, 0xfee00001, 0xfeffffff, 0x18,
          "wrong: the page table's entry for 0xfee00000 is 0xfee00001: must be uncached (PCD and PWT)\n" },
        { 0x20, 0xfee00000, 0xfefffffe, 0x18,
          "wrong: the page table's entry for 0xfeffffff is 0xfefff001: must be uncached (PCD and PWT)\n" },
        { 0x20, 0xfedfffff, 0xfeffffff, 0x18,
          "wrong: the page table's entry for 0xfedfffff is 0xfedff019: must be cached\n" },
        { 0x20, 0xfee00000, 0xff000000, 0x18,
          "wrong: the page table's entry for 0xff000000 is 0xff000019: must be cached\n" },
        { 0x20, 0xfee00000, 0xfeffffff, 0x10,
          "wrong: the page table's entry for 0xfee00000 is 0xfee00011: must be uncached (PCD and PWT)\n"
          "wrong: the page table's entry for 0xfeffffff is 0xfefff011: must be uncached (PCD and PWT)\n" },
        { 0x20, 0xfee00000, 0xfeffffff, 0x08,
          "wrong: the page table's entry for 0xfee00000 is 0xfee00009: must be uncached (PCD and PWT)\n"
          "wrong: the page table's entry for 0xfeffffff is 0xfefff009: must be uncached (PCD and PWT)\n" },
        { 0, 0xfee00000, 0xfeffffff, 0x18,
          "wrong: the page table's entry for 0xfec00000 is 0xfec00001: must be uncached (PCD and PWT)\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        cr4 = rows[i].cr4;
        device_first = rows[i].first;
        device_last = rows[i].last;
        uncached = rows[i].uncached;
        machine.pages = pages;
        elsewhere[0] = 0;
        selftest_pages_limits.run(&run);
        machine_found(rows[i].found);
        assert_null(machine.handlers[14]);
        assert_string_equal(elsewhere,
                            sizeof(void *) == 8
                                ? "0 at 0: 1000\n0 at 0: ffffffff\n0 at 0: 100000000\n0 at 0: fffffffffffff000\n"
                                : "0 at 0: 1000\n0 at 0: ffffffff\n");
    }
    start();
    machine.page = 0; /* not present */
    expect_cached(&run, 0x5000, true);
    machine_found("wrong: the page table's entry for 0x5000 is 0x5000: must be cached\n");
}

/* Reads of the first page after the null page, and of the first 4 GiB's last byte; 64-bit, of those around the rest. */
static void reads_wrong(void **state)
{
    (void)state;
    start();
    set_handlers(catch);
    expect_read(&run, 0x1000, NO_EXCEPTION);
    expect_read(&run, 0, 14);
    machine_found("");
    expect_read(&run, 0x1000, 14);
    machine_found("wrong: a read of 0x1000: vector 256, must be 14\n");
    expect_read(&run, 0, NO_EXCEPTION);
    machine_found("wrong: a read of 0x0: vector 14, must be 256\n");
}

/* ---- ports ------------------------------------------------------------------------------------------------------- */

static unsigned port_tries[2][0x10000];
static struct {
    unsigned out, port, vector;
    uintptr_t error_code;
    bool here;
} port_wrong;

static void use_port(unsigned out)
{
    const bool here = port_wrong.here && port_wrong.out == out && port_wrong.port == attempt_address;
    assert_true(user);
    port_tries[out][attempt_address]++;
    if (!here || port_wrong.vector)
        raise(here ? port_wrong.vector : 13, here ? port_wrong.error_code : 0);
}

void attempt_user_in(void)
{
    use_port(0);
}

void attempt_user_out(void)
{
    use_port(1);
}

static void ports_wrong(void **state)
{
    static const struct {
        unsigned out, port, vector;
        uintptr_t error_code;
        const char *found;
    } rows[] = {
        { 0, 0, 0, 0, "wrong: IN of port 0x0 at CPL 3: vector 256, error code 0x0, must be 13 and 0x0\n" },
        { 1, 0x3ff, 0, 0, "wrong: OUT of port 0x3ff at CPL 3: vector 256, error code 0x0, must be 13 and 0x0\n" },
        { 0, 0xffff, 14, 0, "wrong: IN of port 0xffff at CPL 3: vector 14, error code 0x0, must be 13 and 0x0\n" },
        { 1, 0x80, 13, 8, "wrong: OUT of port 0x80 at CPL 3: vector 13, error code 0x8, must be 13 and 0x0\n" },
    };
    (void)state;
    start();
    memset(port_tries, 0, sizeof port_tries);
    selftest_ports.run(&run);
    machine_did("");
    for (unsigned port = 0; port < 0x10000; port++)
        for (unsigned out = 0; out < 2; out++)
            assert_int_equal(port_tries[out][port], port < 0x400 || port == 0xffff);
    expect_as_before();
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        raised.error_code = 0;
        port_wrong.here = true;
        port_wrong.out = rows[i].out;
        port_wrong.port = rows[i].port;
        port_wrong.vector = rows[i].vector;
        port_wrong.error_code = rows[i].error_code;
        selftest_ports.run(&run);
        machine_found(rows[i].found);
    }
    assert_true(selftest_ports.on_request && selftest_pages_limits.on_request && selftest_pages_rights.on_request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rights_right), cmocka_unit_test(rights_wrong), cmocka_unit_test(faults_wrong),
        cmocka_unit_test(no_ret),       cmocka_unit_test(limits_wrong), cmocka_unit_test(reads_wrong),
        cmocka_unit_test(ports_wrong),
    };
    return cmocka_run_group_tests_name("kernel_paging", tests, NULL, NULL);
}

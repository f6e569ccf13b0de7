/* SPDX-License-Identifier: MIT */
/*
 * The access rights of each part of memory: the test tries each kind of access at CPL 0 and CPL 3, to the first and
 * last byte of each part. Ports: every access at CPL 3 is refused.
 */
#include "arch/x86/paging.h"

#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/interrupts.h"
#include "kernel/memory.h"
#include "kernel/test.h"
#include "suite/support/sources.h"
#include "suite/workload/attempts.h"

#define CR4_PAE (1u << 5)

#define RET 0xc3u

/* SDM Vol. 3A (253668-081), "Interrupt 14--Page-Fault Exception (#PF)", the error code. */
#define ERROR_PRESENT (1u << 0)
#define ERROR_WRITE   (1u << 1)
#define ERROR_USER    (1u << 2)
#define ERROR_FETCH   (1u << 4) /* only if pages can forbid execution */

#define NO_EXCEPTION 256u

enum access { READ, WRITE, EXECUTE, ACCESSES };

static const struct attempt {
    const char *name;
    void (*at_0)(void);
    void (*at_3)(void);
    uintptr_t error; /* bits of the error code */
} attempts[ACCESSES] = {
    { "read", attempt_read, attempt_user_read, 0 },
    { "write", attempt_write, attempt_user_write, ERROR_WRITE },
    { "execution", attempt_execute, attempt_user_execute, ERROR_FETCH },
};

/* The last exception; NO_EXCEPTION: there was none. */
static struct {
    unsigned vector;
    uintptr_t error_code, address;
} raised;

static void catch (struct interrupt_frame *frame)
{
    raised.vector = (unsigned)frame->vector;
    raised.error_code = frame->error_code;
    raised.address = cr2_read();
    frame->ip = frame->cs & 3 ? (uintptr_t)attempt_user_over : (uintptr_t)attempt_over;
}

static void set_handlers(interrupt_handler *handler)
{
    interrupt_set(VECTOR_GENERAL_PROTECTION, handler);
    interrupt_set(VECTOR_PAGE_FAULT, handler);
}

static void attempt(void (*at_0)(void), void (*at_3)(void), unsigned cpl, uintptr_t address, uint8_t value)
{
    raised.vector = NO_EXCEPTION;
    attempt_address = address;
    attempt_value = value;
    if (cpl == 0)
        at_0();
    else
        user_call(at_3);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Rights. PRESENT allows reads from CPL 0, W writes, X execution, USER the same from CPL 3. */
#define ABSENT  0u
#define PRESENT 1u
#define W       2u
#define X       4u
#define USER    8u

struct part {
    const char *name;
    uintptr_t start, last; /* first and last byte */
    unsigned rights;
};

static bool can_forbid_execution(const struct test_run *run)
{
    return run->caps->nx && cr4_read() & CR4_PAE;
}

/* Tries an access, and compares the exception with the one that the part's rights demand. */
static void check(struct test_run *run, const struct part *part, enum access access, unsigned cpl, uintptr_t address)
{
    const bool nx = can_forbid_execution(run);
    const bool allowed = part->rights & PRESENT && (cpl == 0 || part->rights & USER) &&
                         (access != WRITE || part->rights & W) && (access != EXECUTE || part->rights & X || !nx);
    const uintptr_t error = (part->rights & PRESENT ? ERROR_PRESENT : 0) | (cpl ? ERROR_USER : 0) |
                            (access == EXECUTE && !nx ? 0 : attempts[access].error);
    const unsigned vector = allowed ? NO_EXCEPTION : VECTOR_PAGE_FAULT;

    attempt(attempts[access].at_0, attempts[access].at_3, cpl, address,
            part->rights & W ? *(const volatile uint8_t *)address : 0);
    if (raised.vector != vector || (!allowed && (raised.error_code != error || raised.address != address)))
        test_fail(run,
                  "%s, %s of 0x%llx at CPL %u: vector %u (256: none), error code 0x%x, CR2 0x%llx; must be %u and 0x%x",
                  part->name, attempts[access].name, (unsigned long long)address, cpl, raised.vector,
                  (unsigned)raised.error_code, (unsigned long long)raised.address, vector, (unsigned)error);
}

/* The address of a RET in the part; 0 if there is none. */
static uintptr_t find_ret(const struct part *part)
{
    for (uintptr_t at = part->start; at <= part->last; at++)
        if (*(const volatile uint8_t *)at == RET)
            return at;
    return 0;
}

/* Executes a RET in the part. If it has none and is writable, writes one first. */
static void check_execution(struct test_run *run, const struct part *part, unsigned cpl)
{
    uintptr_t at = part->rights & PRESENT ? find_ret(part) : part->last;
    const bool plant = !at && part->rights & W;
    uint8_t before = 0;

    if (plant) {
        at = part->start;
        before = *(volatile uint8_t *)at;
        *(volatile uint8_t *)at = RET;
    }
    if (at)
        check(run, part, EXECUTE, cpl, at);
    else
        test_fail(run, "%s has no byte 0x%x to execute", part->name, RET);
    if (plant)
        *(volatile uint8_t *)at = before;
}

static void check_part(struct test_run *run, const struct part *part)
{
    for (unsigned cpl = 0; cpl <= 3; cpl += 3) {
        for (enum access access = READ; access <= WRITE; access++) {
            check(run, part, access, cpl, part->start);
            check(run, part, access, cpl, part->last);
        }
        check_execution(run, part, cpl);
    }
}

#define BYTES(start, end) (uintptr_t)(start), (uintptr_t)(end)-1

static void rights(struct test_run *run)
{
    const uintptr_t low_page = memory_low_page(), block = (uintptr_t)memory_block(PAGE_SIZE);
    const struct part parts[] = {
        { "the null page", 0, PAGE_SIZE - 1, ABSENT },
        { "low memory", BYTES(low_page, low_page + PAGE_SIZE), PRESENT | W },
        { "the kernel's code", BYTES(text_start, text_end), PRESENT | X },
        { "code of CPL 3", BYTES(user_start, user_end), PRESENT | X | USER },
        { "read-only data", BYTES(rodata_start, rodata_end), PRESENT },
        { "data", BYTES(data_start, ds_start), PRESENT | W },
        { "the DS area", BYTES(ds_start, ds_end), PRESENT | W },
        { "data of CPL 3", BYTES(user_data_start, user_data_end), PRESENT | W | USER },
        { "the guard page", BYTES(stack_guard, stack_guard + PAGE_SIZE), ABSENT },
        { "the stack", BYTES(stack_bottom, stack_top), PRESENT | W },
        { "zeroed data", BYTES(stack_top, data_end), PRESENT | W },
        { "the symbol table", BYTES(symbols_start, symbols_end), PRESENT },
        { "the page after the image", BYTES(image_end, image_end + PAGE_SIZE), PRESENT | W },
        { "memory of a test", BYTES(block, block + PAGE_SIZE), PRESENT | W },
    };

    set_handlers(catch);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].start || parts[i].rights == ABSENT)
            check_part(run, &parts[i]);
    set_handlers(NULL);
}

TEST(selftest_pages_rights) = {
    .id = "selftest.pages.rights",
    .title = "Each part of memory allows, at CPL 0 and CPL 3, exactly the accesses that its pages allow",
    .source = OWN_PAGES,
    .on_request = true,
    .run = rights,
};

/* ---- the rest of the address space ------------------------------------------------------------------------------- */

#define FOUR_GIB (UINT64_C(1) << 32)

static void expect_read(struct test_run *run, uint64_t address, unsigned vector)
{
    attempt(attempt_read, attempt_user_read, 0, (uintptr_t)address, 0);
    if (raised.vector != vector)
        test_fail(run, "a read of 0x%llx: vector %u, must be %u", (unsigned long long)address, raised.vector, vector);
}

static void expect_cached(struct test_run *run, uint64_t address, bool cached)
{
    const uint64_t uncached = PAGE_CACHE_DISABLE | PAGE_WRITE_THROUGH;
    uint64_t entry = 0;

    if (!paging_lookup(address, &entry) || (entry & uncached) != (cached ? 0 : uncached))
        test_fail(run, "the page table's entry for 0x%llx is 0x%llx: must be %s", (unsigned long long)address,
                  (unsigned long long)entry, cached ? "cached" : "uncached (PCD and PWT)");
}

static void limits(struct test_run *run)
{
    const uint64_t large = cr4_read() & CR4_PAE ? UINT64_C(2) << 20 : UINT64_C(4) << 20;
    const uint64_t device = apic_address() & ~(large - 1);

    set_handlers(catch);
    expect_read(run, PAGE_SIZE, NO_EXCEPTION);
    expect_read(run, FOUR_GIB - 1, NO_EXCEPTION);
    if (sizeof(uintptr_t) == sizeof(uint64_t)) {
        expect_read(run, FOUR_GIB, VECTOR_PAGE_FAULT);
        expect_read(run, 0 - (uint64_t)PAGE_SIZE, VECTOR_PAGE_FAULT);
    }
    set_handlers(NULL);
    expect_cached(run, device, false);
    expect_cached(run, device + large - 1, false);
    expect_cached(run, device - 1, true);
    expect_cached(run, device + large, true);
}

TEST(selftest_pages_limits) = {
    .id = "selftest.pages.limits",
    .title = "Only the first 4 GiB are mapped, and only the local APIC's registers are uncached",
    .source = OWN_PAGES,
    .needs = NEED_APIC,
    .on_request = true,
    .run = limits,
};

/* ---- ports ------------------------------------------------------------------------------------------------------- */

/* The ports that an I/O bitmap inside the TSS would cover, and the last port. */
#define PORTS     0x400u
#define LAST_PORT 0xffffu

static void expect_refusal(struct test_run *run, const char *name, void (*code)(void), unsigned port)
{
    attempt(NULL, code, 3, port, 0);
    if (raised.vector != VECTOR_GENERAL_PROTECTION || raised.error_code)
        test_fail(run, "%s of port 0x%x at CPL 3: vector %u, error code 0x%x, must be 13 and 0x0", name, port,
                  raised.vector, (unsigned)raised.error_code);
}

static void ports(struct test_run *run)
{
    set_handlers(catch);
    for (unsigned port = 0; port <= PORTS; port++) {
        expect_refusal(run, "IN", attempt_user_in, port == PORTS ? LAST_PORT : port);
        expect_refusal(run, "OUT", attempt_user_out, port == PORTS ? LAST_PORT : port);
    }
    set_handlers(NULL);
}

TEST(selftest_ports) = {
    .id = "selftest.ports",
    .title = "IN and OUT at CPL 3 raise #GP for every port",
    .source = OWN_INTERRUPTS,
    .on_request = true,
    .run = ports,
};

/* SPDX-License-Identifier: MIT */
/*
 * The name of each vector in the report of an unexpected exception. Boots of selftest.exception.* and panic_twice
 * compare the report's other lines. Names: SDM Vol. 3A (253668-081), "Sources of Interrupts", table of protected-mode
 * exceptions and interrupts.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

FAKE(static uintptr_t, cr0_read, (void), 0)
FAKE(static uintptr_t, cr2_read, (void), 0)
FAKE(static uintptr_t, cr3_read, (void), 0)

#include "kernel/console.h"
#include "kernel/run_end.h"
#include "kernel/progress.h"
#include "kernel/runner.h"
#include "kernel/symbols.h"

static char said[4000];
static char trouble[400]; /* the text for the page */
static jmp_buf end;

FAKE_PRINTF(console_note, said, "", "\n")
FAKE_PRINTF(progress_trouble, trouble, "", "")
FAKE_VOID(progress_lines, (enum page_lines take), (void)0)
FAKE_VOID(runner_totals, (struct totals * totals), (void)0)
FAKE_VOID(run_end, (enum verdict verdict, const struct totals *totals), longjmp(end, 1))
FAKE(bool, symbol_find, (uint64_t address, const char **name, uint64_t *offset), *name = "somewhere", *offset = 1, true)

#include "kernel/panic.c"

static void expect(unsigned vector, const char *name)
{
    char want[200];
    struct interrupt_frame frame = { .vector = vector, .error_code = 0xe, .ip = 0x1234 };

    snprintf(want, sizeof want, "panic vector %u: %s, error code 0xe, at somewhere+0x1\n", vector, name);
    said[0] = trouble[0] = 0;
    panicked = false;
    if (!setjmp(end))
        panic_exception(&frame);
    assert_int_equal(strncmp(said, want, strlen(want)), 0);
    assert_int_equal(strncmp(want + strlen("panic "), trouble, strlen(trouble)), 0);
}

UNIT_TEST(each_vector_has_its_name)
{
    static const char *const wanted[] = {
        "divide error #DE",
        "debug #DB",
        "non-maskable interrupt",
        "breakpoint #BP",
        "overflow #OF",
        "BOUND range exceeded #BR",
        "invalid opcode #UD",
        "device not available #NM",
        "double fault #DF",
        NULL, /* coprocessor segment overrun, which no 486 or later raises */
        "invalid TSS #TS",
        "segment not present #NP",
        "stack-segment fault #SS",
        "general protection #GP",
        "page fault #PF",
        NULL,
        "x87 floating-point error #MF",
        "alignment check #AC",
        "machine check #MC",
        "SIMD floating-point exception #XM",
        "virtualization exception #VE",
        "control protection exception #CP",
    };

    for (unsigned vector = 0; vector < 256; vector++) {
        const char *name = vector < COUNT_OF(wanted) ? wanted[vector] : NULL;

        expect(vector, name ? name : vector < 32 ? "reserved exception" : "interrupt without a handler");
    }
}

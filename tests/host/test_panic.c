/* SPDX-License-Identifier: MIT */
/*
 * The report of an unexpected exception, for each vector. Names: SDM Vol. 3A (253668-081), "Sources of Interrupts",
 * table of protected-mode exceptions and interrupts.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

FAKE(static uintptr_t, cr0_read, (void), 0xc0)
FAKE(static uintptr_t, cr2_read, (void), 0xc2)
FAKE(static uintptr_t, cr3_read, (void), 0xc3)

#include "kernel/console.h"
#include "kernel/run_end.h"
#include "kernel/progress.h"
#include "kernel/runner.h"
#include "kernel/symbols.h"

static char said[4000];
static char trouble[400]; /* the text for the page */
static jmp_buf end;
static struct interrupt_frame *raises; /* the exception that finding a symbol raises */

FAKE_PRINTF(console_note, said, "", "\n")

FAKE_PRINTF(progress_trouble, trouble, "", "")

FAKE_VOID(progress_lines, (enum page_lines take), assert_int_equal(take, PAGE_LINES_LAST), strcat(said, "lines\n"))
FAKE_VOID(runner_totals, (struct totals * totals),
          *totals = (struct totals){ .pass = 1, .fail = 2, .skip = 3, .error = 4 })
FAKE_VOID(run_end, (enum verdict verdict, const struct totals *totals), assert_int_equal(verdict, VERDICT_PANIC),
          assert_true(totals->pass == 1 && totals->fail == 2 && totals->skip == 3 && totals->error == 4),
          longjmp(end, 1))

#include "kernel/panic.c"

bool symbol_find(uint64_t address, const char **name, uint64_t *offset)
{
    if (raises) {
        struct interrupt_frame *const frame = raises;

        raises = NULL;
        panic_exception(frame);
    }
    *name = "somewhere";
    *offset = address - 0x1000;
    return true;
}

static void expect(unsigned vector, const char *name)
{
    char want[1000];
    struct interrupt_frame frame = { .vector = vector, .error_code = 0xe, .ip = 0x1234, .cs = 0x8, .flags = 0x246 };
    const unsigned registers = 2 * (unsigned)sizeof(uintptr_t);

    for (unsigned n = 0; n < registers; n++)
        frame.registers[registers - 1 - n] = 0x100 + n;
    snprintf(want, sizeof want,
             "panic vector %u: %s, error code 0xe, at somewhere+0x234\n"
             "panic ax  0x100 cx  0x101 dx  0x102 bx  0x103\n"
             "panic sp  0x104 bp  0x105 si  0x106 di  0x107\n%s",
             vector, name,
             registers == 8 ? ""
                            : "panic r8  0x108 r9  0x109 r10 0x10a r11 0x10b\n"
                              "panic r12 0x10c r13 0x10d r14 0x10e r15 0x10f\n");
    strcat(want, "panic ip 0x1234 cs 0x8 flags 0x246\n"
                 "panic cr0 0xc0 cr2 0xc2 cr3 0xc3\n"
                 "lines\n"); /* the page shows them */
    said[0] = trouble[0] = 0;
    panicked = false;
    if (!setjmp(end))
        panic_exception(&frame);
    assert_string_equal(said, want);
    assert_int_equal(strncmp(said + strlen("panic "), trouble, strlen(trouble)), 0); /* the first line */
    assert_int_equal(said[strlen("panic ") + strlen(trouble)], '\n');
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

UNIT_TEST(an_exception_in_the_report_ends_it)
{
    struct interrupt_frame first = { .vector = 13, .ip = 0x1234 }, second = { .vector = 14, .ip = 0x5678 };

    said[0] = 0;
    panicked = false;
    raises = &second;
    if (!setjmp(end))
        panic_exception(&first);
    assert_string_equal(said, "panic vector 14 during another panic, ip 0x5678\nlines\n");
}

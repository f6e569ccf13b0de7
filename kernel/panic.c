/* SPDX-License-Identifier: MIT */
#include "kernel/panic.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "lib/format.h"
#include "kernel/console.h"
#include "kernel/run_end.h"
#include "kernel/progress.h"
#include "kernel/runner.h"
#include "kernel/symbols.h"

/* SDM Vol. 3A (253668-081), "Sources of Interrupts", table of protected-mode exceptions and interrupts. */
static const char *const names[VECTOR_EXCEPTIONS] = {
    [0] = "divide error #DE",
    [1] = "debug #DB",
    [2] = "non-maskable interrupt",
    [3] = "breakpoint #BP",
    [4] = "overflow #OF",
    [5] = "BOUND range exceeded #BR",
    [6] = "invalid opcode #UD",
    [7] = "device not available #NM",
    [8] = "double fault #DF",
    [10] = "invalid TSS #TS",
    [11] = "segment not present #NP",
    [12] = "stack-segment fault #SS",
    [13] = "general protection #GP",
    [14] = "page fault #PF",
    [16] = "x87 floating-point error #MF",
    [17] = "alignment check #AC",
    [18] = "machine check #MC",
    [19] = "SIMD floating-point exception #XM",
    [20] = "virtualization exception #VE",
    [21] = "control protection exception #CP",
};

/* Names by register number, without the letter for the width. */
static const char *const register_names[16] = { "ax", "cx", "dx",  "bx",  "sp",  "bp",  "si",  "di",
                                                "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

#define WHAT_SIZE 200u /* characters of the first line; a longer name of a function is cut */

static bool panicked;

void panic_exception(struct interrupt_frame *f)
{
    const char *name = f->vector < VECTOR_EXCEPTIONS ? names[f->vector] : "interrupt without a handler";
    const char *symbol = "?";
    uint64_t offset = 0;
    struct totals totals;
    char what[WHAT_SIZE];

    runner_totals(&totals);
    if (panicked) { /* a second exception, raised by this function */
        console_note("panic vector %u during another panic, ip 0x%" PRIxPTR, (unsigned)f->vector, f->ip);
        progress_lines(PAGE_LINES_LAST);
        run_end(VERDICT_PANIC, &totals);
    }
    panicked = true;
    symbol_find(f->ip, &symbol, &offset);
    format(what, sizeof what, "vector %u: %s, error code 0x%" PRIxPTR ", at %s+0x%" PRIx64, (unsigned)f->vector,
           name ? name : "reserved exception", f->error_code, symbol, offset);
    console_note("panic %s", what);
    progress_trouble("%s", what);
    for (unsigned n = 0; n < REGISTERS; n += 4) {
        const uintptr_t *r = &f->registers[REGISTERS - 1 - n];
        console_note("panic %-3s 0x%" PRIxPTR " %-3s 0x%" PRIxPTR " %-3s 0x%" PRIxPTR " %-3s 0x%" PRIxPTR,
                     register_names[n], r[0], register_names[n + 1], r[-1], register_names[n + 2], r[-2],
                     register_names[n + 3], r[-3]);
    }
    /* Last, because a page with few free rows shows the last lines. */
    console_note("panic ip 0x%" PRIxPTR " cs 0x%" PRIxPTR " flags 0x%" PRIxPTR, f->ip, f->cs, f->flags);
    console_note("panic cr0 0x%" PRIxPTR " cr2 0x%" PRIxPTR " cr3 0x%" PRIxPTR, cr0_read(), cr2_read(), cr3_read());
    progress_lines(PAGE_LINES_LAST);
    run_end(VERDICT_PANIC, &totals);
}

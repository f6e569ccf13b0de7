/* SPDX-License-Identifier: MIT */
#include "kernel/panic.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "kernel/console.h"
#include "kernel/finish.h"
#include "kernel/runner.h"
#include "kernel/symbols.h"

/* SDM Vol. 3A (253668), "Exceptions and Interrupts", table 6-1. */
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

static void registers(const char *a, uint64_t a_value, const char *b, uint64_t b_value, const char *c, uint64_t c_value,
                      const char *d, uint64_t d_value)
{
    console_note("panic %-6s 0x%016" PRIx64 " %-6s 0x%016" PRIx64 " %-6s 0x%016" PRIx64 " %-6s 0x%016" PRIx64, a,
                 a_value, b, b_value, c, c_value, d, d_value);
}

void panic_exception(struct interrupt_frame *f)
{
    static bool again;
    const char *name = f->vector < VECTOR_EXCEPTIONS ? names[f->vector] : "interrupt that nothing handles";
    const char *symbol = "?";
    uint64_t offset = 0;
    struct totals totals;

    if (again)
        finish(VERDICT_PANIC, &(struct totals){ 0 });
    again = true;
    symbol_find(f->rip, &symbol, &offset);
    console_note("panic vector %" PRIu64 ": %s, error code 0x%" PRIx64 ", at %s+0x%" PRIx64, f->vector,
                 name ? name : "reserved exception", f->error_code, symbol, offset);
    registers("rip", f->rip, "cs", f->cs, "rflags", f->rflags, "cr2", cr2_read());
    registers("rsp", f->rsp, "ss", f->ss, "cr3", cr3_read(), "rbp", f->rbp);
    registers("rax", f->rax, "rbx", f->rbx, "rcx", f->rcx, "rdx", f->rdx);
    registers("rsi", f->rsi, "rdi", f->rdi, "r8", f->r8, "r9", f->r9);
    registers("r10", f->r10, "r11", f->r11, "r12", f->r12, "r13", f->r13);
    registers("r14", f->r14, "r15", f->r15, "cr0", cr0_read(), "vector", f->vector);
    runner_totals(&totals);
    finish(VERDICT_PANIC, &totals);
}

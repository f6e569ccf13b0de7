/* SPDX-License-Identifier: MIT */
/* Receivers of interrupts and exceptions: a handler, a fixup, the APIC's count of strays, a panic's report. */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Replaces arch/x86/cpu.h, descriptors.h and msr.h. */
#define ARCH_X86_CPU_H
#define ARCH_X86_DESCRIPTORS_H
#define ARCH_X86_MSR_H

extern bool interrupts_allowed;

static struct {
    char ports[40];
    unsigned asked;           /* the vector that the APIC was asked about; 0: none */
    bool stray;               /* its answer */
    unsigned handled, panics; /* the last vector */
    bool described;
    unsigned gates; /* calls that build the gates */
    int paused;     /* the watch of registers, how often */
} machine;

static void port_write8(uint16_t port, uint8_t value)
{
    const size_t used = strlen(machine.ports);

    snprintf(machine.ports + used, sizeof machine.ports - used, "%x %x, ", port, value);
}

FAKE_STATIC_VOID(descriptors_init, (void), machine.described = true)
FAKE_STATIC_VOID(msr_watch_pause, (void), machine.paused++)
FAKE_STATIC_VOID(msr_watch_resume, (void), machine.paused--)
FAKE_STATIC_VOID(gates_init, (void), machine.gates++)
FAKE(static bool, is_stray, (unsigned vector), machine.asked = vector, machine.stray)

#include "arch/x86/interrupts.h"

void interrupt_dispatch(struct interrupt_frame *frame);
#include "arch/x86/interrupts.c"

/* Instructions at 1000H and 2000H that are fixed up. */
__asm__(
    ".section .rodata\n.globl fixups_start, fixups_end\n.balign 8\nfixups_start: .dc.a 0x1000, 0x1010, 0x2000, 0x2020\n"
    "fixups_end:\n.text");

static void panic(struct interrupt_frame *frame)
{
    machine.panics = (unsigned)frame->vector;
}

static void handle(struct interrupt_frame *frame)
{
    assert_int_equal(machine.paused, 1);
    machine.handled = (unsigned)frame->vector;
}

static uintptr_t dispatch(unsigned vector, uintptr_t ip)
{
    struct interrupt_frame frame = { .vector = vector, .ip = ip };

    machine.asked = machine.handled = machine.panics = 0;
    interrupt_dispatch(&frame);
    return frame.ip;
}

static void begin(void)
{
    memset(&machine, 0, sizeof machine);
    interrupts_init(panic);
    interrupts_set_stray(is_stray);
    for (unsigned vector = 0; vector < 256; vector++)
        interrupt_set(vector, NULL);
}

UNIT_TEST(the_old_controllers_are_masked)
{
    begin();
    assert_string_equal(machine.ports, "21 ff, a1 ff, ");
    assert_true(machine.described);
    assert_false(interrupts_allowed); /* until the APIC is initialized */
}

/*
 * Who gets an interrupt: its handler; the fixup of an instruction that caused #GP or #UD itself; the APIC, which is
 * queried only for its interrupts, and denies INT n; otherwise the panic. Here the APIC claims all but vector 34.
 */
UNIT_TEST(receivers)
{
    static const struct {
        unsigned vector;
        uintptr_t ip;
        bool has_handler;
        unsigned handled, asked, panics;
        uintptr_t goes_on;
    } rows[] = {
        { 0xe1, 0x3000, true, 0xe1, 0, 0, 0x3000 }, { 13, 0x1000, true, 13, 0, 0, 0x1000 },
        { 13, 0x1000, false, 0, 0, 0, 0x1010 },     { 6, 0x2000, false, 0, 0, 0, 0x2020 },
        { 13, 0x3000, false, 0, 0, 13, 0x3000 },    { 2, 0x1000, false, 0, 0, 2, 0x1000 },
        { 31, 0x3000, false, 0, 0, 31, 0x3000 },    { 32, 0x3000, false, 0, 32, 0, 0x3000 },
        { 255, 0x1000, false, 0, 255, 0, 0x1000 },  { 34, 0x3000, false, 0, 34, 34, 0x3000 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin();
        machine.stray = rows[i].vector != 34;
        if (rows[i].has_handler)
            interrupt_set(rows[i].vector, handle);
        assert_int_equal(dispatch(rows[i].vector, rows[i].ip), rows[i].goes_on);
        assert_int_equal(machine.handled, rows[i].handled);
        assert_int_equal(machine.asked, rows[i].asked);
        assert_int_equal(machine.panics, rows[i].panics);
    }
    interrupts_set_stray(NULL); /* before apic_init() */
    dispatch(33, 0x3000);
    assert_int_equal(machine.panics, 33);
}

/* Removes the handlers that a hung test left for exceptions. Others, and the NMI's, are the kernel's and stay. */
UNIT_TEST(handlers_of_exceptions_are_removed)
{
    begin();
    for (unsigned vector = 0; vector < 256; vector++)
        interrupt_set(vector, handle);
    machine.gates = 0;
    interrupts_recover();
    assert_int_equal(machine.gates, 1);
    for (unsigned vector = 0; vector < 256; vector++) {
        dispatch(vector, 0x3000);
        assert_int_equal(machine.panics, vector < 32 && vector != 2 ? vector : 0);
        assert_int_equal(machine.handled, vector < 32 && vector != 2 ? 0 : vector);
        assert_int_equal(machine.paused, 0);
    }
    assert_int_equal(dispatch(13, 0x1000), 0x1010);
}

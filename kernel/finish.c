/* SPDX-License-Identifier: MIT */
#include "kernel/finish.h"

#include "arch/x86/cpu.h"
#include "kernel/console.h"
#include "kernel/dump.h"

/* QEMU's isa-debug-exit. Its exit status is value * 2 + 1, so values from 10h on differ from QEMU's own failures. */
#define EXIT_PORT        0xf4u
#define EXIT_VALUE_FIRST 0x10u

#define KEYBOARD_COMMAND 0x64u
#define KEYBOARD_RESET   0xfeu
#define RESET_CONTROL    0xcf9u
#define RESET_FULL       0x0eu
#define RESET_WAIT       10000000u /* PAUSEs: resetting is slow on some machines */

/* ACPI PM1a control of QEMU's q35 and pc. Real machines have it elsewhere, so power-off is tried under QEMU only. */
#define QEMU_Q35_PM1A_CONTROL 0x604u
#define PM1_SLEEP_S5          0x2000u

static enum options_end how;
static enum options_exit exit_device;
static bool hypervisor;

void finish_configure(const struct options *options, bool virtual_machine)
{
    how = options->end;
    exit_device = options->exit;
    hypervisor = virtual_machine;
}

void finish(enum verdict verdict, const struct totals *totals)
{
    static const char *const names[] = { "pass", "fail", "skip", "error", "panic" };

    interrupts_off();
    dump_end();
    console_note("end dstest86 verdict=%s pass=%u fail=%u skip=%u error=%u", names[verdict], totals->pass, totals->fail,
                 totals->skip, totals->error);
    if (exit_device == OPTIONS_EXIT_DEBUG || (exit_device == OPTIONS_EXIT_AUTO && hypervisor))
        port_write8(EXIT_PORT, (uint8_t)(EXIT_VALUE_FIRST + (unsigned)verdict));
    if (how == OPTIONS_END_POWEROFF && hypervisor)
        port_write16(QEMU_Q35_PM1A_CONTROL, PM1_SLEEP_S5);
    if (how == OPTIONS_END_REBOOT) {
        port_write8(RESET_CONTROL, RESET_FULL);
        port_write8(KEYBOARD_COMMAND, KEYBOARD_RESET);
        for (unsigned wait = 0; wait < RESET_WAIT; wait++)
            cpu_pause();
        cpu_triple_fault();
    }
    for (;;)
        cpu_halt();
}

/* SPDX-License-Identifier: MIT */
#include "kernel/run_end.h"

#include "arch/x86/devices/clock.h"
#include "arch/x86/devices/keyboard.h"
#include "arch/x86/cpu.h"
#include "arch/x86/devices/watchdog.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/log_keeper.h"
#include "kernel/progress.h"
#include "kernel/serial.h"
#include "kernel/firmware.h"

/* QEMU's isa-debug-exit. Its exit status is value * 2 + 1, so values from 10h on differ from QEMU's own failures. */
#define EXIT_PORT        0xf4u
#define EXIT_VALUE_FIRST 0x10u

#define KEYBOARD_COMMAND 0x64u
#define KEYBOARD_RESET   0xfeu
#define RESET_WAIT       10000000u /* PAUSEs: resetting is slow on some machines */

/*
 * The chipset's reset: Intel I/O Controller Hub 9 (ICH9) Family Data Sheet (316972-004), "RST_CNT - Reset Control
 * Register". Bit 1 selects a hard reset, and setting bit 2 starts it. Bit 3 cuts the power and loses memory.
 */
#define RESET_CONTROL 0xcf9u
#define RESET_HARD    0x02u
#define RESET_START   0x04u
#define RESET_FULL    0x08u

#define VERDICT_SECONDS 10u /* how long to show the verdict before a restart without end=reboot */

/* ACPI PM1a control of QEMU's q35 and pc. Real machines have it elsewhere, so power-off is tried under QEMU only. */
#define QEMU_Q35_PM1A_CONTROL 0x604u
#define PM1_SLEEP_S5          0x2000u

static enum options_end how;
static enum options_exit exit_device;
static bool hypervisor;

void run_end_configure(const struct options *options, bool virtual_machine)
{
    how = options->end;
    exit_device = options->exit;
    hypervisor = virtual_machine;
}

static void reset(uint8_t kind)
{
    port_write8(RESET_CONTROL, RESET_HARD);
    port_write8(RESET_CONTROL, kind | RESET_START);
    port_write8(KEYBOARD_COMMAND, KEYBOARD_RESET);
    for (unsigned wait = 0; wait < RESET_WAIT; wait++)
        cpu_pause();
    cpu_triple_fault();
}

/* Restarts the machine, so that the loader can store the log. */
static void restart(void)
{
    if (how != OPTIONS_END_REBOOT)
        for (unsigned second = 0; second < VERDICT_SECONDS; second++)
            clock_wait(1000000);
    log_keeper_write_back();
    reset(RESET_HARD);
}

static enum page_then then(void)
{
    if (how == OPTIONS_END_REBOOT || log_keeper_is_on())
        return PAGE_REBOOTS;
    return how == OPTIONS_END_POWEROFF && hypervisor ? PAGE_SWITCHES_OFF : PAGE_HALTS;
}

void run_end(enum verdict verdict, const struct totals *totals)
{
    const char *const kinds = progress_page.kinds ? progress_page.kinds : "";

    interrupts_off();
    watchdog_stop(); /* a panic occurred inside a test, which must not continue */
    dump_end();
    firmware_give_back();
    firmware_apic_off();
    if (log_keeper_is_on() && how != OPTIONS_END_REBOOT)
        console_note("log kept: the machine restarts in %u seconds, and the loader saves the log", VERDICT_SECONDS);
    progress_page.elapsed = clock_elapsed();
    progress_end(verdict, then(), false);
    console_note("end dstest86 verdict=%s pass=%u fail=%u skip=%u error=%u differs=%u%s%s", verdict_text(verdict),
                 totals->pass, totals->fail, totals->skip, totals->error, totals->differs, *kinds ? " kinds=" : "",
                 kinds);
    serial_flush();
    if (progress_is_seen() && keyboard_start()) /* else the processor halts */
        progress_page.keys = hypervisor ? "Keys, if they work: Space the next page, R restart, P power off."
                                        : "Keys, if they work: Space the next page, R restart.";
    progress_end(verdict, then(), true);
    if (exit_device == OPTIONS_EXIT_DEBUG || (exit_device == OPTIONS_EXIT_AUTO && hypervisor))
        port_write8(EXIT_PORT, (uint8_t)(EXIT_VALUE_FIRST + (unsigned)verdict));
    if (log_keeper_is_on())
        restart();
    if (then() == PAGE_SWITCHES_OFF)
        port_write16(QEMU_Q35_PM1A_CONTROL, PM1_SLEEP_S5);
    if (then() == PAGE_REBOOTS)
        reset(RESET_HARD | RESET_FULL);
    for (enum key key; (key = progress_take_turns()) != KEY_NONE;)
        if (key == KEY_RESTART)
            reset(RESET_HARD | RESET_FULL);
        else if (hypervisor)
            port_write16(QEMU_Q35_PM1A_CONTROL, PM1_SLEEP_S5);
    for (;;)
        cpu_halt();
}

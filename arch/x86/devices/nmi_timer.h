/* SPDX-License-Identifier: MIT */
/*
 * A timer that sends an NMI, which arrives even with interrupts off. A comparator of the HPET signals through an input
 * of the I/O APIC that firmware does not use. IA-PC HPET Specification 1.0a, 2.3.8 "Timer N Configuration and
 * Capabilities Register"; Intel 82093AA I/O Advanced Programmable Interrupt Controller (290566-001), 3.2.4.
 */
#ifndef ARCH_X86_DEVICES_NMI_TIMER_H
#define ARCH_X86_DEVICES_NMI_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/acpi.h"

/*
 * Finds a comparator and an input, and tries them: an NMI must arrive within 50 ms. Otherwise disables them and returns
 * false. Needs a clock, and interrupts off. apic_id: of this processor, which gets the NMI. The NMI's handler calls
 * due().
 */
bool nmi_timer_init(uint64_t hpet_address, const struct acpi_io_apic *io_apic, uint32_t apic_id, void (*due)(void));

/* Calls due() after this many seconds, 1 to nmi_timer_most(), unless it is stopped. A later start replaces this one. */
void nmi_timer_start(unsigned seconds);
void nmi_timer_stop(void);

/* Whether there is a timer. Becomes false if another device sends an NMI through the timer's input. */
bool nmi_timer_usable(void);

unsigned nmi_timer_most(void);

/* Sends later NMIs to the processor with this APIC ID. The timer must be stopped. False if it cannot address the ID. */
bool nmi_timer_send_to(uint32_t apic_id);

#endif

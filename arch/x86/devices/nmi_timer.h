/* SPDX-License-Identifier: MIT */
/*
 * An NMI after a time, which comes with interrupts off, too: from a comparator of the HPET through an input of the I/O
 * APIC that firmware does not use. IA-PC HPET Specification 1.0a, 2.3.8 "Timer N Configuration and Capabilities
 * Register"; Intel 82093AA I/O Advanced Programmable Interrupt Controller (290566-001), 3.2.4.
 */
#ifndef ARCH_X86_DEVICES_NMI_TIMER_H
#define ARCH_X86_DEVICES_NMI_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/acpi.h"

/*
 * Finds a comparator and an input, and tries them: an NMI must come within 50 ms. False if none does, and
 * then nothing comes later. There must be a clock, and interrupts must be off. apic_id: of this processor, which gets
 * the NMI; due(): called for it, in the NMI's handler.
 */
bool nmi_timer_init(uint64_t hpet_address, const struct acpi_io_apic *io_apic, uint32_t apic_id, void (*due)(void));

/* Calls due() after this many seconds, 1 to nmi_timer_most(), unless it is stopped. A later start replaces this one. */
void nmi_timer_start(unsigned seconds);
void nmi_timer_stop(void);

/* Whether there is one; no longer so when an NMI of another's came in its place. */
bool nmi_timer_usable(void);

unsigned nmi_timer_most(void);

/* Has the NMI come to the processor with this APIC ID from now on, while it is stopped. False if it cannot. */
bool nmi_timer_send_to(uint32_t apic_id);

#endif

/* SPDX-License-Identifier: MIT */
/* An I/O APIC's registers, behind a window. Intel 82093AA I/O Advanced Programmable Interrupt Controller
 * (290566-001), 3.2. */
#ifndef ARCH_X86_DEVICES_IO_APIC_H
#define ARCH_X86_DEVICES_IO_APIC_H

#include <stdint.h>

/* Register number 0 to 255 of the I/O APIC whose registers are at this physical address, below 4 GiB. */
uint32_t io_apic_read(uintptr_t address, uint32_t number);
void io_apic_write(uintptr_t address, uint32_t number, uint32_t value);

#endif

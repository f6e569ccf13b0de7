/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/io_apic.h"

/* Offsets in words of 32 bits. */
#define SELECT 0u
#define WINDOW 4u

static volatile uint32_t *select(uintptr_t address, uint32_t number)
{
    volatile uint32_t *const registers = (volatile uint32_t *)address;

    registers[SELECT] = number;
    return registers + WINDOW;
}

uint32_t io_apic_read(uintptr_t address, uint32_t number)
{
    return *select(address, number);
}

void io_apic_write(uintptr_t address, uint32_t number, uint32_t value)
{
    *select(address, number) = value;
}

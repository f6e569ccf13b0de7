/* SPDX-License-Identifier: MIT */
#include "kernel/pci.h"

#include "arch/x86/cpu.h"

#define CONFIG_ADDRESS 0xcf8u
#define CONFIG_DATA    0xcfcu
#define CONFIG_ENABLE  (UINT32_C(1) << 31)

#define BUSES     256u
#define DEVICES   32u
#define FUNCTIONS 8u

/* Configuration registers: offsets of 32 bits each. */
#define REGISTER_ID      0x00u
#define REGISTER_COMMAND 0x04u
#define REGISTER_CLASS   0x08u /* revision, programming interface, subclass, class */
#define REGISTER_HEADER  0x0cu /* its type in bits 22:16; bit 23: has several functions */
#define REGISTER_BAR     0x10u
#define REGISTER_BUSES   0x18u /* of a bridge: primary, secondary, ... */

#define NOBODY          UINT32_C(0xffffffff)
#define COMMAND_PORTS   1u
#define COMMAND_MEMORY  2u
#define COMMAND_MASK    0xffffu /* the status above it is cleared by ones */
#define CLASS_SERIAL    0x0700u
#define INTERFACE_16550 6u /* the last that is 8250-compatible: 0 is an 8250, 2 a 16550, 6 a 16950 */
#define HEADER_MANY     (UINT32_C(1) << 23)
#define HEADER_BRIDGE   1u
#define BARS            6u
#define BAR_PORTS       1u
#define BAR_64          4u /* of a memory BAR: the next one has the upper half */
#define BAR_TYPE        6u
#define BAR_PORT_MASK   UINT32_C(0xfffffffc)
#define BAR_MEMORY_MASK UINT32_C(0xfffffff0)

static void address(unsigned bus, unsigned device, unsigned function, unsigned offset)
{
    port_write32(CONFIG_ADDRESS, CONFIG_ENABLE | bus << 16 | device << 11 | function << 8 | offset);
}

static uint32_t config_read(unsigned bus, unsigned device, unsigned function, unsigned offset)
{
    address(bus, device, function, offset);
    return port_read32(CONFIG_DATA);
}

static bool present(void)
{
    port_write32(CONFIG_ADDRESS, CONFIG_ENABLE);
    return port_read32(CONFIG_ADDRESS) == CONFIG_ENABLE;
}

/*
 * Reads the first BAR of ports, otherwise the first one of memory, whose registers are one byte apart. If a BAR has
 * several UARTs, that is the first.
 */
static enum uart_error read_bars(struct pci_uart *found)
{
    uint64_t memory = 0;

    found->uart = (struct uart){ .stride = 1, .access = 1 };
    for (unsigned i = 0; i < BARS; i++) {
        const uint32_t bar = config_read(found->bus, found->device, found->function, REGISTER_BAR + 4 * i);
        if (bar & BAR_PORTS) {
            found->uart.base = bar & BAR_PORT_MASK;
            if (found->uart.base)
                return UART_OK;
            continue;
        }
        uint64_t base = bar & BAR_MEMORY_MASK;
        if ((bar & BAR_TYPE) == BAR_64 && ++i < BARS)
            base |= (uint64_t)config_read(found->bus, found->device, found->function, REGISTER_BAR + 4 * i) << 32;
        if (!memory)
            memory = base;
    }
    found->uart.base = memory;
    found->uart.memory = memory;
    return memory ? UART_OK : UART_DISABLED;
}

/* Firmware may leave a device disabled that it does not use. */
static void enable(const struct pci_uart *found)
{
    const uint32_t command = config_read(found->bus, found->device, found->function, REGISTER_COMMAND) & COMMAND_MASK;

    address(found->bus, found->device, found->function, REGISTER_COMMAND);
    port_write32(CONFIG_DATA, command | (found->uart.memory ? COMMAND_MEMORY : COMMAND_PORTS));
}

static void read_uart(struct pci_uart *found, uint32_t class)
{
    found->error = read_bars(found);
    if ((class >> 8 & 0xff) > INTERFACE_16550)
        found->error = UART_KIND;
    if (found->error == UART_OK)
        found->error = uart_reach(&found->uart);
    if (found->error == UART_OK)
        enable(found);
}

size_t pci_find_uarts(struct pci_uart *found, size_t most)
{
    bool reached[BUSES] = { true };
    size_t count = 0;

    if (!present())
        return 0;
    for (unsigned bus = 0; bus < BUSES; bus++) {
        for (unsigned device = 0; reached[bus] && device < DEVICES; device++) {
            unsigned functions = 1;
            for (unsigned function = 0; function < functions; function++) {
                if (config_read(bus, device, function, REGISTER_ID) == NOBODY)
                    continue;
                const uint32_t header = config_read(bus, device, function, REGISTER_HEADER);
                const uint32_t class = config_read(bus, device, function, REGISTER_CLASS);
                if (!function && header & HEADER_MANY)
                    functions = FUNCTIONS;
                if ((header >> 16 & 0x7f) == HEADER_BRIDGE)
                    reached[config_read(bus, device, function, REGISTER_BUSES) >> 8 & 0xff] = true;
                else if (class >> 16 == CLASS_SERIAL && count < most) {
                    found[count] = (struct pci_uart){ .bus = (uint8_t)bus,
                                                      .device = (uint8_t)device,
                                                      .function = (uint8_t)function };
                    read_uart(&found[count++], class);
                }
            }
        }
    }
    return count;
}

/* SPDX-License-Identifier: MIT */
#include "kernel/serial_ports.h"

#include <inttypes.h>

#include "lib/format.h"
#include "kernel/acpi_root.h"
#include "kernel/memory.h"
#include "kernel/pci.h"
#include "kernel/serial.h"
#include "kernel/uart.h"

#define PORTS     12u
#define NAMED     8u /* the most ports in ACPI's tables */
#define PCI_UARTS 4u
#define NAME_SIZE 16u

static struct port {
    char name[NAME_SIZE];
    struct uart uart;
    enum uart_error error;
} ports[PORTS];
static unsigned count;

static const struct uart com1 = {
    .base = OPTIONS_COM1, .stride = 1, .access = 1, .baud = OPTIONS_BAUD, .clock = UART_CLOCK
};

static enum uart_error start(const struct port *port, struct uart *uart)
{
    enum uart_error error = uart_reach(uart);

    for (const struct port *other = ports; other < port; other++)
        if (uart_same(&other->uart, uart))
            return UART_SAME;
    if (error == UART_OK && uart->memory && memory_is_ram(uart->base, uart_size(uart)))
        error = UART_RAM;
    if (error == UART_OK)
        error = uart_start(uart);
    return error;
}

/* Opens one more port, or notes why it cannot be opened. */
static void try(const char *name, const struct uart *uart, enum uart_error error)
{
    struct port *port = &ports[count];

    if (count == PORTS)
        return;
    format(port->name, NAME_SIZE, "%s", name);
    port->uart = *uart;
    port->error = error != UART_OK ? error : start(port, &port->uart);
    if (port->error == UART_OK)
        serial_add(port->name, &port->uart);
    count++;
}

static void open_pci(void)
{
    struct pci_uart found[PCI_UARTS];
    const size_t uarts = pci_find_uarts(found, PCI_UARTS);

    for (size_t i = 0; i < uarts; i++) {
        char name[NAME_SIZE];
        format(name, sizeof name, "PCI %02x:%02x.%x", found[i].bus, found[i].device, found[i].function);
        found[i].uart.baud = found[i].uart.memory ? 0 : OPTIONS_BAUD; /* the clock of a port in memory is unknown */
        try(name, &found[i].uart, found[i].error);
    }
}

static bool is_spcr(const struct uart_named *named)
{
    return named->by[0] == 'S';
}

/*
 * Opens COM1 at the speed of firmware's console there, then the port of firmware's console. If firmware reports none,
 * the debug ports; PCI ports only if there is none of these.
 */
static void open_usual(void)
{
    struct uart_named named[NAMED];
    const size_t tables = acpi_root_uarts(named, NAMED);
    struct uart first = com1;
    bool console = false;

    for (size_t i = 0; i < tables; i++) {
        if (!is_spcr(&named[i]) || named[i].error != UART_OK)
            continue;
        console = true;
        if (uart_same(&named[i].uart, &com1))
            first = named[i].uart;
    }
    try("COM1", &first, UART_OK);
    for (size_t i = 0; i < tables; i++)
        if (is_spcr(&named[i]) || !console)
            try(named[i].by, &named[i].uart, named[i].error);
    if (!serial_lines())
        open_pci();
}

void serial_ports_open(const struct options *options)
{
    count = 0;
    if (options->console_usual)
        open_usual();
    for (unsigned i = 0; i < options->consoles; i++)
        try(options->console[i].name, &options->console[i].uart, UART_OK);
    if (options->console_pci)
        open_pci();
}

static const char *speed(char *text, size_t size, uint32_t baud)
{
    if (baud)
        format(text, size, "%u baud", baud);
    else
        format(text, size, "at firmware's speed");
    return text;
}

void serial_ports_text(const struct line_sink *out)
{
    char text[32];

    for (const struct port *p = ports; p < ports + count; p++) {
        const char *state = p->error == UART_OK ? speed(text, sizeof text, p->uart.baud) : uart_error_text(p->error);
        if (p->uart.memory)
            say(out, "console %s mmio 0x%" PRIx64 " stride %u: %s", p->name, p->uart.base, p->uart.stride, state);
        else
            say(out, "console %s port 0x%" PRIx64 ": %s", p->name, p->uart.base, state);
    }
    if (!count)
        say(out, "console none");
}

unsigned serial_ports_pages(uint64_t *pages, unsigned most)
{
    unsigned used = 0;

    for (const struct port *p = ports; p < ports + count; p++) {
        if (p->error != UART_OK || !p->uart.memory)
            continue;
        for (unsigned last = 0; last < 2 && used < most; last++) /* of its first and its last register */
            pages[used++] = p->uart.base + (last ? uart_size(&p->uart) - 1 : 0);
    }
    return used;
}

/* SPDX-License-Identifier: MIT */
#include "kernel/consoles.h"

#include <inttypes.h>

#include "lib/format.h"
#include "kernel/acpi_root.h"
#include "kernel/memory.h"
#include "kernel/pci.h"
#include "kernel/serial.h"
#include "kernel/uart.h"

#define CONSOLES  12u
#define NAMED     8u /* the most ports in ACPI's tables */
#define PCI_UARTS 4u
#define NAME_SIZE 16u

static struct console {
    char name[NAME_SIZE];
    struct uart uart;
    enum uart_error error;
} consoles[CONSOLES];
static unsigned count;

static const struct uart com1 = {
    .base = OPTIONS_COM1, .stride = 1, .access = 1, .baud = OPTIONS_BAUD, .clock = UART_CLOCK
};

static enum uart_error start(const struct console *console, struct uart *uart)
{
    enum uart_error error = uart_reach(uart);

    for (const struct console *other = consoles; other < console; other++)
        if (uart_same(&other->uart, uart))
            return UART_SAME;
    if (error == UART_OK && uart->memory && memory_holds(uart->base, uart_size(uart)))
        error = UART_RAM;
    if (error == UART_OK)
        error = uart_start(uart);
    return error;
}

/* Opens one more port, or notes why it cannot be opened. */
static void try(const char *name, const struct uart *uart, enum uart_error error)
{
    struct console *console = &consoles[count];

    if (count == CONSOLES)
        return;
    format(console->name, NAME_SIZE, "%s", name);
    console->uart = *uart;
    console->error = error != UART_OK ? error : start(console, &console->uart);
    if (console->error == UART_OK)
        serial_add(console->name, &console->uart);
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

void consoles_open(const struct options *options)
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

void consoles_text(const struct line_sink *out)
{
    char text[32];

    for (const struct console *c = consoles; c < consoles + count; c++) {
        const char *state = c->error == UART_OK ? speed(text, sizeof text, c->uart.baud) : uart_error_text(c->error);
        if (c->uart.memory)
            say(out, "console %s mmio 0x%" PRIx64 " stride %u: %s", c->name, c->uart.base, c->uart.stride, state);
        else
            say(out, "console %s port 0x%" PRIx64 ": %s", c->name, c->uart.base, state);
    }
    if (!count)
        say(out, "console none");
}

unsigned consoles_pages(uint64_t *pages, unsigned most)
{
    unsigned used = 0;

    for (const struct console *c = consoles; c < consoles + count; c++) {
        if (c->error != UART_OK || !c->uart.memory)
            continue;
        for (unsigned last = 0; last < 2 && used < most; last++) /* of its first and its last register */
            pages[used++] = c->uart.base + (last ? uart_size(&c->uart) - 1 : 0);
    }
    return used;
}

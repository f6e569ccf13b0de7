/* SPDX-License-Identifier: MIT */
/* Which serial ports the log uses, with simulated tables, PCI devices and UARTs. */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "boot/options.h"
#include "kernel/pci.h"

/* Replaces the headers that it includes. */
#define KERNEL_ACPI_ROOT_H
#define KERNEL_MEMORY_H
#define KERNEL_SERIAL_H
#define KERNEL_UART_H
#include "boot/uart_tables.h"

static struct {
    struct uart_named named[4];
    size_t named_count;
    struct pci_uart pci[4];
    size_t pci_count;
    uint64_t answers[8]; /* bases of UARTs */
    uint64_t ram;        /* an address of memory */
    bool asked_pci;
    unsigned lines;
    char added[300], printed[1000];
} machine;

FAKE(static size_t, acpi_root_uarts, (struct uart_named * named, size_t most), assert_true(machine.named_count <= most),
     memcpy(named, machine.named, machine.named_count * sizeof *named), machine.named_count)
FAKE(size_t, pci_find_uarts, (struct pci_uart * found, size_t most), assert_true(machine.pci_count <= most),
     machine.asked_pci = true, memcpy(found, machine.pci, machine.pci_count * sizeof *found), machine.pci_count)
FAKE(static bool, memory_holds, (uint64_t address, uint64_t size),
     machine.ram >= address && machine.ram < address + size)

static enum uart_error uart_start(struct uart *uart)
{
    for (size_t i = 0; i < COUNT_OF(machine.answers); i++)
        if (uart->base == machine.answers[i])
            return UART_OK;
    return UART_SILENT;
}

static bool serial_add(const char *name, const struct uart *uart)
{
    const size_t used = strlen(machine.added);

    snprintf(machine.added + used, sizeof machine.added - used, "%s 0x%llx %u of %u, ", name,
             (unsigned long long)uart->base, uart->baud, uart->clock);
    machine.lines++;
    return true;
}

FAKE(static unsigned, serial_lines, (void), machine.lines)

#include "kernel/serial_ports.c"

static void take(void *context, const char *text)
{
    const size_t used = strlen(machine.printed);

    snprintf(machine.printed + used, sizeof machine.printed - used, "%s\n", text);
}

static void empty(void)
{
    memset(&machine, 0, sizeof machine);
}

static void expect(const char *options, const char *added, const char *printed)
{
    const struct line_sink out = { take, NULL };
    struct options parsed;
    struct slice offender;

    machine.added[0] = machine.printed[0] = '\0';
    machine.lines = 0;
    machine.asked_pci = false;
    assert_int_equal(options_parse(options, &parsed, &offender), OPTIONS_OK);
    serial_ports_open(&parsed);
    serial_ports_text(&out);
    assert_string_equal(machine.added, added);
    assert_string_equal(machine.printed, printed);
}

static void name(const char *by, struct uart uart, enum uart_error error)
{
    machine.named[machine.named_count++] = (struct uart_named){ by, uart, error };
}

#define PORT(base, baud)   ((struct uart){ base, false, 1, 1, baud, 0 })
#define MEMORY(base, baud) ((struct uart){ base, true, 4, 4, baud, 48000000 })

UNIT_TEST(com1_by_default)
{
    empty();
    machine.answers[0] = 0x3f8;
    machine.answers[1] = 0xc060;
    machine.pci_count = 1;
    machine.pci[0].uart = PORT(0xc060, 0);
    expect("", "COM1 0x3f8 115200 of 1843200, ", "console COM1 port 0x3f8: 115200 baud\n");
    assert_false(machine.asked_pci);
}

UNIT_TEST(firmwares_console_too)
{
    empty();
    machine.answers[0] = 0x3f8;
    machine.answers[1] = 0xfe000000;
    name("SPCR", MEMORY(0xfe000000, 57600), UART_OK);
    name("DBG2", PORT(0x2f8, 0), UART_OK); /* not needed */
    machine.answers[2] = 0x2f8;
    expect("", "COM1 0x3f8 115200 of 1843200, SPCR 0xfe000000 57600 of 48000000, ",
           "console COM1 port 0x3f8: 115200 baud\nconsole SPCR mmio 0xfe000000 stride 4: 57600 baud\n");
    machine.answers[1] = 0;
    expect("", "COM1 0x3f8 115200 of 1843200, ",
           "console COM1 port 0x3f8: 115200 baud\nconsole SPCR mmio 0xfe000000 stride 4: no UART answers there\n");
}

/* Firmware's console is COM1, which then runs at firmware's speed. */
UNIT_TEST(com1_at_firmwares_speed)
{
    empty();
    machine.answers[0] = 0x3f8;
    name("SPCR", PORT(0x3f8, 9600), UART_OK);
    expect("", "COM1 0x3f8 9600 of 0, ", "console COM1 port 0x3f8: 9600 baud\nconsole SPCR port 0x3f8: listed above\n");
    machine.named[0].uart.baud = 0;
    expect("", "COM1 0x3f8 0 of 0, ",
           "console COM1 port 0x3f8: at firmware's speed\nconsole SPCR port 0x3f8: listed above\n");
    machine.named[0].by = "DBG2"; /* DBG2 does not report the speed of firmware's console */
    expect("", "COM1 0x3f8 115200 of 1843200, ",
           "console COM1 port 0x3f8: 115200 baud\nconsole DBG2 port 0x3f8: listed above\n");
    machine.named[0].by = "SPCR";
    machine.named[0].error = UART_KIND;
    expect("", "COM1 0x3f8 115200 of 1843200, ",
           "console COM1 port 0x3f8: 115200 baud\nconsole SPCR port 0x3f8: not compatible with the 16550\n");
}

UNIT_TEST(otherwise_debug_ports_and_pci)
{
    empty();
    name("SPCR", (struct uart){ 0 }, UART_DISABLED);
    name("DBG2", MEMORY(0xfe000000, 0), UART_OK);
    name("DBG2", MEMORY(0xfe001000, 0), UART_KIND);
    machine.pci_count = 4;
    machine.pci[0] = (struct pci_uart){ 0, 22, 3, PORT(0xf0e0, 0), UART_OK };
    machine.pci[1] = (struct pci_uart){ 0xfe, 31, 7, MEMORY(0xf7000000, 0), UART_OK };
    machine.pci[2] = (struct pci_uart){ 1, 2, 0, { 0 }, UART_DISABLED };
    machine.pci[3] = (struct pci_uart){ 1, 3, 0, PORT(0x2f8, 0), UART_OK };
    machine.answers[0] = 0xf0e0;
    machine.answers[1] = 0xf7000000;
    expect("", "PCI 00:16.3 0xf0e0 115200 of 0, PCI fe:1f.7 0xf7000000 0 of 48000000, ",
           "console COM1 port 0x3f8: no UART answers there\n"
           "console SPCR port 0x0: firmware assigned no address\n"
           "console DBG2 mmio 0xfe000000 stride 4: no UART answers there\n"
           "console DBG2 mmio 0xfe001000 stride 4: not compatible with the 16550\n"
           "console PCI 00:16.3 port 0xf0e0: 115200 baud\n"
           "console PCI fe:1f.7 mmio 0xf7000000 stride 4: at firmware's speed\n"
           "console PCI 01:02.0 port 0x0: firmware assigned no address\n"
           "console PCI 01:03.0 port 0x2f8: no UART answers there\n");
    machine.answers[2] = 0xfe000000;
    machine.named_count = 2;
    expect("", "DBG2 0xfe000000 0 of 48000000, ",
           "console COM1 port 0x3f8: no UART answers there\n"
           "console SPCR port 0x0: firmware assigned no address\n"
           "console DBG2 mmio 0xfe000000 stride 4: at firmware's speed\n");
    assert_false(machine.asked_pci);
}

UNIT_TEST(ports_of_the_options)
{
    empty();
    machine.answers[0] = 0x3f8;
    machine.answers[1] = 0x2c8;
    machine.answers[2] = 0xfe000000;
    machine.answers[3] = 0xc060;
    name("SPCR", PORT(0x2e8, 9600), UART_OK);
    machine.pci_count = 1;
    machine.pci[0] = (struct pci_uart){ 0, 4, 0, PORT(0xc060, 0), UART_OK };
    expect("console=none", "", "console none\n");
    assert_false(machine.asked_pci);
    expect("console=0x2c8,9600 console=ttyS0 console=0x2c8",
           "option 0x2c8 9600 of 1843200, COM1 0x3f8 115200 of 1843200, ",
           "console option port 0x2c8: 9600 baud\nconsole COM1 port 0x3f8: 115200 baud\n"
           "console option port 0x2c8: listed above\n");
    assert_false(machine.asked_pci);
    expect("console=pci", "PCI 00:04.0 0xc060 115200 of 0, ", "console PCI 00:04.0 port 0xc060: 115200 baud\n");
    expect("console=ttyS0 console=pci", "COM1 0x3f8 115200 of 1843200, PCI 00:04.0 0xc060 115200 of 0, ",
           "console COM1 port 0x3f8: 115200 baud\nconsole PCI 00:04.0 port 0xc060: 115200 baud\n");
}

UNIT_TEST(in_memory)
{
    uint64_t pages[4] = { 9, 9, 9, 9 };

    empty();
    machine.answers[0] = 0xfe000000;
    machine.answers[1] = 0xfe001ff0;
    machine.answers[2] = UINT64_C(0x100000000);
    machine.answers[3] = 0x8000000;
    machine.answers[4] = 0x2c8;
    machine.ram = 0x800001f;
    expect("console=mmio32,0xfe001ff0 console=0x2c8 console=mmio32,0x8000000 console=mmio,0x100000000",
           "option 0xfe001ff0 0 of 0, option 0x2c8 115200 of 1843200, ",
           "console option mmio 0xfe001ff0 stride 4: at firmware's speed\n"
           "console option port 0x2c8: 115200 baud\n"
           "console option mmio 0x8000000 stride 4: the firmware's memory map has RAM there\n"
           "console option mmio 0x100000000 stride 1: not all of its registers are below 4 GiB, where the kernel's "
           "mapping ends\n");
    assert_int_equal(serial_ports_pages(pages, 4), 2);
    assert_int_equal(pages[0], 0xfe001ff0);
    assert_int_equal(pages[1], 0xfe00200f);
    assert_int_equal(pages[2], 9);
    pages[0] = pages[1] = 9;
    assert_int_equal(serial_ports_pages(pages, 1), 1);
    assert_int_equal(pages[1], 9);
    machine.ram = 0x2c8; /* ports are not memory */
    expect("console=0x2c8", "option 0x2c8 115200 of 1843200, ", "console option port 0x2c8: 115200 baud\n");
    assert_int_equal(serial_ports_pages(pages, 4), 0);
}

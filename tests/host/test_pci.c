/* SPDX-License-Identifier: MIT */
/* Serial ports on a simulated PCI configuration space. */
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

#define FUNCTIONS_MOST 12u

static struct {
    bool none; /* no PCI: the address port does not read back */
    uint32_t address;
    struct function {
        unsigned bus, device, function;
        uint32_t config[16];
    } functions[FUNCTIONS_MOST];
    unsigned count, reads, bus_most;
    char written[200];
} machine;

static struct function *selected(void)
{
    for (struct function *f = machine.functions; f < machine.functions + machine.count; f++)
        if ((machine.address & 0xffff00) == (f->bus << 16 | f->device << 11 | f->function << 8))
            return f;
    return NULL;
}

static uint32_t port_read32(uint16_t port)
{
    if (port == 0xcf8)
        return machine.none ? 0xffffffff : machine.address;
    assert_int_equal(port, 0xcfc);
    assert_int_equal(machine.address & 0xff000003, 0x80000000);
    assert_true((machine.address & 0xff) < 0x40);
    machine.reads++;
    if ((machine.address >> 16 & 0xff) > machine.bus_most)
        machine.bus_most = machine.address >> 16 & 0xff;
    return selected() ? selected()->config[(machine.address & 0xff) / 4] : 0xffffffff;
}

static void port_write32(uint16_t port, uint32_t value)
{
    const size_t used = strlen(machine.written);

    if (port == 0xcf8) {
        machine.address = value;
        return;
    }
    assert_int_equal(port, 0xcfc);
    snprintf(machine.written + used, sizeof machine.written - used, "%x %x, ", machine.address, value);
}

#include "kernel/pci.c"

static void start(void)
{
    memset(&machine, 0, sizeof machine);
}

/* A function of this class and programming interface, with two BARs. */
static struct function *put(unsigned bus, unsigned device, unsigned function, uint32_t class, uint32_t bar0,
                            uint32_t bar1)
{
    struct function *f = &machine.functions[machine.count++];

    *f = (struct function){ .bus = bus, .device = device, .function = function };
    f->config[0] = 0x00021b36;
    f->config[1] = 0xffb00004; /* the status in the upper half is cleared by writing ones */
    f->config[2] = class << 8 | 1;
    f->config[4] = bar0;
    f->config[5] = bar1;
    return f;
}

static void expect(const struct pci_uart *found, unsigned bus, unsigned device, unsigned function,
                   enum uart_error error, uint64_t base, bool memory)
{
    assert_int_equal(found->bus, bus);
    assert_int_equal(found->device, device);
    assert_int_equal(found->function, function);
    assert_int_equal(found->error, error);
    assert_int_equal(found->uart.base, base);
    assert_int_equal(found->uart.memory, memory);
    assert_int_equal(found->uart.stride, 1);
    assert_int_equal(found->uart.access, 1);
    assert_int_equal(found->uart.baud, 0);
    assert_int_equal(found->uart.clock, 0);
}

UNIT_TEST(a_port)
{
    struct pci_uart found[2];

    start();
    assert_int_equal(pci_find_uarts(found, 2), 0);
    assert_int_equal(machine.reads, 32); /* the identity of each device on bus 0 */
    put(0, 3, 0, 0x070002, 0xc061, 0);
    assert_int_equal(pci_find_uarts(found, 2), 1);
    expect(&found[0], 0, 3, 0, UART_OK, 0xc060, false);
    assert_string_equal(machine.written, "80001804 5, ");
    assert_int_equal(machine.bus_most, 0);
    assert_int_equal(pci_find_uarts(found, 0), 0);
    machine.none = true;
    machine.reads = 0;
    assert_int_equal(pci_find_uarts(found, 1), 0);
    assert_int_equal(machine.reads, 0);
}

/* AMT's serial over LAN: function 3 of a device, ports first, then memory. */
UNIT_TEST(active_management)
{
    struct pci_uart found[2];

    start();
    put(0, 22, 0, 0x078000, 0xf7000004, 0)->config[3] = 0x00800000;
    put(0, 22, 3, 0x070002, 0xf0e1, 0xf7001000)->config[0] = 0x9d3d8086;
    assert_int_equal(pci_find_uarts(found, 2), 1);
    expect(&found[0], 0, 22, 3, UART_OK, 0xf0e0, false);
    machine.functions[0].config[3] = 0; /* a single-function device: the other functions are aliases */
    assert_int_equal(pci_find_uarts(found, 2), 0);
}

UNIT_TEST(in_memory)
{
    static const struct {
        uint32_t bar0, bar1;
        uint64_t base;
        bool memory;
        enum uart_error error;
        const char *written;
    } rows[] = {
        { 0xfe000000, 0xfe001000, 0xfe000000, true, UART_OK, "80000804 6, " },
        { 0xfe000008, 0, 0xfe000000, true, UART_OK, "80000804 6, " }, /* prefetchable */
        { 0xfe000000, 0xc061, 0xc060, false, UART_OK, "80000804 5, " },
        { 0xfe000004, 0, 0xfe000000, true, UART_OK, "80000804 6, " },  /* 64 bits */
        { 0xfe000004, 5, UINT64_C(0x5fe000000), true, UART_HIGH, "" }, /* the upper half is no BAR of port 4 */
        { 0xfffffff4, 0, 0xfffffff0, true, UART_OK, "80000804 6, " },
        { 1, 0xc061, 0xc060, false, UART_OK, "80000804 5, " }, /* the first has no address */
        { 0, 0xfe000000, 0xfe000000, true, UART_OK, "80000804 6, " },
        { 0, 0, 0, false, UART_DISABLED, "" },
        { 1, 1, 0, false, UART_DISABLED, "" },
        { 0x1c061, 0, 0x1c060, false, UART_PORT, "" },
    };
    struct pci_uart found[1];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start();
        put(0, 1, 0, 0x070002, rows[i].bar0, rows[i].bar1);
        assert_int_equal(pci_find_uarts(found, 1), 1);
        expect(&found[0], 0, 1, 0, rows[i].error, rows[i].base, rows[i].memory);
        assert_string_equal(machine.written, rows[i].written);
    }
    start();
    put(0, 1, 0, 0x070002, 0, 0)->config[9] = 0xfe000004; /* the last BAR claims 64 bits */
    machine.functions[0].config[10] = 1;
    assert_int_equal(pci_find_uarts(found, 1), 1);
    expect(&found[0], 0, 1, 0, UART_OK, 0xfe000000, true);
}

UNIT_TEST(classes)
{
    static const struct {
        uint32_t class;
        unsigned count;
        enum uart_error error;
    } rows[] = { { 0x070000, 1, UART_OK },   { 0x070002, 1, UART_OK },   { 0x070006, 1, UART_OK },
                 { 0x070007, 1, UART_KIND }, { 0x0700ff, 1, UART_KIND }, { 0x070102, 0, 0 },
                 { 0x078000, 0, 0 },         { 0x060002, 0, 0 },         { 0x170002, 0, 0 } };
    struct pci_uart found[1];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start();
        put(0, 31, 0, rows[i].class, 0xc061, 0);
        assert_int_equal(pci_find_uarts(found, 1), rows[i].count);
        if (rows[i].count)
            assert_int_equal(found[0].error, rows[i].error);
        assert_string_equal(machine.written, rows[i].count && rows[i].error == UART_OK ? "8000f804 5, " : "");
    }
}

UNIT_TEST(behind_bridges)
{
    struct pci_uart found[4];

    start();
    put(0, 1, 0, 0x060400, 0, 0)->config[3] = 0x00810000; /* several functions, a bridge */
    machine.functions[0].config[6] = 0x00050200;          /* to bus 2 */
    put(0, 1, 7, 0x070002, 0xa001, 0);
    put(2, 0, 0, 0x060400, 0, 0)->config[3] = 0x00010000;
    machine.functions[2].config[6] = 0x00050502; /* to bus 5 */
    put(3, 0, 0, 0x070002, 0xb001, 0);           /* a bus without a bridge */
    put(5, 4, 0, 0x070002, 0xc001, 0);
    put(5, 5, 1, 0x070002, 0xd001, 0); /* of a device without function 0 */
    assert_int_equal(pci_find_uarts(found, 4), 2);
    expect(&found[0], 0, 1, 7, UART_OK, 0xa000, false);
    expect(&found[1], 5, 4, 0, UART_OK, 0xc000, false);
    assert_int_equal(machine.bus_most, 5);
    assert_int_equal(pci_find_uarts(found, 1), 1);
    machine.functions[2].config[6] = 0x00000002; /* a bridge to a bus above it */
    assert_int_equal(pci_find_uarts(found, 4), 1);
}

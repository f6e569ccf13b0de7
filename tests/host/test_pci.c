/* SPDX-License-Identifier: MIT */
/* Serial ports on a simulated PCI configuration space. */
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

#define FUNCTIONS_MOST 12u

static struct {
    uint32_t address;
    struct function {
        unsigned bus, device, function;
        uint32_t config[16];
    } functions[FUNCTIONS_MOST];
    unsigned count, bus_most;
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
        return machine.address;
    assert_int_equal(port, 0xcfc);
    assert_int_equal(machine.address & 0xff000003, 0x80000000);
    assert_true((machine.address & 0xff) < 0x40);
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

/* The UARTs found, each as "BUS:DEVICE.FUNCTION port|memory BASE", with its error. */
static void expect(size_t most, const char *want)
{
    static const char *const errors[] = { [UART_OK] = "",
                                          [UART_DISABLED] = " disabled",
                                          [UART_HIGH] = " high",
                                          [UART_PORT] = " no port",
                                          [UART_KIND] = " other kind" };
    struct pci_uart found[4];
    char got[200] = "";
    const size_t count = pci_find_uarts(found, most);

    for (size_t i = 0; i < count; i++) {
        const struct uart *const uart = &found[i].uart;
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%x:%x.%x %s %llx%s", i ? ", " : "", found[i].bus,
                 found[i].device, found[i].function, uart->memory ? "memory" : "port", (unsigned long long)uart->base,
                 errors[found[i].error]);
        assert_true(uart->stride == 1 && uart->access == 1 && !uart->baud && !uart->clock);
    }
    assert_string_equal(got, want);
}

#define PORTS  "80000804 5, " /* the command register after its ports were turned on */
#define MEMORY "80000804 6, "

UNIT_TEST(classes_and_addresses)
{
    static const struct {
        uint32_t class, bar0, bar1;
        const char *found, *written;
    } rows[] = {
        { 0x070002, 0xfe000000, 0xfe001000, "0:1.0 memory fe000000", MEMORY },
        { 0x070002, 0xfe000008, 0, "0:1.0 memory fe000000", MEMORY }, /* prefetchable */
        { 0x070002, 0xfe000000, 0xc061, "0:1.0 port c060", PORTS },
        { 0x070002, 0xfe000004, 0, "0:1.0 memory fe000000", MEMORY },   /* 64 bits */
        { 0x070002, 0xfe000004, 5, "0:1.0 memory 5fe000000 high", "" }, /* the upper half is no BAR of port 4 */
        { 0x070002, 0xfffffff4, 0, "0:1.0 memory fffffff0", MEMORY },
        { 0x070002, 1, 0xc061, "0:1.0 port c060", PORTS }, /* the first has no address */
        { 0x070002, 0, 0xfe000000, "0:1.0 memory fe000000", MEMORY },
        { 0x070002, 0, 0, "0:1.0 port 0 disabled", "" },
        { 0x070002, 1, 1, "0:1.0 port 0 disabled", "" },
        { 0x070002, 0x1c061, 0, "0:1.0 port 1c060 no port", "" },
        { 0x070000, 0xc061, 0, "0:1.0 port c060", PORTS },
        { 0x070006, 0xc061, 0, "0:1.0 port c060", PORTS },
        { 0x070007, 0xc061, 0, "0:1.0 port c060 other kind", "" },
        { 0x0700ff, 0xc061, 0, "0:1.0 port c060 other kind", "" },
        { 0x070102, 0xc061, 0, "", "" },
        { 0x078000, 0xc061, 0, "", "" },
        { 0x060002, 0xc061, 0, "", "" },
        { 0x170002, 0xc061, 0, "", "" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start();
        put(0, 1, 0, rows[i].class, rows[i].bar0, rows[i].bar1);
        expect(1, rows[i].found);
        assert_string_equal(machine.written, rows[i].written);
    }
    start();
    put(0, 31, 0, 0x070002, 0, 0)->config[9] = 0xfe000004; /* the last BAR claims 64 bits */
    machine.functions[0].config[10] = 1;
    expect(1, "0:1f.0 memory fe000000");
}

UNIT_TEST(behind_bridges)
{
    start();
    put(0, 1, 0, 0x060400, 0, 0)->config[3] = 0x00810000; /* several functions, a bridge */
    machine.functions[0].config[6] = 0x00050200;          /* to bus 2 */
    put(0, 1, 7, 0x070002, 0xa001, 0);
    put(2, 0, 0, 0x060400, 0, 0)->config[3] = 0x00010000;
    machine.functions[2].config[6] = 0x00050502; /* to bus 5 */
    put(3, 0, 0, 0x070002, 0xb001, 0);           /* a bus without a bridge */
    put(5, 4, 0, 0x070002, 0xc001, 0);
    put(5, 5, 1, 0x070002, 0xd001, 0); /* of a device without function 0 */
    expect(4, "0:1.7 port a000, 5:4.0 port c000");
    assert_int_equal(machine.bus_most, 5);
    expect(1, "0:1.7 port a000");
    machine.functions[2].config[6] = 0x00000002; /* a bridge to a bus above it */
    expect(4, "0:1.7 port a000");
}

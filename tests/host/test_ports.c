/* SPDX-License-Identifier: MIT */
/*
 * UARTs and serial lines on simulated ports and memory: missing, slow and stuck devices, several at once, and the
 * memory for unsent bytes.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Replaces arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

#define UARTS     3u
#define MMIO_BASE 0xfe034000u
#define NO_ROOM   UINT32_MAX

/* UARTs at ports 3F8H and 2F8H, and in memory. Registers read as written, except those with a rule. */
static struct uart_device {
    uint8_t value[8], divisor[2];
    bool absent, flips_scratch, fifo;
    unsigned busy; /* polls until it can send; NO_ROOM: never ready */
    unsigned polls, room;
    unsigned accepts; /* characters until it is stuck; 0: no limit */
    bool sending;     /* the last character is still being sent */
    char sent[400];
    char written[400];
} devices[UARTS];
static unsigned pauses;
static unsigned stride, access; /* of the UART in memory */

static uint8_t device_get(struct uart_device *d, unsigned number)
{
    if (d->absent)
        return 0xff;
    if (number == 5) {
        const bool stuck = d->busy == NO_ROOM || (d->accepts && strlen(d->sent) >= d->accepts);
        const uint8_t idle = d->sending ? 0 : 0x40;
        if (d->polls < UINT32_MAX)
            d->polls++;
        if (!stuck && d->polls > d->busy) {
            d->room = d->fifo ? 16 : 1;
            return 0x20 | idle;
        }
        return 0x9f | idle; /* every other bit */
    }
    if (number == 2)
        return d->fifo ? 0xc2 : 0x83; /* only bit 7: a FIFO that does not work */
    if (d->flips_scratch && number == 7)
        return 0x5a;
    if (number < 2 && d->value[3] & 0x80)
        return d->divisor[number];
    return d->value[number];
}

static void device_set(struct uart_device *d, unsigned number, uint8_t value)
{
    const size_t used = strlen(d->written), sent = strlen(d->sent);

    if (number == 0 && d->value[3] == 3) {
        assert_int_not_equal(d->room, 0);
        assert_true(sent < sizeof d->sent - 1);
        d->sent[sent] = (char)value;
        d->room--;
        d->polls = 0;
        return;
    }
    if (number < 2 && d->value[3] & 0x80)
        d->divisor[number] = value;
    d->value[number] = value;
    snprintf(d->written + used, sizeof d->written - used, "%x %x, ", number, value);
}

FAKE(static struct uart_device *, at_port, (uint16_t port),
     assert_true((port & 0xfff8) == 0x3f8 || (port & 0xfff8) == 0x2f8), &devices[(port & 0xfff8) == 0x2f8])
FAKE(static uint8_t, port_read8, (uint16_t port), device_get(at_port(port), port & 7))
FAKE_STATIC_VOID(port_write8, (uint16_t port, uint8_t value), device_set(at_port(port), port & 7, value))
FAKE(static unsigned, in_memory, (uintptr_t address, unsigned size), assert_int_equal(size, access),
     assert_int_equal((address - MMIO_BASE) % stride, 0), assert_in_range((address - MMIO_BASE) / stride, 0, 7),
     (unsigned)((address - MMIO_BASE) / stride))

/* The upper bytes of a wider register are not 0. */
FAKE(static uint32_t, device_read, (uintptr_t address, unsigned size),
     device_get(&devices[2], in_memory(address, size)) | 0xabcdef00)
FAKE_STATIC_VOID(device_write, (uintptr_t address, unsigned size, uint32_t value), assert_true(value <= 0xff),
                 device_set(&devices[2], in_memory(address, size), (uint8_t)value))
FAKE_STATIC_VOID(cpu_pause, (void), pauses++)

#include "kernel/serial.c"
#include "kernel/uart.c"

static struct uart port(uint64_t base, uint32_t baud)
{
    return (struct uart){ .base = base, .stride = 1, .access = 1, .baud = baud, .clock = UART_CLOCK };
}

static void start(void)
{
    memset(devices, 0, sizeof devices);
    memset(lines, 0, sizeof lines);
    pauses = line_count = 0;
    ring = first;
    size = FIRST_SIZE;
    written = 0;
    waits = true;
    waited = 0;
    characters_per_second = 11520;
}

static void add(const char *name, struct uart uart)
{
    assert_int_equal(uart_start(&uart), UART_OK);
    assert_true(serial_add(name, &uart));
    devices[0].polls = devices[1].polls = devices[2].polls = 0;
}

/* Must be the first test, before a line is started. */
UNIT_TEST(before_any_line)
{
    serial_write("12345678901234567890");
    assert_int_equal(serial_seconds(), 0);
    assert_int_equal(characters_per_second, 11520);
}

/* Without a speed the divisor is unchanged, and the speed is derived from it. */
UNIT_TEST(firmwares_speed)
{
    struct uart uart;

    start();
    uart = port(0x3f8, 0);
    devices[0].divisor[0] = 0x80;
    devices[0].divisor[1] = 0x01;
    assert_int_equal(uart_start(&uart), UART_OK);
    assert_int_equal(uart.baud, 300);
    assert_string_equal(devices[0].written, "7 5a, 7 a5, 1 0, 3 80, 3 3, 2 7, 4 3, ");
    start();
    uart = port(0x3f8, 0);
    assert_int_equal(uart_start(&uart), UART_OK);
    assert_int_equal(uart.baud, 0);
}

UNIT_TEST(a_port_without_the_pattern_is_not_a_uart)
{
    struct uart uart = port(0x2f8, 9600);

    start();
    devices[1].absent = true;
    assert_int_equal(uart_start(&uart), UART_SILENT);
    assert_string_equal(devices[1].written, "7 5a, ");
    start();
    devices[1].flips_scratch = true;
    assert_int_equal(uart_start(&uart), UART_SILENT);
    assert_string_equal(devices[1].written, "7 5a, 7 a5, ");
    serial_write("ab"); /* no line has been added */
    assert_int_equal(serial_lines(), 0);
    assert_null(serial_lost());
}

UNIT_TEST(in_memory_with_strides)
{
    static const uint8_t strides[][2] = { { 1, 1 }, { 2, 2 }, { 4, 4 }, { 4, 1 } };

    for (size_t i = 0; i < COUNT_OF(strides); i++) {
        start();
        stride = strides[i][0];
        access = strides[i][1];
        add("SPCR", (struct uart){ MMIO_BASE, true, (uint8_t)stride, (uint8_t)access, 115200, 48000000 });
        assert_string_equal(devices[2].written, "7 5a, 7 a5, 1 0, 3 80, 0 1a, 1 0, 3 3, 2 7, 4 3, ");
        serial_write("text");
        assert_string_equal(devices[2].sent, "text");
    }
}

/* Without a FIFO one character at a time, with one sixteen. Every line gets all characters from its start on. */
UNIT_TEST(every_line_gets_all_characters)
{
    start();
    stride = access = 4;
    add("COM1", port(0x3f8, 115200));
    devices[0].busy = 10;
    serial_write("one ");
    assert_int_equal(pauses, 44);
    devices[1].fifo = true;
    add("COM2", port(0x2f8, 115200));
    add("SPCR", (struct uart){ MMIO_BASE, true, 4, 4, 0, 0 });
    devices[1].busy = 30;
    serial_write("two three");
    assert_string_equal(devices[0].sent, "one two three");
    assert_string_equal(devices[1].sent, "two three");
    assert_string_equal(devices[2].sent, "two three");
    assert_int_equal(serial_lines(), 3);
    start();
    devices[0].fifo = true;
    add("COM1", port(0x3f8, 115200));
    devices[0].busy = 10;
    serial_write("abcdefghijklmnopqrstuvwxyz");
    assert_string_equal(devices[0].sent, "abcdefghijklmnopqrstuvwxyz");
    assert_int_equal(pauses, 22);
}

UNIT_TEST(only_the_stuck_line_is_abandoned)
{
    start();
    add("COM1", port(0x3f8, 1200));
    add("COM2", port(0x2f8, 1200));
    devices[0].accepts = 1;
    serial_write("abc");
    assert_string_equal(devices[0].sent, "a");
    assert_string_equal(devices[1].sent, "abc");
    assert_in_range(pauses, 999998, 1000010); /* for one character, not for two */
    assert_int_equal(serial_lines(), 1);
    assert_string_equal(serial_lost(), "COM1");
    assert_null(serial_lost()); /* reported once */
    devices[0].accepts = 0;
    serial_write("def");
    serial_flush();
    assert_string_equal(devices[0].sent, "a");
    assert_string_equal(devices[1].sent, "abcdef");
    assert_in_range(pauses, 999998, 1000020);
}

UNIT_TEST(too_many_lines)
{
    struct uart uart = port(0x3f8, 115200);

    start();
    for (unsigned i = 0; i < SERIAL_LINES; i++)
        assert_true(serial_add("COM1", &uart));
    assert_false(serial_add("COM1", &uart));
    assert_int_equal(serial_lines(), SERIAL_LINES);
}

/* Bytes that a line does not accept remain in memory. The kernel waits only if that memory is full. */
UNIT_TEST(no_wait_while_there_is_memory)
{
    static char memory[8];

    start();
    devices[0].fifo = true;
    add("COM1", port(0x3f8, 1200));
    add("COM2", port(0x2f8, 1200));
    serial_write("x");
    serial_buffer(NULL, 8); /* has no effect */
    assert_true(waits);
    serial_buffer(memory, 8);
    assert_string_equal(devices[0].sent, "x");
    devices[1].busy = 5;
    devices[1].polls = 0;
    pauses = 0;
    serial_write("12345678");
    assert_memory_equal(memory, "81234567", 8); /* x was the first, and was sent */
    assert_string_equal(devices[0].sent, "x12345678");
    assert_string_equal(devices[1].sent, "x");
    assert_int_equal(pauses, 0);
    assert_int_equal(waited, 1);
    serial_write("9");
    assert_true(pauses > 0);
    assert_string_equal(devices[1].sent, "x1");
    assert_int_equal(waited, 2);
    pauses = 0;
    devices[1].sending = true; /* the last character is never sent */
    serial_flush();
    assert_int_equal(waited, 2 + 8); /* the characters of the slower line */
    assert_string_equal(devices[1].sent, "x123456789");
    assert_int_equal(serial_lines(), 2);
    assert_in_range(pauses, 1000000, 1000100);
    pauses = 0;
    devices[1].sending = false;
    devices[0].sending = true; /* the first line's last character */
    serial_flush();
    assert_in_range(pauses, 1000000, 1000100);
}

/* A character takes ten bits. The sending time is that of the slowest line. */
UNIT_TEST(seconds_are_those_of_the_line)
{
    start();
    add("COM1", port(0x3f8, 1200));
    add("COM2", port(0x2f8, 9600));
    assert_int_equal(serial_seconds(), 0);
    for (unsigned i = 0; i < 119; i++)
        serial_write("x");
    assert_int_equal(serial_seconds(), 0);
    serial_write("x");
    assert_int_equal(serial_seconds(), 1);
    for (unsigned i = 0; i < 12; i++)
        serial_write("1234567890");
    assert_int_equal(serial_seconds(), 2);
    start();
    add("COM1", port(0x3f8, 0)); /* unknown: the default speed */
    assert_int_equal(characters_per_second, 11520);
    add("COM2", port(0x2f8, 57600));
    assert_int_equal(characters_per_second, 5760);
    start();
    add("COM1", port(0x3f8, 57600));
    add("COM2", port(0x2f8, 115200));
    assert_int_equal(characters_per_second, 5760);
}

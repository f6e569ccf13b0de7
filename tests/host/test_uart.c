/* SPDX-License-Identifier: MIT */
/* Divisors and speeds of UARTs, and which speeds are possible. */
#include "tests/host/unit_test.h"

#include "boot/uart.h"

UNIT_TEST(divisors)
{
    static const struct {
        uint32_t baud, clock;
        uint16_t divisor;
    } rows[] = {
        { 115200, 0, 1 },           { 115200, 1843200, 1 },
        { 9600, 1843200, 12 },      { 1200, 1843200, 96 },
        { 2, 1843200, 57600 },      { 1, 16 * 65535, 65535 },
        { 1, 16 * 65536, 0 },       { 1, 1843200, 0 },      /* 115200 */
        { 230400, 1843200, 0 },                             /* a half */
        { 230401, 1843200, 0 },                             /* less */
        { 115200, 24000000, 13 },                           /* 0.16% off */
        { 115200, 100000000, 54 },                          /* 0.47% */
        { 115200, 48000000, 26 },                           /* 0.16% */
        { 115200, 14745600, 8 },    { 1000, 16 * 1020, 1 }, /* 1.96% too fast */
        { 1000, 16 * 1021, 0 },                             /* 2.06% */
        { 1021, 16 * 1000, 0 },                             /* 2.1% too slow */
        { 1020, 16 * 1000, 1 },                             /* 2% */
        { 4000000, 64000000, 1 },   { 4294967295, 4294967295, 0 },
        { 4294967295, 1843200, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct uart uart = { .baud = rows[i].baud, .clock = rows[i].clock };
        if (uart_divisor(&uart) != rows[i].divisor)
            fail_msg("%u baud of %u Hz: %u", rows[i].baud, rows[i].clock, uart_divisor(&uart));
    }
}

UNIT_TEST(speeds)
{
    const struct uart port = { .base = 0x3f8 }, clocked = { .memory = true, .clock = 48000000 },
                      unknown = { .memory = true };

    assert_int_equal(uart_baud(&port, 1), 115200);
    assert_int_equal(uart_baud(&port, 12), 9600);
    assert_int_equal(uart_baud(&port, 0), 0);
    assert_int_equal(uart_baud(&clocked, 26), 115384);
    assert_int_equal(uart_baud(&clocked, 0), 0);
    assert_int_equal(uart_baud(&unknown, 1), 0);
}

UNIT_TEST(reach)
{
    static const struct {
        struct uart uart;
        unsigned size;
        enum uart_error error;
    } rows[] = {
        { { 0x3f8, false, 1, 1, 0, 0 }, 8, UART_OK },
        { { 0xfff8, false, 1, 1, 0, 0 }, 8, UART_OK },
        { { 0xfff9, false, 1, 1, 0, 0 }, 8, UART_PORT },
        { { 0x10000, false, 1, 1, 0, 0 }, 8, UART_PORT },
        { { UINT64_MAX, false, 1, 1, 0, 0 }, 8, UART_PORT },
        { { 0xfffffff8, true, 1, 1, 0, 0 }, 8, UART_OK },
        { { 0xfffffff9, true, 1, 1, 0, 0 }, 8, UART_HIGH },
        { { 0xfffffff0, true, 2, 2, 0, 0 }, 16, UART_OK },
        { { 0xffffffe0, true, 4, 4, 0, 0 }, 32, UART_OK },
        { { 0xffffffe4, true, 4, 4, 0, 0 }, 32, UART_HIGH },
        { { 0xffffffe3, true, 4, 1, 0, 0 }, 29, UART_OK },
        { { UINT64_C(0x100000000), true, 1, 1, 0, 0 }, 8, UART_HIGH },
        { { UINT64_MAX, true, 4, 4, 0, 0 }, 32, UART_HIGH },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(uart_size(&rows[i].uart), rows[i].size);
        assert_int_equal(uart_reach(&rows[i].uart), rows[i].error);
    }
}

UNIT_TEST(equal_uarts)
{
    const struct uart one = { 0x3f8, false, 1, 1, 115200, 0 }, faster = { 0x3f8, false, 1, 1, 9600, 1 },
                      other = { 0x2f8, false, 1, 1, 115200, 0 }, memory = { 0x3f8, true, 1, 1, 115200, 0 };

    assert_true(uart_same(&one, &faster));
    assert_false(uart_same(&one, &other));
    assert_false(uart_same(&one, &memory));
}

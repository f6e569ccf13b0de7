/* SPDX-License-Identifier: MIT */
#include "kernel/serial.h"

#include "arch/x86/cpu.h"
#include "kernel/uart.h"

/* Far more polls than a FIFO needs at 1200 baud. Then the line counts as stuck and is given up. */
#define SEND_POLLS 1000000u

#define BITS_PER_CHARACTER 10u     /* start bit, eight data bits, stop bit */
#define USUAL_BAUD         115200u /* assumed if the speed is unknown */
#define FIRST_SIZE         256u

static struct line {
    struct uart uart;
    const char *name;
    uint64_t sent; /* number of characters written so far */
    bool given_up, said;
} lines[SERIAL_LINES];
static unsigned line_count;

static char first[FIRST_SIZE];
static char *ring = first; /* the last `size` characters that were written */
static size_t size = FIRST_SIZE;
static uint64_t written;
static bool waits = true; /* whether serial_write() waits for all of its text */

static uint32_t waited, characters_per_second = USUAL_BAUD / BITS_PER_CHARACTER;

bool serial_add(const char *name, const struct uart *uart)
{
    const uint32_t rate = (uart->baud ? uart->baud : USUAL_BAUD) / BITS_PER_CHARACTER;

    if (line_count == SERIAL_LINES)
        return false;
    if (!line_count || rate < characters_per_second)
        characters_per_second = rate ? rate : 1;
    lines[line_count++] = (struct line){ .uart = *uart, .name = name, .sent = written };
    return true;
}

unsigned serial_lines(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < line_count; i++)
        count += !lines[i].given_up;
    return count;
}

static uint64_t behind(const struct line *line)
{
    return line->given_up ? 0 : written - line->sent;
}

/* Sends what a line accepts at once. Returns whether it accepted any. */
static bool feed(struct line *line)
{
    unsigned room = behind(line) ? uart_room(&line->uart) : 0;
    const bool any = room;

    for (; room && behind(line); room--, line->sent++)
        uart_send(&line->uart, ring[line->sent & (size - 1)]);
    return any;
}

/* Waits until no line is more than this many characters behind. */
static void wait_until(uint64_t most)
{
    uint32_t polls[SERIAL_LINES] = { 0 };
    bool more;

    do {
        more = false;
        for (unsigned i = 0; i < line_count; i++) {
            if (behind(&lines[i]) <= most)
                continue;
            more = true;
            if (feed(&lines[i]))
                polls[i] = 0;
            else if (++polls[i] == SEND_POLLS)
                lines[i].given_up = true;
        }
        if (more)
            cpu_pause();
    } while (more);
}

/* Counts every character in `waited`, even if no line needs a wait, so that given-up lines count like others. */
static void append(char character)
{
    for (unsigned i = 0; i < line_count; i++) {
        if (behind(&lines[i]) == size) {
            wait_until(size - 1);
            waited += !waits;
        }
    }
    ring[written++ & (size - 1)] = character;
    waited += waits;
}

void serial_write(const char *text)
{
    while (*text != '\0')
        append(*text++);
    if (waits)
        wait_until(0);
    for (unsigned i = 0; i < line_count; i++)
        feed(&lines[i]);
}

void serial_buffer(char *memory, size_t bytes)
{
    if (!memory)
        return;
    wait_until(0);
    ring = memory;
    size = bytes;
    waits = false;
}

void serial_flush(void)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < line_count; i++)
        if (behind(&lines[i]) > most)
            most = behind(&lines[i]);
    waited += (uint32_t)most;
    wait_until(0);
    for (unsigned i = 0; i < line_count; i++)
        for (uint32_t polls = 0; !lines[i].given_up && !uart_idle(&lines[i].uart) && polls < SEND_POLLS; polls++)
            cpu_pause();
}

const char *serial_lost(void)
{
    for (unsigned i = 0; i < line_count; i++)
        if (lines[i].given_up && !lines[i].said) {
            lines[i].said = true;
            return lines[i].name;
        }
    return NULL;
}

unsigned serial_seconds(void)
{
    return waited / characters_per_second;
}

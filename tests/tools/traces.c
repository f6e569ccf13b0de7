/* SPDX-License-Identifier: MIT */
/*
 * traces KIND RECORDS: writes a raw dump of this many records, as the kernel would, of imitated programs. Used to
 * measure the bytes per record and the speed of dsdump.
 *   loop    BTS: one loop of three branches      sort    BTS: quicksort of random numbers
 *   search  BTS: binary searches at random       machine BTS: an interpreter, indirect jumps by its program
 *   mix     BTS: the first four, a few thousand records each in turn
 *   pebs    PEBS of format 3: one record every few loads of the sort and the searches
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/dump/dump_write.h"
#include "tools/standard.h"

#define CODE       UINT64_C(0x401000) /* code of the first program; each program has its own page */
#define PAGE       UINT64_C(0x1000)
#define ELEMENTS   4096u
#define TURN       3000u /* records of a program in the mix before the next program's turn */
#define DATA       UINT64_C(0x7f3a5c000000)
#define STACK      UINT64_C(0x7ffd1e4c8000)
#define PEBS_SIZE  200u
#define PEBS_EVERY 5u

static struct dump_writer writer;
static uint64_t wanted, made, turn_end;
static bool pebs;
static uint32_t loads, numbers[ELEMENTS];
static uint64_t clock_now = 0x1b3901857;

static void print(void *context, const char *text)
{
    (void)context;
    printf("# %s\n", text);
}

static uint32_t random_number(void)
{
    static uint32_t state = 2463534242u; /* Marsaglia's xorshift */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* A taken branch of the program with this page. */
static void branch(unsigned program, unsigned from, unsigned to)
{
    uint8_t record[24] = { 0 };

    clock_now += 7 + random_number() % 5;
    if (pebs || made >= wanted)
        return;
    write_u64(record, 0, CODE + program * PAGE + from);
    write_u64(record, 8, CODE + program * PAGE + to);
    dump_write_bts(&writer, 0, 8, false, record, 1);
    made++;
}

/* A load of numbers[index] at this place, with the registers' values. */
static uint32_t load(unsigned program, unsigned ip, uint32_t index, uint64_t a, uint64_t b, uint64_t depth)
{
    const struct pebs_form form = { .width = 8, .format = 3, .lbr_format = 5 };
    const uint64_t address = DATA + 4 * (uint64_t)index, at = CODE + program * PAGE + ip;
    const uint64_t latency = random_number() % 8 ? 4 : 40 + random_number() % 20;
    uint64_t words[PEBS_SIZE / 8] = { 0x246,
                                      at + 4,
                                      numbers[index],
                                      b,
                                      index,
                                      a,
                                      DATA,
                                      address,
                                      STACK - 64 * depth + 48,
                                      STACK - 64 * depth,
                                      0,
                                      ELEMENTS,
                                      0x401,
                                      a + b,
                                      0,
                                      0,
                                      a,
                                      b,
                                      1,
                                      address,
                                      latency > 4 ? 0x122 : 0x121,
                                      latency,
                                      at,
                                      0,
                                      clock_now };
    uint8_t record[PEBS_SIZE];

    if (!pebs || made >= wanted || ++loads % PEBS_EVERY != 0)
        return numbers[index];
    for (unsigned i = 0; i < PEBS_SIZE / 8; i++)
        write_u64(record, 8 * i, words[i]);
    dump_write_pebs(&writer, 0, &form, DATA_SOURCE_SKYLAKE, PEBS_SIZE, record, 1);
    made++;
    return numbers[index];
}

static bool over(void)
{
    return made >= wanted || made >= turn_end;
}

static void loop(void)
{
    while (!over())
        for (unsigned i = 0; i < 1000; i++) {
            if (i % 2)
                branch(0, 0x10, 0x18);
            branch(0, 0x2a, 0x04);
        }
}

static void sort(unsigned call, unsigned low, unsigned high, unsigned depth)
{
    unsigned i = low, j = high;
    uint32_t pivot;

    branch(1, call, 0x00);
    if (low < high && depth < 64) {
        pivot = load(1, 0x1a, low + (high - low) / 2, low, high, depth);
        while (i <= j) {
            while (load(1, 0x30, i, j, pivot, depth) < pivot) {
                branch(1, 0x37, 0x2c);
                i++;
            }
            while (load(1, 0x44, j, i, pivot, depth) > pivot) {
                branch(1, 0x4b, 0x40);
                j--;
            }
            if (i <= j) {
                uint32_t swap = numbers[i];
                numbers[i] = numbers[j];
                numbers[j] = swap;
                i++;
                j = j ? j - 1 : 0;
            } else {
                branch(1, 0x52, 0x70);
            }
            branch(1, 0x74, 0x2c);
            if (i == 1 && j == 0)
                break;
        }
        if (low < j)
            sort(0x80, low, j, depth + 1);
        else
            branch(1, 0x7a, 0x88);
        if (i < high)
            sort(0x92, i, high, depth + 1);
        else
            branch(1, 0x8c, 0x9a);
    } else {
        branch(1, 0x0a, 0x9a);
    }
    branch(1, 0xa0, call + 5);
}

static void sorts(void)
{
    while (!over()) {
        for (unsigned i = 0; i < ELEMENTS; i++)
            numbers[i] = random_number() % 100000;
        sort(0xf0, 0, ELEMENTS - 1, 0);
    }
}

static void searches(void)
{
    for (unsigned i = 0; i < ELEMENTS; i++)
        numbers[i] = 24 * i;
    while (!over()) {
        uint32_t sought = random_number() % 100000;
        unsigned low = 0, high = ELEMENTS;
        branch(2, 0x90, 0x00);
        while (low < high) {
            unsigned middle = (low + high) / 2;
            if (load(2, 0x1c, middle, low, high, 0) < sought) {
                branch(2, 0x22, 0x30);
                low = middle + 1;
            } else {
                high = middle;
                branch(2, 0x2a, 0x34);
            }
            branch(2, 0x38, 0x10);
        }
        branch(2, 0x3e, 0x95);
    }
}

/* Interprets a program of 64 instructions with loops, repeatedly. */
static void machine(void)
{
    static uint8_t program[64];
    unsigned counter = 0;

    if (program[0] == 0)
        for (unsigned i = 0; i < sizeof(program); i++)
            program[i] = (uint8_t)(1 + random_number() % 20);
    while (!over())
        for (unsigned at = 0; at < sizeof(program) && !over(); at++) {
            unsigned operation = program[at];
            branch(3, 0x1c, 0x100 + 0x30 * operation);
            if (operation < 4 && ++counter % (3 + operation) != 0)
                at = at > 6 ? at - 6 : 0; /* a loop of the program */
            branch(3, 0x100 + 0x30 * operation + 0x22, 0x04);
        }
}

static void mix(void)
{
    static void (*const programs[])(void) = { loop, sorts, searches, machine };

    for (unsigned i = 0; made < wanted; i++) {
        turn_end = made + TURN;
        programs[i % 4]();
    }
}

static void pebs_mix(void)
{
    pebs = true;
    for (unsigned i = 0; made < wanted; i++) {
        turn_end = made + TURN;
        (i % 2 ? searches : sorts)();
    }
}

static const struct kind {
    const char *name;
    void (*run)(void);
} kinds[] = { { "loop", loop },       { "sort", sorts }, { "search", searches },
              { "machine", machine }, { "mix", mix },    { "pebs", pebs_mix } };

int main(int argc, char **argv)
{
    static const struct line_sink out = { print, NULL };
    const struct dump_machine head = { .version = "traces",
                                       .cpu_width = 64,
                                       .signature = 0x506e3,
                                       .perf_capabilities = 0x33c5,
                                       .ds_width = 8,
                                       .pebs = { .width = 8, .format = 3, .lbr_format = 5 },
                                       .data_source = DATA_SOURCE_SKYLAKE };

    standard_open();
    if (argc != 3) {
        fprintf(stderr, "usage: traces KIND RECORDS\n");
        return 2;
    }
    wanted = strtoull(argv[2], NULL, 10);
    turn_end = wanted;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, argv[1]) != 0)
            continue;
        dump_writer_init(&writer, &out);
        dump_write_head(&writer, &head);
        dump_write_test(&writer, kinds[i].name);
        kinds[i].run();
        dump_write_end(&writer);
        return standard_end("traces", 0, 1);
    }
    fprintf(stderr, "traces: no kind '%s'\n", argv[1]);
    return 2;
}

/* SPDX-License-Identifier: MIT */
#include "tests/host/machine/machine.h"

#include "tests/host/fakes.h"

#include <inttypes.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/devices/processors.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/test.h"
#include "suite/support/code.h"
#include "suite/support/transfers.h"

#define REGISTERS_MAX 256u

struct machine machine;

static struct {
    uint32_t msr;
    uint64_t value;
    bool refused;
} registers[REGISTERS_MAX];
static unsigned registers_used;
static uint64_t stamps; /* that time_stamp() has returned */

static struct text {
    char text[65536];
    size_t used;
} problems, dumped, printed;

static void append(struct text *to, const char *prefix, const char *fmt, va_list args)
{
    const size_t room = sizeof to->text - to->used;
    int length = snprintf(to->text + to->used, room, "%s", prefix);
    length += vsnprintf(to->text + to->used + length, room - (size_t)length, fmt, args);
    assert_true(length > 0 && (size_t)length + 1 < room);
    to->used += (size_t)length;
    to->text[to->used++] = '\n';
    to->text[to->used] = 0;
}

static void dump(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void dump(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    append(&dumped, "", fmt, args);
    va_end(args);
}

static void compare_and_empty(struct text *got, const char *lines)
{
    if (strcmp(got->text, lines) != 0)
        fail_msg("got:\n%s\nmust be:\n%s", got->text, lines);
    got->used = 0;
    got->text[0] = 0;
}

void machine_found(const char *lines)
{
    compare_and_empty(&problems, lines);
}

void machine_dumped(const char *lines)
{
    compare_and_empty(&dumped, lines);
}

void machine_printed(const char *lines)
{
    compare_and_empty(&printed, lines);
}

void machine_has_printed(const char *lines)
{
    if (!strstr(printed.text, lines))
        fail_msg("got:\n%s\nmust have: %s", printed.text, lines);
}

void machine_start(void)
{
    machine = (struct machine){ 0 };
    registers_used = 0;
    stamps = 0;
    problems.used = dumped.used = printed.used = 0;
    problems.text[0] = dumped.text[0] = printed.text[0] = 0;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static unsigned find(uint32_t msr)
{
    unsigned i = 0;
    while (i < registers_used && registers[i].msr != msr)
        i++;
    if (i == registers_used) {
        assert_true(registers_used < REGISTERS_MAX);
        registers_used++;
        registers[i].msr = msr;
        registers[i].value = 0;
        registers[i].refused = false;
    }
    return i;
}

void machine_set(uint32_t msr, uint64_t value)
{
    registers[find(msr)].value = value;
}

void machine_refuse(uint32_t msr)
{
    registers[find(msr)].refused = true;
}

/* Reads the next register and value of a list. Returns false at the end. */
static bool next_register(const char **list, uint32_t *msr, uint64_t *value)
{
    int used = 0;

    if (sscanf(*list, "%" SCNx32 " %" SCNx64 "%n", msr, value, &used) != 2)
        assert_string_equal(*list, "");
    *list += used + ((*list)[used] == ',');
    return used > 0;
}

void machine_sets(const char *list)
{
    uint32_t msr;
    uint64_t value;

    while (next_register(&list, &msr, &value))
        machine_set(msr, value);
}

void machine_holds(const char *list)
{
    uint32_t msr;
    uint64_t value;

    while (next_register(&list, &msr, &value))
        if (registers[find(msr)].value != value)
            fail_msg("register %" PRIx32 " is %" PRIx64 ", must be %" PRIx64, msr, registers[find(msr)].value, value);
}

signed char msr_watching[PROCESSORS_MOST];

bool msr_read(uint32_t msr, uint64_t *value)
{
    const unsigned i = find(msr);
    *value = registers[i].refused ? 0 : registers[i].value;
    return !registers[i].refused;
}

bool msr_write(uint32_t msr, uint64_t value)
{
    const unsigned i = find(msr);
    if (registers[i].refused || (machine.refuses && machine.refuses(msr, value)))
        return false;
    machine.writes++;
    registers[i].value = value;
    if (machine.write)
        machine.write(msr, value);
    return true;
}

FAKE(bool, msr_try, (uint32_t msr, uint64_t value), msr_write(msr, value))

void msr_watch_read(uint32_t msr, uint64_t value, uint64_t others)
{
    (void)msr;
    (void)value;
    (void)others;
}

/* ---- the processor ----------------------------------------------------------------------------------------------- */

FAKE(struct cpuid, cpuid, (uint32_t leaf, uint32_t subleaf),
     machine.leaves ? machine.leaves(leaf, subleaf) : (struct cpuid){ 0 })

/* A time stamp is 1000 after the last one; the first is 0. */
FAKE(uint64_t, time_stamp, (void), 1000 * stamps++)
FAKE_VOID(cpu_pause, (void), machine.pauses++)
FAKE(uintptr_t, dr7_read, (void), machine.dr7)
FAKE_VOID(dr7_write, (uintptr_t value), machine.dr7 = value)
FAKE_VOID(interrupts_on, (void), (void)0)
FAKE_VOID(interrupts_off, (void), (void)0)
FAKE(uintptr_t, flags_read, (void), 1 << 9) /* IF */
FAKE(unsigned, processor_number, (void), machine.processor)

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static uint32_t lvt; /* of the performance counters */

FAKE(bool, apic_present, (void), true)
FAKE_VOID(apic_eoi, (void), (void)0)
FAKE_VOID(apic_send_self, (unsigned vector), (void)vector)
FAKE(uint32_t, apic_performance_lvt, (void), lvt)
FAKE_VOID(apic_performance_write, (uint32_t entry), lvt = entry)
FAKE_VOID(apic_performance_arm, (unsigned vector), lvt = vector)
FAKE_VOID(apic_performance_mask, (void), lvt |= APIC_LVT_MASKED)

FAKE_VOID(interrupt_set, (unsigned vector, interrupt_handler *handler), assert_int_equal(vector, VECTOR_PERFORMANCE),
          machine.handler = handler)

FAKE(uint64_t, interrupt_gate_address, (unsigned vector), 1000 * vector)
FAKE(uint8_t, interrupt_gate_type, (unsigned vector), GATE_INTERRUPT)

/* ---- memory ------------------------------------------------------------------------------------------------------ */

uint8_t text_start[1], user_start[1], user_end[1], stack_guard[1], data_end[1];

const struct workload workload_based;

FAKE(bool, code_has, (uint64_t address), !machine.no_code)
FAKE(bool, code_has_branch, (uint64_t from, uint64_t to), !machine.no_code)
FAKE(bool, code_follows, (uint64_t from, uint64_t to), true)
FAKE(bool, paging_no_execute, (void), true)
FAKE(bool, paging_lookup, (uint64_t linear, uint64_t *entry),
     *entry = PAGE_PRESENT | PAGE_WRITE | PAGE_ACCESSED | PAGE_DIRTY | PAGE_NO_EXECUTE | (linear & PAGE_ADDRESS), true)

/* ---- the kernel around it ---------------------------------------------------------------------------------------- */

void(test_plan)(struct test_run *run, unsigned records)
{
    run->planned = true;
    run->expected = run->most = records;
}

void(test_plan_between)(struct test_run *run, unsigned least, unsigned most)
{
    run->planned = true;
    run->expected = least;
    run->most = most;
}

void(test_plan_typical)(struct test_run *run, unsigned least, unsigned most, unsigned typical)
{
    (test_plan_between)(run, least, most);
    run->typical = typical;
}

FAKE_VOID(test_saw, (struct test_run * run, unsigned records), run->seen += records)

void(test_fail)(struct test_run *run, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    append(&problems, "wrong: ", fmt, args);
    va_end(args);
    run->problems++;
}

void(test_differs)(struct test_run *run, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    append(&problems, "differs: ", fmt, args);
    va_end(args);
    run->differences++;
}

bool(test_equal)(struct test_run *run, const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        test_fail(run, "%s is 0x%" PRIx64 ", must be 0x%" PRIx64, what, got, want);
    return got == want;
}

void console_note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    append(&printed, "", fmt, args);
    va_end(args);
}

static FAKE_VOID(sink_line, (void *context, const char *text), console_note("%s", text))
static FAKE(bool, no_symbol, (void *context, uint64_t address, const char **name, uint64_t *offset), false)

const struct line_sink console_sink = { sink_line, NULL };
const struct symbolizer console_symbols = { no_symbol, NULL };

FAKE_VOID(dump_bts, (unsigned cpu, const struct ds_log *log), dump("bts of %u: %u", cpu, log->records))
FAKE_VOID(dump_pebs, (unsigned cpu, const struct ds_log *log, enum data_source_encoding encoding),
          dump("pebs of %u: %u, sources %d", cpu, log->records, (int)encoding))
FAKE_VOID(dump_lbr, (unsigned cpu, const struct lbr_stack *stack), dump("lbr of %u: %u", cpu, stack->depth))
FAKE_VOID(dump_flush, (void), dump("flush"))

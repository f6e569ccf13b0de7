/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/processors.h"

#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/devices/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/paging.h"
#include "arch/x86/string.h"

#define STACK_SIZE (PROCESSOR_MEMORY - DESCRIPTORS_MEMORY)

/* The manual's delays, in microseconds, and how often to check for the processor in between. */
#define PAUSE_INIT    10000u
#define PAUSE_STARTUP 200u
#define PAUSE_LOOK    1000u
#define LOOKS         1000u
#define LOOKS_FEW     20u
#define ABSENT_MANY   3u  /* processors that did not start; the next get less time */
#define PAUSES_PER_US 20u /* pauses in a microsecond, if there is no clock */

enum state { STOPPED, STARTING, RUNNING, DONE, LENT };

static struct {
    volatile enum state state;
    uint32_t apic_id;
    uint8_t *memory; /* tables, then the stack; NULL: none yet */
} processors[PROCESSORS_MOST];

/* The APIC IDs of processors that did not start. */
static uint32_t absent[PROCESSORS_MOST];
static unsigned absent_count;

/* The number of the processor being started, one at a time. */
static unsigned starting;
static void (*starting_main)(unsigned number);
uintptr_t startup_stack;

#define STARTUP_CODE_SIZE 64u
extern const uint8_t startup_code[STARTUP_CODE_SIZE];
void processor_entry(void);

#define STACK_LEFT 1024u /* bytes for the boot processor's innermost frames, below that of processor_lend() */
/* A loan: another processor acts as the boot processor for a while. */
static struct {
    volatile bool taken, given, over;
    bool ended;
    uint32_t lender; /* the boot processor's APIC ID */
    uint32_t ticks;
    uintptr_t stack;
    void (*main)(void);
    bool (*look)(void);
} loan;
void call_on_stack(uintptr_t top, void (*function)(void));

static void wait(unsigned microseconds)
{
    if (!clock_wait(microseconds))
        for (unsigned n = microseconds * PAUSES_PER_US; n; n--)
            cpu_pause();
}

/* The entry of a started processor, from startup*.asm, which halts it when this returns. */
void processor_entry(void)
{
    const unsigned number = starting;
    void (*const main)(unsigned) = starting_main;

    descriptors_load(number, processors[number].memory);
    paging_enter();
    if (apic_enter() != APIC_OK)
        return; /* the boot processor gives up on it */
    apic_quiet();
    processors[number].state = RUNNING;
    main(number);
    processors[number].state = DONE;
}

static bool has_started(unsigned number, unsigned looks, unsigned pause)
{
    while (processors[number].state == STARTING && looks--)
        wait(pause);
    return processors[number].state != STARTING;
}

/* A processor that runs at all accepts the loan at once. */
static bool has_taken_loan(void)
{
    for (unsigned looks = LOOKS; !loan.taken && looks; looks--)
        wait(PAUSE_LOOK);
    return loan.taken;
}

static void woken(struct interrupt_frame *frame)
{
    (void)frame;
    apic_eoi();
}

static bool is_absent(uint32_t id)
{
    for (unsigned i = 0; i < absent_count; i++)
        if (absent[i] == id)
            return true;
    return false;
}

/* Stops a processor that did not start, so that it does not start later, and waits until INIT has reached it. */
static void give_up(unsigned number, uint32_t id)
{
    apic_send_init(id);
    wait(PAUSE_INIT);
    processors[number].state = STOPPED;
    if (absent_count < PROCESSORS_MOST)
        absent[absent_count++] = id;
}

void processor_give(unsigned number, void *memory)
{
    processors[number].memory = memory;
}

bool processor_start(unsigned number, uint32_t id, uintptr_t low_page, void (*main)(unsigned number))
{
    uint8_t before[STARTUP_CODE_SIZE];
    bool started;

    if (!low_page || !processors[number].memory || is_absent(id) || processor_is_lent())
        return false;
    interrupt_set(VECTOR_WAKE, woken);
    processors[0].apic_id = apic_id();
    starting = number;
    starting_main = main;
    startup_stack = (uintptr_t)(processors[number].memory + PROCESSOR_MEMORY);
    processors[number].apic_id = id;
    processors[number].state = STARTING;
    memcpy(before, (const void *)low_page, sizeof before);
    memcpy((void *)low_page, startup_code, sizeof before);

    apic_send_init(id);
    wait(PAUSE_INIT);
    apic_send_startup(id, low_page);
    started = has_started(number, 1, PAUSE_STARTUP);
    if (!started) {
        apic_send_startup(id, low_page);
        started = has_started(number, absent_count < ABSENT_MANY ? LOOKS : LOOKS_FEW, PAUSE_LOOK);
    }
    if (!started)
        give_up(number, id);
    memcpy((void *)low_page, before, sizeof before);
    return started;
}

void processor_wake(unsigned number)
{
    apic_send(processors[number].apic_id, VECTOR_WAKE);
}

bool processor_done(unsigned number)
{
    return processors[number].state == DONE;
}

void processors_stop(void)
{
    for (unsigned n = 1; n < PROCESSORS_MOST; n++) {
        if (processors[n].state == LENT)
            continue;
        if (processors[n].state == RUNNING)
            apic_send_init(processors[n].apic_id);
        processors[n].state = STOPPED;
    }
}

/* The lent processor's main function. It stays on its own stack until the boot processor's tables are free. */
static void borrow(unsigned number)
{
    processors[number].state = LENT;
    loan.taken = true;
    while (!loan.given)
        cpu_pause();
    descriptors_load(0, descriptors_of_boot());
    call_on_stack(loan.stack, loan.main);
    interrupts_off();
    descriptors_load(number, processors[number].memory);
    loan.over = true;
    apic_send(loan.lender, VECTOR_WAKE);
}

static void sleep(void)
{
    while (!loan.over && !loan.ended) {
        apic_timer_start(VECTOR_WAKE, loan.ticks);
        cpu_halt_for_interrupt();
        loan.ended = !loan.over && loan.look();
    }
    apic_timer_start(VECTOR_WAKE, 0);
}

enum processor_loan processor_lend(unsigned number, uint32_t id, uintptr_t low_page, void *spare, uint32_t ticks,
                                   void (*main)(void), bool (*look)(void))
{
    loan.taken = loan.given = loan.over = loan.ended = false;
    loan.lender = apic_id();
    loan.ticks = ticks;
    loan.main = main;
    loan.look = look;
    loan.stack = ((uintptr_t)__builtin_frame_address(0) - STACK_LEFT) & ~(uintptr_t)(STACK_LEFT - 1);
    if (!processor_start(number, id, low_page, borrow))
        return LOAN_NEVER;
    if (!has_taken_loan()) {
        give_up(number, id);
        return LOAN_NEVER;
    }
    descriptors_load(number, spare);
    loan.given = true;
    call_on_stack((uintptr_t)spare + PROCESSOR_MEMORY, sleep);
    loan.given = false;
    apic_send_init(id);
    wait(PAUSE_INIT);
    processors[number].state = STOPPED;
    descriptors_load(0, descriptors_of_boot());
    paging_enter(); /* the other processor may have changed page tables and restored them */
    return loan.over ? LOAN_OVER : LOAN_ENDED;
}

bool processor_is_lent(void)
{
    return loan.given;
}

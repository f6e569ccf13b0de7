/* SPDX-License-Identifier: MIT */
#include "arch/x86/processors.h"

#include <stddef.h>

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/paging.h"
#include "arch/x86/pit.h"
#include "arch/x86/string.h"

#define STACK_SIZE 8192u

/* The manual's delays, in microseconds, and how often to check for the processor in between. */
#define PAUSE_INIT    10000u
#define PAUSE_STARTUP 200u
#define PAUSE_LOOK    1000u
#define LOOKS         1000u
#define PAUSES_PER_US 20u /* pauses in a microsecond, if there is no PIT */

enum state { STOPPED, STARTING, RUNNING, DONE };

static struct {
    volatile enum state state;
    unsigned apic_id;
} processors[PROCESSORS_MAX];

static uint8_t stacks[PROCESSORS_MAX - 1][STACK_SIZE] __attribute__((aligned(16)));

/* The number of the processor being started, one at a time. */
static unsigned starting;
static void (*starting_main)(unsigned number);
uintptr_t startup_stack;

#define STARTUP_CODE_SIZE 64u
extern const uint8_t startup_code[STARTUP_CODE_SIZE];
void processor_entry(void);

static void wait(unsigned microseconds)
{
    if (!pit_wait(microseconds))
        for (unsigned n = microseconds * PAUSES_PER_US; n; n--)
            cpu_pause();
}

/* The entry of a started processor, from startup*.asm, which halts it when this returns. */
void processor_entry(void)
{
    const unsigned number = starting;
    void (*const main)(unsigned) = starting_main;

    descriptors_load(number);
    paging_enter();
    if (apic_enter_xapic() != APIC_OK)
        return; /* never seen as started */
    apic_quiet();
    processors[number].state = RUNNING;
    main(number);
    processors[number].state = DONE;
}

static bool has_come(unsigned number, unsigned looks, unsigned pause)
{
    while (processors[number].state == STARTING && looks--)
        wait(pause);
    return processors[number].state != STARTING;
}

static void woken(struct interrupt_frame *frame)
{
    (void)frame;
    apic_eoi();
}

bool processor_start(unsigned number, unsigned id, uintptr_t low_page, void (*main)(unsigned number))
{
    uint8_t before[STARTUP_CODE_SIZE];
    bool come;

    interrupt_set(VECTOR_WAKE, woken);
    processors[0].apic_id = apic_id();
    starting = number;
    starting_main = main;
    startup_stack = (uintptr_t)(stacks[number - 1] + STACK_SIZE);
    processors[number].apic_id = id;
    processors[number].state = STARTING;
    memcpy(before, (const void *)low_page, sizeof before);
    memcpy((void *)low_page, startup_code, sizeof before);

    apic_send_init(id);
    wait(PAUSE_INIT);
    apic_send_startup(id, low_page);
    come = has_come(number, 1, PAUSE_STARTUP);
    if (!come) {
        apic_send_startup(id, low_page);
        come = has_come(number, LOOKS, PAUSE_LOOK);
    }
    if (!come) {
        apic_send_init(id); /* so that it does not start later */
        processors[number].state = STOPPED;
    }
    memcpy((void *)low_page, before, sizeof before);
    return come;
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
    for (unsigned n = 1; n < PROCESSORS_MAX; n++) {
        if (processors[n].state == RUNNING)
            apic_send_init(processors[n].apic_id);
        processors[n].state = STOPPED;
    }
}

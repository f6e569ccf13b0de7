/* SPDX-License-Identifier: MIT */
#include "arch/x86/apic.h"

#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"

#define APIC_ID              0x020u
#define APIC_VERSION         0x030u
#define APIC_TPR             0x080u
#define APIC_EOI             0x0b0u
#define APIC_SPURIOUS        0x0f0u
#define APIC_COMMAND         0x300u
#define APIC_DESTINATION     0x310u /* high half of the interrupt command; a shorthand needs none */
#define APIC_LVT_TIMER       0x320u
#define APIC_LVT_THERMAL     0x330u
#define APIC_LVT_PERFORMANCE 0x340u
#define APIC_LVT_LINT0       0x350u
#define APIC_LVT_LINT1       0x360u
#define APIC_LVT_ERROR       0x370u
#define APIC_TIMER_INITIAL   0x380u
#define APIC_TIMER_CURRENT   0x390u
#define APIC_TIMER_DIVIDE    0x3e0u

#define SPURIOUS_ENABLE 0x100u
#define COMMAND_SELF    0x40000u
#define COMMAND_INIT    0x04500u /* level, asserted */
#define COMMAND_STARTUP 0x04600u
#define COMMAND_PENDING 0x1000u
#define COMMAND_POLLS   1000000u
#define DIVIDE_BY_128   0xau
#define TPR_OURS_ONLY   ((VECTOR_PERFORMANCE & 0xf0u) - 0x10u)

static volatile uint32_t *registers;

static uint32_t apic_read(uint32_t offset)
{
    return registers[offset / sizeof *registers];
}

static void apic_write(uint32_t offset, uint32_t value)
{
    registers[offset / sizeof *registers] = value;
}

static void spurious(struct interrupt_frame *frame)
{
    (void)frame; /* no EOI, because a spurious interrupt sets no in-service bit */
}

uint64_t apic_address(void)
{
    return msr_get(MSR_IA32_APIC_BASE) & APIC_BASE_ADDRESS;
}

enum apic_error apic_enter_xapic(void)
{
    uint64_t value;

    if (!msr_read(MSR_IA32_APIC_BASE, &value))
        return APIC_RAISES_GP;
    if (value & APIC_BASE_X2APIC) {
        /* x2APIC mode can only be left by disabling the APIC (SDM Vol. 3A (253668-081), "x2APIC State Transitions"). */
        msr_write(MSR_IA32_APIC_BASE, value & ~(APIC_BASE_X2APIC | APIC_BASE_ENABLE));
        value &= ~APIC_BASE_X2APIC;
    }
    if (!msr_write(MSR_IA32_APIC_BASE, value | APIC_BASE_ENABLE) ||
        (msr_get(MSR_IA32_APIC_BASE) & (APIC_BASE_X2APIC | APIC_BASE_ENABLE)) != APIC_BASE_ENABLE)
        return APIC_MODE;
    return APIC_OK;
}

void apic_quiet(void)
{
    apic_write(APIC_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
    apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED);
    apic_write(APIC_LVT_THERMAL, APIC_LVT_MASKED);
    apic_write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED);
    apic_write(APIC_LVT_LINT0, APIC_LVT_MASKED);
    apic_write(APIC_LVT_LINT1, APIC_LVT_MASKED);
    apic_write(APIC_LVT_ERROR, APIC_LVT_MASKED);
    apic_write(APIC_TPR, TPR_OURS_ONLY); /* interrupts of devices that firmware set up stay pending */
}

enum apic_error apic_init(uint64_t base)
{
    enum apic_error error;

    if (!base || base >> 32)
        return APIC_BASE;
    error = apic_enter_xapic();
    if (error != APIC_OK)
        return error;
    registers = (volatile uint32_t *)(uintptr_t)base;
    if (apic_read(APIC_VERSION) == 0 || apic_read(APIC_VERSION) == UINT32_MAX) {
        registers = NULL;
        return APIC_SILENT;
    }
    interrupt_set(VECTOR_SPURIOUS, spurious);
    apic_quiet();
    return APIC_OK;
}

const char *apic_error_text(enum apic_error error)
{
    switch (error) {
    case APIC_OK:
        return "no error";
    case APIC_BASE:
        return "its base address (IA32_APIC_BASE) is 0 or above 4 GiB";
    case APIC_RAISES_GP:
        return "IA32_APIC_BASE cannot be read";
    case APIC_MODE:
        return "writing IA32_APIC_BASE does not switch it to xAPIC mode";
    case APIC_SILENT:
        return "no APIC responds at its base address";
    }
    return "unknown APIC error";
}

bool apic_present(void)
{
    return registers != NULL;
}

void apic_eoi(void)
{
    apic_write(APIC_EOI, 0);
}

/* Sends an interrupt command; false if its delivery never completes. */
static bool command(uint32_t destination, uint32_t value)
{
    unsigned polls = COMMAND_POLLS;

    apic_write(APIC_DESTINATION, destination << 24);
    apic_write(APIC_COMMAND, value);
    while (apic_read(APIC_COMMAND) & COMMAND_PENDING && --polls)
        cpu_pause();
    return polls != 0;
}

void apic_send_self(unsigned vector)
{
    command(0, COMMAND_SELF | vector);
}

unsigned apic_id(void)
{
    return apic_read(APIC_ID) >> 24;
}

bool apic_send_init(unsigned id)
{
    return command(id, COMMAND_INIT);
}

bool apic_send_startup(unsigned id, uintptr_t page)
{
    return command(id, COMMAND_STARTUP | (uint32_t)(page >> 12));
}

bool apic_send(unsigned id, unsigned vector)
{
    return command(id, vector);
}

uint32_t apic_performance_lvt(void)
{
    return registers ? apic_read(APIC_LVT_PERFORMANCE) : APIC_LVT_MASKED;
}

void apic_performance_arm(unsigned vector)
{
    apic_write(APIC_LVT_PERFORMANCE, vector);
}

void apic_performance_write(uint32_t entry)
{
    apic_write(APIC_LVT_PERFORMANCE, entry);
}

void apic_performance_mask(void)
{
    if (registers)
        apic_write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED);
}

void apic_timer_start(unsigned vector, uint32_t ticks)
{
    apic_write(APIC_TIMER_DIVIDE, DIVIDE_BY_128);
    apic_write(APIC_LVT_TIMER, vector | (ticks ? 0 : APIC_LVT_MASKED));
    apic_write(APIC_TIMER_INITIAL, ticks);
}

uint32_t apic_timer_left(void)
{
    return apic_read(APIC_TIMER_CURRENT);
}

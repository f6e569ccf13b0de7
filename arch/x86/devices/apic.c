/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/apic.h"

#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"

/* Registers by offset. In x2APIC mode the register at offset n is MSR 800H + n / 16. */
#define APIC_ID              0x020u
#define APIC_VERSION         0x030u
#define APIC_TPR             0x080u
#define APIC_EOI             0x0b0u
#define APIC_SPURIOUS        0x0f0u
#define APIC_IN_SERVICE      0x100u /* 32 vectors every 10H */
#define APIC_LVT_CMCI        0x2f0u
#define APIC_COMMAND         0x300u
#define APIC_DESTINATION     0x310u /* xAPIC: high half of the interrupt command; unused with a shorthand */
#define APIC_LVT_TIMER       0x320u
#define APIC_LVT_THERMAL     0x330u
#define APIC_LVT_PERFORMANCE 0x340u
#define APIC_LVT_LINT0       0x350u
#define APIC_LVT_LINT1       0x360u
#define APIC_LVT_ERROR       0x370u
#define APIC_TIMER_INITIAL   0x380u
#define APIC_TIMER_CURRENT   0x390u
#define APIC_TIMER_DIVIDE    0x3e0u

#define VERSION_LVT_LAST(version) ((version) >> 16 & 0xffu) /* the number of LVT entries, minus 1 */

#define SPURIOUS_ENABLE 0x100u
#define COMMAND_SELF    0x40000u
#define COMMAND_INIT    0x04500u /* level, asserted */
#define COMMAND_STARTUP 0x04600u
#define COMMAND_PENDING 0x1000u /* xAPIC only: in x2APIC mode a command needs no wait */
#define COMMAND_POLLS   1000000u
#define DIVIDE_BY_128   0xau
#define TPR_OURS_ONLY   ((VECTOR_PERFORMANCE & 0xf0u) - 0x10u)
#define STRAYS_MOST     1000u
#define PENDING_PAUSES  1000u /* many more than a pending interrupt takes to arrive */

#define CPUID_7_EDX_ARCH_CAPABILITIES (1u << 29)

#define MODE (APIC_BASE_ENABLE | APIC_BASE_X2APIC)

/* ---- access to the registers: as memory or as MSRs -------------------------------------------------------------- */

static volatile uint32_t *registers;

static uint32_t memory_read(uint32_t offset)
{
    return registers[offset / sizeof *registers];
}

static void memory_write(uint32_t offset, uint32_t value)
{
    registers[offset / sizeof *registers] = value;
}

static bool memory_command(uint32_t destination, uint32_t value)
{
    unsigned polls = COMMAND_POLLS;

    memory_write(APIC_DESTINATION, destination << 24);
    memory_write(APIC_COMMAND, value);
    while (memory_read(APIC_COMMAND) & COMMAND_PENDING && --polls)
        cpu_pause();
    return polls != 0;
}

static uint32_t msr_of(uint32_t offset)
{
    return MSR_X2APIC + offset / 16;
}

static uint32_t x2apic_read(uint32_t offset)
{
    return (uint32_t)msr_get(msr_of(offset));
}

static void x2apic_write(uint32_t offset, uint32_t value)
{
    msr_write(msr_of(offset), value);
}

/* Unlike a write to memory, WRMSR of the command does not wait until earlier stores can be seen. */
static bool x2apic_command(uint32_t destination, uint32_t value)
{
    memory_fence();
    return msr_write(msr_of(APIC_COMMAND), (uint64_t)destination << 32 | value);
}

/* SDM Vol. 3A (253668-081), "Detecting and Enabling x2APIC Mode", "x2APIC Register Address Space". */
static const struct access {
    const char *name;
    uint64_t mode;     /* of IA32_APIC_BASE */
    unsigned id_shift; /* position of the APIC ID in its register */
    uint32_t id_most;
    uint32_t (*read)(uint32_t offset);
    void (*write)(uint32_t offset, uint32_t value);
    bool (*command)(uint32_t destination, uint32_t value); /* false if its delivery never completes */
} xapic = { "xAPIC", APIC_BASE_ENABLE, 24, 0xfe, memory_read, memory_write, memory_command },
  x2apic = { "x2APIC", MODE, 0, 0xfffffffe, x2apic_read, x2apic_write, x2apic_command };

static const struct access *apic; /* NULL: no usable APIC */

/* ---- taking over ------------------------------------------------------------------------------------------------ */

static volatile struct {
    unsigned count, last;
    unsigned of[256];
} strays;

static bool in_service(unsigned vector)
{
    return apic->read(APIC_IN_SERVICE + vector / 32 * 0x10) >> vector % 32 & 1;
}

/*
 * Ends and counts an interrupt without a handler, for example of a device that firmware set up. Returns false if the
 * APIC delivered no interrupt of this vector (INT n). The STRAYS_MOST-th interrupt of a vector gets no EOI: this blocks
 * the vector, and all vectors of its priority and below.
 */
static bool take_stray(unsigned vector)
{
    if (!in_service(vector))
        return false;
    strays.count++;
    strays.last = vector;
    if (++strays.of[vector] < STRAYS_MOST)
        apic_eoi();
    return true;
}

unsigned apic_strays(unsigned *vector)
{
    *vector = strays.last;
    return strays.count;
}

/* A spurious interrupt sets no in-service bit and gets no EOI. An ordinary interrupt of this vector does both. */
static void spurious(struct interrupt_frame *frame)
{
    take_stray((unsigned)frame->vector);
}

uint64_t apic_address(void)
{
    return msr_get(MSR_IA32_APIC_BASE) & APIC_BASE_ADDRESS;
}

/* x2APIC mode is entered from xAPIC mode, and can be left only by disabling the APIC. */
enum apic_error apic_enter(void)
{
    uint64_t value, rest;

    if (!msr_read(MSR_IA32_APIC_BASE, &value))
        return APIC_RAISES_GP;
    if ((value & MODE) == apic->mode)
        return APIC_OK;
    rest = value & ~MODE;
    if (value & APIC_BASE_X2APIC)
        msr_write(MSR_IA32_APIC_BASE, rest);
    msr_write(MSR_IA32_APIC_BASE, rest | APIC_BASE_ENABLE);
    if (apic == &x2apic)
        msr_write(MSR_IA32_APIC_BASE, rest | apic->mode);
    return (msr_get(MSR_IA32_APIC_BASE) & MODE) == apic->mode ? APIC_OK : APIC_MODE;
}

/* The LVT entries. number: the least VERSION_LVT_LAST() of an APIC that has the entry. */
static const struct {
    uint32_t offset;
    unsigned number;
} entries[] = { { APIC_LVT_TIMER, 0 }, { APIC_LVT_THERMAL, 5 }, { APIC_LVT_PERFORMANCE, 0 }, { APIC_LVT_LINT0, 0 },
                { APIC_LVT_LINT1, 0 }, { APIC_LVT_ERROR, 0 },   { APIC_LVT_CMCI, 6 } };

void apic_quiet(void)
{
    const unsigned last = VERSION_LVT_LAST(apic->read(APIC_VERSION));

    apic->write(APIC_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
    for (unsigned i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (entries[i].number <= last)
            apic->write(entries[i].offset, APIC_LVT_MASKED);
    apic->write(APIC_TIMER_INITIAL, 0);
    apic->write(APIC_TPR, TPR_OURS_ONLY); /* interrupts of devices that firmware set up stay pending */
}

/* Each EOI ends the interrupt of the highest priority. */
void apic_end_services(void)
{
    for (unsigned vector = 256; vector-- > 0;)
        if (in_service(vector))
            apic_eoi();
}

enum apic_error apic_init(uint64_t base)
{
    enum apic_error error = APIC_OK;
    uint64_t value;
    uint32_t version;

    if (!msr_read(MSR_IA32_APIC_BASE, &value))
        return APIC_RAISES_GP;
    if (!(value & APIC_BASE_X2APIC) && (!base || base >> 32))
        return APIC_BASE;
    registers = (volatile uint32_t *)(uintptr_t)base;
    apic = value & APIC_BASE_X2APIC ? &x2apic : &xapic;
    error = apic_enter();
    version = error == APIC_OK ? apic->read(APIC_VERSION) : 0;
    if (version == 0 || version == UINT32_MAX) {
        apic = NULL;
        return error == APIC_OK ? APIC_SILENT : error;
    }
    interrupt_set(VECTOR_SPURIOUS, spurious);
    interrupts_set_stray(take_stray);
    apic_quiet();
    apic_end_services();
    interrupts_allowed = true;
    interrupts_on();
    for (unsigned pauses = PENDING_PAUSES; pauses; pauses--)
        cpu_pause();
    interrupts_off();
    apic->write(APIC_LVT_LINT1, APIC_LVT_NMI); /* of hardware errors, a button or a hypervisor's monitor */
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
        return "writing IA32_APIC_BASE does not enable it";
    case APIC_SILENT:
        return "its version register reads 0 or FFFFFFFFH, as if there were no APIC";
    }
    return "unknown APIC error";
}

bool apic_present(void)
{
    return apic != NULL;
}

const char *apic_mode(void)
{
    return apic->name;
}

bool apic_locked(void)
{
    return cpuid(0, 0).eax >= 7 && cpuid(7, 0).edx & CPUID_7_EDX_ARCH_CAPABILITIES &&
           msr_get(MSR_IA32_ARCH_CAPABILITIES) & ARCH_CAP_XAPIC_DISABLE_STATUS &&
           msr_get(MSR_IA32_XAPIC_DISABLE_STATUS) & LEGACY_XAPIC_DISABLED;
}

/* ---- interrupts ------------------------------------------------------------------------------------------------- */

void apic_eoi(void)
{
    apic->write(APIC_EOI, 0);
}

void apic_send_self(unsigned vector)
{
    apic->command(0, COMMAND_SELF | vector);
}

uint32_t apic_id(void)
{
    return apic->read(APIC_ID) >> apic->id_shift;
}

uint32_t apic_id_most(void)
{
    return apic->id_most;
}

bool apic_send_init(uint32_t id)
{
    return apic->command(id, COMMAND_INIT);
}

bool apic_send_startup(uint32_t id, uintptr_t page)
{
    return apic->command(id, COMMAND_STARTUP | (uint32_t)(page >> 12));
}

bool apic_send(uint32_t id, unsigned vector)
{
    return apic->command(id, vector);
}

uint32_t apic_performance_lvt(void)
{
    return apic ? apic->read(APIC_LVT_PERFORMANCE) : APIC_LVT_MASKED;
}

void apic_performance_arm(unsigned vector)
{
    apic_performance_write(vector);
}

void apic_performance_write(uint32_t entry)
{
    apic->write(APIC_LVT_PERFORMANCE, entry);
}

void apic_performance_mask(void)
{
    if (apic)
        apic->write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED);
}

void apic_timer_start(unsigned vector, uint32_t ticks)
{
    apic->write(APIC_TIMER_DIVIDE, DIVIDE_BY_128);
    apic->write(APIC_LVT_TIMER, vector | (ticks ? 0 : APIC_LVT_MASKED));
    apic->write(APIC_TIMER_INITIAL, ticks);
}

uint32_t apic_timer_left(void)
{
    return apic->read(APIC_TIMER_CURRENT);
}

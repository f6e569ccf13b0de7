/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/nmi_timer.h"

#include <stddef.h>

#include "arch/x86/devices/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/devices/hpet.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/devices/io_apic.h"

/* The HPET's comparators. */
#define CAPABILITIES_LAST_TIMER(low) ((low) >> 8 & 0x1fu)
#define CAPABILITIES_64_BITS         0x2000u
#define CONFIGURATION_LEGACY         2u /* timers 0 and 1 drive IRQ 0 and 8 */
#define TIMER(n)                     (0x100u + 0x20u * (n))
#define TIMER_ROUTES                 4u /* offset: a bit for each of the interrupts 0 to 31 of the I/O APICs */
#define TIMER_COMPARATOR             8u
#define TIMER_ENABLE                 0x4u
#define TIMER_64_BITS                0x20u /* the comparator has 64 bits */
#define TIMER_32_BITS                0x100u
#define TIMER_ROUTE(interrupt)       ((interrupt) << 9)
#define TIMER_KEPT                   0xffff8030u /* read-only and reserved bits */
#define ROUTES                       32u
#define ISA_INTERRUPTS               16u /* of devices that may signal at any time, such as the PIT on input 2 */

/* The I/O APIC's registers. */
#define IO_VERSION       1u
#define IO_LAST_INPUT(r) ((r) >> 16 & 0xffu)
#define IO_ENTRY(input)  (0x10u + 2 * (input))
#define IO_ENTRY_MASKED  0x00010000u
#define IO_ENTRY_NMI     0x00000400u /* to one processor, edge-triggered, active high */
#define IO_ENTRY_TO(id)  ((id) << 24)
#define XAPIC_ID_MOST    0xfeu

/* NMI_STS_CNT: Intel 100 Series Chipset Family PCH Datasheet, Volume 2 (332691). */
#define NMI_STATUS        0x61u
#define NMI_STATUS_ERRORS 0xc0u /* SERR#, IOCHK#: the NMI reports a hardware error */

#define TRIAL_MICROSECONDS 1000u
#define TRIAL_WAITS        50u /* of TRIAL_MICROSECONDS each: an emulator may be late */
#define LATE_SECONDS       1u  /* an NMI may arrive this late, even after nmi_timer_stop() */

static uint32_t hz, started_at, due_at;
static unsigned timer;
static uintptr_t io_apic;
static uint32_t first_interrupt; /* of this I/O APIC; the comparators' routes are global interrupts */
static uint32_t entry;           /* the I/O APIC's register */
static bool wide;                /* the comparator and the counter have 64 bits */
static bool usable, listening, armed, arrived;
static void (*call)(void);

static uint32_t passed(void)
{
    return *hpet_register(HPET_COUNTER) - due_at;
}

/*
 * A 32-bit comparator also interrupts when the counter wraps (HPET Specification 1.0a, 2.3.9.2.1), which may be in the
 * middle of a test. So a 64-bit comparator is preferred.
 */
static bool wrapped(void)
{
    const uint32_t now = *hpet_register(HPET_COUNTER);

    return !wide && now < started_at && now <= LATE_SECONDS * hz;
}

static void end_listening(void)
{
    listening = armed = false;
    io_apic_write(io_apic, entry, IO_ENTRY_MASKED);
    *hpet_register(TIMER(timer)) &= ~TIMER_ENABLE;
}

/*
 * An NMI that is not the timer's is unexpected. But while the timer's input is unmasked, the NMI may come from a device
 * that shares the input: then the timer is not used again. An NMI for a hardware error is always unexpected.
 */
static void nmi(struct interrupt_frame *frame)
{
    const bool is_time = passed() <= LATE_SECONDS * hz;

    if (!is_time && !wrapped()) {
        if (!listening || port_read8(NMI_STATUS) & NMI_STATUS_ERRORS) {
            interrupt_unexpected(frame);
            return;
        }
        end_listening();
        usable = false;
        return;
    }
    arrived = arrived || is_time;
    if (armed && is_time && call) {
        armed = false;
        call();
    }
}

/* Reads both halves of the counter. The low half may wrap between two reads. */
static uint64_t counter(void)
{
    uint32_t high, low;

    do {
        high = *hpet_register(HPET_COUNTER + 4);
        low = *hpet_register(HPET_COUNTER);
    } while (high != *hpet_register(HPET_COUNTER + 4));
    return (uint64_t)high << 32 | low;
}

/* The comparator is disabled until both halves are written. */
static void start(uint32_t ticks)
{
    const uint64_t now = wide ? counter() : *hpet_register(HPET_COUNTER);

    interrupt_set(VECTOR_NMI, nmi);
    listening = armed = true;
    started_at = (uint32_t)now;
    due_at = started_at + ticks;
    *hpet_register(TIMER(timer)) &= ~TIMER_ENABLE;
    if (wide)
        *hpet_register(TIMER(timer) + TIMER_COMPARATOR + 4) = (uint32_t)((now + ticks) >> 32);
    *hpet_register(TIMER(timer) + TIMER_COMPARATOR) = due_at;
    *hpet_register(TIMER(timer)) |= TIMER_ENABLE;
    io_apic_write(io_apic, entry, IO_ENTRY_NMI);
}

static bool has_64_bits(unsigned n)
{
    return *hpet_register(HPET_CAPABILITIES) & CAPABILITIES_64_BITS && *hpet_register(TIMER(n)) & TIMER_64_BITS;
}

/* Whether this timer sends an NMI with this interrupt, and no other NMI arrives before. */
static bool sends(unsigned n, unsigned interrupt, uint32_t apic_id)
{
    volatile uint32_t *const configuration = hpet_register(TIMER(n));

    timer = n;
    wide = has_64_bits(n);
    entry = IO_ENTRY(interrupt - first_interrupt);
    arrived = false;
    usable = true;
    *configuration = (*configuration & TIMER_KEPT) | (wide ? 0 : TIMER_32_BITS) | TIMER_ROUTE(interrupt);
    io_apic_write(io_apic, entry + 1, IO_ENTRY_TO(apic_id));
    start(hz / (1000000 / TRIAL_MICROSECONDS));
    for (unsigned i = 0; i < TRIAL_WAITS && usable && !arrived; i++)
        clock_wait(TRIAL_MICROSECONDS);
    end_listening();
    return usable && arrived;
}

/* The last interrupt of this I/O APIC that the timer may use and no ISA device and no firmware uses; ROUTES: none. */
static unsigned free_interrupt(unsigned n)
{
    const uint32_t routes = *hpet_register(TIMER(n) + TIMER_ROUTES);
    const unsigned last = IO_LAST_INPUT(io_apic_read(io_apic, IO_VERSION));

    for (unsigned interrupt = ROUTES; interrupt-- > ISA_INTERRUPTS && interrupt >= first_interrupt;) {
        const unsigned input = interrupt - first_interrupt;

        if (routes >> interrupt & 1 && input <= last && io_apic_read(io_apic, IO_ENTRY(input)) & IO_ENTRY_MASKED)
            return interrupt;
    }
    return ROUTES;
}

/* Tries the timers with a 64-bit comparator, or the others. */
static bool try_timers(bool wide_ones, uint32_t apic_id)
{
    for (unsigned n = CAPABILITIES_LAST_TIMER(*hpet_register(HPET_CAPABILITIES)) + 1; n-- > 0;) {
        const unsigned interrupt = free_interrupt(n);

        if (has_64_bits(n) == wide_ones && interrupt != ROUTES && sends(n, interrupt, apic_id))
            return true;
    }
    return false;
}

bool nmi_timer_init(uint64_t hpet_address, const struct acpi_io_apic *io, uint32_t apic_id, void (*due)(void))
{
    const uint64_t rate = hpet_start(hpet_address);

    usable = false;
    if (!rate || rate > INT32_MAX || !io->address || apic_id > XAPIC_ID_MOST)
        return false;
    hz = (uint32_t)rate;
    call = NULL; /* the trial calls no function */
    io_apic = io->address;
    first_interrupt = io->first_interrupt;
    *hpet_register(HPET_CONFIGURATION) &= ~CONFIGURATION_LEGACY;
    usable = try_timers(true, apic_id) || try_timers(false, apic_id);
    call = due;
    return usable;
}

bool nmi_timer_send_to(uint32_t apic_id)
{
    if (!usable || apic_id > XAPIC_ID_MOST)
        return false;
    io_apic_write(io_apic, entry + 1, IO_ENTRY_TO(apic_id));
    return true;
}

unsigned nmi_timer_most(void)
{
    return (UINT32_MAX / 2) / hz;
}

void nmi_timer_start(unsigned seconds)
{
    if (usable)
        start(seconds * hz);
}

void nmi_timer_stop(void)
{
    if (listening)
        end_listening();
}

bool nmi_timer_usable(void)
{
    return usable;
}

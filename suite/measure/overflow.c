/* SPDX-License-Identifier: MIT */
#include "suite/measure/overflow.h"

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "ds/counting.h"
#include "pebs/netburst.h"
#include "pebs/pebs.h"

/* PAUSEs, long enough for a pending interrupt to arrive. */
#define PAUSES 1000u

static struct {
    const struct caps *caps;
    bool again;
    uint64_t counting;
    uint32_t msr;   /* the counter's MSR */
    uint64_t start; /* the counter's value at the start of a period */
    unsigned period;
    uint64_t mask; /* the counter's bits */
} open;

static volatile struct {
    unsigned interrupts;
    uint64_t ip;
} seen;

static bool is_netburst(const struct caps *caps)
{
    return caps->pebs_method == PEBS_METHOD_NETBURST;
}

/* Starts a period. Writes NetBurst's counter twice, because the first write may be lost (erratum N15, 249199-029). */
static void start_period(void)
{
    msr_write(open.msr, open.start);
    if (is_netburst(open.caps))
        msr_write(open.msr, open.start);
}

static void service(struct interrupt_frame *frame)
{
    const uint64_t control = counting_stop(open.caps, open.counting);

    seen.interrupts++;
    seen.ip = frame->ip;
    counting_acknowledge(open.caps, counting_status(open.caps));
    if (open.again) {
        start_period();
        apic_performance_arm(VECTOR_PERFORMANCE);
    }
    apic_eoi();
    if (open.again)
        counting_resume(open.caps, control);
}

bool overflow_open(const struct caps *caps, const struct overflow *o)
{
    const unsigned counter = pebs_counter(caps, o->event);
    const uint64_t start = 0 - (uint64_t)o->period;
    bool done;

    open.caps = caps;
    open.again = o->again;
    open.period = o->period;
    open.mask = is_netburst(caps) ? NETBURST_COUNTER_MASK : UINT64_MAX >> (64 - caps->general_width);
    open.counting = o->counting;
    seen.interrupts = 0;
    interrupt_set(VECTOR_PERFORMANCE, service);
    if (is_netburst(caps)) {
        open.msr = MSR_IQ_COUNTER4;
        open.start = start & NETBURST_COUNTER_MASK;
        done = netburst_program(&(struct netburst_setup){ .event = netburst_event_find(o->event->name),
                                                          .os = (o->rings & PERFEVTSEL_OS) != 0,
                                                          .usr = (o->rings & PERFEVTSEL_USR) != 0,
                                                          .period = o->period });
    } else {
        open.msr = MSR_IA32_PMC(counter); /* accepts only sign-extended 32-bit values */
        open.start = (uint32_t)start;
        done = counter_program(counter, o->event->select | o->rings | PERFEVTSEL_EN | PERFEVTSEL_INT, start,
                               caps->full_width_write);
    }
    counting_acknowledge(caps, counting_status(caps));
    apic_performance_arm(VECTOR_PERFORMANCE);
    return done;
}

struct window overflow_window(const struct caps *caps, const struct overflow *o)
{
    struct window window = pebs_window(caps, UINT64_C(1) << pebs_counter(caps, o->event));

    if (is_netburst(caps))
        window.on |= CCCR_OVF_PMI;
    return window;
}

unsigned overflow_close(uint64_t *ip, uint64_t *counted)
{
    for (unsigned i = 0; i < PAUSES; i++)
        cpu_pause();
    apic_performance_mask();
    *ip = seen.ip;
    *counted = (msr_get(open.msr) + open.period) & open.mask;
    return seen.interrupts;
}

/* SPDX-License-Identifier: MIT */
#include "arch/x86/interrupts.h"

#include "arch/x86/cpu.h"
#include "arch/x86/descriptors.h"

#define PIC_MASTER_MASK 0x21u
#define PIC_SLAVE_MASK  0xa1u

struct fixup {
    uintptr_t from, to;
};

extern const struct fixup fixups_start[], fixups_end[];

static interrupt_handler *handlers[256], *last_handler;

void interrupts_init(interrupt_handler *otherwise)
{
    port_write8(PIC_MASTER_MASK, 0xff); /* the PIC's vectors may overlap those of exceptions */
    port_write8(PIC_SLAVE_MASK, 0xff);
    last_handler = otherwise;
    descriptors_init();
}

void interrupt_set(unsigned vector, interrupt_handler *handler)
{
    handlers[vector] = handler;
}

/* Resumes after an exception at an instruction in the fixup table, so that its caller sees a return value. */
static bool fix_up(struct interrupt_frame *frame)
{
    for (const struct fixup *f = fixups_start; f < fixups_end; f++) {
        if (f->from == frame->ip) {
            frame->ip = f->to;
            return true;
        }
    }
    return false;
}

void interrupt_dispatch(struct interrupt_frame *frame)
{
    unsigned vector = (unsigned)frame->vector;

    if (handlers[vector])
        handlers[vector](frame);
    else if (vector >= VECTOR_EXCEPTIONS || !fix_up(frame))
        last_handler(frame);
}

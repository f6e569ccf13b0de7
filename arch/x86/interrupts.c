/* SPDX-License-Identifier: MIT */
#include "arch/x86/interrupts.h"

#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/msr.h"

#define PIC_MASTER_MASK 0x21u
#define PIC_SLAVE_MASK  0xa1u

struct fixup {
    uintptr_t from, to;
};

extern const struct fixup fixups_start[], fixups_end[];

bool interrupts_allowed;

static interrupt_handler *handlers[256], *last_handler;
static bool (*take_stray)(unsigned vector);

void interrupts_init(interrupt_handler *otherwise)
{
    port_write8(PIC_MASTER_MASK, 0xff); /* the PIC's vectors may overlap those of exceptions */
    port_write8(PIC_SLAVE_MASK, 0xff);
    last_handler = otherwise;
    descriptors_init();
}

void interrupts_set_stray(bool (*take)(unsigned vector))
{
    take_stray = take;
}

void interrupt_set(unsigned vector, interrupt_handler *handler)
{
    handlers[vector] = handler;
}

/*
 * Resumes after the #GP or #UD of an instruction in the fixup table, so that its caller sees a return value. (Emulators
 * raise #UD for a counter that they lack.) Other interrupts at such an instruction, such as an NMI, are unrelated to
 * it.
 */
static bool fix_up(struct interrupt_frame *frame)
{
    if (frame->vector != VECTOR_GENERAL_PROTECTION && frame->vector != VECTOR_INVALID_OPCODE)
        return false;
    for (const struct fixup *f = fixups_start; f < fixups_end; f++) {
        if (f->from == frame->ip) {
            frame->ip = f->to;
            return true;
        }
    }
    return false;
}

void interrupts_recover(void)
{
    for (unsigned vector = 0; vector < VECTOR_EXCEPTIONS; vector++)
        if (vector != VECTOR_NMI) /* the watchdog's */
            handlers[vector] = NULL;
    gates_init();
}

void interrupt_dispatch(struct interrupt_frame *frame)
{
    unsigned vector = (unsigned)frame->vector;

    msr_watch_pause();
    if (handlers[vector])
        handlers[vector](frame);
    else if (!fix_up(frame) && !(vector >= VECTOR_EXCEPTIONS && take_stray && take_stray(vector)))
        last_handler(frame);
    msr_watch_resume();
}

void interrupt_unexpected(struct interrupt_frame *frame)
{
    last_handler(frame);
}

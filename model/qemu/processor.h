/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One emulated processor: the engine's state and the hands by which it reaches QEMU's. */
#ifndef MODEL_QEMU_PROCESSOR_H
#define MODEL_QEMU_PROCESSOR_H

#include "model/private/qemu_ops.h"
#include "model/private/qemu_private.h"
#include "model/qemu/qemu_abi.h"
#include "model/vcpu/vcpu.h"

enum register_name {
    NAME_GENERAL, /* GENERAL_REGISTERS of them */
    NAME_RIP = GENERAL_REGISTERS,
    NAME_EFLAGS,
    NAME_CS,
    NAME_CR0,
    NAME_CR3,
    NAME_CR4,
    NAME_EFER,
    REGISTER_NAMES
};

#define EFLAGS_CF (UINT64_C(1) << 0)
#define EFLAGS_IF (UINT64_C(1) << 9)
#define EFLAGS_RF (UINT64_C(1) << 16)
#define EFLAGS_VM (UINT64_C(1) << 17)

struct processor {
    struct vcpu vcpu;
    struct qemu_private private;
    struct qemu_ops ops;
    struct qemu_plugin_register *registers[REGISTER_NAMES];
    struct qemu_plugin_register *xmm[XMM_REGISTERS]; /* NULL where QEMU's processor has none of that name */
    GByteArray *buffer; /* for register values and memory, kept so that nothing is allocated while the guest runs */

    /* how the state reads at this moment */
    const struct block *block;  /* the one that the next instruction is in; NULL: not known */
    struct qemu_middle *middle; /* the callback that runs, if it does so in the middle of a block */
    bool delivered;             /* an interruption has been delivered: RSP and RFLAGS are on the handler's stack */

    /* what is to be done to registers behind the native instruction (hot->fix_up) */
    bool fix_cpuid;
    uint32_t leaf, subleaf;
    uint64_t msr_value;

    bool raised; /* an exception has been raised and not delivered */

    bool faulting; /* RCX was changed to make the native instruction fault */
    uint64_t saved_rcx;

    uint32_t x2apic_lvtpc; /* as the guest wrote it: in x2APIC mode the register cannot be reached from outside */
    uint32_t apic_id;
};

extern const struct host processor_host;

/* Remembers that code lies on the pages of [from, to), for the referee. */
void processor_note_code(uint64_t from, uint64_t to);

/* On the processor's own thread, once it exists. False when QEMU lacks a register that is needed: names it in *missing.
 */
bool processor_init(struct processor *p, const char **missing);

void processor_reset(struct processor *p);

/* Where registers can be read, has what is known of QEMU's private state looked at until that is certain. */
void processor_look(struct processor *p);

uint64_t processor_read(struct processor *p, unsigned name);
/* Has the rules change the frame that an exception has just pushed. */
void processor_change_frame(struct processor *p);

void processor_write(struct processor *p, unsigned name, uint64_t value);

/* Goes on at a linear address in the code segment that this block runs in. Does not return. */
_Noreturn void processor_go_to(const struct block *block, uint64_t to);

/* The privilege level that code runs at now, 0 to 3; whether IA-32e mode is active. */
unsigned processor_cpl(struct processor *p);
bool processor_in_ia32e(struct processor *p);

/* Whether the handler of this vector, as the interrupt descriptor table has it, begins at this linear address. */
bool processor_is_entry(struct processor *p, unsigned vector, uint64_t address);

/* Whether LVTPC is MSR 834h and not memory. */
bool processor_in_x2apic_mode(struct processor *p);

#endif

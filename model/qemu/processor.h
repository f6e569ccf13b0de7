/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One emulated processor: the engine's state and access to QEMU's state. */
#ifndef MODEL_QEMU_PROCESSOR_H
#define MODEL_QEMU_PROCESSOR_H

#include "model/private/qemu_private.h"
#include "model/qemu/qemu_abi.h"
#include "model/vcpu/vcpu.h"

enum register_name {
    NAME_GENERAL, /* GENERAL_REGISTERS names */
    NAME_RIP = GENERAL_REGISTERS,
    NAME_EFLAGS,
    NAME_CS,
    NAME_CR0,
    NAME_CR3,
    NAME_CR4,
    NAME_EFER,
    NAME_FS_BASE,
    NAME_GS_BASE,
    REGISTER_NAMES
};

#define CR0_PG  (UINT64_C(1) << 31)
#define CR4_PAE (UINT64_C(1) << 5)
#define CR4_PGE (UINT64_C(1) << 7)

#define EFLAGS_CF (UINT64_C(1) << 0)
#define EFLAGS_IF (UINT64_C(1) << 9)
#define EFLAGS_RF (UINT64_C(1) << 16)
#define EFLAGS_VM (UINT64_C(1) << 17)

struct processor {
    struct vcpu vcpu;
    struct qemu_private private;
    bool icount; /* -icount */
    struct qemu_plugin_register *registers[REGISTER_NAMES];
    struct qemu_plugin_register *xmm[XMM_REGISTERS]; /* NULL: QEMU's processor lacks the register */
    uint64_t tsc;                                    /* of the last record */
    GByteArray *buffer; /* for register values and memory; kept, to avoid allocations while the guest runs */

    unsigned set;       /* of translations, which report what the processor uses */
    bool spares_ring_0; /* ring 0 has nothing to report: enter_ring_0() */

    /* state of the current moment */
    const struct block *block;  /* the block of the next instruction; NULL: unknown */
    struct qemu_middle *middle; /* the running callback, if it is inside a block */
    bool between_blocks;        /* the running callback is for the beginning of a block, or for an interruption */
    bool delivered;             /* just after an interruption: the interrupted RSP and RFLAGS are on the stack */

    /* registers to change after the native instruction (hot->fix_up) */
    bool fix_cpuid;
    uint32_t leaf, subleaf;
    uint64_t msr_value;

    unsigned raised;    /* exceptions since the last delivery; 2 or more: delivery raised another */
    uint64_t raised_at; /* the instruction that raised the first of them, once there is a second */
    bool fell;          /* a triple fault was reported */

    bool faulting; /* RCX was changed, so that the native instruction raises #GP */
    uint64_t saved_rcx;

    uint32_t x2apic_lvtpc; /* the last value that the guest wrote: x2APIC registers are not visible */
    uint32_t apic_id;
};

extern const struct host processor_host;

/* Measures the TSC, once, for CPUID. Call while the guest runs: the TSC stops with it. */
void processor_measure_tsc(struct processor *p);

/* Records for the referee that the pages of [from, to) have code. */
void processor_note_code(struct processor *p, uint64_t from, uint64_t to);

/*
 * Call on the processor's own thread. False: QEMU lacks a required register, named in *missing.
 */
bool processor_init(struct processor *p, const char **missing);

void processor_reset(struct processor *p);

/* Continues the checks of QEMU's private state until they are settled. Call where registers can be read. */
void processor_look(struct processor *p);

/* The threads of a core, as QEMU's -smp says; 1 if unknown. Call where registers can be read. */
unsigned processor_threads(struct processor *p);

uint64_t processor_read(struct processor *p, unsigned name);

/* A general register by its number in encodings. */
uint64_t processor_general(struct processor *p, unsigned number);

/* Lets the rules change the frame that an exception has just pushed. */
void processor_change_frame(struct processor *p);

void processor_write(struct processor *p, unsigned name, uint64_t value);

/* Continues at a linear address in the code segment of the running block. Does not return. */
_Noreturn void processor_go_to(const struct block *block, uint64_t to);

/* The current privilege level, 0 to 3; whether IA-32e mode is active. */
unsigned processor_cpl(struct processor *p);
bool processor_in_ia32e(struct processor *p);

/* Whether the interrupt descriptor table has this handler address for the vector. */
bool processor_is_entry(struct processor *p, unsigned vector, uint64_t address);

/* Whether LVTPC is MSR 834H instead of a memory-mapped register. */
bool processor_in_x2apic_mode(struct processor *p);

#endif

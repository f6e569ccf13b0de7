/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin interface does not give and a QEMU that exports its symbols (one built with modules: Debian's,
 * Ubuntu's, Fedora's) has under these names: the status flags, which TCG computes only when somebody asks, the
 * time-stamp counter, CPUID as -cpu has it, and how code is translated. Found by name at run time. Where one is
 * missing, the model lacks just that: a PEBS record then carries the system flags and zero for CF, PF, AF, ZF, SF, DF
 * and OF, or host time for the TSC; see docs/model.md.
 */
#ifndef MODEL_QEMU_QEMU_PRIVATE_H
#define MODEL_QEMU_QEMU_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/engine/encode.h"

struct qemu_private {
    void *cpu;                   /* QEMU's object for this processor */
    uint32_t *translation_flags; /* NULL where they were not found */
    bool wide;
    void *env;           /* its register file, found by its contents; NULL until then */
    void *rip;           /* behind it, with EFLAGS behind that; NULL until they have been found, too */
    bool reads_near_rip; /* what reading the flags changes is there */
};

/* On the processor's own thread. wide: QEMU's register file has sixteen registers of 64 bits, not eight of 32. */
void qemu_private_init(struct qemu_private *p, bool wide);

/* Whether this is the processor that QEMU's current thread runs at this moment; true where that cannot be told. */
bool qemu_private_is_current(const struct qemu_private *p);

/*
 * QEMU translates a page of memory once for all linear addresses at which it is mapped, as a library's is in each
 * process. From the next translation on it does so for each address by itself.
 */
void qemu_private_bind_translations(const struct qemu_private *p);

/*
 * Keeps two sets of translations, of which this processor looks for the next block in the one or in the other. False
 * where that cannot be done.
 */
bool qemu_private_translate_apart(const struct qemu_private *p, bool apart);
bool qemu_private_translates_apart(const struct qemu_private *p);

/* The general registers, many times faster than one by one through the interface; false until env has been found. */
bool qemu_private_general(const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS]);

/* Looks for RIP and EFLAGS, which read so through the interface at this moment. */
void qemu_private_find_rip(struct qemu_private *p, uint64_t rip, uint64_t eflags);

/* The same as the interface's, once they have been found. */
uint64_t qemu_private_rip(const struct qemu_private *p);
uint64_t qemu_private_eflags(const struct qemu_private *p);
void qemu_private_set_eflags(const struct qemu_private *p, uint64_t eflags);

/*
 * A callback in the middle of a block: where it returns to, and what the register file lacks there of how QEMU keeps
 * the status flags, which is the same every time and so is looked for once. Processors share it.
 */
struct qemu_middle {
    uintptr_t return_address;
    uint64_t lacking; /* 0: not known yet; private to qemu_private.c */
};

/*
 * RFLAGS as the guest would push them, where system_flags are those that the plugin interface reads. general: the
 * registers as read. middle: NULL at a block's beginning and in a discontinuity.
 */
uint64_t qemu_private_flags(struct qemu_private *p, uint64_t system_flags, const uint64_t general[GENERAL_REGISTERS],
                            struct qemu_middle *middle);

/*
 * Makes the state whole that translated code keeps only in part, so that the middle of a block can be left there by
 * qemu_plugin_set_pc. False where that cannot be done.
 */
bool qemu_private_settle(struct qemu_private *p, uintptr_t return_address);

/* Raises #GP(0) at the instruction whose callback this is; returns only where that cannot be done. */
void qemu_private_general_protection(struct qemu_private *p, const uint64_t general[GENERAL_REGISTERS],
                                     uintptr_t return_address);

/* The linear address of the interrupt descriptor table, from QEMU's own print of its state: slow. */
bool qemu_private_idt(const struct qemu_private *p, uint64_t *base);

/*
 * What the native CPUID answers, leaves past the last one all zero. general, rip and eflags: the state after reset, by
 * which the register file is found. False where that cannot be done.
 */
bool qemu_private_cpuid(struct qemu_private *p, const uint64_t general[GENERAL_REGISTERS], uint64_t rip,
                        uint64_t eflags, uint32_t leaf, uint32_t regs[4]);

/* Whether QEMU counts instructions to make time (-icount). */
bool qemu_private_icount(void);

/* Whether QEMU runs another accelerator than TCG, which knows no plugins. */
bool qemu_private_accelerated(void);

/* What RDTSC reads. */
uint64_t qemu_private_tsc(const struct qemu_private *p);

#endif

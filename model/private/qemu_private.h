/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module that touches QEMU's private state: what the plugin interface lacks, and a QEMU that exports its symbols (one
 * built with modules: Debian's, Ubuntu's, Fedora's) provides. docs/model.md says what the interface would need for this
 * module to be empty.
 *
 * Its rules. Registers are where QEMU's own description of the object says (qemu_object.h), which is believed once they
 * read there as through the plugin interface, in two states of the processor that differ. Whatever must be tried is
 * tried on a copy of the object. Of the object itself this module writes one word, the translation flags, and RIP where
 * QEMU is about to look for a translation by it; all other changes are made by QEMU's own functions. The guest's memory
 * is written where QEMU's TLB has it. What is not as expected is not used from then on, and one sentence on standard
 * error says what that costs (qemu_loss.h).
 */
#ifndef MODEL_PRIVATE_QEMU_PRIVATE_H
#define MODEL_PRIVATE_QEMU_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/bytes/encode.h"
#include "model/private/qemu_object.h"

struct qemu_private {
    struct qemu_object object;
    uint32_t *translation_flags; /* NULL where they were not found */
    enum { QEMU_UNSEEN, QEMU_SEEN, QEMU_CERTAIN, QEMU_LOST } registers;
    uint64_t seen_rip;       /* RIP when the registers were first found right */
    unsigned flags_compared; /* how often the quick way to the flags was checked against the slow one */
    bool flags_known;
    unsigned memory_compared; /* how often the TLB's memory was checked against the plugin interface's */
    bool memory_known;
};

/* The registers as the plugin interface reads them now. Outside 64-bit code these are the low halves. */
struct qemu_seen {
    uint64_t general[GENERAL_REGISTERS], rip, eflags;
};

/*
 * Finds the private state; to be called on the processor's own thread, once it exists.
 * Reads: the object; its translation flags by tcg_cflags_has, which is also asked about copies with a flag changed.
 * Believes: the one word of the object that reads as these flags, and that tcg_cflags_has reads in a copy.
 * Lost: LOSS_OBJECT, LOSS_TRANSLATIONS, and what is not exported.
 */
void qemu_private_init(struct qemu_private *p);

/*
 * Checks the registers in the object against the plugin interface, and the flags that helper_read_eflags computes from
 * a copy against those put into it. To be called where registers can be read, in different states, until
 * qemu_private_is_settled().
 * Lost: LOSS_OBJECT, LOSS_FLAGS.
 */
void qemu_private_look(struct qemu_private *p, const struct qemu_seen *seen);

/* Whether no more checks are needed. */
static inline bool qemu_private_is_settled(const struct qemu_private *p)
{
    return p->registers == QEMU_CERTAIN || p->registers == QEMU_LOST;
}

/* Whether the registers were found right at least once, which every user of the register file needs. */
static inline bool qemu_private_reads(const struct qemu_private *p)
{
    return p->registers == QEMU_SEEN || p->registers == QEMU_CERTAIN;
}

/* The registers as the plugin interface reads them, many times faster. Reads: the object. */
void qemu_private_general(const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS]);
uint64_t qemu_private_rip(const struct qemu_private *p);
uint64_t qemu_private_eflags(const struct qemu_private *p);

/*
 * Makes QEMU translate code for each linear address by itself from now on, instead of once for all addresses at which a
 * page is mapped, as a library's page is in each process.
 * Writes: the translation flags. Lost without them: records may have another process's addresses.
 */
void qemu_private_bind_translations(const struct qemu_private *p);

/*
 * Keeps two sets of translations, and selects the one in which this processor looks for its next block.
 * Writes: the translation flags. False without them: the caller uses EFLAGS.RF instead, which is slower.
 */
bool qemu_private_translate_apart(const struct qemu_private *p, bool apart);
bool qemu_private_translates_apart(const struct qemu_private *p);

/*
 * A callback in the middle of a block: its return address, and what the register file lacks there of the state for the
 * status flags. That is the same every time, so it is looked for once. Processors share it.
 */
struct qemu_middle {
    uintptr_t return_address;
    uint64_t lacking; /* 0: not known yet; private to qemu_private.c */
};

/*
 * RFLAGS as the guest would push them. system_flags: those that the plugin interface reads, which are returned where no
 * more can be found. middle: NULL at a block's beginning and in a discontinuity.
 * Reads: the object, into the copy; there cpu_restore_state and helper_read_eflags work.
 * Believes: that the words from RIP on are all that the flags depend on, if a full copy gives the same result the first
 * times.
 * Lost: LOSS_FLAGS.
 */
uint64_t qemu_private_flags(struct qemu_private *p, uint64_t system_flags, struct qemu_middle *middle);

/*
 * Completes the state that translated code keeps only in part, by cpu_restore_state, so that qemu_plugin_set_pc can
 * leave the middle of a block. False: LOSS_LEAVING, or the place is not in translated code.
 */
bool qemu_private_settle(struct qemu_private *p, uintptr_t return_address);

/*
 * Raises #GP(0) at the instruction whose callback this is, by raise_exception_err_ra. Returns only where that is
 * impossible: LOSS_PROTECTION.
 */
void qemu_private_general_protection(struct qemu_private *p, uintptr_t return_address);

/*
 * Stops the machine before the next instruction, as a debugger's breakpoint does; the state must be complete
 * (qemu_private_settle). Returns only where that is impossible: LOSS_PROTECTION.
 */
void qemu_private_debug(struct qemu_private *p);

/* The linear address of the interrupt descriptor table, from cpu_dump_state's text: slow. False: LOSS_IDT. */
bool qemu_private_idt(const struct qemu_private *p, uint64_t *base);

/* CPUID as the guest gets it, by cpu_x86_cpuid; leaves past the last one are zero. False: LOSS_CPUID. */
bool qemu_private_cpuid(const struct qemu_private *p, uint32_t leaf, uint32_t regs[4]);

/* The value of RDTSC, by cpu_get_tsc; without that (LOSS_TSC) the host's clock in nanoseconds. */
uint64_t qemu_private_tsc(const struct qemu_private *p);

/*
 * The host's memory of the guest's byte at this linear address, for writing, and behind it of all bytes to the end of
 * the page of 4 KiB; by tlb_vaddr_to_host, for an access by the kernel (cpu_mmu_index_kernel). It is the TLB's, and
 * good until the guest goes on. Marks the page accessed and dirty, as an access does. NULL where writing takes more
 * than storing a value, or cannot be done: devices, pages with translated code, watchpoints, pages that are not mapped
 * or not writable; then the plugin interface is to be asked. To be called in a callback of a block's beginning alone:
 * in the middle of a block QEMU aborts where a page table is a device's.
 * Lost: LOSS_MEMORY.
 */
void *qemu_private_memory(const struct qemu_private *p, uint64_t address);

/* Whether that is still to be written by the plugin interface, and then to be looked at. */
bool qemu_private_doubts_memory(const struct qemu_private *p);

/*
 * Compares it with what the plugin interface reads there.
 * Believes: memory that was the same several times, and not all zero. Lost: LOSS_MEMORY.
 */
void qemu_private_look_at_memory(struct qemu_private *p, const void *memory, const void *seen, size_t size);

/*
 * Whether QEMU counts instructions to make time (-icount); whether QEMU runs an accelerator other than TCG, which has
 * no plugins. Reads: use_icount, tcg_allowed. False where they are not exported: LOSS_ACCELERATOR.
 */
bool qemu_private_icount(void);
bool qemu_private_accelerated(void);

/*
 * Whether all processors run in one thread (-accel tcg,thread=single): their translations then tell plugins the number
 * of the processor that was translated for. False where qemu_tcg_mttcg_enabled is not exported: LOSS_ACCELERATOR.
 */
bool qemu_private_one_thread(void);

#endif

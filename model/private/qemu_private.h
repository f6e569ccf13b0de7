/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access to QEMU's private state, for what the plugin interface lacks. It needs a QEMU that exports its symbols, which
 * means built with modules, like those of Debian, Ubuntu and Fedora. model/private/README.md lists the additions to the
 * interface that would make this module unnecessary.
 *
 * Rules: The places of registers are from QEMU's own description of the object (qemu_object.h). The module trusts them
 * after their values equalled those of the plugin interface in two different states of the processor. It experiments on
 * a copy of the object. In the object itself it writes only the word of translation flags, and what
 * qemu_private_tsc_offset(), qemu_private_was_reset() and qemu_private_permit_io() say; QEMU's own functions make all
 * other changes. It writes the guest's memory at the host address in QEMU's TLB. If a check fails, the module stops
 * using that state, and prints one sentence on standard error that says what is lost (qemu_loss.h).
 */
#ifndef MODEL_PRIVATE_QEMU_PRIVATE_H
#define MODEL_PRIVATE_QEMU_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/bytes/adaptive.h"
#include "model/private/qemu_object.h"

struct qemu_private {
    struct qemu_object object;
    uint32_t *translation_flags; /* NULL: not found */
    enum { QEMU_UNSEEN, QEMU_SEEN, QEMU_CERTAIN, QEMU_LOST } registers;
    uint64_t seen_rip;       /* RIP when the registers first compared equal */
    unsigned flags_compared; /* how often the fast computation of flags was compared with the slow one */
    bool flags_known;
    unsigned memory_compared; /* how often the TLB's memory was checked against the plugin interface */
    bool memory_known;
    uint64_t io_places; /* bit i: the byte i + 1 before the register file may be the flag that permits clocks */
    unsigned io_looks;
};

/* The registers as the plugin interface returns them now. Outside 64-bit code these are the low halves. */
struct qemu_seen {
    uint64_t general[GENERAL_REGISTERS], rip, eflags;
};

/*
 * Finds the private state. Call on the processor's own thread.
 * Reads: the object; its translation flags with tcg_cflags_has, also on copies with a changed flag.
 * Trusts: the one word of the object that has these flags and that tcg_cflags_has reads in a copy.
 * Lost: LOSS_OBJECT, LOSS_TRANSLATIONS, and the losses of symbols that are not exported.
 */
void qemu_private_init(struct qemu_private *p);

/*
 * Compares the registers in the object with the plugin interface. Also puts flags into a copy, and compares them with
 * the result of helper_read_eflags. Call where registers can be read, in different states, until
 * qemu_private_is_settled().
 * Lost: LOSS_OBJECT, LOSS_FLAGS.
 */
void qemu_private_look(struct qemu_private *p, const struct qemu_seen *seen);

/* Whether no more comparisons are needed. */
static inline bool qemu_private_is_settled(const struct qemu_private *p)
{
    return p->registers == QEMU_CERTAIN || p->registers == QEMU_LOST;
}

/* Whether the registers compared equal at least once. Every user of the register file needs this. */
static inline bool qemu_private_reads(const struct qemu_private *p)
{
    return p->registers == QEMU_SEEN || p->registers == QEMU_CERTAIN;
}

/* The registers as the plugin interface returns them, many times faster. Reads: the object. */
void qemu_private_general(const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS]);
uint64_t qemu_private_rip(const struct qemu_private *p);
uint64_t qemu_private_eflags(const struct qemu_private *p);

/*
 * The upper halves of the YMM registers. xmm: their lower halves from the plugin interface.
 * Reads: the object. Trusts: the place from QEMU's table, where the lower halves are at the same time.
 * All 0: LOSS_VECTORS.
 */
void qemu_private_ymmh(const struct qemu_private *p, const uint64_t xmm[XMM_REGISTERS][2],
                       uint64_t ymmh[XMM_REGISTERS][2]);

/*
 * QEMU keeps QEMU_SETS sets of translations, which all processors share, and this processor looks up its next block in
 * the selected one. At first it is set 0, where a translation is shared between all addresses of a page, such as a
 * library's page in several processes. In the others each linear address has its own translation.
 * Writes: the translation flags. If they were not found, there is only set 0, and records may have another process's
 * addresses.
 */
#define QEMU_SETS 128
unsigned qemu_private_sets(const struct qemu_private *p);
void qemu_private_select_set(const struct qemu_private *p, unsigned set);
unsigned qemu_private_set(const struct qemu_private *p);

/*
 * Keeps each set twice, and selects the half in which this processor looks up its next block.
 * Writes: the translation flags. False if they were not found: the caller then uses EFLAGS.RF, which is slower.
 */
bool qemu_private_translate_apart(const struct qemu_private *p, bool apart);
bool qemu_private_translates_apart(const struct qemu_private *p);

/*
 * A callback inside a block: its return address, and which part of the flags' state is stale in the register file
 * there. This part is always the same, so it is determined once, and all processors share it.
 */
struct qemu_middle {
    uintptr_t return_address;
    uint64_t lacking; /* 0: not known yet; only for qemu_private.c */
};

/*
 * RFLAGS as the guest would push them. system_flags: the flags from the plugin interface, the result if the others
 * cannot be computed. middle: NULL at the beginning of a block and in a discontinuity.
 * Reads: the object, into the copy; cpu_restore_state and helper_read_eflags then use the copy.
 * Trusts: that the flags depend only on the words from RIP on, after a full copy has given the same result several
 * times.
 * Lost: LOSS_FLAGS.
 */
uint64_t qemu_private_flags(struct qemu_private *p, uint64_t system_flags, struct qemu_middle *middle);

/*
 * Completes, with cpu_restore_state, the state that translated code updates only partly, so that qemu_plugin_set_pc can
 * leave a block before its end.
 * False: LOSS_LEAVING, or the return address is not in translated code.
 */
bool qemu_private_settle(struct qemu_private *p, uintptr_t return_address);

/*
 * Raises #GP(0) at the instruction whose callback this is, with raise_exception_err_ra. Returns only if that is
 * impossible: LOSS_PROTECTION.
 */
void qemu_private_general_protection(struct qemu_private *p, uintptr_t return_address);

/*
 * Stops the machine before the next instruction, like a debugger's breakpoint. The state must be complete
 * (qemu_private_settle). Returns only if that is impossible: LOSS_PROTECTION.
 */
void qemu_private_debug(struct qemu_private *p);

/* The linear address of the interrupt descriptor table, from cpu_dump_state's text: slow. False: LOSS_IDT. */
bool qemu_private_idt(const struct qemu_private *p, uint64_t *base);

/* The CPUID result of the guest, from cpu_x86_cpuid; leaves past the last one are zero. False: LOSS_CPUID. */
bool qemu_private_cpuid(const struct qemu_private *p, uint32_t leaf, uint32_t regs[4]);

/*
 * Whether QEMU has reset the processor since the last call; true if that is unknown. Writes: a mark into the upper half
 * of ZMM0, which TCG's guests cannot reach. RESET clears vector registers, INIT keeps them.
 */
bool qemu_private_was_reset(const struct qemu_private *p);

/*
 * Whether an NMI's handler runs: IRET has not unblocked NMIs since. Reads: the object. Trusts: the place from QEMU's
 * table. False: unknown.
 */
bool qemu_private_nmi(const struct qemu_private *p, bool *in_service);

/* The value of RDTSC, from cpu_get_tsc; without it (LOSS_TSC) the host's clock in nanoseconds. */
uint64_t qemu_private_tsc(const struct qemu_private *p);

/*
 * What RDTSC adds to cpu_get_tsc, for the caller to write: by itself QEMU writes it only for SVM, and at reset and
 * INIT. Trusts: the place from QEMU's table. NULL: LOSS_TSC_OFFSET.
 */
uint64_t *qemu_private_tsc_offset(const struct qemu_private *p);

/*
 * The host address of the guest's byte at this linear address, for writing; the following bytes to the end of the 4 KiB
 * page are contiguous. From tlb_vaddr_to_host, for an access by the kernel (cpu_mmu_index_kernel). Valid until the
 * guest continues. Marks the page accessed and dirty, as an access does. NULL if a write needs more than a store, or is
 * impossible: devices, pages with translated code, watchpoints, pages that are not mapped or not writable. The caller
 * then uses the plugin interface. Do not call in the middle of a block of several instructions: QEMU aborts if a page
 * table is in a device.
 * Lost: LOSS_MEMORY.
 */
void *qemu_private_memory(const struct qemu_private *p, uint64_t address);

/* Whether to still write through the plugin interface, and then compare. */
bool qemu_private_doubts_memory(const struct qemu_private *p);

/*
 * Compares the memory with what the plugin interface reads there.
 * Trusts: memory that compared equal several times, and was not all zero.
 * Lost: LOSS_MEMORY.
 */
void qemu_private_look_at_memory(struct qemu_private *p, const void *memory, const void *seen, size_t size);

/*
 * Whether QEMU derives time from the number of instructions (-icount); whether QEMU runs an accelerator other than TCG,
 * without plugins.
 * Reads: use_icount, tcg_allowed. False if they are not exported: LOSS_ACCELERATOR.
 */
bool qemu_private_icount(void);
bool qemu_private_accelerated(void);

/*
 * Under -icount QEMU ends if a clock is read or an interrupt is raised inside a block, unless a flag in the object is
 * set. It is set between blocks, and cleared at the beginning of a block. qemu_private_look_for_io() looks between
 * blocks; qemu_private_permit_io(), in a callback, sets the flag and returns its previous value.
 * Reads: the bytes before the register file. Writes: this flag.
 * Trusts: the only byte that was 1 at each look between blocks, and is 0 or 1 in callbacks.
 * Lost: LOSS_ACCELERATOR.
 */
void qemu_private_look_for_io(struct qemu_private *p);
uint8_t qemu_private_permit_io(struct qemu_private *p, uint8_t flag);

/*
 * Whether all processors run in one thread (-accel tcg,thread=single). Translation callbacks then get the number of the
 * processor for which QEMU translates. False if qemu_tcg_mttcg_enabled is not exported: LOSS_ACCELERATOR.
 */
bool qemu_private_one_thread(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This room is all that touches QEMU's private state: what the plugin interface does not give, and a QEMU that exports
 * its symbols (one built with modules: Debian's, Ubuntu's, Fedora's) has. docs/model.md says what the interface would
 * need for the room to be empty.
 *
 * Its rules. Registers are where QEMU's own description of the object has them (qemu_object.h), and that is believed
 * once they read there as through the plugin interface, in two states of the processor that differ. What has to be
 * tried is tried on a copy of the object. Of the object itself one word is ever written here, the translation flags;
 * else it is changed by QEMU's own functions alone. Where something is not as expected, it is not used from then on,
 * and one sentence on standard error says what that costs (qemu_loss.h).
 */
#ifndef MODEL_PRIVATE_QEMU_PRIVATE_H
#define MODEL_PRIVATE_QEMU_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/bytes/encode.h"
#include "model/private/qemu_object.h"

struct qemu_private {
    struct qemu_object object;
    uint32_t *translation_flags; /* NULL where they were not found */
    enum { QEMU_UNSEEN, QEMU_SEEN, QEMU_CERTAIN, QEMU_LOST } registers;
    uint64_t seen_rip;       /* when they were seen first */
    unsigned flags_compared; /* how often the quick way to the flags has been held against the long one */
    bool flags_known;
};

/* What the plugin interface reads at this moment. Outside 64-bit code these are the low halves. */
struct qemu_seen {
    uint64_t general[GENERAL_REGISTERS], rip, eflags;
};

/*
 * On the processor's own thread, once it exists.
 * Reads: the object; its translation flags by tcg_cflags_has, which is also asked about copies with a flag changed.
 * Believes: the one word of the object that reads as these flags, and in a copy is what tcg_cflags_has tells of.
 * Lost: LOSS_OBJECT, LOSS_TRANSLATIONS, and what is not exported.
 */
void qemu_private_init(struct qemu_private *p);

/*
 * To be called where registers can be read, in different states, until it is settled whether they are where they seem:
 * holds the registers in the object against what the interface says, and the flags that helper_read_eflags makes of a
 * copy against those that were put into it.
 * Lost: LOSS_OBJECT, LOSS_FLAGS.
 */
void qemu_private_look(struct qemu_private *p, const struct qemu_seen *seen);

/* Whether there is no need to look any more. */
static inline bool qemu_private_is_settled(const struct qemu_private *p)
{
    return p->registers == QEMU_CERTAIN || p->registers == QEMU_LOST;
}

/* Whether they have been seen at least once, which whatever reads or hands on the register file needs. */
static inline bool qemu_private_reads(const struct qemu_private *p)
{
    return p->registers == QEMU_SEEN || p->registers == QEMU_CERTAIN;
}

/* The same as the interface's, many times faster. Reads: the object. */
void qemu_private_general(const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS]);
uint64_t qemu_private_rip(const struct qemu_private *p);
uint64_t qemu_private_eflags(const struct qemu_private *p);

/*
 * QEMU translates a page of memory once for all linear addresses at which it is mapped, as a library's is in each
 * process. From the next translation on it does so for each address by itself.
 * Writes: the translation flags. Lost without them: records may have another process's addresses.
 */
void qemu_private_bind_translations(const struct qemu_private *p);

/*
 * Keeps two sets of translations, of which this processor looks for the next block in the one or in the other.
 * Writes: the translation flags. False without them: the caller uses EFLAGS.RF in their place, which is slower.
 */
bool qemu_private_translate_apart(const struct qemu_private *p, bool apart);
bool qemu_private_translates_apart(const struct qemu_private *p);

/*
 * A callback in the middle of a block: where it returns to, and what the register file lacks there of how QEMU keeps
 * the status flags, which is the same every time and so is looked for once. Processors share it.
 */
struct qemu_middle {
    uintptr_t return_address;
    uint64_t lacking; /* 0: not known yet; private to qemu_private.c */
};

/*
 * RFLAGS as the guest would push them, where system_flags are those that the plugin interface reads, which is also what
 * one gets where no more is to be had. middle: NULL at a block's beginning and in a discontinuity.
 * Reads: the object, into the copy; there cpu_restore_state and helper_read_eflags work.
 * Believes: that the words from RIP on are all that the flags depend on, if a copy of everything gives the same the
 *   first times.
 * Lost: LOSS_FLAGS.
 */
uint64_t qemu_private_flags(struct qemu_private *p, uint64_t system_flags, struct qemu_middle *middle);

/*
 * Makes the state whole that translated code keeps only in part, so that the middle of a block can be left there by
 * qemu_plugin_set_pc: by cpu_restore_state. False: LOSS_LEAVING, or it is no place in translated code.
 */
bool qemu_private_settle(struct qemu_private *p, uintptr_t return_address);

/*
 * Raises #GP(0) at the instruction whose callback this is, by raise_exception_err_ra. Returns only where that cannot be
 * done: LOSS_PROTECTION.
 */
void qemu_private_general_protection(struct qemu_private *p, uintptr_t return_address);

/* The linear address of the interrupt descriptor table, from cpu_dump_state's text: slow. False: LOSS_IDT. */
bool qemu_private_idt(const struct qemu_private *p, uint64_t *base);

/* What cpu_x86_cpuid answers the guest, leaves past the last one all zero. False: LOSS_CPUID. */
bool qemu_private_cpuid(const struct qemu_private *p, uint32_t leaf, uint32_t regs[4]);

/* What RDTSC reads, by cpu_get_tsc; the host's clock in nanoseconds where that is not to be had: LOSS_TSC. */
uint64_t qemu_private_tsc(const struct qemu_private *p);

/*
 * Whether QEMU counts instructions to make time (-icount), and whether it runs another accelerator than TCG, which
 * knows no plugins. Read: use_icount, tcg_allowed. False where they are not exported: LOSS_ACCELERATOR.
 */
bool qemu_private_icount(void);
bool qemu_private_accelerated(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug store of one processor as a state machine, without QEMU: it is told of MSR accesses, of blocks that begin,
 * of memory accesses and of interruptions, and answers with values, exceptions, records in memory and interrupts, all
 * through struct host.
 *
 * The way from WRMSR to a record in memory. engine_wrmsr() has everything gathered so far written (engine_settle) and
 * hands the register to msr_write(), which asks whether it exists and takes the value (msr_exists, msr_takes), sets it
 * (msr_set) and calls control_update(). That finds out what is on now (bts_on, lbr_on, pebs_enabled), makes a struct
 * counter of each counter's registers (counters_configure), and says in hot->counts how far each class of events is
 * from the nearest overflow (counting_arm) and in hot->tracing whether blocks go into the ring. From here on translated
 * code works alone, until an event may be the one. Then it watches the block, and calls engine_stop() behind the
 * instruction that is; or it calls engine_due() before the block, which looks for the instruction (counting_first_due)
 * and says whether to watch; or engine_ring_full() for events that only the next block decides, or
 * engine_data_retired() behind an access to memory. All of them call overflow_take():
 * it brings the counters up to date (counting_update), sets the status bit of one that overflowed (overflow_of) or arms
 * it for PEBS, and for one whose next event this is calls pebs_record(), which reads the DS area (ds_read), asks for
 * room (pebs_full), has the record described, encoded and staged (pebs_store) and reloads the counter (pebs_reload).
 * pebs_flush() writes what is staged, and the index. A branch takes the other way: branches_drain() works through the
 * ring and has branches_record() hand each batch to lbr_store() and bts_store(), which stages the records that
 * bts_flush() writes. Who reaches a threshold or overflows with INT sets v->pmi.wanted; at the next boundary
 * pmi_deliver() flushes, freezes what is to be frozen, and raises the PMI through the host (pmi_raise). Each of these
 * questions is a rule (rules.h), asked through v->rules.
 *
 * Time. One instruction takes one cycle. Batches. Branches are gathered in a ring and worked through when it is full,
 * when the next branch could raise an interrupt, and before anything by which software may look: an access to any MSR,
 * CPUID, RDPMC, an interrupt or exception. This is the modelled store buffer: a guest that reads the DS area by a plain
 * load while tracing sees BTS records up to ENGINE_RING blocks late, and PEBS records up to PEBS_STAGE bytes late.
 */
#ifndef MODEL_ENGINE_ENGINE_H
#define MODEL_ENGINE_ENGINE_H

#include "model/vcpu/vcpu.h"

/*
 * Makes a processor, in its state after reset; all of v but its logs and rules must be zero. A processor without rules
 * gets rules_manual. hot is the memory that translated code shares, and must outlive the processor. Returns false if
 * out of memory.
 */
bool engine_init(struct vcpu *v, unsigned number, const struct profile *profile, const struct host *host, void *cpu,
                 struct hot *hot);
void engine_free(struct vcpu *v);
void engine_reset(struct vcpu *v);

/* A rule. */
void engine_reset_registers(struct vcpu *v);

/* --- registers ------------------------------------------------------------------------------------------------- */
/* place: the RDMSR, WRMSR or RDPMC itself. */
enum msr_answer engine_rdmsr(struct vcpu *v, uint32_t address, uint64_t *value, struct place place);
enum msr_answer engine_wrmsr(struct vcpu *v, uint32_t address, uint64_t value, struct place place);
enum msr_answer engine_rdpmc(struct vcpu *v, uint32_t index, uint64_t *value, struct place place);

/* --- execution ------------------------------------------------------------------------------------------------- */

/*
 * A block begins, and goes into the ring. That is to be said of each block where any processor wants blocks, unless
 * translated code notes it in the same way, which it may not if the ring is nearly full. True: the caller must call
 * engine_ring_full().
 */
static inline bool engine_block(struct vcpu *v, const struct block *block)
{
    if (!v->hot->tracing && v->hot->noted >= v->places + ENGINE_RING - 1) {
        v->hot->noted = v->places;
    }
    *v->hot->noted++ = block;
    v->hot->block = NULL;
    return v->hot->tracing && v->hot->noted >= v->places + ENGINE_RING;
}

/*
 * True: a PMI was raised at the newest block's first instruction, or what a debugger waits for has happened, and the
 * caller must begin the block again for the PMI to be delivered or the processor to be stopped there. So below.
 */
bool engine_ring_full(struct vcpu *v);

/*
 * A block is about to begin, before its events are added, and may hold the event that some counter waits for (or
 * CLASS_FORCE is set). That must be said of each block in which a class's count reaches CLASS_DUE. It need not be said
 * of one that is watched, or will be, where each count that does so is below CLASS_DUE before and above it behind the
 * block: the last instruction is not the event then.
 */
enum due_answer {
    DUE_GO_ON,
    DUE_WATCH, /* run the block in the translation that calls engine_stop: it is watched */
    DUE_AGAIN, /* a PMI was raised: begin the block again */
};
enum due_answer engine_due(struct vcpu *v, const struct block *block, bool watching);

/*
 * The event that takes a class to CLASS_DUE was the instruction before place, in a block that is watched; or, while
 * CLASS_FORCE is set, any event was. May be called more than once for a place. True: a PMI was raised, which is taken
 * here if the caller leaves the block, or else at the block's end.
 */
bool engine_stop(struct vcpu *v, struct place place);

/* A block begins to which a REP instruction has come back: its first instruction has been counted already. */
void engine_repeat(struct vcpu *v, const struct block *block);

/*
 * QEMU took an instruction out of the running block and ran it by itself, as it does for device access; the rest of the
 * block follows as a block of its own.
 */
void engine_lone_instruction(struct vcpu *v, uint64_t address);

/* The running block is left before place.index, which is at least 1; the rest follows as a block of its own. */
void engine_leave(struct vcpu *v, struct place place);

/* Control went from `from` to the handler at `to`, which runs at privilege level cpl. */
enum interruption {
    INTERRUPTION_EXTERNAL,
    INTERRUPTION_EXCEPTION,
    INTERRUPTION_DEBUG, /* #DB, which the LBR stack does not record and which turns the stack off */
};
void engine_interruption(struct vcpu *v, enum interruption kind, uint64_t from, uint64_t to, unsigned cpl);

/*
 * hot->data_pending was set and the instruction has retired; the next one is at ip, at privilege level cpl. True: the
 * caller should leave the block, as for engine_stop().
 */
bool engine_data_retired(struct vcpu *v, struct place place, uint64_t ip, unsigned cpl);

/*
 * All blocks are about to be freed, while no processor runs translated code: this processor copies those that it still
 * needs.
 */
void engine_keep_blocks(struct vcpu *v);

/* Writes everything gathered to memory, because the instruction at place lets software look. */
void engine_settle(struct vcpu *v, struct place place);

/* The instruction at place is about to stop the processor until an interrupt comes. */
void engine_halt(struct vcpu *v, struct place place);

#endif

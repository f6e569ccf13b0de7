/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug store of one processor as a state machine, without QEMU. Its inputs are MSR accesses, beginnings of blocks,
 * memory accesses and interruptions. Its outputs are values, exceptions, records in memory and interrupts, all through
 * struct host.
 *
 * From WRMSR to a record in memory:
 *
 *   engine_wrmsr()             engine_settle() writes everything gathered so far
 *     msr_write()              checks the register and the value (msr_exists, msr_takes), and sets it (msr_set)
 *       control_update()       what is enabled: bts_on(), lbr_on(), pebs_enabled()
 *         counters_configure() makes a struct counter of each counter's registers
 *         counting_arm()       sets hot->counts, how far each event class is from the nearest overflow, and
 *                              hot->tracing, whether blocks go into the ring
 *
 * Then translated code runs alone until an event may be the overflow:
 *
 *   engine_due()               before such a block: decides whether to run its watched translation
 *     counting_first_due()     finds the instruction
 *   engine_stop()              after that instruction, in the watched translation
 *   engine_ring_full()         for events that only the next block determines
 *   engine_data_retired()      after a memory access
 *     overflow_take()          called by all of these
 *       counting_update()      updates the counters
 *       overflow_of()          sets an overflowed counter's status bit; a sampling counter is armed instead
 *       pebs_record()          at the next event of an armed counter
 *         ds_read()            reads the DS area
 *         pebs_full()          checks for space
 *         pebs_store()         stages the record
 *         pebs_reload()        reloads the counter
 *   pebs_flush()               writes the staged records and the index
 *   branches_drain()           processes the ring
 *     branches_record()        passes a batch of branches on
 *       lbr_store()            to the LBR stack
 *       bts_store()            to the stage of BTS, which bts_flush() writes
 *   pmi_deliver()              at the next boundary, if a threshold or an overflow with INT has set v->pmi.wanted:
 *                              flushes, freezes, and raises the PMI through the host (pmi_raise)
 *
 * Each of these decisions is a rule (rules.h): the engine calls v->rules->pebs_full, which is pebs_full() unless the
 * processor has a fault or freedom.
 *
 * Time: one instruction takes one cycle. Batches: branches are gathered in a ring. The engine processes the ring when
 * it is full, when the next branch could raise an interrupt, and at any MSR access, CPUID, RDPMC, interrupt or
 * exception. This is the modelled store buffer. A guest that reads the DS area with a plain load while tracing sees BTS
 * records up to ENGINE_RING - 1 blocks late, and PEBS records up to PEBS_STAGE bytes late.
 */
#ifndef MODEL_ENGINE_ENGINE_H
#define MODEL_ENGINE_ENGINE_H

#include "model/engine/ring.h"
#include "model/vcpu/vcpu.h"

/*
 * Makes a processor in its state after reset. All members of v except logs and rules must be zero; rules NULL becomes
 * rules_sdm. Translated code accesses *hot, which must outlive the processor. Returns false if out of memory.
 */
bool engine_init(struct vcpu *v, unsigned number, const struct profile *profile, const struct host *host, void *cpu,
                 struct hot *hot);
void engine_free(struct vcpu *v);
void engine_reset(struct vcpu *v);

/* An instruction empties caches or TLBs. Before, the blocks that have begun are looked up in the caches of code. */
void engine_flush_caches(struct vcpu *v);

/* --- registers ------------------------------------------------------------------------------------------------- */
/* place: of the RDMSR, WRMSR or RDPMC. */
enum msr_answer engine_rdmsr(struct vcpu *v, uint32_t address, uint64_t *value, struct place place);
enum msr_answer engine_wrmsr(struct vcpu *v, uint32_t address, uint64_t value, struct place place);
enum msr_answer engine_rdpmc(struct vcpu *v, uint32_t index, uint64_t *value, struct place place);

/* --- execution ------------------------------------------------------------------------------------------------- */

/*
 * A block begins: appends it to the ring. Call for each block while any processor wants blocks. True: call
 * engine_ring_full(). Without hooks.ring, translated code may instead set hot->running. With hooks.data, it also clears
 * hot->hit.
 */
static inline bool engine_block(struct vcpu *v, const struct block *block)
{
    ring_append(v, block);
    return v->noted >= v->places + ENGINE_RING;
}

/* Whether the next engine_block() returns false. */
static inline bool engine_has_room(const struct vcpu *v)
{
    return v->noted < v->places + ENGINE_RING - 1;
}

/*
 * Processes the ring. True: a PMI was raised at the newest block's first instruction, or an event that a debugger waits
 * for has happened. The caller must then begin the block again, so that QEMU delivers the PMI or stops the processor
 * there.
 */
bool engine_ring_full(struct vcpu *v);

/*
 * A block is about to begin, its events are not added yet, and it may have the event that a counter waits for (or
 * CLASS_FORCE is set). Call for each block in which a class's count reaches CLASS_DUE. The call may be omitted if the
 * watched translation runs anyway and each such count passes CLASS_DUE inside the block: then the event is not the last
 * instruction.
 */
enum due_answer {
    DUE_GO_ON,
    DUE_WATCH, /* run the block in its watched translation, which calls engine_stop() */
    DUE_AGAIN, /* a PMI was raised: begin the block again */
};
enum due_answer engine_due(struct vcpu *v, const struct block *block, bool watching);

/*
 * In a watched block, the instruction before place was the event that brought a class to CLASS_DUE (with CLASS_FORCE:
 * any event). May be called several times for a place. True: a PMI was raised. QEMU delivers it here if the caller
 * leaves the block, otherwise at the block's end.
 */
bool engine_stop(struct vcpu *v, struct place place);

/* A block begins again to repeat its REP instruction, which has been counted already. */
void engine_repeat(struct vcpu *v, const struct block *block);

/*
 * QEMU took an instruction out of the running block and ran it alone, as it does for device access. The rest of the
 * block follows as a separate block.
 */
void engine_lone_instruction(struct vcpu *v, uint64_t address);

/* The running block is left before place.index, which is at least 1. The rest follows as a separate block. */
void engine_leave(struct vcpu *v, struct place place);

/*
 * Blocks have begun without engine_block(), because nothing records or counts them. last: the last of them, behind
 * which engine_block() is called again; NULL: it is unknown.
 */
void engine_spared(struct vcpu *v, const struct block *last);

/* Control was transferred from `from` to the handler at `to`, which runs at privilege level cpl. */
enum interruption {
    INTERRUPTION_EXTERNAL,
    INTERRUPTION_EXCEPTION,
    INTERRUPTION_DEBUG, /* #DB, which is not recorded in the LBR stack, and which disables it */
};
void engine_interruption(struct vcpu *v, enum interruption kind, uint64_t from, uint64_t to, unsigned cpl);

/*
 * hot->data_pending is set and the instruction has retired: counts its accesses. True: one may be an event that a
 * counter waits for; call engine_data_due().
 */
bool engine_data_counted(struct vcpu *v);

/*
 * The next instruction is at ip, at privilege level cpl. True: the caller should leave the block, as for engine_stop().
 */
bool engine_data_due(struct vcpu *v, struct place place, uint64_t ip, unsigned cpl);

/* Calls engine_data_counted() and, if that returns true, engine_data_due(). False if hot->data_pending is clear. */
static inline bool engine_data_retired(struct vcpu *v, struct place place, uint64_t ip, unsigned cpl)
{
    return v->hot->data_pending && engine_data_counted(v) && engine_data_due(v, place, ip, cpl);
}

/*
 * All blocks are about to be freed, and no processor runs translated code: copies the blocks that this processor still
 * needs.
 */
void engine_keep_blocks(struct vcpu *v);

/*
 * From now on translated code reports these hooks, which include v->uses. The modelled caches are empty if accesses are
 * not among them. running: the block of the running WRMSR, which may not have been reported; NULL: none.
 */
void engine_hook(struct vcpu *v, struct hooks hooks, const struct block *running);

/* Writes everything gathered to memory, because the instruction at place may let software see it. */
void engine_settle(struct vcpu *v, struct place place);

/* The instruction at place is about to halt the processor until an interrupt arrives. */
void engine_halt(struct vcpu *v, struct place place);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callbacks of blocks, memory accesses and interruptions, and the ways to leave a block. */
#include "model/qemu/plugin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/engine/data.h"
#include "model/engine/engine.h"
#include "model/engine/event_class.h"
#include "model/qemu/state.h"

#define VECTOR_DEBUG 1

/*
 * Prepares to leave the running block before place, from the callback that returns to `here`. False if that is
 * impossible.
 */
bool leave_prepare(struct processor *p, struct place place, uintptr_t here)
{
    uint64_t eflags;

    if (!qemu_private_settle(&p->private, here)) {
        return false;
    }
    engine_leave(&p->vcpu, place);
    eflags = processor_read(p, NAME_EFLAGS);
    if (eflags & EFLAGS_RF) {
        processor_write(p, NAME_EFLAGS, eflags & ~EFLAGS_RF); /* every instruction clears RF */
    }
    return true;
}

/* Stops the machine if a debugger waits for this and QEMU's state is complete here. The debugger's wait then ends. */
static void stop_if_watched(struct processor *p, bool complete)
{
    if (p->vcpu.watch.hit) {
        state_stopped(p, model.options.state);
        if (complete) {
            qemu_private_debug(&p->private);
        }
    }
}

/* Begins the block again, from a callback before its first instruction that returns to `here`. */
static _Noreturn void begin_again(struct processor *p, const struct block *block, uintptr_t here)
{
    const bool settled = (p->vcpu.watch.hit || model.icount) && qemu_private_settle(&p->private, here);

    stop_if_watched(p, settled);
    processor_go_to(block, block->pc);
}

/*
 * Leaves the block and begins another one at place. Returns only if that is impossible; the block then runs to its end.
 */
void leave_block(struct processor *p, struct place place, uintptr_t here)
{
    if (leave_prepare(p, place, here)) {
        stop_if_watched(p, true);
        processor_go_to(place.block, block_address(place.block, place.index));
    }
}

static __attribute__((noinline)) void ring_full(unsigned cpu, const struct block *block, uintptr_t here)
{
    struct processor *const p = enter(cpu);
    bool again;

    p->block = block;
    p->between_blocks = true;
    again = engine_ring_full(&p->vcpu);
    p->between_blocks = false;
    p->block = NULL;
    if (again) {
        begin_again(p, block, here);
    }
}

/* Runs for each branch. Rare cases are called last and not inlined, so that this function needs no stack. */
void on_block(unsigned cpu, void *udata)
{
    if (__builtin_expect(engine_block(&model.processors[cpu]->vcpu, udata), false)) {
        ring_full(cpu, udata, (uintptr_t)__builtin_return_address(0));
    }
}

/* A block without a beginning of its own begins, and blocks are not noted in the ring. */
void on_begun(unsigned cpu, void *udata)
{
    model.processors[cpu]->vcpu.trail->block = udata;
}

/* Asks the engine. DUE_WATCH: the block must begin again, in its watched translation. */
static enum due_answer due(unsigned cpu, const struct block *block, bool watching, uintptr_t here)
{
    struct processor *p = enter(cpu);
    enum due_answer answer;

    p->block = block;
    p->between_blocks = true;
    answer = engine_due(&p->vcpu, block, watching);
    p->between_blocks = false;
    p->block = NULL;
    if (answer == DUE_AGAIN) {
        begin_again(p, block, here);
    }
    return answer;
}

/* Makes QEMU's next lookup find the watched translation. */
static void select_watched(struct processor *p)
{
    if (!qemu_private_translate_apart(&p->private, true)) {
        processor_write(p, NAME_EFLAGS, processor_read(p, NAME_EFLAGS) | EFLAGS_RF);
    }
}

void on_due(unsigned cpu, void *udata)
{
    const uintptr_t here = (uintptr_t)__builtin_return_address(0);

    if (due(cpu, udata, false, here) == DUE_WATCH) {
        select_watched(model.processors[cpu]);
        begin_again(model.processors[cpu], udata, here);
    }
}

/* Begins the watched translation, which QEMU has found. */
void on_watching(unsigned cpu, void *udata)
{
    qemu_private_translate_apart(&model.processors[cpu]->private, false);
    due(cpu, udata, true, (uintptr_t)__builtin_return_address(0));
}

/* Lets blocks count down the events until the lead's count reaches the limit. */
static void count_down(struct processor *p, uint64_t limit)
{
    struct hot *const hot = p->vcpu.hot;
    uint64_t *const count = &hot->counts[model.lead];

    p->left = p->left != NULL ? p->left : qemu_ops_countdown(&p->private.object);
    if (p->left != NULL && *count < limit) {
        hot->given = limit - *count < UINT16_MAX ? limit - *count : UINT16_MAX;
        *count += hot->given;
        *p->left = (uint16_t)hot->given;
    }
}

/*
 * Does what translated code does itself at a block's beginning, when something is due or the ring is nearly full. True:
 * the block must begin again in its watched translation.
 */
static bool begin(unsigned cpu, const struct beginning *b, bool watching, uintptr_t here)
{
    struct processor *const p = enter(cpu);
    struct hot *const hot = p->vcpu.hot;
    const struct block *const block = b->block;
    bool reached = false;

    for (unsigned i = 0; i < b->count_count; i++) {
        reached = reached || hot->counts[b->counts[i].id] + b->counts[i].events >= b->counts[i].limit;
    }
    if (reached && due(cpu, block, watching, here) == DUE_WATCH) {
        return true;
    }
    if (!model.blocks) {
        p->vcpu.trail->block = block;
    } else if (engine_block(&p->vcpu, block)) {
        ring_full(cpu, block, here);
    }
    for (unsigned i = 0; i < b->count_count; i++) {
        hot->counts[b->counts[i].id] += b->counts[i].events;
    }
    if (!watching) {
        count_down(p, CLASS_DUE);
    }
    return false;
}

/*
 * The host code of the watched translation. It is valid until QEMU drops all translations, including this block's. A
 * write to the bytes from which it was made also drops this block, and this address with it.
 */
static uint64_t watched(struct processor *p, struct beginning *b)
{
    uint64_t code = __atomic_load_n(&b->watched, __ATOMIC_RELAXED);
    bool exists;

    if (code != 0) {
        return code;
    }
    select_watched(p);
    code = (uintptr_t)qemu_ops_translation(&p->private.object, block_rip(b->block, b->block->pc), &exists);
    if (exists && qemu_private_translate_apart(&p->private, false)) {
        __atomic_store_n(&b->watched, code, __ATOMIC_RELAXED);
    }
    return code;
}

/* Begins a block that can continue in other host code. */
void on_beginning(unsigned cpu, void *udata)
{
    struct processor *const p = model.processors[cpu];

    const uintptr_t here = (uintptr_t)__builtin_return_address(0);
    struct beginning *const beginning = udata;
    const bool watching = begin(cpu, beginning, false, here);

    if (watching && model.icount) {
        select_watched(p);
        begin_again(p, beginning->block, here);
    } else if (watching) {
        p->vcpu.hot->elsewhere = watched(p, beginning);
    }
}

void on_watched_beginning(unsigned cpu, void *udata)
{
    qemu_private_translate_apart(&model.processors[cpu]->private, false);
    begin(cpu, udata, true, (uintptr_t)__builtin_return_address(0));
}

/* Enters the engine in the middle of a block, from a callback that returns to `here`. */
static struct processor *enter_middle(unsigned cpu, struct site *site, uintptr_t here)
{
    struct processor *p = enter(cpu);

    site->middle.return_address = here;
    p->block = site->place.block;
    p->middle = &site->middle;
    return p;
}

static void leave_middle(struct processor *p, const struct site *site, bool interrupted)
{
    p->block = NULL;
    p->middle = NULL;
    if (interrupted) {
        leave_block(p, site->place, site->middle.return_address);
    }
}

void on_stop(unsigned cpu, void *udata)
{
    struct site *site = udata;
    struct processor *p = enter_middle(cpu, site, (uintptr_t)__builtin_return_address(0));

    qemu_private_translate_apart(&p->private, false); /* QEMU has found this translation */
    leave_middle(p, site, engine_stop(&p->vcpu, site->place));
    /*
     * The rest of the block checks the count itself. Where it does, a class before EVENT_UNITS has at least one more
     * event in the block.
     */
    count_down(p, model.lead < event_class(EVENT_UNITS, ANY_RING) ? CLASS_DUE : CLASS_DUE - 1);
}

void on_repeat(unsigned cpu, void *udata)
{
    engine_repeat(&enter(cpu)->vcpu, udata);
}

/* QEMU permits further accesses to devices in this block, as between two blocks. */
void on_lone_access(unsigned cpu, uint32_t info, uint64_t address, void *udata)
{
    const struct site *site = udata;
    struct processor *const p = enter(cpu);

    (void)info;
    (void)address;
    p->between_blocks = true;
    engine_lone_instruction(&p->vcpu, site->pc);
    p->between_blocks = false;
}

void on_data(unsigned cpu, uint32_t info, uint64_t address, void *udata)
{
    const struct site *site = udata;

    data_accessed(&model.processors[cpu]->vcpu, site->place, address, 1u << qemu_plugin_mem_size_shift(info),
                  qemu_plugin_mem_is_store(info));
}

/* Runs before the instruction after one that accessed memory, in the same block. */
void on_data_retired(unsigned cpu, void *udata)
{
    struct site *site = udata;
    struct processor *p = enter_middle(cpu, site, (uintptr_t)__builtin_return_address(0));

    leave_middle(p, site, engine_data_retired(&p->vcpu, site->place, site->pc, site->place.block->cpl));
}

/* Runs when the next block begins, if the last instruction of a block accessed memory. */
void on_block_data_retired(unsigned cpu, void *udata)
{
    const struct block *block = udata;

    if (engine_data_retired(&enter(cpu)->vcpu, BETWEEN_BLOCKS, block->pc, block->cpl)) {
        begin_again(model.processors[cpu], block, (uintptr_t)__builtin_return_address(0));
    }
}

/*
 * QEMU reports exceptions, including INT n, twice: when raised, as an exception with both addresses somewhere in the
 * interrupted block; and when delivered, like an interrupt, with the address of the instruction.
 */
void on_discontinuity(unsigned cpu, enum qemu_discon type, uint64_t from, uint64_t to, void *udata)
{
    struct processor *p = enter(cpu);

    (void)udata;
    qemu_private_translate_apart(&p->private, false); /* the watched block has not begun */
    if (p->faulting) {
        p->faulting = false;
        processor_write(p, RCX, p->saved_rcx);
    } else if (p->vcpu.hot->fix_up) {
        fix_up(p); /* the exception came before the next instruction */
    }
    if (type == QEMU_DISCON_EXCEPTION) {
        p->raised++;
        p->raised_at = p->raised == 2 ? from : p->raised_at; /* now the processor's RIP is up to date */
        return;
    }
    const bool exception = p->raised != 0;

    p->raised = 0;
    p->delivered = true;
    p->between_blocks = true;
    bool debug = exception && p->vcpu.hot->tracing && processor_is_entry(p, VECTOR_DEBUG, to);

    engine_interruption(&p->vcpu,
                        debug       ? INTERRUPTION_DEBUG
                        : exception ? INTERRUPTION_EXCEPTION
                                    : INTERRUPTION_EXTERNAL,
                        from, to, processor_cpl(p));
    p->between_blocks = false;
    p->delivered = false;
    if (exception) {
        processor_change_frame(p);
    }
}

/* The processor stops: in HLT, or because a debugger stops the machine. The debugger is notified after this. */
void on_rest(unsigned cpu, void *udata)
{
    (void)udata;
    if (model.processors[cpu] != NULL && !state_write(enter(cpu), model.options.state) && !model.unwritten) {
        model.unwritten = true;
        fprintf(stderr, "dsmodel: the file of processor %u in state=%s could not be written: %s\n", cpu,
                model.options.state, strerror(errno));
    }
}

/* The processor continues: after HLT, or because the debugger continues it. */
void on_resume(unsigned cpu, void *udata)
{
    (void)udata;
    if (model.processors[cpu] != NULL) {
        state_watch(model.processors[cpu], model.options.state);
    }
}

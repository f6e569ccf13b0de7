/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callbacks of blocks, memory accesses and interruptions, and the ways to leave a block. */
#include "model/qemu/plugin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/engine/counting.h"
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

    if (!qemu_private_settle(&p->private, here))
        return false;
    engine_leave(&p->vcpu, place);
    eflags = processor_read(p, NAME_EFLAGS);
    if (eflags & EFLAGS_RF)
        processor_write(p, NAME_EFLAGS, eflags & ~EFLAGS_RF); /* every instruction clears RF */
    return true;
}

/* Stops the machine if a debugger waits for this and QEMU's state is complete here. The debugger's wait then ends. */
static void stop_if_watched(struct processor *p, bool complete)
{
    if (p->vcpu.watch.hit) {
        state_stopped(p, model.options.state);
        if (complete)
            qemu_private_debug(&p->private);
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
static void leave_block(struct processor *p, struct place place, uintptr_t here)
{
    if (leave_prepare(p, place, here)) {
        stop_if_watched(p, true);
        processor_go_to(place.block, block_address(place.block, place.index));
    }
}

static __attribute__((noinline)) void ring_full(unsigned cpu, const struct block *block, uintptr_t here)
{
    struct processor *const p = model.processors[cpu];
    bool again;

    p->block = block;
    p->between_blocks = true;
    again = engine_ring_full(&p->vcpu);
    p->between_blocks = false;
    p->block = NULL;
    if (again)
        begin_again(p, block, here);
}

/* Runs for each branch. Rare cases are called last and not inlined, so that this function needs no stack. */
void on_block(unsigned cpu, void *udata)
{
    if (__builtin_expect(engine_block(&model.processors[cpu]->vcpu, udata), false))
        ring_full(cpu, udata, (uintptr_t)__builtin_return_address(0));
}

/* Makes QEMU's next lookup find the watched translation. */
static void select_watched(struct processor *p)
{
    if (!qemu_private_translate_apart(&p->private, true))
        processor_write(p, NAME_EFLAGS, processor_read(p, NAME_EFLAGS) | EFLAGS_RF);
}

/* A count of the block would reach its limit. DUE_WATCH makes the block begin again, in its watched translation. */
static void due(unsigned cpu, const struct block *block, bool watching, uintptr_t here)
{
    struct processor *p = model.processors[cpu];
    enum due_answer answer;

    p->block = block;
    p->between_blocks = true;
    answer = engine_due(&p->vcpu, block, watching);
    p->between_blocks = false;
    p->block = NULL;
    if (answer == DUE_WATCH)
        select_watched(p);
    if (answer != DUE_GO_ON)
        begin_again(p, block, here);
}

static inline bool reaches_limit(const struct hot *hot, const struct beginning *b)
{
    bool reached = false;

    for (unsigned i = 0; i < b->count_count; i++)
        reached |= hot->counts[b->counts[i].id] + b->counts[i].events >= b->counts[i].limit;
    return reached;
}

static inline void add_events(struct hot *hot, const struct beginning *b)
{
    for (unsigned i = 0; i < b->count_count; i++)
        hot->counts[b->counts[i].id] += b->counts[i].events;
}

/* Begins a block whose events are counted. */
static __attribute__((noinline)) void begin(unsigned cpu, const struct beginning *b, bool watching, uintptr_t here)
{
    struct vcpu *const v = &model.processors[cpu]->vcpu;

    if (reaches_limit(v->hot, b))
        due(cpu, b->block, watching, here);
    if (engine_block(v, b->block))
        ring_full(cpu, b->block, here);
    add_events(v->hot, b);
}

/* Runs for each block. Rare cases are called last and not inlined, so that this function needs no stack. */
void on_beginning(unsigned cpu, void *udata)
{
    struct vcpu *const v = &model.processors[cpu]->vcpu;
    const struct beginning *const b = udata;

    if (__builtin_expect(reaches_limit(v->hot, b) || !engine_has_room(v), false)) {
        begin(cpu, b, false, (uintptr_t)__builtin_return_address(0));
        return;
    }
    engine_block(v, b->block);
    add_events(v->hot, b);
}

/* The only count of a block would reach its limit. Translated code adds the events, and notes the block. */
void on_due(unsigned cpu, void *udata)
{
    const struct beginning *const b = udata;

    due(cpu, b->block, false, (uintptr_t)__builtin_return_address(0));
}

/* The same for a block that counts for one class, as most do, without a loop. */
void on_counted_beginning(unsigned cpu, void *udata)
{
    struct vcpu *const v = &model.processors[cpu]->vcpu;
    const struct beginning *const b = udata;
    uint64_t *const count = &v->hot->counts[b->counts[0].id];
    const uint64_t sum = *count + b->counts[0].events;

    if (__builtin_expect(sum >= b->counts[0].limit || !engine_has_room(v), false)) {
        begin(cpu, b, false, (uintptr_t)__builtin_return_address(0));
        return;
    }
    engine_block(v, b->block);
    *count = sum;
}

/* Begins the watched translation, which QEMU has found. */
void on_watched_beginning(unsigned cpu, void *udata)
{
    qemu_private_translate_apart(&model.processors[cpu]->private, false);
    begin(cpu, udata, true, (uintptr_t)__builtin_return_address(0));
}

/* Enters the engine in the middle of a block, from a callback that returns to `here`. */
static struct processor *enter_middle(unsigned cpu, struct site *site, uintptr_t here)
{
    struct processor *p = model.processors[cpu];

    site->middle.return_address = here;
    p->block = site->place.block;
    p->middle = &site->middle;
    return p;
}

static void leave_middle(struct processor *p, const struct site *site, bool interrupted)
{
    p->block = NULL;
    p->middle = NULL;
    if (interrupted)
        leave_block(p, site->place, site->middle.return_address);
}

void on_stop(unsigned cpu, void *udata)
{
    struct site *site = udata;
    struct processor *p = enter_middle(cpu, site, (uintptr_t)__builtin_return_address(0));

    qemu_private_translate_apart(&p->private, false); /* QEMU has found this translation */
    leave_middle(p, site, engine_stop(&p->vcpu, site->place));
}

/* Before SYSCALL and SYSENTER. If one of them is the event that a counter waits for, the next block must report it. */
void on_system_call(unsigned cpu, void *udata)
{
    struct processor *const p = model.processors[cpu];

    (void)udata;
    if (!counting_due(&p->vcpu))
        enter_ring_0(p);
}

/* In ring 0, before an instruction that may leave it, the last of its block. */
void on_return(unsigned cpu, void *udata)
{
    leave_ring_0(model.processors[cpu], udata);
}

/* The same before IRETQ, whose frame says whether it does. */
void on_iretq(unsigned cpu, void *udata)
{
    struct processor *const p = model.processors[cpu];
    uint64_t cs;

    if (!processor_host.read(p, processor_read(p, RSP) + sizeof(cs), &cs, sizeof(cs)) || (cs & 3) != 0)
        leave_ring_0(p, udata);
}

void on_repeat(unsigned cpu, void *udata)
{
    engine_repeat(&model.processors[cpu]->vcpu, udata);
}

/* QEMU permits further accesses to devices in this block, as between two blocks. */
void on_lone_access(unsigned cpu, uint32_t info, uint64_t address, void *udata)
{
    const struct site *site = udata;
    struct processor *const p = model.processors[cpu];

    (void)info;
    (void)address;
    p->between_blocks = true;
    engine_lone_instruction(&p->vcpu, site->pc);
    p->between_blocks = false;
}

/* An access that may reach the next line: only there its size matters. */
static __attribute__((noinline)) void on_access_at_end(struct vcpu *v, const struct site *site, uint32_t info,
                                                       uint64_t address, bool store)
{
    data_accessed(v, site->place, address, 1u << qemu_plugin_mem_size_shift(info), store);
}

/* QEMU's accesses have at most 16 bytes. */
static inline void on_access(unsigned cpu, const struct site *site, uint32_t info, uint64_t address, bool store)
{
    struct vcpu *const v = &model.processors[cpu]->vcpu;

    if (address % 64 > 48)
        on_access_at_end(v, site, info, address, store);
    else
        data_accessed(v, site->place, address, 1, store);
}

void on_load(unsigned cpu, uint32_t info, uint64_t address, void *udata)
{
    on_access(cpu, udata, info, address, false);
}

void on_store(unsigned cpu, uint32_t info, uint64_t address, void *udata)
{
    on_access(cpu, udata, info, address, true);
}

/* An access may be the event that a counter waits for. */
static __attribute__((noinline)) void data_due(unsigned cpu, struct site *site, uintptr_t here)
{
    struct processor *p = enter_middle(cpu, site, here);

    leave_middle(p, site, engine_data_due(&p->vcpu, site->place, site->pc, site->place.block->cpl));
}

/* Runs before the instruction after one that accessed memory, in the same block. */
void on_data_retired(unsigned cpu, void *udata)
{
    if (__builtin_expect(engine_data_counted(&model.processors[cpu]->vcpu), false))
        data_due(cpu, udata, (uintptr_t)__builtin_return_address(0));
}

/* Runs when the next block begins, if the last instruction of a block accessed memory. */
void on_block_data_retired(unsigned cpu, void *udata)
{
    const struct block *block = udata;

    if (engine_data_retired(&model.processors[cpu]->vcpu, BETWEEN_BLOCKS, block->pc, block->cpl))
        begin_again(model.processors[cpu], block, (uintptr_t)__builtin_return_address(0));
}

/*
 * QEMU reports exceptions, including INT n, twice: when raised, as an exception with both addresses somewhere in the
 * interrupted block; and when delivered, like an interrupt, with the address of the instruction.
 */
void on_discontinuity(unsigned cpu, enum qemu_discon type, uint64_t from, uint64_t to, void *udata)
{
    struct processor *p = model.processors[cpu];

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
    const unsigned cpl = processor_cpl(p);

    engine_interruption(&p->vcpu,
                        debug       ? INTERRUPTION_DEBUG
                        : exception ? INTERRUPTION_EXCEPTION
                                    : INTERRUPTION_EXTERNAL,
                        from, to, cpl);
    p->between_blocks = false;
    p->delivered = false;
    if (exception)
        processor_change_frame(p);
    narrow_translations(p);
    if (cpl == 0)
        enter_ring_0(p);
    else
        leave_ring_0(p, NULL);
}

/* The processor stops: in HLT, or because a debugger stops the machine. The debugger is notified after this. */
void on_rest(unsigned cpu, void *udata)
{
    (void)udata;
    if (model.processors[cpu] != NULL && !state_write(model.processors[cpu], model.options.state) && !model.unwritten) {
        model.unwritten = true;
        fprintf(stderr, "dsmodel: the file of processor %u in state=%s could not be written: %s\n", cpu,
                model.options.state, strerror(errno));
    }
}

/* The processor continues: after HLT, or because the debugger continues it. */
void on_resume(unsigned cpu, void *udata)
{
    (void)udata;
    if (model.processors[cpu] != NULL)
        state_watch(model.processors[cpu], model.options.state);
}

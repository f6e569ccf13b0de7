/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE /* mmap */
/*
 * The plugin: the processors, and the callbacks of translated code.
 *
 * Hooks. At first only CPUID, RDMSR, WRMSR and RDPMC have callbacks, so that a guest which does not use the debug store
 * runs at full speed. When a processor is programmed to need more (blocks, some event class, memory accesses), all code
 * is translated anew with these callbacks. They stay: switching off costs nothing, and switching on again hardly
 * anything.
 *
 * Native CPUID and RDMSR run, and the registers are changed before the next instruction; a block that begins behind one
 * is recognised by the bytes in front of it. Native WRMSR runs too, since QEMU ignores registers that it does not know.
 * So no block is ever left in its middle, where QEMU's own state is incomplete.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/insn/insn.h"
#include "model/engine/cpuid.h"
#include "model/engine/data.h"
#include "model/engine/data_cache.h"
#include "model/engine/engine.h"
#include "model/engine/event_class.h"
#include "model/faults/break.h"
#include "model/faults/quirks.h"
#include "model/latitude/latitude.h"
#include "model/qemu/options.h"
#include "model/qemu/processor.h"
#include "model/qemu/state.h"

#define MAX_PROCESSORS 256
#define MAX_INSN       15
#define SHIFT_OF_16    4

#define MSR_IA32_APIC_BASE 0x1b
#define MSR_X2APIC_LVTPC   0x834
#define MSR_FAULTING       0x8ff /* an x2APIC register that does not exist: QEMU raises #GP in either APIC mode */

#define VECTOR_DEBUG 1

/* CPUID leaves of the features that a profile asks for. */
#define FEATURES          0x00000001
#define MORE_FEATURES     0x00000007
#define EXTENDED_FEATURES 0x80000001

#define CR4_PCE (UINT64_C(1) << 8)

#define RESET_VECTOR UINT64_C(0xfffffff0) /* address of the first instruction after RESET */

QEMU_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
QEMU_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

/* An instruction in translated code, as callbacks receive it. */
struct site {
    struct place place;
    uint64_t pc, next;
    struct qemu_middle middle;
};

static struct {
    uint64_t id;
    struct options options;
    unsigned processors_most; /* that the machine can have */
    bool alone;               /* there is only one, for good */
    struct qemu_plugin_scoreboard *score;
    struct processor *processors[MAX_PROCESSORS];
    /* callbacks that translations have */
    bool blocks, data;
    uint64_t classes;
    bool warned, unwritten;
} model;

static _Thread_local struct processor *thread_processor; /* the last one initialised in this thread */

#define HOT(member) ((qemu_u64){ model.score, offsetof(struct hot, member) })

static qemu_u64 class_count(unsigned id)
{
    return (qemu_u64){ model.score, offsetof(struct hot, counts) + id * sizeof(uint64_t) };
}

static void on_translate(struct qemu_plugin_tb *tb, void *udata);
static void on_init(unsigned cpu, void *udata);
static void on_discontinuity(unsigned cpu, enum qemu_discon type, uint64_t from, uint64_t to, void *udata);
static void on_flush(void *udata);
static void on_rest(unsigned cpu, void *udata);
static void on_resume(unsigned cpu, void *udata);
static void on_exit_qemu(void *udata);

static void register_callbacks(void *udata)
{
    (void)udata;
    qemu_plugin_register_vcpu_init_cb(model.id, on_init, NULL);
    qemu_plugin_register_vcpu_tb_trans_cb(model.id, on_translate, NULL);
    qemu_plugin_register_vcpu_discon_cb(model.id, QEMU_DISCON_INTERRUPT | QEMU_DISCON_EXCEPTION, on_discontinuity,
                                        NULL);
    qemu_plugin_register_flush_cb(model.id, on_flush, NULL);
    qemu_plugin_register_atexit_cb(model.id, on_exit_qemu, NULL);
    if (model.options.state != NULL) {
        qemu_plugin_register_vcpu_idle_cb(model.id, on_rest, NULL);
        qemu_plugin_register_vcpu_resume_cb(model.id, on_resume, NULL);
    }
}

/* --- memory for what translations point to: freed when they all go ------------------------------------------------ */

#define CHUNK_BYTES ((size_t)1 << 20)
#define LINE_BYTES  64 /* of the host's caches: the part of a block that each run reads is in one line */

static struct {
    GMutex lock;
    GSList *chunks;
    size_t used; /* bytes of the newest chunk */
} arena;

#ifndef MAP_32BIT /* only some hosts have it */
#define MAP_32BIT 0
#endif

/* Below 2 GB, if there is room: a block's address then fits into the instruction that notes the block. */
static void *new_chunk(void)
{
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    void *chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, kind | MAP_32BIT, -1, 0);

    if (chunk == MAP_FAILED) {
        chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, kind, -1, 0);
    }
    if (chunk == MAP_FAILED) {
        options_die("%s", "out of memory");
    }
    return chunk;
}

static void free_chunk(void *chunk)
{
    munmap(chunk, CHUNK_BYTES);
}

static void *arena_copy(const void *bytes, size_t size)
{
    const size_t aligned = (size + LINE_BYTES - 1) & ~(size_t)(LINE_BYTES - 1);
    char *at;

    g_mutex_lock(&arena.lock);
    if (arena.chunks == NULL || arena.used + aligned > CHUNK_BYTES) {
        arena.chunks = g_slist_prepend(arena.chunks, new_chunk());
        arena.used = 0;
    }
    at = (char *)arena.chunks->data + arena.used;
    arena.used += aligned;
    g_mutex_unlock(&arena.lock);
    return memcpy(at, bytes, size);
}

/* The scoreboard moves when it makes room for more processors, and QEMU drops all translations then. */
static void find_hot(void)
{
    for (unsigned i = 0; i < MAX_PROCESSORS; i++) {
        if (model.processors[i] != NULL) {
            model.processors[i]->vcpu.hot = qemu_plugin_scoreboard_find(model.score, i);
        }
    }
}

/* QEMU drops all translations; no processor runs. */
static void on_flush(void *udata)
{
    (void)udata;
    find_hot();
    for (unsigned i = 0; i < MAX_PROCESSORS; i++) {
        if (model.processors[i] != NULL) {
            engine_keep_blocks(&model.processors[i]->vcpu);
        }
    }
    g_slist_free_full(arena.chunks, free_chunk);
    arena.chunks = NULL;
}

static void bind_translations(void)
{
    for (unsigned i = 0; i < MAX_PROCESSORS; i++) {
        if (model.processors[i] != NULL) {
            qemu_private_bind_translations(&model.processors[i]->private);
        }
    }
}

/*
 * Translates everything anew when this processor needs callbacks that translations lack, and from then on each address
 * by itself, because blocks then tell where things happen.
 */
static bool extend_translations(const struct vcpu *v)
{
    if ((!v->wants.blocks || model.blocks) && (!v->wants.data || model.data) && !(v->wants.classes & ~model.classes)) {
        return false;
    }
    model.blocks = model.blocks || v->wants.blocks;
    model.data = model.data || v->wants.data;
    model.classes |= v->wants.classes;
    bind_translations();
    qemu_plugin_reset(model.id, register_callbacks, NULL);
    return true;
}

/*
 * Prepares to leave the block that runs before place, from the callback that returns to `here`. False where that is
 * impossible.
 */
static bool make_ready(struct processor *p, struct place place, uintptr_t here)
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

/* Stops the machine where a debugger waits for this, if QEMU's state is complete here. It waits no longer. */
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
    stop_if_watched(p, p->vcpu.watch.hit && qemu_private_settle(&p->private, here));
    processor_go_to(block, block->pc);
}

/*
 * Leaves the block and begins another at that place. Returns where that is impossible, and the block goes on to its
 * end.
 */
static void leave(struct processor *p, struct place place, uintptr_t here)
{
    if (make_ready(p, place, here)) {
        stop_if_watched(p, true);
        processor_go_to(place.block, block_address(place.block, place.index));
    }
}

/* --- CPUID and MSRs -------------------------------------------------------------------------------------------- */

static void on_cpuid(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    uint32_t asked = (uint32_t)processor_read(p, RAX);

    engine_settle(&p->vcpu, site->place);
    p->fix_cpuid = true;
    p->leaf = cpuid_leaf(&p->vcpu, asked);
    p->subleaf = (uint32_t)processor_read(p, RCX);
    if (p->leaf != asked) {
        processor_write(p, RAX, p->leaf);
    }
    p->vcpu.hot->fix_up = 1;
}

/*
 * QEMU's -cpu may contradict the profile: features that firmware may turn off are reported once, and the guest goes on.
 * Guests without long mode can run in qemu-system-i386, which has none.
 */
static void check_features(const struct processor *p, uint32_t leaf, const uint32_t regs[4])
{
    const struct profile_feature *missing = cpuid_missing_feature(&p->vcpu, leaf, regs);

    if (missing == NULL || (p->registers[R8] == NULL && leaf != FEATURES) || (missing->firmware && model.warned)) {
        return;
    }
    model.warned = true;
    fprintf(stderr, "dsmodel: profile=%s has %s, and QEMU's -cpu lacks it: %s\n", model.options.profile->name,
            missing->name, missing->firmware ? "as if firmware had turned it off" : "try -cpu max");
    if (!missing->firmware) {
        exit(1);
    }
}

static void fix_up(struct processor *p)
{
    p->vcpu.hot->fix_up = 0;
    if (!p->fix_cpuid) {
        processor_write(p, RAX, (uint32_t)p->msr_value);
        processor_write(p, RDX, p->msr_value >> 32);
        return;
    }
    static const unsigned order[4] = { RAX, RBX, RCX, RDX };
    uint32_t regs[4];

    for (unsigned i = 0; i < 4; i++) {
        regs[i] = (uint32_t)processor_read(p, order[i]);
    }
    if (p->leaf != MORE_FEATURES || p->subleaf == 0) {
        check_features(p, p->leaf, regs);
    }
    cpuid_read(&p->vcpu, p->leaf, p->subleaf, regs);
    for (unsigned i = 0; i < 4; i++) {
        processor_write(p, order[i], regs[i]);
    }
}

static void on_fix_up(unsigned cpu, void *udata)
{
    (void)udata;
    fix_up(model.processors[cpu]);
}

static void make_fault(struct processor *p)
{
    p->faulting = true;
    p->saved_rcx = processor_read(p, RCX);
    processor_write(p, RCX, MSR_FAULTING);
}

static void on_rdmsr(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    uint32_t address = (uint32_t)processor_read(p, RCX);
    uint64_t value;

    if (site->place.block->cpl != 0) {
        return; /* the native instruction raises the exception */
    }
    if (address == MSR_X2APIC_LVTPC && processor_in_x2apic_mode(p)) {
        value = p->x2apic_lvtpc;
    } else if (!quirks_rdmsr(model.options.quirks, address, &value)) {
        enum msr_answer answer = engine_rdmsr(&p->vcpu, address, &value, site->place);

        if (answer == MSR_GP) {
            make_fault(p);
        }
        if (answer != MSR_DONE) {
            return;
        }
    }
    p->fix_cpuid = false;
    p->msr_value = value;
    p->vcpu.hot->fix_up = 1;
}

static void on_wrmsr(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    uintptr_t here = (uintptr_t)__builtin_return_address(0);
    uint32_t address = (uint32_t)processor_read(p, RCX);
    uint64_t value = (uint32_t)processor_read(p, RAX) | processor_read(p, RDX) << 32;

    if (site->place.block->cpl != 0) {
        return;
    }
    if (address == MSR_X2APIC_LVTPC && processor_in_x2apic_mode(p)) {
        p->x2apic_lvtpc = (uint32_t)value;
    } else if (address == MSR_IA32_APIC_BASE && !processor_in_x2apic_mode(p)) {
        p->x2apic_lvtpc = processor_host.lvtpc(p); /* LVTPC in case this WRMSR switches the mode */
    }
    const bool refused = quirks_refuse(model.options.quirks, address, value) && processor_in_x2apic_mode(p);
    const enum msr_answer answer = refused ? MSR_GP : engine_wrmsr(&p->vcpu, address, value, site->place);

    if (answer == MSR_GP) {
        make_fault(p);
    }
    if (extend_translations(&p->vcpu) && answer == MSR_DONE) {
        /* the code that follows must be translated anew; QEMU's own registers are still to be written */
        leave(p, (struct place){ site->place.block, site->place.index + 1 }, here);
    }
}

static void on_rdpmc(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    const struct place behind = { site->place.block, site->place.index + 1 };
    uintptr_t here = (uintptr_t)__builtin_return_address(0);
    uint64_t value;

    if (site->place.block->cpl != 0 && !(processor_read(p, NAME_CR4) & CR4_PCE)) {
        return; /* the native instruction raises the exception */
    }
    if (engine_rdpmc(&p->vcpu, (uint32_t)processor_read(p, RCX), &value, site->place) != MSR_DONE) {
        processor_look(p);
        qemu_private_general_protection(&p->private, here);
        return;
    }
    processor_write(p, RAX, (uint32_t)value);
    processor_write(p, RDX, value >> 32);
    if (make_ready(p, behind, here)) { /* translations may be shared until then, so the address may differ */
        qemu_plugin_set_pc(processor_read(p, NAME_RIP) + site->next - site->pc);
    }
    engine_leave(&p->vcpu, behind);
    processor_go_to(behind.block, site->next); /* better to lose the flags than to run an RDPMC that QEMU lacks */
}

/* HLT and MWAIT, before the instruction itself: an interrupt that is raised now wakes it. */
static void on_halt(unsigned cpu, void *udata)
{
    const struct site *site = udata;

    engine_halt(&model.processors[cpu]->vcpu, site->place);
}

/* --- execution ------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void ring_full(unsigned cpu, const struct block *block, uintptr_t here)
{
    struct processor *const p = model.processors[cpu];
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

/* Runs once for each branch. Rare cases are called last and not inlined, so that this needs no stack. */
static void on_block(unsigned cpu, void *udata)
{
    if (__builtin_expect(engine_block(&model.processors[cpu]->vcpu, udata), false)) {
        ring_full(cpu, udata, (uintptr_t)__builtin_return_address(0));
    }
}

/* What a block counts of a class whose events are wanted. */
struct count {
    unsigned id, events;
    uint64_t limit; /* the engine is to be called first where the class's count would reach this */
};

/*
 * Returns how many classes the block counts, with room for INLINE_CLASSES in counts. A block that counts none still has
 * to notice that the engine is to be called in any case.
 */
static unsigned counts_of(const struct block *block, struct count *counts)
{
    unsigned n = 0;

    for (uint64_t left = model.classes; left != 0; left &= left - 1) {
        const unsigned id = (unsigned)__builtin_ctzll(left);

        counts[n] = (struct count){ id, event_class_events(id, block, 0), CLASS_DUE };
        n += counts[n].events > 0;
    }
    if (n == 0 && model.classes != 0) {
        counts[n++] = (struct count){ (unsigned)__builtin_ctzll(model.classes), 0, CLASS_FORCED };
    }
    return n;
}

/* Asks the engine. DUE_WATCH: the block must begin again in its watched translation. */
static enum due_answer due(unsigned cpu, const struct block *block, bool watching, uintptr_t here)
{
    struct processor *p = model.processors[cpu];
    enum due_answer answer;

    p->block = block;
    answer = engine_due(&p->vcpu, block, watching);
    p->block = NULL;
    if (answer == DUE_AGAIN) {
        begin_again(p, block, here);
    }
    return answer;
}

/* Has QEMU look for the watched translation when it looks for one next. */
static void select_watched(struct processor *p)
{
    if (!qemu_private_translate_apart(&p->private, true)) {
        processor_write(p, NAME_EFLAGS, processor_read(p, NAME_EFLAGS) | EFLAGS_RF);
    }
}

static void on_due(unsigned cpu, void *udata)
{
    const uintptr_t here = (uintptr_t)__builtin_return_address(0);

    if (due(cpu, udata, false, here) == DUE_WATCH) {
        select_watched(model.processors[cpu]);
        begin_again(model.processors[cpu], udata, here);
    }
}

/* In the watched translation, which QEMU has found. */
static void on_watching(unsigned cpu, void *udata)
{
    qemu_private_translate_apart(&model.processors[cpu]->private, false);
    due(cpu, udata, true, (uintptr_t)__builtin_return_address(0));
}

/* A block that begins by itself. */
struct beginning {
    const struct block *block;
    uint64_t watched; /* address of its watched translation's host code, once that is known; for all processors */
    unsigned count_count;
    struct count counts[];
};

/*
 * In place of what translated code does by itself as a block begins: something is due, or the ring nearly full. True:
 * the block has to begin again in its watched translation instead.
 */
static bool begin(unsigned cpu, const struct beginning *b, bool watching, uintptr_t here)
{
    struct hot *const hot = model.processors[cpu]->vcpu.hot;
    const struct block *const block = b->block;
    bool reached = false;

    for (unsigned i = 0; i < b->count_count; i++) {
        reached = reached || hot->counts[b->counts[i].id] + b->counts[i].events >= b->counts[i].limit;
    }
    if (reached && due(cpu, block, watching, here) == DUE_WATCH) {
        return true;
    }
    if (!model.blocks) {
        hot->block = block;
    } else if (engine_block(&model.processors[cpu]->vcpu, block)) {
        ring_full(cpu, block, here);
    }
    for (unsigned i = 0; i < b->count_count; i++) {
        hot->counts[b->counts[i].id] += b->counts[i].events;
    }
    return false;
}

static void on_beginning(unsigned cpu, void *udata)
{
    const uintptr_t here = (uintptr_t)__builtin_return_address(0);
    const struct beginning *const beginning = udata;

    if (begin(cpu, beginning, false, here)) {
        select_watched(model.processors[cpu]);
        begin_again(model.processors[cpu], beginning->block, here);
    }
}

/*
 * Host code of the watched translation. It stays until all translations go, this block's among them; and a write to the
 * bytes that it was made of drops this block, and with it what is known here.
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

/* In a block that can go on in other host code. */
static void on_beginning_or_elsewhere(unsigned cpu, void *udata)
{
    struct processor *const p = model.processors[cpu];

    if (begin(cpu, udata, false, (uintptr_t)__builtin_return_address(0))) {
        p->vcpu.hot->elsewhere = watched(p, udata);
    }
}

static void on_watched_beginning(unsigned cpu, void *udata)
{
    qemu_private_translate_apart(&model.processors[cpu]->private, false);
    begin(cpu, udata, true, (uintptr_t)__builtin_return_address(0));
}

/* Tells the engine of something in the middle of a block, from a callback that returns to `here`. */
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
    if (interrupted) {
        leave(p, site->place, site->middle.return_address);
    }
}

static void on_stop(unsigned cpu, void *udata)
{
    struct site *site = udata;
    struct processor *p = enter_middle(cpu, site, (uintptr_t)__builtin_return_address(0));

    qemu_private_translate_apart(&p->private, false); /* QEMU has found this translation */
    leave_middle(p, site, engine_stop(&p->vcpu, site->place));
}

static void on_repeat(unsigned cpu, void *udata)
{
    engine_repeat(&model.processors[cpu]->vcpu, udata);
}

static void on_lone_access(unsigned cpu, uint32_t info, uint64_t address, void *udata)
{
    const struct site *site = udata;

    (void)info;
    (void)address;
    engine_lone_instruction(&model.processors[cpu]->vcpu, site->pc);
}

static void on_data(unsigned cpu, uint32_t info, uint64_t address, void *udata)
{
    const struct site *site = udata;

    data_accessed(&model.processors[cpu]->vcpu, site->place, address, 1u << qemu_plugin_mem_size_shift(info),
                  qemu_plugin_mem_is_store(info));
}

/* Callback before the instruction behind one that accessed memory, in the same block. */
static void on_data_retired(unsigned cpu, void *udata)
{
    struct site *site = udata;
    struct processor *p = enter_middle(cpu, site, (uintptr_t)__builtin_return_address(0));

    leave_middle(p, site, engine_data_retired(&p->vcpu, site->place, site->pc, site->place.block->cpl));
}

/* Callback for such an instruction at a block's end, when the next block begins. */
static void on_block_data_retired(unsigned cpu, void *udata)
{
    const struct block *block = udata;

    if (engine_data_retired(&model.processors[cpu]->vcpu, BETWEEN_BLOCKS, block->pc, block->cpl)) {
        begin_again(model.processors[cpu], block, (uintptr_t)__builtin_return_address(0));
    }
}

/*
 * Exceptions, including INT n, are reported twice: as an exception when raised, with both addresses somewhere in the
 * block that is cut short; and like an interrupt, from the instruction itself, when delivered.
 */
static void on_discontinuity(unsigned cpu, enum qemu_discon type, uint64_t from, uint64_t to, void *udata)
{
    struct processor *p = model.processors[cpu];

    (void)udata;
    qemu_private_translate_apart(&p->private, false); /* the watched block has not begun */
    if (p->faulting) {
        p->faulting = false;
        processor_write(p, RCX, p->saved_rcx);
    } else if (p->vcpu.hot->fix_up) {
        fix_up(p); /* the exception came between the instruction and the next one */
    }
    if (type == QEMU_DISCON_EXCEPTION) {
        p->raised = true;
        return;
    }
    const bool exception = p->raised;

    p->raised = false;
    p->delivered = true;
    bool debug = exception && p->vcpu.hot->tracing && processor_is_entry(p, VECTOR_DEBUG, to);

    engine_interruption(&p->vcpu,
                        debug       ? INTERRUPTION_DEBUG
                        : exception ? INTERRUPTION_EXCEPTION
                                    : INTERRUPTION_EXTERNAL,
                        from, to, processor_cpl(p));
    p->delivered = false;
    if (exception) {
        processor_change_frame(p);
    }
}

/*
 * The processor comes to rest: in HLT, or because a debugger has stopped the machine, which learns of it behind this.
 */
static void on_rest(unsigned cpu, void *udata)
{
    (void)udata;
    if (model.processors[cpu] != NULL && !state_write(model.processors[cpu], model.options.state) && !model.unwritten) {
        model.unwritten = true;
        fprintf(stderr, "dsmodel: the file of processor %u in state=%s could not be written: %s\n", cpu,
                model.options.state, strerror(errno));
    }
}

/* The processor goes on: behind HLT, or because the debugger says so. */
static void on_resume(unsigned cpu, void *udata)
{
    (void)udata;
    if (model.processors[cpu] != NULL) {
        state_watch(model.processors[cpu], model.options.state);
    }
}

/* The processor that code is being translated for. QEMU may run several processors in one thread. */
static struct processor *translating(void)
{
    struct processor *p = thread_processor;

    for (unsigned i = 0; i < MAX_PROCESSORS && !qemu_object_is_current(&p->private.object); i++) {
        p = model.processors[i] != NULL ? model.processors[i] : p;
    }
    return p;
}

/* The first instruction after a reset. */
static void on_reset(unsigned cpu, void *udata)
{
    static const uint32_t leaves[] = { FEATURES, MORE_FEATURES, EXTENDED_FEATURES };
    uint32_t regs[4];
    struct processor *p = model.processors[cpu];

    (void)udata;
    engine_reset(&p->vcpu);
    processor_reset(p);
    processor_look(p);
    for (unsigned i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
        if (qemu_private_cpuid(&p->private, leaves[i], regs)) {
            check_features(p, leaves[i], regs);
        }
    }
}

/* --- translation ----------------------------------------------------------------------------------------------- */

static struct site *new_site(struct place place)
{
    const struct site site = {
        place, block_address(place.block, place.index), block_address(place.block, place.index + 1), { 0, 0 }
    };

    return arena_copy(&site, sizeof(site));
}

static bool begins_behind_fix_up(struct processor *p, uint64_t pc)
{
    uint8_t before[2];

    return processor_host.read(p, pc - 2, before, 2) && before[0] == 0x0f && (before[1] == 0xa2 || before[1] == 0x32);
}

static struct block *describe(struct processor *p, struct qemu_plugin_tb *tb, enum insn_hook hooks[MAX_BLOCK],
                              bool *hooked, bool *repeats)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    static _Thread_local union {
        struct block block;
        char room[sizeof(struct block) + MAX_BLOCK * sizeof(struct block_insn)];
    } scratch;
    struct block *block = &scratch.block;
    struct insn insn = { END_PLAIN, HOOK_NONE, 0, UNIT_INTEGER };

    memset(block, 0, sizeof(*block));
    block->count = (uint16_t)n;
    block->ia32e = processor_in_ia32e(p);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, i);
        uint8_t bytes[MAX_INSN];
        size_t size = qemu_plugin_insn_data(in, bytes, sizeof(bytes));
        uint64_t pc = qemu_plugin_insn_vaddr(in);

        insn = insn_classify(bytes, size, block->ia32e);
        block->pc = i == 0 ? pc : block->pc;
        block->last = pc;
        block->next = pc + qemu_plugin_insn_size(in);
        block->insns[i] = (struct block_insn){ (uint8_t)(pc - block->pc), (uint8_t)((pc - block->pc) >> 8),
                                               (uint8_t)insn.flags, (uint8_t)insn.unit };
        hooks[i] = insn.hook;
        *hooked = *hooked || insn.hook != HOOK_NONE;
        *repeats = i == 0 ? insn.end == END_REPEAT : *repeats;
    }
    block_set_end(block, insn.end, model.options.profile->predictor_slots);
    return block;
}

static void check_counts(struct qemu_plugin_tb *tb, struct block *block, bool watching)
{
    struct count counts[INLINE_CLASSES];
    const unsigned n = counts_of(block, counts);

    for (unsigned i = 0; i < n; i++) {
        qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, watching ? on_watching : on_due, QEMU_CB_RW_REGS_PC, QEMU_COND_GE,
                                                  class_count(counts[i].id), counts[i].limit - counts[i].events, block);
    }
}

static void add_counts(struct qemu_plugin_tb *tb, struct block *block)
{
    struct count counts[INLINE_CLASSES];
    const unsigned n = counts_of(block, counts);

    if (!model.blocks) {
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_OP_STORE_U64, HOT(block), (uintptr_t)block);
    }
    for (unsigned i = 0; i < n; i++) {
        if (counts[i].events > 0) {
            qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_OP_ADD_U64, class_count(counts[i].id),
                                                              counts[i].events);
        }
    }
}

static struct qemu_ops_sum flag(qemu_u64 member)
{
    return (struct qemu_ops_sum){ (intptr_t)member.offset, 0, 1 };
}

/*
 * Has translated code count and note the block, and call on_beginning() or on_beginning_or_elsewhere(), and what else
 * is registered for the block's beginning, only where that does not do. False: it cannot. behind: the block begins
 * behind CPUID or RDMSR. aside: nothing else is registered for the beginning, nor for the last instruction.
 */
static bool begin_inline(struct qemu_plugin_tb *tb, const struct processor *p, struct block *block, bool behind,
                         bool watching, bool aside)
{
    static const struct qemu_ops_list ring = { offsetof(struct hot, noted), RING_NEARLY_FULL };
    union {
        struct beginning beginning;
        char room[sizeof(struct beginning) + INLINE_CLASSES * sizeof(struct count)];
    } scratch;
    struct beginning *const made = &scratch.beginning;
    struct qemu_ops_sum sums[INLINE_CLASSES + 2];
    unsigned n;

    *made = (struct beginning){ .block = block };
    made->count_count = n = counts_of(block, made->counts);
    for (unsigned i = 0; i < n; i++) {
        const struct count *const c = &made->counts[i];

        sums[i] = (struct qemu_ops_sum){ (intptr_t)class_count(c->id).offset, c->events, c->limit };
    }
    if (behind) {
        sums[n++] = flag(HOT(fix_up));
    }
    if (model.data) {
        sums[n++] = flag(HOT(data_pending));
    }
    const bool goes_elsewhere = !watching && qemu_private_reads(&p->private);
    struct beginning *const told = arena_copy(made, sizeof(*made) + made->count_count * sizeof(made->counts[0]));
    const struct qemu_ops_elsewhere elsewhere = { (intptr_t)offsetof(struct hot, elsewhere), &told->watched };
    const struct qemu_ops_beginning beginning = {
        .first = p->vcpu.hot - p->vcpu.number,
        .apart = model.alone ? 0 : sizeof(struct hot),
        .sums = sums,
        .sum_count = n,
        .list = model.blocks ? &ring : NULL,
        .newest = model.blocks ? -1 : (intptr_t)offsetof(struct hot, block),
        .word = (uintptr_t)block,
        .elsewhere = goes_elsewhere ? &elsewhere : NULL,
        .passes = watching,
        .aside = aside,
    };

    if (!qemu_ops_begin(&p->ops, &beginning)) {
        return false;
    }
    qemu_vcpu_cb *const called = watching         ? on_watched_beginning
                                 : goes_elsewhere ? on_beginning_or_elsewhere
                                                  : on_beginning;

    if (aside) {
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, block->count - 1), called,
                                               QEMU_CB_RW_REGS_PC, told);
    } else {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, called, QEMU_CB_RW_REGS_PC, told);
    }
    return true;
}

/* The same by the plugin interface alone. */
static void begin_by_calls(struct qemu_plugin_tb *tb, struct block *block, bool repeats, bool watching)
{
    if (model.classes != 0) {
        if (repeats) {
            qemu_plugin_register_vcpu_tb_exec_cb(tb, on_repeat, QEMU_CB_NO_REGS, block);
        }
        check_counts(tb, block, watching);
    }
    if (model.blocks) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_CB_RW_REGS_PC, block);
    }
    if (model.classes != 0) {
        add_counts(tb, block);
    }
}

/* Before instruction i: calls the engine if the one before was the event that takes a class to CLASS_DUE. */
static void watch(struct qemu_plugin_insn *insn, const struct block *block, unsigned i)
{
    struct count counts[INLINE_CLASSES];
    const unsigned n = counts_of(block, counts);
    const struct place place = { block, i };

    for (unsigned c = 0; c < n; c++) {
        if (event_class_ends(counts[c].id, place)) {
            qemu_plugin_register_vcpu_insn_exec_cond_cb(
                insn, on_stop, QEMU_CB_RW_REGS_PC, QEMU_COND_GE, class_count(counts[c].id),
                CLASS_DUE + event_class_to_come(counts[c].id, place), new_site(place));
        }
    }
}

static void instrument_instructions(struct qemu_plugin_tb *tb, const struct block *block, const enum insn_hook *hooks,
                                    bool watching)
{
    static qemu_vcpu_cb *const hooked[] = {
        [HOOK_CPUID] = on_cpuid, [HOOK_RDMSR] = on_rdmsr, [HOOK_WRMSR] = on_wrmsr,
        [HOOK_RDPMC] = on_rdpmc, [HOOK_HALT] = on_halt,
    };

    for (unsigned i = 0; i < block->count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        bool accesses = block->insns[i].flags & INSN_ACCESS;

        if (i > 0 && (hooks[i - 1] == HOOK_CPUID || hooks[i - 1] == HOOK_RDMSR)) {
            qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, on_fix_up, QEMU_CB_RW_REGS, QEMU_COND_NE, HOT(fix_up), 0,
                                                        NULL);
        }
        if (model.data && i > 0 && block->insns[i - 1].flags & INSN_ACCESS) {
            qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, on_data_retired, QEMU_CB_RW_REGS_PC, QEMU_COND_NE,
                                                        HOT(data_pending), 0, new_site((struct place){ block, i }));
        }
        if (watching && i > 0) {
            watch(insn, block, i);
        }
        if (hooks[i] != HOOK_NONE) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, hooked[hooks[i]], QEMU_CB_RW_REGS_PC,
                                                   new_site((struct place){ block, i }));
        }
        if (model.data && accesses) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_data, QEMU_CB_NO_REGS, QEMU_MEM_RW,
                                             new_site((struct place){ block, i }));
        }
        if (block->count == 1 && accesses && block->end == END_PLAIN) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_lone_access, QEMU_CB_R_REGS, QEMU_MEM_RW,
                                             new_site((struct place){ block, i }));
        }
    }
}

/* A memory access of 16 bytes, as its callbacks receive it. */
static uint32_t info_of_16(void)
{
    uint32_t info = SHIFT_OF_16;

    while (info != 0 && qemu_plugin_mem_size_shift(info) != SHIFT_OF_16) {
        info <<= 1;
    }
    return info;
}

static void drop_values(struct processor *p)
{
    const struct qemu_mem_value last = qemu_plugin_mem_get_value(info_of_16());

    qemu_ops_drop_values(&p->ops, &p->private.object, (struct qemu_value){ last.low, last.high });
}

static void on_translate(struct qemu_plugin_tb *tb, void *udata)
{
    enum insn_hook hooks[MAX_BLOCK];
    bool hooked = false;
    bool repeats = false;
    struct processor *p = translating();
    struct block *block = describe(p, tb, hooks, &hooked, &repeats);
    bool behind = begins_behind_fix_up(p, block->pc);

    (void)udata;
    processor_look(p);
    drop_values(p);
    if (block->pc == RESET_VECTOR) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_reset, QEMU_CB_RW_REGS, NULL);
    }
    if (model.options.violations != NULL) {
        processor_note_code(block->pc, block->next);
    }
    if (!hooked && !behind && !model.blocks && !model.data && model.classes == 0) {
        return;
    }
    block->cpl = (uint8_t)processor_cpl(p);
    block->code_base = (uint32_t)(block->pc - processor_read(p, NAME_RIP)); /* RIP is up to date here */
    block = arena_copy(block, sizeof(*block) + block->count * sizeof(block->insns[0]));
    if (behind) {
        qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_fix_up, QEMU_CB_RW_REGS, QEMU_COND_NE, HOT(fix_up), 0, NULL);
    }
    if (model.data) {
        qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_block_data_retired, QEMU_CB_RW_REGS_PC, QEMU_COND_NE,
                                                  HOT(data_pending), 0, block);
    }
    const bool watching = model.classes != 0 &&
                          (qemu_private_translates_apart(&p->private) || (processor_read(p, NAME_EFLAGS) & EFLAGS_RF));
    const bool always_calls = block->pc == RESET_VECTOR || (repeats && model.classes != 0);
    const bool begins = model.blocks || model.classes != 0;

    /* A debugger that watches has to be told where the block began, which a return address aside does not tell. */
    const bool aside = !hooked && !behind && !watching && !model.data && model.options.state == NULL;

    if (begins && (always_calls || !begin_inline(tb, p, block, behind, watching, aside))) {
        begin_by_calls(tb, block, repeats, watching);
    }
    instrument_instructions(tb, block, hooks, watching);
}

/* Processors are initialised on their own threads. */
static bool join_others(unsigned cpu, struct processor *p)
{
    static GMutex lock;
    unsigned other = 0;
    bool joined = true;

    g_mutex_lock(&lock);
    while (other < MAX_PROCESSORS && model.processors[other] == NULL) {
        other++;
    }
    if (other < MAX_PROCESSORS) {
        joined = data_cache_join(p->vcpu.cache, model.processors[other]->vcpu.cache);
    }
    model.processors[cpu] = p;
    g_mutex_unlock(&lock);
    return joined;
}

static void on_init(unsigned cpu, void *udata)
{
    const char *missing = NULL;

    (void)udata;
    if (qemu_private_icount()) {
        options_die(
            "QEMU's %s is not supported: the model reads clocks and raises interrupts in the middle of blocks; start "
            "QEMU without it",
            "-icount");
    }
    if (!model.alone && qemu_private_one_thread()) {
        options_die("QEMU's %s is not supported with several processors: translated code then tells the model of the "
                    "wrong one; start QEMU without it",
                    "-accel tcg,thread=single");
    }
    if (cpu >= MAX_PROCESSORS) {
        options_die("more than %s processors are not supported: lower -smp", "256");
    }
    struct processor *p = g_new0(struct processor, 1);
    static const struct fault_set none;
    const bool broken = fault_set_is_of(&model.options.faults, cpu);
    const unsigned kind = cores_kind(&model.options.cores, model.options.profile, cpu, model.processors_most);
    const struct profile *profile = broken ? model.options.broken[kind] : profile_kind(model.options.profile, kind);

    p->vcpu.truth = model.options.truth;
    p->vcpu.violations = model.options.violations;
    p->apic_id = cpu;
    if (!processor_init(p, model.alone ? -1 : (int)cpu, &missing)) {
        options_die("this QEMU gives plugins no register named %s: use QEMU 11.1", missing);
    }
    if (model.options.freedoms != 0 && !latitude_give(&p->vcpu, model.options.seed, model.options.freedoms)) {
        options_die("%s", "out of memory: latitude= cannot take effect");
    }
    if ((broken || model.options.quirks != 0) &&
        !break_rules(&p->vcpu, broken ? &model.options.faults : &none, model.options.quirks)) {
        options_die("%s", "out of memory: fault= and quirk= cannot take effect");
    }
    if (!engine_init(&p->vcpu, cpu, profile, &processor_host, p, qemu_plugin_scoreboard_find(model.score, cpu))) {
        options_die("%s", "out of memory");
    }
    if (!join_others(cpu, p)) {
        options_die("%s", "out of memory");
    }
    thread_processor = p;
    if (model.blocks || model.data || model.classes != 0) {
        bind_translations();
    }
    find_hot(); /* the scoreboard may move to make room for this processor */
}

static void on_exit_qemu(void *udata)
{
    (void)udata;
    options_finish_logs(&model.options);
}

static void check_qemu(const struct qemu_info *info)
{
    if (QEMU_PLUGIN_API < info->version.min || QEMU_PLUGIN_API > info->version.cur) {
        options_die("this QEMU lacks version %s of the plugin interface: use QEMU 11.1", "7");
    }
    if (!info->system_emulation ||
        (strcmp(info->target_name, "x86_64") != 0 && strcmp(info->target_name, "i386") != 0)) {
        options_die("this QEMU, for target %s, is not supported: use qemu-system-x86_64 or qemu-system-i386",
                    info->target_name);
    }
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    check_qemu(info);
    if (qemu_private_accelerated()) {
        options_die("this QEMU accelerator is not supported: start QEMU with %s", "-accel tcg");
    }
    if (model.score != NULL) {
        options_die("%s", "the plugin is loaded twice: name it in one -plugin option only");
    }
    model.processors_most = (unsigned)info->system.max_vcpus;
    options_read(argc, argv, model.processors_most, &model.options);
    model.id = id;
    model.alone = model.processors_most == 1;
    model.score = qemu_plugin_scoreboard_new(sizeof(struct hot));
    register_callbacks(NULL);
    return 0;
}

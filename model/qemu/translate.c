/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translation: the callbacks of each block, and the work that translated code does without callbacks. */
#include "model/qemu/plugin.h"

#include <string.h>

#include "model/engine/event_class.h"
#include "model/faults/flip.h"
#include "model/insn/insn.h"
#include "model/qemu/arena.h"

#define MAX_INSN     15
#define PAGE_BYTES   4096
#define RESET_VECTOR UINT64_C(0xfffffff0) /* address of the first instruction after RESET */

/* Instructions of two bytes */
#define SYSCALL  0x0f05u
#define SYSENTER 0x0f34u
#define IRETQ    0x48cfu

static qemu_u64 class_count(unsigned id)
{
    return (qemu_u64){ model.score, offsetof(struct hot, counts) + id * sizeof(uint64_t) };
}

/*
 * Returns the number of classes that the block counts, at most INLINE_CLASSES, and fills counts. A block that counts
 * none still has to notice CLASS_FORCE.
 */
static unsigned counts_of(const struct block *block, uint64_t classes, struct count *counts)
{
    unsigned n = 0;

    for (uint64_t left = classes; left != 0; left &= left - 1) {
        const unsigned id = (unsigned)__builtin_ctzll(left);

        counts[n] = (struct count){ id, event_class_events(id, block, 0), CLASS_DUE };
        n += counts[n].events > 0;
    }
    if (n == 0 && classes != 0)
        counts[n++] = (struct count){ (unsigned)__builtin_ctzll(classes), 0, CLASS_FORCED };
    return n;
}

/* The processor for which QEMU translates. QEMU may run several processors in one thread. */
static struct processor *translating(void)
{
    struct processor *p = thread_processor;

    for (unsigned i = 0; i < MAX_PROCESSORS && !qemu_object_is_current(&p->private.object); i++)
        p = model.processors[i] != NULL ? model.processors[i] : p;
    return p;
}

static struct site *new_site(struct place place)
{
    const struct site site = {
        place, block_address(place.block, place.index), block_address(place.block, place.index + 1), { 0, 0 }
    };

    return arena_copy(&site, sizeof(site));
}

/* Walking the page tables for each block would be slow. */
static bool begins_behind_fix_up(struct processor *p, struct qemu_plugin_tb *tb, uint64_t pc)
{
    uint8_t before[2];
    const uint8_t *const here = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));

    if (here != NULL && pc % PAGE_BYTES >= sizeof(before))
        memcpy(before, here - sizeof(before), sizeof(before));
    else if (!processor_host.read(p, pc - sizeof(before), before, sizeof(before)))
        return false;
    return before[0] == 0x0f && (before[1] == 0xa2 || before[1] == 0x32);
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
        *hooked = *hooked || (insn.hook != HOOK_NONE && insn.hook < HOOK_FLUSH);
        *repeats = i == 0 ? insn.end == END_REPEAT : *repeats;
    }
    block_set_end(block, insn.end, model.options.profile->predictor_slots);
    return block;
}

/* What engine_block() does if the ring is not wanted. */
static void note_block(struct qemu_plugin_tb *tb, const struct block *block)
{
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_INLINE_STORE, HOT(running), (uintptr_t)block);
}

/* The callbacks of the block's beginning. repeats: the block is one REP instruction. */
static void hook_beginning(struct qemu_plugin_tb *tb, struct block *block, struct hooks reports, bool repeats,
                           bool watching)
{
    union {
        struct beginning beginning;
        char room[sizeof(struct beginning) + INLINE_CLASSES * sizeof(struct count)];
    } scratch;
    struct beginning *const made = &scratch.beginning;

    if (reports.data)
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_INLINE_STORE, HOT(hit), 0);
    if (reports.classes == 0) {
        if (reports.ring)
            qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_CB_RW_REGS_PC, block);
        else
            note_block(tb, block);
        return;
    }
    if (repeats)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_repeat, QEMU_CB_NO_REGS, block);
    made->block = block;
    made->count_count = counts_of(block, reports.classes, made->counts);
    struct beginning *const kept = arena_copy(made, sizeof(*made) + made->count_count * sizeof(made->counts[0]));

    if (watching || reports.ring || kept->count_count > 1) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb,
                                             watching                 ? on_watched_beginning
                                             : kept->count_count == 1 ? on_counted_beginning
                                                                      : on_beginning,
                                             QEMU_CB_RW_REGS_PC, kept);
        return;
    }
    const qemu_u64 count = class_count(kept->counts[0].id);

    qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_due, QEMU_CB_RW_REGS_PC, QEMU_COND_GE, count,
                                              kept->counts[0].limit - kept->counts[0].events, kept);
    if (kept->counts[0].events > 0)
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_INLINE_ADD, count, kept->counts[0].events);
    note_block(tb, block);
}

/* Before instruction i: calls the engine if the previous instruction was the event that brings a class to CLASS_DUE. */
static void watch(struct qemu_plugin_insn *insn, const struct block *block, uint64_t classes, unsigned i)
{
    struct count counts[INLINE_CLASSES];
    const unsigned n = counts_of(block, classes, counts);
    const struct place place = { block, i };

    for (unsigned c = 0; c < n; c++) {
        if (event_class_ends(counts[c].id, place)) {
            qemu_plugin_register_vcpu_insn_exec_cond_cb(
                insn, on_stop, QEMU_CB_RW_REGS_PC, QEMU_COND_GE, class_count(counts[c].id),
                CLASS_DUE + event_class_to_come(counts[c].id, place), new_site(place));
        }
    }
}

/* The callback of an instruction that empties caches or TLBs. */
static void hook_flush(struct qemu_plugin_insn *insn, enum insn_hook hook, const struct block *block, unsigned i)
{
    const bool has_operand = hook != HOOK_WBINVD && hook != HOOK_WBNOINVD;
    struct flush flush = { hook, block->cpl, block_address(block, i + 1), { 0 } };
    uint8_t bytes[MAX_INSN];
    const size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

    if (!has_operand || insn_operand(bytes, size, block->ia32e, &flush.operand))
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_flush, QEMU_CB_RW_REGS_PC, arena_copy(&flush, sizeof(flush)));
}

static void instrument_instructions(struct qemu_plugin_tb *tb, const struct block *block, const enum insn_hook *hooks,
                                    struct hooks reports, bool watching)
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
        if (reports.data && i > 0 && block->insns[i - 1].flags & INSN_ACCESS) {
            qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, on_data_retired, QEMU_CB_RW_REGS_PC, QEMU_COND_NE,
                                                        HOT(data_pending), 0, new_site((struct place){ block, i }));
        }
        if (watching && i > 0)
            watch(insn, block, reports.classes, i);
        if (hooks[i] >= HOOK_FLUSH && reports.blocks) { /* without them the caches stay empty */
            hook_flush(insn, hooks[i], block, i);
        } else if (hooks[i] != HOOK_NONE && hooks[i] < HOOK_FLUSH) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, hooked[hooks[i]], QEMU_CB_RW_REGS_PC,
                                                   new_site((struct place){ block, i }));
        }
        if (reports.data && accesses) {
            struct site *const site = new_site((struct place){ block, i });

            qemu_plugin_register_vcpu_mem_cb(insn, on_load, QEMU_CB_NO_REGS, QEMU_MEM_R, site);
            qemu_plugin_register_vcpu_mem_cb(insn, on_store, QEMU_CB_NO_REGS, QEMU_MEM_W, site);
        }
        if (block->count == 1 && accesses && block->end == END_PLAIN) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_lone_access, QEMU_CB_R_REGS, QEMU_MEM_RW,
                                             new_site((struct place){ block, i }));
        }
    }
}

/* The bytes of the block's last instruction, if there are two; else 0. The first byte is the upper one. */
static unsigned last_two_bytes(struct qemu_plugin_insn *last)
{
    uint8_t bytes[MAX_INSN];

    return qemu_plugin_insn_data(last, bytes, sizeof(bytes)) == 2 ? bytes[0] * 256u + bytes[1] : 0;
}

/* In translations that report nothing, a far branch of ring 0 may leave it. */
static void hook_return(struct qemu_plugin_tb *tb, struct block *block)
{
    struct qemu_plugin_insn *const last = qemu_plugin_tb_get_insn(tb, block->count - 1u);

    qemu_plugin_register_vcpu_insn_exec_cond_cb(last, last_two_bytes(last) == IRETQ ? on_iretq : on_return,
                                                QEMU_CB_RW_REGS, QEMU_COND_NE, HOT(spared), 0, block);
}

static void hook_system_call(struct qemu_plugin_tb *tb, const struct block *block)
{
    struct qemu_plugin_insn *const last = qemu_plugin_tb_get_insn(tb, block->count - 1u);
    const unsigned bytes = last_two_bytes(last);

    if (bytes == SYSCALL || bytes == SYSENTER)
        qemu_plugin_register_vcpu_insn_exec_cb(last, on_system_call, QEMU_CB_RW_REGS, NULL);
}

static void on_border(unsigned cpu, void *udata)
{
    const uint64_t *const address = udata;

    (void)cpu;
    flip_reached(model.options.flip, *address);
}

void on_translate(struct qemu_plugin_tb *tb, void *udata)
{
    enum insn_hook hooks[MAX_BLOCK];
    bool hooked = false;
    bool repeats = false;
    struct processor *p = translating();
    const struct hooks reports = model.sets[qemu_private_set(&p->private)];
    struct block *block = describe(p, tb, hooks, &hooked, &repeats);
    bool behind = begins_behind_fix_up(p, tb, block->pc);

    (void)udata;
    processor_look(p);
    if (model.icount)
        qemu_private_look_for_io(&p->private);
    if (block->pc == RESET_VECTOR)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_reset, QEMU_CB_RW_REGS, NULL);
    else if (processor_read(p, NAME_RIP) == 0) /* as after SIPI */
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_start, QEMU_CB_RW_REGS, NULL);
    if (model.options.flip != NULL && flip_is_border(model.options.flip, block->pc))
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_border, QEMU_CB_NO_REGS, arena_copy(&block->pc, sizeof(block->pc)));
    if (model.options.violations != NULL)
        processor_note_code(p, block->pc, block->next);
    const bool returns = !reports.blocks && block->end == END_FAR && processor_cpl(p) == 0;

    if (!hooked && !behind && !reports.blocks && !returns)
        return;
    block->cpl = (uint8_t)processor_cpl(p);
    block->code_base = (uint32_t)(block->pc - processor_read(p, NAME_RIP)); /* RIP is up to date here */
    block = arena_copy(block, sizeof(*block) + block->count * sizeof(block->insns[0]));
    if (returns)
        hook_return(tb, block);
    if (behind)
        qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_fix_up, QEMU_CB_RW_REGS, QEMU_COND_NE, HOT(fix_up), 0, NULL);
    if (reports.data) {
        qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_block_data_retired, QEMU_CB_RW_REGS_PC, QEMU_COND_NE,
                                                  HOT(data_pending), 0, block);
    }
    const bool watching = reports.classes != 0 &&
                          (qemu_private_translates_apart(&p->private) || (processor_read(p, NAME_EFLAGS) & EFLAGS_RF));

    if (reports.blocks)
        hook_beginning(tb, block, reports, repeats, watching);
    instrument_instructions(tb, block, hooks, reports, watching);
    if (reports.blocks && block->cpl != 0)
        hook_system_call(tb, block);
}

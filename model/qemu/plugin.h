/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared declarations of the plugin's parts: plugin.c does the set-up, translate.c chooses the callbacks of translated
 * code, system.c has the callbacks for CPUID, MSRs and resets, and running.c the callbacks for blocks, memory accesses
 * and interruptions.
 */
#ifndef MODEL_QEMU_PLUGIN_H
#define MODEL_QEMU_PLUGIN_H

#include "model/insn/insn.h"
#include "model/qemu/options.h"
#include "model/qemu/processor.h"

#define MAX_PROCESSORS 256

struct plugin {
    uint64_t id;
    struct options options;
    unsigned processors_most; /* maximum number that the machine can have */
    bool icount; /* -icount: QEMU derives time from a count of instructions, and subtracts a block's when it begins */
    struct qemu_plugin_scoreboard *score;
    struct processor *processors[MAX_PROCESSORS];
    struct hooks sets[QEMU_SETS]; /* what the translations of each set report */
    unsigned set_count;           /* the number of sets that exist */
    bool data;                    /* all processors report data, because one has used it lately */
    bool data_used;               /* a processor has used data since narrow_translations() last decided */
    unsigned interruptions;       /* since then */
    bool warned, unwritten;
};
extern struct plugin model;

/* The last processor that this thread initialised. */
extern _Thread_local struct processor *thread_processor;

#define HOT(member) ((qemu_u64){ model.score, offsetof(struct hot, member) })

/* An instruction in translated code, as callbacks receive it. */
struct site {
    struct place place;
    uint64_t pc, next;
    struct qemu_middle middle;
};

/* An instruction that empties caches or TLBs, as its callback receives it. */
struct flush {
    enum insn_hook hook;
    unsigned cpl;
    uint64_t next;
    struct insn_operand operand;
};

/* The number of events of a wanted class in a block. */
struct count {
    unsigned id, events;
    uint64_t limit; /* call the engine first if the class's count would reach this */
};

/* A block whose events are counted, as the callback for its beginning receives it. */
struct beginning {
    const struct block *block;
    unsigned count_count;
    struct count counts[];
};

/*
 * Makes the processor run translations that report what it uses now. Call after each WRMSR and, because caches are
 * coherent, for each processor when one begins to use data. running: the block of the WRMSR; NULL: none.
 */
void choose_translations(struct processor *p, const struct block *running);

/*
 * Call where code of ring 0 begins to run and, before an instruction that may leave it, the other one. Between the two,
 * the processor runs translations that report nothing if ring 0 has nothing to report. last: the block of that
 * instruction; NULL: none.
 */
void enter_ring_0(struct processor *p);
void leave_ring_0(struct processor *p, const struct block *last);

/* Call at each interruption. If no processor has used data for many interruptions, stops reporting it. */
void narrow_translations(struct processor *p);

/*
 * Prepares to leave the running block before place, from the callback whose return address is `here`. False:
 * impossible.
 */
bool leave_prepare(struct processor *p, struct place place, uintptr_t here);

/*
 * Reports the processors that have shut down because they could not deliver a double fault, once each. Call at a reset,
 * before processor_reset(), and at QEMU's end.
 */
void report_triple_faults(void);

/* After QEMU's CPUID or RDMSR, replaces the result in the registers by the model's. */
void fix_up(struct processor *p);

/* Callbacks. */
void on_cpuid(unsigned cpu, void *udata);
void on_fix_up(unsigned cpu, void *udata);
void on_rdmsr(unsigned cpu, void *udata);
void on_wrmsr(unsigned cpu, void *udata);
void on_rdpmc(unsigned cpu, void *udata);
void on_halt(unsigned cpu, void *udata);
void on_flush(unsigned cpu, void *udata);
void on_reset(unsigned cpu, void *udata);
void on_start(unsigned cpu, void *udata);
void on_block(unsigned cpu, void *udata);
void on_beginning(unsigned cpu, void *udata);
void on_counted_beginning(unsigned cpu, void *udata);
void on_due(unsigned cpu, void *udata);
void on_watched_beginning(unsigned cpu, void *udata);
void on_stop(unsigned cpu, void *udata);
void on_repeat(unsigned cpu, void *udata);
void on_system_call(unsigned cpu, void *udata);
void on_return(unsigned cpu, void *udata);
void on_iretq(unsigned cpu, void *udata);
void on_lone_access(unsigned cpu, uint32_t info, uint64_t address, void *udata);
void on_load(unsigned cpu, uint32_t info, uint64_t address, void *udata);
void on_store(unsigned cpu, uint32_t info, uint64_t address, void *udata);
void on_data_retired(unsigned cpu, void *udata);
void on_block_data_retired(unsigned cpu, void *udata);
void on_discontinuity(unsigned cpu, enum qemu_discon type, uint64_t from, uint64_t to, void *udata);
void on_rest(unsigned cpu, void *udata);
void on_resume(unsigned cpu, void *udata);
void on_translate(struct qemu_plugin_tb *tb, void *udata);

#endif

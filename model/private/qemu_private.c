/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/private/qemu_loss.h"
#include "model/private/qemu_private.h"

#define EXCEPTION_GP       13
#define EXCEPTION_DEBUGGER 0x10002
#define EXTENDED_LEAVES    UINT32_C(0x80000000)

/* QEMU 11.1, include/exec/translation-block.h */
#define TRANSLATION_PC_RELATIVE (UINT32_C(1) << 17)
/* The number of the processor's cluster; all ones: none */
#define TRANSLATION_OF_CLUSTER (UINT32_C(1) << 24)
#define TRANSLATION_SET_SHIFT  25
#define TRANSLATION_SETS       ((uint32_t)(QEMU_SETS - 1) << TRANSLATION_SET_SHIFT)

/* Flags that QEMU keeps in EFLAGS itself: IF and AC. */
#define EFLAGS_IF    (UINT64_C(1) << 9)
#define EFLAGS_AC    (UINT64_C(1) << 18)
#define HFLAGS2_NMI  (UINT32_C(1) << 2) /* QEMU 11.1, target/i386/cpu.h: HF2_NMI_MASK */
#define KEPT_AS_THEY (EFLAGS_IF | EFLAGS_AC)

#define STATE_WORDS (QEMU_STATE_BYTES / sizeof(uint32_t)) /* words on which the flags may depend */
#define IO_LOOKS    1000
#define COMPARISONS 8 /* checks of the quick way against the slow one */

/* QEMU 11.1, include/exec/mmu-access-type.h: MMU_DATA_STORE */
#define ACCESS_STORE 1

static struct {
    bool (*restore_state)(void *cpu, uintptr_t host_pc);
    uint64_t (*read_eflags)(void *env);
    uint64_t (*get_tsc)(void *env);
    void *(*host_memory)(void *env, uint64_t address, int access, int mmu_index);
    int (*kernel_mmu_index)(void *env);
    void (*raise_exception)(void *env, int vector, int error_code, uintptr_t host_pc);
    void (*dump_state)(void *cpu, FILE *stream, int flags);
    void (*native_cpuid)(void *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                         uint32_t *edx);
    bool (*has_translation_flags)(void *cpu, uint32_t flags);
} qemu;

static uint32_t word_at(const char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/*
 * Whether the word at byte `at` of the object is the one that tcg_cflags_has reads. Tries two changed flags in a copy.
 */
static bool tells_of(const struct qemu_object *o, size_t at, uint32_t flags)
{
    const uint32_t without_first = flags & ~TRANSLATION_PC_RELATIVE, without_second = flags & ~TRANSLATION_OF_CLUSTER;
    bool first, second;

    memcpy(o->copy + at, &without_first, sizeof(flags));
    first = !qemu.has_translation_flags(o->copy, TRANSLATION_PC_RELATIVE) &&
            qemu.has_translation_flags(o->copy, TRANSLATION_OF_CLUSTER);
    memcpy(o->copy + at, &without_second, sizeof(flags));
    second = qemu.has_translation_flags(o->copy, TRANSLATION_PC_RELATIVE) &&
             !qemu.has_translation_flags(o->copy, TRANSLATION_OF_CLUSTER);
    memcpy(o->copy + at, &flags, sizeof(flags));
    return first && second;
}

static uint32_t *find_translation_flags(const struct qemu_object *o)
{
    uint32_t flags = 0;
    size_t found = 0;

    for (unsigned i = 0; i < 32; i++)
        flags |= (uint32_t)qemu.has_translation_flags(o->copy, UINT32_C(1) << i) << i;
    if (~flags & (TRANSLATION_PC_RELATIVE | TRANSLATION_OF_CLUSTER | TRANSLATION_SETS))
        return NULL;
    for (size_t at = 0; at + sizeof(flags) <= o->size; at += sizeof(flags)) {
        if (word_at(o->copy + at) != flags || !tells_of(o, at, flags))
            continue;
        if (found != 0)
            return NULL;
        found = at;
    }
    return found == 0 || word_at(o->cpu + found) != flags ? NULL : (uint32_t *)(void *)(o->cpu + found);
}

static void lose_object(struct qemu_private *p, const char *reason, const char *name)
{
    qemu_loss_say(LOSS_OBJECT, reason, name);
    qemu_object_forget(&p->object);
    p->registers = QEMU_LOST;
    p->translation_flags = NULL;
    p->flags_known = false;
    p->memory_known = false;
}

void qemu_private_init(struct qemu_private *p)
{
    *p = (struct qemu_private){ .registers = QEMU_LOST, .io_places = UINT64_MAX };
    QEMU_LOSS_FIND(LOSS_TSC, "cpu_get_tsc", &qemu.get_tsc);
    if (!qemu_object_find(&p->object))
        return;
    p->registers = QEMU_UNSEEN;
    QEMU_LOSS_FIND(LOSS_PROTECTION, "raise_exception_err_ra", &qemu.raise_exception);
    QEMU_LOSS_FIND(LOSS_CPUID, "cpu_x86_cpuid", &qemu.native_cpuid);
    QEMU_LOSS_FIND(LOSS_IDT, "cpu_dump_state", &qemu.dump_state);
    p->flags_known = QEMU_LOSS_FIND(LOSS_LEAVING, "cpu_restore_state", &qemu.restore_state) &&
                     QEMU_LOSS_FIND(LOSS_FLAGS, "helper_read_eflags", &qemu.read_eflags);
    p->memory_known = QEMU_LOSS_FIND(LOSS_MEMORY, "tlb_vaddr_to_host", &qemu.host_memory) &&
                      QEMU_LOSS_FIND(LOSS_MEMORY, "cpu_mmu_index_kernel", &qemu.kernel_mmu_index);
    if (QEMU_LOSS_FIND(LOSS_TRANSLATIONS, "tcg_cflags_has", &qemu.has_translation_flags)) {
        p->translation_flags = find_translation_flags(&p->object);
        if (p->translation_flags == NULL)
            qemu_loss_say(LOSS_TRANSLATIONS, "does not keep in exactly one word the flags read by", "tcg_cflags_has");
    }
}

unsigned qemu_private_sets(const struct qemu_private *p)
{
    return p->translation_flags != NULL ? QEMU_SETS : 1;
}

void qemu_private_select_set(const struct qemu_private *p, unsigned set)
{
    if (p->translation_flags != NULL) {
        *p->translation_flags |= TRANSLATION_PC_RELATIVE | TRANSLATION_SETS;
        *p->translation_flags &= ~((set != 0 ? TRANSLATION_PC_RELATIVE : 0) | set << TRANSLATION_SET_SHIFT);
    }
}

unsigned qemu_private_set(const struct qemu_private *p)
{
    return p->translation_flags != NULL ? (~*p->translation_flags & TRANSLATION_SETS) >> TRANSLATION_SET_SHIFT : 0;
}

bool qemu_private_translate_apart(const struct qemu_private *p, bool apart)
{
    if (p->translation_flags == NULL)
        return false;
    if (apart)
        *p->translation_flags &= ~TRANSLATION_OF_CLUSTER;
    else
        *p->translation_flags |= TRANSLATION_OF_CLUSTER;
    return true;
}

bool qemu_private_translates_apart(const struct qemu_private *p)
{
    return p->translation_flags != NULL && !(*p->translation_flags & TRANSLATION_OF_CLUSTER);
}

/* --- registers ------------------------------------------------------------------------------------------------- */

static uint64_t field_at(const struct qemu_private *p, const char *at)
{
    uint64_t whole;

    if (p->object.width == sizeof(whole)) {
        memcpy(&whole, at, sizeof(whole));
        return whole;
    }
    return word_at(at);
}

void qemu_private_general(const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS])
{
    /* The registers are in the order of instruction encodings. */
    static const uint8_t order[GENERAL_REGISTERS] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI,
                                                      R8,  R9,  R10, R11, R12, R13, R14, R15 };
    const char *const file = p->object.cpu + p->object.env;

    if (p->object.width == sizeof(general[0])) {
        for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
            memcpy(&general[order[i]], file + i * sizeof(general[0]), sizeof(general[0]));
        return;
    }
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        general[order[i]] = i < R8 ? word_at(file + i * sizeof(uint32_t)) : 0;
}

void qemu_private_ymmh(const struct qemu_private *p, const uint64_t xmm[XMM_REGISTERS][2],
                       uint64_t ymmh[XMM_REGISTERS][2])
{
    const unsigned count = p->object.width == sizeof(uint64_t) ? XMM_REGISTERS : XMM_REGISTERS / 2;
    const char *at = p->object.cpu + p->object.vectors;

    memset(ymmh, 0, XMM_REGISTERS * sizeof(ymmh[0]));
    if (p->registers == QEMU_LOST || p->object.vectors == 0) {
        qemu_loss_say(LOSS_VECTORS, "does not list env.xmm_regs in", "vmstate_x86_cpu");
        return;
    }
    for (unsigned i = 0; i < count; i++, at += QEMU_VECTOR_BYTES) {
        if (memcmp(at, xmm[i], sizeof(xmm[i])) != 0) {
            qemu_loss_say(LOSS_VECTORS, "gives plugins XMM registers that differ from those found with",
                          "vmstate_x86_cpu");
            memset(ymmh, 0, XMM_REGISTERS * sizeof(ymmh[0]));
            return;
        }
        memcpy(ymmh[i], at + sizeof(xmm[i]), sizeof(ymmh[i]));
    }
}

uint64_t qemu_private_rip(const struct qemu_private *p)
{
    return field_at(p, p->object.cpu + p->object.rip);
}

uint64_t qemu_private_eflags(const struct qemu_private *p)
{
    return field_at(p, p->object.cpu + p->object.eflags);
}

/*
 * Whether the plugin interface returns the same values. Outside 64-bit code it returns only the low halves of the first
 * eight.
 */
static bool reads_as(const struct qemu_private *p, const struct qemu_seen *seen)
{
    uint64_t general[GENERAL_REGISTERS], mask = UINT32_MAX;
    bool same;

    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        mask = seen->general[i] > (i < R8 ? UINT32_MAX : 0) || seen->rip > UINT32_MAX ? UINT64_MAX : mask;
    qemu_private_general(p, general);
    same = ((qemu_private_rip(p) ^ seen->rip) & mask) == 0 && qemu_private_eflags(p) == seen->eflags;
    for (unsigned i = 0; i < (mask == UINT64_MAX ? GENERAL_REGISTERS : R8); i++)
        same = same && ((general[i] ^ seen->general[i]) & mask) == 0;
    return same;
}

/* Whether helper_read_eflags returns the flags that were put into a copy. */
static bool reads_flags(const struct qemu_private *p)
{
    static const uint64_t tried[] = { 0, EFLAGS_IF, EFLAGS_AC, EFLAGS_IF | EFLAGS_AC };
    const struct qemu_object *o = &p->object;
    bool reads = true;

    for (unsigned i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
        qemu_object_take_copy(o);
        memcpy(o->copy + o->eflags, &tried[i], o->width);
        reads = reads && (qemu.read_eflags(o->copy + o->env) & KEPT_AS_THEY) == tried[i];
    }
    qemu_object_take_copy(o);
    return reads;
}

void qemu_private_look(struct qemu_private *p, const struct qemu_seen *seen)
{
    if (p->registers == QEMU_LOST)
        return;
    if (!reads_as(p, seen)) {
        lose_object(p, "gives plugins register values that differ from those found with", "vmstate_x86_cpu");
        return;
    }
    if (p->registers == QEMU_UNSEEN) {
        p->registers = QEMU_SEEN;
        p->seen_rip = seen->rip;
        if (p->flags_known && !reads_flags(p)) {
            p->flags_known = false;
            qemu_loss_say(LOSS_FLAGS, "computes wrong flags for a copy with", "helper_read_eflags");
        }
    } else if (seen->rip != p->seen_rip) {
        p->registers = QEMU_CERTAIN;
    }
}

/* --- flags ----------------------------------------------------------------------------------------------------- */

/*
 * Values of struct qemu_middle's `lacking`: a 32-bit word, with its number counted from RIP in the upper half; or one
 * of these two.
 */
#define LACKING_UNKNOWN             0
#define LACKING_NOTHING             1
#define LACKING_WORD(number, value) ((uint64_t)(number) << 32 | (value))

/* The slow way: reads the flags from a full copy, which QEMU restores first if return_address is not 0. */
static uint64_t restored_flags(const struct qemu_private *p, uintptr_t return_address)
{
    qemu_object_take_copy(&p->object);
    if (return_address != 0)
        qemu.restore_state(p->object.copy, return_address);
    return qemu.read_eflags(p->object.copy + p->object.env);
}

/*
 * The quick way: copies only the words from RIP on, replaces the word that is known to be stale, and reads the flags.
 */
static uint64_t completed_flags(const struct qemu_private *p, uint64_t lacking)
{
    const struct qemu_object *o = &p->object;
    const uint32_t value = (uint32_t)lacking;

    memcpy(o->copy + o->rip, o->cpu + o->rip, QEMU_STATE_BYTES);
    if (lacking != LACKING_NOTHING)
        memcpy(o->copy + o->rip + sizeof(value) * (lacking >> 32), &value, sizeof(value));
    return qemu.read_eflags(o->copy + o->env);
}

/*
 * Finds the word that restoring writes in addition to RIP, if there is at most one: restores over two states of the
 * copy that differ in all other words.
 */
static uint64_t find_lacking(const struct qemu_private *p, uintptr_t return_address)
{
    const struct qemu_object *o = &p->object;
    const size_t behind = o->width / sizeof(uint32_t);
    uint32_t words[STATE_WORDS], first[STATE_WORDS], second[STATE_WORDS];
    uint64_t lacking = LACKING_NOTHING;

    qemu_object_take_copy(o);
    memcpy(words, o->copy + o->rip, sizeof(words));
    if (!qemu.restore_state(o->copy, return_address))
        return LACKING_UNKNOWN;
    memcpy(first, o->copy + o->rip, sizeof(first));
    for (size_t i = behind; i < STATE_WORDS; i++)
        words[i] = ~words[i];
    memcpy(o->copy + o->rip, words, sizeof(words));
    qemu.restore_state(o->copy, return_address);
    memcpy(second, o->copy + o->rip, sizeof(second));
    qemu_object_take_copy(o);
    for (size_t i = behind; i < STATE_WORDS; i++) {
        if (first[i] != second[i])
            continue;
        if (lacking != LACKING_NOTHING)
            return LACKING_UNKNOWN;
        lacking = LACKING_WORD(i, first[i]);
    }
    return lacking;
}

uint64_t qemu_private_flags(struct qemu_private *p, uint64_t system_flags, struct qemu_middle *middle)
{
    const uintptr_t return_address = middle == NULL ? 0 : middle->return_address;
    uint64_t lacking = LACKING_NOTHING, flags;

    if (!p->flags_known || !qemu_private_reads(p))
        return system_flags;
    if (middle != NULL)
        lacking = __atomic_load_n(&middle->lacking, __ATOMIC_RELAXED);
    if (lacking == LACKING_UNKNOWN) {
        lacking = find_lacking(p, return_address);
        __atomic_store_n(&middle->lacking, lacking, __ATOMIC_RELAXED);
    }
    if (lacking == LACKING_UNKNOWN)
        return restored_flags(p, return_address);
    flags = completed_flags(p, lacking);
    if (p->flags_compared < COMPARISONS) {
        p->flags_compared++;
        if (flags != restored_flags(p, return_address)) {
            p->flags_known = false;
            qemu_loss_say(LOSS_FLAGS, "does not keep near RIP the flags read by", "helper_read_eflags");
            return system_flags;
        }
    }
    return flags;
}

/* --- QEMU's own functions -------------------------------------------------------------------------------------- */

bool qemu_private_settle(struct qemu_private *p, uintptr_t return_address)
{
    return p->registers != QEMU_LOST && qemu.restore_state != NULL && qemu.restore_state(p->object.cpu, return_address);
}

void qemu_private_general_protection(struct qemu_private *p, uintptr_t return_address)
{
    if (qemu.raise_exception != NULL && qemu_private_reads(p))
        qemu.raise_exception(p->object.cpu + p->object.env, EXCEPTION_GP, 0, return_address);
}

/* QEMU 11.1, include/exec/cpu-common.h: EXCP_DEBUG, which is not an exception of the guest. */
void qemu_private_debug(struct qemu_private *p)
{
    if (qemu.raise_exception != NULL && qemu_private_reads(p))
        qemu.raise_exception(p->object.cpu + p->object.env, EXCEPTION_DEBUGGER, 0, 0);
}

bool qemu_private_idt(const struct qemu_private *p, uint64_t *base)
{
    static const char label[] = "IDT=";
    char *text = NULL;
    size_t size = 0;
    FILE *stream = p->registers == QEMU_LOST || qemu.dump_state == NULL ? NULL : open_memstream(&text, &size);
    const char *found;

    if (stream == NULL)
        return false;
    qemu.dump_state(p->object.cpu, stream, 0);
    fclose(stream);
    found = strstr(text, label);
    if (found != NULL)
        *base = strtoull(found + strlen(label), NULL, 16);
    else
        qemu_loss_say(LOSS_IDT, "prints no IDT= line in", "cpu_dump_state");
    free(text);
    return found != NULL;
}

bool qemu_private_cpuid(const struct qemu_private *p, uint32_t leaf, uint32_t regs[4])
{
    void *const env = p->object.cpu + p->object.env;
    uint32_t last, ignored;

    if (qemu.native_cpuid == NULL || !qemu_private_reads(p))
        return false;
    qemu.native_cpuid(env, leaf & EXTENDED_LEAVES, 0, &last, &ignored, &ignored, &ignored);
    memset(regs, 0, 4 * sizeof(regs[0]));
    if (last >= leaf && (last & EXTENDED_LEAVES) == (leaf & EXTENDED_LEAVES))
        qemu.native_cpuid(env, leaf, 0, &regs[0], &regs[1], &regs[2], &regs[3]);
    return true;
}

bool qemu_private_was_reset(const struct qemu_private *p)
{
    char *const mark = p->object.cpu + p->object.vectors + QEMU_VECTOR_BYTES - 1;
    const bool known = p->registers != QEMU_LOST && p->object.vectors != 0;
    const bool reset = !known || *mark == 0;

    if (known)
        *mark = 1;
    return reset;
}

uint64_t qemu_private_tsc(const struct qemu_private *p)
{
    struct timespec now;

    if (qemu.get_tsc != NULL && p->registers != QEMU_LOST) {
        const uint64_t none = 0, *const offset = qemu_private_tsc_offset(p);

        return qemu.get_tsc(p->object.cpu + p->object.env) + *(offset != NULL ? offset : &none);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool qemu_private_nmi(const struct qemu_private *p, bool *in_service)
{
    if (!qemu_private_reads(p) || p->object.hflags2 == 0)
        return false;
    *in_service = word_at(p->object.cpu + p->object.hflags2) & HFLAGS2_NMI;
    return true;
}

uint64_t *qemu_private_tsc_offset(const struct qemu_private *p)
{
    if (qemu.get_tsc == NULL || !qemu_private_reads(p))
        return NULL;
    if (p->object.tsc_offset == 0) {
        qemu_loss_say(LOSS_TSC_OFFSET, "does not list env.tsc_offset in", "vmstate_x86_cpu");
        return NULL;
    }
    return (uint64_t *)(void *)(p->object.cpu + p->object.tsc_offset);
}

void *qemu_private_memory(const struct qemu_private *p, uint64_t address)
{
    char *const env = p->object.cpu + p->object.env;

    if (!p->memory_known || !qemu_private_reads(p))
        return NULL;
    return qemu.host_memory(env, address, ACCESS_STORE, qemu.kernel_mmu_index(env));
}

bool qemu_private_doubts_memory(const struct qemu_private *p)
{
    return p->memory_compared < COMPARISONS;
}

void qemu_private_look_at_memory(struct qemu_private *p, const void *memory, const void *seen, size_t size)
{
    const uint8_t *const bytes = seen;
    uint8_t any = 0;

    if (memcmp(memory, seen, size) != 0) {
        p->memory_known = false;
        qemu_loss_say(LOSS_MEMORY, "gives plugins memory contents that differ from those found with",
                      "tlb_vaddr_to_host");
    }
    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    p->memory_compared += any != 0; /* zeros may be those of any memory */
}

bool qemu_private_icount(void)
{
    const int *mode;

    return QEMU_LOSS_FIND(LOSS_ACCELERATOR, "use_icount", &mode) && *mode != 0;
}

/* Drops the places whose byte is above 1 or, if `set`, is 0. */
static void narrow_io(struct qemu_private *p, bool set)
{
    const uint8_t *const env = (const uint8_t *)p->object.cpu + p->object.env;

    for (uint64_t left = p->io_places; left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        const uint8_t byte = (size_t)i < p->object.env ? env[-1 - i] : UINT8_MAX;

        p->io_places &= byte > 1 || (set && byte == 0) ? ~(UINT64_C(1) << i) : UINT64_MAX;
    }
}

void qemu_private_look_for_io(struct qemu_private *p)
{
    if (p->object.cpu != NULL && p->io_looks < IO_LOOKS) {
        narrow_io(p, true);
        p->io_looks++;
    }
}

uint8_t qemu_private_permit_io(struct qemu_private *p, uint8_t flag)
{
    if (p->object.cpu == NULL || p->io_looks < IO_LOOKS)
        return flag;
    narrow_io(p, false);
    if (p->io_places == 0 || (p->io_places & (p->io_places - 1)) != 0) {
        qemu_loss_say(LOSS_ACCELERATOR, "has no flag before its registers that permits clocks under", "-icount");
        return flag;
    }
    uint8_t *const at = (uint8_t *)p->object.cpu + p->object.env - 1 - __builtin_ctzll(p->io_places);
    const uint8_t before = *at;

    *at = flag;
    return before;
}

bool qemu_private_one_thread(void)
{
    bool (*several_threads)(void);

    return QEMU_LOSS_FIND(LOSS_ACCELERATOR, "qemu_tcg_mttcg_enabled", &several_threads) && !several_threads();
}

bool qemu_private_accelerated(void)
{
    const bool *tcg;

    return QEMU_LOSS_FIND(LOSS_ACCELERATOR, "tcg_allowed", &tcg) && !*tcg;
}

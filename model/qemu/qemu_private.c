/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/qemu/qemu_private.h"

#define EXCEPTION_GP    13
#define EXTENDED_LEAVES UINT32_C(0x80000000)

/* QEMU 11.1, include/exec/translation-block.h */
#define TRANSLATION_PC_RELATIVE (UINT32_C(1) << 17)
#define TRANSLATION_OF_CLUSTER  (UINT32_C(1) << 24) /* of the number of the processor's cluster, all ones for none */

/* How much of the object is searched for the register file, and how much of that holds integer state. */
#define SEARCH_BYTES  0x8000
#define INTEGER_BYTES 0x200

static bool (*restore_state)(void *cpu, uintptr_t host_pc);
static uint64_t (*read_eflags)(void *env);
static uint64_t (*get_tsc)(void *env);
static void (*raise_exception)(void *env, int vector, int error_code, uintptr_t host_pc);

static void (*dump_state)(void *cpu, FILE *stream, int flags);
static void (*native_cpuid)(void *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                            uint32_t *edx);
static bool (*has_translation_flags)(void *cpu, uint32_t flags);

static void find(const char *name, void *function, size_t size)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    memcpy(function, &symbol, size);
}

/* Where QEMU keeps, for each of its threads, which processor runs there; NULL if that is not to be had. */
static void **current_cpu(void)
{
    static _Thread_local void **current;

    if (current == NULL) {
        current = dlsym(RTLD_DEFAULT, "current_cpu");
    }
    return current;
}

/* A word of the object that reads as the flags do, one by one, and that takes a flag away from them. */
static uint32_t *find_translation_flags(void *cpu)
{
    uint32_t flags = 0;

    if (cpu == NULL || has_translation_flags == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < 32; i++) {
        flags |= (uint32_t)has_translation_flags(cpu, UINT32_C(1) << i) << i;
    }
    if (!(flags & TRANSLATION_PC_RELATIVE) || !(flags & TRANSLATION_OF_CLUSTER)) {
        return NULL;
    }
    for (uint32_t *at = cpu, *end = at + SEARCH_BYTES / sizeof(*at); at < end; at++) {
        bool is;

        if (*at != flags) {
            continue;
        }
        *at = flags & ~TRANSLATION_PC_RELATIVE;
        is = !has_translation_flags(cpu, TRANSLATION_PC_RELATIVE);
        *at = flags;
        if (is) {
            return at;
        }
    }
    return NULL;
}

void qemu_private_init(struct qemu_private *p, bool wide)
{
    void **current = current_cpu();

    find("cpu_restore_state", &restore_state, sizeof(restore_state));
    find("helper_read_eflags", &read_eflags, sizeof(read_eflags));
    find("cpu_dump_state", &dump_state, sizeof(dump_state));
    find("cpu_get_tsc", &get_tsc, sizeof(get_tsc));
    find("raise_exception_err_ra", &raise_exception, sizeof(raise_exception));
    find("cpu_x86_cpuid", &native_cpuid, sizeof(native_cpuid));
    find("tcg_cflags_has", &has_translation_flags, sizeof(has_translation_flags));
    p->cpu = current == NULL ? NULL : *current;
    p->translation_flags = find_translation_flags(p->cpu);
    p->wide = wide;
    p->env = NULL;
    p->rip = NULL;
    p->reads_near_rip = false;
}

bool qemu_private_is_current(const struct qemu_private *p)
{
    void *const *current = current_cpu();

    return current == NULL || p->cpu == *current;
}

void qemu_private_bind_translations(const struct qemu_private *p)
{
    if (p->translation_flags != NULL) {
        *p->translation_flags &= ~TRANSLATION_PC_RELATIVE;
    }
}

bool qemu_private_translate_apart(const struct qemu_private *p, bool apart)
{
    if (p->translation_flags == NULL) {
        return false;
    }
    if (apart) {
        *p->translation_flags &= ~TRANSLATION_OF_CLUSTER;
    } else {
        *p->translation_flags |= TRANSLATION_OF_CLUSTER;
    }
    return true;
}

bool qemu_private_translates_apart(const struct qemu_private *p)
{
    return p->translation_flags != NULL && !(*p->translation_flags & TRANSLATION_OF_CLUSTER);
}

/* The register file begins with the general registers in the order of their encoding. */
static const unsigned order[GENERAL_REGISTERS] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI,
                                                   R8,  R9,  R10, R11, R12, R13, R14, R15 };

static uint64_t general_at(const struct qemu_private *p, const char *file, unsigned i)
{
    uint64_t value = 0;

    if (p->wide) {
        memcpy(&value, file + 8 * i, 8);
    } else if (i < 8) {
        memcpy(&value, file + 4 * i, 4);
    }
    return value;
}

bool qemu_private_general(const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS])
{
    if (p->env == NULL) {
        return false;
    }
    if (p->wide) {
        const uint64_t *file = p->env;

        memcpy(&general[R8], &file[R8], (GENERAL_REGISTERS - R8) * sizeof(file[0])); /* the same in both orders */
        for (unsigned i = 0; i < R8; i++) {
            general[order[i]] = file[i];
        }
    } else {
        for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
            general[order[i]] = general_at(p, p->env, i);
        }
    }
    return true;
}

/* general as the plugin interface reads them: outside 64-bit code only the low halves of the first eight. */
static bool is_file(const struct qemu_private *p, const char *file, const uint64_t general[GENERAL_REGISTERS])
{
    bool whole = false;

    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
        whole = whole || general[i] > (i < R8 ? UINT32_MAX : 0);
    }
    for (unsigned i = 0; i < (whole ? GENERAL_REGISTERS : 8); i++) {
        uint64_t differing = general_at(p, file, i) ^ general[order[i]];

        if (whole ? differing != 0 : (uint32_t)differing != 0) {
            return false;
        }
    }
    return true;
}

static bool find_env(struct qemu_private *p, const uint64_t general[GENERAL_REGISTERS])
{
    const size_t step = p->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    unsigned distinct = 0;
    char *found = NULL;

    if (p->env != NULL || p->cpu == NULL) {
        return p->env != NULL;
    }
    for (unsigned i = 1; i < GENERAL_REGISTERS; i++) {
        distinct += general[order[i]] != general[order[i - 1]];
    }
    if (distinct < 4) {
        return false; /* too little to tell it from other memory */
    }
    for (char *at = p->cpu, *end = at + SEARCH_BYTES; at < end; at += step) {
        if (is_file(p, at, general)) {
            if (found != NULL) {
                return false;
            }
            found = at;
        }
    }
    p->env = found;
    return found != NULL;
}

static size_t field_size(const struct qemu_private *p)
{
    return p->wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

static uint64_t get(const struct qemu_private *p, const char *field)
{
    uint64_t whole;
    uint32_t half;

    if (p->wide) {
        memcpy(&whole, field, sizeof(whole));
        return whole;
    }
    memcpy(&half, field, sizeof(half));
    return half;
}

/*
 * Reading the flags, and restoring the state in the middle of a block, change the register file, and translated code
 * relies on things being as it left them, RIP and the way that flags are kept among them. So all is put back. In known
 * QEMUs so many words from RIP on are all that changes; where it is not so, the whole file is put back each time.
 */
#define STATE_WORDS 16

static bool reads_near_rip(const struct qemu_private *p)
{
    const size_t start = (size_t)((char *)p->rip - (char *)p->env), end = start + 4 * STATE_WORDS;
    uint8_t before[INTEGER_BYTES], after[INTEGER_BYTES];

    if (read_eflags == NULL || end > INTEGER_BYTES) {
        return false;
    }
    memcpy(before, p->env, sizeof(before));
    read_eflags(p->env);
    memcpy(after, p->env, sizeof(after));
    memcpy(p->env, before, sizeof(before));
    return memcmp(before, after, start) == 0 && memcmp(before + end, after + end, INTEGER_BYTES - end) == 0;
}

/* Where RIP and EFLAGS are behind the general registers, if there is one such place. */
static char *find_rip(const struct qemu_private *p, char *file, uint64_t rip, uint64_t eflags)
{
    const size_t size = field_size(p);
    char *found = NULL;

    for (char *at = file, *end = at + INTEGER_BYTES - size; at < end; at += size) {
        if (get(p, at) == rip && get(p, at + size) == eflags) {
            if (found != NULL) {
                return NULL;
            }
            found = at;
        }
    }
    return found;
}

void qemu_private_find_rip(struct qemu_private *p, uint64_t rip, uint64_t eflags)
{
    p->rip = p->env == NULL ? NULL : find_rip(p, p->env, rip, eflags);
    p->reads_near_rip = p->rip != NULL && reads_near_rip(p);
}

uint64_t qemu_private_rip(const struct qemu_private *p)
{
    return get(p, p->rip);
}

uint64_t qemu_private_eflags(const struct qemu_private *p)
{
    return get(p, (char *)p->rip + field_size(p));
}

void qemu_private_set_eflags(const struct qemu_private *p, uint64_t eflags)
{
    const uint32_t half = (uint32_t)eflags;

    if (p->wide) {
        memcpy((char *)p->rip + sizeof(eflags), &eflags, sizeof(eflags));
    } else {
        memcpy((char *)p->rip + sizeof(half), &half, sizeof(half));
    }
}

bool qemu_private_settle(struct qemu_private *p, uintptr_t return_address)
{
    return p->cpu != NULL && restore_state != NULL && restore_state(p->cpu, return_address);
}

/* struct qemu_middle's `lacking`: a 32-bit word, its number from RIP on in the upper half; or one of these. */
#define LACKING_UNKNOWN             0
#define LACKING_NOTHING             1
#define LACKING_WORD(number, value) ((uint64_t)(number) << 32 | (value))

/* The flags, after QEMU's own restoring of the state where return_address is not 0. */
static uint64_t restored_flags(const struct qemu_private *p, uintptr_t return_address)
{
    uint8_t before[INTEGER_BYTES];
    uint64_t flags;

    memcpy(before, p->env, sizeof(before));
    if (return_address != 0) {
        restore_state(p->cpu, return_address);
    }
    flags = read_eflags(p->env);
    memcpy(p->env, before, sizeof(before));
    return flags;
}

/* The flags, with the one word set that is known to be lacking. */
static uint64_t completed_flags(const struct qemu_private *p, uint64_t lacking)
{
    const uint32_t value = (uint32_t)lacking;
    uint8_t before[4 * STATE_WORDS];
    uint64_t flags;

    memcpy(before, p->rip, sizeof(before));
    if (lacking != LACKING_NOTHING) {
        memcpy((char *)p->rip + 4 * (lacking >> 32), &value, sizeof(value));
    }
    flags = read_eflags(p->env);
    memcpy(p->rip, before, sizeof(before));
    return flags;
}

/*
 * What restoring writes beside RIP, if it is nothing or one of STATE_WORDS: found by letting it write over two states
 * that differ in all the others.
 */
static uint64_t find_lacking(const struct qemu_private *p, uintptr_t return_address)
{
    const size_t rip = (size_t)((uint32_t *)p->rip - (uint32_t *)p->env), behind = rip + field_size(p) / 4;
    uint32_t before[INTEGER_BYTES / 4], first[INTEGER_BYTES / 4], second[INTEGER_BYTES / 4];
    uint64_t lacking = LACKING_NOTHING;

    memcpy(before, p->env, sizeof(before));
    restore_state(p->cpu, return_address);
    memcpy(first, p->env, sizeof(first));
    for (size_t i = 0; i < INTEGER_BYTES / 4; i++) {
        second[i] = i >= rip && i < behind ? before[i] : ~before[i];
    }
    memcpy(p->env, second, sizeof(second));
    restore_state(p->cpu, return_address);
    memcpy(second, p->env, sizeof(second));
    memcpy(p->env, before, sizeof(before));
    for (size_t i = 0; i < INTEGER_BYTES / 4; i++) {
        if (first[i] != second[i] || (i >= rip && i < behind)) {
            continue;
        }
        if (lacking != LACKING_NOTHING || i < behind || i >= rip + STATE_WORDS) {
            return LACKING_UNKNOWN;
        }
        lacking = LACKING_WORD(i - rip, first[i]);
    }
    return lacking;
}

uint64_t qemu_private_flags(struct qemu_private *p, uint64_t system_flags, const uint64_t general[GENERAL_REGISTERS],
                            struct qemu_middle *middle)
{
    const uintptr_t return_address = middle == NULL ? 0 : middle->return_address;
    uint64_t lacking = LACKING_NOTHING;

    if (read_eflags == NULL || (middle != NULL && restore_state == NULL) || !find_env(p, general)) {
        return system_flags;
    }
    if (!p->reads_near_rip) {
        return restored_flags(p, return_address);
    }
    if (middle != NULL) {
        lacking = __atomic_load_n(&middle->lacking, __ATOMIC_RELAXED);
    }
    if (lacking == LACKING_UNKNOWN) {
        lacking = find_lacking(p, return_address);
        __atomic_store_n(&middle->lacking, lacking, __ATOMIC_RELAXED);
    }
    return lacking == LACKING_UNKNOWN ? restored_flags(p, return_address) : completed_flags(p, lacking);
}

void qemu_private_general_protection(struct qemu_private *p, const uint64_t general[GENERAL_REGISTERS],
                                     uintptr_t return_address)
{
    if (raise_exception != NULL && find_env(p, general)) {
        raise_exception(p->env, EXCEPTION_GP, 0, return_address);
    }
}

bool qemu_private_idt(const struct qemu_private *p, uint64_t *base)
{
    static const char label[] = "IDT=";
    char *text = NULL;
    size_t size = 0;
    FILE *stream = p->cpu == NULL || dump_state == NULL ? NULL : open_memstream(&text, &size);
    const char *found;

    if (stream == NULL) {
        return false;
    }
    dump_state(p->cpu, stream, 0);
    fclose(stream);
    found = strstr(text, label);
    if (found != NULL) {
        *base = strtoull(found + strlen(label), NULL, 16);
    }
    free(text);
    return found != NULL;
}

/* Few registers differ from 0 after reset: RIP and EFLAGS have to follow, too. */
static void find_env_after_reset(struct qemu_private *p, const uint64_t general[GENERAL_REGISTERS], uint64_t rip,
                                 uint64_t eflags)
{
    const size_t step = field_size(p);

    if (p->cpu == NULL) {
        return;
    }
    for (char *at = p->cpu, *end = at + SEARCH_BYTES; at < end; at += step) {
        if (is_file(p, at, general) && find_rip(p, at, rip, eflags) != NULL) {
            p->env = at;
            return;
        }
    }
}

bool qemu_private_cpuid(struct qemu_private *p, const uint64_t general[GENERAL_REGISTERS], uint64_t rip,
                        uint64_t eflags, uint32_t leaf, uint32_t regs[4])
{
    uint32_t last, ignored;

    if (p->env == NULL) {
        find_env_after_reset(p, general, rip, eflags);
    }
    if (p->env == NULL || native_cpuid == NULL) {
        return false;
    }
    native_cpuid(p->env, leaf & EXTENDED_LEAVES, 0, &last, &ignored, &ignored, &ignored);
    memset(regs, 0, 4 * sizeof(regs[0]));
    if (last >= leaf && (last & EXTENDED_LEAVES) == (leaf & EXTENDED_LEAVES)) {
        native_cpuid(p->env, leaf, 0, &regs[0], &regs[1], &regs[2], &regs[3]);
    }
    return true;
}

bool qemu_private_accelerated(void)
{
    const bool *tcg = dlsym(RTLD_DEFAULT, "tcg_allowed");

    return tcg != NULL && !*tcg;
}

bool qemu_private_icount(void)
{
    const int *mode = dlsym(RTLD_DEFAULT, "use_icount");

    return mode != NULL && *mode != 0;
}

uint64_t qemu_private_tsc(const struct qemu_private *p)
{
    struct timespec now;

    if (get_tsc != NULL) {
        return get_tsc(p->env);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

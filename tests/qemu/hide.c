/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into QEMU, this library hides or replaces symbols that plugins look up. The variable HIDE has words:
 *   NAME        hide this symbol
 *   NAME=OTHER  replace this symbol by another one, of QEMU or of this file
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* QEMU's description of an x86 processor, whose first fields are the general registers, RIP and EFLAGS. */
struct field {
    const char *name;
    size_t offset, size;
    char more[72];
};
struct description {
    char more[96];
    const struct field *fields;
    const void *subsections;
};
extern struct description shifted_fields;
extern struct description misplaced_fields;
bool same_as_at_first(void *cpu, uint32_t flags);
void *nothing(void);
void *other_memory(void *env, uint64_t address, int access, int mmu_index);

EXPORT struct description shifted_fields;   /* the general registers begin with the second */
EXPORT struct description misplaced_fields; /* RIP is far beyond the end of the structure */

EXPORT void *nothing(void)
{
    return NULL;
}

/* Replaces tlb_vaddr_to_host: a page outside of guest memory. */
EXPORT void *other_memory(void *env, uint64_t address, int access, int mmu_index)
{
    static unsigned char page[2 * 4096];

    (void)env, (void)access, (void)mmu_index;
    memset(page, 0xa5, sizeof(page));
    return page + (address & 0xfff);
}

static void *find(void *handle, const char *name)
{
    void *(*next)(void *, const char *);
    void *const found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");

    memcpy(&next, &found, sizeof(next));
    return next(handle, name);
}

/* Replaces tcg_cflags_has: always the answer of the first call. */
EXPORT bool same_as_at_first(void *cpu, uint32_t flags)
{
    static uint32_t asked, answers;
    bool (*real)(void *, uint32_t);
    void *const found = find(RTLD_DEFAULT, "tcg_cflags_has");

    memcpy(&real, &found, sizeof(found));
    if (!(asked & flags)) {
        asked |= flags;
        answers |= real(cpu, flags) ? flags : 0;
    }
    return answers & flags;
}

static void make_descriptions(void)
{
    static struct field shifted[3], misplaced[3];
    const struct description *real = find(RTLD_DEFAULT, "vmstate_x86_cpu");

    if (real == NULL)
        return;
    shifted_fields = misplaced_fields = *real;
    memcpy(shifted, real->fields, sizeof(shifted));
    memcpy(misplaced, real->fields, sizeof(misplaced));
    shifted[0].offset += shifted[0].size;
    misplaced[1].offset = (size_t)1 << 40;
    shifted_fields.fields = shifted;
    misplaced_fields.fields = misplaced;
}

/* The text after this name in HIDE; NULL if HIDE does not have the name. */
static const char *word_for(const char *name)
{
    const size_t length = strlen(name);
    const char *word = getenv("HIDE");

    for (; word != NULL && *word != '\0'; word += strcspn(word, " "), word += strspn(word, " ")) {
        const size_t own = strcspn(word, " =");

        if (own == length && strncmp(word, name, own) == 0)
            return word + own;
    }
    return NULL;
}

EXPORT void *dlsym(void *restrict handle, const char *restrict name)
{
    const char *const rest = word_for(name);
    char other[64] = "";

    if (rest == NULL)
        return find(handle, name);
    if (*rest != '=' || strcspn(rest + 1, " ") >= sizeof(other))
        return NULL;
    memcpy(other, rest + 1, strcspn(rest + 1, " "));
    make_descriptions();
    return find(RTLD_DEFAULT, other);
}

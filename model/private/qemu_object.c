/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "model/private/qemu_loss.h"
#include "model/private/qemu_object.h"

#define GENERAL_AND_MORE \
    64 /* minimum size of the register file in bytes: eight registers, RIP and EFLAGS of 4 bytes each */

/* QEMU 11.1, include/qom/object.h */
struct object {
    const void *class;
    void (*free)(void *object);
};

/* QEMU 11.1, include/migration/vmstate.h */
struct field {
    const char *name;
    size_t offset, size;
    char more[72];
};

struct description {
    const char *name;
    char more[88];
    const struct field *fields;
    const void *subsections;
};

/* The first fields of target/i386/machine.c, in this order. */
enum { REGS, EIP, EFLAGS, FIELDS, MOST_FIELDS = 100 };
static const char *const field_names[FIELDS] = { "env.regs", "env.eip", "env.eflags" };

/* Whether [from, from + size) is within one segment of a loaded file. */
struct range {
    uintptr_t from;
    size_t size;
};

static int within_segment(struct dl_phdr_info *file, size_t size, void *udata)
{
    const struct range *range = udata;

    (void)size;
    for (unsigned i = 0; i < file->dlpi_phnum; i++) {
        const uintptr_t begin = file->dlpi_addr + file->dlpi_phdr[i].p_vaddr;
        const size_t length = file->dlpi_phdr[i].p_memsz;

        if (file->dlpi_phdr[i].p_type == PT_LOAD && range->from >= begin && range->size <= length &&
            range->from - begin <= length - range->size)
            return 1;
    }
    return 0;
}

static bool is_loaded(const void *from, size_t size)
{
    struct range range = { (uintptr_t)from, size };

    return dl_iterate_phdr(within_segment, &range) != 0;
}

static bool is_text(const char *at, const char *text)
{
    return is_loaded(at, strlen(text) + 1) && strcmp(at, text) == 0;
}

/* The size of the variable at this address, from its symbol. */
static size_t size_of_variable(const void *at)
{
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    return dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL ? symbol->st_size : 0;
}

/* The first three fields. NULL, with *reason set, if QEMU's table of fields is not as expected. */
static const struct field *read_table(const char **reason)
{
    const struct description *description;

    *reason = NULL;
    if (!QEMU_LOSS_FIND(LOSS_OBJECT, "vmstate_x86_cpu", &description))
        return NULL;
    *reason = "does not list env.regs, env.eip and env.eflags first in";
    if (size_of_variable(description) != sizeof(*description) || !is_text(description->name, "cpu") ||
        !is_loaded(description->fields, FIELDS * sizeof(struct field)))
        return NULL;
    for (unsigned i = 0; i < FIELDS; i++)
        if (!is_text(description->fields[i].name, field_names[i]))
            return NULL;
    return description->fields;
}

/* The place of `count` values of `size` bytes by the table of fields, whose last entry has no name, or 0. */
static size_t find_field(const struct field *fields, const struct qemu_object *o, const char *name, size_t size,
                         size_t count)
{
    for (unsigned i = FIELDS; i < MOST_FIELDS && is_loaded(&fields[i], sizeof(fields[i])); i++) {
        if (!is_loaded(fields[i].name, 1))
            return 0;
        if (is_text(fields[i].name, name))
            return fields[i].size == size && fields[i].offset + count * size <= o->size ? fields[i].offset : 0;
    }
    return 0;
}

/* QEMU's thread-local pointer to the running processor, or NULL if it cannot be found. */
static void **current_cpu(void)
{
    static _Thread_local void **current;

    if (current == NULL)
        current = dlsym(RTLD_DEFAULT, "current_cpu");
    return current;
}

static void *symbol_of(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static bool is_from_heap(const struct object *object)
{
    void *release;

    memcpy(&release, &object->free, sizeof(release));
    return release != NULL && (release == symbol_of("g_free") || release == symbol_of("qemu_vfree"));
}

/*
 * Whether all places that are read are within the object and in this order: 8 general registers of 4 bytes or 16 of 8,
 * RIP, EFLAGS.
 */
static bool is_possible(const struct qemu_object *o)
{
    const size_t general = (o->width == 8 ? 16 : 8) * o->width;

    return (o->width == 4 || o->width == 8) && o->env % o->width == 0 && o->rip >= o->env &&
           o->rip - o->env >= general && o->eflags >= o->rip + o->width && o->eflags - o->rip < QEMU_STATE_BYTES &&
           o->size >= QEMU_STATE_BYTES && o->rip <= o->size - QEMU_STATE_BYTES;
}

static bool find(struct qemu_object *o, const char **reason, const char **name)
{
    void *(*cast)(void *object, const char *type);
    void **const current = current_cpu();
    const struct field *fields;

    *reason = "does not export";
    *name = "current_cpu";
    if (current == NULL)
        return false;
    *name = "object_dynamic_cast";
    if (!QEMU_LOSS_FIND(LOSS_OBJECT, *name, &cast))
        return false;
    *reason = "has no x86 processor in";
    *name = "current_cpu";
    if (*current == NULL || (cast(*current, "x86_64-cpu") == NULL && cast(*current, "i386-cpu") == NULL))
        return false;
    *reason = "has no heap object in";
    if (!is_from_heap(*current))
        return false;
    *name = "vmstate_x86_cpu";
    fields = read_table(reason);
    if (fields == NULL)
        return false;
    *reason = "has impossible register offsets in";
    o->size = malloc_usable_size(*current);
    o->width = fields[REGS].size;
    o->env = fields[REGS].offset;
    o->rip = fields[EIP].offset;
    o->eflags = fields[EFLAGS].offset;
    if (!is_possible(o) || fields[EIP].size != o->width || fields[EFLAGS].size != o->width)
        return false;
    o->vectors = find_field(fields, o, "env.xmm_regs", QEMU_VECTOR_BYTES, o->width == 8 ? 16 : 8);
    o->hflags2 = find_field(fields, o, "env.hflags2", sizeof(uint32_t), 1);
    o->tsc_offset = find_field(fields, o, "env.tsc_offset", sizeof(uint64_t), 1);
    *reason = "leaves no memory for a copy of";
    *name = "current_cpu";
    o->copy = malloc(o->size);
    o->cpu = o->copy == NULL ? NULL : *current;
    return o->cpu != NULL;
}

bool qemu_object_find(struct qemu_object *o)
{
    const char *reason, *name;

    *o = (struct qemu_object){ .identity = current_cpu() == NULL ? NULL : *current_cpu() };
    if (!find(o, &reason, &name)) {
        qemu_loss_say(LOSS_OBJECT, reason, name);
        return false;
    }
    qemu_object_take_copy(o);
    return true;
}

void qemu_object_take_copy(const struct qemu_object *o)
{
    memcpy(o->copy, o->cpu, o->size);
}

void qemu_object_forget(struct qemu_object *o)
{
    free(o->copy);
    o->cpu = o->copy = NULL;
}

bool qemu_object_is_current(const struct qemu_object *o)
{
    void *const *current = current_cpu();

    return current == NULL || o->identity == *current;
}

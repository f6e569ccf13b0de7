/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/qemu/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/engine/cpuid.h"
#include "model/engine/standing.h"

static const struct {
    uint32_t leaf, subleaf;
} leaves[] = {
    { 0x00, 0 },       { 0x01, 0 },       { 0x07, 0 },       { 0x07, 1 },       { 0x0a, 0 },       { 0x15, 0 },
    { 0x16, 0 },       { 0x1a, 0 },       { 0x1c, 0 },       { 0x23, 0 },       { 0x23, 1 },       { 0x23, 2 },
    { 0x23, 3 },       { 0x23, 4 },       { 0x23, 5 },       { 0x80000000, 0 }, { 0x80000001, 0 }, { 0x80000002, 0 },
    { 0x80000003, 0 }, { 0x80000004, 0 }, { 0x80000008, 0 },
};

static void write_cpuid(struct processor *p, FILE *file, uint32_t leaf, uint32_t subleaf)
{
    uint32_t regs[4] = { 0 };

    if (subleaf == 0)
        qemu_private_cpuid(&p->private, leaf, regs);
    cpuid_read(&p->vcpu, leaf, subleaf, regs);
    fprintf(file, "cpuid 0x%" PRIx32 " 0x%" PRIx32 " 0x%" PRIx32 " 0x%" PRIx32 " 0x%" PRIx32 " 0x%" PRIx32 "\n", leaf,
            subleaf, regs[0], regs[1], regs[2], regs[3]);
}

static void write_msr(void *file, uint32_t address, uint64_t value)
{
    fprintf(file, "msr 0x%" PRIx32 " 0x%" PRIx64 "\n", address, value);
}

static void write_register(FILE *file, const char *name, uint64_t value)
{
    fprintf(file, "register %s 0x%" PRIx64 "\n", name, value);
}

static bool write_file(struct processor *p, const char *path)
{
    static const struct {
        const char *name;
        enum register_name number;
    } controls[] = { { "cr0", NAME_CR0 }, { "cr3", NAME_CR3 }, { "cr4", NAME_CR4 }, { "efer", NAME_EFER } };
    uint64_t idt;
    FILE *file = fopen(path, "w");

    if (file == NULL)
        return false;
    processor_look(p);
    standing_settle(&p->vcpu);
    fprintf(file, "dsmodel state 1 profile=%s cpu=%u\n", p->vcpu.profile->name, p->vcpu.number);
    for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
        write_cpuid(p, file, leaves[i].leaf, leaves[i].subleaf);
    for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
        write_register(file, controls[i].name, processor_read(p, controls[i].number));
    write_register(file, "rip", processor_read(p, NAME_RIP));
    if (qemu_private_idt(&p->private, &idt))
        write_register(file, "idt", idt);
    write_register(file, "lvtpc", processor_host.lvtpc(p));
    write_register(file, "apic", processor_host.apic_enabled(p));
    const bool whole = standing_registers(&p->vcpu, write_msr, file);

    if (whole)
        fprintf(file, "end\n");
    else
        errno = ENOMEM;
    const bool written = !ferror(file); /* fclose() does not report an earlier error */

    return (fclose(file) == 0) & whole & written;
}

/* QEMU calls again after it has notified the debugger, who may be reading: the file is replaced as a whole. */
bool state_write(struct processor *p, const char *folder)
{
    char *path = g_strdup_printf("%s/%u", folder, p->vcpu.number);
    char *draft = g_strdup_printf("%s.new", path);
    const bool written = write_file(p, draft) && rename(draft, path) == 0;

    g_free(path);
    g_free(draft);
    return written;
}

static char *watch_path(const struct processor *p, const char *folder)
{
    return g_strdup_printf("%s/%u.watch", folder, p->vcpu.number);
}

void state_watch(struct processor *p, const char *folder)
{
    char *path = watch_path(p, folder);
    FILE *file = fopen(path, "r");
    char word[16] = "";

    if (file != NULL && fscanf(file, "%15s", word) != 1)
        word[0] = '\0';
    if (file != NULL)
        fclose(file);
    standing_watch(&p->vcpu, strcmp(word, "record") == 0, strcmp(word, "threshold") == 0);
    g_free(path);
}

void state_stopped(struct processor *p, const char *folder)
{
    char *path = watch_path(p, folder);

    standing_watch(&p->vcpu, false, false);
    remove(path);
    g_free(path);
}

/* SPDX-License-Identifier: MIT */
#include "kernel/log_keeper.h"

#include "arch/x86/cpu.h"
#include "boot/kept_log.h"

/* SDM Vol. 2A (253666-081), "CPUID - CPU Identification", figures of leaf 01H: EDX bit 19, EBX bits 15:8. */
#define CPUID_1_EDX_CLFLUSH 19u
#define CPUID_1_EBX_LINE    8u

static struct kept_log kept;
static size_t line_size; /* of the caches, bytes; 0: no CLFLUSH */

/* A reset loses data that is only in the caches. */
static void write_back(const void *bytes, size_t size)
{
    const uintptr_t end = (uintptr_t)bytes + size;

    if (line_size)
        for (uintptr_t at = (uintptr_t)bytes & ~(line_size - 1); at < end; at += line_size)
            cache_line_flush((const void *)at);
}

void log_keeper_start(const struct boot_keep *memory)
{
    const struct cpuid features = cpuid(1, 0);

    if (features.edx >> CPUID_1_EDX_CLFLUSH & 1)
        line_size = (features.ebx >> CPUID_1_EBX_LINE & 0xff) * 8;
    if (memory->base)
        kept_log_open(&kept, (void *)(uintptr_t)memory->base, (size_t)memory->size, write_back);
}

bool log_keeper_is_on(void)
{
    return kept.head;
}

void log_keeper_line(const char *prefix, const char *text)
{
    kept_log_line(&kept, prefix, text);
}

void log_keeper_write_back(void)
{
    caches_flush();
}

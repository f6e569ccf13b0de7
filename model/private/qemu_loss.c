/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/private/qemu_loss.h"

static const char without_object[] =
    "PEBS records lack CF, PF, AF, ZF, SF, DF and OF and have the host's clock as TSC, PMIs wait for the end of a "
    "block, a debug exception does not clear LBR, RDPMC of a missing counter raises #UD instead of #GP, "
    "code mapped at several addresses may be recorded at another of them, and the model is slower";

static const char *const costs[LOSSES] = {
    [LOSS_ACCELERATOR] =
        "-icount, thread=single and accelerators other than TCG are not supported, but cannot be refused",
    [LOSS_OBJECT] = without_object,
    [LOSS_FLAGS] = "PEBS records lack CF, PF, AF, ZF, SF, DF and OF",
    [LOSS_LEAVING] = "PEBS records lack CF, PF, AF, ZF, SF, DF and OF, and PMIs wait for the end of a block",
    [LOSS_PROTECTION] = "RDPMC of a missing counter raises #UD instead of #GP, and ds-watch does not stop",
    [LOSS_CPUID] =
        "features that -cpu lacks are noticed only when the guest reads them from CPUID; threads of a hybrid's "
        "core may be of different kinds",
    [LOSS_IDT] = "a debug exception does not clear LBR, and is recorded like any other",
    [LOSS_TSC] = "records have the host's clock in nanoseconds as TSC",
    [LOSS_TSC_OFFSET] = "processors lack IA32_TSC_ADJUST",
    [LOSS_MEMORY] = "BTS is a tenth slower",
    [LOSS_TRANSLATIONS] = "PEBS is slower, and code mapped at several addresses may be recorded at another of them",
    [LOSS_VECTORS] = "the upper halves of YMM registers in PEBS records are 0",
};

/* QEMU 11.1, qapi/control.json */
struct version_info {
    const struct {
        int64_t major, minor, micro;
    } * qemu;
    const char *package;
};

/*
 * Prints the release that qmp_query_version returns, if QEMU exports it. The answer is a heap object, so that its size
 * can be checked. It is never freed.
 */
static void print_release(FILE *to)
{
    struct version_info *(*query_version)(void **error);
    void *const symbol = dlsym(RTLD_DEFAULT, "qmp_query_version");
    struct version_info *info;

    memcpy(&query_version, &symbol, sizeof(symbol));
    info = query_version == NULL ? NULL : query_version(NULL);
    if (info != NULL && malloc_usable_size(info) >= sizeof(*info) &&
        malloc_usable_size((void *)info->qemu) >= sizeof(*info->qemu))
        fprintf(to, "QEMU %d.%d.%d", (int)info->qemu->major, (int)info->qemu->minor, (int)info->qemu->micro);
    else
        fprintf(to, "this QEMU");
}

void qemu_loss_say(enum qemu_loss loss, const char *reason, const char *name)
{
    static bool said[LOSSES];

    if (__atomic_exchange_n(&said[loss], true, __ATOMIC_RELAXED))
        return;
    flockfile(stderr);
    fprintf(stderr, "dsmodel: ");
    print_release(stderr);
    fprintf(stderr, " %s %s: %s\n", reason, name, costs[loss]);
    funlockfile(stderr);
}

bool qemu_loss_find(enum qemu_loss loss, const char *name, void *symbol, size_t size)
{
    void *const found = dlsym(RTLD_DEFAULT, name);

    memcpy(symbol, &found, size);
    if (found == NULL)
        qemu_loss_say(loss, "does not export", name);
    return found != NULL;
}

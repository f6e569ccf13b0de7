/* SPDX-License-Identifier: MIT */
/*
 * To be preloaded into QEMU: hides the translator's symbols from its plugins, as a QEMU does that was linked without
 * exporting them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

void *dlsym(void *restrict handle, const char *restrict name)
{
    void *(*next)(void *, const char *);
    void *const found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");

    memcpy(&next, &found, sizeof(next));
    return strncmp(name, "tcg_", strlen("tcg_")) == 0 ? NULL : next(handle, name);
}

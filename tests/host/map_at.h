/* SPDX-License-Identifier: MIT */
/* Memory at an address that the code under test requires. Included first, because of _GNU_SOURCE. */
#ifndef TESTS_HOST_MAP_AT_H
#define TESTS_HOST_MAP_AT_H

#define _GNU_SOURCE 1 /* mmap() with MAP_ANONYMOUS */
#include <sys/mman.h>

#include "tests/host/host_test.h"

/* Zeros at this address, again at each call. The sanitizers must not use it. */
static inline void *map_at(uint64_t address, size_t size)
{
    void *const memory =
        mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    assert_ptr_equal(memory, (void *)(uintptr_t)address);
    return memory;
}

#endif

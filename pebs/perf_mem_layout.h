/* SPDX-License-Identifier: MIT */
/*
 * perf_mem_data_src, perf's encoding of where a load or store found its data: fields and values.
 * Source: Linux 7.1, uapi header linux/perf_event.h.
 */
#ifndef PEBS_PERF_MEM_LAYOUT_H
#define PEBS_PERF_MEM_LAYOUT_H

#include <stdint.h>

#define OP(bits)        ((uint64_t)(bits))
#define LEVEL(bits)     ((uint64_t)(bits) << 5)
#define SNOOP(bits)     ((uint64_t)(bits) << 19)
#define LOCK(bits)      ((uint64_t)(bits) << 24)
#define TLB(bits)       ((uint64_t)(bits) << 26)
#define LEVEL_NUM(code) ((uint64_t)(code) << 33)
#define REMOTE          (UINT64_C(1) << 37)
#define FORWARDED       (UINT64_C(1) << 38)
#define BLOCKED(bits)   ((uint64_t)(bits) << 40)
#define REGION(code)    ((uint64_t)(code) << 46)

enum { OP_NA = 1, OP_LOAD = 2, OP_STORE = 4 };
enum {
    LEVEL_NA = 1,
    LEVEL_HIT = 2,
    LEVEL_MISS = 4,
    LEVEL_L1 = 8,
    LEVEL_LFB = 0x10,
    LEVEL_L2 = 0x20,
    LEVEL_L3 = 0x40,
    LEVEL_LOCAL_RAM = 0x80,
    LEVEL_REMOTE_RAM = 0x100,
    LEVEL_REMOTE_CACHE = 0x400,
    LEVEL_IO = 0x1000,
    LEVEL_UNCACHED = 0x2000
};
enum { SNOOP_NA = 1, SNOOP_NONE = 2, SNOOP_HIT = 4, SNOOP_MISS = 8, SNOOP_HITM = 0x10 };
enum { LOCK_NA = 1, LOCK_LOCKED = 2 };
enum { TLB_NA = 1, TLB_HIT = 2, TLB_MISS = 4, TLB_L1 = 8, TLB_L2 = 0x10 };
enum { BLOCKED_NA = 1, BLOCKED_DATA = 2, BLOCKED_ADDRESS = 4 };
enum {
    REGION_LOCAL_SHARED = 2, /* LOCAL: the caching agent of this processor; OTHER: another one */
    REGION_LOCAL_OWN = 3,
    REGION_OTHER_IO = 4,
    REGION_OTHER_SHARED = 5,
    REGION_OTHER_OWN = 6,
    REGION_MMIO = 7,
    REGION_MEMORY = 8 /* up to 15: regions 0 to 7 */
};
enum {
    NUM_L1 = 1,
    NUM_L2 = 2,
    NUM_L3 = 3,
    NUM_L4 = 4,
    NUM_L2_MHB = 5, /* the buffer of misses between the second level and the third */
    NUM_MEMORY_SIDE = 6,
    NUM_L0 = 7,
    NUM_ANY_CACHE = 0xb,
    NUM_LFB = 0xc,
    NUM_RAM = 0xd,
    NUM_NA = 0xf
};

#endif

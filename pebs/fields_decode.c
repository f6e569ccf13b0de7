/* SPDX-License-Identifier: MIT */
/*
 * SDM Vol. 3B (253669-081), "PEBS Record Format" (tables for NetBurst, Core, Nehalem, Haswell and Skylake
 * microarchitecture) and "Adaptive PEBS" (tables of the groups).
 */
#include "pebs/fields_decode.h"

#define NO PEBS_FIELD_NONE

/* A row: the place of the field in fixed, adaptive and architectural records. Members that a row omits are 0: the
 * field is a whole word, printed without a remark. */
#define FIELD(key, key_32, there, in, in_32, in_64, in_group, offset, in_arch, at_arch, how, on_line, in_column, ...) \
    {                                                                                                                 \
        .name = key, .name_32 = key_32, .has = PEBS_HAS_##there, .member = offsetof(struct pebs_record, in),          \
        .at_32 = in_32, .at_64 = in_64, .group = PEBS_IN_##in_group, .at = offset,                                    \
        .arch = { .group = ARCH_IN_##in_arch, .at = at_arch }, .print = PEBS_PRINT_##how, .line = on_line,            \
        .column = in_column, .perf = __VA_ARGS__                                                                      \
    }

/* clang-format off */
const struct pebs_field pebs_fields[] = {
    /*    name              32 bits   there with      member          at 32 at 64 group   at    arch      at    printed  line column perf */
    FIELD("ip",             "eip",    GPRS,           ip,             0x04, 0x08, GPRS,   0x08, GPRS,     0x08, PLACE,   1,  4,  8,
          .heading = "register_ip", .word = "rip"),
    FIELD("eventing_ip",    NULL,     EVENTING_IP,    eventing_ip,    NO,   0xb0, BASIC,  0x08, BASIC,    0x00, PLACE,   1,  0, NO),
    FIELD("counters",       NULL,     COUNTERS,       counters,       NO,   0x90, BASIC,  0x10, BASIC,    0x08, HEX,     1,  0, NO),
    FIELD("tsc",            NULL,     TSC,            tsc,            NO,   0xc0, BASIC,  0x18, BASIC,    0x10, TICKS,   1,  1, NO),
    FIELD("format_group",   NULL,     FORMAT_GROUP,   format_group,   NO,   NO,   BASIC,  0x00, HEADER,   0x00, HEX,     2,  0, NO,
          .bits = 32, .word = "format", .says = "groups #"),
    FIELD("retire_latency", NULL,     RETIRE_LATENCY, retire_latency, NO,   NO,   BASIC,  0x00, BASIC,    0x18, DECIMAL, 2, 22, NO,
          .shift = 32, .bits = 16, .arch.bits = 16, .retire_latency = true, .says = "retire latency #"),
    FIELD("fragments",      NULL,     FRAGMENTS,      fragments,      NO,   NO,   NONE,   0x00, NONE,     0x00, DECIMAL, 2,  0, NO),
    FIELD("mode_64",        NULL,     FRAGMENTS,      mode_64,        NO,   NO,   NONE,   0x00, HEADER,   0x00, DECIMAL, 2,  0, NO,
          .arch.shift = 30, .arch.bits = 1, .says = "64-bit mode #"),
    FIELD("size",           NULL,     FORMAT_GROUP,   size,           NO,   NO,   BASIC,  0x00, HEADER,   0x00, DECIMAL, 0,  0, NO,
          .shift = 48, .bits = 16, .arch.bits = 16, .says = "# bytes"),
    FIELD("rax",            "eax",    GPRS,           gpr[PEBS_RAX],  0x08, 0x10, GPRS,   0x10, GPRS,     0x10, HEX,     3,  6,  0),
    FIELD("rbx",            "ebx",    GPRS,           gpr[PEBS_RBX],  0x0c, 0x18, GPRS,   0x28, GPRS,     0x28, HEX,     3,  9,  1),
    FIELD("rcx",            "ecx",    GPRS,           gpr[PEBS_RCX],  0x10, 0x20, GPRS,   0x18, GPRS,     0x18, HEX,     3,  7,  2),
    FIELD("rdx",            "edx",    GPRS,           gpr[PEBS_RDX],  0x14, 0x28, GPRS,   0x20, GPRS,     0x20, HEX,     3,  8,  3),
    FIELD("rsi",            "esi",    GPRS,           gpr[PEBS_RSI],  0x18, 0x30, GPRS,   0x40, GPRS,     0x40, HEX,     4, 12,  4),
    FIELD("rdi",            "edi",    GPRS,           gpr[PEBS_RDI],  0x1c, 0x38, GPRS,   0x48, GPRS,     0x48, HEX,     4, 13,  5),
    FIELD("rbp",            "ebp",    GPRS,           gpr[PEBS_RBP],  0x20, 0x40, GPRS,   0x38, GPRS,     0x38, HEX,     4, 11,  6),
    FIELD("rsp",            "esp",    GPRS,           gpr[PEBS_RSP],  0x24, 0x48, GPRS,   0x30, GPRS,     0x30, HEX,     4, 10,  7),
    FIELD("r8",             NULL,     GPRS,           gpr[8],         NO,   0x50, GPRS,   0x50, GPRS,     0x50, HEX,     5, 14, 16),
    FIELD("r9",             NULL,     GPRS,           gpr[9],         NO,   0x58, GPRS,   0x58, GPRS,     0x58, HEX,     5, 15, 17),
    FIELD("r10",            NULL,     GPRS,           gpr[10],        NO,   0x60, GPRS,   0x60, GPRS,     0x60, HEX,     5, 16, 18),
    FIELD("r11",            NULL,     GPRS,           gpr[11],        NO,   0x68, GPRS,   0x68, GPRS,     0x68, HEX,     5, 17, 19),
    FIELD("r12",            NULL,     GPRS,           gpr[12],        NO,   0x70, GPRS,   0x70, GPRS,     0x70, HEX,     6, 18, 20),
    FIELD("r13",            NULL,     GPRS,           gpr[13],        NO,   0x78, GPRS,   0x78, GPRS,     0x78, HEX,     6, 19, 21),
    FIELD("r14",            NULL,     GPRS,           gpr[14],        NO,   0x80, GPRS,   0x80, GPRS,     0x80, HEX,     6, 20, 22),
    FIELD("r15",            NULL,     GPRS,           gpr[15],        NO,   0x88, GPRS,   0x88, GPRS,     0x88, HEX,     6, 21, 23),
    FIELD("rflags",         "eflags", GPRS,           rflags,         0x00, 0x00, GPRS,   0x00, GPRS,     0x00, HEX,     7,  5,  9),
    FIELD("ssp",            NULL,     SSP,            ssp,            NO,   NO,   NONE,   0x00, GPRS,     0x90, HEX,     7, 24, NO),
    FIELD("data_address",   NULL,     MEMORY,         data_address,   NO,   0x98, MEMORY, 0x00, AUX,      0x00, PLACE,   8,  0, NO),
    FIELD("data_source",    NULL,     SOURCE,         data_source,    NO,   0xa0, MEMORY, 0x08, AUX,      0x28, SOURCE,  8,  3, NO,
          .heading = "level,snoop,tlb,lock"),
    FIELD("latency",        NULL,     SOURCE,         latency,        NO,   0xa8, MEMORY, 0x10, AUX,      0x30, DECIMAL, 8,  2, NO,
          .bits = 32, .arch.bits = 16, .says = "# cycles"),
    FIELD("cache_latency",  NULL,     CACHE_LATENCY,  cache_latency,  NO,   NO,   MEMORY, 0x10, AUX,      0x30, DECIMAL, 8, 23, NO,
          .shift = 32, .bits = 16, .arch.shift = 32, .arch.bits = 16, .cache_latency = true, .says = "the cache's #"),
    FIELD("tsx",            NULL,     TSX,            tsx,            NO,   0xb8, MEMORY, 0x18, AUX,      0x38, HEX,     9,  0, NO),
    FIELD("tsx_cycles",     NULL,     TSX_CYCLES,     tsx_cycles,     NO,   NO,   MEMORY, 0x18, AUX,      0x38, DECIMAL, 9,  0, NO,
          .bits = 32, .arch.bits = 32, .says = "# cycles in the last transaction"),
    FIELD("xer",            NULL,     XER,            xer,            NO,   NO,   NONE,   0x00, XER,      0x00, HEX,     10, 0, NO,
          .says = "XSAVE components"),
    FIELD("lbr_ctl",        NULL,     LER,            lbr_ctl,        NO,   NO,   NONE,   0x00, LBR,      0x08, HEX,     11, 0, NO),
    FIELD("lbr_depth",      NULL,     LER,            lbr_depth,      NO,   NO,   NONE,   0x00, LBR,      0x10, DECIMAL, 11, 0, NO),
    FIELD("ler_from",       NULL,     LER,            ler_from,       NO,   NO,   NONE,   0x00, LBR,      0x18, PLACE,   12, 0, NO),
    FIELD("ler_to",         NULL,     LER,            ler_to,         NO,   NO,   NONE,   0x00, LBR,      0x20, PLACE,   12, 0, NO),
    FIELD("ler_info",       NULL,     LER,            ler_info,       NO,   NO,   NONE,   0x00, LBR,      0x28, HEX,     12, 0, NO),
    FIELD("slots",          NULL,     METRICS,        slots,          NO,   NO,   NONE,   0x00, NONE,     0x00, HEX,     13, 25, NO),
    FIELD("metrics",        NULL,     METRICS,        metrics,        NO,   NO,   NONE,   0x00, NONE,     0x00, HEX,     13, 26, NO),
    { .name = NULL }, /* the end */
};
/* clang-format on */

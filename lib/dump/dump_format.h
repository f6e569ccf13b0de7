/* SPDX-License-Identifier: MIT */
/*
 * The raw dump: frames of one line each, among other lines of a log. Described in docs/dump.md.
 *
 *   # dsdump/1 SEQUENCE KIND KEY=VALUE.. [data=BASE64] crc=HEX8
 *
 * SEQUENCE is a frame's number in its boot, from 0. crc is the CRC-32C (Castagnoli) of the characters from the first
 * "d" to before the blank that precedes "crc=". Every frame of records can be read without other frames.
 */
#ifndef LIB_DUMP_DUMP_FORMAT_H
#define LIB_DUMP_DUMP_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "lbr/lbr_decode.h"
#include "pebs/data_source_decode.h"
#include "pebs/pebs_decode.h"

#define DUMP_MAGIC            "dsdump/"
#define DUMP_VERSION          1u
#define DUMP_PAYLOAD_MAX      5376u  /* bytes, before base64: more than the largest PEBS record can need */
#define DUMP_PAYLOAD_SEVERAL  2816u  /* maximum for a payload of several records: lines up to 4095 characters */
#define DUMP_PAYLOAD_FULL     2700u  /* a payload with this many bytes or more gets no further record */
#define DUMP_RECORDS_MAX      16384u /* records in a frame */
#define DUMP_LINE_SIZE        8192u  /* characters of a frame, NUL included */
#define DUMP_TEST_MAX         64u    /* characters of a test's id */
#define DUMP_DEPTH_MAX        32u    /* entries of an LBR stack */
#define DUMP_BUILD_ID_MAX     20u    /* bytes */
#define DUMP_RECORD_BYTES_MAX 4096u  /* bytes of a PEBS record with all groups, in several fragments */

/* The machine and the kernel of a dump, which each boot in a log starts with. */
struct dump_machine {
    char version[64]; /* of dstest86, with its revision; "" if the dump's start is lost: the other members are then 0 */
    unsigned cpu_width; /* the kernel's width: 32 or 64 */
    uint32_t signature; /* CPUID.1:EAX */
    uint64_t perf_capabilities, misc_enable;
    uint64_t pebs_data_cfg; /* MSR_PEBS_DATA_CFG at the start; each dump_sampling has its own */
    unsigned ds_width;      /* 4 or 8; 0 if there is no debug store */
    bool bts_prediction;    /* bit 4 of BTS flags is defined */
    struct pebs_form pebs;
    enum data_source_encoding data_source;
    unsigned build_id_length;            /* bytes */
    uint8_t build_id[DUMP_BUILD_ID_MAX]; /* build id of the kernel's ELF */
};

/* What PEBS samples on a counter from this frame on. */
struct dump_sampling {
    unsigned cpu, counter;
    bool fixed;      /* a fixed counter: a record's applicable counters have it at bit 32 + counter */
    uint64_t select; /* event select and unit mask, as in IA32_PERFEVTSELx[15:0]; 0 for fixed counters and NetBurst */
    uint64_t period; /* events from one reload to the next overflow */
    uint64_t threshold; /* of load latency, core cycles; 0 for other events */
    uint64_t data_cfg;  /* groups of adaptive records, MSR_PEBS_DATA_CFG */
    const char *name;   /* perf's name of the event, or "" */
};

/*
 * Which latencies the records of a PEBS form have. Frames of older kernels have only the first two values.
 */
enum dump_latencies {
    DUMP_LATENCIES_NEITHER,
    DUMP_LATENCIES_BOTH,
    DUMP_LATENCIES_CACHE,
    DUMP_LATENCIES_RETIRE,
    DUMP_LATENCIES_NO_SOURCE, /* neither, and PEBS_RESERVED_SOURCE */
    DUMP_LATENCIES_NO_MEMORY  /* neither, and PEBS_RESERVED_MEMORY */
};

/* How to read the registers of an LBR stack. */
enum dump_lbr_form {
    DUMP_LBR_PACKED = 64, /* FROM holds both 32-bit addresses */
    DUMP_LBR_ARCH = 65    /* the architectural LBRs */
    /* values below 64 are IA32_PERF_CAPABILITIES[5:0] */
};

/* An LBR stack as the kernel read it. */
struct dump_lbr {
    unsigned depth;
    bool shifts;                     /* architectural LBRs, without a top-of-stack pointer */
    uint64_t tos;                    /* 0 if it shifts */
    const struct lbr_entry *entries; /* `depth` entries, the newest first; unused ones are 0 */
    const uint64_t (*registers)[3];  /* FROM, TO and INFO of each entry as read; 0 if there is no such register */
};

#endif

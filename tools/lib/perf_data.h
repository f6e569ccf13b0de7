/* SPDX-License-Identifier: MIT */
/*
 * Writes the parts of a perf.data file: header, attributes, records and features, for a little-endian host. Pure: the
 * caller passes the buffer. Source: "perf.data format", tools/perf/Documentation/
 * perf.data-file-format.txt of Linux; perf_event_open(2); the numbers of Linux's uapi header linux/perf_event.h.
 */
#ifndef TOOLS_LIB_PERF_DATA_H
#define TOOLS_LIB_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lbr/lbr_decode.h"
#include "pebs/data_source_decode.h"
#include "pebs/pebs_decode.h"

#define PERF_HEADER_SIZE 104u
#define PERF_ATTR_SIZE   112u /* of perf_event_attr, version 5 */

enum perf_type { PERF_TYPE_HARDWARE = 0, PERF_TYPE_SOFTWARE = 1, PERF_TYPE_RAW = 4 };

#define PERF_HW_BRANCH_INSTRUCTIONS 4u
#define PERF_SW_CPU_CLOCK           0u

/* sample_type: the fields of a sample, in this order, except that IDENTIFIER comes first. */
#define PERF_SAMPLE_IP           (UINT64_C(1) << 0)
#define PERF_SAMPLE_TID          (UINT64_C(1) << 1)
#define PERF_SAMPLE_TIME         (UINT64_C(1) << 2)
#define PERF_SAMPLE_ADDR         (UINT64_C(1) << 3)
#define PERF_SAMPLE_CPU          (UINT64_C(1) << 7)
#define PERF_SAMPLE_PERIOD       (UINT64_C(1) << 8)
#define PERF_SAMPLE_BRANCH_STACK (UINT64_C(1) << 11)
#define PERF_SAMPLE_WEIGHT       (UINT64_C(1) << 14)
#define PERF_SAMPLE_DATA_SRC     (UINT64_C(1) << 15)
#define PERF_SAMPLE_IDENTIFIER   (UINT64_C(1) << 16) /* first in a sample */
#define PERF_SAMPLE_REGS_INTR    (UINT64_C(1) << 18)

/* branch_sample_type: branches of all privilege levels and of any kind. */
#define PERF_BRANCH_ANY (UINT64_C(1) << 0 | UINT64_C(1) << 1 | UINT64_C(1) << 3)

/*
 * branch_sample_type: LBR entries count this event. All samples of its group then have a word for each entry, with
 * PERF_COUNTER_WIDTH bits for each event that LBR entries count, in the order of the group.
 */
#define PERF_BRANCH_COUNTERS (UINT64_C(1) << 19)
#define PERF_COUNTER_WIDTH   2u

/* Features of the file, in the order of their sections. */
enum perf_feature {
    PERF_FEATURE_HOSTNAME = 3,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_VERSION = 5,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_NRCPUS = 7,
    PERF_FEATURE_CPUDESC = 8,
    PERF_FEATURE_CPUID = 9,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12,
    PERF_FEATURE_NUMA_TOPOLOGY = 14,
    PERF_FEATURE_BRANCH_STACK = 15,
    PERF_FEATURE_GROUP_DESC = 17,
    PERF_FEATURE_CPU_PMU_CAPS = 28
};

struct perf_section {
    uint64_t offset, size; /* in the file, bytes */
};

/* The attributes that perf would have passed to perf_event_open(). */
struct perf_attr {
    uint32_t type; /* enum perf_type */
    uint64_t config;
    uint64_t period;
    uint64_t sample_type;
    uint64_t regs_intr; /* mask of perf's register numbers */
    uint64_t branch_sample_type;
    unsigned precise; /* precise_ip, 0 to 3 */
};

/* A sample; fields that the attribute's sample_type does not name are ignored. */
struct perf_sample {
    uint64_t id, ip, time, addr, period;
    uint32_t pid, tid, cpu;
    bool exact_ip;
    const struct lbr_entry *branches; /* newest first */
    unsigned branch_count;
    bool branch_counters; /* its event's group has PERF_BRANCH_COUNTERS */
    uint64_t weight, data_source;
    const struct pebs_record *registers; /* all of perf_registers() */
};

#define PERF_SAMPLE_MOST (128u + 32u * 64u + 8u + 8u * 64u) /* bytes of the largest sample */
#define PERF_NAME_MOST   4096u                              /* bytes of a name in a record, NUL included */

/* These functions write to out and return the number of bytes. */
size_t perf_put_header(uint8_t *out, const struct perf_section *attrs, const struct perf_section *data,
                       uint64_t features);
size_t perf_put_attr(uint8_t out[PERF_ATTR_SIZE], const struct perf_attr *attr);
size_t perf_put_comm(uint8_t *out, uint32_t pid, uint32_t tid, const char *name);
size_t perf_put_sample(uint8_t *out, uint64_t sample_type, const struct perf_sample *sample);
size_t perf_put_lost(uint8_t *out, uint64_t id, uint64_t records);

/* A mapping of a part of an ELF in process pid. */
struct perf_map {
    uint32_t pid;
    uint64_t address, size, file_offset;
    bool writable, executable;
    const uint8_t *build_id; /* build_id_length bytes, at most 20; 0: the file has none */
    size_t build_id_length;
    const char *path;
};
size_t perf_put_map(uint8_t *out, const struct perf_map *map);

/* The mask of perf's numbers of the registers that a record has; 0 without the GPR group. */
uint64_t perf_registers(const struct pebs_record *record);

/*
 * perf_mem_data_src of a record. Without PEBS_HAS_MEMORY everything is "not available". Events other than load latency
 * and precise store have no source; then the event implies (Haswell and later) whether it was a load or a store, and
 * whether a store hit L1. select: event select and unit mask, 0 if unknown.
 */
uint64_t perf_data_source(const struct pebs_record *record, enum data_source_encoding encoding, uint64_t select);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a log says, one thing at a time and in its order: the reader of dumps (report/dump_read.h) calls it, and every
 * kind of output is one. A function that is NULL is not called. What is pointed to is valid during the call alone.
 */
#ifndef TOOLS_EVENT_SINK_H
#define TOOLS_EVENT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bts/bts_decode.h"
#include "lbr/lbr_decode.h"
#include "pebs/data_source.h"
#include "pebs/pebs_decode.h"

#define BUILD_ID_MOST 20u /* bytes */

/* The machine and the kernel that a dump comes from. Each boot in a log begins with one. */
struct dump_machine {
    char version[64];   /* of dstest86, with its revision; "" where the dump has lost its beginning: then 0 follows */
    unsigned cpu_width; /* 32 or 64: the kernel's */
    uint32_t signature; /* CPUID.1:EAX */
    uint64_t perf_capabilities, misc_enable;
    uint64_t pebs_data_cfg; /* MSR_PEBS_DATA_CFG at the start; a dump_pebs_event has that of its records */
    unsigned ds_width;      /* 4 or 8; 0 where there is no debug store */
    bool bts_prediction;    /* bit 4 of BTS flags is defined */
    struct pebs_form pebs;
    enum data_source_encoding data_source;
    unsigned build_id_length;        /* bytes */
    uint8_t build_id[BUILD_ID_MOST]; /* of the kernel's ELF */
};

/* What PEBS samples on a counter from here on. */
struct dump_pebs_event {
    unsigned cpu, counter;
    bool fixed;      /* a fixed counter: a record's applicable counters have it at bit 32 + counter */
    uint64_t select; /* event select and unit mask, as in IA32_PERFEVTSELx[15:0]; 0 for fixed counters and NetBurst */
    uint64_t period; /* events from one reload to the next overflow */
    uint64_t threshold; /* of the load latency facility, core cycles; 0 for other events */
    uint64_t data_cfg;  /* the groups of adaptive records, MSR_PEBS_DATA_CFG */
    const char *name;   /* perf's, or "" */
};

/* One LBR stack as it was read. */
struct dump_lbr {
    unsigned depth;
    bool shifts;                     /* architectural LBRs: there is no top of stack */
    uint64_t tos;                    /* 0 where it shifts */
    const struct lbr_entry *entries; /* depth of them, the newest first; unused ones are 0 */
    const uint64_t (*registers)[3];  /* FROM, TO and INFO of each entry as read; unused ones are 0 */
};

/*
 * n: the number of the record within its test and kind, from 0 on, as the kernel's lines have it. cpu: 0 is the one
 * that booted.
 */
struct event_sink {
    void *context;
    void (*machine)(void *context, const struct dump_machine *machine);
    void (*test)(void *context, const char *id); /* the records that follow are this test's */
    void (*pebs_event)(void *context, const struct dump_pebs_event *event);
    void (*bts)(void *context, unsigned cpu, uint64_t n, const struct bts_record *record);
    /* bytes: record->size of them, as the processor wrote them. encoding: how to read this record's data source. */
    void (*pebs)(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding);
    void (*lbr)(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack);
    void (*lost)(void *context, const char *kind, uint64_t records); /* kind: "bts" "pebs" "lbr"; once for each boot */
    void (*line)(void *context, const char *text); /* a line of the log that is no frame, without "# " and line end */
    bool (*end)(void *context);                    /* false: the output could not be written, and that was said */
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A decoded PEBS record and the table of its fields. All code that reads or prints records uses the table: the decoder,
 * the lines of text, and dsdump's rows, bytes and registers. To add a field, add a member here and a row in
 * fields_decode.c. XMM registers and LBR entries are arrays with code of their own, not rows. Pure.
 */
#ifndef PEBS_FIELDS_DECODE_H
#define PEBS_FIELDS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pebs/layout/arch_pebs.h"
#include "pebs/layout/formats.h"
#include "lbr/lbr_decode.h"

/* Bits of `has`: the fields that a record contains. */
#define PEBS_HAS_GPRS           (UINT64_C(1) << 0) /* rflags, ip, gpr */
#define PEBS_HAS_STATUS         (UINT64_C(1) << 1) /* counters: IA32_PERF_GLOBAL_STATUS (formats 1 and 2) */
#define PEBS_HAS_APPLICABLE     (UINT64_C(1) << 2) /* counters: those that caused this record (format 3 and later) */
#define PEBS_HAS_MEMORY         (UINT64_C(1) << 3) /* data_address */
#define PEBS_HAS_EVENTING_IP    (UINT64_C(1) << 4)
#define PEBS_HAS_TSX            (UINT64_C(1) << 5)
#define PEBS_HAS_TSC            (UINT64_C(1) << 6)
#define PEBS_HAS_FORMAT_GROUP   (UINT64_C(1) << 7)
#define PEBS_HAS_RETIRE_LATENCY (UINT64_C(1) << 8)
#define PEBS_HAS_CACHE_LATENCY  (UINT64_C(1) << 9)
#define PEBS_HAS_XMM            (UINT64_C(1) << 10)
#define PEBS_HAS_LBR            (UINT64_C(1) << 11) /* lbr_count, lbr */
#define PEBS_HAS_TSX_CYCLES     (UINT64_C(1) << 12)
#define PEBS_HAS_SSP            (UINT64_C(1) << 13)
#define PEBS_HAS_FRAGMENTS      (UINT64_C(1) << 14) /* fragments, mode_64: of architectural records */
#define PEBS_HAS_XER            (UINT64_C(1) << 15) /* xer: which XSAVE components the record has */
#define PEBS_HAS_YMMH           (UINT64_C(1) << 16)
#define PEBS_HAS_EGPR           (UINT64_C(1) << 17)
#define PEBS_HAS_OPMASK         (UINT64_C(1) << 18)
#define PEBS_HAS_ZMMH           (UINT64_C(1) << 19)
#define PEBS_HAS_H16ZMM         (UINT64_C(1) << 20)
#define PEBS_HAS_LER            (UINT64_C(1) << 21) /* lbr_ctl, lbr_depth, ler: the LBR group's header */
#define PEBS_HAS_COUNTS         (UINT64_C(1) << 22) /* counted, counts: the counters group */
#define PEBS_HAS_METRICS        (UINT64_C(1) << 23) /* slots, metrics */
#define PEBS_HAS_SOURCE         (UINT64_C(1) << 24) /* data_source, latency */
#define PEBS_HAS_COUNTERS       (PEBS_HAS_STATUS | PEBS_HAS_APPLICABLE)

/* Index into gpr: the register number in instructions. */
enum pebs_gpr {
    PEBS_RAX,
    PEBS_RCX,
    PEBS_RDX,
    PEBS_RBX,
    PEBS_RSP,
    PEBS_RBP,
    PEBS_RSI,
    PEBS_RDI,
    PEBS_R8,
    PEBS_R15 = 15
};

#define PEBS_COUNTS_MOST 64u

struct pebs_record {
    unsigned width;  /* 4 or 8, as in struct pebs_form */
    unsigned format; /* IA32_PERF_CAPABILITIES[11:8] */
    uint64_t has;    /* PEBS_HAS_*; all other fields are 0 */
    uint64_t size;   /* bytes of the record */
    uint64_t rflags, ip, gpr[16];
    uint64_t counters;
    uint64_t data_address, data_source;
    uint64_t latency; /* core cycles; of the instruction only, if the record has a cache_latency */
    uint64_t eventing_ip, tsx, tsc;
    uint64_t tsx_cycles; /* core cycles in the last transaction */
    /* MSR_PEBS_DATA_CFG for this record, 0 if its counter was not adaptive; architectural: all fragments' groups */
    uint64_t format_group;
    uint64_t retire_latency, cache_latency; /* core cycles */
    /* of architectural records */
    uint64_t fragments;                  /* with at least one group; excludes null records */
    uint64_t mode_64;                    /* 1: from 64-bit mode */
    uint64_t ssp;                        /* shadow-stack pointer */
    uint64_t xer;                        /* XSAVE components that follow, by XCR0's bits */
    uint64_t lbr_ctl, lbr_depth;         /* IA32_LBR_CTL and _DEPTH */
    uint64_t ler_from, ler_to, ler_info; /* the last event record */
    uint64_t counted;                    /* the counters that have counts, by IA32_PERF_GLOBAL_CTRL's bits */
    uint64_t counts[PEBS_COUNTS_MOST];   /* in the order of those bits */
    uint64_t slots, metrics;             /* fixed counter 3, PERF_METRICS */
    uint64_t egpr[16], opmask[8];        /* R16 to R31; K0 to K7 */
    uint64_t ymmh[16][2], zmmh[16][4];   /* upper halves of YMM0 to YMM15 and ZMM0 to ZMM15, the lowest word first */
    uint64_t h16zmm[16][8];              /* ZMM16 to ZMM31 */
    struct {
        uint64_t low, high;
    } xmm[16];
    unsigned lbr_count;
    struct lbr_entry lbr[PEBS_LBR_MAX]; /* the newest first; no flags and cycles if lbr_format is unknown */
};

/* How a field is printed, and the remark after it. */
enum pebs_print {
    PEBS_PRINT_HEX,
    PEBS_PRINT_DECIMAL,
    PEBS_PRINT_TICKS,  /* hexadecimal in lines, decimal in tables */
    PEBS_PRINT_PLACE,  /* hexadecimal, and the symbol at that address */
    PEBS_PRINT_SOURCE, /* hexadecimal and data_source_words() in lines, the words alone in tables */
};

#define PEBS_FIELD_NONE 0xffu
#define PEBS_IN_NONE    PEBS_FIELD_NONE
#define ARCH_IN_NONE    PEBS_FIELD_NONE
#define ARCH_IN_HEADER  0xfeu /* before the first group */

struct pebs_field {
    const char *name;
    const char *name_32; /* the name in 32-bit records; NULL: they do not have the field */
    uint64_t has;        /* the record has the field if any of these bits is set */
    uint16_t member;     /* offset of a uint64_t in struct pebs_record: pebs_value() */

    /* Where the processor writes it: byte offset in a fixed record, PEBS_FIELD_NONE if the record does not have the
     * field; byte offset in a group of an adaptive record. */
    uint8_t at_32, at_64;
    uint8_t group, at; /* group: enum pebs_group; PEBS_FIELD_NONE if adaptive records do not have it */

    /* The place in an architectural record: enum arch_pebs_group, offset, and the field's bits; bits 0: all. */
    struct {
        uint8_t group, at, shift, bits;
    } arch;

    enum pebs_print print;
    uint8_t line;   /* number of its line in text, from 1, in the order of the rows; 0: not in text */
    uint8_t column; /* column of dsdump --csv after "event", from 1; 0: none */
    uint8_t perf;   /* perf's register number (PERF_SAMPLE_REGS_INTR); PEBS_FIELD_NONE: not a register */

    /* The field's bits in its word of the group; bits 0: all. */
    uint8_t shift, bits;
    bool retire_latency, cache_latency; /* the field exists only if struct pebs_form has this member set */

    const char *heading; /* heading of the column; NULL: the name */
    const char *word;    /* dsdump --raw: the name of the word that starts with this field; NULL: the field's name */
    const char *says;    /* dsdump --raw: remark after the word, with # for the value; NULL: none */
};

/* In the order of the lines of text. A row without a name ends the table. */
extern const struct pebs_field pebs_fields[];

static inline bool pebs_has_field(const struct pebs_record *record, const struct pebs_field *field)
{
    return (record->has & field->has) != 0 && (record->width == 8 || field->name_32 != NULL);
}

static inline uint64_t pebs_value(const struct pebs_record *record, const struct pebs_field *field)
{
    return *(const uint64_t *)(const void *)((const char *)record + field->member);
}

/* The address of the sampled instruction or, from processors whose records lack it, of the next one. */
static inline uint64_t pebs_sampled_ip(const struct pebs_record *record)
{
    return record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip;
}

#endif

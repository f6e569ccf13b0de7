/* SPDX-License-Identifier: MIT */
/*
 * The formats that IA32_PERF_CAPABILITIES enumerates: sizes of the DS area and of PEBS records, formats of LBR entries.
 * Offsets of fields are in the decoders. Pure. SDM Vol. 3B (253669-081), "IA32_PERF_CAPABILITIES", "PEBS Record
 * Format", "Adaptive PEBS", "LBR Stack".
 */
#ifndef PEBS_LAYOUT_FORMATS_H
#define PEBS_LAYOUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a pointer field: 8 if DTES64 is set or IA-32e mode is active, else 4 (SDM Vol. 3B (253669-081), "DS Save
 * Area and IA-32e Mode Operation"). */
#define DS_WIDTH_32 4u
#define DS_WIDTH_64 8u

/* Pointer fields before the counter resets: base, index, absolute maximum, interrupt threshold of BTS, then of PEBS. */
#define DS_AREA_FIELDS 8u

/* The most counter reset slots of any format: 32 general and 16 fixed counters (formats 5 and 6). */
#define DS_RESET_MAX 48u

/*
 * The counter reset slots of the 64-bit area, by PEBS format (IA32_PERF_CAPABILITIES[11:8], 0 to 6). ds_reset_slots()
 * returns their number, 0 for a format with an unknown area. ds_reset_general() and ds_reset_fixed() return the slot of
 * a counter, DS_RESET_MAX if it has none. The 32-bit area has one slot, for general counter 0.
 */
#define DS_FORMAT_LARGEST 6u
unsigned ds_reset_slots(unsigned pebs_format);
unsigned ds_reset_general(unsigned pebs_format, unsigned counter);
unsigned ds_reset_fixed(unsigned pebs_format, unsigned counter);

/* Bytes of the management area including its reserved end; 0 if width or format is unknown. */
size_t ds_area_size(unsigned width, unsigned pebs_format);

/* Fields that a record's format has, but this core does not fill. */
enum pebs_reserved {
    PEBS_RESERVED_NONE,
    PEBS_RESERVED_SOURCE, /* data source, latency and TSX: Goldmont, Goldmont Plus */
    PEBS_RESERVED_MEMORY  /* also the data address: Silvermont, Airmont */
};

/* Errors in a PEBS record. pebs_error_text() returns their text. */
enum pebs_error {
    PEBS_DECODE_OK,
    PEBS_DECODE_TRUNCATED,
    PEBS_DECODE_FORMAT_UNKNOWN,
    /* only in records that contain their own size */
    PEBS_DECODE_SIZE_ZERO,
    PEBS_DECODE_SIZE_SMALL,      /* smaller than the basic group */
    PEBS_DECODE_SIZE_PAST_END,   /* larger than the bytes that remain */
    PEBS_DECODE_GROUPS_UNKNOWN,  /* groups unknown to this decoder */
    PEBS_DECODE_SIZE_DIFFERS,    /* differs from the size of its groups */
    PEBS_DECODE_METRICS_UNKNOWN, /* the counters group has only part of its metrics */
    /* only in architectural PEBS: pebs/layout/arch_pebs.h */
    PEBS_DECODE_HEADER_SMALL, /* a fragment is smaller than its header */
    PEBS_DECODE_LBR_DEPTH,    /* more LBR entries than PEBS_LBR_MAX */
    PEBS_DECODE_NO_BASIC,     /* the first fragment has no basic group */
    PEBS_DECODE_GROUP_AGAIN,  /* two fragments have the same group */
    PEBS_DECODE_UNFINISHED    /* the record continues, but the next fragment is missing */
};

/* The form of a processor's PEBS records. */
struct pebs_form {
    unsigned width;  /* 4 or 8: bytes of a register, and of a pointer field of the DS area */
    unsigned format; /* IA32_PERF_CAPABILITIES[11:8]; 0 if that register does not exist */
    bool adaptive; /* IA32_PERF_CAPABILITIES[14], PEBS baseline: records may have groups in addition to the basic one */
    bool retire_latency; /* IA32_PERF_CAPABILITIES[17]: the basic group has a retire latency */
    bool cache_latency;  /* the memory group separates cache latency from instruction latency: Golden Cove and later */
    unsigned lbr_format; /* IA32_PERF_CAPABILITIES[5:0], the format of INFO in the LBR group */
    enum pebs_reserved reserved;
};

/* Bytes of a record of fixed size (40, 144, 176, 192, 200); 0 if the form is unknown or its records vary in size. */
size_t pebs_record_size(const struct pebs_form *form);

/* Whether this form's records consist of groups: formats 4 to 6. */
bool pebs_form_has_groups(const struct pebs_form *form);

/* MSR_PEBS_DATA_CFG, whose lower half is also the format group of an adaptive record. */
#define PEBS_GROUP_MEMORY         (UINT64_C(1) << 0)
#define PEBS_GROUP_GPRS           (UINT64_C(1) << 1)
#define PEBS_GROUP_XMM            (UINT64_C(1) << 2)
#define PEBS_GROUP_LBR            (UINT64_C(1) << 3)
#define PEBS_GROUP_COUNTERS       (UINT64_C(1) << 4) /* format 6: the counters of the two bitmaps below */
#define PEBS_GROUP_METRICS        (UINT64_C(1) << 5) /* format 6: fixed counter 3 and PERF_METRICS */
#define PEBS_GROUP_LBR_LAST_SHIFT 24                 /* the number of LBR entries minus one */
#define PEBS_GROUP_GENERAL_SHIFT  32                 /* a bitmap of 16 general counters */
#define PEBS_GROUP_FIXED_SHIFT    48                 /* a bitmap of 8 fixed counters */

#define PEBS_LBR_MAX 32u /* entries of the deepest stack */

/* Entries of the LBR group with this value of MSR_PEBS_DATA_CFG: 0 to PEBS_LBR_MAX. */
unsigned pebs_lbr_entries(uint64_t data_cfg);

/*
 * The groups in their order in a record; the basic group is always present. Source of the counters group: Linux 6.15,
 * arch/x86/include/asm/perf_event.h, struct pebs_cntr_header, and arch/x86/events/intel/ds.c, which reads it.
 */
enum pebs_group {
    PEBS_IN_BASIC,
    PEBS_IN_MEMORY,
    PEBS_IN_GPRS,
    PEBS_IN_XMM,
    PEBS_IN_LBR,
    PEBS_IN_COUNTERS,
    PEBS_GROUPS
};

#define PEBS_BASIC_BYTES    32u
#define PEBS_LBR_BYTES      24u /* of one entry */
#define PEBS_COUNTERS_BYTES 16u /* header of the counters group, which lists its values */

/* Whether this form's records can have the counters group. */
bool pebs_form_has_counters(const struct pebs_form *form);

/*
 * Bytes of a counters group with these counters (general ones in bits 31:0, fixed ones in 63:32). metrics: it also has
 * fixed counter 3 and PERF_METRICS, and the third doubleword of its header is PEBS_COUNTERS_METRICS instead of 0.
 */
#define PEBS_COUNTERS_METRICS 3u
size_t pebs_counters_size(uint64_t counters, bool metrics);

/* Byte offset of a group with this value of MSR_PEBS_DATA_CFG; SIZE_MAX if it has no such group. */
size_t pebs_group_at(uint64_t data_cfg, enum pebs_group group);

/*
 * Bytes of an adaptive record with this value of MSR_PEBS_DATA_CFG: 32 to 1456; 0 if a bit is unknown. Known bits:
 * [5:0], the groups; [28:24], the number of LBR entries minus one (at most PEBS_LBR_MAX entries); [47:32], general
 * counters; [55:48], fixed ones. pebs_form_has_counters() tells whether the processor has the groups of [5:4].
 */
size_t pebs_adaptive_size(uint64_t data_cfg);

/* LBR formats: IA32_PERF_CAPABILITIES[5:0] */
#define PERF_CAP_LBR_FORMAT UINT64_C(0x3f)

#define LBR_FORMAT_32        0u    /* 32-bit addresses */
#define LBR_FORMAT_LIP       1u    /* 64-bit linear addresses */
#define LBR_FORMAT_EIP       2u    /* 64-bit effective addresses */
#define LBR_FORMAT_FLAGS     3u    /* mispredict in FROM */
#define LBR_FORMAT_FLAGS_TSX 4u    /* like LBR_FORMAT_FLAGS, and TSX in FROM */
#define LBR_FORMAT_INFO      5u    /* flags and cycles in INFO */
#define LBR_FORMAT_TIME      6u    /* mispredict in FROM, cycles in TO */
#define LBR_FORMAT_INFO2     7u    /* like INFO, without TSX */
#define LBR_FORMAT_ARCH      0x3fu /* architectural LBRs: CPUID.1CH lists their fields */

/* Returns whether entries of this format can be decoded from their registers without CPUID.1CH. */
bool lbr_format_known(unsigned lbr_format);

/* The table for the data source field of this processor's records. The numbers are in dumps: never change one. */
enum data_source_encoding {
    DATA_SOURCE_UNKNOWN, /* every field prints as "N/A" */
    DATA_SOURCE_NEHALEM, /* bits 3:0 only */
    DATA_SOURCE_GENERIC, /* Sandy Bridge and later: bit 4 STLB miss, bit 5 locked */
    DATA_SOURCE_SKYLAKE, /* the generic encoding with Skylake's remote and L4 codes */
    DATA_SOURCE_STORE,   /* precise store of Sandy Bridge: bit 0 L1 hit, bit 4 STLB miss, bit 5 locked */
    DATA_SOURCE_GRACEMONT,
    DATA_SOURCE_CRESTMONT,    /* also Skymont and Darkmont */
    DATA_SOURCE_LION_COVE,    /* also Cougar Cove */
    DATA_SOURCE_PANTHER_COVE, /* also Coyote Cove */
    DATA_SOURCE_ARCTIC_WOLF,
    DATA_SOURCE_GOLDEN_COVE, /* Skylake's, and what blocked the load: bit 6 the data, bit 7 the address */
    DATA_SOURCE_WESTMERE,    /* Nehalem's codes; bit 4 STLB miss, bit 5 locked */
    DATA_SOURCE_ENCODINGS    /* the number of encodings */
};

#endif

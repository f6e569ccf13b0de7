/* SPDX-License-Identifier: MIT */
/*
 * Checks a description of the DS save area against the manual's restrictions, and lists every breach. Pure. SDM Vol. 3A
 * (253668-032), "Setting Up the DS Save Area", 16.4.9.2, and "Setting Up the BTS Buffer", 16.4.9.3.
 *
 * Architectural PEBS has its own restrictions: two registers describe its physical buffer instead of a management area.
 */
#ifndef DS_DS_CHECK_H
#define DS_DS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ds/ds_area.h"

/* A page according to the paging structures, all levels combined. */
struct ds_page {
    bool writable, user, accessed, dirty;
    bool code;         /* instructions may be fetched from it */
    bool write_back;   /* memory type WB */
    uint64_t physical; /* physical address of the requested linear one */
};

enum ds_gate { DS_GATE_ABSENT, DS_GATE_INTERRUPT, DS_GATE_TRAP, DS_GATE_OTHER };

/* The state that the restrictions mention. Addresses are linear. */
struct ds_description {
    uint64_t area_base;   /* IA32_DS_AREA */
    size_t area_size;     /* bytes of the management area: ds_area_size() */
    unsigned width;       /* bytes of a pointer field: DS_WIDTH_32 or DS_WIDTH_64 */
    struct ds_area area;  /* contents of the area */
    unsigned linear_bits; /* canonical addresses: 48 or 57 in IA-32e mode; 32 outside it */

    bool bts, pebs;            /* which will be enabled; the check ignores the fields of a facility that is false */
    bool bts_circular;         /* DEBUGCTL.BTINT is clear */
    unsigned bts_record_size;  /* bytes */
    unsigned pebs_record_size; /* bytes */

    bool a20m_prevented; /* the machine cannot enter A20M mode */
    bool apic_enabled;
    uint32_t lvt_performance; /* the local APIC's register at offset 340h */
    enum ds_gate gate;        /* type of the IDT entry that this register's vector selects */

    /* Fills *page and returns true if the page of this address is present. */
    bool (*page)(void *context, uint64_t linear, struct ds_page *page);
    void *context;
};

/* The state that the restrictions of architectural PEBS mention. */
struct arch_description {
    uint64_t base, index; /* IA32_PEBS_BASE, IA32_PEBS_INDEX */
    uint64_t cfg_c;       /* bits 63:32 of the counters' CFG_C */
    uint64_t permitted;   /* bits of cfg_c that may be set: struct caps, pebs_cfg_c */
    unsigned physical_bits;
    size_t record_size; /* bytes of an unfragmented record */

    uint64_t linear; /* where this program reads the buffer */
    /* Fills *page and returns true if the page of this linear address is present. */
    bool (*page)(void *context, uint64_t linear, struct ds_page *page);
    void *context;

    bool apic_enabled;
    uint32_t lvt_performance;
    enum ds_gate gate;
};

/* Citations of the restrictions. */
#define DS_SAYS_SETTING_UP_DS   "SDM Vol. 3A (253668-032), \"Setting Up the DS Save Area\", 16.4.9.2"
#define DS_SAYS_SETTING_UP_BTS  "SDM Vol. 3A (253668-032), \"Setting Up the BTS Buffer\", 16.4.9.3"
#define DS_SAYS_MANAGEMENT_AREA "SDM Vol. 3A (253668-032), \"BTS and DS Save Area\", 16.4.9"
#define DS_SAYS_IA32E_OPERATION "SDM Vol. 3A (253668-032), \"DS Save Area and IA-32e Mode Operation\", 16.4.9.1"

#define DS_SAYS_ARCH_PEBS                                                                                       \
    "Intel Architecture Instruction Set Extensions Programming Reference (319433), chapter 11 \"Architectural " \
    "PEBS\""
#define DS_SAYS_ARCH_LINUX "Linux, commit 52448a0a7390, arch/x86/events/intel/ds.c, the buffer of architectural PEBS"
#define DS_SAYS_ARCH_OWN   "docs/output.md, \"arch.*\": what the kernel requires of the buffer's pages"

/* Breaches of the DS area's restrictions, then of architectural PEBS's. */
enum ds_breach_id {
#define RULE(id, name, weight, sentence, citation) DS_BREACH_##id,
#include "ds/ds_check.inc"
#include "ds/arch_check.inc"
#undef RULE
    DS_BREACH_COUNT
};

struct ds_breach {
    enum ds_breach_id id;
    const char *field; /* the field that breaks the rule, "bts.threshold"; a static string */
    uint64_t value;    /* the field's value; for rules on pages the linear address of the first page that breaks it */
};

#define DS_BREACH_LIST 32u

struct ds_breaches {
    uint64_t set;                          /* bit 1 << id of every breach found, even if item is full */
    unsigned count;                        /* entries in item; a rule on pages has one for each section */
    struct ds_breach item[DS_BREACH_LIST]; /* in the order of the check; those that do not fit are dropped */
};

/*
 * Fills *out and returns the number of breaches of the manual's demands. Breaches of its advice (see
 * ds_breach_is_advice) are listed, but not counted. In each section, the check stops at the first page that is not
 * present. It cannot check that all address spaces map the pages identically.
 */
unsigned ds_check(const struct ds_description *description, struct ds_breaches *out);

/* Size in bytes of the buffer that this value of IA32_PEBS_BASE describes. */
uint64_t arch_buffer_bytes(uint64_t base);

/* As ds_check(), for architectural PEBS. */
unsigned arch_check(const struct arch_description *description, struct ds_breaches *out);

bool ds_breach_is_advice(enum ds_breach_id id);
const char *ds_breach_name(enum ds_breach_id id);     /* a name for scripts: "threshold_grid" */
const char *ds_breach_sentence(enum ds_breach_id id); /* text to follow field and value: "is not base + k * record" */
const char *ds_breach_citation(enum ds_breach_id id); /* the manual's section: one of DS_SAYS_* */

#endif

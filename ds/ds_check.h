/* SPDX-License-Identifier: MIT */
/*
 * The manual's restrictions on the DS save area as one check: a description in, every breach of it out. Pure.
 * SDM Vol. 3A (253668-032), "Setting Up the DS Save Area", 16.4.9.2, and "Setting Up the BTS Buffer", 16.4.9.3.
 */
#ifndef DS_DS_CHECK_H
#define DS_DS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ds/ds_area.h"

/* What the paging structures say of one page, all levels taken together. */
struct ds_page {
    bool writable, user, accessed, dirty;
    bool code;         /* instructions may be fetched from it */
    bool write_back;   /* memory type WB */
    uint64_t physical; /* of the address that was asked for */
};

enum ds_gate { DS_GATE_ABSENT, DS_GATE_INTERRUPT, DS_GATE_TRAP, DS_GATE_OTHER };

/* All that the restrictions speak of. Addresses are linear. */
struct ds_description {
    uint64_t area_base;   /* IA32_DS_AREA */
    size_t area_size;     /* bytes of the management area: ds_area_size() */
    unsigned width;       /* bytes of a pointer field: DS_WIDTH_32 or DS_WIDTH_64 */
    struct ds_area area;  /* its values */
    unsigned linear_bits; /* canonical addresses: 48 or 57 in IA-32e mode; 32 outside it */

    bool bts, pebs;            /* which of the two is going to be enabled; the other's fields are not looked at */
    bool bts_circular;         /* DEBUGCTL.BTINT is clear */
    unsigned bts_record_size;  /* bytes */
    unsigned pebs_record_size; /* bytes */

    bool a20m_prevented; /* the machine cannot enter A20M mode */
    bool apic_enabled;
    uint32_t lvt_performance; /* the local APIC's register at offset 340h */
    enum ds_gate gate;        /* type of the IDT entry that this register's vector selects */

    /* Fills *page and returns true where the page that holds this address is present. */
    bool (*page)(void *context, uint64_t linear, struct ds_page *page);
    void *context;
};

/* Where the manual has them. */
#define DS_SAYS_SETTING_UP_DS   "SDM Vol. 3A (253668-032), \"Setting Up the DS Save Area\", 16.4.9.2"
#define DS_SAYS_SETTING_UP_BTS  "SDM Vol. 3A (253668-032), \"Setting Up the BTS Buffer\", 16.4.9.3"
#define DS_SAYS_MANAGEMENT_AREA "SDM Vol. 3A (253668-032), \"BTS and DS Save Area\", 16.4.9"
#define DS_SAYS_IA32E_OPERATION "SDM Vol. 3A (253668-032), \"DS Save Area and IA-32e Mode Operation\", 16.4.9.1"

enum ds_breach_id {
#define RULE(id, name, weight, sentence, citation) DS_BREACH_##id,
#include "ds/ds_check.inc"
#undef RULE
    DS_BREACH_COUNT
};

struct ds_breach {
    enum ds_breach_id id;
    const char *field; /* "bts.threshold": what breaks the rule; a static string */
    uint64_t value;    /* its value; for a rule on pages the linear address of the first page that breaks it */
};

#define DS_BREACH_LIST 32u

struct ds_breaches {
    uint64_t set;                          /* bit 1 << id of every breach found, never cut short */
    unsigned count;                        /* entries of item; a rule on pages gives one for each section */
    struct ds_breach item[DS_BREACH_LIST]; /* in the order of the check; more than fit are left out */
};

/*
 * Fills *out and returns how many breaches of what the manual demands there are; what it merely recommends (see
 * ds_breach_is_advice) is listed, but not counted. The walk over the pages of a section ends at its first page that
 * is not present. What a description cannot show is not checked: that all address spaces map the pages alike.
 */
unsigned ds_check(const struct ds_description *description, struct ds_breaches *out);

bool ds_breach_is_advice(enum ds_breach_id id);
const char *ds_breach_name(enum ds_breach_id id);     /* "threshold_grid": for scripts */
const char *ds_breach_sentence(enum ds_breach_id id); /* "is not base + k * record": follows field and value */
const char *ds_breach_citation(enum ds_breach_id id); /* where the manual says so: one of DS_SAYS_* */

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Precise events of the NetBurst microarchitecture, and the register writes to sample an event. Pure.
 *
 * The NetBurst counter that supports PEBS counts tagged micro-operations as they retire. An event's kind says what sets
 * the tag: the front end, the execution unit, or the replay mechanism.
 * SDM Vol. 3B (253669-059), "Performance Monitoring (Processors Based on Intel NetBurst Microarchitecture)",
 * 18.15, and tables 19-29 to 19-33.
 */
#ifndef CPU_NETBURST_EVENTS_H
#define CPU_NETBURST_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum netburst_kind { NETBURST_FRONT_END, NETBURST_EXECUTION, NETBURST_REPLAY };

struct netburst_event {
    const char *name; /* the metric's name in tables 19-31 to 19-33, and in pebs_events_netburst */
    enum netburst_kind kind;
    uint32_t escr;   /* the upstream ESCR that sets the tag, or that a replay metric needs in addition; 0: none */
    uint8_t event;   /* event select of that ESCR */
    uint16_t mask;   /* event mask of that ESCR */
    uint32_t metric; /* replay: bits of MSR_PEBS_ENABLE that select the event that causes the replay */
    uint32_t matrix; /* replay: bits of MSR_PEBS_MATRIX_VERT that select loads, stores or both */
};

/* All NetBurst events, in the manual's order. */
extern const struct netburst_event netburst_events[];
extern const size_t netburst_event_count;

/* Finds an event by name; NULL if there is none. */
const struct netburst_event *netburst_event_find(const char *name);

/* The name of the MSR_CRU_ESCR2 event that counts the tagged uops of this kind: "front_end_event". */
const char *netburst_kind_text(enum netburst_kind kind);

struct netburst_write {
    uint32_t msr;
    uint64_t value;
};
#define NETBURST_WRITES 10u

struct netburst_setup {
    const struct netburst_event *event;
    bool os, usr;    /* count at CPL 0; count at CPL 1 to 3 */
    bool sample;     /* false: only count, write no records */
    uint64_t period; /* events until the overflow: MSR_IQ_COUNTER4 starts at -period, modulo 2^40 */
};

/*
 * Fills writes in the order in which the registers must be written, and returns their number. After these writes the
 * event is set up but not counting. To start, write netburst_cccr(true) to MSR_IQ_CCCR4: it adds the enable flag.
 */
size_t netburst_writes(const struct netburst_setup *setup, struct netburst_write writes[NETBURST_WRITES]);

/* The value of MSR_IQ_CCCR4 for an event that is set up: counting or not, with the overflow flag clear. */
uint64_t netburst_cccr(bool counting);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Precise events of the NetBurst microarchitecture, and the register writes that sample one of them. Pure.
 *
 * A NetBurst counter that can do PEBS counts micro-operations that carry a tag when they retire. Who ties the tag to
 * them is the event's kind: the front end, the execution unit, or the replay mechanism.
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
    uint32_t escr;   /* the upstream ESCR that ties the tag, or that a replay metric wants besides; 0: none */
    uint8_t event;   /* its event select */
    uint16_t mask;   /* its event mask */
    uint32_t metric; /* replay: bits of MSR_PEBS_ENABLE that say which event replays */
    uint32_t matrix; /* replay: bits of MSR_PEBS_MATRIX_VERT that say which uops may */
};

/* All of them, in the manual's order. */
extern const struct netburst_event netburst_events[];
extern const size_t netburst_event_count;

/* NULL where no event has this name. */
const struct netburst_event *netburst_event_find(const char *name);

/* "front_end_event": the event of CRU_ESCR2 that counts them as they retire. */
const char *netburst_kind_text(enum netburst_kind kind);

struct netburst_write {
    uint32_t msr;
    uint64_t value;
};
#define NETBURST_WRITES 10u

struct netburst_setup {
    const struct netburst_event *event;
    bool os, usr;    /* the privilege levels that are counted: 0, and 1 to 3 */
    bool sample;     /* false: count only, nothing is recorded */
    uint64_t period; /* events until the overflow: MSR_IQ_COUNTER4 starts at -period, modulo 2^40 */
};

/*
 * Fills writes, in the order in which the registers must be written, and returns how many there are. Behind the last
 * one all is set up and nothing counts: MSR_IQ_CCCR4 lacks its enable flag, which netburst_cccr(true) has.
 */
size_t netburst_writes(const struct netburst_setup *setup, struct netburst_write writes[NETBURST_WRITES]);

/* MSR_IQ_CCCR4 as it is while an event is set up: counting or not, the overflow flag clear. */
uint64_t netburst_cccr(bool counting);

#endif

/* SPDX-License-Identifier: MIT */
/* Which event a PEBS record is a sample of, from what a dump announced. */
#ifndef TOOLS_LIB_SAMPLED_EVENTS_H
#define TOOLS_LIB_SAMPLED_EVENTS_H

#include "tools/lib/event_sink.h"

#define SAMPLED_EVENTS_MOST 256u /* counters of all processors together */

struct sampled_event {
    struct dump_pebs_event event; /* its name is the one below */
    char name[64];                /* perf's; "rUUEE" by unit mask and event select where perf has none */
};

/* Empty when all of it is zero. What is announced beyond SAMPLED_EVENTS_MOST is forgotten. */
struct sampled_events {
    struct sampled_event rows[SAMPLED_EVENTS_MOST];
    unsigned count;
};

void sampled_events_announce(struct sampled_events *events, const struct dump_pebs_event *event);

/*
 * The next event that the record belongs to, behind `last`, NULL for the first of them. A record that says nothing of
 * its counters belongs to the processor's first event. NULL: there is none (more).
 */
const struct sampled_event *sampled_events_of(const struct sampled_events *events, unsigned cpu,
                                              const struct pebs_record *record, const struct sampled_event *last);

/* For the records of which nothing was announced. */
extern const struct sampled_event sampled_event_unknown;

#endif

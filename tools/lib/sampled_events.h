/* SPDX-License-Identifier: MIT */
/* Finds the event that a PEBS record is a sample of, from the dump's announcements. */
#ifndef TOOLS_LIB_SAMPLED_EVENTS_H
#define TOOLS_LIB_SAMPLED_EVENTS_H

#include "lib/dump/reader/record_sink.h"

#define SAMPLED_EVENTS_MOST 256u /* counters, of all processors together */

struct sampled_event {
    struct dump_sampling event; /* its name points to `name` below */
    char name[64];              /* perf's name, else "rUUEE" with unit mask and event select */
};

/* The announcements; all zero is empty. Beyond SAMPLED_EVENTS_MOST, announcements are ignored. */
struct sampled_events {
    struct sampled_event rows[SAMPLED_EVENTS_MOST];
    unsigned count;
};

/* A record_sink's sampling(). events: a struct sampled_events, with which the sink's context begins. */
void sampled_events_announce(void *events, const struct dump_sampling *event);

/*
 * The next event after `last` that the record belongs to (last NULL: the first one). A record without applicable
 * counters belongs to the processor's first event. NULL: no event, or no further one.
 */
const struct sampled_event *sampled_events_of(const struct sampled_events *events, unsigned cpu,
                                              const struct pebs_record *record, const struct sampled_event *last);

/* For records without an announced event. */
extern const struct sampled_event sampled_event_unknown;

#endif

/* SPDX-License-Identifier: MIT */
#include "tools/lib/sampled_events.h"

#include <stdio.h>

const struct sampled_event sampled_event_unknown = { .name = "pebs" };

static bool same_counter(const struct dump_sampling *a, const struct dump_sampling *b)
{
    return a->cpu == b->cpu && a->counter == b->counter && a->fixed == b->fixed;
}

void sampled_events_announce(void *context, const struct dump_sampling *event)
{
    struct sampled_events *events = context;
    unsigned i = 0;

    while (i < events->count && !same_counter(&events->rows[i].event, event))
        i++;
    if (i == SAMPLED_EVENTS_MOST)
        return;
    if (i == events->count)
        events->count++;
    struct sampled_event *row = &events->rows[i];
    row->event = *event;
    if (event->name != NULL && event->name[0] != '\0')
        snprintf(row->name, sizeof(row->name), "%s", event->name);
    else if (event->select != 0)
        snprintf(row->name, sizeof(row->name), "r%04x", (unsigned)(event->select & 0xffff));
    else
        snprintf(row->name, sizeof(row->name), "%s%u", event->fixed ? "fixed" : "counter", event->counter);
    row->event.name = row->name;
}

static bool belongs(const struct dump_sampling *event, const struct pebs_record *record)
{
    unsigned bit = event->counter + (event->fixed ? 32u : 0u);

    return !(record->has & PEBS_HAS_COUNTERS) || (bit < 64 && (record->counters >> bit & 1));
}

const struct sampled_event *sampled_events_of(const struct sampled_events *events, unsigned cpu,
                                              const struct pebs_record *record, const struct sampled_event *last)
{
    const struct sampled_event *row = last == NULL ? events->rows : last + 1;

    if (last != NULL && !(record->has & PEBS_HAS_COUNTERS))
        return NULL;
    for (; row < events->rows + events->count; row++)
        if (row->event.cpu == cpu && belongs(&row->event, record))
            return row;
    return NULL;
}

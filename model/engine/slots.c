/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/slots.h"

enum event_kind slots_kind(const struct vcpu *v, struct counter *c, enum event_kind kind)
{
    const unsigned width = slots_width(v), other = width - v->ipc;

    c->cycles = kind == EVENT_CYCLES;
    c->each = 1;
    c->parts = 1;
    c->more = 0;
    c->account = ACCOUNT_ALL;
    c->scaled = false;
    switch (kind) {
    case EVENT_CYCLES:
    case EVENT_SLOTS:
        c->each = kind == EVENT_SLOTS ? width : 1;
        break;
    case EVENT_FRONTEND_SLOTS:
        c->account = ACCOUNT_FRONTEND;
        c->each = other;
        break;
    case EVENT_ISSUED_SLOTS:
        c->account = ACCOUNT_ISSUED;
        c->each = v->ipc;
        c->more = other;
        break;
    case EVENT_BAD_SLOTS:
    case EVENT_BACKEND_SLOTS:
        c->each = other;
        break;
    default:
        return kind;
    }
    c->parts = v->ipc;
    c->scaled = c->each != c->parts || c->account != ACCOUNT_ALL;
    if (c->each == 0)
        return EVENT_NONE;
    return kind == EVENT_BAD_SLOTS       ? EVENT_MISPREDICTED
           : kind == EVENT_BACKEND_SLOTS ? EVENT_STALLED
                                         : EVENT_INSTRUCTIONS;
}

uint64_t slots_events(struct counter *c, uint64_t events, uint64_t bad, uint64_t stalled)
{
    const uint64_t counted = c->account == ACCOUNT_FRONTEND ? events - bad - stalled : events;
    const uint64_t sum = c->rest + counted * c->each + (c->account == ACCOUNT_ISSUED ? bad * c->more : 0);

    c->rest = (unsigned)(sum % c->parts);
    return sum / c->parts;
}

uint64_t slots_until(const struct counter *c, uint64_t events)
{
    const uint64_t most = c->each + c->more;

    return (events * c->parts - c->rest + most - 1) / most;
}

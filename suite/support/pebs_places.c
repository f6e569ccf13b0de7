/* SPDX-License-Identifier: MIT */
#include "suite/support/pebs_places.h"

#include <inttypes.h>

/* Bytes of the instructions that close the window, at most. */
#define CLOSING 32u

#define CHASE_STEPS (WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS)

unsigned pebs_typical(const struct caps *caps, const struct pebs_sample *s, unsigned events)
{
    return events / pebs_sample_spacing(caps, s);
}

void pebs_plan(struct test_run *run, unsigned typical)
{
    test_plan_typical(run, (typical + 1) / 2, typical, typical);
}

void pebs_check_count(struct test_run *run, unsigned came, unsigned typical)
{
    if (came > typical || came < (typical + 1) / 2)
        test_fail(run, "%u records written, must be %u to %u", came, (typical + 1) / 2, typical);
    else if (came != typical)
        test_differs(run, "%u records written, typically %u", came, typical);
}

/* Returns whether a record has the address of the instruction itself, not only of the one after it. */
static bool tells_itself(const struct test_run *run, const struct pebs_record *record)
{
    return record->has & PEBS_HAS_EVENTING_IP || !run->caps->pebs_trap_like;
}

const struct access *pebs_access(const struct test_run *run, const struct workload *workload,
                                 const struct pebs_record *record)
{
    for (uint64_t i = 0; i < workload->access_count; i++) {
        const struct access *a = &workload->accesses[i];
        if (pebs_sampled_ip(record) == (tells_itself(run, record) ? a->ip : a->next_ip))
            return a;
    }
    return NULL;
}

/* The taken branch of these kinds that a record describes; NULL if there is none. */
static const struct branch *taken(const struct test_run *run, const struct workload *workload, uint64_t kinds,
                                  const struct pebs_record *record)
{
    for (uint64_t i = 0; i < workload->branch_count; i++) {
        const struct branch *b = &workload->branches[i];
        if (!(b->kind & kinds) || pebs_sampled_ip(record) != (tells_itself(run, record) ? b->from : b->to))
            continue;
        if (!(record->has & PEBS_HAS_EVENTING_IP) || !(record->has & PEBS_HAS_GPRS) || record->ip == b->to)
            return b; /* a RET has several targets */
    }
    return NULL;
}

const struct branch *pebs_check_branch(struct test_run *run, const struct workload *workload, uint64_t kinds,
                                       unsigned n, const struct pebs_record *record)
{
    const struct branch *branch = taken(run, workload, kinds, record);
    const uint64_t end = workload->branches[0].from, behind = end + WORKLOAD_LOOP_BACK;
    const bool user = workload == &workload_user_loop, loop = user || workload == &workload_long_loop;
    const bool ends = loop && pebs_sampled_ip(record) == (tells_itself(run, record) ? end : behind);
    const bool leaves =
        user && record->has & PEBS_HAS_EVENTING_IP && pebs_sampled_ip(record) == behind; /* INT is a branch, too */

    if (!branch && !ends && !leaves)
        test_fail(run, "PEBS record %u, IP 0x%" PRIx64 ", describes no branch of its kind", n, record->ip);
    return branch;
}

/* The number of instructions of the long loop before the one at ip, with this value in RCX. */
static bool loop_instructions(const struct workload *workload, uint64_t ip, uint64_t rcx, unsigned *count)
{
    const struct branch *back = workload->branches;
    const uint64_t rounds = back->repeat + 1;

    if (rcx > rounds)
        return false;
    if (ip == back->to)
        *count = (unsigned)(1 + 2 * (rounds - rcx));
    else if (ip == back->from)
        *count = (unsigned)(2 * (rounds - rcx));
    else if (ip == workload->limit)
        *count = (unsigned)workload->instructions;
    else
        return false;
    return true;
}

/* For events of instructions: how many instructions came before the event's own. */
static bool instruction_number(const struct test_run *run, const struct workload *workload,
                               const struct pebs_record *record, unsigned *number)
{
    const uint64_t offset = record->ip - workload->start;
    unsigned before;

    if (workload == &workload_long_loop) {
        if (!loop_instructions(workload, record->ip, record->gpr[PEBS_RCX], &before))
            return false;
    } else {
        if (record->ip > workload->limit || offset % WORKLOAD_STRAIGHT_STEP)
            return false;
        before = (unsigned)offset / WORKLOAD_STRAIGHT_STEP;
    }
    if (run->caps->pebs_trap_like && before-- == 0)
        return false;
    *number = before;
    return before < workload->instructions;
}

bool pebs_event_number(const struct test_run *run, const struct pebs_sample *s, const struct pebs_record *record,
                       unsigned *number)
{
    const struct access *access;

    if (pebs_of_instructions(s))
        return instruction_number(run, s->workload, record, number);
    if (s->event->role == PEBS_ROLE_BRANCHES) { /* of the chase: it decrements RCX before its branch */
        *number = (unsigned)(CHASE_STEPS - 1 - record->gpr[PEBS_RCX]);
        return pebs_sampled_ip(record) == s->workload->branches[0].from && *number < CHASE_STEPS;
    }
    access = pebs_access(run, s->workload, record);
    if (!access)
        return false;
    *number = s->workload == &workload_chase ? (unsigned)(CHASE_STEPS - record->gpr[PEBS_RCX])
                                             : (unsigned)(access - s->workload->accesses);
    return *number < pebs_events_of_round(s);
}

bool pebs_is_closing(const struct pebs_sample *s, const struct pebs_record *record)
{
    return pebs_of_instructions(s) && record->ip > s->workload->limit && record->ip <= s->workload->limit + CLOSING;
}

void pebs_check_numbers(struct test_run *run, const struct pebs_sample *s, unsigned first)
{
    const unsigned spacing = pebs_sample_spacing(run->caps, s);
    const bool precise = pebs_is_precise(run->caps, s);
    unsigned due = first, number;
    bool typical = true;
    struct pebs_record record;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        /* The instruction that opens the window may count, too. */
        const unsigned least = n == 0 && pebs_of_instructions(s) && due ? due - 1 : due;
        if (pebs_is_closing(s, &record))
            continue;
        if (!pebs_event_number(run, s, &record, &number)) {
            test_fail(run, "PEBS record %u, IP 0x%" PRIx64 ", describes no event of the workload", n, record.ip);
            return;
        }
        if (s->rounds > 1) /* the round is unknown */
            while (number < least)
                number += pebs_events_of_round(s);
        if (number < least)
            test_fail(run, "PEBS record %u describes event %u, must be %u or later", n, number, due);
        else if (number >= due + spacing)
            test_fail(run, "PEBS record %u describes event %u: the record of about event %u is missing", n, number,
                      due);
        else if (number > due && precise)
            test_fail(run, "PEBS record %u describes event %u, must be %u", n, number, due);
        else if (number > due && typical) {
            test_differs(run, "PEBS record %u describes event %u, typically %u", n, number, due);
            typical = false;
        }
        due = number + spacing;
    }
}

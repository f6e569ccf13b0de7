/* SPDX-License-Identifier: MIT */
#include "suite/support/pebs_compare.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/processor_number.h"
#include "arch/x86/string.h"
#include "lib/bytes.h"
#include "pebs/layout/arch_pebs.h"
#include "suite/support/code.h"
#include "suite/support/errata.h"
#include "suite/support/lbr_record.h"
#include "suite/support/pebs_places.h"
#include "suite/workload/steps.h"

#define REGISTERS (2 * (unsigned)sizeof(void *)) /* general registers in this mode */

#define RFLAGS_ONE    (UINT64_C(1) << 1)
#define RFLAGS_ZEROES (~((UINT64_C(1) << 22) - 1) | 1u << 15 | 1u << 5 | 1u << 3)
#define RFLAGS_RESULT UINT64_C(0x8d5) /* CF, PF, AF, ZF, SF, OF: of the last result */
#define RFLAGS_IF     (UINT64_C(1) << 9)
#define RFLAGS_RF     UINT64_C(0x10000) /* no edition defines it in a record */

#define BIT(n)         (1u << (n))
#define DATA_REGISTERS (BIT(PEBS_RAX) | BIT(PEBS_RCX) | BIT(PEBS_RDX))

#define CLOCKS      16u /* core cycles in a tick of the TSC, at most */
#define SOURCE_BITS 15u
#define STACK_MOST  64u     /* bytes that a workload with calls or interrupts pushes */
#define STACK_SIZE  0x4000u /* of another processor */
#define CLOSING     19u /* bytes of end_workload up to the write that closes the window (suite/workload/workload.inc) */

/*
 * The general registers that a workload changes. All others keep WORKLOAD_REGISTER(n), RAX to RDX what they had.
 * narrow: it writes only values of 32 bits to RAX, RCX and RDX.
 */
static const struct change {
    const struct workload *workload;
    unsigned registers;
    bool narrow;
} changes[] = {
    { &workload_straight, BIT(PEBS_RAX), false },
    { &workload_stores, BIT(PEBS_RAX), false },
    { &workload_flushed, BIT(PEBS_RAX), false },
    { &workload_untranslated, BIT(PEBS_RAX), false },
    { &workload_untranslated_stores, 0, false },
    { &workload_all_untranslated, BIT(PEBS_RAX), false },
    { &workload_vectors, BIT(PEBS_RAX), false },
    { &workload_locked, BIT(PEBS_RAX), false },
    { &workload_chase, BIT(PEBS_RAX) | BIT(PEBS_RCX), false },
    { &workload_long_loop, BIT(PEBS_RCX), true },
    { &workload_loop, BIT(PEBS_RCX), true },
    { &workload_calls, BIT(PEBS_RSP), false },
    { &workload_kinds, BIT(PEBS_RAX) | BIT(PEBS_RCX) | BIT(PEBS_RSP), false },
    { &workload_interrupt, DATA_REGISTERS | BIT(PEBS_RSP), false },
    { &workload_pieces, BIT(PEBS_RDX), false },
    { &workload_surprises, BIT(PEBS_RAX) | BIT(PEBS_RCX), true },
    { &workload_walk, BIT(PEBS_RAX) | BIT(PEBS_RCX), true },
    { &workload_x87, 0, false },
    { &workload_mmx, 0, false },
    { &workload_split_loads, BIT(PEBS_RAX), true },
    { &workload_split_stores, BIT(PEBS_RAX), true },
    { &workload_sharing_0, BIT(PEBS_RAX) | BIT(PEBS_RBX) | BIT(PEBS_RCX), true },
    { &workload_sharing_1, BIT(PEBS_RAX) | BIT(PEBS_RBX) | BIT(PEBS_RCX), true },
    { &workload_sharing_2, BIT(PEBS_RAX) | BIT(PEBS_RBX) | BIT(PEBS_RCX), true },
    { &workload_sharing_3, BIT(PEBS_RAX) | BIT(PEBS_RBX) | BIT(PEBS_RCX), true },
    { &workload_steps_loads_workload, BIT(PEBS_RAX) | BIT(PEBS_RDX) | BIT(PEBS_RSI) | BIT(PEBS_RDI), true },
    { &workload_steps_straight_workload, BIT(PEBS_RAX) | BIT(PEBS_RDX), true },
    { &workload_steps_branchy_workload, BIT(PEBS_RAX) | BIT(PEBS_RDX) | BIT(PEBS_RSP), true },
    { &workload_steps_far_workload, BIT(PEBS_RAX) | BIT(PEBS_RSP), true },
};

static struct change change_by(const struct workload *workload)
{
    for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (changes[i].workload == workload)
            return changes[i];
    return (struct change){ workload, DATA_REGISTERS, false };
}

static bool at_user(const struct workload *workload)
{
    return workload->start >= (uintptr_t)user_start && workload->start < (uintptr_t)user_end;
}

/* The stack of another processor has no symbols: it is around the present function's frame. */
static bool is_on_stack(uint64_t rsp)
{
    return processor_number() ? rsp - (uintptr_t)__builtin_frame_address(0) + STACK_SIZE < 2 * STACK_SIZE
                              : rsp >= (uintptr_t)stack_guard && rsp < (uintptr_t)data_end;
}

/* Whether a record is of one of the workload's instructions, and not of the code around it. */
static bool is_inside(const struct pebs_record *record)
{
    const struct workload *const w = pebs_armed()->sample.workload;

    return (!(record->has & PEBS_HAS_GPRS) || (record->ip >= w->start && record->ip <= w->limit)) &&
           (!(record->has & PEBS_HAS_EVENTING_IP) ||
            (record->eventing_ip >= w->start && record->eventing_ip < w->limit));
}

/* Whether a record is of the code between the two writes of the window, but not of the workload itself. */
static bool is_around(const struct pebs_record *record)
{
    const struct workload *const w = pebs_armed()->sample.workload;

    return record->has & PEBS_HAS_GPRS && !is_inside(record) && !at_user(w) &&
           (record->ip > w->limit ? record->ip <= w->limit + CLOSING
                                  : record->has & PEBS_HAS_EVENTING_IP && record->ip == w->start);
}

/* Only the kernel's code runs, and IP is where execution continues behind EventingIP. */
static void compare_addresses(struct test_run *run, unsigned n, const struct pebs_record *got)
{
    const bool both = got->has & PEBS_HAS_GPRS && got->has & PEBS_HAS_EVENTING_IP;

    if ((got->has & PEBS_HAS_GPRS && !code_has(got->ip)) ||
        (got->has & PEBS_HAS_EVENTING_IP && !code_has(got->eventing_ip)) ||
        (both && (run->caps->pebs_trap_like ? !code_follows(got->eventing_ip, got->ip) : got->ip != got->eventing_ip)))
        test_fail(run, "PEBS record %u: EventingIP 0x%" PRIx64 " and IP 0x%" PRIx64 " are not in the kernel's code", n,
                  got->eventing_ip, got->ip);
}

/* Whether only the workload's accesses cause the event. workload_walk has another load. */
static bool is_of_accesses(const struct pebs_sample *s)
{
    return !s->fixed && !pebs_of_instructions(s) && s->event->role < PEBS_ROLE_TRIGGERED &&
           (s->event->role < PEBS_ROLE_BRANCHES || s->event->role > PEBS_ROLE_FAR) && s->workload->access_count &&
           s->workload != &workload_walk && !at_user(s->workload);
}

/* Without a handler of interrupts, only the workload and its window cause events. */
static bool is_undisturbed(void)
{
    return pebs_armed()->held || !ds_counts()->interrupts;
}

static void compare_cause(struct test_run *run, unsigned n, const struct pebs_record *got)
{
    const struct workload *const w = pebs_armed()->sample.workload;
    const bool accesses = is_of_accesses(&pebs_armed()->sample);
    const bool straight = (!w->branch_count && !at_user(w)) || w == &workload_long_loop;

    if (is_undisturbed() && run->caps->pebs_trap_like &&
        ((accesses && !pebs_access(run, w, got)) || (straight && !is_inside(got) && !is_around(got))))
        test_fail(run, "PEBS record %u, IP 0x%" PRIx64 ", describes no event of the workload", n, got->ip);
}

/* The access that a record of loads or stores describes. The step of a chase gives its address. */
static bool access_of(const struct test_run *run, const struct pebs_record *record, struct access *access)
{
    const struct workload *const w = pebs_armed()->sample.workload;
    const struct access *const found =
        pebs_of_instructions(&pebs_armed()->sample) ? NULL : pebs_access(run, pebs_armed()->sample.workload, record);
    const uint64_t step = WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS - record->gpr[PEBS_RCX];

    if (!found)
        return false;
    *access = *found;
    if (w == &workload_chase && record->has & PEBS_HAS_GPRS) {
        access->address = (uintptr_t)workload_ring[step % WORKLOAD_CHASE_LINES];
        access->value = (uintptr_t)workload_ring[(step + 1) % WORKLOAD_CHASE_LINES];
    }
    return true;
}

/* The general registers and flags of a record inside the workload. first: the first such record. */
static void expect_registers(const struct test_run *run, struct pebs_record *want, const struct pebs_record *got,
                             const struct pebs_record *first)
{
    const struct workload *const w = pebs_armed()->sample.workload;
    const struct change change = change_by(w);
    const bool all = w == &workload_loads && got->ip > w->accesses[0].ip;
    const unsigned changed = all ? BIT(PEBS_RAX) : change.registers | (pebs_armed()->again ? BIT(PEBS_RSP) : 0);
    uint64_t free;

    for (unsigned r = 0; r < 16; r++)
        if (r >= REGISTERS)
            want->gpr[r] = 0; /* the mode lacks it */
        else if (!(changed & BIT(r)))
            want->gpr[r] = r != PEBS_RSP && (all || !(DATA_REGISTERS & BIT(r))) ? WORKLOAD_REGISTER(r) : first->gpr[r];
        else if (change.narrow && DATA_REGISTERS & BIT(r))
            want->gpr[r] = (uint32_t)want->gpr[r];
    if (!all && !(changed & BIT(PEBS_RDX))) /* what the WRMSR left that opened the window: bits of fixed counters */
        want->gpr[PEBS_RDX] &= run->caps->fixed_counters |
                               (run->caps->perf_capabilities & PERF_CAP_METRICS ? PERF_GLOBAL_CTRL_METRICS >> 32 : 0);
    if (all && pebs_of_instructions(&pebs_armed()->sample))
        for (uint64_t i = 0; i < w->access_count && w->accesses[i].ip < got->ip; i++)
            want->gpr[PEBS_RAX] = w->accesses[i].value;
    if (w == &workload_straight && got->ip > w->start)
        want->gpr[PEBS_RAX] = (uint32_t)(want->gpr[PEBS_RBX] + want->gpr[PEBS_RCX] + 1);
    if (changed & BIT(PEBS_RSP) && !pebs_armed()->again &&
        (first->gpr[PEBS_RSP] + STACK_MOST - got->gpr[PEBS_RSP] > 2 * STACK_MOST ||
         got->gpr[PEBS_RSP] % sizeof(void *)))
        want->gpr[PEBS_RSP] = first->gpr[PEBS_RSP];
    want->ssp = first->ssp;                                                        /* no shadow stack is enabled */
    free = RFLAGS_RESULT | RFLAGS_RF | (w == &workload_interrupt ? RFLAGS_IF : 0); /* its gate clears IF */
    want->rflags = (((got->rflags & free) | (first->rflags & ~free)) & ~RFLAGS_ZEROES) | RFLAGS_ONE;
    if (all)
        want->rflags = (want->rflags & ~WORKLOAD_FLAGS_MASK) | WORKLOAD_FLAGS;
}

/*
 * Around the workload: the window's accesses use RAX, RCX and RDX, its end RBX and RSI too, and set no flag that is
 * compared.
 */
static void expect_around(struct pebs_record *want, const struct pebs_record *first)
{
    const struct workload *const w = pebs_armed()->sample.workload;
    const unsigned changed =
        DATA_REGISTERS | change_by(w).registers | (want->ip > w->limit ? BIT(PEBS_RBX) | BIT(PEBS_RSI) : 0);

    for (unsigned r = 0; r < 16; r++)
        if (r >= REGISTERS)
            want->gpr[r] = 0;
        else if (r == PEBS_RSP ? first && !(changed & BIT(r)) && !pebs_armed()->again : !(changed & BIT(r)))
            want->gpr[r] = r == PEBS_RSP ? first->gpr[r] : WORKLOAD_REGISTER(r);
    want->rflags = (want->rflags & ~RFLAGS_ZEROES) | RFLAGS_ONE;
}

/* The place of the event: an access, or an instruction of known length. */
static void expect_place(const struct test_run *run, struct pebs_record *want, const struct pebs_record *got)
{
    const struct workload *const w = pebs_armed()->sample.workload;
    struct access access;

    if (access_of(run, got, &access)) {
        want->eventing_ip = got->has & PEBS_HAS_EVENTING_IP ? access.ip : 0;
        want->ip = got->has & PEBS_HAS_GPRS ? run->caps->pebs_trap_like ? access.next_ip : access.ip : 0;
        if (access.address && pebs_armed()->sample.event->data_address && got->has & PEBS_HAS_MEMORY)
            want->data_address = access.address;
        if (access.value && got->has & PEBS_HAS_GPRS)
            want->gpr[PEBS_RAX] = access.value;
        if (w == &workload_chase && got->has & PEBS_HAS_GPRS) /* counts down to 1 */
            want->gpr[PEBS_RCX] = (got->gpr[PEBS_RCX] - 1) % (WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS) + 1;
    } else if (w == &workload_straight && got->has & PEBS_HAS_EVENTING_IP) {
        want->eventing_ip -= (got->eventing_ip - w->start) % WORKLOAD_STRAIGHT_STEP;
        want->ip = got->has & PEBS_HAS_GPRS ? got->eventing_ip + run->caps->pebs_trap_like * WORKLOAD_STRAIGHT_STEP : 0;
    }
}

/* A record's status may be 0 if an interrupt is acknowledged before it (Linux: "the PEBS status can be zero"). */
static bool is_acknowledged(const struct test_run *run, const struct pebs_record *got)
{
    return pebs_armed()->sample.interrupts && !(got->counters & run->caps->pebs_counters);
}

/* What every record of the sample says, wherever its event was. */
static void expect_always(const struct test_run *run, struct pebs_record *want, const struct pebs_record *got)
{
    const bool one = !(pebs_armed()->counters & (pebs_armed()->counters - 1));

    if (got->has & PEBS_HAS_APPLICABLE)
        want->counters = one ? pebs_armed()->counters : got->counters & pebs_armed()->counters;
    if (got->has & PEBS_HAS_STATUS && !is_acknowledged(run, got)) /* the bits of all counters, and of the buffer */
        want->counters = (got->counters & (~run->caps->pebs_counters | pebs_armed()->sample.beside)) |
                         (one ? pebs_armed()->counters : got->counters & pebs_armed()->counters);
    if (got->has & PEBS_HAS_FORMAT_GROUP) /* CFG_C's ALLOW is no group */
        want->format_group =
            pebs_sample_groups(run->caps, &pebs_armed()->sample) | (got->format_group & ARCH_PEBS_COUNTERS_ALLOW);
    if (got->has & PEBS_HAS_TSX) /* no workload has a transaction */
        want->tsx = want->tsx_cycles = 0;
}

static void compare_fields(struct test_run *run, unsigned n, const struct pebs_record *got,
                           const struct pebs_record *want)
{
    for (const struct pebs_field *field = pebs_fields; field->name; field++)
        if (pebs_has_field(got, field) && pebs_value(got, field) != pebs_value(want, field))
            test_fail(run, "PEBS record %u: %s is 0x%" PRIx64 ", must be 0x%" PRIx64, n, field->name,
                      pebs_value(got, field), pebs_value(want, field));
}

/* A count has no bits beyond its counter's width. */
static void compare_counts(struct test_run *run, unsigned n, const struct pebs_record *got)
{
    unsigned i = 0;

    for (unsigned bit = 0; bit < 64 && got->has & PEBS_HAS_COUNTS; bit++) {
        const unsigned width = bit < 32 ? run->caps->general_width : run->caps->fixed_width;

        if (!(got->counted >> bit & 1))
            continue;
        if (got->counts[i] >> width)
            test_fail(run, "PEBS record %u: the count of counter %u is 0x%" PRIx64 ", and counters have %u bits", n,
                      bit, got->counts[i], width);
        i++;
    }
}

/* No encoding of the data source uses the higher bits. */
static void compare_source(struct test_run *run, unsigned n, const struct pebs_record *got)
{
    if (got->data_source >> SOURCE_BITS)
        test_differs(run, "PEBS record %u has the data source 0x%" PRIx64 ", typically of %u bits", n, got->data_source,
                     SOURCE_BITS);
}

/* No load takes longer than the whole sample, in core cycles, which may be shorter than those of the TSC. */
static void compare_latency(struct test_run *run, unsigned n, const struct pebs_record *got, uint64_t elapsed)
{
    if (got->latency / CLOCKS > elapsed || got->cache_latency / CLOCKS > elapsed)
        test_fail(run, "PEBS record %u: latency %" PRIu64 ", cache latency %" PRIu64 ": the sample took %" PRIu64, n,
                  got->latency, got->cache_latency, elapsed);
}

/* The bits of architectural records that have no meaning. A null fragment has no groups. */
static void compare_reserved(struct test_run *run, unsigned n)
{
    static const struct {
        enum arch_pebs_group group;
        size_t at;
        uint64_t used; /* bits with a meaning */
    } words[] = { { ARCH_IN_BASIC, 0x18, 0x1ffff }, { ARCH_IN_BASIC, 0x20, 0 },
                  { ARCH_IN_BASIC, 0x28, 0 },       { ARCH_IN_AUX, 0x08, 0 },
                  { ARCH_IN_AUX, 0x10, 0 },         { ARCH_IN_AUX, 0x18, 0 },
                  { ARCH_IN_AUX, 0x20, 0 },         { ARCH_IN_AUX, 0x30, UINT64_C(0xffff0000ffff) },
                  { ARCH_IN_GPRS, 0x98, 0 },        { ARCH_IN_XER, 0x08, 0 },
                  { ARCH_IN_LBR, 0x00, 0 } };
    struct arch_pebs_fragment fragment;
    size_t left;
    const uint8_t *bytes = ds_log_record(ds_pebs_log(), n, &left);
    bool more = run->caps->pebs_method == PEBS_METHOD_ARCH;

    for (; more && arch_pebs_fragment(bytes, left, &fragment) == PEBS_DECODE_OK;
         bytes += fragment.size, left -= fragment.size) {
        bool used = read_u64(bytes, 8) != 0 && fragment.format & ~ARCH_PEBS_SIZE;

        for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
            used = used || (fragment.at[words[i].group] &&
                            read_u64(bytes, fragment.at[words[i].group] + words[i].at) & ~words[i].used);
        if (used)
            test_differs(run, "PEBS record %u: bits that the manual reserves are not 0", n);
        more = arch_pebs_continued(fragment.format);
    }
}

/* Vector registers, R16 to R31 and K0 to K7, which only workload_vectors changes: all records of a log have them alike.
 */
static void compare_arrays(struct test_run *run, unsigned n, const struct pebs_record *got,
                           const struct pebs_record *first)
{
    const size_t from = offsetof(struct pebs_record, egpr), to = offsetof(struct pebs_record, lbr_count);

    if (memcmp((const char *)got + from, (const char *)first + from, to - from) != 0)
        test_fail(run, "PEBS record %u: vector registers, R16 to R31 or K0 to K7 differ from the first record's", n);
}

/* Without architectural PEBS, such a processor may record always the next instruction, and start the period there. */
static bool may_be_longer(const struct test_run *run)
{
    return run->caps->pebs_method != PEBS_METHOD_ARCH && run->caps->pebs_pdist_counters;
}

/* The number of a record's instruction in straight code or in the long loop; false: it is outside. */
static bool number_of(const struct test_run *run, const struct pebs_record *record, unsigned *number)
{
    const struct workload *const w = pebs_armed()->sample.workload;

    if (w != &workload_straight)
        return record->has & PEBS_HAS_GPRS && pebs_event_number(run, &pebs_armed()->sample, record, number);
    *number = (unsigned)(record->eventing_ip - w->start) / WORKLOAD_STRAIGHT_STEP;
    return record->eventing_ip < w->limit;
}

/*
 * With fixed counter 0, straight code and the long loop give the distance of the records in instructions: a period with
 * precise distribution, else a period plus one or more. The instruction that opens the window may be the first event.
 */
static void compare_distances(struct test_run *run)
{
    const struct pebs_sample *const s = &pebs_armed()->sample;
    const bool precise = pebs_is_precise(run->caps, s);
    unsigned due = (s->first ? s->first : s->period) - 2, most = due + 2, distance = s->period + !precise, number;
    struct pebs_record record;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!number_of(run, &record, &number))
            return; /* the instructions that close the window are events, too */
        if (n == 1 && number == due + 1 && precise && may_be_longer(run)) {
            test_differs(run, "records are %u instructions apart, typically %u", distance + 1, distance);
            due = most = number;
            distance++;
        }
        if (number < due || number > (precise ? most : due + s->period))
            test_fail(run, "PEBS record %u describes instruction %u, must be %u or %s", n, number, due,
                      precise ? "up to two later, then records exactly a period apart" : "less than a period later");
        due = most = number + distance;
    }
}

static bool has_distances(void)
{
    return pebs_armed()->sample.fixed && pebs_armed()->sample.counter == 0 &&
           (pebs_armed()->sample.workload == &workload_straight ||
            pebs_armed()->sample.workload == &workload_long_loop) &&
           pebs_armed()->sample.rounds <= 1 && !pebs_armed()->again && is_undisturbed();
}

void pebs_compare(struct test_run *run)
{
    static struct pebs_record got, want, first, previous;
    const struct workload *const w = pebs_armed()->sample.workload;
    const uint64_t now = time_stamp() + pebs_armed()->sample.tsc_ahead;
    const uint64_t counters = pebs_armed()->counters;
    uint64_t last = pebs_armed()->since + pebs_armed()->sample.tsc_ahead;
    bool any = false;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &got); n++) {
        if (got.has & PEBS_HAS_TSC && (got.tsc < last || got.tsc > now))
            test_fail(run, "PEBS record %u: time stamp %" PRIu64 " is not between %" PRIu64 " and %" PRIu64, n, got.tsc,
                      last, now);
        last = got.has & PEBS_HAS_TSC ? got.tsc : last;
        if (n > 0 && got.has & PEBS_HAS_TSC && !(counters & (counters - 1)) && memcmp(&got, &previous, sizeof got) == 0)
            test_fail(run, "PEBS record %u is the same as the one before", n);
        previous = got;
        want = got;
        if (got.has & PEBS_HAS_STATUS && is_acknowledged(run, &got))
            test_differs(run, "the status of a record has no PEBS counter");
        expect_always(run, &want, &got);
        compare_addresses(run, n, &got);
        compare_cause(run, n, &got);
        for (unsigned age = 0; age < got.lbr_count; age++)
            lbr_check_entry(run, age, &got.lbr[age]);
        compare_counts(run, n, &got);
        compare_source(run, n, &got);
        compare_latency(run, n, &got, now - pebs_armed()->since);
        compare_reserved(run, n);
        if (is_around(&got))
            expect_around(&want, any ? &first : NULL);
        if (is_inside(&got)) {
            if (!any)
                first = got;
            any = true;
            if (got.has & PEBS_HAS_GPRS && !at_user(w)) {
                expect_registers(run, &want, &got, &first);
                if (!is_on_stack(got.gpr[PEBS_RSP]))
                    test_fail(run, "PEBS record %u: RSP 0x%" PRIx64 " is not on the stack", n, got.gpr[PEBS_RSP]);
            }
            expect_place(run, &want, &got);
            if (w != &workload_vectors)
                compare_arrays(run, n, &got, &first);
        }
        compare_fields(run, n, &got, &want);
    }
    if (has_distances())
        compare_distances(run);
}

/* Behind the last record of a buffer that was not full, they have less than another record's distance. */
static void compare_last(struct test_run *run)
{
    const struct pebs_sample *const s = &pebs_armed()->sample;
    const unsigned records = ds_pebs_log()->records;
    struct pebs_record record;
    unsigned number;

    if (!records || !records_pebs(run, records - 1, &record) || !number_of(run, &record, &number))
        return;
    const uint64_t behind = s->workload->instructions - number;
    if (behind > (pebs_is_precise(run->caps, s) ? s->period + may_be_longer(run) : 2 * s->period))
        test_fail(run, "%" PRIu64 " instructions follow the last PEBS record: a record is missing", behind);
}

void pebs_close(struct test_run *run, unsigned interrupts)
{
    records_close(run, interrupts);
    test_saw(run, ds_pebs_log()->records);
    pebs_compare(run);
    if (has_distances())
        compare_last(run);
}

void pebs_close_full(struct test_run *run)
{
    records_close_full(run);
    test_saw(run, ds_pebs_log()->records);
    pebs_compare(run);
}

bool pebs_sample(struct test_run *run, const struct pebs_sample *s)
{
    if (!pebs_sample_open(run, s) || !pebs_sample_arm(run, s))
        return false;
    pebs_sample_run(run, s);
    if (!s->fixed && s->event->role == PEBS_ROLE_LOAD_LATENCY && errata_any(run, HAS_ERRATUM(CML095)) &&
        pebs_sample_so_far() < s->until) {
        errata_explain(run, HAS_ERRATUM(CML095), "load latency stopped after %u records, and is set up again",
                       pebs_sample_so_far());
        if (!pebs_sample_arm(run, s))
            return false;
        pebs_sample_run(run, s);
    }
    pebs_close(run, s->interrupts);
    return true;
}

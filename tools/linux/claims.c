/* SPDX-License-Identifier: MIT */
#include "tools/linux/claims.h"

#include "suite/support/sources.h"

#define ANY        .branches = PERF_SAMPLE_BRANCH_ANY
#define FILTER(f)  .branches = PERF_SAMPLE_BRANCH_##f
#define FILTERED   "perf_event_open(2), branch_sample_type; " SDM_LBR_SELECT
#define PREDICTION .typical = "The manual defines the field, but does not promise its value."
#define CALLS      (LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL)

#define COUNT(id, title, source, ...)                                 \
    {                                                                 \
        "perfmon." id, title, source, .run = check_count, __VA_ARGS__ \
    }
#define BRANCH(id, title, source, run_, load, ...)                                                 \
    {                                                                                              \
        id, title, source, .records = true, .run = run_, .workload = &workload_##load, __VA_ARGS__ \
    }
#define BTS(id, title, source, load, ...) BRANCH("bts." id, title, source, check_bts, load, __VA_ARGS__)
#define LBR(id, title, source, load, ...) BRANCH("lbr." id, title, source, check_lbr, load, __VA_ARGS__)
#define PEBS(id, title, source, load, of, level, ...) \
    BRANCH("pebs." id, title, source, check_pebs, load, .role = PEBS_ROLE_##of, .precise = level, __VA_ARGS__)
#define EVENTS(id, title, level)                                                                   \
    {                                                                                              \
        "pebs." id, title, SDM_PEBS_EVENTS, .records = true, .run = check_events, .precise = level \
    }

const struct claim claims[] = {
    COUNT("count", "Counters count retired instructions and branches exactly", SDM_PERFMON),
    COUNT("count.events", "Each precise event counts exactly the instructions that cause it", SDM_PEBS_EVENTS,
          .what = 1),
    BTS("calls", "Nested calls and returns are stored in order, with their exact addresses", SDM_BTS, calls),
    BTS("kinds", "Every kind of near branch is stored if it is taken, and not otherwise", SDM_MONITORING, kinds),
    BTS("loop", "A loop with an alternating branch is stored round by round", SDM_BTS, loop),
    BTS("interrupt.threshold", "No branch is lost at the interrupts that drain the buffer", SDM_DS_SERVICE, long_loop),
    BTS("period", "Branches with a period of 1 are the workload's branches", SDM_BTS, calls, .what = 1),
    BTS("mispredicted", "Bit 4 of a record's flags is clear for jumps whose targets cannot be predicted",
        SDM_DEBUG_STORE, surprises, .kinds = LBR_SELECT_NEAR_IND_JMP, PREDICTION),
    LBR("calls", "The stack holds nested calls and returns in order", SDM_LBR_STACK, calls, ANY),
    LBR("kinds", "Every kind of near branch is recorded if it is taken, and not otherwise", SDM_MONITORING, kinds, ANY),
    LBR("pieces", "No branch is missing between two entries, whatever code is before it", SDM_LBR_STACK, pieces, ANY),
    LBR("wrap", "After more branches than entries the stack holds the newest ones", SDM_LBR_STACK, long_loop, ANY,
        .what = DETAIL_DEPTH),
    LBR("mispredicted", "MISPRED is set for indirect jumps whose targets cannot be predicted", SDM_LBR_STACK, surprises,
        ANY, .what = DETAIL_MISPREDICTED, PREDICTION),
    LBR("predicted", "The branches of a steady loop are predicted", SDM_LBR_INFO, long_loop, ANY,
        .what = DETAIL_PREDICTED, PREDICTION),
    LBR("info", "The entries have the cycles since the previous branch", SDM_LBR_INFO, long_loop, ANY,
        .what = DETAIL_CYCLES, PREDICTION),
    LBR("filter.calls", "The filter any_call admits only calls", FILTERED, kinds, FILTER(ANY_CALL), .kinds = CALLS),
    LBR("filter.returns", "The filter any_ret admits only returns", FILTERED, kinds, FILTER(ANY_RETURN),
        .kinds = LBR_SELECT_NEAR_RET),
    LBR("filter.conditional", "The filter cond admits only conditional branches", FILTERED, kinds, FILTER(COND),
        .kinds = LBR_SELECT_JCC),
    LBR("filter.indirect_calls", "The filter ind_call admits only indirect calls", FILTERED, kinds, FILTER(IND_CALL),
        .kinds = LBR_SELECT_NEAR_IND_CALL),
    LBR("filter.indirect_jumps", "The filter ind_jmp admits only indirect jumps", FILTERED, kinds, FILTER(IND_JUMP),
        .kinds = LBR_SELECT_NEAR_IND_JMP),
    LBR("call_stack", "In call-stack mode the entries are the calls that have not returned", SDM_LBR_CALL_STACK, calls,
        FILTER(CALL_STACK)),
    PEBS("loads", "Each record of a load has the load's IP, data address and the value in RAX", SDM_PEBS, loads, LOADS,
         2),
    PEBS("stores", "Each record of a store has the store's IP and data address", SDM_PEBS, stores, STORES, 2),
    PEBS("interrupt.single", "Records that Linux takes one at a time are as right as a full buffer's", SDM_PEBS, loads,
         LOADS, 2, .what = PEBS_SINGLE),
    PEBS("record.ip", "The IP of a record is that of the next instruction", SDM_PEBS_RECORD, loads, LOADS, 1),
    PEBS("branches.taken", "NEAR_TAKEN samples taken branches of every kind", SDM_PEBS_EVENTS, kinds, TAKEN, 2),
    PEBS("branches.call", "NEAR_CALL samples only calls", SDM_PEBS_EVENTS, kinds, NEAR_CALLS, 2),
    PEBS("adaptive.xmm", "The XMM group has every vector register with its value after the instruction",
         SDM_PEBS_ADAPTIVE, vectors, LOADS, 2, .what = PEBS_XMM),
    PEBS("instructions", "Samples of instructions are at instructions, about a period apart", SDM_PEBS, straight,
         INSTRUCTIONS, 2),
    PEBS("inst_retired.prec_dist", "INST_RETIRED.PREC_DIST samples are about a period apart", SDM_PDIR, straight,
         PREC_DIST, 3),
    EVENTS("events", "Each precise event writes the expected number of records, at its places", 2),
    EVENTS("events.precise_1", "Each precise event is sampled after its instruction with precise_ip 1", 1),
    EVENTS("events.precise_3", "Each precise event is sampled at its instruction with precise_ip 3", 3),
    BRANCH("pebs.counters.two", "Two counters sample at the same time, each its own event", SDM_PEBS_RECORD_SKL,
           check_two, nothing, .precise = 2),
    BRANCH("pebs.load_latency.l1", "Loads from a ring that fits the first level have their address and a latency",
           SDM_LOAD_LATENCY, check_latency, chase, .what = LATENCY_NEAR),
    BRANCH("pebs.load_latency.threshold.exceeded", "A recorded load took at least as long as the threshold",
           SDM_LOAD_LATENCY ", MSR_PEBS_LD_LAT_THRESHOLD", check_latency, walk, .what = LATENCY_FAR),
};
const unsigned claim_count = sizeof claims / sizeof *claims;

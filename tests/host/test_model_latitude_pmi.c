/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMIs that skid or arrive after counters were stopped, status bits without an overflow, and SMIs. */
#include "tests/host/free_machine.h"

#include <limits.h>

#include "model/engine/counting.h"
#include "model/engine/pmi.h"
#include "model/engine/rules.h"
#include "model/engine/smi.h"
#include "model/latitude/choices.h"

#define EVTSEL_INTERRUPTS 0x530000u /* EN, INT, OS, USR */
#define CYCLES            0x003cu
#define FREEZE_SMM        0x4000u
#define SMI_COUNT         0x34
#define STATUS_CONDITION  (UINT64_C(1) << 63)
#define STATUS_ENCLAVE    (UINT64_C(1) << 60)

static struct pmi_skid chosen;
static struct rules rules;

static struct pmi_skid choose(struct vcpu *v)
{
    (void)v;
    return chosen;
}

static void step(struct vcpu *v, struct place place, uint64_t instructions)
{
    (void)place;
    counting_step(v, pmi_step(v, instructions));
}

static struct machine *skidding(const char *profile, unsigned instructions)
{
    struct machine *m = machine_of(profile);

    rules = rules_sdm;
    rules.pmi_skid = choose;
    rules.stepped = step;
    chosen = (struct pmi_skid){ instructions, false };
    m->v.rules = &rules;
    return m;
}

/* Counter 0 counts instructions from -period on. */
static void count(struct machine *m, unsigned period)
{
    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, EVTSEL_INTERRUPTS | INST_RETIRED }, { PMC0, (uint32_t)-period },
          { GLOBAL_CTRL, 1 });
}

static void run_until_pmi(struct machine *m, const struct block *b)
{
    const unsigned before = m->pmis;

    for (unsigned blocks = 0; m->pmis == before; blocks++) {
        assert_true(blocks < 10000);
        begin(m, b);
    }
}

/* The counter continues until the PMI, wherever in blocks the overflow and the PMI are. */
UNIT_TEST(skids_by_instructions)
{
    for (unsigned length = 1; length < 12; length++) {
        for (unsigned skid = 0; skid < 40; skid++) {
            struct machine *m = skidding("skylake", skid);
            struct block *b = block_new(0, length, END_REL_JMP);

            count(m, 30);
            run_until_pmi(m, b);
            assert_int_equal(m->v.counters[0].value, skid);
            assert_int_equal(m->v.status, 1);
            assert_int_equal(m->v.pmi.left, 0);
            m->lvtpc = 0x40;
            run_times(m, b, 100);
            assert_int_equal(m->pmis, 1); /* once */
            assert_false(counting_steps(&m->v));
        }
    }
}

/* Reading the state ends a skid: the PMI is raised, unless it may arrive late. So does HLT. */
UNIT_TEST(reading_ends_a_skid)
{
    enum look { NOTHING, READ, WRITE, READ_COUNTER, SETTLE, HALT, LOOKS };

    for (unsigned trails = 0; trails < 2; trails++) {
        for (unsigned look = NOTHING; look < LOOKS; look++) {
            struct machine *m = skidding("skylake", 50);
            struct block *b = block_new(0, 1, END_REL_JMP);
            const bool hurries = look == HALT || (look != NOTHING && !trails);
            uint64_t value = 0;

            rules.pmi_trails = trails;
            count(m, 10);
            for (unsigned i = 0; i < 15; i++)
                assert_true(begin(m, b));
            assert_int_equal(m->pmis, 0);
            if (look == READ) {
                assert_int_equal(rdmsr(m, GLOBAL_STATUS), 1);
            } else if (look == WRITE) {
                wrmsr(m, GLOBAL_CTRL, 0);
            } else if (look == READ_COUNTER) {
                assert_int_equal(engine_rdpmc(&m->v, 0, &value, (struct place){ b, 0 }), MSR_DONE);
                assert_int_equal(value, 4);
            } else if (look == SETTLE) {
                engine_settle(&m->v, (struct place){ b, 0 });
            } else if (look == HALT) {
                engine_halt(&m->v, (struct place){ b, 0 });
            }
            assert_int_equal(m->pmis, hurries);
            assert_int_equal(m->v.pmi.left == 0, hurries);
            m->lvtpc = 0x40;
            run_times(m, b, 60);
            assert_int_equal(m->pmis, 1);
        }
    }
}

/* Counters are stopped and acknowledged while their PMI is pending: it arrives without a status bit. */
UNIT_TEST(trails_the_stop)
{
    struct machine *m = skidding("skylake", 50);
    struct block *b = block_new(0, 1, END_REL_JMP);
    unsigned after = 0;

    rules.pmi_trails = true;
    count(m, 10);
    for (unsigned i = 0; i < 20; i++)
        assert_true(begin(m, b));
    WRMSR(m, { GLOBAL_CTRL, 0 }, { STATUS_RESET, 1 });
    assert_int_equal(m->v.status, 0);
    while (begin(m, b))
        after++;
    assert_int_equal(m->pmis, 1);
    assert_int_equal(after, 50 - 10 - 2); /* minus ten instructions before the WRMSRs, and the WRMSRs */
    assert_int_equal(m->v.status, 0);
}

/* The referee reports a PMI that is lost because LVTPC is masked, but not if the PMI skidded. */
UNIT_TEST(the_referee_on_skids)
{
    for (unsigned skid = 0; skid < 6; skid += 5) {
        struct machine *m = skidding("skylake", skid);
        struct block *b = block_new(0, 1, END_REL_JMP);

        count(m, 10);
        run_until_pmi(m, b);
        m->in_service = IN_SERVICE;
        engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, UINT64_C(0x900000), 0);
        m->in_service = NOT_IN_SERVICE;
        wrmsr(m, STATUS_RESET, 1);
        count(m, 10);
        run_times(m, b, 30);
        assert_int_equal(m->v.status, 1);
        assert_int_equal(m->pmis, 1);
        assert_int_equal(violated(m, "pmi-lost"), skid == 0);
    }
}

UNIT_TEST(skid_freedom)
{
    static const struct {
        uint32_t freedoms;
        unsigned most;
        bool trails;
    } rows[] = {
        { BIT_OF(PMI_SKID), 100, false },
        { BIT_OF(PMI_TRAILING), 20, true },
        { BIT_OF(PMI_SKID) | BIT_OF(PMI_TRAILING), 100, true },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t seen[2] = { 0, 0 };
        unsigned freezing = 0;

        for (uint64_t seed = 0; seed < 20; seed++) {
            struct machine *m = with("skylake", seed, rows[i].freedoms);
            const bool freezes_lbrs = m->v.rules->pmi_skid(&m->v).freezes_lbrs;

            assert_int_equal(m->v.rules->pmi_trails, rows[i].trails);
            for (unsigned n = 0; n < 200; n++) {
                const struct pmi_skid skid = m->v.rules->pmi_skid(&m->v);

                assert_in_range(skid.instructions, 0, rows[i].most);
                assert_int_equal(skid.freezes_lbrs, freezes_lbrs);
                seen[skid.instructions / 64] |= UINT64_C(1) << skid.instructions % 64;
            }
            freezing += freezes_lbrs;
        }
        assert_in_range(freezing, 1, 19);
        assert_int_equal(__builtin_popcountll(seen[0]) + __builtin_popcountll(seen[1]), rows[i].most + 1);
    }
}

/* Additional status bits remain until software resets them. */
UNIT_TEST(status_freedom)
{
    static const struct {
        const char *profile;
        uint64_t possible;
    } rows[] = {
        { "core2", STATUS_CONDITION },
        { "nehalem", STATUS_CONDITION },
        { "skylake", STATUS_CONDITION | STATUS_ENCLAVE },
        { "goldencove", STATUS_CONDITION | STATUS_ENCLAVE },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t seen = 0, always = UINT64_MAX, unasked = 0;
        uint32_t regs[4] = { 0 };

        for (uint64_t seed = 0; seed < 30; seed++) {
            struct machine *m = with(rows[i].profile, seed, BIT_OF(STATUS));
            struct block *b = block_new(0, 1, END_REL_JMP);

            count(m, 10);
            run_until_pmi(m, b);
            const uint64_t status = rdmsr(m, GLOBAL_STATUS);

            assert_int_equal(status & ~rows[i].possible, 1);
            seen |= status & ~UINT64_C(1);
            always &= status;
            wrmsr(m, STATUS_RESET, 1);
            assert_int_equal(m->v.status, status & ~UINT64_C(1));
            m->lvtpc = 0x40;
            count(m, 10);
            run_until_pmi(m, b);
            assert_false(violated(m, "status-not-acknowledged")); /* if the handler resets the bits that it serves */
            WRMSR(m, { STATUS_RESET, UINT64_C(3) << 62 | STATUS_ENCLAVE * (rows[i].possible != STATUS_CONDITION) | 1 },
                  { GLOBAL_CTRL, 0 });
            for (unsigned n = 0; n < 20; n++)
                assert_int_equal(rdmsr(m, GLOBAL_CTRL), 0);
            assert_int_equal(m->v.status, 0);
            for (unsigned n = 0; n < 20; n++)
                unasked |= rdmsr(m, GLOBAL_STATUS);
            cpuid_read(&m->v, 7, 0, regs);
            assert_int_equal(regs[1] >> 2 & 1, (rows[i].possible & STATUS_ENCLAVE) != 0);
            regs[1] = 0;
            cpuid_read(&m->v, 7, 1, regs);
            assert_int_equal(regs[1], 0);
        }
        assert_int_equal(seen, rows[i].possible);
        assert_int_equal(always, 1);
        assert_int_equal(unasked, rows[i].possible);
    }
}

/* A PEBS counter's own status bit is sometimes set, only together with bit 62. */
UNIT_TEST(own_bit_freedom)
{
    unsigned own = 0;

    for (uint64_t seed = 0; seed < 30; seed++) {
        struct machine *m = with("skylake", seed, BIT_OF(STATUS));
        struct block *b = block_new(0, 1, END_REL_JMP);

        set_up_ds(m, 0, 0, 10, 2);
        put(m, DS + 0x50, -UINT64_C(5));
        WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0 + 2, EVTSEL_ON | INST_RETIRED }, { PMC0 + 2, (uint32_t)-5 },
              { PEBS_ENABLE, 4 }, { GLOBAL_CTRL, 4 });
        for (unsigned i = 0; i < 8; i++)
            assert_true(begin(m, b));
        assert_int_equal(m->v.status, 0); /* one record */
        run_until_pmi(m, b);
        assert_int_equal(m->v.status & ~(STATUS_CONDITION | STATUS_ENCLAVE | 4), STATUS_BUFFER);
        own += m->v.status >> 2 & 1;
    }
    assert_in_range(own, 5, 25);
}

static unsigned next_smi;

static unsigned take_next(struct vcpu *v)
{
    const unsigned microseconds = next_smi;

    (void)v;
    next_smi = 0;
    return microseconds;
}

/* An SMI's cycles count in counters of cycles at CPL 0, unless they are frozen. */
UNIT_TEST(smi_counts_cycles)
{
    static const struct {
        unsigned select, fixed;
        uint64_t debugctl, counted;
    } rows[] = {
        /* and 20 instructions of a block of ring 0 */
        { EVTSEL_ON | CYCLES, 0, 0, 30000 },
        { 0x420000u | CYCLES, 0, 0, 30000 }, /* ring 0 */
        { 0x410000u | CYCLES, 0, 0, 0 },     /* other rings */
        { EVTSEL_ON | INST_RETIRED, 0, 0, 0 },
        { EVTSEL_ON | CYCLES, 0, FREEZE_SMM, 0 },
        { 0, 0x003, 0, 0 },
        { 0, 0x030, 0, 30000 },
        { 0, 0x300, 0, 30000 },
        { 0, 0x300, FREEZE_SMM, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_new();
        struct block *b = block_new(0, 1, END_PLAIN);
        const unsigned fixed = rows[i].fixed == 0 ? 0 : (unsigned)__builtin_ctz(rows[i].fixed) / 4;
        const uint32_t counter = rows[i].fixed == 0 ? PMC0 : FIXED_CTR0 + fixed;

        rules = rules_sdm;
        rules.smi_microseconds = take_next;
        m->v.rules = &rules;
        WRMSR(m, { DEBUGCTL, rows[i].debugctl }, { EVTSEL0, rows[i].select }, { FIXED_CTRL, rows[i].fixed },
              { GLOBAL_CTRL, UINT64_C(0x700000001) });
        const uint64_t before = rdmsr(m, counter), tsc = m->tsc;
        const uint64_t counted = rows[i].counted + (rows[i].select >> 16 == 0x41 ? 0 : 20);

        run_times(m, b, 20);
        next_smi = 30;
        assert_int_equal(rdmsr(m, counter) - before, counted);
        assert_int_equal(m->tsc - tsc, 30000);
        assert_int_equal(rdmsr(m, SMI_COUNT), 1);
        assert_int_equal(rdmsr(m, counter) - before, counted);
    }
}

UNIT_TEST(smi_freedom)
{
    struct machine *m = with("skylake", 3, BIT_OF(SMI));
    unsigned smis = 0, least = UINT_MAX, most = 0;

    for (unsigned i = 0; i < 64 * 400; i++) {
        const unsigned microseconds = m->v.rules->smi_microseconds(&m->v);

        if (microseconds != 0) {
            smis++;
            least = microseconds < least ? microseconds : least;
            most = microseconds > most ? microseconds : most;
        }
    }
    assert_in_range(smis, 300, 500);
    assert_in_range(least, 20, 25);
    assert_in_range(most, 195, 200);
}

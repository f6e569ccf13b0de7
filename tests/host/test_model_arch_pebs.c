/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectural PEBS in the model: null records, typed from Linux 6.19 (asm/perf_event.h, struct arch_pebs_header and
 * the structures after it), not from the model's tables; reset values of 0, interrupts, and a buffer that is not
 * memory. Boots compare whole records with the truth.
 */
#include "tests/host/model_machine.h"

#include "model/bytes/arch_pebs.h"
#include "model/engine/rules.h"

#define CLEARWATERFOREST "clearwaterforest"

#define PEBS_BASE   0x3f4
#define PEBS_INDEX  0x3f5
#define GP_CTR(n)   (0x1900u + 4 * (n))
#define GP_CFG_A(n) (0x1901u + 4 * (n))
#define GP_CFG_C(n) (0x1903u + 4 * (n))

/* Bits of CFG_C and of a header's format. */
#define ALLOW    (UINT64_C(1) << 35)
#define GENERALS (UINT64_C(1) << 36)
#define XMM      (UINT64_C(1) << 49)
#define GPR      (UINT64_C(1) << 61)
#define EN       (UINT64_C(1) << 63)
#define BASIC    (UINT64_C(1) << 63)
#define MODE_64  (UINT64_C(1) << 30)
#define CONTINUE (UINT64_C(1) << 31)

#define INDEX_EN        (UINT64_C(1) << 32)
#define INDEX_THRESH(b) ((uint64_t)(b) / 16 << 36)

#define STATUS_THRESHOLD (UINT64_C(1) << 54)

#define BUFFER 0x4000u /* physical; model_machine.h has it at PEBS */

#define NEAR_TAKEN_EVENT 0xfbc4u

static uint8_t bytes[ARCH_MAX_BYTES + 8];

static uint64_t at(size_t offset)
{
    uint64_t value;

    memcpy(&value, bytes + offset, sizeof(value));
    return value;
}

/* A null record has only a size, and is at the start of a fragment. No byte after the record is written. */
UNIT_TEST(null_records)
{
    const struct arch_contents arch = { .format = BASIC | GPR | XMM, .mode_64 = true };
    const size_t size = 64 + 32 + 16 + 160 + 272;

    for (unsigned first = 0; first < 2; first++) { /* only the first fragment has the basic group */
        const struct arch_split split = {
            .cut = { [GROUP_GPR] = true },
            .null_bytes = { [GROUP_BASIC] = (uint16_t)(16 * first), [GROUP_GPR] = 32, [GROUP_XER] = 16 }
        };

        memset(bytes, 0xee, sizeof(bytes));
        assert_int_equal(arch_bytes(&arch, &split), size);
        arch_encode(bytes, &(struct pebs_contents){ 0 }, &(struct adaptive_contents){ 0 }, &arch, &split);
        assert_int_equal(at(0), BASIC | MODE_64 | CONTINUE | 64);
        assert_int_equal(at(64), 32);
        for (unsigned offset = 72; offset < 96; offset += 8)
            assert_int_equal(at(offset), 0);
        assert_int_equal(at(96), GPR | XMM | MODE_64 | 448);
        assert_int_equal(at(size), 0xeeeeeeeeeeeeeeee);
    }
}

/* After a reset all general counters are enabled. */
static struct machine *machine_stopped(void)
{
    struct machine *m = machine_of(CLEARWATERFOREST);

    wrmsr(m, GLOBAL_CTRL, 0);
    return m;
}

/* A buffer of 4 KiB << size at BUFFER, with the threshold at this offset. */
static struct machine *machine_with_buffer(unsigned size, unsigned threshold)
{
    struct machine *m = machine_stopped();

    WRMSR(m, { PEBS_BASE, BUFFER | size }, { PEBS_INDEX, INDEX_EN | INDEX_THRESH(threshold) });
    return m;
}

/* Sampling on a general counter; groups: bits of CFG_C above 31. */
static void arm(struct machine *m, unsigned n, uint64_t select, uint32_t period, uint64_t groups)
{
    WRMSR(m, { GP_CFG_C(n), EN | groups | (uint32_t)-period }, { GP_CFG_A(n), EVTSEL_ON | select },
          { GP_CTR(n), -(uint64_t)period & 0xffffffffffff });
}

static uint64_t index_of(struct machine *m)
{
    finish(m);
    return rdmsr(m, PEBS_INDEX);
}

/* A reset value of 0 is software's that loads the counter in the handler of the interrupt that each record requests. */
UNIT_TEST(reset_value_of_0)
{
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        struct machine *m = machine_with_buffer(0, 32);

        arm(m, 2, INST_RETIRED, 5, 0);
        WRMSR(m, { GP_CFG_C(2), EN }, { GLOBAL_CTRL, 1 << 2 });
        run(m, block_new(0, 7, END_REL_JMP));
        assert_true(rdmsr(m, GLOBAL_STATUS) & STATUS_THRESHOLD);
        WRMSR(m, { GLOBAL_CTRL, 0 }, { STATUS_RESET, STATUS_THRESHOLD }, { PEBS_INDEX, INDEX_EN | INDEX_THRESH(32) });
        if (loaded)
            wrmsr(m, GP_CTR(2), -(uint64_t)5 & 0xffffffffffff);
        assert_false(violated(m, "pebs-no-reset"));
        wrmsr(m, GLOBAL_CTRL, 1 << 2);
        assert_int_equal(violated(m, "pebs-no-reset"), !loaded);
    }
}

/* A record of a branch counts that branch, even if an interrupt arrives before the next block. */
UNIT_TEST(counts_at_an_interrupt)
{
    struct block *b = block_new(0, 6, END_REL_JMP);

    for (unsigned interrupted = 0; interrupted < 2; interrupted++) {
        struct machine *m = machine_with_buffer(0, 4096);

        arm(m, 2, INST_RETIRED, 5, GENERALS);
        WRMSR(m, { GP_CTR(3), 100 }, { GP_CFG_C(3), ALLOW }, { GP_CFG_A(3), EVTSEL_ON | NEAR_TAKEN_EVENT },
              { GLOBAL_CTRL, 1 << 2 | 1 << 3 });
        run(m, b);
        if (interrupted)
            engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, CODE + 0x8000, b->cpl);
        finish(m);
        EXPECT_MEMORY(m, { PEBS + 0x10, b->last }, { PEBS + 0x40, 0x8 }, { PEBS + 0x50, 101 });
    }
}

/* A buffer that is not memory: the record is lost, and WR is increased. */
UNIT_TEST(not_memory)
{
    struct machine *m = machine_stopped();
    struct block *b = block_new(0, 6, END_REL_JMP);

    WRMSR(m, { PEBS_BASE, 0x10000 }, { PEBS_INDEX, INDEX_EN | INDEX_THRESH(4096) });
    arm(m, 2, INST_RETIRED, 5, 0);
    wrmsr(m, GLOBAL_CTRL, 1 << 2);
    run(m, b);
    assert_int_equal(index_of(m) & 0xffff, 64);
    assert_true(violated(m, "record-lost"));
}

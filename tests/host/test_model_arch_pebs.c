/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectural PEBS in the model: the groups and fragments of a record, typed from Linux 6.19 (asm/perf_event.h,
 * struct arch_pebs_header and the structures after it), not from the model's tables; and the processor that writes
 * them, from WRMSR to the record in physical memory.
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
#define FIXEDS   (UINT64_C(1) << 37)
#define LBR_8    (UINT64_C(1) << 40)
#define XMM      (UINT64_C(1) << 49)
#define YMMH     (UINT64_C(1) << 50)
#define GPR      (UINT64_C(1) << 61)
#define AUX      (UINT64_C(1) << 62)
#define EN       (UINT64_C(1) << 63)
#define BASIC    (UINT64_C(1) << 63)
#define MODE_64  (UINT64_C(1) << 30)
#define CONTINUE (UINT64_C(1) << 31)

#define INDEX_EN        (UINT64_C(1) << 32)
#define INDEX_THRESH(b) ((uint64_t)(b) / 16 << 36)

#define STATUS_THRESHOLD (UINT64_C(1) << 54)

#define BUFFER 0x4000u /* physical; model_machine.h has it at PEBS */

#define NEAR_TAKEN_EVENT 0xfbc4u

/* --- the bytes --------------------------------------------------------------------------------------------------- */

static const struct lbr_entry some_entries[3] = { { 0x101, 0x102, 0x103 },
                                                  { 0x111, 0x112, 0x113 },
                                                  { 0x121, 0x122, 0x123 } };

static struct arch_contents some_arch(uint64_t format)
{
    return (struct arch_contents){ .format = format,
                                   .mode_64 = true,
                                   .retire_valid = true,
                                   .ssp = 0x5152,
                                   .xer = 2,
                                   .lbr_depth = 32,
                                   .general = 0x82,
                                   .fixed = 0x41,
                                   .counts = { 0x8001, 0x8007, 0x9000, 0x9006 } };
}

static uint8_t bytes[ARCH_MAX_BYTES + 8];

static uint64_t at(size_t offset)
{
    uint64_t value;

    memcpy(&value, bytes + offset, sizeof(value));
    return value;
}

/* Encodes a record, and checks that no byte after it is written. */
static size_t encode(const struct arch_contents *arch, const struct arch_split *split)
{
    const struct pebs_contents contents = { .rflags = 0x246, .eventing_ip = 0xa1a2, .data_address = 0xd1d2 };
    const struct adaptive_contents extra = { .lbr = some_entries, .lbr_count = COUNT_OF(some_entries) };
    const size_t size = arch_bytes(arch, split);

    memset(bytes, 0xee, sizeof(bytes));
    arch_encode(bytes, &contents, &extra, arch, split);
    assert_true(size <= ARCH_MAX_BYTES && size % 16 == 0);
    assert_int_equal(at(size), 0xeeeeeeeeeeeeeeee);
    return size;
}

static const struct arch_split whole;

#define EVERYTHING (BASIC | AUX | GPR | XMM | LBR_8 | GENERALS | FIXEDS)

/* All groups in one fragment, in their order; and each in a fragment of its own. */
UNIT_TEST(fragments)
{
    static const struct {
        uint64_t format;
        unsigned size;
        uint64_t first; /* the first word of the group */
    } groups[] = {
        { BASIC, 48, 0xa1a2 }, { AUX, 64, 0xd1d2 }, { GPR, 160, 0x246 },
        { XMM, 272, 2 },       { LBR_8, 240, 0 },   { GENERALS | FIXEDS, 48, 0x4100000082 },
    };
    const struct arch_contents arch = some_arch(EVERYTHING);
    struct arch_split split = { .cut = { false } };
    unsigned offset = 16;

    assert_int_equal(encode(&arch, &whole), 848);
    assert_int_equal(at(0), EVERYTHING | MODE_64 | 848);
    assert_int_equal(at(0x28), 0x10000); /* a valid retire latency of 0 */
    assert_int_equal(at(0x110), 0x5152); /* SSP */
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        assert_int_equal(at(offset), groups[i].first);
        offset += groups[i].size;
    }
    for (unsigned group = 0; group < ARCH_GROUPS; group++)
        split.cut[group] = true;
    assert_int_equal(encode(&arch, &split), 832 + 6 * 16);
    offset = 0;
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        const unsigned size = 16 + groups[i].size;

        assert_int_equal(at(offset), groups[i].format | MODE_64 | (i < 5 ? CONTINUE : 0) | size);
        assert_int_equal(at(offset + 8), 0);
        assert_int_equal(at(offset + 16), groups[i].first);
        offset += size;
    }
    /* A cut before a missing group, or after the last, makes no fragment. */
    struct arch_contents few = some_arch(BASIC | GPR);

    assert_int_equal(encode(&few, &split), 64 + 16 + 160);
    assert_int_equal(at(0), BASIC | MODE_64 | CONTINUE | 64);
    assert_int_equal(at(64), GPR | MODE_64 | 176);
    few.format = BASIC;
    assert_int_equal(encode(&few, &split), 64);
    assert_int_equal(at(0), BASIC | MODE_64 | 64);
}

/* A null record has only a size, and is at the start of a fragment. */
UNIT_TEST(null_records)
{
    const struct arch_contents arch = some_arch(BASIC | GPR | XMM);
    struct arch_split split = { .cut = { [GROUP_GPR] = true }, .null_bytes = { [GROUP_GPR] = 32, [GROUP_XER] = 16 } };

    assert_int_equal(encode(&arch, &split), 64 + 32 + 16 + 160 + 272);
    assert_int_equal(at(0), BASIC | MODE_64 | CONTINUE | 64);
    assert_int_equal(at(64), 32);
    assert_int_equal(at(72), 0);
    assert_int_equal(at(80), 0);
    assert_int_equal(at(88), 0);
    assert_int_equal(at(96), GPR | XMM | MODE_64 | 448);
    split.null_bytes[GROUP_BASIC] = 16; /* only the first fragment has the basic group */
    assert_int_equal(encode(&arch, &split), 64 + 32 + 16 + 160 + 272);
    assert_int_equal(at(0), BASIC | MODE_64 | CONTINUE | 64);
}

/* --- the processor ----------------------------------------------------------------------------------------------- */

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

/* Outside IA-32e mode the upper halves are zero, and the mode bit is clear. */
UNIT_TEST(legacy_mode)
{
    struct machine *m = machine_with_buffer(0, 4096);

    m->ia32e = false;
    m->registers.general[RAX] = 0x100000001;
    m->registers.general[R8] = 0x200000002;
    m->xmm[7][0] = 7;
    m->xmm[8][0] = 8;
    m->ymmh[7][0] = 9;
    m->ymmh[8][0] = 10;
    arm(m, 2, INST_RETIRED, 5, GPR | XMM | YMMH);
    wrmsr(m, GLOBAL_CTRL, 1 << 2);
    run(m, block_new(0, 6, END_REL_JMP)), finish(m);
    EXPECT_MEMORY(m, { PEBS, BASIC | GPR | CONTINUE | 224 }, { PEBS + 0x50, 1 }, { PEBS + 0x90, 0 },
                  { PEBS + 0xe0, XMM | YMMH | 544 }, { PEBS + 0xf0, 6 }, { PEBS + 0x170, 7 }, { PEBS + 0x180, 0 },
                  { PEBS + 0x270, 9 }, { PEBS + 0x280, 0 });
}

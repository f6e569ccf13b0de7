/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clearwater Forest in the model: CPUID and registers against independent facts, like test_model_processors.c for older
 * processors. Sources: Linux 6.19 (arch/x86/events/intel/core.c, asm/perf_event.h, asm/msr-index.h); reserved bits:
 * Intel's KVM for guests with architectural PEBS.
 */
#include "tests/host/model_machine.h"

#include "model/engine/msr.h"

#define CLEARWATERFOREST "clearwaterforest"

#define ANY 0xffffffffu

/* The model's result for QEMU's answer without bits, and with all. */
UNIT_TEST(cpuid)
{
    static const struct {
        uint32_t leaf, subleaf, least[4], most[4];
    } rows[] = {
        { 0x01, 0, { 0xd06d1, 0, 0x8014, 0x200000 }, { 0xd06d1, ANY, ANY, ANY } },
        { 0x07, 0, { 1, 2, 0, 0x80000 }, { 1, ANY, ANY, ANY } },
        { 0x07, 1, { 0x100, 0, 0, 0 }, { ANY, ANY, ANY, ANY } },
        { 0x07, 2, { 0, 0, 0, 0 }, { ANY, ANY, ANY, ANY } },
        { 0x0a, 0, { 0x0d300806, 0x80, 0x77, 0x8603 }, { 0x0d300806, 0x80, 0x77, 0x8603 } },
        { 0x0e, 0, { 0 }, { 0 } },
        { 0x1a, 0, { 0x20000004, 0, 0, 0 }, { 0x20000004, 0, 0, 0 } },
        { 0x1c, 0, { 0xc000000b, 7, 0xf0007, 0 }, { 0xc000000b, 7, 0xf0007, 0 } },
        { 0x22, 0, { 0 }, { 0 } },
        { 0x23, 0, { 0x3f, 3, 8, 0 }, { 0x3f, 3, 8, 0 } },
        { 0x23, 1, { 0xff, 0x77, 0, 0 }, { 0xff, 0x77, 0, 0 } },
        { 0x23, 2, { 0xfc, 3, 0xfc, 3 }, { 0xfc, 3, 0xfc, 3 } },
        { 0x23, 3, { 0x1f7f, 0, 0, 0 }, { 0x1f7f, 0, 0, 0 } },
        /* AUX, GPR, YMMH, XMM, LBR, fixed and general counts, allowed */
        { 0x23, 4, { 0, 0x60060338, 0, 0 }, { 0, 0x60060338, 0, 0 } },
        { 0x23, 5, { 0xff, 0x03, 0x77, 0x01 }, { 0xff, 0x03, 0x77, 0x01 } },
        { 0x23, 6, { 0 }, { 0 } },
        { 0x80000001, 0, { 0, 0, 0, 0 }, { 0, 0, 0x121, 0x2c100800 } },
    };
    struct machine *m = machine_of(CLEARWATERFOREST);
    uint32_t regs[4] = { 0 };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        memset(regs, 0, sizeof(regs));
        cpuid_read(&m->v, rows[i].leaf, rows[i].subleaf, regs);
        assert_memory_equal(regs, rows[i].least, sizeof(regs));
        memset(regs, 0xff, sizeof(regs));
        cpuid_read(&m->v, rows[i].leaf, rows[i].subleaf, regs);
        assert_memory_equal(regs, rows[i].most, sizeof(regs));
    }
    cpuid_read(&m->v, 0, 0, regs);
    assert_int_equal(regs[0], 0x23);
    assert_int_equal(cpuid_leaf(&m->v, 0x23), 0x23);
    assert_int_equal(cpuid_leaf(&m->v, 0x24), 0x23);
}

#define B(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define COUNTERS     UINT64_C(0x77000000ff)
#define CFG_C        (B(63, 61) | B(50, 49) | B(41, 40) | B(37, 35) | B(31, 0))
#define RELOADS      UINT64_C(0x3000000fc) /* general counters 2 to 7, fixed ones 0 and 1 */
#define SELECT       (B(47, 40) | B(36, 36) | B(31, 22) | B(20, 20) | B(18, 0))

/* Each bit of each register: whether WRMSR accepts it, and whether it reads back. */
UNIT_TEST(registers)
{
    static const struct {
        uint32_t first, count, stride;
        uint64_t kept, dropped, reset;
    } rows[] = {
        { 0x3f4, 1, 1, B(39, 12) | B(3, 0), 0, 0 }, /* the machine has 40 bits of physical address */
        { 0x3f5, 1, 1, B(58, 36) | B(32, 31) | B(26, 4), 0, 0 },
        { 0x3f6, 1, 1, B(15, 0), 0, 0 },
        { 0x4c1, 8, 1, B(47, 0), 0, 0 },
        { 0x186, 4, 1, SELECT | B(35, 35), 1 << 21, 0 },
        { 0x18a, 4, 1, SELECT, 1 << 21, 0 },
        { 0x309, 3, 1, B(47, 0), 0, 0 },
        { 0x30d, 3, 1, B(47, 0), 0, 0 },
        /* a nibble each for fixed counters 0 to 2 and 4 to 6, AnyThread dropped */
        { 0x38d, 1, 1, 0x0bbb0bbb, 0x04440444, 0 },
        { 0x38f, 1, 1, COUNTERS, 0, 0xff },
        { 0x1a6, 2, 1, B(63, 0), 0, 0 },
        { 0x1d9, 1, 1, 0xdfc2, 1, 0 },
        { 0x14ce, 1, 1, 0x7f000f, 0, 0 },
        { 0x1200, 32, 1, B(63, 56) | B(39, 32) | B(15, 0), B(55, 40) | B(31, 16), 0 },
        { 0x1900, 8, 4, B(47, 0), 0, 0 },
        { 0x1901, 4, 4, SELECT | B(35, 35), 1 << 21, 0 },
        { 0x1911, 4, 4, SELECT, 1 << 21, 0 },
        { 0x1902, 2, 4, 0, 0, 0 },
        { 0x190a, 6, 4, RELOADS, 0, 0 },
        { 0x1903, 8, 4, CFG_C, 0, 0 },
        { 0x1980, 3, 4, B(47, 0), 0, 0 },
        { 0x1982, 2, 4, RELOADS, 0, 0 },
        { 0x198a, 1, 4, 0, 0, 0 },
        { 0x1983, 3, 4, CFG_C, 0, 0 },
        { 0x1990, 3, 4, B(47, 0), 0, 0 },
        { 0x1992, 3, 4, 0, 0, 0 },
        { 0x1993, 3, 4, CFG_C, 0, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t kept = rows[i].kept, dropped = rows[i].dropped;
        struct machine *m = machine_of(CLEARWATERFOREST);

        for (unsigned n = 0; n < rows[i].count; n++) {
            const uint32_t address = rows[i].first + n * rows[i].stride;

            assert_int_equal(rdmsr(m, address), rows[i].reset);
            for (unsigned bit = 0; bit < 64; bit++) {
                const uint64_t value = UINT64_C(1) << bit;
                const uint64_t before = rdmsr(m, address);
                const bool taken = (kept | dropped) & value;

                assert_int_equal(try_write(m, address, value), taken ? MSR_DONE : MSR_GP);
                assert_int_equal(rdmsr(m, address), kept & value ? value : taken ? 0 : before);
            }
            assert_int_equal(try_write(m, address, 0), MSR_DONE);
        }
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * What public boot logs of Linux print of IA32_PERF_CAPABILITIES and of the LBR stack ("PEBS fmt4+-baseline,
 * PEBS-via-PT, .., 32-deep LBR"), against what the kernel concludes from this register.
 */
#include "tests/host/unit_test.h"

#include "tests/host/processors.h"

#define TRAP        (1u << 6)
#define BASELINE    (1u << 14)
#define FORMAT(n)   ((n) << 8)
#define FORMAT_BITS FORMAT(15u)
#define OUTPUT_PT   (1u << 16)

UNIT_TEST(capabilities)
{
    static const struct {
        uint32_t signature, known, value; /* bits of IA32_PERF_CAPABILITIES: those that Linux printed, their values */
        const char *core;
        unsigned depth; /* of model-specific LBRs */
        const char *seen;
    } rows[] = {
        { 0x6f2, TRAP | FORMAT_BITS, 0, "Core 2", 4, "T5600, T7400, 6300, 6400, 6600, U7500" },
        { 0x6f6, TRAP | FORMAT_BITS, 0, "Core 2", 4, "T7400, 6600" },
        { 0x10661, TRAP | FORMAT_BITS, 0, "Core 2", 4, "Celeron 550" },
        { 0x6fb, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "E6550, E6750, E6850, T7250" },
        { 0x6fd, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "E4500, T5550, T5800" },
        { 0x10676, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "T8300" },
        { 0x1067a, TRAP | FORMAT_BITS, TRAP, "Core 2", 4, "E5300, E5700, Q9650" },
        { 0x106c2, TRAP | FORMAT_BITS, TRAP, "Bonnell", 8, "N270" },
        { 0x106ca, TRAP | FORMAT_BITS, TRAP, "Bonnell", 8, "N450, D525" },
        { 0x30678, TRAP | FORMAT_BITS, TRAP | FORMAT(2), "Silvermont", 8, "N2930, E3815" },
        { 0x406c3, TRAP | FORMAT_BITS, TRAP | FORMAT(2), "Silvermont", 8, "N3150, N3700, Z8300" },
        { 0x906c0, TRAP | FORMAT_BITS | BASELINE | OUTPUT_PT, TRAP | FORMAT(4) | BASELINE | OUTPUT_PT, "Tremont", 32,
          "N5105" },
        { 0xb06e0, TRAP | FORMAT_BITS | BASELINE | OUTPUT_PT, TRAP | FORMAT(4) | BASELINE | OUTPUT_PT, "Gracemont", 0,
          "N100" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct caps_input input = skylake_input();

        input.leaf_1.eax = rows[i].signature;
        input.perf_capabilities.value = rows[i].value;
        const struct caps caps = caps_of(input);

        print_message("# %x, %s\n", rows[i].signature, rows[i].seen);
        assert_string_equal(caps.core, rows[i].core);
        assert_int_equal(caps.pebs_trap_like, (rows[i].value & TRAP) != 0);
        assert_int_equal(caps.pebs_form.format, rows[i].value >> 8 & 15);
        assert_int_equal(caps.pebs_baseline, (rows[i].value & BASELINE) != 0);
        assert_int_equal(caps.pebs_output_pt, (rows[i].value & OUTPUT_PT) != 0);
        if (rows[i].depth)
            assert_int_equal(caps.lbr_depth, rows[i].depth);
    }
}

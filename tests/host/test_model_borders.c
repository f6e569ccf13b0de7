/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers whose base, index, maximum and threshold are at the borders of numbers and of address spaces, in each format
 * of records. The engine ends, writes nothing outside the buffer, and the referee names the mistake once.
 */
#include "tests/host/model_machine.h"

#define LOW_MEMORY 0x100000
#define BUFFER     (m->memory_at + 0x4000)
#define RECORDS    10

static const struct form {
    const char *profile;
    enum facility facility;
    unsigned width, record; /* bytes; an adaptive record has only the basic group */
} forms[] = {
    { "skylake", FACILITY_BTS, 8, 24 },   { "pentium-m", FACILITY_BTS, 4, 12 }, { "skylake", FACILITY_PEBS, 8, 200 },
    { "netburst", FACILITY_PEBS, 4, 40 }, { "icelake", FACILITY_PEBS, 8, 32 },
};

/* Values of a field, relative to the buffer if `inside`. */
static uint64_t border(const struct machine *m, const struct form *f, unsigned i)
{
    const uint64_t top = f->width == 4 ? UINT32_MAX : UINT64_MAX, r = f->record;
    const uint64_t values[] = {
        BUFFER,
        BUFFER + r,
        BUFFER + RECORDS * r,
        BUFFER + RECORDS * r + 1,
        BUFFER - r,
        BUFFER + r - 1,
        0,
        1,
        r - 1,
        r,
        top,
        top - 1,
        top - r,
        top - r + 1,
        top - r + 2,
        top / 2,
        top / 2 + 1,
        UINT64_C(0x7fffffffffff) & top,
        UINT64_C(0x800000000000) & top,
        UINT64_C(0xffff7fffffffffff) & top,
        UINT64_C(0xffff800000000000) & top,
        (m->memory_at + MEMORY_SIZE - r) & top,
    };

    return i < COUNT_OF(values) ? values[i] : 0;
}
#define BORDERS 22

/* A machine as after power-on, which reports again, without the time to allocate one. Returns where its report will
 * begin. */
static size_t restart(struct machine *m)
{
    engine_reset(&m->v);
    memset(m->v.reports, 0, sizeof(m->v.reports));
    memset(m->memory, 0x11, sizeof(m->memory));
    fflush(m->violations);
    return m->violations_size;
}

static uint64_t field(const struct machine *m, const struct form *f, unsigned n)
{
    uint64_t value = 0;

    memcpy(&value, m->memory + ((f->facility == FACILITY_PEBS ? 4 : 0) + n) * f->width, f->width);
    return value;
}

static void set_fields(struct machine *m, const struct form *f, const uint64_t fields[4])
{
    for (unsigned n = 0; n < 4; n++)
        memcpy(m->memory + ((f->facility == FACILITY_PEBS ? 4 : 0) + n) * f->width, &fields[n], f->width);
}

/* Records 14 branches or samples with these fields: base, index, maximum, threshold. */
static void record(struct machine *m, const struct form *f, const uint64_t fields[4], bool noted)
{
    struct block *const b = block_make(0, 4, END_REL_JMP);
    const uint64_t reset = -UINT64_C(3);

    set_fields(m, f, fields);
    memcpy(m->memory + 8 * f->width, &reset, sizeof(reset));
    m->at_hand = noted;
    wrmsr(m, DS_AREA, m->memory_at);
    if (f->facility == FACILITY_BTS) {
        wrmsr(m, DEBUGCTL, m->v.profile->debugctl->tr | m->v.profile->debugctl->bts | m->v.profile->debugctl->btint);
    } else if (f->width == 4) { /* RAT_ESCR0, CRU_ESCR2 and IQ_COUNTER4, as in test_model_netburst.c; CCCR16 */
        WRMSR(m, { 0x3bc, UINT64_C(2) << 25 | 2u << 9 | 0xc }, { 0x3cc, UINT64_C(8) << 25 | 1u << 9 | 0xc },
              { 0x310, (uint64_t)-3 }, { PEBS_ENABLE, UINT64_C(1) << 25 }, { 0x370, 0x3b000 });
    } else {
        WRMSR(m, { EVTSEL0, EVTSEL_ON | INST_RETIRED }, { PMC0, (uint32_t)-3 }, { PEBS_ENABLE, 1 }, { GLOBAL_CTRL, 1 });
    }
    for (unsigned i = 0; i < 14; i++) {
        access_memory(m, b, 0x5000, 4, LOADS);
        m->lvtpc = 0x40;
    }
    if (f->facility == FACILITY_BTS)
        wrmsr(m, DEBUGCTL, 0);
    else if (f->width == 4)
        WRMSR(m, { 0x370, 0 }, { PEBS_ENABLE, 0 });
    else
        WRMSR(m, { GLOBAL_CTRL, 0 }, { PEBS_ENABLE, 0 });
    fflush(m->violations);
    free(b);
}

static unsigned times(const char *text, const char *name)
{
    unsigned n = 0;

    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        n++;
    return n;
}

/* Sums here have 128 bits. */
static void check(struct machine *m, const struct form *f, const uint64_t fields[4], const char *said)
{
    typedef unsigned __int128 wide;
    const uint64_t base = fields[0], index = fields[1], maximum = fields[2];
    const bool room = (wide)base + f->record <= maximum;
    const bool outside = room && (index < base || index > maximum || (index - base) % f->record != 0);

    assert_int_equal(times(said, " ds-buffer-too-small: "), !room);
    assert_int_equal(times(said, " ds-index-outside: "), outside);
    assert_null(strstr(said, "rip=0x0 "));
    for (unsigned at = 0x1000; at < MEMORY_SIZE; at++) {
        const uint64_t address = m->memory_at + at;
        /* without room for a record, branches are stored at the base */
        const bool stored = f->facility == FACILITY_BTS && address - base < f->record;

        if (m->memory[at] != 0x11 && !stored && (address < base || address >= maximum))
            fail_msg("%s wrote to 0x%llx", f->profile, (unsigned long long)address);
    }
    for (unsigned n = 0; n < 4; n++)
        if (n != 1)
            assert_int_equal(field(m, f, n), fields[n]);
}

UNIT_TEST(borders_of_buffers)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        struct machine *m = machine_of(forms[i].profile);

        m->memory_at = forms[i].width == 4 ? LOW_MEMORY : MEMORY;
        for (unsigned two = 0; two < 6; two++) { /* of the four fields, these two differ from the right ones */
            static const unsigned pairs[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

            for (unsigned k = 0; k < BORDERS * BORDERS; k++) {
                const size_t said = restart(m);
                uint64_t fields[4] = { BUFFER, BUFFER, BUFFER + RECORDS * forms[i].record,
                                       BUFFER + (RECORDS - 3) * forms[i].record };

                fields[pairs[two][0]] = border(m, &forms[i], k % BORDERS);
                fields[pairs[two][1]] = border(m, &forms[i], k / BORDERS);
                record(m, &forms[i], fields, k & 1);
                check(m, &forms[i], fields, m->violations_text + said);
                assert_true(two + k > 0 || m->memory[0x4000] != 0x11); /* with right fields it records */
            }
        }
    }
}

#define PEBS_BASE   0x3f4
#define PEBS_INDEX  0x3f5
#define GP_CTR(n)   (0x1900 + 4 * (n))
#define GP_CFG_A(n) (0x1901 + 4 * (n))
#define GP_CFG_C(n) (0x1903 + 4 * (n))

/* Architectural PEBS: physical addresses and sizes of the buffer, and offsets of the next record and of the threshold.
 */
UNIT_TEST(borders_of_arch_pebs)
{
    static const uint64_t bases[] = { 0, 0x1000, 0x3000, 0x300f, 0xf000, 0x10000, 0xfffffff000, 0xfffffff00f };
    static const uint64_t offsets[] = { 0,    16,   4096 - 80, 4096 - 64, 4096 - 48, 4096 - 16,
                                        4096, 4112, 0x7ffffb0, 0x7ffffc0, 0x7fffff0 };
    struct block *const b = block_make(0, 4, END_REL_JMP);
    struct machine *m = machine_of("clearwaterforest");

    for (unsigned k = 0; k < COUNT_OF(bases) * COUNT_OF(offsets) * COUNT_OF(offsets); k++) {
        const uint64_t base = bases[k % COUNT_OF(bases)], next = offsets[k / COUNT_OF(bases) % COUNT_OF(offsets)];
        const uint64_t threshold = offsets[k / COUNT_OF(bases) / COUNT_OF(offsets)];
        const uint64_t from = base & ~UINT64_C(0xfff), size = UINT64_C(4096) << (base & 0xf);
        const size_t start = restart(m);

        WRMSR(m, { GLOBAL_CTRL, 0 }, { PEBS_BASE, base }, { PEBS_INDEX, UINT64_C(1) << 32 | threshold << 32 | next },
              { GP_CFG_C(2), UINT64_C(1) << 63 | (uint32_t)-3 }, { GP_CFG_A(2), EVTSEL_ON | INST_RETIRED },
              { GP_CTR(2), -UINT64_C(3) & 0xffffffffffff }, { GLOBAL_CTRL, 4 });
        for (unsigned i = 0; i < 14; i++) {
            run(m, b);
            m->lvtpc = 0x40;
        }
        wrmsr(m, GLOBAL_CTRL, 0);
        fflush(m->violations);

        const char *const said = m->violations_text + start;

        assert_int_equal(times(said, " pebs-index-outside: "), next > size);
        assert_int_equal(times(said, " pebs-threshold-outside: "), threshold > size);
        assert_null(strstr(said, "rip=0x0 "));
        for (uint64_t at = 0; at < MEMORY_SIZE; at++)
            if (m->memory[at] != 0x11 && (at < from + next || at - from >= size))
                fail_msg("wrote to 0x%llx", (unsigned long long)at);
        assert_true((rdmsr(m, PEBS_INDEX) & 0x7fffff0) >= next);
    }
    free(b);
}

/* SPDX-License-Identifier: MIT */
/*
 * The local APIC as memory and as MSRs, and IA32_APIC_BASE as a variable: which APICs are refused, which registers are
 * written, and how long a command may take. Offsets and bits: SDM Vol. 3A (253668-081), "Local APIC Register Address
 * Map", "x2APIC Register Address Space", "Interrupt Command Register (ICR)", "x2APIC State Transitions".
 */
#include "tests/host/map_at.h"
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Replaces arch/x86/cpu.h. */
#define ARCH_X86_CPU_H
struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};
static struct cpuid cpuid(uint32_t leaf, uint32_t subleaf);
static void cpu_pause(void);
static void memory_fence(void);
static void interrupts_on(void);
static void interrupts_off(void);
static bool interrupts_allowed;

#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"

#define X2APIC   (UINT64_C(1) << 10)
#define ENABLE   (UINT64_C(1) << 11)
#define FIXED_AT UINT64_C(0xfee00000)
#define MEMORY   UINT64_C(0x10000000) /* where the registers are in these tests */

static struct {
    uint64_t base; /* IA32_APIC_BASE */
    bool read_raises, write_raises, keeps_off, locked;
    unsigned writes;
    uint64_t by_msr[0x40]; /* the registers in x2APIC mode, one every 10H of their offsets */
    unsigned fences, fences_at_command;
    unsigned eois;
    unsigned pauses, delivered_after; /* PAUSEs until a command's delivery status clears; 0: never */
    bool on;                          /* interrupts */
    unsigned pauses_on;
    uint32_t highest_leaf, leaf_7_edx;
    uint64_t capabilities, disable_status;
    interrupt_handler *spurious;
    bool (*stray)(unsigned vector);
} machine;

static volatile uint32_t *memory; /* below 4 GiB, as the kernel wants it */

FAKE(static bool, in_x2apic, (void), (machine.base & X2APIC) != 0)
FAKE(static uint32_t, at, (unsigned offset), in_x2apic() ? (uint32_t)machine.by_msr[offset / 16] : memory[offset / 4])

static void put(unsigned offset, uint32_t value)
{
    if (in_x2apic())
        machine.by_msr[offset / 16] = value;
    else
        memory[offset / 4] = value;
}

FAKE(static struct cpuid, cpuid, (uint32_t leaf, uint32_t subleaf), assert_int_equal(subleaf, 0),
     leaf ? (struct cpuid){ .edx = machine.leaf_7_edx } : (struct cpuid){ .eax = machine.highest_leaf })
FAKE_STATIC_VOID(memory_fence, (void), machine.fences++)

static void interrupts_on(void)
{
    assert_true(interrupts_allowed);
    assert_int_equal(at(0x80), 0xd0); /* the task priority is already set */
    machine.on = true;
}

FAKE_STATIC_VOID(interrupts_off, (void), machine.on = false)

static void cpu_pause(void)
{
    machine.pauses_on += machine.on;
    if (++machine.pauses == machine.delivered_after)
        memory[0x300 / 4] &= ~UINT32_C(0x1000);
}

bool msr_read(uint32_t msr, uint64_t *value)
{
    if (msr - 0x800 < COUNT_OF(machine.by_msr)) {
        assert_true(in_x2apic());
        *value = machine.by_msr[msr - 0x800];
        return true;
    }
    if (msr == 0xbd || msr == 0x10a) {
        *value = msr == 0xbd ? machine.disable_status : machine.capabilities;
        return true;
    }
    assert_int_equal(msr, 0x1b);
    *value = machine.read_raises ? 0 : machine.base;
    return !machine.read_raises;
}

/* An EOI ends the interrupt in service that has the highest vector. */
static void end_one(void)
{
    machine.eois++;
    for (unsigned vector = 256; vector-- > 0;) {
        uint64_t *const word = &machine.by_msr[0x10 + vector / 32];
        if (*word >> vector % 32 & 1) {
            *word &= ~(UINT64_C(1) << vector % 32);
            return;
        }
    }
}

/* x2APIC mode, unless locked, can be left only through the disabled state. It is entered from xAPIC mode. */
bool msr_write(uint32_t msr, uint64_t value)
{
    const uint64_t to = value & (X2APIC | ENABLE), from = machine.base & (X2APIC | ENABLE);

    if (msr - 0x800 < COUNT_OF(machine.by_msr)) {
        assert_true(in_x2apic());
        if (msr == 0x80b)
            end_one();
        if (msr == 0x830)
            machine.fences_at_command = machine.fences;
        machine.by_msr[msr - 0x800] = value;
        return true;
    }
    assert_int_equal(msr, 0x1b);
    if (machine.write_raises || to == X2APIC || (from == (X2APIC | ENABLE) && (to == ENABLE || machine.locked)) ||
        (from == 0 && to == (X2APIC | ENABLE)))
        return false;
    machine.writes++;
    machine.base = machine.keeps_off ? value & ~ENABLE : value;
    return true;
}

FAKE_VOID(interrupt_set, (unsigned vector, interrupt_handler *handler), assert_int_equal(vector, 0xff),
          machine.spurious = handler)
FAKE_VOID(interrupts_set_stray, (bool (*take)(unsigned vector)), machine.stray = take)

#include "arch/x86/devices/apic.c"

/* An APIC with these bits of IA32_APIC_BASE and six LVT entries, all active. */
static void start(uint64_t base)
{
    memset(&machine, 0, sizeof machine);
    machine.base = base;
    memory = map_at(MEMORY, 4096);
    for (unsigned i = 0; i < 0x400 / 4; i++)
        memory[i] = 0xffffff50;
    for (unsigned i = 0x100; i < 0x280; i += 0x10)
        memory[i / 4] = 0;
    put(0x30, 0x50014);
    apic = NULL;
    registers = NULL;
    interrupts_allowed = false;
    memset((void *)(uintptr_t)&strays, 0, sizeof strays);
}

/* Makes that APIC, and initializes it without an error. */
static void begin(uint64_t base)
{
    start(base);
    assert_int_equal(apic_init(MEMORY), APIC_OK);
    machine.pauses = 0;
}

static const uint64_t modes[] = { FIXED_AT | ENABLE, FIXED_AT | ENABLE | X2APIC };

/*
 * The mode that firmware selected stays: leaving x2APIC mode may raise #GP, and the kernel works in both modes. In
 * x2APIC mode the base address is ignored.
 */
UNIT_TEST(usable_apics)
{
    static const struct {
        uint64_t has, at;
        bool read_raises, write_raises, keeps_off, locked;
        uint32_t version; /* if not that of six entries */
        enum apic_error error;
        uint64_t gets;
    } rows[] = {
        { .has = ENABLE, .at = MEMORY, .gets = ENABLE },
        { .has = 0, .at = MEMORY, .gets = ENABLE },
        { .has = ENABLE | X2APIC, .at = MEMORY, .locked = true, .gets = ENABLE | X2APIC },
        { .has = ENABLE | X2APIC, .at = UINT64_C(0x100000000), .gets = ENABLE | X2APIC },
        { .has = ENABLE, .at = 0, .error = APIC_BASE },
        { .has = ENABLE, .at = UINT64_C(0x100000000), .error = APIC_BASE },
        { .has = ENABLE, .at = MEMORY, .read_raises = true, .error = APIC_RAISES_GP },
        { .has = 0, .at = MEMORY, .write_raises = true, .error = APIC_MODE },
        { .has = 0, .at = MEMORY, .keeps_off = true, .error = APIC_MODE },
        { .has = ENABLE, .at = MEMORY, .version = UINT32_MAX, .error = APIC_SILENT },
        { .has = ENABLE | X2APIC, .at = MEMORY, .version = UINT32_MAX, .error = APIC_SILENT },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bool wide = rows[i].gets & X2APIC;
        start(FIXED_AT | 0x100 | rows[i].has);
        if (rows[i].version)
            put(0x30, rows[i].version);
        machine.read_raises = rows[i].read_raises;
        machine.write_raises = rows[i].write_raises;
        machine.keeps_off = rows[i].keeps_off;
        machine.locked = rows[i].locked;
        assert_int_equal(apic_init(rows[i].at), rows[i].error);
        assert_int_equal(apic_present(), !rows[i].error);
        if (!rows[i].error) {
            assert_int_equal(machine.base, FIXED_AT | 0x100 | rows[i].gets);
            assert_int_equal(machine.writes, rows[i].has != rows[i].gets);
            assert_string_equal(apic_mode(), wide ? "x2APIC" : "xAPIC");
            assert_int_equal(apic_id_most(), wide ? 0xfffffffe : 254);
            continue;
        }
        assert_false(interrupts_allowed);
        assert_true(!machine.spurious && !machine.stray);
        assert_int_equal(machine.pauses, 0);
        assert_true(!rows[i].version || at(0xf0) != 0x1ff);
    }
    for (unsigned i = 0; i < 2; i++) { /* all bits clear */
        start(modes[i]);
        put(0x30, 0);
        assert_int_equal(apic_init(MEMORY), APIC_SILENT);
    }
    start(UINT64_C(0xfff00000fee00000) | 0xd00);
    assert_int_equal(apic_address(), FIXED_AT);
}

UNIT_TEST(other_processors_follow)
{
    static const struct {
        uint64_t boot, has;
        unsigned writes;
    } rows[] = {
        { ENABLE, ENABLE, 0 },          { ENABLE, 0, 1 },
        { ENABLE, ENABLE | X2APIC, 2 }, { ENABLE | X2APIC, ENABLE | X2APIC, 0 },
        { ENABLE | X2APIC, ENABLE, 2 }, { ENABLE | X2APIC, 0, 2 },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        begin(FIXED_AT | rows[i].boot);
        machine.base = FIXED_AT | rows[i].has;
        assert_int_equal(apic_enter(), APIC_OK);
        assert_int_equal(machine.writes, rows[i].writes);
        assert_int_equal(machine.base, FIXED_AT | rows[i].boot);
    }
    begin(FIXED_AT | ENABLE);
    machine.base |= X2APIC;
    machine.locked = true;
    assert_int_equal(apic_enter(), APIC_MODE);
    machine.read_raises = true;
    assert_int_equal(apic_enter(), APIC_RAISES_GP);
}

/* The CMCI entry exists if there are seven entries, the thermal entry if there are six. LINT1 delivers NMIs. */
UNIT_TEST(all_but_lint1_is_masked_at_first)
{
    for (unsigned i = 0; i < 8; i++) {
        const unsigned last = i % 4 ? 3 + i % 4 : 0;
        start(modes[i / 4]);
        put(0x30, last << 16 | 0x14);
        put(0x2f0, 0xf0);
        put(0x330, 0xf1);
        assert_int_equal(apic_init(MEMORY), APIC_OK);
        assert_int_equal(at(0xf0), 0x1ff);
        for (unsigned lvt = 0x320; lvt <= 0x370; lvt += 0x10)
            assert_int_equal(at(lvt), lvt == 0x360 ? 0x400 : lvt == 0x330 && last < 5 ? 0xf1 : 0x10000);
        assert_int_equal(at(0x2f0), last < 6 ? 0xf0 : 0x10000);
        assert_int_equal(at(0x380), 0);
        assert_int_equal(at(0x80), 0xd0);
    }
}

/* Interrupts in service are ended first. Pending ones are delivered once all sources are masked. */
UNIT_TEST(interrupts_of_firmware_are_ended)
{
    start(FIXED_AT | ENABLE | X2APIC);
    machine.by_msr[0x10] = UINT64_C(0x80010000); /* vectors 16 and 31 */
    machine.by_msr[0x17] = UINT64_C(0x80200000); /* F5H and FFH */
    machine.by_msr[0x18] = 1;                    /* trigger mode registers, which follow the in-service registers */
    assert_int_equal(apic_init(MEMORY), APIC_OK);
    assert_int_equal(machine.eois, 4);
    for (unsigned i = 0x10; i < 0x18; i++)
        assert_int_equal(machine.by_msr[i], 0);
    assert_true(interrupts_allowed);
    assert_false(machine.on);
    assert_in_range(machine.pauses_on, 900, 1100);
    begin(FIXED_AT | ENABLE | X2APIC);
    assert_int_equal(machine.eois, 0);
}

/* The number of strays, and the last one's vector. */
static void expect_strays(unsigned count, unsigned vector)
{
    unsigned last = 0;

    assert_int_equal(apic_strays(&last), count);
    assert_true(!count || last == vector);
}

/* A stray interrupt is in service in the APIC; any other was not sent by the APIC. */
UNIT_TEST(strays_are_counted_and_ended)
{
    begin(FIXED_AT | ENABLE | X2APIC);
    machine.by_msr[0x12] = 1u << 5;
    assert_false(machine.stray(0x46));
    expect_strays(0, 0);
    assert_true(machine.stray(0x45));
    expect_strays(1, 0x45);
    assert_int_equal(machine.by_msr[0x12], 0);
    for (unsigned i = 1; i <= 1000; i++) { /* after a thousand, strays are not ended */
        machine.by_msr[0x17] = 1u << 14;
        assert_true(machine.stray(0xee));
        assert_int_equal(machine.by_msr[0x17], i < 1000 ? 0 : 1u << 14);
    }
    expect_strays(1001, 0xee);

    /* A real interrupt with the spurious vector is in service and needs an EOI; a spurious interrupt does not. */
    for (unsigned real = 0; real < 2; real++) {
        begin(FIXED_AT | ENABLE | X2APIC);
        machine.by_msr[0x17] = real << 31;
        machine.spurious(&(struct interrupt_frame){ .vector = 0xff });
        assert_int_equal(machine.eois, real);
        expect_strays(real, 0xff);
    }
}

/* All three bits must be set, and the leaf must exist. */
UNIT_TEST(a_locked_mode_is_known)
{
    for (unsigned lacks = 0; lacks < 5; lacks++) {
        begin(FIXED_AT | ENABLE | X2APIC);
        machine.highest_leaf = lacks == 1 ? 6 : 7;
        machine.leaf_7_edx = lacks == 2 ? ~(1u << 29) : 1u << 29;
        machine.capabilities = lacks == 3 ? ~(UINT64_C(1) << 21) : 1u << 21;
        machine.disable_status = lacks == 4 ? ~UINT64_C(1) : 1;
        assert_int_equal(apic_locked(), lacks == 0);
    }
}

/*
 * Two registers, or one of 64 bits in x2APIC mode, which is written after earlier stores are visible, and without
 * waiting for the delivery.
 */
static void expect_command(uint32_t to, uint32_t command, unsigned fences)
{
    assert_int_equal(in_x2apic() ? machine.by_msr[0x30] >> 32 : at(0x310) >> 24, to);
    assert_int_equal(at(0x300), command);
    assert_int_equal(machine.fences_at_command, in_x2apic() ? fences : 0);
    assert_int_equal(machine.pauses, 0);
}

UNIT_TEST(commands_have_their_formats)
{
    for (unsigned i = 0; i < COUNT_OF(modes); i++) {
        const uint32_t id = i ? 0x12345 : 0xfe;
        begin(modes[i]);
        assert_true(apic_send_init(id));
        expect_command(id, 0x4500, 1); /* INIT, level, asserted */
        assert_true(apic_send_startup(3, 0x9e000));
        expect_command(3, 0x469e, 2); /* SIPI */
        assert_true(apic_send(2, 0xe3));
        expect_command(2, 0xe3, 3);
        apic_send_self(0xe2);
        expect_command(0, 0x400e2, 4);
        put(0x20, i ? id : id << 24);
        assert_int_equal(apic_id(), id);
        put(0xb0, 1);
        apic_eoi();
        assert_int_equal(at(0xb0), 0);
    }
}

/* Bit 12 of the command is its delivery status. */
UNIT_TEST(a_command_is_waited_for)
{
    begin(FIXED_AT | ENABLE);
    machine.delivered_after = 7;
    assert_true(apic_send(2, 0x10e3));
    assert_int_equal(machine.pauses, 7);
    machine.delivered_after = 0;
    machine.pauses = 0;
    assert_false(apic_send(2, 0x10e3));
    assert_in_range(machine.pauses, 999998, 1000000);
}

/* The performance entry is armed and masked, the timer counts down once. */
UNIT_TEST(local_sources)
{
    for (unsigned i = 0; i < COUNT_OF(modes); i++) {
        start(modes[i]);
        put(0x340, 0x51);
        assert_int_equal(apic_performance_lvt(), 0x10000); /* without an APIC */
        apic_performance_mask();
        assert_int_equal(at(0x340), 0x51);
        begin(modes[i]);
        apic_performance_arm(0xe1);
        assert_int_equal(apic_performance_lvt(), 0xe1);
        apic_performance_write(0x184ff);
        assert_int_equal(at(0x340), 0x184ff);
        apic_performance_mask();
        assert_int_equal(at(0x340), 0x10000);
        apic_timer_start(0xf0, 12345);
        assert_int_equal(at(0x3e0), 0xa); /* divide by 128 */
        assert_int_equal(at(0x320), 0xf0);
        assert_int_equal(at(0x380), 12345);
        put(0x390, 99);
        assert_int_equal(apic_timer_left(), 99);
        apic_timer_start(0xf0, 0);
        assert_int_equal(at(0x320), 0x100f0);
        assert_int_equal(at(0x380), 0);
    }
}

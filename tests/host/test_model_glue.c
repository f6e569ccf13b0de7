/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the model reads from QEMU: page tables, the local APIC, frames of exceptions, code and memory. Here QEMU is a
 * register file and some memory, without private state. Boots show registers and interrupts, which each record has.
 */
#include "tests/host/model_qemu.h"

#define P_W_U        UINT64_C(7)
#define LARGE        UINT64_C(0x80)
#define TABLE(level) (UINT64_C(0x1000) * (level))

/* The control registers of a paging mode, and its geometry. */
struct paging {
    uint64_t cr4, efer;
    unsigned levels, bits, bytes;
    uint64_t address;
};

static const struct paging ways[] = {
    { 0, 0, 2, 10, 4, 0x8abcd000 },
    { 0x20, 0, 3, 9, 8, 0xcabcd000 },
    { 0x20, 0x400, 4, 9, 8, 0xffff812345678000 },
    { 0x1020, 0x400, 5, 9, 8, 0xff12345678abc000 },
};

/* Writes the entries for the address at each level: `upper`, and at leaf_level `leaf`. */
static void map(const struct paging *w, unsigned leaf_level, uint64_t upper, uint64_t leaf)
{
    memset(memory, 0, sizeof(memory));
    for (unsigned level = w->levels; level >= leaf_level; level--) {
        const uint64_t index = w->address >> (12 + w->bits * (level - 1)) & ((1u << w->bits) - 1);
        const uint64_t entry = level == leaf_level ? leaf : TABLE(level - 1) | upper;

        put(TABLE(level) + (level == 3 && w->levels == 3 ? index & 3 : index) * w->bytes, entry, w->bytes);
    }
    set("cr0", UINT64_C(0x80000001));
    set("cr3", TABLE(w->levels));
    set("cr4", w->cr4);
    set("efer", w->efer);
}

static uint64_t flags_at(struct processor *p, uint64_t address)
{
    return processor_host.page(p, address).flags;
}

/* An entry covers the rest of what it maps or leaves unmapped; so does the hole between the canonical halves. */
UNIT_TEST(covered_by_an_entry)
{
    struct processor *p = wide();

    assert_int_equal(processor_host.page(p, 0x1234).bytes, 0xffffedcc); /* without paging: up to 4 GiB */
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        const struct paging *w = &ways[i];

        for (unsigned level = 1; level <= w->levels; level++) {
            const uint64_t all = UINT64_C(1) << (12 + w->bits * (level - 1));
            const bool large = level == 2 || (level == 3 && w->levels > 3);

            for (unsigned mapped = 0; mapped <= large; mapped++) {
                map(w, level, P_W_U, mapped ? 0x67 | LARGE : 0);
                assert_int_equal(processor_host.page(p, w->address | (all - 1)).bytes, 1);
                assert_int_equal(processor_host.page(p, w->address & -all).bytes, all);
                assert_int_equal(processor_host.page(p, w->address & -all).flags, mapped ? 0xe7 : 0);
            }
        }
        if (w->levels > 3) {
            const uint64_t half = UINT64_C(1) << (w->levels == 4 ? 47 : 56);

            map(w, 1, P_W_U, 0x67);
            memset(memory, 0xff, MEMORY_SIZE); /* all entries are present */
            assert_int_equal(processor_host.page(p, half).flags, 0);
            assert_int_equal(processor_host.page(p, half).bytes, -(2 * half));
            assert_int_equal(processor_host.page(p, -half - 1).flags, 0);
            assert_int_equal(processor_host.page(p, -half - 1).bytes, 1);
        }
    }
}

UNIT_TEST(page_tables)
{
    struct processor *p = wide();

    assert_int_equal(flags_at(p, 0x1234), 0x63); /* without paging: present, writable, accessed, dirty */
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        const struct paging *w = &ways[i];
        const bool pae = w->levels == 3;

        map(w, 1, P_W_U, 0x9000 | 0x67);
        assert_int_equal(flags_at(p, w->address + 0xabc), 0x9067);
        map(w, 1, P_W_U, 0x9000 | 0x7f);
        assert_int_equal(flags_at(p, w->address), 0x907f);
        map(w, 1, P_W_U, 0x9000 | 0x61); /* the leaf is neither writable nor user */
        assert_int_equal(flags_at(p, w->address), 0x9061);
        map(w, 1, 0x3, 0x9000 | 0x67); /* the upper entries are not user */
        assert_int_equal(flags_at(p, w->address), 0x9063);
        map(w, 1, 0x5, 0x9000 | 0x67);
        assert_int_equal(flags_at(p, w->address), 0x9065);
        map(w, 1, 0x6, 0x9000 | 0x67);
        assert_int_equal(flags_at(p, w->address), 0);
        map(w, 1, P_W_U, 0x9000 | 0x66);
        assert_int_equal(flags_at(p, w->address), 0);
        assert_int_equal(flags_at(p, w->address ^ 0x1000), 0); /* another page */
        map(w, 2, P_W_U, 0x9000 | 0x67 | LARGE);               /* 2 or 4 MiB */
        assert_int_equal(flags_at(p, w->address), 0x90e7);
        if (w->levels > 3) {
            map(w, 3, P_W_U, 0x9000 | 0x63 | LARGE); /* 1 GiB */
            assert_int_equal(flags_at(p, w->address), 0x90e3);
            map(w, 4, P_W_U, TABLE(3) | 0x67 | LARGE); /* reserved at this level: not a large page */
            assert_int_equal(flags_at(p, w->address), 0);
        }
        if (w->levels < 4) { /* with 32-bit addresses, the upper half of a DS area's field is ignored */
            map(w, 1, P_W_U, 0x9000 | 0x67);
            assert_int_equal(flags_at(p, UINT64_C(0xffffffff00000000) | w->address), 0x9067);
        }
        if (pae) { /* PAE's four top entries lack these flags, and CR3 is aligned to 32 bytes */
            map(w, 1, P_W_U, 0x9000 | 0x67);
            put(0x8fe0 + (w->address >> 30) * 8, TABLE(2) | 1 | LARGE, 8);
            set("cr3", 0x8fe0 | 0x18);
            assert_int_equal(flags_at(p, w->address), 0x9067);
        }
    }
}

#define SPURIOUS        0xf0
#define IN_SERVICE_BITS 0x100
#define LVTPC           0x340
#define MASKED          0x10000u

UNIT_TEST(local_apic)
{
    struct processor *p = wide();

    set_apic(LVTPC, 0x4fe);
    assert_int_equal(processor_host.lvtpc(p), 0x4fe);
    assert_false(processor_in_x2apic_mode(p));
    set_apic(SPURIOUS, 0xff);
    assert_false(processor_host.apic_enabled(p));
    set_apic(SPURIOUS, 0x100);
    assert_true(processor_host.apic_enabled(p));
    for (unsigned vector = 32; vector < 256; vector++) {
        set_apic(IN_SERVICE_BITS + vector / 32 * 0x10, UINT32_C(1) << vector % 32);
        assert_int_equal(processor_host.in_service(p, (uint8_t)vector), IN_SERVICE);
        set_apic(IN_SERVICE_BITS + vector / 32 * 0x10, ~(UINT32_C(1) << vector % 32));
        assert_int_equal(processor_host.in_service(p, (uint8_t)vector), NOT_IN_SERVICE);
    }
    apic_hidden = true;
    p->x2apic_lvtpc = 0x1234;
    assert_true(processor_in_x2apic_mode(p));
    assert_int_equal(processor_host.lvtpc(p), 0x1234);
    assert_true(processor_host.apic_enabled(p));
    assert_int_equal(processor_host.in_service(p, 0x40), SERVICE_UNSEEN);
    processor_reset(p);
    assert_int_equal(processor_host.lvtpc(p),
                     MASKED); /* SDM Vol. 3A (253668-083), "Local APIC State After ... Reset" */
}

#define STACK 0x8000
#define IP    0x401234

/* The frame's words at STACK, the first `code` of them an error code. */
static void push(unsigned size, bool code, uint64_t cs, uint64_t flags, uint64_t sp)
{
    const uint64_t words[] = { IP, cs, flags, sp, 0x18 };

    memset(memory, 0, sizeof(memory));
    put(STACK, 0xbad, size);
    for (unsigned i = 0; i < COUNT_OF(words); i++)
        put(STACK + (i + code) * size, words[i], size);
}

UNIT_TEST(frames)
{
    static const struct {
        unsigned size;
        bool code;
        uint64_t cs, flags, handler_cs, sp;
        unsigned cpl;
    } rows[] = {
        { 8, false, 0x33, 0x202, 0x10, 0x7ffe1000, 3 }, { 8, true, 0x33, 0x246, 0x10, 0x7ffe1000, 3 },
        { 8, false, 0x10, 0x206, 0x10, 0x7008, 0 },     { 4, false, 0x1b, 0x202, 0x08, 0x6000, 3 },
        { 4, true, 0x1b, 0x202, 0x08, 0x6000, 3 },      { 4, false, 0x08, 0x202, 0x08, STACK + 12, 0 },
        { 4, true, 0x08, 0x202, 0x08, STACK + 16, 0 },  { 4, false, 0x7c0, 0x20202, 0x08, 0x6000, 3 },
        { 4, false, 0x09, 0x202, 0x09, STACK + 12, 1 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct processor *p = wide();
        uint64_t general[GENERAL_REGISTERS];

        push(rows[i].size, rows[i].code, rows[i].cs, rows[i].flags, rows[i].sp);
        set("rsp", STACK);
        set("cr0", 1);
        set("cs", rows[i].handler_cs);
        set("efer", rows[i].size == 8 ? 0x400 : 0);
        set("eflags", 0x2);
        assert_int_equal(processor_host.interrupted_cpl(p, IP, 2), rows[i].cpl);
        assert_int_equal(processor_host.interrupted_cpl(p, IP + 1, 2), 2); /* a different instruction */
        p->delivered = true;
        assert_int_equal(processor_host.registers(p, IP, general), rows[i].flags);
        assert_int_equal(general[RSP], rows[i].sp);
        assert_int_equal(processor_host.registers(p, IP + 1, general), 2);
        assert_int_equal(general[RSP], STACK);
        set("rsp", MEMORY_SIZE - 8); /* not in memory */
        assert_int_equal(processor_host.interrupted_cpl(p, IP, 1), 1);
    }
}

static void change(struct vcpu *v, uint64_t *flags, uint64_t *code)
{
    (void)v;
    *flags ^= 1;
    if (code != NULL)
        *code = 0x55;
}

/* A rule changes only the flags and the error code of a frame. */
UNIT_TEST(changed_frames)
{
    const struct rules changing = { .exception_pushed = change };

    for (unsigned k = 0; k < 8; k++) {
        const unsigned size = k & 1 ? 8 : 4;
        const bool code = k & 2, paging = k & 4;
        struct processor *p = wide();
        uint8_t before[MEMORY_SIZE];

        p->vcpu.rules = &changing;
        push(size, code, 0x10, 0x202, 0x7000);
        set("rsp", STACK);
        set("cr0", paging ? UINT64_C(0x80000001) : 1);
        set("efer", size == 8 ? 0x400 : 0);
        memcpy(before, memory, sizeof(before));
        if (paging) {
            before[STACK + (2 + code) * size] ^= 1;
            if (code) {
                memset(before + STACK, 0, size);
                before[STACK] = 0x55;
            }
        }
        processor_change_frame(p);
        assert_memory_equal(memory, before, sizeof(before));
        p->vcpu.rules = &rules_sdm;
        processor_change_frame(p);
        assert_memory_equal(memory, before, sizeof(before));
    }
}

UNIT_TEST(shared_areas)
{
    struct processor *p = wide(), *other = wide();

    other->vcpu.regs[REG_IA32_DS_AREA] = 0x5000;
    assert_false(processor_host.area_shared(p, 0x5000)); /* it does not record branches */
    other->vcpu.bts.on = true;
    assert_true(processor_host.area_shared(p, 0x5000));
    assert_false(processor_host.area_shared(p, 0x6000));
    assert_false(processor_host.area_shared(other, 0x5000)); /* its own area */
    other->vcpu.bts.on = false;
}

static bool has_code(struct processor *p, uint64_t address)
{
    uint64_t page;

    return processor_host.code(p, address, 1, false, &page);
}

UNIT_TEST(pages_with_code)
{
    struct processor *p = wide();

    set("efer", 0x400);
    processor_note_code(p, 0x101ff0, 0x102000);
    assert_true(has_code(p, 0x101000));
    assert_true(has_code(p, 0x101fff));
    assert_false(has_code(p, 0x102000));
    assert_false(has_code(p, 0x100fff));
    processor_note_code(p, 0x104fff, 0x106001);
    assert_false(has_code(p, 0x103000));
    assert_true(has_code(p, 0x104000));
    assert_true(has_code(p, 0x105000));
    assert_true(has_code(p, 0x106000));
    assert_false(has_code(p, 0x107000));
    assert_false(has_code(p, UINT64_C(0xffffffff00104000)));
    /* A page that was cleared and used again, or is another one in this address space. */
    memset(memory + STACK, 0x90, 8);
    processor_note_code(p, STACK, STACK + 4);
    memset(memory + STACK + 4, 0, 4);
    assert_true(has_code(p, STACK + 8));
    memory[STACK + 3] = 0;
    assert_false(has_code(p, STACK + 8));

    set("efer", 0); /* 32-bit linear addresses */
    assert_true(has_code(p, UINT64_C(0xffffffff00104000)));
    assert_false(has_code(p, UINT64_C(0xffffffff00107000)));
}

/* Between blocks, pages that the TLB has are written directly, and the rest by QEMU. */
UNIT_TEST(memory_at_hand)
{
    static const struct block narrow_code = { .ia32e = false };
    struct processor *p = wide();
    uint8_t bytes[4096 + 6];

    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7 + 1);
    memset(hand, 0xee, sizeof(hand));
    memset(memory + HAND - 16, 0xcc, sizeof(hand) + 32);
    set("efer", 0x400);
    at_hand = true;
    doubts = false;
    looks = 0;
    assert_true(processor_host.write(p, HAND, bytes, 4)); /* in the middle of a block */
    assert_int_equal(hand[0], 0xee);
    assert_memory_equal(memory + HAND, bytes, 4);
    p->between_blocks = true;
    assert_true(processor_host.write(p, HAND + 4094, bytes, 4)); /* both pages */
    assert_memory_equal(hand + 4094, bytes, 4);
    assert_int_equal(hand[4093], 0xee);
    assert_int_equal(hand[4098], 0xee);
    assert_int_equal(memory[HAND + 4094], 0xcc);
    assert_true(processor_host.write(p, HAND + 4094, bytes, sizeof(bytes))); /* and a third page */
    assert_memory_equal(hand + 4094, bytes, 4098);
    assert_memory_equal(memory + HAND + sizeof(hand), bytes + 4098, 4);
    assert_int_equal(memory[HAND + sizeof(hand) - 1], 0xcc);
    assert_int_equal(memory[HAND + sizeof(hand) + 4], 0xcc);
    assert_true(processor_host.write(p, HAND - 2, bytes, 4)); /* QEMU writes all bytes */
    assert_memory_equal(memory + HAND - 2, bytes, 4);
    assert_int_equal(hand[0], 0xee);
    assert_false(processor_host.write(p, MEMORY_SIZE - 1, bytes, 2));

    /* outside IA-32e mode the TLB has no addresses of more than 32 bits */
    assert_true(processor_host.write(p, (UINT64_C(1) << 32) + HAND, bytes, 4));
    assert_memory_equal(hand, bytes, 4);
    memset(hand, 0xee, sizeof(hand));
    p->block = &narrow_code;
    assert_false(processor_host.write(p, (UINT64_C(1) << 32) + HAND, bytes, 4));
    assert_int_equal(hand[0], 0xee);
    assert_true(processor_host.write(p, HAND, bytes, 4));
    assert_memory_equal(hand, bytes, 4);
    p->block = NULL;
    assert_int_equal(looks, 0);

    /* while the address is not verified, QEMU writes, and the memory there is compared with what plugins read */
    doubts = true;
    assert_true(processor_host.write(p, HAND + 8, bytes, 8));
    assert_int_equal(hand[8], 0xee);
    assert_memory_equal(memory + HAND + 8, bytes, 8);
    assert_int_equal(looks, 1);
    assert_memory_equal(seen, bytes, 8);
    assert_true(processor_host.write(p, HAND + 4094, bytes, 4));
    assert_int_equal(looks, 3);
    assert_memory_equal(memory + HAND + 4094, bytes, 4);
    unwritable = HAND + 16;
    assert_false(processor_host.write(p, HAND + 16, bytes, 8));
    assert_int_equal(looks, 3);

    /* an error after a page that was written is reported */
    doubts = false;
    assert_ptr_equal(processor_host.memory(p, HAND + 4094, 4098), hand + 4094);
    assert_null(processor_host.memory(p, HAND + 4094, 4099));
    unwritable = HAND + sizeof(hand);
    assert_false(processor_host.write(p, HAND + 4094, bytes, sizeof(bytes)));
    unwritable = 0;
    at_hand = false;
}

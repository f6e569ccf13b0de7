/* SPDX-License-Identifier: MIT */
/* The kernel's part of the log that outlives a reset: its memory, and which cache lines it flushes when. */
#define SETUP start
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static struct cpuid leaf_1;
static uintptr_t first, last; /* cache lines that were flushed */
static unsigned flushes, all_caches;

FAKE(static struct cpuid, cpuid, (uint32_t leaf, uint32_t subleaf), assert_int_equal(leaf, 1),
     assert_int_equal(subleaf, 0), leaf_1)

static void cache_line_flush(const void *address)
{
    if (flushes++ == 0)
        first = (uintptr_t)address;
    last = (uintptr_t)address;
}

FAKE_STATIC_VOID(caches_flush, (void), all_caches++)

#include "kernel/log_keeper.c"

static _Alignas(4096) uint8_t memory[KEPT_LOG_SIZE];

static int start(void **state)
{
    kept_log_make(memory, 1);
    kept = (struct kept_log){ .head = NULL };
    line_size = 0;
    leaf_1 = (struct cpuid){ .ebx = 0xff08ff, .edx = 1u << 19 };
    flushes = all_caches = 0;
    return 0;
}

static void expect(const char *want)
{
    struct kept_log_text text;
    assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_OK);
    assert_int_equal(text.length, strlen(want));
    if (text.length > 0)
        assert_memory_equal(text.pieces[0].start, want, strlen(want));
}

UNIT_TEST(flushes_the_lines_that_it_wrote)
{
    char line[101] = "";
    log_keeper_start(&(struct boot_keep){ (uintptr_t)memory, sizeof memory });
    flushes = 0;
    write_back(memory + 64, 64);
    assert_int_equal(flushes, 1);
    assert_int_equal(first, (uintptr_t)memory + 64);
    flushes = 0;
    write_back(memory + 63, 66);
    assert_int_equal(flushes, 3);
    assert_int_equal(first, (uintptr_t)memory);
    assert_int_equal(last, (uintptr_t)memory + 128);
    flushes = 0;
    memset(line, 'x', 100);
    log_keeper_line("", line);
    assert_true(flushes >= 4); /* two lines of text, its end, the mark */
    assert_int_equal(all_caches, 0);
    log_keeper_write_back();
    assert_int_equal(all_caches, 1);
}

UNIT_TEST(processors_without_clflush)
{
    leaf_1.edx = ~(1u << 19);
    log_keeper_start(&(struct boot_keep){ (uintptr_t)memory, sizeof memory });
    assert_true(log_keeper_is_on());
    log_keeper_line("# ", "begin");
    log_keeper_line("", "1..1");
    assert_int_equal(flushes, 0);
    expect("# begin\r\n1..1\r\n");
}

UNIT_TEST(without_memory)
{
    log_keeper_start(&(struct boot_keep){ 0, 0 });
    assert_false(log_keeper_is_on());
    log_keeper_line("# ", "begin");
    log_keeper_start(&(struct boot_keep){ (uintptr_t)memory, sizeof memory / 2 });
    assert_false(log_keeper_is_on());
    memory[0] ^= 1; /* overwritten since the loader made it */
    log_keeper_start(&(struct boot_keep){ (uintptr_t)memory, sizeof memory });
    assert_false(log_keeper_is_on());
    memory[0] ^= 1;
    expect("");
}

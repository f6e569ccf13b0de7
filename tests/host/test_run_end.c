/* SPDX-License-Identifier: MIT */
/*
 * The end of a run: log, screen and exit device, in order, and the machine's state afterwards. Port CF9H: Intel I/O
 * Controller Hub 9 (ICH9) Family Data Sheet (316972-004), "RST_CNT - Reset Control Register"; the others are QEMU's,
 * and the keyboard controller's.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

static char did[4000];
static unsigned pauses;
static bool kept;
static jmp_buf end;

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
FAKE_PRINTF(note, did, "", "\n")

FAKE_STATIC_VOID(port_write8, (uint16_t port, uint8_t value), note("port %x: %x", port, value))
FAKE_STATIC_VOID(port_write16, (uint16_t port, uint16_t value), note("port %x: %04x", port, value))
FAKE_STATIC_VOID(cpu_pause, (void), pauses++)
FAKE_STATIC_VOID(cpu_triple_fault, (void), note("triple fault"), longjmp(end, 1))

static void cpu_halt(void)
{
    static unsigned halts; /* HLT is repeated, because an NMI wakes it */

    if (!halts++) {
        note("halt");
        return;
    }
    halts = 0;
    longjmp(end, 1);
}

FAKE_STATIC_VOID(interrupts_off, (void), note("cli"))

#include "kernel/run_end.c"
#include "kernel/run_error.c"

FAKE(bool, clock_wait, (unsigned microseconds), note("wait %u", microseconds), true)

FAKE_PRINTF(console_note, did, "# ", "\n")
FAKE_PRINTF(progress_trouble, did, "trouble ", "\n")

FAKE_VOID(watchdog_stop, (void), note("unwatch"))
FAKE_VOID(dump_end, (void), note("dump end"))
FAKE_VOID(firmware_give_back, (void), note("firmware"))
FAKE_VOID(firmware_apic_off, (void), note("apic off"))
FAKE(bool, log_keeper_is_on, (void), kept)
FAKE_VOID(log_keeper_write_back, (void), note("write back"))
FAKE_VOID(serial_flush, (void), note("flush"))

struct page progress_page;

void progress_end(enum verdict verdict, enum page_then then_what, bool sent)
{
    static const char *const words[] = {
        [PAGE_HALTS] = "halts", [PAGE_REBOOTS] = "reboots", [PAGE_SWITCHES_OFF] = "switches off"
    };

    assert_int_equal(progress_page.elapsed, 43);
    if (sent && progress_page.keys)
        note("%s", progress_page.keys);
    note("page %d, %s%s", (int)verdict, words[then_what], sent ? ", sent" : "");
}

static bool seen, keyboard;
static enum key pressed;

FAKE(bool, progress_is_seen, (void), seen)
FAKE(bool, keyboard_start, (void), keyboard)
FAKE(unsigned, clock_elapsed, (void), 43)

enum key progress_take_turns(void)
{
    const enum key key = pressed;

    note("turns");
    pressed = KEY_NONE;
    return key;
}

static const struct totals totals = { .pass = 1, .differs = 2, .fail = 3, .skip = 4, .error = 5 };

static void ends(void)
{
    if (!setjmp(end))
        run_end(VERDICT_FAIL, &totals);
}

#define HEAD               "cli\nunwatch\ndump end\nfirmware\napic off\n"
#define LINE               "# end dstest86 verdict=fail pass=1 fail=3 skip=4 error=5 differs=2"
#define HALTS(kinds, keys) HEAD "page 1, halts\n" LINE kinds "\nflush\n" keys "page 1, halts, sent\nturns\n"
#define RESTARTS           "write back\nport cf9: 2\nport cf9: 6\nport 64: fe\ntriple fault\n"
#define WAITS              "wait 1000000\nwait 1000000\nwait 1000000\nwait 1000000\nwait 1000000\n"
#define KEYS               "Keys, if they work: Space the next page, R restart"

/*
 * A kept log needs a warm restart. If the user did not ask for a restart, it is announced, and waits. Keys cannot end
 * the run if it must not end. Power is switched off only if the port is known. The page names the keys only if there is
 * a page and a keyboard.
 */
UNIT_TEST(each_end)
{
    static const struct {
        struct options options;
        bool virtual, kept, seen, keyboard;
        enum key pressed;
        const char *kinds, *did;
    } rows[] = {
        { .kinds = "", .did = HALTS("", "") "halt\n" },
        { .kinds = "core,atom", .did = HALTS(" kinds=core,atom", "") "halt\n" },
        { .options = { .end = OPTIONS_END_POWEROFF },
          .virtual = true,
          .kept = true,
          .did = HEAD
          "# log kept: the machine restarts in 10 seconds, and the loader saves the log\npage 1, reboots\n" LINE
          "\nflush\npage 1, reboots, sent\nport f4: 11\n" WAITS WAITS RESTARTS },
        { .options = { .end = OPTIONS_END_REBOOT },
          .kept = true,
          .did = HEAD "page 1, reboots\n" LINE "\nflush\npage 1, reboots, sent\n" RESTARTS },
        { .seen = true,
          .keyboard = true,
          .pressed = KEY_RESTART,
          .did = HALTS("", KEYS ".\n") "port cf9: 2\nport cf9: e\nport 64: fe\ntriple fault\n" },
        { .seen = true, .keyboard = true, .pressed = KEY_POWER_OFF, .did = HALTS("", KEYS ".\n") "turns\nhalt\n" },
        { .options = { .exit = OPTIONS_EXIT_NONE },
          .virtual = true,
          .seen = true,
          .keyboard = true,
          .pressed = KEY_POWER_OFF,
          .did = HALTS("", KEYS ", P power off.\n") "port 604: 2000\nturns\nhalt\n" },
        { .keyboard = true, .did = HALTS("", "") "halt\n" },
        { .seen = true, .did = HALTS("", "") "halt\n" },
    };

    ends(); /* before the options are known */
    assert_string_equal(did, HALTS("", "") "halt\n");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pauses = 0;
        kept = rows[i].kept;
        seen = rows[i].seen;
        keyboard = rows[i].keyboard;
        pressed = rows[i].pressed;
        run_end_configure(&rows[i].options, rows[i].virtual);
        progress_page = (struct page){ .kinds = rows[i].kinds };
        did[0] = 0;
        ends();
        assert_string_equal(did, rows[i].did);
        assert_true(!rows[i].kept || pauses >= 1000000); /* between the resets */
    }
}

UNIT_TEST(errors)
{
    char long_text[2 * CONSOLE_LINE_MAX], cut[CONSOLE_LINE_MAX];

    did[0] = 0;
    run_error("%s: %u", "no such option", 7);
    assert_string_equal(did, "# error: no such option: 7\ntrouble no such option: 7\n");
    memset(long_text, 'a', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    memset(cut, 'a', sizeof cut);
    cut[sizeof cut - 1] = 0;
    did[0] = 0;
    run_error("%s", long_text);
    assert_non_null(strstr(did, "\ntrouble "));
    assert_memory_equal(strstr(did, "\ntrouble ") + 9, cut, sizeof cut - 1);
}

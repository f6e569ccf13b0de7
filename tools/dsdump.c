/* SPDX-License-Identifier: MIT */
/*
 * dsdump [OPTION..] [FILE]: reads the raw dump in a log of dstest86 (docs/dump.md), from FILE or standard input, and
 * writes it in a form that people or other programs read. Exit status: 0: success; 1: the log has
 * problems, which were reported; 2: wrong usage, the input could not be read, or memory was too little.
 * dsdump --judge LOG..: checks whether logs are complete; the exit status is the verdict.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/complain.h"
#include "tools/log_kind.h"
#include "lib/dump/reader/dump_read.h"
#include "tools/judge.h"
#include "tools/output.h"
#include "tools/standard.h"
#include "tools/symbols.h"
#include "tools/writer.h"

#define BUFFER_SIZE   0x40000u             /* bytes; a longer line is read in pieces */
#define PROGRESS_FROM (UINT64_C(64) << 20) /* bytes of a log whose reading takes seconds */

enum { STATUS_WHOLE, STATUS_DAMAGED, STATUS_NOTHING };

static const struct output *const outputs[] = {
#define OUTPUT_ROW(name) &output_##name,
    OUTPUTS(OUTPUT_ROW)
};

#define OUTPUTS_COUNT (sizeof(outputs) / sizeof(outputs[0]))

static const char *const kinds[] = { "bts", "pebs", "lbr" };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The command line. */
static struct command {
    const char *log; /* NULL: standard input */
    const struct output *output;
    struct output_setup setup;
    bool count_only, force;
    bool leave_out[KINDS];                                              /* by index into kinds[] */
    bool kernels;                                                       /* the log has lines that the kernel prints */
    bool misfit;                                                        /* a dump is from another build than the ELF */
    void (*machine)(void *context, const struct dump_machine *machine); /* the output's own function */
} command;

/* Chooses the output; a second one is an error. */
static bool choose(const char *option, const struct output *output)
{
    if (command.output || command.count_only) {
        complain(option, "a second form of output; choose one");
        return false;
    }
    command.output = output;
    command.count_only = output == NULL;
    return true;
}

/* Parses a comma-separated list of kinds of records; other kinds are left out. */
static bool choose_kinds(const char *list)
{
    for (size_t i = 0; i < KINDS; i++)
        command.leave_out[i] = true;
    do {
        size_t length = strcspn(list, ","), i = 0;
        while (i < KINDS && (strlen(kinds[i]) != length || strncmp(kinds[i], list, length) != 0))
            i++;
        if (i == KINDS) {
            complain("--only", "unknown kind of record '%.*s'; expected bts, pebs or lbr", (int)length, list);
            return false;
        }
        command.leave_out[i] = false;
        list += list[length] == ',' ? length + 1 : length;
    } while (*list != '\0');
    return true;
}

static bool take_elf(const char *file)
{
    if (command.setup.symbols) {
        complain("--elf", "a second ELF; give one");
        return false;
    }
    command.setup.symbols = symbols_open(file);
    return command.setup.symbols != NULL;
}

static bool take_stats(const char *none)
{
    (void)none;
    return choose("--stats", NULL);
}

static bool take_force(const char *none)
{
    (void)none;
    command.force = true;
    return true;
}

static bool take_help(const char *none);

/* The options of every form. */
static const struct command_option options[] = {
    { "elf", "FILE", "read symbols and source lines from the kernel's ELF, 32-bit or 64-bit", take_elf },
    { "stats", NULL, "verify every frame and print counts only", take_stats },
    { "only", "KIND[,KIND..]", "read only these records: bts, pebs, lbr", choose_kinds },
    { "force", NULL, "replace a FILE that dsdump did not write", take_force },
    { "help", NULL, "print this text", take_help },
    { 0 }
};

static void print_option(const char *name, const char *argument, const char *help)
{
    char option[40];

    snprintf(option, sizeof(option), "--%s%s%s", name, argument ? " " : "", argument ? argument : "");
    printf("  %-20s %s\n", option, help);
}

static void print_options(const struct command_option *of)
{
    for (; of && of->name; of++)
        print_option(of->name, of->argument, of->help);
}

static bool take_help(const char *none)
{
    (void)none;
    fputs("usage: dsdump [OPTION..] [FILE]\n"
          "       dsdump --judge LOG..\n"
          "Reads the raw dump in a dstest86 log, from FILE or standard input, and writes one of:\n",
          stdout);
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        print_option(outputs[i]->name, outputs[i]->argument, outputs[i]->help);
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        print_options(outputs[i]->options);
    print_options(options);
    fputs(
        "With --judge it checks that logs are complete and consistent, with or without a dump. The exit status is the\n"
        "verdict: 0 pass, 1 fail, 2 unusable log, 3 incomplete, 77 skip, 99 error, 134 panic.\n",
        stdout);
    exit(standard_end("dsdump", STATUS_WHOLE, STATUS_DAMAGED));
}

static const struct command_option *find_option(const struct command_option *of, const char *name)
{
    for (; of && of->name; of++)
        if (strcmp(of->name, name) == 0)
            return of;
    return NULL;
}

/* Takes an option, and the next word if it needs an argument. Returns the number of words, or 0 after a complaint. */
static int take_option(const char *word, const char *next)
{
    const char *name = word[1] == '-' ? word + 2 : "";
    const struct command_option *option = find_option(options, name);
    const struct output *output = NULL;

    for (size_t i = 0; i < OUTPUTS_COUNT && !option && !output; i++) {
        option = find_option(outputs[i]->options, name);
        output = strcmp(outputs[i]->name, name) == 0 ? outputs[i] : NULL;
    }
    if (!option && !output) {
        complain(word,
                 strcmp(name, "judge") == 0 ? "must be the first word" : "unknown option; dsdump --help lists them");
        return 0;
    }
    const char *argument = output ? output->argument : option->argument;
    if (argument && !next) {
        complain(word, "missing %s", argument);
        return 0;
    }
    if (output ? !choose(word, output) : !option->take(next))
        return 0;
    if (output)
        command.setup.file = argument ? next : NULL;
    return argument ? 2 : 1;
}

static bool parse(int argc, char **argv)
{
    for (int i = 1, words; i < argc; i += words) {
        const char *word = argv[i];
        words = 1;
        if (word[0] == '-' && word[1] != '\0') {
            words = take_option(word, argv[i + 1]);
            if (words == 0)
                return false;
        } else if (command.log) {
            complain(word, "a second log; give one, or judge several with --judge");
            return false;
        } else {
            command.log = word;
        }
    }
    if (!command.output && !command.count_only)
        command.output = outputs[0];
    return true;
}

static const char *log_name(void)
{
    return command.log && strcmp(command.log, "-") != 0 ? command.log : "standard input";
}

static void on_problem(void *context, const struct dump_problem *problem)
{
    char text[DUMP_PROBLEM_TEXT];

    (void)context;
    dump_problem_text(text, problem);
    if (problem->line)
        complain(log_name(), "line %" PRIu64 ": %s", problem->line, text);
    else
        complain(log_name(), "%s", text);
}

/*
 * Finds out whether a log is the kernel's. Reports, once, how to get a row for the processor if a facility is untested
 * because a table has none.
 */
static void look_at(const char *line, size_t length)
{
    static const char begins[] = "begin dstest86", ends[] = "end dstest86";
    static bool reported;

    if (!reported && memmem(line, length, MISSING_ROW_MARK, sizeof MISSING_ROW_MARK - 1) != NULL) {
        complain(log_name(), MISSING_ROW);
        reported = true;
    }
    if (!command.kernels && (memmem(line, length, begins, sizeof begins - 1) != NULL ||
                             memmem(line, length, ends, sizeof ends - 1) != NULL))
        command.kernels = true;
}

/*
 * On a terminal, shows how much of a large log has been read, once per percent. `size` is in bytes; 0: not known. At
 * the end, removes it.
 */
static void show_progress(uint64_t done, uint64_t size)
{
    static unsigned shown;
    const unsigned percent = size ? (unsigned)(done * 100 / size) : 0;

    if (percent == shown || size < PROGRESS_FROM || !isatty(STDERR_FILENO) ||
        (!command.setup.file && isatty(STDOUT_FILENO)))
        return;
    shown = percent;
    if (percent < 100)
        fprintf(stderr, "\r%s: %u %%", log_name(), percent);
    else
        fputs("\r\033[K", stderr);
}

/*
 * Passes every line of the log to the reader. A line longer than the buffer, which cannot be a frame, is passed in
 * pieces. Returns false if the log cannot be read.
 */
static bool read_lines(int log, struct dump_reader *reader)
{
    static char buffer[BUFFER_SIZE];
    size_t used = 0;
    uint64_t done = 0;
    bool known = false;
    struct stat status;
    const uint64_t size = fstat(log, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;

    for (;;) {
        ssize_t n = read(log, buffer + used, sizeof(buffer) - used);
        char *line = buffer, *end;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            complain(log_name(), "%s", strerror(errno));
            return false;
        }
        used += (size_t)n;
        done += (size_t)n;
        if (!known && (used >= LOG_KIND_BYTES || n == 0)) {
            if (!log_kind_readable(log_name(), buffer, used))
                return false;
            known = true;
        }
        if (!known)
            continue;
        show_progress(done, size);
        while ((end = memchr(line, '\n', used)) != NULL) {
            dump_read_line(reader, line, (size_t)(end - line));
            look_at(line, (size_t)(end - line));
            used -= (size_t)(end + 1 - line);
            line = end + 1;
        }
        if (used > 0 && (n == 0 || used == sizeof(buffer))) {
            dump_read_line(reader, line, used);
            look_at(line, used);
            used = 0;
        }
        if (n == 0)
            return true;
        memmove(buffer, line, used);
    }
}

/* Called before the output's own function: symbols are used only if the ELF belongs to the dump. */
static void on_machine(void *context, const struct dump_machine *machine)
{
    if (!symbols_fit(command.setup.symbols, machine))
        command.misfit = true;
    if (command.machine)
        command.machine(context, machine);
}

static void print_totals(const struct dump_totals *t)
{
    printf("lines %" PRIu64 " frames %" PRIu64 " boots %" PRIu64 "\n", t->lines, t->frames, t->heads);
    printf("bts %" PRIu64 " lost %" PRIu64 "\n", t->bts, t->bts_lost);
    printf("pebs %" PRIu64 " lost %" PRIu64 "\n", t->pebs, t->pebs_lost);
    printf("lbr %" PRIu64 " lost %" PRIu64 "\n", t->lbr, t->lbr_lost);
    printf("problems %" PRIu64 "\n", t->problems);
}

/*
 * Whether the output, by device and inode, is the log or the ELF; if so, reports that. Terminals and sockets, which
 * have two directions, may be both.
 */
static bool output_is_input(int log)
{
    const bool standard = command.setup.file == NULL;
    struct stat out, in;

    if ((standard ? fstat(STDOUT_FILENO, &out) : stat(command.setup.file, &out)) != 0 || S_ISCHR(out.st_mode) ||
        S_ISSOCK(out.st_mode))
        return false;
    for (unsigned input = 0; input < 2; input++) {
        if (input == 0 ? fstat(log, &in) != 0
                       : !command.setup.symbols || stat(symbols_path(command.setup.symbols), &in) != 0)
            continue;
        if (out.st_dev == in.st_dev && out.st_ino == in.st_ino) {
            complain(standard ? "standard output" : command.setup.file,
                     "is an input, and would be overwritten; choose another output file");
            return true;
        }
    }
    return false;
}

/* Whether the output file may be replaced: it is new or empty, or dsdump wrote it, or --force was given. */
static bool output_is_ours(void)
{
    const char *const name = command.setup.file;
    struct stat status;

    if (!name || command.force || stat(name, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return true;
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    const bool ours = file >= 0 && command.output->wrote(file);
    if (file >= 0)
        close(file);
    if (!ours)
        complain(name, "exists, and is not from dsdump --%s; choose another file, or replace it with --force",
                 command.output->name);
    return ours;
}

int main(int argc, char **argv)
{
    struct record_sink sink = { .context = NULL };
    struct dump_totals totals;
    struct dump_reader *reader;
    int log = STDIN_FILENO;
    bool readable, whole;

    standard_open();
    if (argc > 1 && strcmp(argv[1], "--judge") == 0)
        return judge_logs(argv + 2, argc - 2);
    if (!parse(argc, argv))
        return STATUS_NOTHING;
    if (command.log && strcmp(command.log, "-") != 0)
        log = open(command.log, O_RDONLY | O_CLOEXEC);
    if (log < 0) {
        complain(command.log, "%s", strerror(errno));
        return STATUS_NOTHING;
    }
    if (output_is_input(log) || !output_is_ours())
        return STATUS_NOTHING;
    if (command.output && !command.output->open(&command.setup, &sink))
        return STATUS_NOTHING;
    if (command.leave_out[0])
        sink.bts = NULL;
    if (command.leave_out[1])
        sink.pebs = NULL;
    if (command.leave_out[2])
        sink.lbr = NULL;
    if (command.output && command.setup.symbols) {
        command.machine = sink.machine;
        sink.machine = on_machine;
    }
    reader = allocated(malloc(dump_reader_size()));
    dump_reader_init(reader, command.output ? &sink : NULL, on_problem, NULL);
    readable = read_lines(log, reader);
    whole = readable && dump_read_end(reader, &totals);
    if (!readable || (totals.frames == 0 && !(command.kernels && command.output && command.output->lines))) {
        writer_discard();
        if (readable && command.setup.file)
            complain(command.setup.file, "not written, because the log has nothing for it");
    }
    if (!command.count_only)
        whole &= sink.end(sink.context);
    else if (readable)
        print_totals(&totals);
    free(reader);
    symbols_close(command.setup.symbols);
    return standard_end("dsdump",
                        !readable                  ? STATUS_NOTHING
                        : whole && !command.misfit ? STATUS_WHOLE
                                                   : STATUS_DAMAGED,
                        STATUS_DAMAGED);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's options: values, exact error messages, and clean-up. A child process reads each, because an error exits.
 */
#define _GNU_SOURCE
static int make_folder(void **state), remove_folder(void **state);
#define FIRST make_folder
#define LAST  remove_folder
#include "tests/host/unit_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/faults/quirks.h"
#include "model/latitude/freedoms.h"
#include "model/qemu/options.h"

#define MOST_ARGUMENTS 6

static char folder[] = "/tmp/model-options-XXXXXX";
static char said[1 << 17], printed[1 << 17]; /* on standard error and output */

static int make_folder(__attribute__((unused)) void **state)
{
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int remove_folder(__attribute__((unused)) void **state)
{
    unlink("t"), unlink("v"), unlink("err"), unlink("out"), unlink("4"), unlink("4.watch");
    return chdir("/") != 0 || rmdir(folder) != 0;
}

static void slurp(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, size - 1, file);

    text[length] = '\0';
    if (file != NULL)
        fclose(file);
}

/* Reads the arguments, separated by blanks, then calls `then`. Returns the exit status: 7 if there was no error. */
static int reads(const char *arguments, void (*then)(struct options *options))
{
    char text[512], *argv[MOST_ARGUMENTS];
    int argc = 0, status;
    pid_t child;

    snprintf(text, sizeof(text), "%s", arguments);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(argc < MOST_ARGUMENTS);
        argv[argc++] = word;
    }
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct options options = { .quirks = 0 };

        if (freopen("err", "w", stderr) == NULL || freopen("out", "w", stdout) == NULL)
            _exit(99);
        setvbuf(stdout, NULL, _IOLBF, 0); /* as in QEMU */
        options_read(argc, argv, 4, &options);
        if (then != NULL)
            then(&options);
        fflush(NULL);
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    slurp("err", said, sizeof(said));
    slurp("out", printed, sizeof(printed));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void refused(const char *arguments, const char *sentence)
{
    char expected[1024];

    snprintf(expected, sizeof(expected), "dsmodel: %s\n", sentence);
    assert_int_equal(reads(arguments, NULL), 1);
    assert_string_equal(said, expected);
    assert_string_equal(printed, "");
}

UNIT_TEST(invalid_options)
{
    static const char *const no_seeds[] = { "x", "-1", "+1", ":pebs-arming", "1x", "0x10", "18446744073709551616" };

    refused("profile=skylake profile=haswell", "profile=: repeated; write it once");
    refused("profile=", "profile=: missing value");
    refused("profile=skylake ipc=0", "ipc=0: expected a number from 1 to 8");
    refused("profile=skylake ipc=9", "ipc=9: expected a number from 1 to 8");
    refused("profile=skylake ipc=12", "ipc=12: expected a number from 1 to 8");
    refused("profile=skylake flip=none", "flip=none: No such file or directory");
    refused("profile=skylake fault=lbr.tos.stuck flip=err", "flip= and fault= exclude each other; remove one of them");
    refused("profile=skylake flip=err",
            "flip=err: is not a plan: expected \"BEGIN END\", then lines \"WINDOW DELIVERY NUMBER ACTION BIT\"");
    refused("truth=", "truth=: missing value");
    refused("profile=skylake violations=", "violations=: missing value");
    refused("profile=skylake fault=", "fault=: missing value");
    refused("quirk= profile=skylake", "quirk=: missing value");
    refused("profile=skylake truth=t truth=t", "truth=: repeated; write it once");
    refused("profile=skylake quirks=inert",
            "quirks=inert is not an option; the options are profile=NAME cores=LIST truth=FILE violations=FILE "
            "fault=NAME[,NAME..][@CPU] flip=PLAN quirk=NAME[,NAME..] latitude=SEED[:NAME[,NAME..]] ipc=N state=FOLDER");
    refused("profile",
            "profile is not an option; the options are profile=NAME cores=LIST truth=FILE violations=FILE "
            "fault=NAME[,NAME..][@CPU] flip=PLAN quirk=NAME[,NAME..] latitude=SEED[:NAME[,NAME..]] ipc=N state=FOLDER");
    for (size_t i = 0; i < COUNT_OF(no_seeds); i++) {
        char arguments[64], sentence[160];

        snprintf(arguments, sizeof(arguments), "profile=skylake latitude=%s", no_seeds[i]);
        snprintf(sentence, sizeof(sentence),
                 "latitude=%s: expected SEED or SEED:NAME[,NAME..], with a seed from 0 to 18446744073709551615",
                 no_seeds[i]);
        refused(arguments, sentence);
    }
    refused("profile=skylake cores=P", "cores=P: profile=skylake has only one kind of core; omit cores=");
    refused("profile=alderlake cores=PX",
            "cores=PX: expected a list such as P2E6, of at most 256 cores of profile=alderlake: P Golden Cove, E "
            "Gracemont");
    refused("cores=P2E3 profile=alderlake",
            "cores=P2E3 names 5 processors, but QEMU's -smp has 4; shorten the list or raise -smp");
    refused("profile=alderlake cores=", "cores=: missing value");
    refused("cores=P profile=alderlake cores=E", "cores=: repeated; write it once");
    refused("profile=skylake state=/no/such/folder",
            "state=/no/such/folder: the folder is not writable: No such file or directory");
    refused("profile=skylake state=", "state=: missing value");
    refused("profile=skylake truth=/no/such/file", "/no/such/file cannot be written: No such file or directory");
    refused("profile=skylake violations=/", "/ cannot be written: Is a directory");
    refused("profile=skylake truth=t violations=t", "truth= and violations= both name t; choose two files");
    refused("profile=skylake truth=t violations=./t", "truth= and violations= both name t; choose two files");
}

/* The message about an unknown name has only this name, and all known names. */
UNIT_TEST(unknown_names)
{
    static const struct {
        const char *arguments, *begin, *end;
    } rows[] = {
        { "truth=t", "dsmodel: profile=NAME is missing; the profiles are: netburst netburst64 pentium-m ",
          " pantherlake clearwaterforest diamondrapids novalake silvermont goldmont geminilake jasperlake "
          "sierraforest\n" },
        { "profile=486", "dsmodel: profile=486: unknown name; the profiles are: netburst ",
          " lunarlake arrowlake-h pantherlake clearwaterforest diamondrapids novalake silvermont goldmont geminilake "
          "jasperlake "
          "sierraforest\n" },
        { "profile=skylake fault=no,such", "dsmodel: fault=no: unknown name; fault=list prints the ", "\n" },
        { "profile=skylake fault=lvt.no", "dsmodel: fault=lvt.no: unknown name; fault=list prints the ", "\n" },
        { "profile=skylake fault=msr:600:no", "dsmodel: fault=msr:600:no: expected msr:ADDRESS:absent, ",
          "numbers in hexadecimal, at most 8 of them\n" },
        { "profile=skylake fault=bts.index.stuck,msr:14ce:gp",
          "dsmodel: fault=msr:14ce: ", "profile=skylake has no such register\n" },
        { "profile=skylake fault=bts.index.stuck@x", "dsmodel: fault=x: unknown name; fault=list prints the ", "\n" },
        { "profile=skylake quirk=no_apic,nor,this",
          "dsmodel: quirk=nor: unknown name; the quirks are: inert msr_faults ",
          " no_apic apic_off x2apic_locked tsc_fast kvm p_cores_alone rdpmc_user_disable trace_left "
          "force_abort "
          "hyper_threading_off mtrrs_off\n" },
        { "profile=skylake latitude=7:pebs-arming,nor,this",
          "dsmodel: latitude=SEED:nor: unknown name; the freedoms are: pebs-arming", "\n" },
        { "profile=skylake latitude=7:", "dsmodel: latitude=SEED:: unknown name; the freedoms are: pebs-arming", "\n" },
    };

    unlink("t");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(reads(rows[i].arguments, NULL), 1);
        assert_int_equal(strncmp(said, rows[i].begin, strlen(rows[i].begin)), 0);
        assert_string_equal(said + strlen(said) - strlen(rows[i].end), rows[i].end);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    }
    assert_int_equal(access("t", F_OK), -1); /* no log if the run does not begin */
}

/* OPTION=list prints a line for each name, ignores other options, and exits with 0. */
UNIT_TEST(lists)
{
    static const struct {
        const char *arguments;
        const char *(*name)(unsigned index);
        const char *(*meaning)(unsigned index);
        bool width;
    } rows[] = {
        { "profile=list", profile_name, profile_brand, true },
        { "fault=list", fault_name, fault_sentence, false },
        { "quirk=list profile=nosuch", quirk_name, quirk_sentence, false },
        { "latitude=list", freedom_name, freedom_sentence, false },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *at = printed;
        unsigned n = 0;

        assert_int_equal(reads(rows[i].arguments, NULL), 0);
        assert_string_equal(said, "");
        for (; rows[i].name(n) != NULL; n++) {
            const char *const relative = rows[i].width ? profile_relative(n) : NULL;
            char line[512];

            snprintf(line, sizeof(line), rows[i].width ? "%-34s %u  %s%s%s\n" : "%-34s %.0u%s%s%s\n", rows[i].name(n),
                     rows[i].width ? profile_width(n) : 0, rows[i].meaning(n), relative != NULL ? ", as " : "",
                     relative != NULL ? relative : "");
            assert_int_equal(strncmp(at, line, strlen(line)), 0);
            at += strlen(line);
        }
        assert_string_equal(at, "");
        assert_true(n > 0);
    }
    assert_int_equal(reads("cores=list", NULL), 0);
    assert_non_null(strstr(printed, "alderlake                          P  Golden Cove\n"
                                    "alderlake                          E  Gracemont\n"));
    assert_null(strstr(printed, "skylake"));
    assert_int_equal(reads("profile=list", NULL), 0);
    assert_non_null(strstr(printed, "\npentium-m                          32  Intel(R) Pentium(R) M processor "));
}

static void of_skylake(struct options *options)
{
    const bool same = options->profile == profile_find("skylake");

    _exit(same && !options->faults.any && options->quirks == 0 && options->freedoms == 0 && options->truth == NULL &&
                  options->violations == NULL
              ? 0
              : 8);
}

static void with_everything(struct options *options)
{
    const bool faults = options->faults.any && fault_set_has(&options->faults, FAULT_PERFMON_WIDTH_32) &&
                        fault_set_has(&options->faults, FAULT_LBR_TOS_STUCK) &&
                        !fault_set_has(&options->faults, FAULT_LBR_DEPTH_HALF);
    const bool profile = options->profile == profile_find("haswell");

    fprintf(options->violations, "a violation\n"); /* must be in the file at once */
    slurp("v", printed, sizeof(printed));
    _exit(faults && profile && options->quirks == (1u << QUIRK_INERT | 1u << QUIRK_NO_APIC) &&
                  options->seed == UINT64_MAX && options->freedoms == 1u << FREEDOM_PEBS_ARMING &&
                  strcmp(printed, "a violation\n") == 0
              ? (options_finish_logs(options), 0)
              : 8);
}

/* One E-core, and three P-cores after it. */
static void of_two_kinds(struct options *options)
{
    _exit(options->profile == profile_find("alderlake") && options->cores.named == 4 && options->cores.kind[0] == 1 &&
                  options->cores.kind[1] == 0 && options->cores.kind[2] == 0 && options->cores.kind[3] == 0
              ? 0
              : 8);
}

UNIT_TEST(valid_options)
{
    assert_int_equal(reads("profile=skylake", of_skylake), 0);
    assert_int_equal(reads("profile=alderlake cores=EP3", of_two_kinds), 0);
    assert_int_equal(reads("truth=t quirk=inert,no_apic violations=v profile=haswell "
                           "fault=perfmon.width.32,lbr.tos.stuck latitude=18446744073709551615:pebs-arming",
                           with_everything),
                     0);
    assert_string_equal(said, "");
    slurp("t", printed, sizeof(printed));
    assert_string_equal(printed, "dsmodel truth 1 profile=haswell\n");
    assert_int_equal(reads("profile=netburst truth=- violations=-", NULL), 7); /* both on standard error, together */
    assert_string_equal(said, "dsmodel truth 1 profile=netburst\n");
}

/* Files of an earlier run, for the machine's four possible processors, are removed. */
UNIT_TEST(files_of_an_earlier_run)
{
    static const char *const files[] = { "0", "0.watch", "3", "3.watch", "4", "4.watch" };
    char option[64];

    snprintf(option, sizeof(option), "profile=skylake state=%s", folder);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        FILE *file = fopen(files[i], "w");

        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(reads(option, NULL), 7);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        assert_int_equal(access(files[i], F_OK), i < 4 ? -1 : 0);
    assert_int_equal(reads(option, NULL), 7); /* no file is left */
    assert_string_equal(said, "");
}

static void finish(struct options *options)
{
    options_finish_logs(options);
}

static void violate_and_finish(struct options *options)
{
    fprintf(options->violations, "a violation\n");
    options_finish_logs(options);
}

/* When QEMU ends, lost output of each log is reported, whenever it was lost. */
UNIT_TEST(lost_output)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(reads("profile=skylake truth=/dev/full", finish), 7);
    assert_string_equal(said, "dsmodel: the file of truth= could not be written to its end; is the disk full?\n");
    assert_int_equal(reads("profile=skylake violations=/dev/full truth=t", finish), 7);
    assert_string_equal(said, "");
    assert_int_equal(reads("profile=skylake violations=/dev/full", violate_and_finish), 7);
    assert_string_equal(said, "dsmodel: the file of violations= could not be written to its end; is the disk full?\n");
    unlink("out");
    assert_int_equal(symlink("/dev/full", "out"), 0);
    assert_int_equal(reads("fault=list", NULL), 1);
    assert_string_equal(said, "dsmodel: the list could not be written: No space left on device\n");
    assert_int_equal(reads("cores=list", NULL), 1);
    unlink("out");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L /* fileno */
#include "model/qemu/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/faults/break.h"
#include "model/faults/flip.h"
#include "model/faults/quirks.h"
#include "model/latitude/freedoms.h"

_Noreturn void options_die(const char *sentence, const char *name)
{
    fprintf(stderr, "dsmodel: ");
    fprintf(stderr, sentence, name);
    fprintf(stderr, "\n");
    exit(1);
}

/* Opens a log; "-" is standard error. */
static FILE *open_log(const char *path)
{
    if (strcmp(path, "-") == 0)
        return stderr;
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        fprintf(stderr, "dsmodel: %s cannot be written: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

/* The names that an option accepts. */
struct choices {
    const char *option, *plural; /* the option up to the name; what to call the names */
    const char *(*name)(unsigned index);
    const char *(*meaning)(unsigned index);
    unsigned (*width)(unsigned index);       /* NULL: the list has no number, */
    const char *(*relative)(unsigned index); /* and no name after ", as" */
};
static const struct choices profile_choices = { "profile=",    "profiles",    profile_name,
                                                profile_brand, profile_width, profile_relative };
static const struct choices fault_choices = { "fault=", "faults", fault_name, fault_sentence, NULL, NULL };
static const struct choices quirk_choices = { "quirk=", "quirks", quirk_name, quirk_sentence, NULL, NULL };
static const struct choices freedom_choices = {
    "latitude=SEED:", "freedoms", freedom_name, freedom_sentence, NULL, NULL
};

/* QEMU makes its standard output line-buffered, so an error may be older than the last line. */
static _Noreturn void end_list(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        options_die("the list could not be written: %s", strerror(errno));
    exit(0);
}

/* Prints the list for OPTION=list, in the form that docs/model.md promises; QEMU reserves "help" for itself. */
static void list_if_asked(const struct choices *choices, const char *value)
{
    if (value == NULL || strcmp(value, "list") != 0)
        return;
    for (unsigned i = 0; choices->name(i) != NULL; i++) {
        printf("%-34s ", choices->name(i));
        if (choices->width != NULL)
            printf("%u  ", choices->width(i));
        const char *const relative = choices->relative != NULL ? choices->relative(i) : NULL;

        printf("%s%s%s\n", choices->meaning(i), relative != NULL ? ", as " : "", relative != NULL ? relative : "");
    }
    end_list();
}

#define MOST_NAMES 50 /* of a longer list, only those with the value's first word are printed */

static _Noreturn void refuse_choice(const struct choices *choices, const char *value)
{
    const size_t word = value == NULL ? 0 : strcspn(value, ".,");
    const char *before = "";
    unsigned names = 0;

    while (choices->name(names) != NULL)
        names++;
    if (value == NULL)
        fprintf(stderr, "dsmodel: %sNAME is missing", choices->option);
    else
        fprintf(stderr, "dsmodel: %s%.*s: unknown name", choices->option, (int)strcspn(value, ","), value);
    if (names > MOST_NAMES) {
        fprintf(stderr, "; %slist prints the %u %s", choices->option, names, choices->plural);
        before = ", among them";
    } else {
        fprintf(stderr, "; the %s are:", choices->plural);
    }
    for (unsigned i = 0; i < names; i++) {
        const char *const name = choices->name(i);

        if (names <= MOST_NAMES || (word > 0 && strncmp(name, value, word) == 0 && name[word] == '.')) {
            fprintf(stderr, "%s %s", before, name);
            before = "";
        }
    }
    fprintf(stderr, "\n");
    exit(1);
}

static void take_profile(struct options *options, const char *name)
{
    list_if_asked(&profile_choices, name);
    options->profile = name == NULL ? NULL : profile_find(name);
    if (options->profile == NULL)
        refuse_choice(&profile_choices, name);
}

/*
 * Prints the list for cores=list, in the form that docs/model.md promises: a line for each kind of core of each hybrid
 * profile.
 */
static void list_kinds_if_asked(const char *value)
{
    if (value == NULL || strcmp(value, "list") != 0)
        return;
    for (unsigned i = 0; profile_at(i) != NULL; i++) {
        const struct profile *kind;

        for (unsigned k = 0; profile_at(i)->kinds != NULL && (kind = profile_kind(profile_at(i), k)) != NULL; k++)
            printf("%-34s %c  %s\n", kind->name, kind->letter, kind->core);
    }
    end_list();
}

static _Noreturn void refuse_cores(const struct profile *profile, const char *list)
{
    if (profile->kinds == NULL) {
        fprintf(stderr, "dsmodel: cores=%s: profile=%s has only one kind of core; omit cores=\n", list, profile->name);
        exit(1);
    }
    fprintf(stderr, "dsmodel: cores=%s: expected a list such as %c2%c6, of at most %u cores of profile=%s:", list,
            profile_kind(profile, 0)->letter, profile_kind(profile, 1)->letter, CORES_MOST, profile->name);
    for (unsigned i = 0; profile_kind(profile, i) != NULL; i++) {
        fprintf(stderr, " %c %s%s", profile_kind(profile, i)->letter, profile_kind(profile, i)->core,
                profile_kind(profile, i + 1) != NULL ? "," : "\n");
    }
    exit(1);
}

static void take_cores(struct options *options, const char *list, unsigned processors)
{
    if (list == NULL)
        return;
    if (cores_parse(&options->cores, options->profile, list) != NULL)
        refuse_cores(options->profile, list);
    if (options->cores.named > processors) {
        fprintf(stderr,
                "dsmodel: cores=%s names %u processors, but QEMU's -smp has %u; shorten the list or raise -smp\n", list,
                options->cores.named, processors);
        exit(1);
    }
}

/* A fault of a register that no kind of the profile's cores has would have no effect. */
static void refuse_absent(const struct profile *profile, uint32_t address)
{
    const struct profile *kind;

    for (unsigned k = 0; (kind = profile_kind(profile, k)) != NULL; k++) {
        const struct profile_msr *const m = profile_find_msr(kind, address);

        if (m != NULL && m->reg != REG_ABSENT)
            return;
    }
    fprintf(stderr, "dsmodel: fault=msr:%x: profile=%s has no such register\n", address, profile->name);
    exit(1);
}

static void take_faults(struct options *options, const char *list)
{
    size_t length;

    if (list == NULL)
        return;
    const char *unknown = faults_parse(&options->faults, list, &length);

    if (unknown != NULL && faults_is_bits(unknown)) {
        fprintf(
            stderr,
            "dsmodel: fault=%.*s: expected msr:ADDRESS:absent, :gp, :take, :stick or :read|write:clear|set|flip, or "
            "cpuid:LEAF.SUBLEAF:REGISTER:clear|set|flip, each except absent with [:BITS], numbers in hexadecimal, at "
            "most %u of them\n",
            (int)length, unknown, MOST_BIT_FAULTS);
        exit(1);
    }
    if (unknown != NULL)
        refuse_choice(&fault_choices, unknown);
    for (unsigned i = 0; i < options->faults.bit_faults; i++)
        if (options->faults.bits[i].kind != FAULT_CPUID)
            refuse_absent(options->profile, options->faults.bits[i].address);
}

static void take_flip(struct options *options, const char *plan)
{
    const char *why = NULL;

    if (plan == NULL)
        return;
    if (options->faults.any)
        options_die("%s", "flip= and fault= exclude each other; remove one of them");
    options->flip = flip_open(plan, &why);
    if (options->flip == NULL) {
        fprintf(stderr, "dsmodel: flip=%s: %s\n", plan, why);
        exit(1);
    }
}

static void take_quirks(struct options *options, const char *list)
{
    const char *unknown = list == NULL ? NULL : quirks_parse(&options->quirks, list);

    if (unknown != NULL)
        refuse_choice(&quirk_choices, unknown);
}

/* SEED[:NAME[,NAME..]]; without names all freedoms are used. */
static void take_latitude(struct options *options, const char *value)
{
    size_t length;
    char *end;

    if (value == NULL)
        return;
    errno = 0;
    options->seed = strtoull(value, &end, 10);
    options->freedoms = ALL_FREEDOMS;
    if (*value < '0' || *value > '9' || errno != 0 || (*end != '\0' && *end != ':')) {
        options_die("latitude=%s: expected SEED or SEED:NAME[,NAME..], with a seed from 0 to 18446744073709551615",
                    value);
    }
    const char *unknown = *end == ':' ? freedoms_parse(&options->freedoms, end + 1, &length) : NULL;

    if (unknown != NULL)
        refuse_choice(&freedom_choices, unknown);
}

static void take_ipc(struct options *options, const char *value)
{
    options->ipc = value == NULL ? 0 : (unsigned)(*value - '0');
    if (value != NULL && (options->ipc < 1 || options->ipc > MOST_IPC || value[1] != '\0'))
        options_die("ipc=%s: expected a number from 1 to 8", value);
}

static void remove_file(const char *folder, unsigned cpu, const char *ending)
{
    char path[PATH_MAX];

    if ((size_t)snprintf(path, sizeof(path), "%s/%u%s", folder, cpu, ending) < sizeof(path))
        remove(path);
}

/* Copies the folder's name, because QEMU frees its arguments. */
static void take_state(struct options *options, const char *folder, unsigned processors)
{
    if (folder == NULL)
        return;
    if (access(folder, W_OK | X_OK) != 0) {
        fprintf(stderr, "dsmodel: state=%s: the folder is not writable: %s\n", folder, strerror(errno));
        exit(1);
    }
    options->state = strdup(folder);
    if (options->state == NULL)
        options_die("%s", "out of memory: state= cannot take effect");
    /* Files of an earlier run would pass for this run's, and its watch file would stop this machine. */
    for (unsigned cpu = 0; cpu < processors; cpu++) {
        remove_file(folder, cpu, "");
        remove_file(folder, cpu, ".watch");
    }
}

static const char *value_of(const char *argument, const char *key)
{
    size_t length = strlen(key);

    return strncmp(argument, key, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

/* The values as given; NULL: not given. */
struct arguments {
    const char *profile, *cores, *truth, *violations, *fault, *flip, *quirk, *latitude, *ipc, *state;
};

static void parse_argument(const char *argument, struct arguments *given)
{
    const struct {
        const char *key, **value;
    } keys[] = {
        { "profile", &given->profile },       { "cores", &given->cores },       { "truth", &given->truth },
        { "violations", &given->violations }, { "fault", &given->fault },       { "flip", &given->flip },
        { "quirk", &given->quirk },           { "latitude", &given->latitude }, { "ipc", &given->ipc },
        { "state", &given->state },
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *value = value_of(argument, keys[i].key);

        if (value == NULL)
            continue;
        if (*keys[i].value != NULL)
            options_die("%s=: repeated; write it once", keys[i].key);
        if (*value == '\0')
            options_die("%s=: missing value", keys[i].key);
        *keys[i].value = value;
        return;
    }
    options_die("%s is not an option; the options are profile=NAME cores=LIST truth=FILE violations=FILE "
                "fault=NAME[,NAME..][@CPU] "
                "flip=PLAN quirk=NAME[,NAME..] latitude=SEED[:NAME[,NAME..]] ipc=N state=FOLDER",
                argument);
}

static bool is_same_file(int one, int other)
{
    struct stat first, second;

    return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static bool is_regular(FILE *file)
{
    struct stat is;

    return fstat(fileno(file), &is) == 0 && S_ISREG(is.st_mode);
}

static void open_logs(struct options *options, const struct arguments *given)
{
    if (given->violations != NULL) {
        options->violations = open_log(given->violations);
        setvbuf(options->violations, NULL, _IOLBF, 0);
        options->shares_line = is_same_file(fileno(options->violations), STDOUT_FILENO);
    }
    if (given->truth != NULL) {
        options->truth = open_log(given->truth);
        fprintf(options->truth, "dsmodel truth 1 profile=%s\n", options->profile->name);
    }
    if (options->truth != NULL && options->violations != NULL && options->truth != options->violations &&
        is_regular(options->truth) && is_same_file(fileno(options->truth), fileno(options->violations)))
        options_die("truth= and violations= both name %s; choose two files", given->truth);
}

void options_read(int argc, char **argv, unsigned processors, struct options *options)
{
    struct arguments given = { .cores = NULL };

    for (int i = 0; i < argc; i++)
        parse_argument(argv[i], &given);
    list_if_asked(&fault_choices, given.fault);
    list_if_asked(&quirk_choices, given.quirk);
    list_if_asked(&freedom_choices, given.latitude);
    list_kinds_if_asked(given.cores);
    take_profile(options, given.profile);
    take_cores(options, given.cores, processors);
    take_faults(options, given.fault);
    take_flip(options, given.flip);
    take_quirks(options, given.quirk);
    take_latitude(options, given.latitude);
    take_ipc(options, given.ipc);
    take_state(options, given.state, processors);
    open_logs(options, &given);
}

/* QEMU's exit status is already the guest's, so lost output is reported in words. */
static void finish_log(FILE *log, const char *option)
{
    if (log != NULL && (fflush(log) != 0 || ferror(log)))
        fprintf(stderr, "dsmodel: the file of %s= could not be written to its end; is the disk full?\n", option);
}

void options_finish_logs(const struct options *options)
{
    finish_log(options->truth, "truth");
    finish_log(options->violations, "violations");
}

/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without a fuzzer: on the saved inputs, then on mutations of each, the same in every run.
 *   fuzz_NAME          reads tests/fuzz/corpus/NAME.hex, an input in each line: hexadecimal digits, or text behind ";
 *                      # is for comments; prints TAP
 *   fuzz_NAME FOLDER   writes each of these inputs to a file in FOLDER instead
 * A failure prints its input, as a line for the file of inputs.
 */
#include <sanitizer/common_interface_defs.h>
#include <signal.h>

#include "tests/fuzz/fuzz.h"

#define INPUT_MAX  8192u /* bytes */
#define INPUTS_MAX 256u
#define MUTATIONS  400u /* mutations of each input */

static struct saved {
    uint8_t bytes[INPUT_MAX];
    size_t size;
} inputs[INPUTS_MAX], current;
static unsigned count;

static void show_current(void)
{
    fprintf(stderr, "the input was:\n");
    for (size_t i = 0; i < current.size; i++)
        fprintf(stderr, "%02x", current.bytes[i]);
    fprintf(stderr, "\n");
}

static void on_abort(int number)
{
    show_current();
}

/* Runs on a copy of exactly the input's size, so that the address sanitizer catches any read past its end. */
static void run_current(void)
{
    uint8_t *bytes = malloc(current.size > 0 ? current.size : 1);
    REQUIRE(bytes != NULL);
    memcpy(bytes, current.bytes, current.size);
    LLVMFuzzerTestOneInput(bytes, current.size);
    free(bytes);
}

static uint32_t random_number(void)
{
    static uint32_t state = 2463534242u; /* Marsaglia's xorshift */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Makes one to four changes: to a bit, a byte, an interesting byte, by inserting or removing a byte, by truncation. */
static void mutate(void)
{
    static const uint8_t interesting[] = { 0, 1, 4, 8, 0x0f, 0x1f, 0x20, 0x7f, 0x80, 0xff };
    for (unsigned changes = random_number() % 4 + 1; changes > 0 && current.size > 0; changes--) {
        size_t at = random_number() % current.size;
        uint8_t *byte = &current.bytes[at];
        switch (random_number() % 6) {
        case 0:
            *byte ^= (uint8_t)(1u << random_number() % 8);
            break;
        case 1:
            *byte = (uint8_t)random_number();
            break;
        case 2:
            *byte = interesting[random_number() % sizeof(interesting)];
            break;
        case 3:
            if (current.size < INPUT_MAX) {
                memmove(byte + 1, byte, current.size - at);
                current.size++;
            }
            break;
        case 4:
            memmove(byte, byte + 1, current.size - at - 1);
            current.size--;
            break;
        default:
            current.size = at;
        }
    }
}

static int read_inputs(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[2 * INPUT_MAX + 256];
    if (!file)
        return 0;
    while (count < INPUTS_MAX && fgets(line, sizeof(line), file)) {
        unsigned byte;
        int used;
        size_t size = 0;
        for (const char *text = line + 1; line[0] == '"' && size < INPUT_MAX && *text != '\n'; text++)
            inputs[count].bytes[size++] = (uint8_t)*text;
        for (const char *text = line; size < INPUT_MAX && sscanf(text, " %2x%n", &byte, &used) == 1; text += used)
            inputs[count].bytes[size++] = (uint8_t)byte;
        inputs[count].size = size;
        if (size > 0)
            count++;
    }
    return fclose(file) == 0 && count > 0 && count < INPUTS_MAX;
}

static int write_inputs(const char *folder)
{
    for (unsigned i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%03u", folder, i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(inputs[i].bytes, 1, inputs[i].size, file) != inputs[i].size || fclose(file) != 0) {
            fprintf(stderr, "cannot write %s\n", path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = strstr(argv[0], "fuzz_");
    char path[200];
    snprintf(path, sizeof(path), "tests/fuzz/corpus/%s.hex", name ? name + 5 : "");
    if (!read_inputs(path)) {
        fprintf(stderr, "%s: no inputs, or too many, in %s\n", argv[0], path);
        return 1;
    }
    if (argc > 1)
        return write_inputs(argv[1]);
    __sanitizer_set_death_callback(show_current);
    signal(SIGABRT, on_abort);
    run_current(); /* the empty input */
    for (unsigned i = 0; i < count; i++) {
        for (unsigned n = 0; n <= MUTATIONS; n++) {
            memcpy(&current, &inputs[i], sizeof(current));
            if (n > 0)
                mutate();
            run_current();
        }
    }
    printf("1..1\nok 1 - %u inputs and %u mutations\n", count + 1, count * MUTATIONS);
    return 0;
}

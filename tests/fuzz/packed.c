/* SPDX-License-Identifier: MIT */
/*
 * Input: the bytes of a code, tested with a correct checksum added, so that the contents are decoded; then the same
 * bytes as the text of a code.
 */
#include "kernel/report/packed.h"
#include "lib/dump/dump_code.h"
#include "tests/fuzz/fuzz.h"

/* The decoded results are consistent, and equal after they are encoded and decoded again. */
static void check(const struct packed *packed)
{
    static struct result results[PACKED_TESTS_MAX];
    static char text[PACKED_TEXT_MAX];
    static struct packed again;
    size_t offender;

    REQUIRE(packed->head.tests <= PACKED_TESTS_MAX && packed->first + packed->count <= packed->head.tests);
    REQUIRE(strlen(packed->head.version) < PACKED_WORD && strlen(packed->head.revision) < PACKED_WORD);
    REQUIRE(strcmp(verdict_text(packed->head.verdict), "unknown verdict") != 0);
    for (unsigned i = 0; i < FACILITIES; i++)
        REQUIRE(strcmp(facility_state_text(packed->head.facilities[i]), "unknown state") != 0);
    for (unsigned i = 0; i < PACKED_TESTS_MAX; i++) {
        REQUIRE(packed->outcomes[i] <= OUTCOME_ERROR);
        REQUIRE((i >= packed->first && i < packed->first + packed->count) || packed->outcomes[i] == OUTCOME_NOT_RUN);
        results[i].outcome = (enum outcome)packed->outcomes[i];
    }
    packed_write(text, &packed->head, results, packed->first, packed->count);
    REQUIRE(packed_read(text, &again, &offender) == PACKED_OK);
    REQUIRE(memcmp(again.outcomes, packed->outcomes, sizeof again.outcomes) == 0);
    REQUIRE(strcmp(again.head.revision, packed->head.revision) == 0 && again.head.verdict == packed->head.verdict);
}

static void read_text(const char *text, size_t length)
{
    static struct packed packed;
    char *const copy = malloc(length + 1);
    size_t offender;

    REQUIRE(copy != NULL);
    memcpy(copy, text, length + 1);
    const enum packed_error error = packed_read(copy, &packed, &offender);
    REQUIRE(packed_error_text(error)[0] != '\0');
    if (error == PACKED_OK)
        check(&packed);
    else
        REQUIRE(offender <= length);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+-./:";
    static char text[20000];
    static uint8_t bytes[4100];
    size_t length = (size_t)sprintf(text, PACKED_PREFIX);

    if (size > 4096)
        size = 4096;
    memcpy(text + length, data, size);
    text[length + size] = '\0';
    read_text(text, strlen(text));
    read_text(text + length, strlen(text + length));
    memcpy(bytes, data, size);
    const uint32_t crc = dump_crc(bytes, size);
    for (unsigned i = 0; i < 4; i++)
        bytes[size + i] = (uint8_t)(crc >> 8 * i);
    for (size_t i = 0; i < size + 4; i += 2) {
        const bool pair = i + 1 < size + 4;
        unsigned value = pair ? bytes[i] * 256u + bytes[i + 1] : bytes[i];
        for (unsigned k = 0; k < (pair ? 3u : 2u); k++, value /= 41)
            text[length++] = digits[value % 41];
    }
    text[length] = '\0';
    read_text(text, length);
    return 0;
}

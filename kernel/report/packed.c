/* SPDX-License-Identifier: MIT */
/*
 * The bytes: PACKED_FORMAT; flags; verdict; facilities; signature; microcode; fingerprint; version and revision, each a
 * length and its characters; totals, number of tests, first, count, each of two bytes; outcomes; CRC-32C of all that.
 * Numbers are little-endian.
 *
 * Outcomes: a byte below 216 is three of them, as digits in base 6. Any other byte repeats the last outcome
 * (before the first: not run) byte - 212 times. So a test takes a third of a byte at most, and about an eighth if
 * most tests pass.
 *
 * Characters: two bytes are three digits in base 41, a last single byte is two; the least significant is first. RFC
 * 9285 does the same in base 45. Its blank, $, % and * are left out here, because shells interpret them and people
 * miscopy them. Codes do not become larger.
 */
#include "kernel/report/packed.h"

#include "lib/bytes.h"
#include "lib/dump/dump_code.h"

#define FLAG_64         1u
#define FLAG_HYPERVISOR 2u

#define FACILITY_STATES (FACILITY_FAIL + 1u)
#define OUTCOMES        (OUTCOME_ERROR + 1u)
#define TRIPLES         (OUTCOMES * OUTCOMES * OUTCOMES)
#define REPEAT_LEAST    4u /* fewer take no more bytes as triples */
#define REPEAT_MOST     (255u - TRIPLES + REPEAT_LEAST)

#define CRC_SIZE 4u
#define BASE     41u

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+-./:";

_Static_assert(sizeof digits == BASE + 1, "a character for each digit");
_Static_assert(TRIPLES < 256, "a byte holds three outcomes");
_Static_assert(16 + 2 * PACKED_WORD + 9 * 2 + (PACKED_TESTS_MAX + 2) / 3 + CRC_SIZE <= PACKED_BYTES_MAX,
               "the longest contents fit");

uint32_t packed_fingerprint(const struct result *results, size_t count)
{
    uint32_t sum = 2166136261u; /* FNV-1a: offset basis and prime of 32 bits */

    for (size_t i = 0; i < count; i++)
        for (const char *c = results[i].id;; c++) {
            sum = (sum ^ (uint8_t)*c) * 16777619u;
            if (*c == '\0')
                break;
        }
    return sum;
}

/* ---- writing ---- */

struct writer {
    uint8_t bytes[PACKED_BYTES_MAX];
    size_t size;
};

static void write_u8(struct writer *w, unsigned value)
{
    w->bytes[w->size++] = (uint8_t)value;
}

static void write_u16(struct writer *w, unsigned value)
{
    write_u8(w, value & 0xff);
    write_u8(w, value >> 8);
}

static void write_number(struct writer *w, uint32_t value)
{
    write_u32(w->bytes, w->size, value);
    w->size += 4;
}

static void write_word(struct writer *w, const char *word)
{
    size_t length = 0;

    while (word[length] != '\0' && length < PACKED_WORD - 1)
        length++;
    write_u8(w, (unsigned)length);
    for (size_t i = 0; i < length; i++)
        write_u8(w, (uint8_t)word[i]);
}

static void write_head(struct writer *w, const struct packed_head *head)
{
    write_u8(w, PACKED_FORMAT);
    write_u8(w, (head->width == 64 ? FLAG_64 : 0) | (head->hypervisor ? FLAG_HYPERVISOR : 0));
    write_u8(w, head->verdict);
    write_u8(w, head->facilities[0] + FACILITY_STATES * (head->facilities[1] + FACILITY_STATES * head->facilities[2]));
    write_number(w, head->signature);
    write_number(w, head->microcode);
    write_number(w, head->fingerprint);
    write_word(w, head->version);
    write_word(w, head->revision);
    write_u16(w, head->totals.pass);
    write_u16(w, head->totals.differs);
    write_u16(w, head->totals.fail);
    write_u16(w, head->totals.skip);
    write_u16(w, head->totals.error);
    write_u16(w, head->tests);
}

/* The number of following results with the same outcome as the previous one. */
static unsigned repeated(const struct result *results, unsigned count, enum outcome before)
{
    unsigned same = 0;

    while (same < count && same < REPEAT_MOST && results[same].outcome == before)
        same++;
    return same;
}

static void write_outcomes(struct writer *w, const struct result *results, unsigned count)
{
    enum outcome last = OUTCOME_NOT_RUN;

    for (unsigned i = 0; i < count;) {
        const unsigned same = repeated(results + i, count - i, last);
        if (same >= REPEAT_LEAST) {
            write_u8(w, TRIPLES + same - REPEAT_LEAST);
            i += same;
            continue;
        }
        unsigned value = 0;
        for (unsigned k = 0; k < 3; k++) {
            last = i + k < count ? results[i + k].outcome : OUTCOME_NOT_RUN;
            value = value * OUTCOMES + last;
        }
        write_u8(w, value);
        i += 3;
    }
}

static char *put_group(char *at, unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++, value /= BASE)
        *at++ = digits[value % BASE];
    return at;
}

size_t packed_write(char text[PACKED_TEXT_MAX], const struct packed_head *head, const struct result *results,
                    unsigned first, unsigned count)
{
    struct writer w = { .size = 0 };
    char *at = text;

    write_head(&w, head);
    write_u16(&w, first);
    write_u16(&w, count);
    write_outcomes(&w, results + first, count);
    write_number(&w, dump_crc(w.bytes, w.size));
    for (const char *c = PACKED_PREFIX; *c != '\0'; c++)
        *at++ = *c;
    for (size_t i = 0; i + 1 < w.size; i += 2)
        at = put_group(at, (unsigned)w.bytes[i] << 8 | w.bytes[i + 1], 3);
    if (w.size % 2)
        at = put_group(at, w.bytes[w.size - 1], 2);
    *at = '\0';
    return (size_t)(at - text);
}

/* ---- reading ---- */

struct reader {
    uint8_t bytes[PACKED_BYTES_MAX];
    size_t size, at;
    bool wrong; /* invalid contents, or the end was passed */
};

static unsigned read_u8(struct reader *r)
{
    if (r->at < r->size)
        return r->bytes[r->at++];
    r->wrong = true;
    return 0;
}

/* A byte below a limit. */
static unsigned read_below(struct reader *r, unsigned limit)
{
    const unsigned value = read_u8(r);

    r->wrong = r->wrong || value >= limit;
    return r->wrong ? 0 : value;
}

static unsigned read_u16(struct reader *r)
{
    const unsigned low = read_u8(r);

    return low | read_u8(r) << 8;
}

static uint32_t read_number(struct reader *r)
{
    const uint32_t low = read_u16(r);

    return low | (uint32_t)read_u16(r) << 16;
}

static void read_word(struct reader *r, char word[PACKED_WORD])
{
    const unsigned length = read_below(r, PACKED_WORD);

    for (unsigned i = 0; i < length; i++) {
        word[i] = (char)read_below(r, 0x7f);
        r->wrong = r->wrong || word[i] <= ' ';
    }
    word[length] = '\0';
}

static void read_head(struct reader *r, struct packed_head *head)
{
    const unsigned flags = read_below(r, 2 * FLAG_HYPERVISOR);
    unsigned facilities;

    head->width = flags & FLAG_64 ? 64 : 32;
    head->hypervisor = flags & FLAG_HYPERVISOR;
    head->verdict = (enum verdict)read_below(r, VERDICT_INCOMPLETE + 1u);
    r->wrong = r->wrong || head->verdict == VERDICT_PANIC + 1; /* no verdict has this value */
    facilities = read_below(r, FACILITY_STATES * FACILITY_STATES * FACILITY_STATES);
    for (unsigned i = 0; i < FACILITIES; i++, facilities /= FACILITY_STATES)
        head->facilities[i] = (enum facility_state)(facilities % FACILITY_STATES);
    head->signature = read_number(r);
    head->microcode = read_number(r);
    head->fingerprint = read_number(r);
    read_word(r, head->version);
    read_word(r, head->revision);
    head->totals.pass = read_u16(r);
    head->totals.differs = read_u16(r);
    head->totals.fail = read_u16(r);
    head->totals.skip = read_u16(r);
    head->totals.error = read_u16(r);
    head->tests = read_u16(r);
}

/* Takes one outcome. Outcomes past the last one must be "not run": they pad the last triple. */
static void take_outcome(struct reader *r, struct packed *packed, unsigned *taken, unsigned outcome)
{
    if (*taken < packed->count)
        packed->outcomes[packed->first + *taken] = (uint8_t)outcome;
    else
        r->wrong = r->wrong || outcome != OUTCOME_NOT_RUN;
    ++*taken;
}

static void read_outcomes(struct reader *r, struct packed *packed)
{
    unsigned taken = 0, last = OUTCOME_NOT_RUN;

    while (taken < packed->count && !r->wrong) {
        const unsigned byte = read_u8(r);
        if (byte >= TRIPLES) {
            const unsigned same = byte - TRIPLES + REPEAT_LEAST;
            r->wrong = r->wrong || same > packed->count - taken;
            for (unsigned i = 0; i < same && !r->wrong; i++)
                take_outcome(r, packed, &taken, last);
            continue;
        }
        take_outcome(r, packed, &taken, byte / (OUTCOMES * OUTCOMES));
        take_outcome(r, packed, &taken, byte / OUTCOMES % OUTCOMES);
        last = byte % OUTCOMES;
        take_outcome(r, packed, &taken, last);
    }
}

static int digit(char c)
{
    for (unsigned i = 0; i < BASE; i++)
        if (digits[i] == c)
            return (int)i;
    return -1;
}

/* Decodes the characters to bytes. On an error *offender is the position of the first invalid character. */
static enum packed_error read_characters(struct reader *r, const char *text, size_t *offender)
{
    size_t at = 0;

    while (text[at] != '\0') {
        unsigned value = 0, scale = 1, count = 0;
        *offender = at;
        for (; count < 3 && text[at] != '\0'; count++, at++, scale *= BASE) {
            const int found = digit(text[at]);
            if (found < 0) {
                *offender = at;
                return PACKED_CHARACTER;
            }
            value += (unsigned)found * scale;
        }
        if (count == 1)
            return PACKED_CUT;
        if (value > (count == 3 ? 0xffffu : 0xffu))
            return PACKED_VALUE;
        if (r->size + count - 1 > PACKED_BYTES_MAX)
            return PACKED_LONG;
        if (count == 3)
            r->bytes[r->size++] = (uint8_t)(value >> 8);
        r->bytes[r->size++] = (uint8_t)value;
    }
    *offender = at;
    return PACKED_OK;
}

enum packed_error packed_read(const char *text, struct packed *packed, size_t *offender)
{
    struct reader r = { .size = 0 };
    size_t prefix = 0, within;

    for (; PACKED_PREFIX[prefix] != '\0'; prefix++)
        if (text[prefix] != PACKED_PREFIX[prefix]) {
            *offender = prefix;
            return PACKED_NO_PREFIX;
        }
    const enum packed_error error = read_characters(&r, text + prefix, &within);
    *offender = prefix + within;
    if (error != PACKED_OK)
        return error;
    if (r.size <= CRC_SIZE)
        return PACKED_CUT;
    r.size -= CRC_SIZE;
    *offender = prefix;
    if (read_u32(r.bytes, r.size) != dump_crc(r.bytes, r.size))
        return PACKED_CHECKSUM;
    if (read_u8(&r) != PACKED_FORMAT)
        return PACKED_UNKNOWN_FORMAT;
    *packed = (struct packed){ .first = 0 };
    read_head(&r, &packed->head);
    packed->first = read_u16(&r);
    packed->count = read_u16(&r);
    if (r.wrong || packed->head.tests > PACKED_TESTS_MAX || packed->first + packed->count > packed->head.tests)
        return PACKED_CONTENTS;
    read_outcomes(&r, packed);
    return r.wrong || r.at != r.size ? PACKED_CONTENTS : PACKED_OK;
}

const char *packed_error_text(enum packed_error error)
{
    switch (error) {
    case PACKED_OK:
        return "no error";
    case PACKED_NO_PREFIX:
        return "not a code of dstest86, which begins with " PACKED_PREFIX;
    case PACKED_CHARACTER:
        return "a character that no code has (capital letters, digits and + - . / : only)";
    case PACKED_VALUE:
        return "characters that encode no bytes: one of them is wrong";
    case PACKED_CUT:
        return "the code is cut off";
    case PACKED_LONG:
        return "longer than any code";
    case PACKED_CHECKSUM:
        return "the checksum is wrong: characters were changed or left out";
    case PACKED_UNKNOWN_FORMAT:
        return "a format that this dsdump does not know: use a newer one";
    case PACKED_CONTENTS:
        return "the checksum is right, but no kernel writes such contents";
    }
    return "unknown error";
}

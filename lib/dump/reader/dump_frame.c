/* SPDX-License-Identifier: MIT */
#include "lib/dump/reader/dump_frame.h"

#include <string.h>

#include "lib/bytes.h"
#include "lib/dump/dump_code.h"
#include "lib/dump/dump_format.h"

#define LINE_MARK     "# " DUMP_MAGIC
#define CHECKSUM_MARK " crc="
#define CHECKSUM_SIZE 13u /* characters of " crc=" and its eight digits */

const char *const dump_kind_names[KINDS] = { "bts", "pebs", "lbr", "head", "event", "end" };

/* The characters of texts that outputs repeat. None begins a formula or a terminal's escape sequence, or ends a field.
 */
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
#define NAMES   LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "._"

static const struct word {
    const char *name;
    unsigned length;
    enum { NUMBER, NUMBERS, TEXT } type;
    const char *characters; /* of a text; NULL: its reader checks it */
} words[KEYS] = {
#define WORD(name, type)                   \
    {                                      \
        name, sizeof(name) - 1, type, NULL \
    }
#define TEXT_OF(name, characters)                \
    {                                            \
        name, sizeof(name) - 1, TEXT, characters \
    }
    [KEY_TEST] = TEXT_OF("test", LETTERS DIGITS "._"),
    [KEY_CPU] = WORD("cpu", NUMBER),
    [KEY_FIRST] = WORD("first", NUMBER),
    [KEY_COUNT] = WORD("count", NUMBER),
    [KEY_BEFORE] = WORD("before", NUMBER),
    [KEY_FORM] = WORD("form", NUMBERS),
    [KEY_SOURCE] = WORD("source", NUMBER),
    [KEY_SIZE] = WORD("size", NUMBER),
    [KEY_TOS] = WORD("tos", NUMBER),
    [KEY_DEPTH] = WORD("depth", NUMBER),
    [KEY_CODES] = WORD("codes", NUMBER),
    [KEY_DATA] = WORD("data", TEXT),
    [KEY_COUNTER] = WORD("counter", NUMBER),
    [KEY_FIXED] = WORD("fixed", NUMBER),
    [KEY_SELECT] = WORD("select", NUMBER),
    [KEY_PERIOD] = WORD("period", NUMBER),
    [KEY_THRESHOLD] = WORD("threshold", NUMBER),
    [KEY_DATA_CFG] = WORD("data_cfg", NUMBER),
    [KEY_NAME] = TEXT_OF("name", NAMES),
    [KEY_VERSION] = TEXT_OF("version", NAMES "+-"),
    [KEY_WIDTH] = WORD("width", NUMBER),
    [KEY_SIGNATURE] = WORD("signature", NUMBER),
    [KEY_PERF_CAPABILITIES] = WORD("perf_capabilities", NUMBER),
    [KEY_MISC_ENABLE] = WORD("misc_enable", NUMBER),
    [KEY_PEBS_DATA_CFG] = WORD("pebs_data_cfg", NUMBER),
    [KEY_DS] = WORD("ds", NUMBER),
    [KEY_BTS_FORM] = WORD("bts_form", NUMBERS),
    [KEY_PEBS_FORM] = WORD("pebs_form", NUMBERS),
    [KEY_BUILD_ID] = WORD("build_id", TEXT),
    [KEY_BTS] = WORD("bts", NUMBER),
    [KEY_PEBS] = WORD("pebs", NUMBER),
    [KEY_LBR] = WORD("lbr", NUMBER),
#undef WORD
#undef TEXT_OF
};

#define HAS(key) (UINT64_C(1) << (key))
#define RECORDS_NEED                                                                                    \
    (HAS(KEY_TEST) | HAS(KEY_CPU) | HAS(KEY_FIRST) | HAS(KEY_COUNT) | HAS(KEY_BEFORE) | HAS(KEY_FORM) | \
     HAS(KEY_CODES) | HAS(KEY_DATA))

static const uint64_t needed[KINDS] = {
    [KIND_BTS] = RECORDS_NEED,
    [KIND_PEBS] = RECORDS_NEED | HAS(KEY_SOURCE) | HAS(KEY_SIZE),
    [KIND_LBR] = RECORDS_NEED | HAS(KEY_TOS) | HAS(KEY_DEPTH),
    [KIND_HEAD] = HAS(KEY_VERSION) | HAS(KEY_WIDTH) | HAS(KEY_SIGNATURE) | HAS(KEY_PERF_CAPABILITIES) |
                  HAS(KEY_MISC_ENABLE) | HAS(KEY_PEBS_DATA_CFG) | HAS(KEY_DS) | HAS(KEY_BTS_FORM) | HAS(KEY_PEBS_FORM) |
                  HAS(KEY_SOURCE) | HAS(KEY_BUILD_ID),
    [KIND_EVENT] = HAS(KEY_TEST) | HAS(KEY_CPU) | HAS(KEY_COUNTER) | HAS(KEY_FIXED) | HAS(KEY_SELECT) |
                   HAS(KEY_PERIOD) | HAS(KEY_THRESHOLD) | HAS(KEY_DATA_CFG) | HAS(KEY_NAME),
    [KIND_END] = HAS(KEY_BTS) | HAS(KEY_PEBS) | HAS(KEY_LBR),
};

void piece_copy(char *out, size_t size, struct piece text)
{
    size_t length = text.length < size - 1 ? text.length : size - 1;

    memcpy(out, text.start, length);
    out[length] = '\0';
}

bool piece_is(struct piece a, const char *text)
{
    return strlen(text) == a.length && memcmp(a.start, text, a.length) == 0;
}

int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a number of at most 64 bits, in decimal or, after 0x, hexadecimal. */
static bool take_number(struct piece text, uint64_t *out)
{
    bool hex = text.length > 2 && text.start[0] == '0' && text.start[1] == 'x';
    uint64_t sum = 0;

    if (text.length == 0 || text.length > 20)
        return false;
    for (size_t i = hex ? 2 : 0; i < text.length; i++) {
        int digit = hex_digit(text.start[i]);
        if (digit < 0 || (!hex && digit > 9) || (hex ? sum >> 60 != 0 : sum > (UINT64_MAX - (unsigned)digit) / 10))
            return false;
        sum = sum * (hex ? 16 : 10) + (unsigned)digit;
    }
    *out = sum;
    return true;
}

static bool take_numbers(struct piece text, uint64_t out[DUMP_FORM_NUMBERS])
{
    for (unsigned i = 0; i < DUMP_FORM_NUMBERS; i++) {
        const char *slash = memchr(text.start, '/', text.length);
        struct piece one = { text.start, slash ? (size_t)(slash - text.start) : text.length };
        if (!take_number(one, &out[i]))
            return false;
        if (!slash)
            return true;
        text.start += one.length + 1;
        text.length -= one.length + 1;
    }
    return false;
}

static bool consists_of(struct piece text, const char *characters)
{
    for (size_t i = 0; characters && i < text.length; i++)
        if (text.start[i] == '\0' || strchr(characters, text.start[i]) == NULL)
            return false;
    return true;
}

/* Takes the next word, up to a blank. */
static struct piece take_word(struct piece *rest)
{
    const char *blank = memchr(rest->start, ' ', rest->length);
    struct piece word = { rest->start, blank ? (size_t)(blank - rest->start) : rest->length };
    size_t taken = word.length + (blank ? 1 : 0);

    rest->start += taken;
    rest->length -= taken;
    return word;
}

/* Finds the key with this name, starting at `from`; KEYS if there is none. */
static unsigned find_key(struct piece name, unsigned from)
{
    for (unsigned i = 0, key = from; i < KEYS; i++, key++) {
        if (key >= KEYS)
            key = 0;
        if (words[key].length == name.length && memcmp(words[key].name, name.start, name.length) == 0)
            return key;
    }
    return KEYS;
}

/* Reads the words; unknown ones, which later versions may add, are skipped. After an error f->word is the offender. */
static enum dump_error take_words(struct piece rest, struct frame *f)
{
    unsigned next = 0;

    while (rest.length > 0) {
        struct piece value = take_word(&rest);
        f->word = value;
        const char *equals = memchr(value.start, '=', value.length);
        if (!equals)
            return DUMP_READ_WORD;
        struct piece name = { value.start, (size_t)(equals - value.start) };
        unsigned key = find_key(name, next);
        if (key == KEYS)
            continue;
        value.start += name.length + 1;
        value.length -= name.length + 1;
        if (words[key].type == TEXT && !consists_of(value, words[key].characters))
            return DUMP_READ_WORD;
        if (words[key].type == TEXT)
            f->text[key] = value;
        else if (words[key].type == NUMBER ? !take_number(value, &f->number[key])
                                           : !take_numbers(value, key == KEY_BTS_FORM ? f->bts_form : f->form))
            return DUMP_READ_WORD;
        f->has |= HAS(key);
        next = key + 1;
    }
    const uint64_t missing = needed[f->kind] & ~f->has;
    if (missing == 0)
        return DUMP_READ_OK;
    f->word = (struct piece){ words[__builtin_ctzll(missing)].name, words[__builtin_ctzll(missing)].length };
    return DUMP_READ_WORD_MISSING;
}

const char *dump_frame_find(const char *text, size_t length)
{
    const size_t mark = sizeof(LINE_MARK) - 1;

    while (length >= mark) {
        const char *at = memchr(text, LINE_MARK[0], length - mark + 1);
        if (!at)
            return NULL;
        if (memcmp(at, LINE_MARK, mark) == 0)
            return at;
        length -= (size_t)(at + 1 - text);
        text = at + 1;
    }
    return NULL;
}

#ifdef __x86_64__
/* dump_crc() by the processor's own instruction, which halves the time of reading a dump. */
__attribute__((target("sse4.2"))) static uint32_t fast_crc(const char *text, size_t length)
{
    uint64_t crc = UINT32_MAX;

    for (; length >= 8; text += 8, length -= 8)
        crc = __builtin_ia32_crc32di(crc, read_u64(text, 0));
    for (; length > 0; length--)
        crc = __builtin_ia32_crc32qi((uint32_t)crc, (uint8_t)*text++);
    return ~(uint32_t)crc;
}
#define dump_crc(text, length) (__builtin_cpu_supports("sse4.2") ? fast_crc(text, length) : dump_crc(text, length))
#endif

/*
 * Checks the eight digits after the last word against the checksum of everything before, and removes them with what
 * terminals and loggers add after them.
 */
static enum dump_error check_sum(struct piece *text, uint32_t *crc)
{
    uint64_t stored = 0;

    while (text->length >= CHECKSUM_SIZE &&
           memcmp(text->start + text->length - CHECKSUM_SIZE, CHECKSUM_MARK, sizeof(CHECKSUM_MARK) - 1) != 0)
        text->length--;
    if (text->length < CHECKSUM_SIZE)
        return DUMP_READ_CUT_SHORT;
    for (unsigned i = 8; i > 0; i--) {
        int digit = hex_digit(text->start[text->length - i]);
        if (digit < 0)
            return DUMP_READ_CHECKSUM_DIGITS;
        stored = stored << 4 | (unsigned)digit;
    }
    text->length -= CHECKSUM_SIZE;
    *crc = dump_crc(text->start, text->length);
    return *crc != stored ? DUMP_READ_CHECKSUM : DUMP_READ_OK;
}

enum dump_error dump_frame_take(struct piece text, struct frame *f, bool *intact)
{
    enum dump_error error = check_sum(&text, &f->crc);

    f->version = 0;
    *intact = error == DUMP_READ_OK;
    if (!*intact)
        return error;
    text.start += sizeof(DUMP_MAGIC) - 1;
    text.length -= sizeof(DUMP_MAGIC) - 1;
    if (!take_number(take_word(&text), &f->version))
        return DUMP_READ_NO_VERSION;
    if (f->version != DUMP_VERSION)
        return DUMP_READ_VERSION;
    if (!take_number(take_word(&text), &f->sequence) || f->sequence == UINT64_MAX)
        return DUMP_READ_NO_SEQUENCE;
    struct piece kind = take_word(&text);
    for (f->kind = 0; f->kind < KINDS && !piece_is(kind, dump_kind_names[f->kind]); f->kind++)
        ;
    f->has = 0;
    memset(f->form, 0, sizeof(f->form));
    memset(f->bts_form, 0, sizeof(f->bts_form));
    f->wrong = f->kind == KINDS ? DUMP_READ_KIND : take_words(text, f);
    return DUMP_READ_OK;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults/faults.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *sentence;
} table[] = {
#define FAULT(id, name, sentence, replaces) { name, sentence },
#include "model/faults/faults.inc"
#undef FAULT
};

const char *fault_name(unsigned index)
{
    return index < FAULTS ? table[index].name : NULL;
}

const char *fault_sentence(unsigned index)
{
    return index < FAULTS ? table[index].sentence : NULL;
}

/* Parses the processor number after the @. */
static const char *cpu_parse(struct fault_set *set, const char *number, size_t *length)
{
    *length = strlen(number);
    if (*length == 0 || *length > 4 || strspn(number, "0123456789") != *length)
        return number;
    set->of_one = true;
    set->cpu = 0;
    for (; *number != '\0'; number++)
        set->cpu = set->cpu * 10 + (unsigned)(*number - '0');
    return NULL;
}

/* Reads a word and the end of its part of a bit fault. */
static bool read_word(const char **text, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0 || strchr(":,@", (*text)[length]) == NULL)
        return false;
    *text += length;
    return true;
}

static unsigned read_one_of(const char **text, const char *const *words, unsigned count)
{
    unsigned i = 0;

    while (i < count && !read_word(text, words[i]))
        i++;
    return i;
}

static bool read_hex(const char **text, unsigned digits, uint64_t *value)
{
    const size_t length = strspn(*text, "0123456789abcdef");

    if (length == 0 || length > digits)
        return false;
    *value = strtoull(*text, NULL, 16);
    *text += length;
    return true;
}

static bool read_bits(const char **text, unsigned digits, uint64_t *bits)
{
    *bits = UINT64_MAX >> (64 - 4 * digits);
    if (**text != ':')
        return true;
    ++*text;
    return read_hex(text, digits, bits) && *bits != 0;
}

static bool read_change(const char **text, unsigned digits, struct bit_fault *f)
{
    static const char *const changes[] = { [BITS_CLEAR] = ":clear", [BITS_SET] = ":set", [BITS_FLIP] = ":flip" };
    const unsigned change = read_one_of(text, changes, 3);

    f->change = change;
    return change < 3 && read_bits(text, digits, &f->bits);
}

static bool read_msr(const char **text, struct bit_fault *f)
{
    static const char *const kinds[] = { ":absent", ":gp", ":take", ":stick", ":read", ":write" };
    uint64_t address;

    if (!read_hex(text, 8, &address))
        return false;
    const unsigned kind = read_one_of(text, kinds, FAULT_CPUID);

    f->address = (uint32_t)address;
    f->kind = kind;
    f->bits = UINT64_MAX;
    return kind == FAULT_MSR_ABSENT ||
           (kind < FAULT_MSR_READ ? read_bits(text, 16, &f->bits) : kind < FAULT_CPUID && read_change(text, 16, f));
}

static bool read_cpuid(const char **text, struct bit_fault *f)
{
    static const char *const regs[] = { ":eax", ":ebx", ":ecx", ":edx" };
    uint64_t leaf, subleaf;

    if (!read_hex(text, 8, &leaf) || *(*text)++ != '.' || !read_hex(text, 8, &subleaf))
        return false;
    f->kind = FAULT_CPUID;
    f->address = (uint32_t)leaf;
    f->subleaf = (uint32_t)subleaf;
    f->reg = read_one_of(text, regs, 4);
    return f->reg < 4 && read_change(text, 8, f);
}

bool faults_is_bits(const char *name)
{
    return strncmp(name, "msr:", 4) == 0 || strncmp(name, "cpuid:", 6) == 0;
}

/* Adds the bit fault of this length. */
static bool bits_parse(struct fault_set *set, const char *text, size_t length)
{
    const char *at = strchr(text, ':') + 1;
    struct bit_fault f = { 0 };

    if (set->bit_faults == MOST_BIT_FAULTS || !(*text == 'm' ? read_msr : read_cpuid)(&at, &f) || at != text + length)
        return false;
    set->bits[set->bit_faults++] = f;
    return true;
}

const char *faults_parse(struct fault_set *set, const char *list, size_t *length)
{
    for (;; list += *length + 1) {
        unsigned i = 0;

        *length = strcspn(list, ",@");
        const bool bits = faults_is_bits(list) && bits_parse(set, list, *length);

        while (!bits && i < FAULTS && (strlen(table[i].name) != *length || memcmp(table[i].name, list, *length) != 0))
            i++;
        if (i == FAULTS)
            return list;
        if (!bits)
            set->words[i / 64] |= UINT64_C(1) << i % 64;
        set->any = true;
        if (list[*length] == '\0')
            return NULL;
        if (list[*length] == '@')
            return cpu_parse(set, list + *length + 1, length);
    }
}

/* SPDX-License-Identifier: MIT */
/* Reads cpuid_facts.tsv: CPUID of real processors. Shares no code with the kernel or the model. */
#ifndef TESTS_HOST_CPUID_FACTS_H
#define TESTS_HOST_CPUID_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTS_FILE   "tests/host/cpuid_facts.tsv"
#define FACTS_CACHES 8
#define FACTS_MISC   4

struct fact_leaf {
    bool there;
    uint32_t regs[4]; /* EAX, EBX, ECX, EDX; of leaves 1 and 80000001H only ECX and EDX */
};

struct fact {
    uint32_t signature, kind, max; /* CPUID.1:EAX, CPUID.1AH:EAX, CPUID.0:EAX */
    char core[32];
    struct fact_leaf leaf_1, leaf_7, leaf_7_1, leaf_a, leaf_14, leaf_15, leaf_16, leaf_1c, leaf_23[6];
    struct fact_leaf leaf_4[FACTS_CACHES], leaf_80000001;
    unsigned caches;
    uint64_t misc[FACTS_MISC]; /* IA32_MISC_ENABLE */
    unsigned miscs;
};

static inline struct fact_leaf fact_leaf(const char *text, unsigned first)
{
    struct fact_leaf leaf = { .there = *text != '.' };

    for (unsigned i = first; leaf.there && i < 4 && *text != '\0' && *text != ' '; i++) {
        char *end;

        leaf.regs[i] = (uint32_t)strtoul(text, &end, 16);
        text = *end == '-' ? end + 1 : end;
    }
    return leaf;
}

/* Reads SUBLEAF:REGISTERS, separated by blanks. A repetition of the first subleaf is another processor: stops there. */
static inline void fact_caches(const char *text, struct fact *fact)
{
    for (const char *colon; (colon = strchr(text, ':')) != NULL && fact->caches < FACTS_CACHES; fact->caches++) {
        const struct fact_leaf cache = fact_leaf(colon + 1, 0);

        if (fact->caches > 0 && memcmp(cache.regs, fact->leaf_4[0].regs, sizeof cache.regs) == 0)
            return;
        fact->leaf_4[fact->caches] = cache;
        text = colon + strcspn(colon, " ");
    }
}

static inline void fact_misc(const char *text, struct fact *fact)
{
    while (*text != '.' && *text != '\0' && fact->miscs < FACTS_MISC) {
        char *end;

        fact->misc[fact->miscs++] = strtoull(text, &end, 16);
        text = *end == ',' ? end + 1 : end;
    }
}

/* Splits a row at its tabs. Returns whether it has all columns. */
static inline bool fact_read(char *line, struct fact *fact)
{
    enum { COLUMNS = 23 };
    char *column[COLUMNS];
    unsigned count = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at && count < COLUMNS; count++) {
        column[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    if (count != COLUMNS)
        return false;
    struct fact_leaf *const leaves[] = { &fact->leaf_7,  &fact->leaf_7_1, &fact->leaf_a,  &fact->leaf_14,
                                         &fact->leaf_15, &fact->leaf_16,  &fact->leaf_1c, &fact->leaf_23[0] };
    *fact = (struct fact){ .signature = (uint32_t)strtoul(column[0], NULL, 16),
                           .kind = (uint32_t)strtoul(column[1], NULL, 16),
                           .max = (uint32_t)strtoul(column[3], NULL, 16),
                           .leaf_1 = fact_leaf(column[4], 2),
                           .leaf_80000001 = fact_leaf(column[19], 2) };
    snprintf(fact->core, sizeof fact->core, "%s", column[2]);
    for (unsigned i = 0; i < 8; i++)
        *leaves[i] = fact_leaf(column[5 + i], 0);
    for (unsigned i = 1; i < 6; i++)
        fact->leaf_23[i] = fact_leaf(column[12 + i], 0);
    fact_caches(column[18], fact);
    fact_misc(column[20], fact);
    return true;
}

/* Reads all rows into *facts, which the caller frees. Returns their number; 0 if a row cannot be read. */
static inline size_t facts_read(struct fact **facts)
{
    enum { MOST = 1000 };
    FILE *const file = fopen(FACTS_FILE, "r");
    char line[1024];
    size_t count = 0;

    *facts = calloc(MOST, sizeof **facts);
    while (file && *facts && count < MOST && fgets(line, sizeof line, file)) {
        if (line[0] == '#' || strncmp(line, "signature\t", 10) == 0)
            continue;
        if (!fact_read(line, &(*facts)[count++])) {
            fprintf(stderr, FACTS_FILE ": a row without all columns: %s\n", line);
            count = 0;
            break;
        }
    }
    if (file)
        fclose(file);
    return count;
}

#endif

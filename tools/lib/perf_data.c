/* SPDX-License-Identifier: MIT */
#include "tools/lib/perf_data.h"

#include <string.h>

enum record_type { RECORD_LOST = 2, RECORD_COMM = 3, RECORD_SAMPLE = 9, RECORD_MMAP2 = 10 };

#define MISC_USER          2u
#define MISC_EXACT_IP      (1u << 14) /* of a sample */
#define MISC_BUILD_ID      (1u << 14) /* of a map */
#define RECORD_HEADER_SIZE 8u

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, 4);
    return at + 4;
}

static uint8_t *put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
    return at + 8;
}

static uint8_t *put_zeros(uint8_t *at, size_t count)
{
    memset(at, 0, count);
    return at + count;
}

/* A name with its NUL, padded to 8 bytes. */
static uint8_t *put_name(uint8_t *at, const char *name)
{
    size_t length = strlen(name);

    if (length >= PERF_NAME_MOST)
        length = PERF_NAME_MOST - 1;
    memcpy(at, name, length);
    return put_zeros(at + length, 8 - length % 8);
}

/* The record's header, now that its end is known. */
static size_t finish(uint8_t *out, const uint8_t *end, enum record_type type, unsigned misc)
{
    size_t size = (size_t)(end - out);

    put16(put16(put32(out, type), misc), (uint32_t)size);
    return size;
}

size_t perf_put_header(uint8_t *out, const struct perf_section *attrs, const struct perf_section *data,
                       uint64_t features)
{
    uint8_t *at = out;

    memcpy(at, "PERFILE2", 8);
    at = put64(put64(at + 8, PERF_HEADER_SIZE), PERF_ATTR_SIZE + sizeof(struct perf_section));
    at = put64(put64(at, attrs->offset), attrs->size);
    at = put64(put64(at, data->offset), data->size);
    at = put_zeros(at, 16); /* event types: of old versions */
    at = put_zeros(put64(at, features), 24);
    return (size_t)(at - out);
}

#define ATTR_DISABLED       (UINT64_C(1) << 0)
#define ATTR_EXCLUDE_KERNEL (UINT64_C(1) << 5) /* or perf asks for the symbols of the Linux that it runs on */
#define ATTR_PRECISE_SHIFT  15u

size_t perf_put_attr(uint8_t out[PERF_ATTR_SIZE], const struct perf_attr *attr)
{
    put_zeros(out, PERF_ATTR_SIZE);
    put32(put32(out, attr->type), PERF_ATTR_SIZE);
    put64(put64(put64(out + 8, attr->config), attr->period), attr->sample_type);
    put64(out + 40, ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | (uint64_t)attr->precise << ATTR_PRECISE_SHIFT);
    put64(out + 72, attr->branch_sample_type);
    put64(out + 96, attr->regs_intr);
    return PERF_ATTR_SIZE;
}

size_t perf_put_comm(uint8_t *out, uint32_t pid, uint32_t tid, const char *name)
{
    uint8_t *at = put32(put32(out + RECORD_HEADER_SIZE, pid), tid);

    return finish(out, put_name(at, name), RECORD_COMM, 0);
}

size_t perf_put_lost(uint8_t *out, uint64_t id, uint64_t records)
{
    return finish(out, put64(put64(out + RECORD_HEADER_SIZE, id), records), RECORD_LOST, 0);
}

#define PROTECTION_READ    1u
#define PROTECTION_WRITE   2u
#define PROTECTION_EXECUTE 4u
#define MAP_OF_PROCESS     2u /* MAP_PRIVATE */
#define BUILD_ID_ROOM      20u

size_t perf_put_map(uint8_t *out, const struct perf_map *map)
{
    uint8_t *at = put32(put32(out + RECORD_HEADER_SIZE, map->pid), map->pid);
    size_t length = map->build_id_length < BUILD_ID_ROOM ? map->build_id_length : BUILD_ID_ROOM;

    at = put64(put64(put64(at, map->address), map->size), map->file_offset);
    uint8_t *identity = at; /* a build id with its length, or the file's device and inode numbers: 0 is "not known" */
    at = put_zeros(at, 4 + BUILD_ID_ROOM);
    if (length > 0) {
        identity[0] = (uint8_t)length;
        memcpy(identity + 4, map->build_id, length);
    }
    at = put32(at,
               PROTECTION_READ | (map->writable ? PROTECTION_WRITE : 0) | (map->executable ? PROTECTION_EXECUTE : 0));
    at = put_name(put32(at, MAP_OF_PROCESS), map->path);
    return finish(out, at, RECORD_MMAP2, MISC_USER | (length > 0 ? MISC_BUILD_ID : 0));
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

enum branch_kind {
    KIND_UNKNOWN,
    KIND_CONDITIONAL,
    KIND_UNCONDITIONAL,
    KIND_INDIRECT,
    KIND_CALL,
    KIND_INDIRECT_CALL,
    KIND_RETURN
};

static uint64_t branch_flags(const struct lbr_entry *entry)
{
    static const uint8_t kinds[] = {
        [LBR_TYPE_JCC] = KIND_CONDITIONAL,   [LBR_TYPE_IND_JMP] = KIND_INDIRECT,
        [LBR_TYPE_JMP] = KIND_UNCONDITIONAL, [LBR_TYPE_IND_CALL] = KIND_INDIRECT_CALL,
        [LBR_TYPE_CALL] = KIND_CALL,         [LBR_TYPE_RET] = KIND_RETURN,
    };
    uint64_t flags = 0;

    if (entry->has & LBR_HAS_MISPRED)
        flags |= entry->mispredicted ? 1u : 2u;
    if (entry->has & LBR_HAS_TSX)
        flags |= (entry->in_tsx ? 4u : 0u) | (entry->tsx_abort ? 8u : 0u);
    if (entry->has & LBR_HAS_CYCLES)
        flags |= (uint64_t)entry->cycles << 4;
    if ((entry->has & LBR_HAS_TYPE) && entry->type < sizeof(kinds))
        flags |= (uint64_t)kinds[entry->type] << 20;
    return flags;
}

/* perf's register numbers; of XMM registers each has two. */
enum { REGISTER_IP = 8, REGISTER_FLAGS = 9, REGISTER_R8 = 16, REGISTER_XMM0 = 32 };

static const enum pebs_gpr first_registers[] = { PEBS_RAX, PEBS_RBX, PEBS_RCX, PEBS_RDX,
                                                 PEBS_RSI, PEBS_RDI, PEBS_RBP, PEBS_RSP };

uint64_t perf_registers(const struct pebs_record *record)
{
    uint64_t mask = 0;

    if (!(record->has & PEBS_HAS_GPRS))
        return 0;
    mask = UINT64_C(0x3ff);
    if (record->width == 8)
        mask |= UINT64_C(0xff) << REGISTER_R8;
    if (record->has & PEBS_HAS_XMM)
        mask |= UINT64_C(0xffffffff) << REGISTER_XMM0;
    return mask;
}

static uint8_t *put_registers(uint8_t *at, const struct pebs_record *record)
{
    at = put64(at, record->width == 8 ? 2 : 1); /* the ABI */
    for (unsigned i = 0; i < 8; i++)
        at = put64(at, record->gpr[first_registers[i]]);
    at = put64(put64(at, record->ip), record->rflags);
    if (record->width == 8)
        for (unsigned i = PEBS_R8; i <= PEBS_R15; i++)
            at = put64(at, record->gpr[i]);
    if (record->has & PEBS_HAS_XMM)
        for (unsigned i = 0; i < 16; i++)
            at = put64(put64(at, record->xmm[i].low), record->xmm[i].high);
    return at;
}

size_t perf_put_sample(uint8_t *out, uint64_t sample_type, const struct perf_sample *sample)
{
    uint8_t *at = out + RECORD_HEADER_SIZE;

    if (sample_type & PERF_SAMPLE_IDENTIFIER)
        at = put64(at, sample->id);
    if (sample_type & PERF_SAMPLE_IP)
        at = put64(at, sample->ip);
    if (sample_type & PERF_SAMPLE_TID)
        at = put32(put32(at, sample->pid), sample->tid);
    if (sample_type & PERF_SAMPLE_TIME)
        at = put64(at, sample->time);
    if (sample_type & PERF_SAMPLE_ADDR)
        at = put64(at, sample->addr);
    if (sample_type & PERF_SAMPLE_CPU)
        at = put32(put32(at, sample->cpu), 0);
    if (sample_type & PERF_SAMPLE_PERIOD)
        at = put64(at, sample->period);
    if (sample_type & PERF_SAMPLE_BRANCH_STACK) {
        at = put64(at, sample->branch_count);
        for (unsigned i = 0; i < sample->branch_count; i++) {
            const struct lbr_entry *entry = &sample->branches[i];
            at = put64(put64(put64(at, entry->from), entry->to), branch_flags(entry));
        }
    }
    if (sample_type & PERF_SAMPLE_WEIGHT)
        at = put64(at, sample->weight);
    if (sample_type & PERF_SAMPLE_DATA_SRC)
        at = put64(at, sample->data_source);
    if (sample_type & PERF_SAMPLE_REGS_INTR)
        at = put_registers(at, sample->registers);
    return finish(out, at, RECORD_SAMPLE, MISC_USER | (sample->exact_ip ? MISC_EXACT_IP : 0));
}

/* ---- perf_mem_data_src ------------------------------------------------------------------------------------------- */

#define OP(bits)        ((uint64_t)(bits))
#define LEVEL(bits)     ((uint64_t)(bits) << 5)
#define SNOOP(bits)     ((uint64_t)(bits) << 19)
#define LOCK(bits)      ((uint64_t)(bits) << 24)
#define TLB(bits)       ((uint64_t)(bits) << 26)
#define LEVEL_NUM(code) ((uint64_t)(code) << 33)
#define REMOTE          (UINT64_C(1) << 37)
#define FORWARDED       (UINT64_C(1) << 38)

enum { OP_NA = 1, OP_LOAD = 2, OP_STORE = 4 };
enum {
    LEVEL_NA = 1,
    LEVEL_HIT = 2,
    LEVEL_MISS = 4,
    LEVEL_L1 = 8,
    LEVEL_LFB = 0x10,
    LEVEL_L2 = 0x20,
    LEVEL_L3 = 0x40,
    LEVEL_LOCAL_RAM = 0x80,
    LEVEL_REMOTE_RAM = 0x100,
    LEVEL_REMOTE_CACHE = 0x400,
    LEVEL_IO = 0x1000,
    LEVEL_UNCACHED = 0x2000
};
enum { SNOOP_NA = 1, SNOOP_NONE = 2, SNOOP_HIT = 4, SNOOP_MISS = 8, SNOOP_HITM = 0x10 };
enum { LOCK_NA = 1, LOCK_LOCKED = 2 };
enum { TLB_NA = 1, TLB_HIT = 2, TLB_MISS = 4, TLB_L1 = 8, TLB_L2 = 0x10 };
enum {
    NUM_L1 = 1,
    NUM_L2 = 2,
    NUM_L3 = 3,
    NUM_L4 = 4,
    NUM_ANY_CACHE = 0xb,
    NUM_LFB = 0xc,
    NUM_RAM = 0xd,
    NUM_NA = 0xf
};

#define HIT_IN(level, num) (LEVEL(LEVEL_HIT | (level)) | LEVEL_NUM(num))

/* By the code in bits 3:0; the same meaning that data_source_words() gives in words. */
static const uint64_t generic[16] = {
    LEVEL(LEVEL_MISS | LEVEL_L3) | LEVEL_NUM(NUM_L3) | SNOOP(SNOOP_NA),
    HIT_IN(LEVEL_L1, NUM_L1) | SNOOP(SNOOP_NONE),
    HIT_IN(LEVEL_LFB, NUM_LFB) | SNOOP(SNOOP_NONE),
    HIT_IN(LEVEL_L2, NUM_L2) | SNOOP(SNOOP_NONE),
    HIT_IN(LEVEL_L3, NUM_L3) | SNOOP(SNOOP_NONE),
    HIT_IN(LEVEL_L3, NUM_L3) | SNOOP(SNOOP_MISS),
    HIT_IN(LEVEL_L3, NUM_L3) | SNOOP(SNOOP_HIT),
    HIT_IN(LEVEL_L3, NUM_L3) | SNOOP(SNOOP_HITM),
    HIT_IN(LEVEL_REMOTE_CACHE, NUM_L3) | REMOTE | SNOOP(SNOOP_HIT),
    HIT_IN(LEVEL_REMOTE_CACHE, NUM_L3) | REMOTE | SNOOP(SNOOP_HITM),
    HIT_IN(LEVEL_LOCAL_RAM, NUM_RAM) | SNOOP(SNOOP_HIT),
    HIT_IN(LEVEL_REMOTE_RAM, NUM_RAM) | REMOTE | SNOOP(SNOOP_HIT),
    HIT_IN(LEVEL_LOCAL_RAM, NUM_RAM) | SNOOP(SNOOP_NONE | SNOOP_MISS),
    HIT_IN(LEVEL_REMOTE_RAM, NUM_RAM) | REMOTE | SNOOP(SNOOP_NONE | SNOOP_MISS),
    HIT_IN(LEVEL_IO, NUM_NA) | SNOOP(SNOOP_NONE),
    HIT_IN(LEVEL_UNCACHED, NUM_NA) | SNOOP(SNOOP_NONE),
};

#define RESERVED (LEVEL(LEVEL_NA) | LEVEL_NUM(NUM_NA) | SNOOP(SNOOP_NA))

/* What others read differently; 0: as generic. */
static const uint64_t nehalem[16] = {
    [0x5] = HIT_IN(LEVEL_L3, NUM_L3) | SNOOP(SNOOP_HIT),
    [0x6] = HIT_IN(LEVEL_L3, NUM_L3) | SNOOP(SNOOP_HITM),
    [0x7] = HIT_IN(LEVEL_L3, NUM_L3) | SNOOP(SNOOP_HITM),
    [0x9] = RESERVED,
    [0xe] = RESERVED,
};

static const uint64_t skylake[16] = {
    [0x8] = HIT_IN(0, NUM_L4) | SNOOP(SNOOP_HIT),
    [0x9] = HIT_IN(0, NUM_L4) | REMOTE | SNOOP(SNOOP_HIT),
    [0xb] = HIT_IN(0, NUM_RAM) | REMOTE | SNOOP(SNOOP_NONE),
    [0xc] = HIT_IN(0, NUM_ANY_CACHE) | REMOTE | FORWARDED,
    [0xd] = HIT_IN(0, NUM_ANY_CACHE) | REMOTE | SNOOP(SNOOP_HITM),
};

#define SOURCE_CODE  UINT64_C(0xf)
#define STORE_L1_HIT (UINT64_C(1) << 0)
#define STLB_MISS    (UINT64_C(1) << 4)
#define LOCKED       (UINT64_C(1) << 5)

/* MEM_INST_RETIRED (or MEM_UOPS_RETIRED) and the events of where loads hit; a unit mask with bit 1 means stores. */
static uint64_t of_event(const struct pebs_record *record, uint64_t select)
{
    uint64_t event = select & 0xff, nothing = RESERVED | LOCK(LOCK_NA) | TLB(TLB_NA);

    if (!(record->has & PEBS_HAS_MEMORY) || event < 0xd0 || event > 0xd3)
        return OP(OP_NA) | nothing;
    if (event != 0xd0 || !(select & 0x200))
        return OP(OP_LOAD) | nothing;
    nothing &= ~LEVEL(LEVEL_NA);
    return OP(OP_STORE) | nothing | LEVEL(LEVEL_L1 | (record->data_source & STORE_L1_HIT ? LEVEL_HIT : LEVEL_MISS));
}

uint64_t perf_data_source(const struct pebs_record *record, enum data_source_encoding encoding, uint64_t select)
{
    uint64_t source = record->data_source, code = source & SOURCE_CODE;
    uint64_t lock = source & LOCKED ? LOCK(LOCK_LOCKED) : 0;

    if (!(record->has & PEBS_HAS_MEMORY) || encoding == DATA_SOURCE_UNKNOWN ||
        (record->latency == 0 && encoding != DATA_SOURCE_STORE))
        return of_event(record, record->format >= 2 ? select : 0);

    if (encoding == DATA_SOURCE_STORE)
        return OP(OP_STORE) | LEVEL(LEVEL_L1 | (source & STORE_L1_HIT ? LEVEL_HIT : LEVEL_MISS)) | SNOOP(SNOOP_NA) |
               TLB(TLB_L2 | (source & STLB_MISS ? TLB_MISS : TLB_HIT)) | lock;

    uint64_t origin = generic[code];
    if (encoding == DATA_SOURCE_NEHALEM)
        return OP(OP_LOAD) | (nehalem[code] ? nehalem[code] : origin) | TLB(TLB_NA) | LOCK(LOCK_NA);
    if (encoding == DATA_SOURCE_SKYLAKE && skylake[code])
        origin = skylake[code];
    return OP(OP_LOAD) | origin | TLB(source & STLB_MISS ? TLB_MISS | TLB_L2 : TLB_HIT | TLB_L1 | TLB_L2) | lock;
}

static char *put_string(char *at, const char *text)
{
    size_t length = strlen(text);

    memcpy(at, text, length);
    return at + length;
}

struct word {
    unsigned bit;
    const char *text;
};

/* The texts of the bits that are set, "or" between them. */
static char *put_words(char *at, const struct word *words, uint64_t bits)
{
    bool any = false;

    for (; words->text != NULL; words++)
        if (bits & words->bit) {
            at = put_string(put_string(at, any ? " or " : ""), words->text);
            any = true;
        }
    return any ? at : put_string(at, "N/A");
}

static char *put_level(char *at, uint64_t data_source)
{
    static const char *const numbers[16] = { [NUM_L1] = "L1",   [NUM_L2] = "L2",       [NUM_L3] = "L3",
                                             [NUM_L4] = "L4",   [NUM_LFB] = "LFB/MAB", [NUM_ANY_CACHE] = "Any cache",
                                             [NUM_RAM] = "RAM", [NUM_NA] = NULL };
    static const struct word levels[] = {
        { LEVEL_L1, "L1" }, { LEVEL_IO, "I/O" }, { LEVEL_UNCACHED, "Uncached" }, { 0, NULL }
    };
    const char *number = numbers[data_source >> 33 & 0xf];

    if (data_source & LEVEL(LEVEL_NA))
        return put_string(at, "N/A");
    if (data_source & REMOTE)
        at = put_string(at, "Remote ");
    at = number ? put_string(at, number) : put_words(at, levels, data_source >> 5);
    return put_string(at, data_source & LEVEL(LEVEL_HIT) ? " hit" : data_source & LEVEL(LEVEL_MISS) ? " miss" : "");
}

static char *put_tlb(char *at, uint64_t data_source)
{
    static const struct word words[] = { { TLB_L1, "L1" }, { TLB_L2, "L2" }, { 0, NULL } };

    at = put_words(at, words, data_source >> 26);
    return put_string(at, data_source & TLB(TLB_HIT) ? " hit" : data_source & TLB(TLB_MISS) ? " miss" : "");
}

size_t perf_data_source_text(char out[PERF_DATA_SOURCE_TEXT], uint64_t data_source)
{
    static const struct word operations[] = { { OP_LOAD, "LOAD" }, { OP_STORE, "STORE" }, { 0, NULL } };
    static const struct word snoops[] = {
        { SNOOP_NONE, "None" }, { SNOOP_HIT, "Hit" }, { SNOOP_MISS, "Miss" }, { SNOOP_HITM, "HitM" }, { 0, NULL }
    };
    char *at = put_words(put_string(out, "|OP "), operations, data_source);

    at = put_string(put_level(put_string(at, "|LVL "), data_source), "|SNP ");
    at = data_source & FORWARDED ? put_string(at, "Fwd") : put_words(at, snoops, data_source >> 19);
    at = put_string(put_tlb(put_string(at, "|TLB "), data_source), "|LCK ");
    at = put_string(at, data_source & LOCK(LOCK_NA) ? "N/A" : data_source & LOCK(LOCK_LOCKED) ? "Yes" : "No");
    at = put_string(at, "|BLK  N/A");
    *at = '\0';
    return (size_t)(at - out);
}

/* SPDX-License-Identifier: MIT */
#include "tools/lib/perf_data.h"

#include <string.h>

#include "pebs/perf_mem_layout.h"

enum record_type { RECORD_LOST = 2, RECORD_COMM = 3, RECORD_SAMPLE = 9, RECORD_MMAP2 = 10 };

#define MISC_USER          2u
#define MISC_EXACT_IP      (1u << 14) /* of a sample */
#define MISC_BUILD_ID      (1u << 14) /* of a map */
#define MISC_DATA          (1u << 13) /* of a mapping without code */
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

/* Writes a name with its NUL, padded to 8 bytes. */
static uint8_t *put_name(uint8_t *at, const char *name)
{
    size_t length = strlen(name);

    if (length >= PERF_NAME_MOST)
        length = PERF_NAME_MOST - 1;
    memcpy(at, name, length);
    return put_zeros(at + length, 8 - length % 8);
}

/* Writes the record's header, once its end is known. */
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
    at = put_zeros(at, 16); /* event types: used by old versions only */
    at = put_zeros(put64(at, features), 24);
    return (size_t)(at - out);
}

#define ATTR_DISABLED       (UINT64_C(1) << 0)
#define ATTR_EXCLUDE_KERNEL (UINT64_C(1) << 5) /* else perf looks up symbols of the host's Linux */
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
    uint8_t *identity = at; /* a build id with its length, or device and inode numbers, 0 for unknown */
    at = put_zeros(at, 4 + BUILD_ID_ROOM);
    if (length > 0) {
        identity[0] = (uint8_t)length;
        memcpy(identity + 4, map->build_id, length);
    }
    at = put32(at,
               PROTECTION_READ | (map->writable ? PROTECTION_WRITE : 0) | (map->executable ? PROTECTION_EXECUTE : 0));
    at = put_name(put32(at, MAP_OF_PROCESS), map->path);
    return finish(out, at, RECORD_MMAP2,
                  MISC_USER | (map->executable ? 0 : MISC_DATA) | (length > 0 ? MISC_BUILD_ID : 0));
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

static uint64_t branch_counters(const struct lbr_entry *entry)
{
    uint64_t counters = 0;

    for (unsigned i = 0; entry->has & LBR_HAS_EVENTS && i < LBR_COUNTERS; i++)
        counters |= (uint64_t)entry->events[i] << PERF_COUNTER_WIDTH * i;
    return counters;
}

#define REGISTER_XMM0 32u /* perf's number; each XMM register has two */

uint64_t perf_registers(const struct pebs_record *record)
{
    uint64_t mask = 0;

    if (!(record->has & PEBS_HAS_GPRS))
        return 0;
    for (const struct pebs_field *field = pebs_fields; field->name; field++)
        if (field->perf != PEBS_FIELD_NONE && pebs_has_field(record, field))
            mask |= UINT64_C(1) << field->perf;
    if (record->has & PEBS_HAS_XMM)
        mask |= UINT64_C(0xffffffff) << REGISTER_XMM0;
    return mask;
}

static uint8_t *put_registers(uint8_t *at, const struct pebs_record *record)
{
    uint64_t values[REGISTER_XMM0], mask = 0;

    for (const struct pebs_field *field = pebs_fields; field->name; field++)
        if (field->perf != PEBS_FIELD_NONE && pebs_has_field(record, field)) {
            values[field->perf] = pebs_value(record, field);
            mask |= UINT64_C(1) << field->perf;
        }
    at = put64(at, record->width == 8 ? 2 : 1); /* ABI: 64-bit or 32-bit */
    for (; mask != 0; mask &= mask - 1)         /* lowest number first */
        at = put64(at, values[__builtin_ctzll(mask)]);
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
        for (unsigned i = 0; sample->branch_counters && i < sample->branch_count; i++)
            at = put64(at, branch_counters(&sample->branches[i]));
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

#define STORE_L1_HIT UINT64_C(1) /* bit of a store's data source */

/* The source that MEM_INST_RETIRED (MEM_UOPS_RETIRED) and load-hit events imply; unit mask bit 1 means stores. */
static uint64_t of_event(const struct pebs_record *record, uint64_t select)
{
    uint64_t event = select & 0xff, nothing = data_source_bits(DATA_SOURCE_UNKNOWN, 0);

    if (!(record->has & PEBS_HAS_MEMORY) || event < 0xd0 || event > 0xd3)
        return OP(OP_NA) | nothing;
    if (event != 0xd0 || !(select & 0x200))
        return OP(OP_LOAD) | nothing;
    if (!(record->has & PEBS_HAS_SOURCE))
        return OP(OP_STORE) | nothing;
    nothing &= ~LEVEL(LEVEL_NA);
    return OP(OP_STORE) | nothing | LEVEL(LEVEL_L1 | (record->data_source & STORE_L1_HIT ? LEVEL_HIT : LEVEL_MISS));
}

uint64_t perf_data_source(const struct pebs_record *record, enum data_source_encoding encoding, uint64_t select)
{
    if (!pebs_source_known(record, encoding) || encoding == DATA_SOURCE_UNKNOWN)
        return of_event(record, record->format >= 2 ? select : 0);
    return OP(encoding == DATA_SOURCE_STORE ? OP_STORE : OP_LOAD) | data_source_bits(encoding, record->data_source);
}

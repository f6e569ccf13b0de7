/* SPDX-License-Identifier: MIT */
#include "ds/ds_log.h"

#include "arch/x86/string.h"
#include "pebs/layout/arch_pebs.h"

void ds_log_open(struct ds_facility *f, bool used, unsigned record_size)
{
    f->used = used;
    f->log = (struct ds_log){ .bytes = f->log_bytes, .record_size = record_size };
}

static void log_append(struct ds_facility *f, const uint8_t *from, size_t bytes)
{
    size_t used = (size_t)f->log.records * f->log.record_size;
    size_t room = (f->log_size - used) / f->log.record_size * f->log.record_size;
    size_t taken = bytes < room ? bytes : room;

    memcpy(f->log_bytes + used, from, taken);
    f->log.records += (unsigned)(taken / f->log.record_size);
    f->log.dropped += (unsigned)((bytes - taken) / f->log.record_size);
}

unsigned ds_log_drain_varied(struct ds_facility *f, const uint8_t *from, size_t bytes)
{
    unsigned count = 0;
    size_t size;

    for (; bytes > 0; from += size, bytes -= size, count++) {
        if (arch_pebs_extent(from, bytes, &size) != PEBS_DECODE_OK) {
            f->log.broken++;
            break;
        }
        const size_t room = (size + DS_LOG_PLACE - 1) / DS_LOG_PLACE * DS_LOG_PLACE;
        if (f->log.used + room > f->log_size) {
            f->log.dropped++;
            continue;
        }
        memcpy(f->log_bytes + f->log.used, from, size);
        f->log_places[f->log.records++] = (uint16_t)(f->log.used / DS_LOG_PLACE);
        f->log.used += room;
    }
    return count;
}

/*
 * Whether the buffer's fields are unchanged since it was opened, and its index is one that the processor can have
 * written.
 */
static bool sound(const struct ds_facility *f, const struct ds_buffer *buffer, const struct ds_buffer *was)
{
    const uint64_t memory = (uint64_t)(uintptr_t)f->memory;

    return buffer->base == was->base && buffer->maximum == was->maximum && buffer->threshold == was->threshold &&
           buffer->base >= memory && buffer->base <= buffer->index && buffer->index <= buffer->maximum &&
           buffer->maximum <= memory + f->memory_size &&
           (size_t)(buffer->index - buffer->base) % f->log.record_size == 0;
}

bool ds_log_drain(struct ds_facility *f, const struct ds_buffer *buffer, const struct ds_buffer *was, uint64_t *indexed)
{
    size_t filled = (size_t)(buffer->index - buffer->base);

    if (!f->used)
        return false;
    if (!sound(f, buffer, was)) {
        f->log.broken++;
        return true;
    }
    log_append(f, (const uint8_t *)(uintptr_t)buffer->base, filled);
    *indexed += filled / f->log.record_size;
    if (buffer->index + f->log.record_size > buffer->maximum)
        f->log.overruns++;
    return filled != 0;
}

/* Whether memory is still zero, as it was when the buffer was opened. No branch has two zero addresses. */
static bool is_unwritten(const uint8_t *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (memory[i])
            return false;
    return true;
}

static bool is_even(const uint8_t *memory, size_t bytes)
{
    size_t i = 1;

    while (i < bytes && memory[i] == memory[0])
        i++;
    return i >= bytes;
}

void ds_log_check_outside(struct ds_facility *f, const struct ds_buffer *was)
{
    const uint64_t memory = (uint64_t)(uintptr_t)f->memory, end = memory + f->memory_size;

    if (f->used && !f->log.broken && was->base >= memory && was->base <= was->maximum && was->maximum <= end)
        f->log.strayed = !is_even(f->memory, (size_t)(was->base - memory)) ||
                         !is_even((const uint8_t *)(uintptr_t)was->maximum, (size_t)(end - was->maximum));
}

void ds_log_drain_circular(struct ds_facility *f, const struct ds_buffer *buffer, const struct ds_buffer *was)
{
    size_t filled = (size_t)(buffer->index - buffer->base), older = (size_t)(buffer->maximum - buffer->index);
    const uint8_t *memory = (const uint8_t *)(uintptr_t)buffer->base, *oldest = memory + filled;

    if (!sound(f, buffer, was)) {
        f->log.broken++;
        return;
    }
    if (older >= f->log.record_size && is_unwritten(oldest + older - f->log.record_size, f->log.record_size))
        older -= f->log.record_size; /* a processor may leave the last record's place free */
    if (!is_unwritten(oldest, older))
        log_append(f, oldest, older);
    log_append(f, memory, filled);
}

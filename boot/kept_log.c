/* SPDX-License-Identifier: MIT */
#include "boot/kept_log.h"

#include "lib/format.h"
#include "lib/text.h"

static const char magic[8] = { 'd', 's', 't', '8', '6', 'l', 'o', 'g' };

/* FNV-1a of 64 bits: "The FNV Non-Cryptographic Hash Algorithm", draft-eastlake-fnv-17, 5. */
#define SUM_START UINT64_C(0xcbf29ce484222325)
#define SUM_PRIME UINT64_C(0x100000001b3)

static uint64_t sum_of(uint64_t sum, const void *bytes, size_t size)
{
    const uint8_t *const byte = bytes;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * SUM_PRIME;
    return sum;
}

static uint64_t mark_sum(const struct kept_log_mark *mark)
{
    return sum_of(SUM_START, mark, offsetof(struct kept_log_mark, sum));
}

static uint64_t head_sum(const struct kept_log_head *head)
{
    return sum_of(SUM_START, head, offsetof(struct kept_log_head, sum));
}

static size_t room(unsigned section)
{
    return section == KEPT_LOG_BEGINNING ? KEPT_LOG_SIZE - KEPT_LOG_HEAD - 2 * KEPT_LOG_END : KEPT_LOG_END;
}

static size_t offset(unsigned section)
{
    return section == KEPT_LOG_BEGINNING ? KEPT_LOG_HEAD : KEPT_LOG_SIZE - (KEPT_LOG_SECTIONS - section) * KEPT_LOG_END;
}

void kept_log_make(void *memory, uint64_t sequence)
{
    struct kept_log_head *const head = memory;

    *head = (struct kept_log_head){ .version = KEPT_LOG_VERSION, .size = KEPT_LOG_SIZE, .sequence = sequence };
    for (size_t i = 0; i < sizeof magic; i++)
        head->magic[i] = magic[i];
    head->sum = head_sum(head);
    for (unsigned section = 0; section < KEPT_LOG_SECTIONS; section++) {
        head->marks[section][0].text_sum = SUM_START;
        head->marks[section][0].sum = mark_sum(&head->marks[section][0]);
    }
}

void kept_log_forget(void *memory)
{
    *(struct kept_log_head *)memory = (struct kept_log_head){ .version = 0 };
}

static bool is_head(const struct kept_log_head *head)
{
    for (size_t i = 0; i < sizeof magic; i++)
        if (head->magic[i] != magic[i])
            return false;
    return head->version == KEPT_LOG_VERSION && head->size == KEPT_LOG_SIZE && head->sum == head_sum(head);
}

/* The section's valid mark with the higher serial. NULL: neither is valid, or the text does not match its checksum. */
static const struct kept_log_mark *find_mark(const struct kept_log_head *head, unsigned section)
{
    const char *const text = (const char *)head + offset(section);
    const struct kept_log_mark *found = NULL;

    for (unsigned i = 0; i < 2; i++) {
        const struct kept_log_mark *const mark = &head->marks[section][i];
        if (mark->sum == mark_sum(mark) && mark->length <= room(section) && (!found || mark->serial > found->serial))
            found = mark;
    }
    return found && found->text_sum == sum_of(SUM_START, text, found->length) ? found : NULL;
}

bool kept_log_open(struct kept_log *log, void *memory, size_t size, void (*written)(const void *bytes, size_t size))
{
    struct kept_log_head *const head = memory;
    const struct kept_log_mark *mark;

    *log = (struct kept_log){ .written = written };
    if (size != KEPT_LOG_SIZE || !is_head(head) || !(mark = find_mark(head, KEPT_LOG_BEGINNING)))
        return false;
    log->head = head;
    log->mark = *mark;
    written(head, sizeof *head);
    return true;
}

/* Overwrites the older of the section's two marks. */
static void put_mark(struct kept_log *log)
{
    struct kept_log_mark *const place = &log->head->marks[log->section][++log->mark.serial % 2];

    log->mark.sum = mark_sum(&log->mark);
    *place = log->mark;
    log->written(place, sizeof *place);
}

/* Empties the next section and continues there. */
static void next_section(struct kept_log *log)
{
    const uint32_t before = log->mark.before + log->mark.lines;
    const struct kept_log_mark *last;

    log->section = log->section == KEPT_LOG_END_A ? KEPT_LOG_END_B : KEPT_LOG_END_A;
    last = log->head->marks[log->section];
    log->mark = (struct kept_log_mark){ .serial = last[0].serial > last[1].serial ? last[0].serial : last[1].serial,
                                        .before = before,
                                        .text_sum = SUM_START };
    put_mark(log);
}

static void append(struct kept_log *log, const char *text, size_t length)
{
    char *const to = (char *)log->head + offset(log->section) + log->mark.length;

    for (size_t i = 0; i < length; i++)
        to[i] = text[i];
    log->written(to, length);
    log->mark.text_sum = sum_of(log->mark.text_sum, text, length);
    log->mark.length += (uint32_t)length;
}

void kept_log_line(struct kept_log *log, const char *prefix, const char *text)
{
    static const char end[] = "\r\n";
    const size_t more = text_length(prefix) + sizeof end - 1;
    size_t length = text_length(text);

    if (!log->head)
        return;
    if (length > KEPT_LOG_END - more)
        length = KEPT_LOG_END - more;
    if (length + more > room(log->section) - log->mark.length)
        next_section(log);
    append(log, prefix, text_length(prefix));
    append(log, text, length);
    append(log, end, sizeof end - 1);
    log->mark.lines++;
    put_mark(log);
}

/* The line that replaces lines that did not fit. Returns its length. */
static size_t gap_line(char *line, size_t size, size_t left_out)
{
    return (size_t)format(line, size, "# log full: %zu lines are left out here\r\n", left_out);
}

size_t kept_log_shorten(char *text, size_t size, size_t room)
{
    char gap[80];
    size_t end = size - KEPT_LOG_END, head = room - KEPT_LOG_END - sizeof gap, left_out = 0;

    if (size <= room)
        return size;
    while (head > 0 && text[head - 1] != '\n')
        head--;
    while (end < size && text[end - 1] != '\n')
        end++;
    for (size_t i = head; i < end; i++)
        left_out += text[i] == '\n';
    const size_t length = gap_line(gap, sizeof gap, left_out);
    for (size_t i = 0; i < length; i++)
        text[head++] = gap[i];
    while (end < size)
        text[head++] = text[end++];
    return head;
}

static void add_piece(struct kept_log_text *text, unsigned *count, const char *start, size_t length)
{
    text->pieces[*count].start = start;
    text->pieces[*count].length = length;
    text->length += length;
    ++*count;
}

enum kept_log_error kept_log_read(const void *memory, struct kept_log_text *text)
{
    const struct kept_log_head *const head = memory;
    const struct kept_log_mark *marks[KEPT_LOG_SECTIONS];
    unsigned count = 0, first = KEPT_LOG_END_A;

    *text = (struct kept_log_text){ .length = 0 };
    if (!is_head(head))
        return KEPT_LOG_NONE;
    text->sequence = head->sequence;
    for (unsigned section = 0; section < KEPT_LOG_SECTIONS; section++)
        if (!(marks[section] = find_mark(head, section)))
            return KEPT_LOG_DAMAGED;

    /* The older half of the end comes first. An unused half is empty, so its position does not matter. */
    if (marks[KEPT_LOG_END_B]->lines && marks[KEPT_LOG_END_B]->before < marks[KEPT_LOG_END_A]->before)
        first = KEPT_LOG_END_B;
    const unsigned order[] = { KEPT_LOG_BEGINNING, first, KEPT_LOG_END_A + KEPT_LOG_END_B - first };
    const struct kept_log_mark *const begun = marks[KEPT_LOG_BEGINNING];
    const uint32_t left_out = marks[first]->before > begun->lines ? marks[first]->before - begun->lines : 0;

    for (unsigned i = 0; i < KEPT_LOG_SECTIONS; i++) {
        if (i == 1 && left_out)
            add_piece(text, &count, text->gap, gap_line(text->gap, sizeof text->gap, left_out));
        add_piece(text, &count, (const char *)memory + offset(order[i]), marks[order[i]]->length);
    }
    return KEPT_LOG_OK;
}

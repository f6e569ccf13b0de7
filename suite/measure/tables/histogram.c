/* SPDX-License-Identifier: MIT */
#include "suite/measure/tables/histogram.h"

#include <stdbool.h>

#include "lib/format.h"

#define BAR_LENGTH   20u /* the length for all samples */
#define COLUMN_WIDTH 28u /* count, a space, and the bar */

void histogram_add(struct histogram *h, int distance)
{
    unsigned at = 0;

    h->samples++;
    while (at < h->bar_count && h->bars[at].distance < distance)
        at++;
    if (at < h->bar_count && h->bars[at].distance == distance) {
        h->bars[at].count++;
        return;
    }
    if (h->bar_count == HISTOGRAM_BARS)
        return;
    for (unsigned i = h->bar_count++; i > at; i--)
        h->bars[i] = h->bars[i - 1];
    h->bars[at] = (struct histogram_bar){ distance, 1 };
}

unsigned histogram_at(const struct histogram *h, int distance)
{
    for (unsigned i = 0; i < h->bar_count; i++)
        if (h->bars[i].distance == distance)
            return h->bars[i].count;
    return 0;
}

/* The smallest distance above `after` in any column; *found is false if there is none. */
static int next_distance(const struct histogram_column *columns, unsigned count, bool first, int after, bool *found)
{
    int best = 0;

    *found = false;
    for (unsigned c = 0; c < count; c++) {
        for (unsigned i = 0; i < columns[c].histogram->bar_count; i++) {
            const int distance = columns[c].histogram->bars[i].distance;
            if ((first || distance > after) && (!*found || distance < best)) {
                best = distance;
                *found = true;
            }
        }
    }
    return best;
}

/* A count and its bar, COLUMN_WIDTH characters; a count that is not 0 has at least one mark. */
static void cell(char text[COLUMN_WIDTH + 1], unsigned count, unsigned samples)
{
    char bar[BAR_LENGTH + 1];
    unsigned length = count ? (unsigned)(((unsigned long)count * BAR_LENGTH + samples / 2) / samples) : 0;

    length = count && !length ? 1 : length;
    for (unsigned i = 0; i < length; i++)
        bar[i] = '#';
    bar[length] = '\0';
    if (count)
        format(text, COLUMN_WIDTH + 1, "%6u %-21s", count, bar);
    else
        format(text, COLUMN_WIDTH + 1, "%28s", "");
}

static void row(const struct line_sink *out, const char *first, const char *const *cells, unsigned count)
{
    char line[LINE_SIZE];
    int length = format(line, sizeof line, "%8s", first);

    for (unsigned c = 0; c < count; c++)
        length += format(line + length, sizeof line - (size_t)length, "  %-28s", cells[c]);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    say(out, "%s", line);
}

void histogram_text(const struct line_sink *out, const struct histogram_column *columns, unsigned count)
{
    char texts[HISTOGRAM_COLUMNS][COLUMN_WIDTH + 1], first[16];
    const char *cells[HISTOGRAM_COLUMNS];
    bool found = true;
    int distance = 0;

    for (unsigned c = 0; c < count; c++)
        cells[c] = columns[c].title;
    row(out, "distance", cells, count);
    for (bool begin = true;; begin = false) {
        distance = next_distance(columns, count, begin, distance, &found);
        if (!found)
            return;
        for (unsigned c = 0; c < count; c++) {
            cell(texts[c], histogram_at(columns[c].histogram, distance), columns[c].histogram->samples);
            cells[c] = texts[c];
        }
        format(first, sizeof first, "%d", distance);
        row(out, first, cells, count);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * qr_image: draws a QR code for each line of its input:
 *   FILE LEVEL VERSION MASK TEXT     LEVEL: L or M; MASK 8: the best; TEXT: to the line's end
 * Each becomes a PGM of 4 pixels a module within a quiet zone of 4 modules. Prints "FILE VERSION MASK SIDE" for each.
 */
#include <stdio.h>
#include <string.h>

#include "lib/qr/qr.h"
#include "tools/standard.h"

#define PIXELS 4u /* of a module, each way */
#define QUIET  4u /* modules: ISO/IEC 18004:2015, 6.3.8 */

static bool write_image(const char *name, const struct qr_code *code)
{
    const unsigned side = (code->side + 2 * QUIET) * PIXELS;
    FILE *const file = fopen(name, "wb");

    if (!file)
        return false;
    fprintf(file, "P5 %u %u 255\n", side, side);
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++) {
            const unsigned row = y / PIXELS - QUIET, column = x / PIXELS - QUIET; /* before the code: wraps around */
            const bool inside = row < code->side && column < code->side;
            fputc(inside && code->modules[row * code->side + column] ? 0 : 255, file);
        }
    return fclose(file) == 0;
}

int main(void)
{
    static struct qr_code code;
    static char line[8192];

    standard_open();
    while (fgets(line, sizeof line, stdin)) {
        char name[1024], letter;
        unsigned version, mask;
        int used = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%1023s %c %u %u%n", name, &letter, &version, &mask, &used) != 4 || line[used] != ' ') {
            fprintf(stderr, "qr_image: expected FILE LEVEL VERSION MASK TEXT: %s\n", line);
            return 1;
        }
        const char *const text = line + used + 1;
        const enum qr_level level = letter == 'L' ? QR_LEVEL_L : QR_LEVEL_M;
        if (!qr_encode(&code, text, strlen(text), level, version, mask)) {
            printf("%s does not fit\n", name);
            continue;
        }
        if (!write_image(name, &code)) {
            perror(name);
            return 1;
        }
        printf("%s %u %u %u\n", name, code.version, code.mask, code.side);
    }
    return standard_end("qr_image", 0, 1);
}

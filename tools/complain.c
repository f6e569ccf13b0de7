/* SPDX-License-Identifier: MIT */
#include "tools/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void complain(const char *subject, const char *sentence, ...)
{
    va_list args;

    va_start(args, sentence);
    fprintf(stderr, "dsdump: %s: ", subject);
    vfprintf(stderr, sentence, args);
    fputc('\n', stderr);
    va_end(args);
}

void *allocated(void *memory)
{
    if (memory == NULL) {
        complain("memory", "not enough for this input");
        exit(2);
    }
    return memory;
}

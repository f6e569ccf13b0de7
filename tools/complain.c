/* SPDX-License-Identifier: MIT */
#include "tools/complain.h"

#include <stdarg.h>
#include <stdio.h>

void complain(const char *subject, const char *sentence, ...)
{
    va_list args;

    va_start(args, sentence);
    fprintf(stderr, "dsdump: %s: ", subject);
    vfprintf(stderr, sentence, args);
    fputc('\n', stderr);
    va_end(args);
}

/* SPDX-License-Identifier: MIT */
#include "tools/log_kind.h"

#include <string.h>

#include "tools/complain.h"

static const struct kind {
    const char *bytes;
    size_t length;
    const char *name, *to_do;
} kinds[] = {
#define KIND(bytes, name, to_do)              \
    {                                         \
        bytes, sizeof(bytes) - 1, name, to_do \
    }
#define CONVERT(command) "convert it: " command " FILE | dsdump"
    KIND("\xff\xfe", "UTF-16", CONVERT("iconv -f UTF-16 -t UTF-8")),
    KIND("\xfe\xff", "UTF-16", CONVERT("iconv -f UTF-16 -t UTF-8")),
    KIND("\x1f\x8b", "gzip", CONVERT("zcat")),
    KIND("\xfd"
         "7zXZ",
         "xz", CONVERT("xzcat")),
    KIND("\x28\xb5\x2f\xfd", "zstd", CONVERT("zstdcat")),
    KIND("BZh", "bzip2", CONVERT("bzcat")),
    KIND("\x04\x22\x4d\x18", "lz4", CONVERT("lz4cat")),
    KIND("PK\3\4", "zip", CONVERT("unzip -p")),
    KIND("PERFILE2", "perf.data", "dsdump writes such files and reads only logs"),
    KIND("2ELIFREP", "perf.data", "dsdump writes such files and reads only logs"),
    KIND("\x7f"
         "ELF",
         "ELF", "a log is needed; --elf FILE reads the kernel's symbols"),
};

/* "#\0 \0b\0": every second byte, from the first or the second on, is 0. */
static const char *utf16_without_mark(const char *bytes, size_t length)
{
    unsigned zeros[2] = { 0, 0 };

    for (size_t i = 0; i < length; i++)
        zeros[i % 2] += bytes[i] == '\0';
    if (length < LOG_KIND_BYTES || zeros[0] + zeros[1] != LOG_KIND_BYTES / 2)
        return NULL;
    return zeros[1] == LOG_KIND_BYTES / 2   ? CONVERT("iconv -f UTF-16LE -t UTF-8")
           : zeros[0] == LOG_KIND_BYTES / 2 ? CONVERT("iconv -f UTF-16BE -t UTF-8")
                                            : NULL;
}

bool log_kind_readable(const char *name, const char *bytes, size_t length)
{
    const char *const convert = utf16_without_mark(bytes, length < LOG_KIND_BYTES ? length : LOG_KIND_BYTES);

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (length >= kinds[i].length && memcmp(bytes, kinds[i].bytes, kinds[i].length) == 0) {
            complain(name, "the file is %s; %s", kinds[i].name, kinds[i].to_do);
            return false;
        }
    if (convert)
        complain(name, "the file is UTF-16; %s", convert);
    return convert == NULL;
}

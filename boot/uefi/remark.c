/* SPDX-License-Identifier: MIT */
#include "boot/uefi/remark.h"

#include <efi.h>
#include <efilib.h>

#include "lib/format.h"
#include "lib/text.h"

static char all[REMARKS_SIZE];

void remark(const char *fmt, ...)
{
    const size_t used = text_length(all), start = used ? used + 2 : 0;
    va_list args;

    if (start >= sizeof all)
        return;
    if (used)
        format(all + used, sizeof all - used, "; ");
    va_start(args, fmt);
    vformat(all + start, sizeof all - start, fmt, args);
    va_end(args);
    Print(L"dstest86: %a\n", all + start);
}

const char *remarks(void)
{
    return all;
}

bool key_pressed(unsigned seconds)
{
    EFI_INPUT_KEY key;
    if (ST->ConIn == NULL || EFI_ERROR(WaitForSingleEvent(ST->ConIn->WaitForKey, (UINT64)seconds * 10000000)))
        return false;
    ST->ConIn->ReadKeyStroke(ST->ConIn, &key);
    return true;
}

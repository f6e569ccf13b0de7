/* SPDX-License-Identifier: MIT */
/* What an instruction does to the stack of calls, told from its bytes. Pure. */
#ifndef TOOLS_LIB_TRANSFER_H
#define TOOLS_LIB_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

enum transfer {
    TRANSFER_NONE, /* no branch: where one was recorded all the same, an interrupt or exception struck */
    TRANSFER_JUMP,
    TRANSFER_CALL,  /* what comes back behind the instruction; INT n and SYSCALL too */
    TRANSFER_RETURN /* IRET and SYSRET too */
};

/*
 * Of the instruction that begins at code, of which length bytes are known. mode: 64 or 32, the code segment's bits.
 * SDM Vol. 2D (334569-081), "Opcode Map", tables.
 */
enum transfer transfer_of(const uint8_t *code, size_t length, unsigned mode);

#endif

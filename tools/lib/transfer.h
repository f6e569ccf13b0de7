/* SPDX-License-Identifier: MIT */
/* Decodes from an instruction's bytes what it does to the call stack. Pure. */
#ifndef TOOLS_LIB_TRANSFER_H
#define TOOLS_LIB_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

enum transfer {
    TRANSFER_NONE, /* not a branch: a record from here is an interrupt or exception */
    TRANSFER_JUMP,
    TRANSFER_CALL,  /* returns to the next instruction; includes INT n and SYSCALL */
    TRANSFER_RETURN /* includes IRET and SYSRET */
};

/*
 * Classifies the instruction at code. length: available bytes. mode: 64 or 32, of the code segment. SDM Vol. 2D
 * (334569-081), "Opcode Map", tables.
 */
enum transfer transfer_of(const uint8_t *code, size_t length, unsigned mode);

#endif

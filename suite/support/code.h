/* SPDX-License-Identifier: MIT */
/* Checks recorded branches against the kernel's own code: could the instruction at their source have made them? */
#ifndef SUITE_SUPPORT_CODE_H
#define SUITE_SUPPORT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether an address is in the kernel's code, or in its code of CPL 3. */
bool code_has(uint64_t address);

/*
 * Whether the instruction with these bytes, at from, may branch to `to`: a direct branch only to its target, another
 * branch anywhere, any other instruction nowhere. wide: 64-bit code. SDM Vol. 2D (334569-081), "Opcode Map".
 */
bool code_branches(const uint8_t *bytes, size_t size, bool wide, uint64_t from, uint64_t to);

/* Whether the kernel's code can make this branch: by the instruction at from, or by an interrupt or exception there. */
bool code_has_branch(uint64_t from, uint64_t to);

/* Whether execution may continue at `to` after the instruction at from: at its start, behind it, or by a branch. */
bool code_follows(uint64_t from, uint64_t to);

#endif

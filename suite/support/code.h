/* SPDX-License-Identifier: MIT */
/* What the kernel's own code says of a recorded branch: whether an instruction there can have made it. */
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

/* Whether the kernel's code contains this branch: one that its instruction makes, or the delivery of an interruption.
 */
bool code_has_branch(uint64_t from, uint64_t to);

/* Whether `to` may follow the instruction at from: the same instruction again, one that begins behind it, or a branch.
 */
bool code_follows(uint64_t from, uint64_t to);

#endif

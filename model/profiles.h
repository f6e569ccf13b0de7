/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors that can be modelled, and what their tables are written with. */
#ifndef MODEL_PROFILES_H
#define MODEL_PROFILES_H

#include "model/profile.h"

#define COUNT(array)    (unsigned)(sizeof(array) / sizeof((array)[0]))
#define BITS(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define BIT(n)          (UINT64_C(1) << (n))
#define ALL             (~UINT64_C(0))

extern const struct profile profile_skylake;

/* IA32_DEBUGCTL of Core 2 and all that came later. */
extern const struct profile_debugctl debugctl_core;

#endif

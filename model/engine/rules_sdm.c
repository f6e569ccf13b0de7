/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The manual's rules. */
#include "model/engine/rules.h"

const struct rules rules_sdm = {
#define RULE(result, name, parameters) .name = (name),
#include "model/engine/rules.inc"
#undef RULE
    .pebs_stage = PEBS_STAGE,
};

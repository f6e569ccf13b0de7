/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the LVT entry of the performance monitoring counters. `who` requests interrupts since the instruction at ip.
 */
#ifndef MODEL_REFEREE_REFEREE_LVTPC_H
#define MODEL_REFEREE_REFEREE_LVTPC_H

#include "model/vcpu/vcpu.h"

void referee_lvtpc_check(struct vcpu *v, const char *who, uint64_t ip);

#endif

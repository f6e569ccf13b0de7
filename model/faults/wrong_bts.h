/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of branches and the BTS buffer. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_BTS_H
#define MODEL_FAULTS_WRONG_BTS_H

#include "model/vcpu/vcpu.h"

struct branch;

void wrong_branches_record(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable);
bool wrong_bts_on(const struct vcpu *v);
void wrong_bts_filters(const struct vcpu *v, bool *skip_system, bool *skip_user);
struct bts_contents wrong_bts_contents(const struct vcpu *v, const struct branch *branch);
uint64_t wrong_bts_wrap(const struct vcpu *v);
uint64_t wrong_bts_index(const struct vcpu *v);
bool wrong_bts_write(struct vcpu *v, uint64_t index);

#endif

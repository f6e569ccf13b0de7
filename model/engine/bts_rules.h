/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of the BTS buffer (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_BTS_RULES_H
#define MODEL_ENGINE_BTS_RULES_H

#include "model/vcpu/vcpu.h"

struct branch;

/* Whether branches are stored; the privilege levels that are skipped; the contents of a record. */
bool bts_on(const struct vcpu *v);
void bts_filters(const struct vcpu *v, bool *skip_system, bool *skip_user);
struct bts_contents bts_contents(const struct vcpu *v, const struct branch *branch);
/* The address of a record that does not fit before the absolute maximum. */
uint64_t bts_wrap(const struct vcpu *v);
/* The index after the staged records; the write of records and index. False: the memory is not mapped. */
uint64_t bts_index(const struct vcpu *v);
bool bts_write(struct vcpu *v, uint64_t index);

struct bts_rules {
    __typeof__(bts_on) *on;
    __typeof__(bts_filters) *filters;
    __typeof__(bts_contents) *contents;
    __typeof__(bts_wrap) *wrap;
    __typeof__(bts_index) *index;
    __typeof__(bts_write) *write;
};

#endif

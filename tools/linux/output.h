/* SPDX-License-Identifier: MIT */
/* Prints records in the kernel's forms, and with --dump as frames of the raw dump. */
#ifndef TOOLS_LINUX_OUTPUT_H
#define TOOLS_LINUX_OUTPUT_H

#include "cpu/caps.h"
#include "lib/line.h"
#include "tools/linux/perf.h"

extern const struct line_sink output_lines; /* each line begins with "# " */

/* Begins a dump for a kind of cores, ends the one in progress; caps NULL: only ends it. */
void output_dump(const struct caps *caps);
/* Names the test whose records follow. */
void output_test(const char *id);

/* Print the first records inside the workload, and dump all. prediction: bit 4 of the flags is defined. */
void output_bts(const struct bts_triple *records, unsigned count, bool prediction, const struct workload *workload);
void output_lbr(const struct sample *samples, unsigned count, const struct workload *workload);
void output_samples(const struct sample *samples, unsigned count, const struct workload *workload, const char *event);

void output_stack(const struct sample *sample, unsigned n);

#endif

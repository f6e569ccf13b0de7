/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a stopped processor that a debugger cannot read, as a file (docs/gdb.md): CPUID, MSRs, control
 * registers.
 */
#ifndef MODEL_QEMU_STATE_H
#define MODEL_QEMU_STATE_H

#include "model/qemu/processor.h"

/* Writes FOLDER/NUMBER for this processor. Call on its own thread. False, with errno set, on failure. */
bool state_write(struct processor *p, const char *folder);

/*
 * Reads FOLDER/NUMBER.watch, which a debugger writes while the processor is stopped: with the word "record" or
 * "threshold" the processor stops again at that event. state_stopped() removes the file after this stop.
 */
void state_watch(struct processor *p, const char *folder);
void state_stopped(struct processor *p, const char *folder);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a debugger cannot read of a processor that stands, as a file (docs/gdb.md): CPUID, MSRs, control registers. */
#ifndef MODEL_QEMU_STATE_H
#define MODEL_QEMU_STATE_H

#include "model/qemu/processor.h"

/*
 * Writes FOLDER/NUMBER for this processor, on its own thread. False, with errno set, if that cannot be done.
 */
bool state_write(struct processor *p, const char *folder);

/*
 * Takes from FOLDER/NUMBER.watch, which a debugger writes while the processor stands, what it is to be stopped for: the
 * word "record" or "threshold". state_stopped() says that this has happened: it removes the file.
 */
void state_watch(struct processor *p, const char *folder);
void state_stopped(struct processor *p, const char *folder);

#endif

/* SPDX-License-Identifier: MIT */
/* Waiting by the 8254's channel 2, which no interrupt needs. */
#ifndef ARCH_X86_PIT_H
#define ARCH_X86_PIT_H

#include <stdbool.h>

#define PIT_WAIT_MOST 50000u /* microseconds */

/* Waits so many microseconds, 1 to PIT_WAIT_MOST. False where there is no PIT, or one that never ends its count. */
bool pit_wait(unsigned microseconds);

#endif

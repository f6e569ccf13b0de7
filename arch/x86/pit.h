/* SPDX-License-Identifier: MIT */
/* Waits timed by the 8254's channel 2, which needs no interrupt. */
#ifndef ARCH_X86_PIT_H
#define ARCH_X86_PIT_H

#include <stdbool.h>

#define PIT_WAIT_MOST 50000u /* microseconds */

/* Waits this many microseconds, 1 to PIT_WAIT_MOST. False if there is no PIT, or if it does not count down. */
bool pit_wait(unsigned microseconds);

#endif

/* SPDX-License-Identifier: MIT */
/* Functions with one access each, which may raise an exception: at CPL 0, and for user_call() at CPL 3. */
#ifndef SUITE_WORKLOAD_ATTEMPTS_H
#define SUITE_WORKLOAD_ATTEMPTS_H

#include <stdint.h>

/* The address to read, write or call (a near RET must be there), or the port; and the byte to write. */
extern uintptr_t attempt_address, attempt_value;
extern uint64_t attempt_counter; /* the result of RDPMC of counter attempt_address */

void attempt_read(void);
void attempt_write(void);
void attempt_execute(void);
void attempt_in(void);
void attempt_out(void);
void attempt_rdpmc(void);
void attempt_user_read(void);
void attempt_user_write(void);
void attempt_user_execute(void);
void attempt_user_in(void);
void attempt_user_out(void);
void attempt_user_rdpmc(void);

/* Where a handler resumes. */
void attempt_over(void);
void attempt_user_over(void);

#endif

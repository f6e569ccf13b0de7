/* SPDX-License-Identifier: MIT */
/* The parts of the kernel's image, as named by linker.ld. Each begins and ends on a page boundary. */
#ifndef ARCH_X86_IMAGE_H
#define ARCH_X86_IMAGE_H

#include <stdint.h>

extern uint8_t image_start[], image_end[];
extern uint8_t text_start[], text_end[];
extern uint8_t user_start[], user_end[];
extern uint8_t rodata_start[], rodata_end[];
extern uint8_t data_start[], data_end[];
extern uint8_t ds_start[], ds_end[];
extern uint8_t user_data_start[], user_data_end[];
extern uint8_t symbols_start[], symbols_end[];
extern const uint8_t build_id_start[], build_id_end[]; /* an ELF note */
extern uint8_t stack_guard[];                          /* one page, never mapped */
extern uint8_t stack_bottom[], stack_top[];            /* the boot processor's stack */

#endif

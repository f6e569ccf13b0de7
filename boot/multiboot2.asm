; SPDX-License-Identifier: MIT
; The Multiboot2 header, for GRUB: Multiboot2 Specification 2.0, 3.1, "OS image format". It has no
; tags, because the ELF headers say where the kernel is loaded and entered.

MAGIC  equ 0xe85250d6
I386   equ 0                            ; entered in 32-bit protected mode, both kernels
LENGTH equ end - start

section .multiboot2 progbits alloc noexec nowrite align=8
start:  dd      MAGIC, I386, LENGTH, -(MAGIC + I386 + LENGTH) & 0xffffffff
        dw      0, 0                    ; the end tag
        dd      8
end:

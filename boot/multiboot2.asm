; SPDX-License-Identifier: MIT
; What makes a kernel ELF startable by GRUB: the header of the Multiboot2 Specification 2.0, 3.1, "OS image format". No
; tags: the ELF headers say where the kernel goes and where it is entered.

MAGIC  equ 0xe85250d6
I386   equ 0                            ; entered in 32-bit protected mode, both kernels
LENGTH equ end - start

section .multiboot2 progbits alloc noexec nowrite align=8
start:  dd      MAGIC, I386, LENGTH, -(MAGIC + I386 + LENGTH) & 0xffffffff
        dw      0, 0                    ; the end tag
        dd      8
end:

; SPDX-License-Identifier: MIT The Multiboot2 header, for GRUB: Multiboot2 Specification 2.0, 3.1, "OS image format".
; Its only tag asks for a screen of any kind, as an option (3.1.10). The ELF headers say where the kernel is loaded and
; entered.

MAGIC  equ 0xe85250d6
I386   equ 0                            ; entered in 32-bit protected mode, both kernels
LENGTH equ end - start

section .multiboot2 progbits alloc noexec nowrite align=8
FRAME_BUFFER equ 5
OPTIONAL     equ 1

start:  dd      MAGIC, I386, LENGTH, -(MAGIC + I386 + LENGTH) & 0xffffffff
        dw      FRAME_BUFFER, OPTIONAL
        dd      20
        dd      0, 0, 0                 ; no preference for columns, rows and bits
        dd      0                       ; tags are 8-byte aligned
        dw      0, 0                    ; the end tag
        dd      8
end:

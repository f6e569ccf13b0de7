; SPDX-License-Identifier: MIT
; The kernels, embedded in the loader: one .efi file is all that firmware needs to find. And what shim asks of a file that it
; starts under Secure Boot: a section with its generation (shim 15, SBAT.md), on pages of its own.

; %1: the width, %2: the file
%macro kernel 2
        global  kernel_%1_start
        global  kernel_%1_end
        align   16
kernel_%1_start:
        incbin  %2
kernel_%1_end:
%endmacro

        section .rodata
        kernel  64, "kernel-64.elf"
        kernel  32, "kernel-32.elf"

        section .sbat progbits alloc noexec nowrite align=4096
        incbin  "sbat.csv"

        section .note.GNU-stack noalloc noexec nowrite progbits

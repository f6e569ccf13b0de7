; SPDX-License-Identifier: MIT
; The screen's font, which kernel/screen/make-font makes.

section .rodata
global font
font:   incbin  "font.bin"

; SPDX-License-Identifier: MIT
; Loads while the vector registers hold known values. SSE must be enabled (sse_enable() in arch/x86/cpu.h).

%include "suite/workload/workload.inc"

LOADS           equ 32
XMMS            equ GPRS                ; as many as there are general-purpose registers
%define VALUE(i) ((0x7665637400000000 + (i)) & WORD_MASK)

section .text
begin_workload workload_vectors
%assign i 0
%rep XMMS
vectors_fill_%+i: movdqa xmm%+i, [vector_values + i * 16]
.next:          lfence
%assign i i + 1
%endrep
%assign i 0
%rep LOADS
vectors_%+i:    mov     ax_, [vector_data + i * 8]
.next:          lfence
%assign i i + 1
%endrep
                end_workload workload_vectors

section .rodata
align 64
vector_values:
%assign i 0
%rep XMMS
        dq      0x6c6f770000000000 + i, 0x6869676800000000 + i  ; WORKLOAD_XMM_LOW(i), WORKLOAD_XMM_HIGH(i)
%assign i i + 1
%endrep
vector_data:
%assign i 0
%rep LOADS
        dq      VALUE(i)
%assign i i + 1
%endrep
workload_vectors_branches:
workload_vectors_accesses:
%assign i 0
%rep XMMS
        access  vectors_fill_%+i, vectors_fill_%+i%+.next, vector_values + i * 16, 0
%assign i i + 1
%endrep
%assign i 0
%rep LOADS
        access  vectors_%+i, vectors_%+i%+.next, vector_data + i * 8, VALUE(i)
%assign i i + 1
%endrep
describe_workload workload_vectors, (XMMS + LOADS) * 2

; SPDX-License-Identifier: MIT
; Locked accesses, one at a time, for the event that counts only these.

%include "suite/workload/workload.inc"

LOCKED          equ 64

section .text
begin_workload workload_locked
%assign i 0
%rep LOCKED
locked_%+i:     lock inc dword [locked_data + i * 4]
.next:          mov     eax, [locked_data + i * 4]      ; an ordinary load, which must not be counted
                lfence
%assign i i + 1
%endrep
                end_workload workload_locked

section .bss align=64
locked_data:    resd    LOCKED

section .rodata
workload_locked_branches:
workload_locked_accesses:
%assign i 0
%rep LOCKED
        access  locked_%+i, locked_%+i%+.next, locked_data + i * 4, 0
%assign i i + 1
%endrep
describe_workload workload_locked, LOCKED * 3

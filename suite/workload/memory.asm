; SPDX-License-Identifier: MIT
; Loads and stores of known addresses and values. LFENCE after each makes one event retire before the next begins, so
; PEBS is already armed by one event's overflow when the next event occurs.

%include "suite/workload/workload.inc"

ACCESSES        equ 64
%define VALUE(i) ((0x1122334455000000 + (i) * 0x101) & WORD_MASK)

; ---- loads --------------------------------------------------------------------------------------------------------
; All registers and flags are known except the stack pointer; ax_ holds the loaded value.

section .text
begin_workload workload_loads
                known_register cx_, 1
                known_register dx_, 2
                known_register bx_, 3
                known_register bp_, 5
                known_register si_, 6
                known_register di_, 7
%assign n 8
%rep GPRS - 8
                known_register r%+n, n
%assign n n + 1
%endrep
                xor     eax, eax                        ; ZF and PF set, SF and OF clear
                stc                                     ; WORKLOAD_FLAGS
%assign i 0
%rep ACCESSES
load_%+i:       mov     ax_, [load_data + i * 8]
.next:          lfence
%assign i i + 1
%endrep
                end_workload workload_loads

section .rodata
align 64
load_data:
%assign i 0
%rep ACCESSES
        dq      VALUE(i)
%assign i i + 1
%endrep
workload_loads_branches:
workload_loads_accesses:
%assign i 0
%rep ACCESSES
        access  load_%+i, load_%+i%+.next, load_data + i * 8, VALUE(i)
%assign i i + 1
%endrep
describe_workload workload_loads, ACCESSES * 2 + GPRS

; ---- stores -------------------------------------------------------------------------------------------------------
begin_workload workload_stores
%assign i 0
%rep ACCESSES
                mov     ax_, VALUE(i)
store_%+i:      mov     [store_data + i * 8], ax_
.next:          lfence
%assign i i + 1
%endrep
                end_workload workload_stores

section .bss align=64
store_data:     resq    ACCESSES

section .rodata
workload_stores_branches:
workload_stores_accesses:
%assign i 0
%rep ACCESSES
        access  store_%+i, store_%+i%+.next, store_data + i * 8, VALUE(i)
%assign i i + 1
%endrep
describe_workload workload_stores, ACCESSES * 3

; ---- straight-line code -------------------------------------------------------------------------------------------
STRAIGHT        equ 1010        ; not a multiple of the periods in use, so that no overflow is at an end

section .text
begin_workload workload_straight
%rep STRAIGHT
                lea     eax, [bx_ + cx_ + 1]    ; four bytes: WORKLOAD_STRAIGHT_STEP
%endrep
                end_workload workload_straight

section .rodata
workload_straight_branches:
workload_straight_accesses:
describe_workload workload_straight, STRAIGHT

; ---- a ring of lines ----------------------------------------------------------------------------------------------
RING_LINES      equ 16          ; WORKLOAD_CHASE_LINES
RING_ROUNDS     equ 64          ; WORKLOAD_CHASE_ROUNDS
RING_STEPS      equ RING_ROUNDS * RING_LINES

begin_workload workload_chase
                mov     ecx, RING_STEPS
                mov     eax, workload_ring
chase_load:     mov     ax_, [ax_]
chase_next:     lfence
                dec     ecx
chase_back:     jnz     chase_load
                end_workload workload_chase

section .rodata
align 64
global workload_ring
workload_ring:
%assign i 1
%rep RING_LINES
        quad    workload_ring + (i % RING_LINES) * 64
        times 7 dq 0
%assign i i + 1
%endrep
workload_chase_branches:
        branch  chase_back, chase_load, LBR_JCC, RING_STEPS - 1
workload_chase_accesses:        ; only the IP: the data address changes with each step
        access  chase_load, chase_next, 0, 0
describe_workload workload_chase, 2 + RING_STEPS * 4

; ---- a ring that the test sets up ---------------------------------------------------------------------------------
begin_workload workload_walk
                mov     ecx, [workload_walk_steps]
                mov     ax_, [workload_walk_first]
walk_load:      mov     ax_, [ax_]
walk_next:      dec     ecx
                jnz     walk_load
                end_workload workload_walk

section .bss
global workload_walk_first, workload_walk_steps
workload_walk_first: resq 1
workload_walk_steps: resd 1

section .rodata
workload_walk_branches:
workload_walk_accesses:         ; only the IP
        access  walk_load, walk_next, 0, 0
describe_workload workload_walk, 0

; ---- accesses of a line or page that was just evicted -------------------------------------------------------------
; MFENCE orders CLFLUSH before the load; INVLPG and MOV to CR3 serialize. All accesses are of one line, so that no
; prefetcher has a pattern to follow.
%macro evict_line 0
                clflush [evicted]
                mfence
%endmacro
%macro evict_page 0
                invlpg  [evicted]
%endmacro
%macro evict_pages 0
                mov     ax_, cr3
                mov     cr3, ax_
%endmacro

; accesses_after NAME, EVICTION, ACCESS, INSTRUCTIONS: of each access, with LFENCE
%macro accesses_after 4
begin_workload workload_%1
%assign i 0
%rep ACCESSES
                %2
%1_%+i:         %3
.next:          lfence
%assign i i + 1
%endrep
                end_workload workload_%1

section .rodata
workload_%1_branches:
workload_%1_accesses:
%assign i 0
%rep ACCESSES
        access  %1_%+i, %1_%+i%+.next, evicted, 0
%assign i i + 1
%endrep
describe_workload workload_%1, ACCESSES * %4
section .text
%endmacro

        accesses_after flushed, evict_line, {mov ax_, [evicted]}, 4
        accesses_after untranslated, evict_page, {mov ax_, [evicted]}, 3
        accesses_after untranslated_stores, evict_page, {mov dword [evicted], 0}, 3
        accesses_after all_untranslated, evict_pages, {mov ax_, [evicted]}, 4

section .bss align=4096
evicted:        resb    4096            ; alone in its page

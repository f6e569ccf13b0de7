# SPDX-License-Identifier: MIT
# The kernels: build/dstest86-64.elf and -32.elf.
KERNEL_MODULES := $(call modules,kernel)
KERNEL_C := $(filter-out $(PURE),$(wildcard $(KERNEL_MODULES:%=%/*.c)))
KERNEL_ASM := boot/multiboot2.asm $(wildcard $(KERNEL_MODULES:%=%/*.asm))

# No red zone, because interrupts use the stack below rsp; no SIMD state. -Os, because the image contains each
# kernel three times.
KERNEL_CFLAGS := $(WARNINGS) -Os -g -ffreestanding -fno-pic -fno-pie -fno-stack-protector -fno-asynchronous-unwind-tables \
                 -fno-omit-frame-pointer -mgeneral-regs-only -I. -Ilib/freestanding -I$B/include
# Tests run in the order of their file; clang keeps it without an option.
KERNEL_CFLAGS += $(shell echo | $(CC) -fno-toplevel-reorder -x c -c - -o /dev/null 2>/dev/null && echo -fno-toplevel-reorder)
# nasm 2.16.03 warns about every relocation, and a linked image has many; 2.16.01 does not know these warnings.
NASM_WARNINGS := -w+all -w+error -w-unknown-warning -w-reloc-abs-word -w-reloc-abs-dword -w-reloc-abs-qword -w-reloc-rel-dword

FONT := /usr/share/consolefonts/spleen-8x16.psfu.gz

NO_BUILD_ID := 0x0000000000000000000000000000000000000000

.PHONY: kernel
kernel: $B/dstest86-64.elf $B/dstest86-32.elf ## the kernel ELFs, of both widths

# Both kernels are built from the same sources, except files whose names end in a width.
# Each width: the other one, the compiler's flags, nasm's name of the ELF and ld's.
64.other := 32
64.cc    := -m64 -mno-red-zone -mcmodel=small
64.nasm  := elf64
64.ld    := elf_x86_64
32.other := 64
32.cc    := -m32 -march=i686
32.nasm  := elf32
32.ld    := elf_i386

# $1: the width.
define kernel_rules
KERNEL_C$1 := $$(filter-out %$$($1.other).c,$$(KERNEL_C))
KERNEL_ASM$1 := $$(filter-out %$$($1.other).asm,$$(KERNEL_ASM))
KERNEL_OBJ$1 := $$(KERNEL_C$1:%.c=$B/k$1/%.o) $$(KERNEL_ASM$1:%.asm=$B/k$1/%.asm.o)

$B/k$1/pure.a: $$(PURE:%.c=$B/k$1/%.o)
	$$Qrm -f $$@ && $$(AR) rcsD $$@ $$^

$B/k$1/%.o: %.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$Q$$(CC) $$(KERNEL_CFLAGS) $$($1.cc) $$(DEPS) -c $$< -o $$@

$B/k$1/%.asm.o: %.asm $(wildcard arch/x86/*.inc suite/workload/*.inc) # nasm 2.16.01 omits them from -MD
	@mkdir -p $$(@D)
	$$(call say,NASM,$$<)
	$$Q$$(NASM) -I./ -I$B/include/ -f $$($1.nasm) -g -F dwarf $$(NASM_WARNINGS) $$< -o $$@

$B/k$1/kernel/main.o $B/k$1/kernel/dump.o: $B/include/version.h
$B/k$1/arch/x86/entry$1.asm.o: $B/include/version.inc
$B/k$1/kernel/font.asm.o: $B/include/font.bin

# Two links: the first places everything, the second carries the symbol table made from it, which comes last.
# The build id covers everything except debug information, which contains the names of folders.
LINK$1 := $$(LD) -m $$($1.ld) -z max-page-size=0x1000 -static -nostdlib -z noexecstack -T linker.ld
$B/k$1/symbols-none.o: kernel/symbols.awk
	@mkdir -p $$(@D)
	$$Qawk -f $$< </dev/null >$$(@:.o=.asm) && $$(NASM) -f $$($1.nasm) $$(@:.o=.asm) -o $$@
$B/k$1/placed.elf: $$(KERNEL_OBJ$1) $B/k$1/pure.a $B/k$1/symbols-none.o linker.ld
	$$Q$$(LINK$1) --build-id=$(NO_BUILD_ID) $$(KERNEL_OBJ$1) $B/k$1/pure.a $B/k$1/symbols-none.o -o $$@
$B/k$1/build-id: $B/k$1/placed.elf
	$$Q$$(OBJCOPY) --strip-debug $$< $$@.elf && sha1sum <$$@.elf | cut -c 1-40 >$$@
$B/k$1/symbols.o: $B/k$1/placed.elf kernel/symbols.awk
	$$Qnm -n $$< | awk -f kernel/symbols.awk >$$(@:.o=.asm) && $$(NASM) -f $$($1.nasm) $$(@:.o=.asm) -o $$@
$B/dstest86-$1.elf: $$(KERNEL_OBJ$1) $B/k$1/pure.a $B/k$1/symbols.o $B/k$1/build-id
	$$(call say,LINK,$$@)
	$$Q$$(LINK$1) --build-id=0x$$$$(cat $B/k$1/build-id) $$(KERNEL_OBJ$1) $B/k$1/pure.a $B/k$1/symbols.o -o $$@

# A kernel whose check of the DS area reports no breach, for scripts/boots prove. Its ds_check precedes the archive, and so
# replaces the archive's.
$B/unchecked-$1.o: ds/ds_check.c ds/ds_check.h ds/ds_check.inc ds/arch_check.inc
	$$Q$$(CC) $$(KERNEL_CFLAGS) $$($1.cc) -DDS_CHECK_NOTHING -c $$< -o $$@
$B/unchecked-$1.elf: $B/unchecked-$1.o $$(KERNEL_OBJ$1) $B/k$1/pure.a $B/k$1/symbols.o
	$$Q$$(LINK$1) --build-id=$(NO_BUILD_ID) $$(KERNEL_OBJ$1) $$< $B/k$1/pure.a $B/k$1/symbols.o -o $$@

-include $$(patsubst %.c,$B/k$1/%.d,$$(KERNEL_C$1) $$(PURE))
endef
$(eval $(call kernel_rules,64))
$(eval $(call kernel_rules,32))

# The screen's font: Spleen, of the same package as its licence in LICENSES/Spleen.txt.
$B/include/font.bin: kernel/screen/make-font $(FONT)
	$(call say,FONT,$@)
	@mkdir -p $(@D)
	$Qkernel/screen/make-font $(FONT) >$@

# The version for C and for nasm, touched only when it changes.
$B/include/version.h: DEFINE := \#define
$B/include/version.inc: DEFINE := %define
$B/include/version.h $B/include/version.inc: FORCE
	@mkdir -p $(@D)
	@printf '$(subst %,%%,$(DEFINE)) %s "%s"\n' DSTEST86_VERSION '$(VERSION)' DSTEST86_REVISION '$(REVISION)' DSTEST86_SEND_TO '$(SEND_TO)' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE
FORCE:

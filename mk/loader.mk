# SPDX-License-Identifier: MIT
# gnu-efi's crt0 and linker script make a shared object, from which objcopy makes the .efi; the .so has gdb's symbols.
LOADER_C := $(wildcard $(patsubst %,%/*.c,$(call modules,loader)))
LOADER_CFLAGS := -O2 -g -ffreestanding -fpic -fshort-wchar -fno-stack-protector -fno-strict-aliasing \
	-fno-asynchronous-unwind-tables -fcf-protection=none -mgeneral-regs-only -I. -Ilib/freestanding -isystem /usr/include/efi
EFI_SECTIONS := .sbat .text .sdata .data .rodata .dynamic .dynsym .rel .rela .reloc
EMBEDDED := $B/kernel-64.elf $B/kernel-32.elf

# The ISO's dates are that of the commit, so that its bytes are reproducible.
ifndef SOURCE_DATE_EPOCH
export SOURCE_DATE_EPOCH := $(shell cut -d ' ' -f 2 revision 2>/dev/null || git log -1 --format=%ct 2>/dev/null || echo 0)
endif

.PHONY: loader iso
loader: $B/BOOTX64.EFI $B/BOOTIA32.EFI ##build build/BOOTX64.EFI and BOOTIA32.EFI, the UEFI loaders with the kernels inside
iso: $B/dstest86.iso ## build/dstest86.iso: UEFI and BIOS, from a CD or written to a USB stick or disk

# The kernels inside the loaders, and those that GRUB unpacks and starts.
$(EMBEDDED): $B/kernel-%.elf: $B/dstest86-%.elf
	$Q$(OBJCOPY) --strip-all $< $@
$(EMBEDDED:=.gz): %.gz: %
	$(call say,GZIP,$@)
	$Qgzip -9nc $< >$@

$B/sbat.csv: boot/uefi/sbat.csv NEWS
	$(call say,SBAT,$@)
	$Qsed 's/@VERSION@/$(VERSION)/' $< >$@

# Each architecture by UEFI's name: its width, gnu-efi's name and folder of it, the compiler's flags, nasm's format and ld's
# emulation.
x64.width  := 64
x64.gnu    := x86_64
x64.lib    := /usr/lib
x64.cc     := -m64 -mno-red-zone -DGNU_EFI_USE_MS_ABI
x64.nasm   := elf64
x64.ld     := elf_x86_64
ia32.width := 32
ia32.gnu   := ia32
ia32.lib   := /usr/lib32
ia32.cc    := -m32 -march=i686
ia32.nasm  := elf32
ia32.ld    := elf_i386

# The loader's first instruction. gnu-efi's libraries use SSE in 64 bits only.
x64.entry  := -e start_with_sse

# $1: the architecture. $2: what is linked. gnu-efi's crt0 comes first.
efi_link = $(LD) -m $($1.ld) -shared -Bsymbolic -nostdlib -znocombreloc -znoexecstack --no-undefined --build-id=none \
	-T $($1.lib)/elf_$($1.gnu)_efi.lds -o $@ $2 -L$($1.lib) -lefi -lgnuefi
efi_copy = $(OBJCOPY) --strip-all $(EFI_SECTIONS:%=-j %) --target=efi-app-$($1.gnu) $< $@

# $1: the architecture.
define loader_rules
$B/loader-$1/%.o: %.c
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$Q$$(CC) $$(WARNINGS) $$(LOADER_CFLAGS) $$($1.cc) $$(DEPS) -c -o $$@ $$<

$B/loader-$1/%.o: %.asm
	$$(call say,NASM,$$@)
	@mkdir -p $$(@D)
	$$Q$$(NASM) -f $$($1.nasm) -Wall -Werror -I$B/ -o $$@ $$<

$B/loader-$1/boot/uefi/embed.o: $$(EMBEDDED) $B/sbat.csv

$B/loader-$1/pure.a: $$(PURE:%.c=$B/loader-$1/%.o)
	$$Qrm -f $$@ && $$(AR) rcsD $$@ $$^

# gnu-efi's script for 32 bits does not align .reloc, but each section of an image must begin on a page.
$B/loader-$1/crt0.o: $$($1.lib)/crt0-efi-$$($1.gnu).o
	@mkdir -p $$(@D)
	$$Q$$(OBJCOPY) --set-section-alignment .reloc=4096 $$< $$@

$B/loader-$1.so: $B/loader-$1/crt0.o $$(LOADER_C:%.c=$B/loader-$1/%.o) $$(if $$($1.entry),$B/loader-$1/boot/uefi/sse.o) $B/loader-$1/boot/uefi/trampoline.o $B/loader-$1/boot/uefi/embed.o $B/loader-$1/pure.a
	$$(call say,LD,$$@)
	$$Q$$(call efi_link,$1,$$^) $$($1.entry)

# Unusual firmware, for tests/qemu/firmware.t.
$B/strange-$1.so: $$($1.lib)/crt0-efi-$$($1.gnu).o $B/loader-$1/tests/qemu/strange_firmware.o
	$$(call say,LD,$$@)
	$$Q$$(call efi_link,$1,$$^)

$B/strange-$1.efi: $B/strange-$1.so
	$$(call say,EFI,$$@)
	$$Q$$(call efi_copy,$1)

# A guest that calls the loader's trampoline.
$B/trampoline-$$($1.width).elf: tests/qemu/trampoline.asm $B/loader-$1/boot/uefi/trampoline.o tests/qemu/guest.inc
	$$(call say,NASM,$$@)
	$$Q$$(NASM) -f $$($1.nasm) $$(NASM_WARNINGS) $$< -o $$(@:.elf=.o) && \
	$$(LD) -m $$($1.ld) -static -nostdlib -z noexecstack -Ttext=0x120000 -e start $$(@:.elf=.o) $$(word 2,$$^) -o $$@

-include $$(patsubst %.c,$B/loader-$1/%.d,$$(LOADER_C) $$(PURE) tests/qemu/strange_firmware.c)
endef
$(eval $(call loader_rules,x64))
$(eval $(call loader_rules,ia32))

$B/BOOTX64.EFI: $B/loader-x64.so boot/nx-compat
	$(call say,EFI,$@)
	$Q$(call efi_copy,x64) && boot/nx-compat $@

$B/BOOTIA32.EFI: $B/loader-ia32.so boot/nx-compat
	$(call say,EFI,$@)
	$Q$(call efi_copy,ia32) && boot/nx-compat $@

# What a TFTP server offers, for the route net of tests/qemu/cases.
$B/net/BOOTX64.EFI: $B/BOOTX64.EFI
	$Qmkdir -p $B/net/dstest86 && printf 'run=ds.area.*  # all other tests\nlog=stick\n' >$B/net/dstest86/options.txt && cp $< $@

$B/dstest86.iso: boot/make-iso boot/options.txt boot/grub.cfg LICENSE LICENSES/Spleen.txt $(EMBEDDED:=.gz) $B/BOOTX64.EFI $B/BOOTIA32.EFI
	$(call say,ISO,$@)
	$Qboot/make-iso $@ $B

# SPDX-License-Identifier: MIT
# gnu-efi's crt0 and linker script make a shared object, from which objcopy makes the .efi; the .so has gdb's symbols.
LOADER_C := $(wildcard $(patsubst %,%/*.c,$(call rooms,loader)))
LOADER_CFLAGS := -O2 -g -ffreestanding -fpic -fshort-wchar -fno-stack-protector -fno-strict-aliasing \
	-fno-asynchronous-unwind-tables -fcf-protection=none -mgeneral-regs-only -I. -Ibase/freestanding -isystem /usr/include/efi
EFI_SECTIONS := .text .sdata .data .rodata .dynamic .dynsym .rel .rela .reloc
EMBEDDED := $B/kernel-64.elf $B/kernel-32.elf

# The ISO's dates are that of the commit, so that its bytes are reproducible.
ifndef SOURCE_DATE_EPOCH
export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
endif

.PHONY: loader iso
loader: $B/BOOTX64.EFI $B/BOOTIA32.EFI ## build/BOOTX64.EFI and BOOTIA32.EFI, the UEFI loaders with the kernels inside
iso: $B/dstest86.iso ## build/dstest86.iso: UEFI and BIOS, from a CD or written to a USB stick or disk

$B/kernel-%.elf: $B/dstest86-%.elf
	$(call say,STRIP,$@)
	$Q$(OBJCOPY) --strip-all $< $@

# $1 is UEFI's name of the architecture, $2 gnu-efi's, $3 the folder of its files, $4 the compiler's flags, $5 nasm's
# format, $6 ld's emulation, $7 the .efi.
define loader_rules
$B/loader-$1/%.o: %.c
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$Q$$(CC) $$(WARNINGS) $$(LOADER_CFLAGS) $4 $$(DEPS) -c -o $$@ $$<

$B/loader-$1/%.o: %.asm
	$$(call say,NASM,$$@)
	@mkdir -p $$(@D)
	$$Q$$(NASM) -f $5 -Wall -Werror -I$B/ -o $$@ $$<

$B/loader-$1/boot/uefi/embed.o: $$(EMBEDDED)

$B/loader-$1/pure.a: $$(PURE:%.c=$B/loader-$1/%.o)
	$$Qrm -f $$@ && $$(AR) rcsD $$@ $$^

$B/loader-$1.so: $$(LOADER_C:%.c=$B/loader-$1/%.o) $B/loader-$1/boot/uefi/trampoline.o $B/loader-$1/boot/uefi/embed.o $B/loader-$1/pure.a
	$$(call say,LD,$$@)
	$$Q$$(LD) -m $6 -shared -Bsymbolic -nostdlib -znocombreloc -znoexecstack --no-undefined --build-id=none \
		-T $3/elf_$2_efi.lds -o $$@ $3/crt0-efi-$2.o $$^ -L$3 -lefi -lgnuefi

$B/$7: $B/loader-$1.so
	$$(call say,EFI,$$@)
	$$Q$$(OBJCOPY) $$(EFI_SECTIONS:%=-j %) --target=efi-app-$2 $$< $$@

-include $$(patsubst %.c,$B/loader-$1/%.d,$$(LOADER_C) $$(PURE))
endef
$(eval $(call loader_rules,x64,x86_64,/usr/lib,-m64 -mno-red-zone -DGNU_EFI_USE_MS_ABI,elf64,elf_x86_64,BOOTX64.EFI))
$(eval $(call loader_rules,ia32,ia32,/usr/lib32,-m32 -march=i686,elf32,elf_i386,BOOTIA32.EFI))

$B/dstest86.iso: boot/make-iso boot/options.txt boot/grub.cfg LICENSE $(EMBEDDED) $B/BOOTX64.EFI $B/BOOTIA32.EFI
	$(call say,ISO,$@)
	$Qboot/make-iso $@ $B


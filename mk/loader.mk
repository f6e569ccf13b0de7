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

$B/loader-$1/boot/uefi/embed.o: $$(EMBEDDED) $B/sbat.csv

$B/loader-$1/pure.a: $$(PURE:%.c=$B/loader-$1/%.o)
	$$Qrm -f $$@ && $$(AR) rcsD $$@ $$^

# gnu-efi's script for 32 bits leaves .reloc where it comes, and a section of an image begins a page.
$B/loader-$1/crt0.o: $3/crt0-efi-$2.o
	@mkdir -p $$(@D)
	$$Q$$(OBJCOPY) --set-section-alignment .reloc=4096 $$< $$@

$B/loader-$1.so: $B/loader-$1/crt0.o $$(LOADER_C:%.c=$B/loader-$1/%.o) $B/loader-$1/boot/uefi/trampoline.o $B/loader-$1/boot/uefi/embed.o $B/loader-$1/pure.a
	$$(call say,LD,$$@)
	$$Q$$(LD) -m $6 -shared -Bsymbolic -nostdlib -znocombreloc -znoexecstack --no-undefined --build-id=none \
		-T $3/elf_$2_efi.lds -o $$@ $$^ -L$3 -lefi -lgnuefi

$B/$7: $B/loader-$1.so boot/nx-compat
	$$(call say,EFI,$$@)
	$$Q$$(OBJCOPY) --strip-all $$(EFI_SECTIONS:%=-j %) --target=efi-app-$2 $$< $$@ && boot/nx-compat $$@

# What firmware might be like, for tests/qemu/firmware.t.
$B/strange-$1.so: $B/loader-$1/tests/qemu/strange_firmware.o
	$$(call say,LD,$$@)
	$$Q$$(LD) -m $6 -shared -Bsymbolic -nostdlib -znocombreloc -znoexecstack --no-undefined --build-id=none \
		-T $3/elf_$2_efi.lds -o $$@ $3/crt0-efi-$2.o $$^ -L$3 -lefi -lgnuefi

$B/strange-$1.efi: $B/strange-$1.so
	$$(call say,EFI,$$@)
	$$Q$$(OBJCOPY) $$(EFI_SECTIONS:%=-j %) --strip-all --target=efi-app-$2 $$< $$@

-include $$(patsubst %.c,$B/loader-$1/%.d,$$(LOADER_C) $$(PURE) tests/qemu/strange_firmware.c)
endef
$(eval $(call loader_rules,x64,x86_64,/usr/lib,-m64 -mno-red-zone -DGNU_EFI_USE_MS_ABI,elf64,elf_x86_64,BOOTX64.EFI))
$(eval $(call loader_rules,ia32,ia32,/usr/lib32,-m32 -march=i686,elf32,elf_i386,BOOTIA32.EFI))

# Firmware's screen of any form, before the loader.
$B/gop.o: tests/qemu/gop.c
	$(call say,CC,$@)
	$Q$(CC) $(WARNINGS) $(LOADER_CFLAGS) -m64 -mno-red-zone -DGNU_EFI_USE_MS_ABI $(DEPS) -c -o $@ $<

$B/gop.efi: $B/gop.o
	$(call say,EFI,$@)
	$Q$(LD) -m elf_x86_64 -shared -Bsymbolic -nostdlib -znocombreloc -znoexecstack --no-undefined --build-id=none \
		-T /usr/lib/elf_x86_64_efi.lds -o $(@:.efi=.so) /usr/lib/crt0-efi-x86_64.o $< -L/usr/lib -lefi -lgnuefi && \
	$(OBJCOPY) $(EFI_SECTIONS:%=-j %) --target=efi-app-x86_64 $(@:.efi=.so) $@

# A guest that calls the trampoline of each loader: its trampoline's folder, nasm's format, ld's emulation.
define trampoline_rules
$B/trampoline-$1.elf: tests/qemu/trampoline.asm $B/loader-$2/boot/uefi/trampoline.o
	$$(call say,NASM,$$@)
	$$Q$$(NASM) -f $3 $$(NASM_WARNINGS) $$< -o $B/trampoline-$1.o && \
	$$(LD) -m $4 -static -nostdlib -z noexecstack -Ttext=0x120000 -e start $B/trampoline-$1.o $$(word 2,$$^) -o $$@

endef
$(eval $(call trampoline_rules,64,x64,elf64,elf_x86_64))
$(eval $(call trampoline_rules,32,ia32,elf32,elf_i386))

$B/dstest86.iso: boot/make-iso boot/options.txt boot/grub.cfg LICENSE LICENSES/Spleen.txt $(EMBEDDED:=.gz) $B/BOOTX64.EFI $B/BOOTIA32.EFI
	$(call say,ISO,$@)
	$Qboot/make-iso $@ $B

# SPDX-License-Identifier: MIT
# Linux, as fetched by ./bootstrap --linux; profiles="skylake icelake" boots only these.
profiles ?=
.PHONY: linux-test
linux-test: model $B/initramfs.gz ## Debian's kernel and perf on the model: profiles="NAME.." (after ./bootstrap --linux)
	$Q$(PROVE) -v tests/linux/run :: $(profiles)

$B/linux-%.o: tests/linux/%.asm
	$(call say,NASM,$@)
	$Q$(NASM) -f elf64 -g -F dwarf $(NASM_WARNINGS) $< -o $@
.PRECIOUS: $B/linux-%.o
$B/linux-%: $B/linux-%.o
	$Q$(LD) -static -z noexecstack $< -o $@
$B/linux-program-pie: $B/linux-program.o
	$Q$(LD) -pie --no-dynamic-linker -z noexecstack $< -o $@

$B/initramfs.gz: $B/linux-program $B/linux-program-pie $B/linux-wrong tests/linux/init tests/linux/make-initramfs $(wildcard $B/linux/boot/*)
	$(call say,CPIO,$@)
	$Qtests/linux/make-initramfs $@ $B


# SPDX-License-Identifier: MIT
# Linux, as fetched by ./bootstrap --linux; profiles="skylake icelake" boots only these, linux=backports the kernel that
# ./bootstrap --linux-backports has fetched, linux=i386 the 32-bit one of ./bootstrap --linux-i386.
profiles ?=
linux ?=
LINUX := linux$(linux:%=-%)
LINUX_RUN := $(if $(filter i386,$(linux)),run32,run)
LINUX_PROGRAMS := $(if $(filter i386,$(linux)),$B/linux-program32,$B/linux-program $B/linux-program-pie $B/linux-fifo $B/linux-wrong)
.PHONY: linux-test
linux-test: model $B/initramfs-$(LINUX).gz ##tests Debian's kernel and perf on the model: profiles="NAME.." linux=backports|i386 (after ./bootstrap --linux)
	$Q$(PROVE) -v tests/linux/$(LINUX_RUN) :: $(patsubst %,-k %,$(filter-out i386,$(linux))) $(profiles)
	$(if $(linux),,$Q$(PROVE) tests/linux/judge.t)

LINUX_FORMAT := elf64
$B/linux-%.o: tests/linux/%.asm
	$(call say,NASM,$@)
	$Q$(NASM) -f $(LINUX_FORMAT) -g -F dwarf $(NASM_WARNINGS) $< -o $@
.PRECIOUS: $B/linux-%.o
$B/linux-%: $B/linux-%.o
	$Q$(LD) -static -z noexecstack $< -o $@
$B/linux-program32.o: LINUX_FORMAT := elf32
$B/linux-program32: $B/linux-program32.o
	$Q$(LD) -m elf_i386 -static -z noexecstack $< -o $@
$B/linux-program-pie: $B/linux-program.o
	$Q$(LD) -pie --no-dynamic-linker -z noexecstack $< -o $@

$B/initramfs-$(LINUX).gz: $(LINUX_PROGRAMS) tests/linux/init tests/linux/make-initramfs $(wildcard $B/$(LINUX)/boot/*)
	$(call say,CPIO,$@)
	$Qtests/linux/make-initramfs $@ $B $B/$(LINUX)


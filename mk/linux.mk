# SPDX-License-Identifier: MIT
# Linux, as fetched by ./bootstrap --linux; profiles="skylake icelake" boots only these, linux=backports the kernel of Debian
# 13's backports, linux=i386 the 32-bit one of Debian 12, KERNEL=bzImage your own.
profiles ?=
bugs ?=
linux ?=
KERNEL ?=
LINUX := linux$(linux:%=-%)
LINUX_RUN := $(if $(filter i386,$(linux)),run32,run)
LINUX_PROGRAMS := $(if $(filter i386,$(linux)),$B/linux-program32,$B/linux-program $B/ds-linux)
LINUX_INSTALLED := tests/linux tests/tools build
LINUX_PROVE = $Q$(PROVE) -v tests/linux/$(LINUX_RUN) :: $(if $(KERNEL),-k $(call quoted,$(KERNEL)),$(patsubst %,-k %,$(filter-out i386,$(linux))))
.PHONY: linux-test ds-linux-test linux-bugs deb-linux-test witness-test
linux-test: model $B/initramfs-$(LINUX).gz ##tests Debian's kernel, perf and ds-linux on the model: profiles="NAME.." linux=backports|i386 KERNEL=bzImage (after ./bootstrap --linux)
	$(LINUX_PROVE) $(profiles)
	$(if $(linux)$(KERNEL),,$Q$(PROVE) tests/linux/judge.t)

# In CI a few rows; rows=nightly: every profile, 25 faults, and guests without rights or a PMU.
ds-linux-test: model tools $B/initramfs-$(LINUX).gz ##tests build/ds-linux in Linux guests on the model: rows="PROFILE[:FAULT].." or rows=nightly linux=backports (after ./bootstrap --linux)
	$(LINUX_PROVE) $(or $(rows),ci)

linux-bugs: model $B/initramfs-linux.gz ##shows the bugs of Linux in tests/linux/bugs.tsv, each on a kernel with and without it: bugs="COMMIT.." KERNEL=bzImage (after ./bootstrap --linux)
	$Q$(PROVE) -v tests/linux/bugs :: $(if $(KERNEL),-k $(call quoted,$(KERNEL))) $(bugs)

# The same for any kernel, without the sources: the command qemu-ds-linux-test. Has Debian's unchanged perf and busybox.
deb-linux-test: $B/initramfs-linux.gz ##packages build/qemu-ds-linux-test.deb: qemu-ds-linux-test -k bzImage PROFILE.. tests perf without a clone
	$Qrm -rf $B/linux-deb && mkdir -p $(addprefix $B/linux-deb/,DEBIAN usr/bin $(LINUX_INSTALLED:%=usr/lib/dstest86/linux-test/%))
	$Qsed 's/@VERSION@/$(VERSION)/' debian/linux-test.control >$B/linux-deb/DEBIAN/control
	$Qcp tests/linux/run tests/linux/guest.py $B/linux-deb/usr/lib/dstest86/linux-test/tests/linux/
	$Qcp tests/tools/tap.py $B/linux-deb/usr/lib/dstest86/linux-test/tests/tools/
	$Qcp $B/initramfs-linux.gz $B/linux-program $B/linux-deb/usr/lib/dstest86/linux-test/build/
	$Qcd $B/linux-deb/usr/lib/dstest86/linux-test && ln -s ../../qemu-ds build/ && ln -s ../lib/dstest86/linux-test/tests/linux/run ../../../bin/qemu-ds-linux-test
	$Qdpkg-deb --root-owner-group -Zxz -z1 -b $B/linux-deb $B/qemu-ds-linux-test.deb >/dev/null && rm -rf $B/linux-deb
	$(call say,DEB,$B/qemu-ds-linux-test.deb)

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

$B/linux-racer: tests/linux/racer.c
	$(call say,CC,$@)
	$Q$(HOST_CC) $(WARNINGS) -O2 -fno-pie -no-pie -pthread -Wl,--emit-relocs -o $@ $<

$B/initramfs-$(LINUX).gz: $(LINUX_PROGRAMS) tests/linux/init tests/linux/make-initramfs $(wildcard $B/$(LINUX)/boot/*)
	$(call say,CPIO,$@)
	$Qtests/linux/make-initramfs $@ $B $B/$(LINUX)

witness-test: model $B/initramfs-witness ##tests Debian's rr and perf2bolt on the model: profiles="NAME.." (after ./bootstrap --linux)
	$Q$(PROVE) -v tests/linux/witness-test :: $(profiles)

$B/initramfs-witness: $(LINUX_PROGRAMS) $B/linux-racer tests/linux/init tests/linux/make-initramfs $(wildcard $B/linux-witness)
	$(call say,CPIO,$@)
	$Qtests/linux/make-initramfs $@ $B $B/linux $B/linux-witness


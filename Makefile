# SPDX-License-Identifier: MIT
# Everything is built below build/, without network access. `make help` lists the targets. `LAYERS` says which modules a
# program links; mk/ has the rules, one file for each product.
MAKEFLAGS += -rR
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# The version is in NEWS. The revision comes from git or, in a tarball of `make dist`, from the file `revision`.
VERSION := $(shell sed -n 's/^## \([0-9.]*\) .*/\1/p' NEWS | head -n 1)
B := build
# Rules remove folders below it.
ifneq ($(filter-out xbuild xbuild/%,x$B)$(findstring ..,$B),)
$(error B=$B: expected build or a folder below it)
endif

# Where users send logs: a mail address or URL. The kernel's last page, the manual pages and debian/control name it.
REPORT_TO ?=
NO_REPORT_TO := to whoever gave you this image
SEND_TO = $(if $(REPORT_TO),to $(REPORT_TO),$(NO_REPORT_TO))
$(foreach bad,| & \ ' " %,$(if $(findstring $(bad),$(REPORT_TO)),$(error REPORT_TO=$(REPORT_TO): expected an address without $(bad))))

# Variables to set: CC=clang, V=1, profile=, width=, options=.
CC := gcc
HOST_CC ?= $(CC)
NASM := nasm
LD := ld
OBJCOPY := objcopy
AR := ar
profile ?= skylake
width ?=
options ?=
fault ?=
processors ?= 1
V ?= 0
ifeq ($V,0)
Q := @
say = @printf '  %-8s %s\n' '$1' '$2'
endif

REVISION := $(shell cut -d ' ' -f 1 revision 2>/dev/null || git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

WARNINGS := -std=c11 -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wmissing-prototypes
DEPS = -MMD -MP
# A text as one word of the shell.
quoted = '$(subst ','\'',$1)'

.PHONY: all help clean
all: kernel iso model ## build the kernel, the ISO and the model

# `## TEXT` after a target describes it at the top of the list; `##GROUP TEXT` describes it in a group.
help: ## this list
	@awk -F ':.*##' '/^[a-z][a-z0-9 _-]*:.*##[a-z]* / { group = $$2; sub(/ .*/, "", group); sub(/^[a-z]* /, "", $$2); \
	text[group] = text[group] sprintf("  make %-16s %s\n", $$1, $$2); if (!seen[group]++ && group) names[++n] = group } \
	END { printf "%s", text[""]; for (i = 1; i <= n; i++) printf "\n%s:\n%s", names[i], text[names[i]] }' $(MAKEFILE_LIST)

clean: ## remove what was built, but not what ./bootstrap fetched
	$Q[ ! -d $B ] || find $B/ -mindepth 1 -maxdepth 1 ! -name '.*' ! -name toolchain ! -name linux ! -name 'qemu-system-*' -exec rm -rf {} +

# ---- which code links into what ----------------------------------------------------------------------------------------
modules = $(shell awk '$$2 == "$1" { print $$1 }' LAYERS)
# Pure code for the kernel, loader, host tests and tools, in archives: a program links only the objects that it uses.
PURE := $(sort $(wildcard $(patsubst %,%/*.c,$(call modules,pure)) \
	$(foreach suffix,decode area check,$(patsubst %,%/*_$(suffix).c,$(call modules,kernel)))))
# Adds the tools' pure code, which may use libc.
HOST_PURE := $(PURE) $(wildcard lib/dump/reader/*.c tools/lib/*.c)

include mk/kernel.mk mk/loader.mk mk/sign.mk mk/model.mk mk/tools.mk mk/host-test.mk mk/fuzz.mk mk/linux.mk mk/install.mk mk/package.mk

# ---- running it -----------------------------------------------------------------------------------------------------
# scripts/machine starts QEMU. With profile=none, QEMU runs without the model.
route ?= uefi
gdb_args ?=
export profile width options route fault quirk latitude
QEMU_GUESTS := $B/real_mode.img $B/resets.img $B/topology.img $B/device_table.elf $B/ends.elf $B/extremes.elf $B/mistakes.elf $B/trampoline-64.elf $B/trampoline-32.elf $B/firmware-64.elf $B/firmware-32.elf $B/strange-x64.efi
GDB_TESTS := $(wildcard tests/qemu/gdb_*.t)
QEMU_TESTS := $(filter-out $(GDB_TESTS),$(wildcard tests/qemu/*.t)) scripts/boots
TOOL_TESTS := $(wildcard tests/tools/*.t)
LINT_TESTS := $(wildcard tests/lint/*.t) tests/packages/dist.t
# Tests that wait for guests run first. The others only compute, and keep every processor busy until the end.
ALL_TESTS = $(QEMU_TESTS) $(TOOL_TESTS) $(GDB_TESTS) $(LINT_TESTS) $(HOST_TESTS)
# Only `make full-test` runs tests with `# slow:` in their head, every boot (`make test`: a sample), and every encoding.
SLOW = $(shell grep -l '^\# slow: ' $(filter %.t,$(ALL_TESTS))) scripts/boots $B/host/test_model_insn_zydis

.PHONY: run gdb gdb-tour smoke test full-test tool-test gdb-test qemu-test prove-tests latitude-test power documents corpus-check bench
# 640 MiB of memory, because the largest ring of measure.memory.* needs 256 MiB without a gap.
run: kernel loader iso model $B/dsdump ## boot the kernel in QEMU with the model: profile=NAME width=32|64 options="..." route=uefi|cd|usb|bios-cd|.. fault=NAME quirk=NAME latitude=SEED processors=N accel=kvm
	$Qscripts/machine run --route="$$route" --width="$$width" $(if $(accel),--accel=$(call quoted,$(accel))) --profile="$$profile" --options="$$options" \
	--fault="$$fault" --quirk="$$quirk" --latitude="$$latitude" --processors=$(call quoted,$(processors)) -- -m 640

gdb: kernel model $B/ds-inspect ## start QEMU, stopped at the kernel's entry, and gdb with commands for the debug store (docs/gdb.md): gdb_args="-batch -ex ds"
	$Qscripts/machine gdb -w "$$width" -p "$$profile" -o "$$options" -- $(gdb_args)

gdb-tour: kernel model $B/ds-inspect ##run a guided walk through the set-up of BTS and its first interrupt, in gdb
	$Qscripts/machine gdb -w "$$width" -p "$$profile" -o run=bts.interrupt.threshold -- -x tools/gdb/tour.py -ex tour $(gdb_args)

gdb-test: kernel model $B/host/ds-inspect ##tests the commands of make gdb, unattended
	$Q$(PROVE) $(GDB_TESTS)

qemu-test: kernel loader iso model tools $B/profiles $B/host/dsmodel.so $(QEMU_GUESTS) $B/hide.so $B/net/BOOTX64.EFI ##tests a boot of each route, verdict and processor, in three minutes; make full-test has every boot
	$QBOOTS=--sample $(PROVE) -j $(shell nproc) scripts/boots $(filter-out $(SLOW),$(QEMU_TESTS))

tool-test: kernel loader model tools $B/host/dsdump $B/qr_image ##tests dsdump with the kernel's logs, and with perf where there is one
	$Q$(PROVE) $(TOOL_TESTS)

TESTED = kernel loader iso model tools $B/profiles $B/host/dsdump $B/host/ds-inspect $B/host/dsmodel.so $B/qr_image $(QEMU_GUESTS) $B/hide.so $B/net/BOOTX64.EFI $B/linux-program $B/linux-program32 $(HOST_TESTS)
# The boots go first, because they take longest.
test: $(TESTED) ## the host tests, tools, lint, and a boot of each route and processor, as one TAP stream, in three minutes
	$QBOOTS=--sample $(PROVE) -j $(shell nproc) scripts/boots $(filter-out $(SLOW),$(ALL_TESTS))

# One job more than processors, because some tests wait.
BUSY = $(shell expr 1 + `nproc`)

# The boots use every processor, so they run first and alone. Other tests run in parallel.
full-test: $(TESTED) ## the tests of `make test`, every boot, and the slow tests
	$QBOOTS=--jobs=$(BUSY) $(PROVE) scripts/boots
	$Q$(PROVE) -j $(BUSY) $(filter-out scripts/boots,$(ALL_TESTS))

# Most of the coverage in the least time: the host tests except the one of every encoding, and three boots.
SMOKE_TESTS = $(filter-out %/test_model_insn_zydis,$(filter $B/host/test_%,$(HOST_TESTS)))
# All records of the newest format and, in 32 bits, of the oldest; the ISO, booted by firmware.
SMOKE_BOOTS = '^(?:64 pvh +goldencove +pass records=none dump=raw|32 pvh +netburst +pass records=none dump=raw|64 cd +skylake +pass run=quick)( :.*)?$$'
smoke: kernel loader iso model tools $(SMOKE_TESTS) ## a quick check: the host tests and three boots, in about half a minute on two processors
	$QBOOTS=$(SMOKE_BOOTS) $(PROVE) -j $(shell nproc) scripts/boots $(SMOKE_TESTS)

prove-tests: kernel model ##tests inject each fault into the model and check that a test detects it
	$Qscripts/boots prove --jobs=$(BUSY)

latitude-test: kernel model $B/dsdump ##tests check that no test fails on a processor that does what the manual permits: seeds=N on every profile and width
	$Qscripts/boots latitude --jobs=$(BUSY) $(if $(seeds),--seeds=$(call quoted,$(seeds)))

power: kernel model ##tests measure how many single corruptions of records, registers and counts the tests notice: corruptions=N of each test and family
	$Qscripts/boots power --jobs=$(BUSY) $(if $(corruptions),--seeds=$(call quoted,$(corruptions)))

GENERATED := conformance hostile machines profiles rules
documents: $B/test/.booted $B/profiles ##documents every generated page of docs/: conformance, hostile, machines, profiles, rules
	$Qfor page in $(GENERATED); do case $$page in \
	profiles) $B/profiles;; hostile | rules) docs/make-tables $$page;; *) docs/make-tables $$page $B/test/*;; \
	esac >$B/$$page.md && cp $B/$$page.md docs/ || exit 1; done

# The boots that the pages are made from: again only if they changed, or scripts/boots has booted something else meanwhile.
$B/test/.booted: $B/dstest86-64.elf $B/dstest86-32.elf $B/dsmodel.so $B/firmware-64.elf $B/firmware-32.elf tests/qemu/cases | $B/qemu-ds $B/dsdump
	$Qscripts/boots '^[0-9]+ +pvh' >$B/boots.log || { grep -A1 '^not ok' $B/boots.log; exit 1; }
	$Qtouch $@

corpus-check: $B/dsdump ##tests check the log of a real machine, LOG=FILE, and its form (docs/corpus.md)
	$Qcontrib/corpus/check $(if $(LOG),"$(LOG)")

$B/hide.so: tests/qemu/hide.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(HOST_CC) $(WARNINGS) -O2 -fPIC -shared -o $@ $<

$B/real_mode.img $B/resets.img $B/topology.img: $B/%.img: tests/qemu/%.asm tests/qemu/guest.inc
	$(call say,NASM,$@)
	$Q$(NASM) -f bin $(NASM_WARNINGS) $< -o $@

$B/device_table.elf $B/ends.elf $B/extremes.elf: $B/%.elf: tests/qemu/%.asm tests/qemu/guest.inc
	$(call say,NASM,$@)
	$Q$(NASM) -f elf32 $(NASM_WARNINGS) $< -o $B/$*.o && \
	$(LD) -m elf_i386 -static -nostdlib -z noexecstack -Ttext=0x100000 -e start $B/$*.o -o $@

$B/mistakes.elf: tests/qemu/mistakes.c
	$(call say,CC,$@)
	$Q$(CC) $(filter-out -f%asynchronous-unwind-tables,$(KERNEL_CFLAGS)) $(32.cc) -O1 -nostdlib -static -no-pie \
	-Wl,-Ttext=0x100000,-e,start,--build-id=none,-z,noexecstack -o $@ $<

# A guest that enters each kernel: nasm's format, ld's emulation.
define firmware_rules
$B/firmware-$1.elf: tests/qemu/firmware.asm tests/qemu/guest.inc $B/dstest86-$1.elf
	$$(call say,NASM,$$@)
	$$Q$$(NASM) -f $2 $$(NASM_WARNINGS) $$< -o $B/firmware-$1.o && \
	$$(LD) -m $3 -static -nostdlib -N --no-warn-rwx-segments -Ttext=0x3000000 --section-start=.note.Xen=0x3010000 -e start $B/firmware-$1.o \
	--just-symbols=$B/dstest86-$1.elf -o $$@
endef
$(eval $(call firmware_rules,64,elf64,elf_x86_64))
$(eval $(call firmware_rules,32,elf32,elf_i386))

$B/branchy.elf: tests/bench/branchy.asm
	$(call say,NASM,$@)
	$Q$(NASM) -f elf64 $(NASM_WARNINGS) $< -o $B/branchy.o && \
	$(LD) -static -nostdlib -z noexecstack -Ttext=0x200000 -e start $B/branchy.o -o $@

bench: model $B/branchy.elf $(LINUX_PROGRAMS) ##costs the model's cost as ratios to plain QEMU: perf in a Linux guest, then a loop (./bootstrap --all, --linux): table=PAGE: the first into a page of docs/; modes=lbr,pebs: only these of the loop; against=FILE: also of another build of the model
	$Qtests/bench/guest -p "$$profile" $(if $(table),-d $(call quoted,$(table))) && over=0 || over=1; \
	tests/bench/run -p "$$profile" $(if $(modes),-m $(call quoted,$(modes))) $(if $(against),-a $(call quoted,$(against))) && exit $$over

# ---- housekeeping --------------------------------------------------------------------------------------------------
.PHONY: format
format: ##other clang-format every C file
	$Qclang-format -i $$(git ls-files '*.c' '*.h')

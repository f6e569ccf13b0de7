# SPDX-License-Identifier: MIT
# Everything is built below build/; nothing here touches the network. `make help` lists the targets.
MAKEFLAGS += -rR
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

VERSION := 0.1.0
B := build

# Yours to set: CC=clang, V=1, profile=, width=, options=.
CC := gcc
HOST_CC ?= $(CC)
NASM := nasm
LD := ld
OBJCOPY := objcopy
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

REVISION := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

WARNINGS := -std=c11 -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wmissing-prototypes
DEPS = -MMD -MP

.PHONY: all help clean
all: kernel iso model ## build the kernel, the ISO and the model

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z0-9 _-]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

clean: ## remove what was built (what ./bootstrap fetched stays)
	$Qrm -rf $(filter-out $B/toolchain $B/linux $B/qemu-system-x86_64 $B/qemu-system-i386,$(wildcard $B/*))

# ---- code without a machine: links into the kernel, the host tests and the tools --------------------------------
PURE := $(wildcard report/*.c */*_decode.c) boot/options.c boot/acpi.c boot/elf_image.c boot/load_options.c boot/memory_map.c \
	boot/multiboot2.c pebs/data_source.c pebs/netburst_events.c ds/ds_area.c ds/ds_check.c ds/caps.c ds/cores.c \
	pebs/events.c tools/codec.c tools/perf_data.c tools/sampled_events.c tools/transfer.c
PURE := $(sort $(wildcard $(PURE)))

# ---- kernel ---------------------------------------------------------------------------------------------------------
.PHONY: kernel
kernel: $B/dstest86-64.elf $B/dstest86-32.elf ## the kernel ELFs, of both widths

LOADER_ONLY := boot/uefi.c boot/elf_image.c
HOST_ONLY := report/lbr_listing.c tools/codec.c tools/perf_data.c tools/sampled_events.c tools/transfer.c \
	report/dump_count.c report/dump_frame.c report/dump_read.c
KERNEL_C := $(filter-out $(LOADER_ONLY) $(HOST_ONLY),$(PURE)) $(filter-out $(LOADER_ONLY) $(PURE),\
            $(wildcard $(addsuffix /*.c,boot arch/x86 ds pebs bts lbr perfmon kernel measure)))
KERNEL_ASM := boot/multiboot2.asm $(wildcard arch/x86/*.asm workload/*.asm)

# Interrupts use the stack below rsp (no red zone); the kernel never touches SIMD state. -Os, since the image has each
# kernel three times.
KERNEL_CFLAGS := $(WARNINGS) -Os -g -ffreestanding -fno-pic -fno-pie -fno-stack-protector -fno-asynchronous-unwind-tables \
                 -fno-omit-frame-pointer -mgeneral-regs-only -I. -Ikernel/freestanding -I$B/include
# Tests run in the order in which their file has them; clang keeps it by itself.
KERNEL_CFLAGS += $(shell echo | $(CC) -fno-toplevel-reorder -x c -c - -o /dev/null 2>/dev/null && echo -fno-toplevel-reorder)
# nasm 2.16.03 warns of every relocation, which a linked image is full of; 2.16.01 does not know these warnings.
NASM_WARNINGS := -w+all -w+error -w-unknown-warning -w-reloc-abs-word -w-reloc-abs-dword -w-reloc-abs-qword -w-reloc-rel-dword

NO_BUILD_ID := 0x0000000000000000000000000000000000000000

# Both kernels come from the same sources, but for the files whose names end in a width.
# $1: the width. $2: the compiler's flags for it. $3, $4: nasm's and ld's name of the ELF. $5: the other width.
define kernel_rules
KERNEL_C$1 := $$(filter-out %$5.c,$$(KERNEL_C))
KERNEL_ASM$1 := $$(filter-out %$5.asm,$$(KERNEL_ASM))
KERNEL_OBJ$1 := $$(KERNEL_C$1:%.c=$B/k$1/%.o) $$(KERNEL_ASM$1:%.asm=$B/k$1/%.asm.o)

$B/k$1/%.o: %.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$Q$$(CC) $$(KERNEL_CFLAGS) $2 $$(DEPS) -c $$< -o $$@

$B/k$1/%.asm.o: %.asm
	@mkdir -p $$(@D)
	$$(call say,NASM,$$<)
	$$Q$$(NASM) -I./ -I$B/include/ -f $3 -g -F dwarf $$(NASM_WARNINGS) -MD $$@.d -MP $$< -o $$@

$B/k$1/kernel/main.o $B/k$1/kernel/dump.o: $B/include/version.h
$B/k$1/arch/x86/entry$1.asm.o: $B/include/version.inc

# Two links: the first places everything, the second carries the symbol table made from it, which comes last.
# The build id is that of all but what debuggers read: that has the names of folders in it.
LINK$1 := $$(LD) -m $4 -n -static -nostdlib -z noexecstack -T arch/x86/kernel.ld
$B/k$1/symbols-none.o: kernel/symbols.awk
	@mkdir -p $$(@D)
	$$Qawk -f $$< </dev/null >$$(@:.o=.asm) && $$(NASM) -f $3 $$(@:.o=.asm) -o $$@
$B/k$1/placed.elf: $$(KERNEL_OBJ$1) $B/k$1/symbols-none.o arch/x86/kernel.ld
	$$Q$$(LINK$1) --build-id=$(NO_BUILD_ID) $$(KERNEL_OBJ$1) $B/k$1/symbols-none.o -o $$@
$B/k$1/build-id: $B/k$1/placed.elf
	$$Q$$(OBJCOPY) --strip-debug $$< $$@.elf && sha1sum <$$@.elf | cut -c 1-40 >$$@
$B/k$1/symbols.o: $B/k$1/placed.elf kernel/symbols.awk
	$$Qnm -n $$< | awk -f kernel/symbols.awk >$$(@:.o=.asm) && $$(NASM) -f $3 $$(@:.o=.asm) -o $$@
$B/dstest86-$1.elf: $$(KERNEL_OBJ$1) $B/k$1/symbols.o $B/k$1/build-id
	$$(call say,LINK,$$@)
	$$Q$$(LINK$1) --build-id=0x$$$$(cat $B/k$1/build-id) $$(KERNEL_OBJ$1) $B/k$1/symbols.o -o $$@

# A kernel whose check of the DS area never reports one rule: $B/mutants/NAME-$1.elf, for tests/qemu/prove.
$B/mutants/%-$1.o: $B/mutants/%.c
	$$Q$$(CC) $$(KERNEL_CFLAGS) $2 -c $$< -o $$@
$B/mutants/%-$1.elf: $B/mutants/%-$1.o $$(KERNEL_OBJ$1) $B/k$1/symbols.o
	$$Q$$(LINK$1) --build-id=$(NO_BUILD_ID) $$(filter-out %/ds/ds_check.o,$$(KERNEL_OBJ$1)) $$< $B/k$1/symbols.o -o $$@

-include $$(KERNEL_C$1:%.c=$B/k$1/%.d) $$(KERNEL_ASM$1:%.asm=$B/k$1/%.asm.o.d)
endef
$(eval $(call kernel_rules,64,-m64 -mno-red-zone -mcmodel=small,elf64,elf_x86_64,32))
$(eval $(call kernel_rules,32,-m32 -march=i686,elf32,elf_i386,64))

$B/mutants/%.c: ds/ds_check.c ds/ds_check.h
	@mkdir -p $(@D)
	$Qawk -v rule=DS_BREACH_$$(echo '$*' | tr a-z A-Z) '{ print } /^static void breach\(/ { inside = 1 } \
	inside && /^{/ { print "    if (id == " rule ")\n        return;"; inside = 0; done = 1 } END { exit !done }' $< >$@

# The version for C and for nasm, touched only when it changes.
$B/include/version.h: DEFINE := \#define
$B/include/version.inc: DEFINE := %define
$B/include/version.h $B/include/version.inc: FORCE
	@mkdir -p $(@D)
	@printf '$(subst %,%%,$(DEFINE)) %s "%s"\n' DSTEST86_VERSION '$(VERSION)' DSTEST86_REVISION '$(REVISION)' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE
FORCE:

# ---- UEFI loaders and ISO -------------------------------------------------------------------------------------------
# gnu-efi's crt0 and linker script make a shared object, of which objcopy makes the .efi; the .so keeps gdb's symbols.
LOADER_SOURCES := boot/uefi.c boot/elf_image.c boot/load_options.c boot/memory_map.c boot/options.c report/format.c
LOADER_CFLAGS := -O2 -g -ffreestanding -fpic -fshort-wchar -fno-stack-protector -fno-strict-aliasing \
	-fno-asynchronous-unwind-tables -fcf-protection=none -mgeneral-regs-only -I. -isystem /usr/include/efi
EFI_SECTIONS := .text .sdata .data .rodata .dynamic .dynsym .rel .rela .reloc
EMBEDDED := $B/kernel-64.elf $B/kernel-32.elf

# The ISO's dates, and with them its bytes, are those of the commit.
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

$B/loader-$1/boot/embed.o: $$(EMBEDDED)

$B/loader-$1.so: $$(LOADER_SOURCES:%.c=$B/loader-$1/%.o) $B/loader-$1/boot/trampoline.o $B/loader-$1/boot/embed.o
	$$(call say,LD,$$@)
	$$Q$$(LD) -m $6 -shared -Bsymbolic -nostdlib -znocombreloc -znoexecstack --no-undefined --build-id=none \
		-T $3/elf_$2_efi.lds -o $$@ $3/crt0-efi-$2.o $$^ -L$3 -lefi -lgnuefi

$B/$7: $B/loader-$1.so
	$$(call say,EFI,$$@)
	$$Q$$(OBJCOPY) $$(EFI_SECTIONS:%=-j %) --target=efi-app-$2 $$< $$@

-include $$(LOADER_SOURCES:%.c=$B/loader-$1/%.d)
endef
$(eval $(call loader_rules,x64,x86_64,/usr/lib,-m64 -mno-red-zone -DGNU_EFI_USE_MS_ABI,elf64,elf_x86_64,BOOTX64.EFI))
$(eval $(call loader_rules,ia32,ia32,/usr/lib32,-m32 -march=i686,elf32,elf_i386,BOOTIA32.EFI))

$B/dstest86.iso: boot/make-iso boot/options.txt boot/grub.cfg LICENSE $(EMBEDDED) $B/BOOTX64.EFI $B/BOOTIA32.EFI
	$(call say,ISO,$@)
	$Qboot/make-iso $@ $B

# ---- model ----------------------------------------------------------------------------------------------------------
# The engine links without QEMU, into the plugin and into tests/host/test_model_*; the other files speak QEMU's ABI.
MODEL_GLUE := model/plugin.c model/processor.c model/qemu_ops.c model/qemu_private.c
MODEL_PURE := $(filter-out $(MODEL_GLUE),$(wildcard model/*.c))
MODEL_OBJECTS := $(patsubst %.c,$B/%.o,$(MODEL_PURE) $(MODEL_GLUE))
# A plugin finds QEMU's symbols in QEMU: none is linked. GLib is what the interface passes arrays in.
MODEL_CFLAGS = $(WARNINGS) -O2 -g -fPIC -fvisibility=hidden -I. \
	$(patsubst -I%,-isystem %,$(shell pkg-config --cflags glib-2.0))

.PHONY: model
model: $B/dsmodel.so ## build/dsmodel.so, the debug store as a QEMU plugin

$(MODEL_OBJECTS): $B/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(HOST_CC) $(MODEL_CFLAGS) $(DEPS) -c -o $@ $<

$B/dsmodel.so: $(MODEL_OBJECTS)
	$(call say,LD,$@)
	$Q$(HOST_CC) -shared -o $@ $^

-include $(MODEL_OBJECTS:.o=.d)

# ---- tools -----------------------------------------------------------------------------------------------------------
# For the host: the pure objects once more, for speed and without sanitizers, and what writes files.
TOOL_OBJECTS := $(sort $(patsubst %.c,$B/tool/%.o,$(PURE) $(wildcard tools/*.c)))
TOOL_CFLAGS := $(WARNINGS) -D_GNU_SOURCE -O3 -g -I.
TOOL_LIBS := -lelf -ldw
# The page that --html writes, as strings of C: tools/html/page.html becomes html_page, and so on.
TOOL_PAGE := page style script

.PHONY: tools
tools: $B/dsdump ## build/dsdump, which reads the raw dump in a log (kernel option dump=raw)

$(TOOL_OBJECTS) $B/tool/tests/bench/traces.o: $B/tool/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(HOST_CC) $(TOOL_CFLAGS) $(DEPS) -c -o $@ $<

$B/tool/html_page.c: tools/html/page.html
$B/tool/html_style.c: tools/html/page.css
$B/tool/html_script.c: tools/html/page.js
$(TOOL_PAGE:%=$B/tool/html_%.c): tools/html/embed
	@mkdir -p $(@D)
	$Qtools/html/embed $(basename $(@F)) $(filter-out %/embed,$^) >$@
$(TOOL_PAGE:%=$B/tool/html_%.o): %.o: %.c
	$Q$(HOST_CC) $(TOOL_CFLAGS) -c -o $@ $<

$B/dsdump: $(TOOL_OBJECTS) $(TOOL_PAGE:%=$B/tool/html_%.o)
	$(call say,LD,$@)
	$Q$(HOST_CC) -o $@ $^ $(TOOL_LIBS)

# Dumps of any size, to measure with.
$B/traces: $B/tool/tests/bench/traces.o $(PURE:%.c=$B/tool/%.o)
	$(call say,LD,$@)
	$Q$(HOST_CC) -o $@ $^

-include $(TOOL_OBJECTS:.o=.d) $B/tool/tests/bench/traces.d

# ---- host tests -----------------------------------------------------------------------------------------------------
# tests/host/test_NAME.c becomes build/host/test_NAME, and build/host32/test_NAME where the host can link -m32; each
# prints TAP when CMOCKA_MESSAGE_OUTPUT=TAP is set. test_model_* link the model's code alone, the others PURE alone.
HOST_CFLAGS := $(WARNINGS) -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -I.
HOST_SOURCES := $(wildcard tests/host/test_*.c)
HOST_TESTS := $(HOST_SOURCES:tests/host/%.c=$B/host/%)
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/main.c,$(wildcard tests/fuzz/*.c)))
HOST_TESTS += $(FUZZ_TARGETS:%=$B/host/fuzz_%)
PROVE := prove -e 'env CMOCKA_MESSAGE_OUTPUT=TAP'

# Written by a probe: the compiler and its flags, for objects must not outlive them, and whether -m32 links.
ifneq ($(filter host-test test listings fuzz $B/host/% $B/host32/%,$(MAKECMDGOALS)),)
include $B/host/config.mk
endif
$B/host/config.mk: FORCE
	@mkdir -p $(@D)
	@{ echo '# $(HOST_CC) $(HOST_CFLAGS)'; printf 'HOST_32 := '; \
	echo 'int main(void) { return 0; }' | $(HOST_CC) -m32 $(HOST_CFLAGS) -include tests/host/host_test.h -x c - -lcmocka \
	-o $@.probe 2>/dev/null && $@.probe && echo yes || echo no; } >$@.new
	@rm -f $@.probe; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
ifeq ($(HOST_32),yes)
HOST_TESTS += $(filter-out $B/host32/test_model_%,$(HOST_SOURCES:tests/host/%.c=$B/host32/%))
endif

define host_rules
$B/$1/%.o: %.c $B/host/config.mk
	$$(call say,HOSTCC,$$@)
	@mkdir -p $$(@D)
	$$Q$(HOST_CC) $2 $(HOST_CFLAGS) $(DEPS) -c -o $$@ $$<

$(patsubst tests/host/%.c,$B/$1/%,$(filter tests/host/test_model_%,$(HOST_SOURCES))): \
$B/$1/test_model_%: $B/$1/tests/host/test_model_%.o $(MODEL_PURE:%.c=$B/$1/%.o)
	$$(call say,HOSTLD,$$@)
	$$Q$(HOST_CC) $2 $(HOST_CFLAGS) -o $$@ $$^ -lcmocka

$(patsubst tests/host/%.c,$B/$1/%,$(filter-out tests/host/test_model_%,$(HOST_SOURCES))): \
$B/$1/test_%: $B/$1/tests/host/test_%.o $(PURE:%.c=$B/$1/%.o)
	$$(call say,HOSTLD,$$@)
	$$Q$(HOST_CC) $2 $(HOST_CFLAGS) -o $$@ $$^ -lcmocka

-include $(patsubst %.c,$B/$1/%.d,$(PURE) $(MODEL_PURE) $(HOST_SOURCES) $(wildcard tests/fuzz/*.c))
endef
$(eval $(call host_rules,host,-m64))
$(eval $(call host_rules,host32,-m32))
.PRECIOUS: $B/host/%.o $B/host32/%.o

# The fuzz targets with their saved inputs and a fixed number of mutations; see tests/fuzz/main.c.
$(FUZZ_TARGETS:%=$B/host/fuzz_%): $B/host/fuzz_%: $B/host/tests/fuzz/%.o $B/host/tests/fuzz/main.o $(PURE:%.c=$B/host/%.o)
	$(call say,HOSTLD,$@)
	$Q$(HOST_CC) $(HOST_CFLAGS) -o $@ $^

.PHONY: host-test
host-test: $(HOST_TESTS) ## decoders, options, checks and the model's engine, on the host
ifeq ($(HOST_32),no)
	@echo '  NOTE     no -m32 host tests: this host lacks 32-bit libc, sanitizers or cmocka'
endif
	$Q$(PROVE) $(HOST_TESTS)

# ---- fuzzing --------------------------------------------------------------------------------------------------------
# libFuzzer is clang's; tests/fuzz/run says what is missing.
seconds ?= 60
FUZZ_CC := clang
FUZZ_CFLAGS := $(WARNINGS) -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all -fprofile-instr-generate -fcoverage-mapping -I.

$B/fuzz/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(FUZZ_CC) $(FUZZ_CFLAGS) $(DEPS) -c -o $@ $<

$(FUZZ_TARGETS:%=$B/fuzz/fuzz_%): $B/fuzz/fuzz_%: $B/fuzz/tests/fuzz/%.o $(PURE:%.c=$B/fuzz/%.o)
	$(call say,LD,$@)
	$Q$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $^

.PHONY: fuzz fuzz-tools
fuzz-tools:
	$Qtests/fuzz/run -t
$(PURE:%.c=$B/fuzz/%.o) $(FUZZ_TARGETS:%=$B/fuzz/tests/fuzz/%.o): | fuzz-tools
fuzz: $(FUZZ_TARGETS:%=$B/fuzz/fuzz_%) $(FUZZ_TARGETS:%=$B/host/fuzz_%) ## every decoder against libFuzzer: seconds=60 in all; prints coverage
	$Qtests/fuzz/run -s "$(seconds)" $(FUZZ_TARGETS)

-include $(patsubst %.c,$B/fuzz/%.d,$(PURE) $(FUZZ_TARGETS:%=tests/fuzz/%.c))

.PHONY: listings
listings: $B/host/test_lbr_listing ## two published LBR listings, printed from their MSR values
	$Q$< -v

# ---- running it -----------------------------------------------------------------------------------------------------
# tests/qemu/boot knows the machine. profile=none is stock QEMU without the model.
route ?= uefi
gdb_args ?=
export profile width options route fault
QEMU_TESTS := $(addprefix tests/qemu/,kernel-log.t truth.t install.t prove.t image.t widths.t real-mode.t long.t measure.t measure_memory.t serial.t options.t translation.t referee.t boots machines.t conformance.t)
TOOL_TESTS := $(wildcard tests/tools/*.t)

.PHONY: run gdb test tool-test qemu-test prove-tests machines conformance bench bench-dump
# 640 MiB of memory: the largest ring of measure.memory.* takes 256 of them in one piece.
run: kernel loader iso model ## boot it in QEMU with the model: profile=NAME width=32|64 options="..." route=uefi|cd|usb|bios-cd|.. fault=NAME processors=N
	$Qtests/qemu/run -r "$$route" -w "$$width" -p "$$profile" -o "$$options" -f "$$fault" -s "$(processors)" -- -m 640

gdb: kernel model ## QEMU stopped at the kernel's entry, gdb attached: gdb_args="-batch -ex bt"
	$Qtests/qemu/gdb -w "$$width" -p "$$profile" -o "$$options" -- $(gdb_args)

qemu-test: kernel loader iso model $B/real_mode.img $B/hide.so ## boots on every route, with and without the model
	$Q$(PROVE) $(QEMU_TESTS)

tool-test: kernel model tools $B/traces ## dsdump with the kernel's logs, and with perf where there is one
	$Q$(PROVE) $(TOOL_TESTS)

test: kernel loader iso model tools $B/traces $B/real_mode.img $B/hide.so $(HOST_TESTS) ## host-test, qemu-test and tool-test as one TAP stream
	$Q$(PROVE) $(HOST_TESTS) $(QEMU_TESTS) $(TOOL_TESTS)

prove-tests: kernel model ## break the model on purpose, fault by fault: does every test bite?
	$Qtests/qemu/prove

machines: kernel model ## docs/machines.md, the table of what passes where, from boots of every modelled processor
	$Qtests/qemu/boots '^[0-9]+ +pvh' >$B/machines.log || { grep -A1 '^not ok' $B/machines.log; exit 1; }
	$Qtests/qemu/machines $B/test/* >docs/machines.md

conformance: machines ## docs/conformance.md: each claim, its source, where it is tested, which faults its test notices
	$Qtests/qemu/conformance $B/test/* >docs/conformance.md

# ---- the model by itself --------------------------------------------------------------------------------------------
# The QEMU that ./bootstrap had to fetch (200 MB) goes with it; a system's own is used where it is.
PREFIX ?= /usr/local
DESTDIR ?=
MODEL_DIR = $(DESTDIR)$(PREFIX)/lib/dstest86
MODEL_DOC = $(DESTDIR)$(PREFIX)/share/doc/dstest86
MODEL_BIN = $(DESTDIR)$(PREFIX)/bin/qemu-ds
MODEL_MAN = $(DESTDIR)$(PREFIX)/share/man/man1/qemu-ds.1

.PHONY: install-model uninstall-model
install-model: model ## the model for other kernels: the command qemu-ds and its manual (PREFIX=/usr/local DESTDIR=)
	$Qinstall -d $(MODEL_DIR) $(MODEL_DOC) $(dir $(MODEL_BIN)) $(dir $(MODEL_MAN))
	$Qinstall -m 644 docs/model.md docs/referee.md LICENSES/GPL-2.0-or-later.txt $(MODEL_DOC)
	$Qinstall -m 644 model/qemu-ds.1 $(MODEL_MAN)
	$Qinstall -m 755 $B/qemu-system-x86_64 model/qemu-ds $(MODEL_DIR)
	$Qif grep -q '/toolchain/debian$$' $B/qemu-system-x86_64; then \
		install -d $(MODEL_DIR)/toolchain && cp -a $B/toolchain/debian $(MODEL_DIR)/toolchain/; fi
	$Qinstall -m 644 $B/dsmodel.so $(MODEL_DIR)
	$Qln -sfn ../lib/dstest86/qemu-ds $(MODEL_BIN)
	$(call say,INSTALL,$(MODEL_BIN))

uninstall-model: ## take it away again
	$Qrm -rf $(MODEL_DIR) $(MODEL_DOC)
	$Qrm -f $(MODEL_BIN) $(MODEL_MAN)

# ---- Linux as a guest -----------------------------------------------------------------------------------------------
# What ./bootstrap --linux fetched; profiles="skylake icelake" boots these alone.
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

$B/hide.so: tests/qemu/hide.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(HOST_CC) $(WARNINGS) -O2 -fPIC -shared -o $@ $<

$B/real_mode.img: tests/qemu/real_mode.asm
	$(call say,NASM,$@)
	$Q$(NASM) -f bin $(NASM_WARNINGS) $< -o $@

$B/branchy.elf: tests/bench/branchy.asm
	$(call say,NASM,$@)
	$Q$(NASM) -f elf64 $(NASM_WARNINGS) $< -o $B/branchy.o && \
	$(LD) -static -nostdlib -z noexecstack -Ttext=0x200000 -e start $B/branchy.o -o $@

$B/monitor: tests/bench/monitor.c
	$(call say,CC,$@)
	$Q$(HOST_CC) $(WARNINGS) -O2 -static -o $@ $<

$B/bench-initramfs.gz: $B/monitor tests/bench/linux-init tests/bench/make-initramfs
	$(call say,CPIO,$@)
	$Qtests/bench/make-initramfs $@ $B

# Rounds of the loop and of Linux; Linux is left out as long as ./bootstrap --linux has not fetched it.
bench_rounds ?= -n 5 -l 3
bench: kernel iso model $B/branchy.elf $(if $(wildcard $B/linux/usr/bin/busybox),$B/bench-initramfs.gz) ## the model's cost as ratios to plain QEMU: bench_rounds="-n 5 -l 3"
	$Qtests/bench/run -p "$$profile" $(bench_rounds)

bench-dump: tools $B/traces ## dsdump against perf script and cat: records a second, memory
	$Qtests/bench/dsdump

# ---- house keeping --------------------------------------------------------------------------------------------------
.PHONY: format
format: ## clang-format every C file
	$Qclang-format -i $$(git ls-files '*.c' '*.h')

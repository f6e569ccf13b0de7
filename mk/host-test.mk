# SPDX-License-Identifier: MIT
# tests/host/test_NAME.c becomes build/host/test_NAME, and build/host32/test_NAME where the host can link -m32; each
# prints TAP when CMOCKA_MESSAGE_OUTPUT=TAP is set. test_model_* link only the model's code, the others only HOST_PURE;
# test_kernel_* also link the kernel's code on a machine of variables (tests/host/machine/).
# -g1: names and lines for the sanitizers, in a quarter less time than -g.
HOST_CFLAGS := $(WARNINGS) -g1 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -I.
# Where ./bootstrap puts cmocka for -m32.
LIBS_32 := -L$B/toolchain/lib32 -Wl,-rpath,$(abspath $B/toolchain/lib32)
HOST_X86 := $(findstring x86_64,$(shell $(HOST_CC) -dumpmachine))
# Without those that execute code of the kernel or the loader that only x86 has.
HOST_SOURCES := $(filter-out $(if $(HOST_X86),,$(patsubst %,tests/host/test_%.c,clock instructions io_apic uefi uefi_log \
	uefi_screen)),$(wildcard tests/host/test_*.c))
HOST_TESTS := $(HOST_SOURCES:tests/host/%.c=$B/host/%)
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/main.c,$(wildcard tests/fuzz/*.c)))
HOST_TESTS += $(FUZZ_TARGETS:%=$B/host/fuzz_%)
KERNEL_ON_HOST := $(filter-out $(PURE) %_test.c,$(wildcard $(foreach module,ds bts lbr pebs perfmon suite/support,$(module)/*.c))) \
	arch/x86/perfmon.c kernel/firmware.c kernel/held_lines.c tests/host/machine/machine.c
PROVE := prove -e tests/lint/tap

# A probe's result: the compiler and its flags, whose change rebuilds all objects, and whether -m32 links and runs: yes,
# qemu-i386 where only qemu-user runs it, or no. LeakSanitizer does not end in qemu-user.
ifneq ($(filter host-test host-tests smoke test full-test fuzz $B/host/% $B/host32/%,$(MAKECMDGOALS)),)
include $B/host/config.mk
endif
$B/host/config.mk: FORCE
	@mkdir -p $(@D)
	@{ echo '# $(HOST_CC) $(HOST_CFLAGS)'; printf 'HOST_32 := '; \
	(echo 'int main(void) { return 0; }' | $(HOST_CC) -m32 $(HOST_CFLAGS) -include tests/host/host_test.h -x c - $(LIBS_32) -lcmocka \
	-o $@.probe && for run in '' qemu-i386; do ASAN_OPTIONS=detect_leaks=0 $$run $@.probe && echo $${run:-yes} && break; done) \
	2>/dev/null || echo no; } >$@.new
	@if [ "$$CI" = true ] && grep -q 'HOST_32 := no' $@.new; then \
	echo 'this host cannot link and run -m32 with libc, sanitizers and cmocka, and CI leaves no test out: ./bootstrap installs what it needs' >&2; \
	exit 1; fi
	@rm -f $@.probe; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
# For tests/lint/tap.
export EMULATOR_32 := $(filter qemu-i386,$(HOST_32))
ifneq ($(filter yes qemu-i386,$(HOST_32)),)
HOST_TESTS += $(filter-out $B/host32/test_model_% $B/host32/test_uefi%,$(HOST_SOURCES:tests/host/%.c=$B/host32/%))
endif

LONG_TESTS := test_page test_paging test_pixels test_model_branches test_model_events

# $1: the folder below build/. $2: how to compile and link.
define host_rules
$B/$1/%.o: %.c $B/host/config.mk
	$$(call say,HOSTCC,$$@)
	@mkdir -p $$(@D)
	$$Q$(HOST_CC) $$(HOST_MACHINE) $2 $$(HOST_OPTIMIZATION) $(DEPS) -c -o $$@ $$<

# Tests themselves: gcc takes more than twice as long to optimize them. Only LONG_TESTS run long enough to gain from it.
$(filter-out $(LONG_TESTS:%=$B/$1/tests/host/%.o),$(HOST_SOURCES:%.c=$B/$1/%.o)): HOST_OPTIMIZATION := -O0

# The UEFI loader is compiled into its test, as for x64 firmware.
$(patsubst %.c,$B/$1/%.o,$(filter tests/host/test_uefi%,$(HOST_SOURCES))): HOST_MACHINE := -fshort-wchar -DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi

# The machine's headers precede the kernel's. The DS area is at an address with bit 20 clear and below 4 GiB, as in the
# kernel.
$(KERNEL_ON_HOST:%.c=$B/$1/%.o) $B/$1/tests/host/test_kernel_%.o: HOST_MACHINE := -Itests/host/machine
$B/$1/kernel.a: $(KERNEL_ON_HOST:%.c=$B/$1/%.o)
	$$Qrm -f $$@ && $$(AR) rcsD $$@ $$^
$(patsubst tests/host/%.c,$B/$1/%,$(filter tests/host/test_kernel_%,$(HOST_SOURCES))): \
$B/$1/test_kernel_%: $B/$1/tests/host/test_kernel_%.o $B/$1/kernel.a $(HOST_PURE:%.c=$B/$1/%.o)
	$$(call say,HOSTLD,$$@)
	$$Q$(HOST_CC) $2 -no-pie -Wl,--section-start=.ds=0x10200000,--section-start=.ds.pebs=0x10280000 -o $$@ $$^ $$(HOST_LIBS) -lcmocka

$(patsubst tests/host/%.c,$B/$1/%,$(filter tests/host/test_model_%,$(HOST_SOURCES))): \
$B/$1/test_model_%: $B/$1/tests/host/test_model_%.o $(MODEL_PURE:%.c=$B/$1/%.o)
	$$(call say,HOSTLD,$$@)
	$$Q$(HOST_CC) $2 -o $$@ $$^ $$(HOST_LIBS) -lcmocka

$(patsubst tests/host/%.c,$B/$1/%,$(filter-out tests/host/test_model_% tests/host/test_kernel_%,$(HOST_SOURCES))): \
$B/$1/test_%: $B/$1/tests/host/test_%.o $(HOST_PURE:%.c=$B/$1/%.o)
	$$(call say,HOSTLD,$$@)
	$$Q$(HOST_CC) $2 -o $$@ $$^ $$(HOST_LIBS) -lcmocka

-include $(patsubst %.c,$B/$1/%.d,$(HOST_PURE) $(MODEL_PURE) $(KERNEL_ON_HOST) $(HOST_SOURCES) \
$(wildcard tests/fuzz/*.c model/private/*.c model/qemu/*.c))
endef
$(eval $(call host_rules,host,$(HOST_X86:x86_64=-m64) $(HOST_CFLAGS)))
$(eval $(call host_rules,host32,-m32 $(HOST_CFLAGS)))
.PRECIOUS: $B/host/%.o $B/host32/%.o

$B/host32/test_%: HOST_LIBS := $(LIBS_32)

# Zydis, for comparison with the model's instruction decoder; only that test links it.
$B/host/test_model_insn_zydis: HOST_LIBS := -lZydis

# The code for QEMU that can run on a QEMU of variables: options; registers, memory and interrupts; private state.
$B/host/test_model_options: $B/host/model/qemu/options.o
$B/host/test_model_glue: $B/host/model/qemu/processor.o
$(foreach of,glue plugin,$B/host/tests/host/test_model_$(of).o) \
$(patsubst %.c,$B/host/%.o,$(filter-out %/options.c,$(wildcard model/qemu/*.c))): HOST_MACHINE = $(MODEL_GLIB)
$B/host/test_model_glue: HOST_LIBS = $(shell pkg-config --libs glib-2.0)
PRIVATE := model/private/qemu_object.o model/private/qemu_loss.o model/private/qemu_private.o
$B/host/test_model_private: $(PRIVATE:%=$B/host/%)
$B/host/test_model_private: HOST_LIBS := -rdynamic -ldl
PLUGIN := $(PRIVATE) $(patsubst %.c,%.o,$(wildcard model/qemu/*.c))
$B/host/test_model_plugin: $(PLUGIN:%=$B/host/%)
$B/host/test_model_plugin: HOST_LIBS = -rdynamic -Wl,--unresolved-symbols=ignore-all $(shell pkg-config --libs glib-2.0)

# The plugin with the sanitizers, for tests/qemu/sanitized.t.
SANITIZED := $(patsubst %.c,$B/host/%.o,$(MODEL_PURE)) $(PLUGIN:%=$B/host/%)
$(SANITIZED): HOST_MACHINE += -fPIC
$B/host/dsmodel.so: $(SANITIZED)
	$(call say,HOSTLD,$@)
	$Q$(HOST_CC) $(HOST_CFLAGS) -shared -o $@ $^

# Every memory allocation of the model goes through the test, which makes it fail.
$B/host/test_model_allocation: HOST_LIBS := -Wl,--wrap=calloc -Wl,--wrap=malloc

# The fuzz targets with their saved inputs and a fixed number of mutations; see tests/fuzz/main.c. The engine's links
# only the model's code, the others only HOST_PURE.
$(FUZZ_TARGETS:%=$B/host/fuzz_%): $B/host/fuzz_%: $B/host/tests/fuzz/%.o $B/host/tests/fuzz/main.o
$(addprefix $B/host/fuzz_,$(filter-out engine,$(FUZZ_TARGETS))): $(HOST_PURE:%.c=$B/host/%.o)
$B/host/fuzz_engine: $(MODEL_PURE:%.c=$B/host/%.o)
$(FUZZ_TARGETS:%=$B/host/fuzz_%):
	$(call say,HOSTLD,$@)
	$Q$(HOST_CC) $(HOST_CFLAGS) -o $@ $^

.PHONY: host-test host-tests
host-tests: $(HOST_TESTS)
host-test: $(HOST_TESTS) ##tests decoders, options, checks and the model's engine, on the host
ifeq ($(HOST_32),no)
	@echo '  NOTE     skipping -m32 host tests: this host lacks 32-bit libc, sanitizers or cmocka, or cannot run them'
endif
	$Q$(PROVE) $(HOST_TESTS)

# Without sanitizers, which qemu-user does not support, and so without the fuzz targets. SYSROOT: the packages libc6-dev,
# libcmocka-dev, libdw-dev, libelf-dev, libglib2.0-dev and libzydis-dev for arm64 and what they need, unpacked.
.PHONY: cross-test
cross-test: ##tests the model, the tools and the host tests for arm64, in qemu-user: SYSROOT=FOLDER (an arm64 root)
	$Qexport PKG_CONFIG_SYSROOT_DIR=$(call quoted,$(SYSROOT)) PKG_CONFIG_LIBDIR=$(call quoted,$(SYSROOT))/usr/lib/aarch64-linux-gnu/pkgconfig && \
	$(MAKE) B=$B/arm64 HOST_CC='aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)' HOST_CFLAGS='$(WARNINGS) -g -O1 -I.' \
	FUZZ_TARGETS= PROVE='CMOCKA_MESSAGE_OUTPUT=TAP prove -e "qemu-aarch64-static -L $(SYSROOT)"' model tools host-test

# gcov is gcc's: with clang, HOST_CC=gcc. gcovr is Debian's package of that name.
.PHONY: coverage
coverage: ##tests which lines the host tests run (needs gcovr)
	$Q[ ! -d $B/coverage ] || find $B/coverage -name '*.gcda' -delete
	$Q$(MAKE) B=$B/coverage HOST_CFLAGS='$(WARNINGS) -g -O0 --coverage -I.' FUZZ_TARGETS= host-test
	$Qgcovr -r . --exclude 'tests/' $B/coverage

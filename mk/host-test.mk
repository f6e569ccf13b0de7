# SPDX-License-Identifier: MIT
# tests/host/test_NAME.c becomes build/host/test_NAME, and build/host32/test_NAME where the host can link -m32; each
# prints TAP when CMOCKA_MESSAGE_OUTPUT=TAP is set. test_model_* link the model's code alone, the others HOST_PURE alone.
HOST_CFLAGS := $(WARNINGS) -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -I.
HOST_SOURCES := $(wildcard tests/host/test_*.c)
HOST_TESTS := $(HOST_SOURCES:tests/host/%.c=$B/host/%)
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/main.c,$(wildcard tests/fuzz/*.c)))
HOST_TESTS += $(FUZZ_TARGETS:%=$B/host/fuzz_%)
PROVE := prove -e 'env CMOCKA_MESSAGE_OUTPUT=TAP'

# A probe's result: the compiler and its flags, whose change rebuilds all objects, and whether -m32 links.
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
	$$Q$(HOST_CC) $2 $(HOST_CFLAGS) -o $$@ $$^ -lcmocka $$(HOST_LIBS)

$(patsubst tests/host/%.c,$B/$1/%,$(filter-out tests/host/test_model_%,$(HOST_SOURCES))): \
$B/$1/test_%: $B/$1/tests/host/test_%.o $(HOST_PURE:%.c=$B/$1/%.o)
	$$(call say,HOSTLD,$$@)
	$$Q$(HOST_CC) $2 $(HOST_CFLAGS) -o $$@ $$^ -lcmocka

-include $(patsubst %.c,$B/$1/%.d,$(HOST_PURE) $(MODEL_PURE) $(HOST_SOURCES) $(wildcard tests/fuzz/*.c))
endef
$(eval $(call host_rules,host,-m64))
$(eval $(call host_rules,host32,-m32))
.PRECIOUS: $B/host/%.o $B/host32/%.o

# Zydis, against which the model's instruction decoder is tested; nothing else links it.
$B/host/test_model_insn_zydis: HOST_LIBS := -lZydis

# The fuzz targets with their saved inputs and a fixed number of mutations; see tests/fuzz/main.c.
$(FUZZ_TARGETS:%=$B/host/fuzz_%): $B/host/fuzz_%: $B/host/tests/fuzz/%.o $B/host/tests/fuzz/main.o $(HOST_PURE:%.c=$B/host/%.o)
	$(call say,HOSTLD,$@)
	$Q$(HOST_CC) $(HOST_CFLAGS) -o $@ $^

.PHONY: host-test
host-test: $(HOST_TESTS) ## decoders, options, checks and the model's engine, on the host
ifeq ($(HOST_32),no)
	@echo '  NOTE     skipping -m32 host tests: this host lacks 32-bit libc, sanitizers or cmocka'
endif
	$Q$(PROVE) $(HOST_TESTS)

.PHONY: listings
listings: $B/host/test_lbr_listing ## two published LBR listings, printed from their MSR values
	$Q$< -v

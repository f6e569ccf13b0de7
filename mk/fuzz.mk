# SPDX-License-Identifier: MIT
# Fuzzing needs clang's libFuzzer; tests/fuzz/run says what is missing.
seconds ?= 60
FUZZ_CC := clang
FUZZ_CFLAGS := $(WARNINGS) -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all -fprofile-instr-generate -fcoverage-mapping -I.

$B/fuzz/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(FUZZ_CC) $(FUZZ_CFLAGS) $(DEPS) -c -o $@ $<

$(FUZZ_TARGETS:%=$B/fuzz/fuzz_%): $B/fuzz/fuzz_%: $B/fuzz/tests/fuzz/%.o
$(addprefix $B/fuzz/fuzz_,$(filter-out engine,$(FUZZ_TARGETS))): $(HOST_PURE:%.c=$B/fuzz/%.o)
$B/fuzz/fuzz_engine: $(MODEL_PURE:%.c=$B/fuzz/%.o)
$(FUZZ_TARGETS:%=$B/fuzz/fuzz_%):
	$(call say,LD,$@)
	$Q$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $^

.PHONY: fuzz fuzz-tools
fuzz-tools:
	$Qtests/fuzz/run -t
$(patsubst %.c,$B/fuzz/%.o,$(HOST_PURE) $(MODEL_PURE)) $(FUZZ_TARGETS:%=$B/fuzz/tests/fuzz/%.o): | fuzz-tools
fuzz: $(FUZZ_TARGETS:%=$B/fuzz/fuzz_%) $(FUZZ_TARGETS:%=$B/host/fuzz_%) ##tests every decoder and the model's engine against libFuzzer: seconds=60 in all; prints coverage
	$Qtests/fuzz/run -s $(call quoted,$(seconds)) $(FUZZ_TARGETS)

-include $(patsubst %.c,$B/fuzz/%.d,$(HOST_PURE) $(MODEL_PURE) $(FUZZ_TARGETS:%=tests/fuzz/%.c))


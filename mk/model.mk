# SPDX-License-Identifier: MIT
# The model: build/dsmodel.so. Everything but the code for QEMU's ABI also links into tests/host/test_model_*.
MODEL_PURE := $(wildcard $(patsubst %,%/*.c,$(call modules,model)))
MODEL_OBJECTS := $(patsubst %.c,$B/%.o,$(MODEL_PURE) $(wildcard $(patsubst %,%/*.c,$(call modules,plugin))))
# QEMU's symbols are resolved when QEMU loads the plugin. Its interface passes arrays in GLib's types.
MODEL_GLIB = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags glib-2.0))
# Link-time optimisation: a PEBS record passes through about thirty short functions in many files.
MODEL_OPTIMISE = -O3 -fno-tree-slp-vectorize -flto=auto
MODEL_CFLAGS = $(WARNINGS) $(MODEL_OPTIMISE) -g -fPIC -fvisibility=hidden -I. $(MODEL_GLIB)

.PHONY: model
model: $B/dsmodel.so $B/qemu-ds ## build/dsmodel.so, the debug store as a QEMU plugin, and build/qemu-ds, which starts QEMU with it

$B/qemu-ds: model/qemu/qemu-ds NEWS
	$Qsed 's/@VERSION@/$(VERSION)/' $< >$@ && chmod 755 $@

$(MODEL_OBJECTS): $B/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(HOST_CC) $(MODEL_CFLAGS) $(DEPS) -c -o $@ $<

$B/dsmodel.so: $(MODEL_OBJECTS)
	$(call say,LD,$@)
	$Q$(HOST_CC) $(MODEL_OPTIMISE) -shared -o $@ $^

# Prints the model's tables as docs/profiles.md.
$B/profiles: docs/profiles.c $(MODEL_PURE:%.c=$B/%.o)
	$(call say,LD,$@)
	$Q$(HOST_CC) $(MODEL_CFLAGS) -o $@ $^

-include $(MODEL_OBJECTS:.o=.d)


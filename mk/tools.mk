# SPDX-License-Identifier: MIT
# dsdump: build/dsdump. The pure objects, compiled for speed and without sanitizers, and the code that writes files.
TOOL_OBJECTS := $(patsubst %.c,$B/tool/%.o,$(HOST_PURE) $(wildcard tools/*.c))
# The program that the commands of tools/gdb/dstest86.py start.
INSPECT_OBJECTS := $(patsubst %.c,$B/tool/%.o,$(wildcard tools/gdb/*.c))
# gcc 14 has false alarms in lib/qr at -O3.
TOOL_CFLAGS := $(WARNINGS) $(if $(findstring clang,$(HOST_CC)),,-Wno-stringop-overflow) -D_GNU_SOURCE -O3 -g -I.
TOOL_LIBS := -lelf -ldw
# The page that --html writes, as strings of C: tools/html/page.html becomes html_page, and so on.
TOOL_PAGE := page style script

.PHONY: tools ds-linux
ds-linux: $B/ds-linux ## build/ds-linux, the tests of records as a Linux program: needs gcc, nasm and make
tools: $B/dsdump $B/ds-inspect $(if $(filter x86_64,$(shell uname -m)),$B/ds-linux) ## build/dsdump, which reads the raw dump in a log (kernel option dump=raw); build/ds-linux, the tests of records as a Linux program; the program that GDB's commands start

$(TOOL_OBJECTS) $(INSPECT_OBJECTS) $B/tool/tests/tools/qr_image.o: $B/tool/%.o: %.c
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

# dsdump and ds-inspect with the sanitizers, for their tests: memory leaks and invalid accesses are failures.
CHECKED_OBJECTS := $(patsubst %.c,$B/host/%.o,$(wildcard tools/*.c))
$(CHECKED_OBJECTS): HOST_MACHINE := -D_GNU_SOURCE
$B/host/dsdump: $(CHECKED_OBJECTS) $(HOST_PURE:%.c=$B/host/%.o) $(TOOL_PAGE:%=$B/tool/html_%.o)
	$(call say,HOSTLD,$@)
	$Q$(HOST_CC) $(HOST_CFLAGS) -o $@ $^ $(TOOL_LIBS)
CHECKED_INSPECT := $(patsubst %.c,$B/host/%.o,$(wildcard tools/gdb/*.c))
$B/host/ds-inspect: $(CHECKED_INSPECT) $(HOST_PURE:%.c=$B/host/%.o)
	$(call say,HOSTLD,$@)
	$Q$(HOST_CC) $(HOST_CFLAGS) -o $@ $^
-include $(CHECKED_OBJECTS:.o=.d) $(CHECKED_INSPECT:.o=.d)

# ds-linux: the kernel's pure objects, and its workloads for user mode; they need addresses below 4 GiB. Without debugging
# information, which names the folder, it is the same from each clone.
LINUX_WORKLOADS := $(patsubst %,$B/tool/suite/workload/%.asm.o,branches memory precise spread steps vectors)
LINUX_OBJECTS := $(patsubst %.c,$B/tool/%.o,$(wildcard tools/linux/*.c))
$B/tool/suite/workload/%.asm.o: suite/workload/%.asm $(wildcard suite/workload/*.inc)
	@mkdir -p $(@D)
	$(call say,NASM,$@)
	$Q$(NASM) -I./ -DUSER_MODE -f elf64 $(NASM_WARNINGS) $< -o $@
$(LINUX_OBJECTS): $B/tool/%.o: %.c $B/include/version.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(CC) $(WARNINGS) -D_GNU_SOURCE -O2 -g -fno-pie -I. -I$B/include $(DEPS) -c -o $@ $<
$B/ds-linux: $(LINUX_OBJECTS) $(LINUX_WORKLOADS) $B/k64/suite/measure/kinds.o $B/k64/pure.a
	$(call say,LD,$@)
	$Q$(CC) -static -no-pie -z noexecstack -Wl,--strip-debug -o $@ $^
-include $(LINUX_OBJECTS:.o=.d)

.PHONY: picture
picture: kernel model tools ##documents docs/page.png, the README's picture (wants ./bootstrap --all, and pngquant)
	$Qscripts/machine run -s 2 -o "run=*,measure.* dump=raw timeout=100" -- -m 640 >$B/picture.log
	$Qtools/html/picture $B/dsdump $B/dstest86-64.elf $B/picture.log docs/page.png

$B/ds-inspect: $(INSPECT_OBJECTS) $(HOST_PURE:%.c=$B/tool/%.o)
	$(call say,LD,$@)
	$Q$(HOST_CC) -o $@ $^

# Draws QR codes as pictures, for zbarimg.
$B/qr_image: $B/tool/tests/tools/qr_image.o $B/tool/lib/qr/qr.o
	$(call say,LD,$@)
	$Q$(HOST_CC) -o $@ $^

-include $(TOOL_OBJECTS:.o=.d) $(INSPECT_OBJECTS:.o=.d) $B/tool/tests/tools/qr_image.d


# SPDX-License-Identifier: MIT
# A QEMU fetched by ./bootstrap (200 MB) is installed too; the system's own is used in place, without ./bootstrap too.
PREFIX ?= /usr/local
DESTDIR ?=
MODEL_ROOT = $(DESTDIR)$(PREFIX)
MODEL_DIR := lib/dstest86
MODEL_DOC := share/doc/dstest86
MODEL_MAN := share/man/man1
MODEL_PROGRAMS = $B/qemu-ds $(wildcard $B/qemu-system-x86_64) $B/ds-inspect
MODEL_DATA := $B/dsmodel.so tools/gdb/dstest86.py
MODEL_DOCS := $(addprefix docs/,model.md modelled.md profiles.md referee.md rules.md gdb.md) LICENSES/GPL-2.0-or-later.txt
# Links to pages that are not installed become text.
MODEL_NO_DOCS = $(shell echo $(basename $(notdir $(filter-out $(MODEL_DOCS),$(wildcard docs/*.md)))) | tr ' ' '|')
# The installed files, one a line, in a file next to them: uninstall-model removes these.
MODEL_LIST := $(MODEL_DIR)/installed

# The folder in a variable must be absolute, of plain characters, and without "..". Checked before anything runs.
# ($(shell) drops newlines, so blanks of any kind are counted as words.)
plain = $(and $(filter 1,$(words x$(value $1)x)),$(shell LC_ALL=C; case $(call quoted,$(value $1)) in (*[!/A-Za-z0-9_.,+@%:=~-]* | */.. | */../*) ;; (/*) echo yes;; esac))
check_folder = $(if $(call plain,$1),,$(error \
	$1=$(value $1): expected an absolute path of letters, digits and _.,+@%:=~- without ".."))
ifneq ($(filter install-model uninstall-model,$(MAKECMDGOALS)),)
$(call check_folder,PREFIX)
$(if $(value DESTDIR),$(call check_folder,DESTDIR))
endif

.PHONY: install-model uninstall-model
install-model: model $B/ds-inspect ##install the model for other kernels: the command qemu-ds and its manual (PREFIX=/usr/local DESTDIR=)
	$Qinstall -d $(foreach folder,bin $(MODEL_DIR) $(MODEL_DOC) $(MODEL_MAN),"$(MODEL_ROOT)/$(folder)")
	$Q{ printf '%s\n' bin/qemu-ds $(MODEL_MAN)/qemu-ds.1 $(MODEL_DOCS:%=$(MODEL_DOC)/%) $(MODEL_PROGRAMS:%=$(MODEL_DIR)/%) $(MODEL_DATA:%=$(MODEL_DIR)/%) | \
		sed 's,\(dstest86/\).*/,\1,'; cat "$(MODEL_ROOT)/$(MODEL_LIST)" 2>/dev/null; \
		! grep -qs '/toolchain/debian$$' $B/qemu-system-x86_64 || find $B/toolchain/debian ! -type d -printf '$(MODEL_DIR)/toolchain/debian/%P\n'; \
	} | LC_ALL=C sort -u >"$(MODEL_ROOT)/$(MODEL_LIST).new" && mv "$(MODEL_ROOT)/$(MODEL_LIST).new" "$(MODEL_ROOT)/$(MODEL_LIST)"
	$Qinstall -m 644 $(MODEL_DOCS) "$(MODEL_ROOT)/$(MODEL_DOC)"
	$Qsed -Ezi 's,\[([^]]*)\]\(($(MODEL_NO_DOCS))\.md[^)]*\),\1,g' $(foreach page,$(filter %.md,$(MODEL_DOCS)),"$(MODEL_ROOT)/$(MODEL_DOC)/$(notdir $(page))")
	$Qinstall -m 644 model/qemu/qemu-ds.1 "$(MODEL_ROOT)/$(MODEL_MAN)"
	$Qinstall -m 755 $(MODEL_PROGRAMS) "$(MODEL_ROOT)/$(MODEL_DIR)"
	$Qinstall -m 644 $(MODEL_DATA) "$(MODEL_ROOT)/$(MODEL_DIR)"
	$Qif grep -qs '/toolchain/debian$$' $B/qemu-system-x86_64; then install -d "$(MODEL_ROOT)/$(MODEL_DIR)/toolchain" && \
		cp -a --no-preserve=ownership $B/toolchain/debian "$(MODEL_ROOT)/$(MODEL_DIR)/toolchain/"; fi
	$Qln -sfn ../lib/dstest86/qemu-ds "$(MODEL_ROOT)/bin/qemu-ds"
	$(call say,INSTALL,$(MODEL_ROOT)/bin/qemu-ds)

uninstall-model: ##install remove the installed model, but not other files in its folders
	$Q[ -f "$(MODEL_ROOT)/$(MODEL_LIST)" ] || { echo 'uninstall-model: $(MODEL_ROOT)/$(MODEL_LIST): no such file, so make install-model did not install here' >&2; exit 1; }
	$Qcd "$(MODEL_ROOT)" && awk '!/^(bin\/qemu-ds|share\/man\/man1\/qemu-ds\.1|(lib|share\/doc)\/dstest86\/.+)$$/ || /(^|\/)\.\.(\/|$$)/ { \
			print "uninstall-model: " FILENAME " line " NR ": not a file of install-model; delete this line"; bad = 1 } \
			END { exit bad }' $(MODEL_LIST) >&2 && \
		xargs -d '\n' rm -f -- <$(MODEL_LIST) && rm $(MODEL_LIST) && \
		find $(MODEL_DIR)/ $(MODEL_DOC)/ -mindepth 1 -depth -type d -empty -delete && \
		for folder in $(MODEL_DIR) $(MODEL_DOC); do [ -L $$folder ] || rmdir --ignore-fail-on-non-empty $$folder || exit; done

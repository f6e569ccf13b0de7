# SPDX-License-Identifier: MIT
# A QEMU fetched by ./bootstrap (200 MB) is installed too; the system's own is used in place, without ./bootstrap too.
PREFIX ?= /usr/local
DESTDIR ?=
MODEL_DIR = $(DESTDIR)$(PREFIX)/lib/dstest86
MODEL_DOC = $(DESTDIR)$(PREFIX)/share/doc/dstest86
MODEL_BIN = $(DESTDIR)$(PREFIX)/bin/qemu-ds
MODEL_MAN = $(DESTDIR)$(PREFIX)/share/man/man1/qemu-ds.1

.PHONY: install-model uninstall-model
install-model: model $B/ds-inspect ##install the model for other kernels: the command qemu-ds and its manual (PREFIX=/usr/local DESTDIR=)
	$Qinstall -d $(MODEL_DIR) $(MODEL_DOC) $(dir $(MODEL_BIN)) $(dir $(MODEL_MAN))
	$Qinstall -m 644 docs/model.md docs/modelled.md docs/profiles.md docs/referee.md docs/gdb.md LICENSES/GPL-2.0-or-later.txt $(MODEL_DOC)
	$Qinstall -m 644 model/qemu/qemu-ds.1 $(MODEL_MAN)
	$Qinstall -m 755 $B/qemu-ds $(wildcard $B/qemu-system-x86_64) $(MODEL_DIR)
	$Qif grep -qs '/toolchain/debian$$' $B/qemu-system-x86_64; then \
		install -d $(MODEL_DIR)/toolchain && cp -a $B/toolchain/debian $(MODEL_DIR)/toolchain/; fi
	$Qinstall -m 644 $B/dsmodel.so tools/gdb/dstest86.py $(MODEL_DIR)
	$Qinstall -m 755 $B/ds-inspect $(MODEL_DIR)
	$Qln -sfn ../lib/dstest86/qemu-ds $(MODEL_BIN)
	$(call say,INSTALL,$(MODEL_BIN))

uninstall-model: ##install remove the installed model
	$Qrm -rf $(MODEL_DIR) $(MODEL_DOC)
	$Qrm -f $(MODEL_BIN) $(MODEL_MAN)


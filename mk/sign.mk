# SPDX-License-Identifier: MIT
# Files that firmware starts under Secure Boot: make sign key=FILE cert=FILE [password=TEXT]. See docs/booting.md.
key ?=
cert ?=
export password

.PHONY: sign
sign: iso ##build build/signed/: loaders and ISO for Secure Boot, signed with your key=FILE and cert=FILE (PEM; password=TEXT if the key has one)
	$(call say,SIGN,$B/signed)
	$Qboot/sign $(call quoted,$(key)) $(call quoted,$(cert)) $B $B/signed

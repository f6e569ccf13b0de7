# SPDX-License-Identifier: MIT
# The sources as a tarball, and from that Debian's packages: build/deb/*.deb.
DIST_NAME = dstest86-$(VERSION)
override DEB := $B/deb

.PHONY: dist deb deb-bundled package-test release
dist: ##packages build/dstest86-VERSION.tar.gz, the committed sources: the same bytes from each clone of a revision
	$Qrm -rf $B/dist && mkdir -p $B/dist/$(DIST_NAME)
	$Qgit archive HEAD | tar -C $B/dist/$(DIST_NAME) -x
	$Qsed -i 's|$(NO_REPORT_TO)|$(SEND_TO)|' $(addprefix $B/dist/$(DIST_NAME)/,docs/ds-linux.1 docs/dsdump.1 debian/control)
	$Qsed -i 's|^REPORT_TO ?=.*|REPORT_TO ?= $(REPORT_TO)|' $B/dist/$(DIST_NAME)/Makefile
	$Qecho "$$(git rev-parse --short=12 HEAD) $$(git log -1 --format=%ct)" >$B/dist/$(DIST_NAME)/revision
	$Qdebian/make-changelog <$B/dist/$(DIST_NAME)/NEWS >$B/dist/$(DIST_NAME)/debian/changelog
	$Qtar -C $B/dist --format=ustar --sort=name --mtime=@$$(git log -1 --format=%ct) --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX -c $(DIST_NAME) | gzip -9n >$B/$(DIST_NAME).tar.gz
	$Qrm -rf $B/dist
	$(call say,DIST,$B/$(DIST_NAME).tar.gz)

deb: dist ##packages build/deb/*.deb, from the committed sources, checked by lintian (./bootstrap --all installs the tools)
	$Qrm -rf $(DEB) && mkdir -p $(DEB) && tar -C $(DEB) -xf $B/$(DIST_NAME).tar.gz
	$Qcd $(DEB)/$(DIST_NAME) && CC="$(CC)" dpkg-buildpackage -b -us -uc -jauto >../log 2>&1 || { tail -20 ../log >&2; exit 1; }
	$Qrm -rf $(DEB)/$(DIST_NAME)
	$Qlintian --allow-root --fail-on error,warning $(DEB)/*.changes
	$(call say,DEB,$(DEB))

# The same bytes from each clone of a revision, with the same tools.
RELEASED = $B/dstest86.iso $B/ds-linux $B/$(DIST_NAME).tar.gz $(DEB)/*.deb $(GENERATED:%=docs/%.md)
release: iso $B/ds-linux deb ##packages build/release: the ISO, ds-linux, the packages, the generated documents and SHA256SUMS: REPORT_TO=ADDRESS
	$Qrm -rf $B/release && mkdir -p $B/release && cp $(RELEASED) $B/release/
	$Qcd $B/release && LC_ALL=C sha256sum -- * >SHA256SUMS
	$(call say,RELEASE,$B/release)

# Debian's unchanged binaries in one package, for qemu-ds if the system's QEMU is too old. Not checked by lintian.
deb-bundled: ##packages build/qemu-ds-bundled.deb, the QEMU that ./bootstrap fetched, for qemu-ds if Debian's is too old
	$Qgrep -q '/toolchain/debian$$' $B/qemu-system-x86_64 || { echo "deb-bundled: ./bootstrap fetched no QEMU: the system's is new enough" >&2; exit 1; }
	$Qrm -rf $B/bundled && mkdir -p $B/bundled/DEBIAN $B/bundled/usr/lib/dstest86/toolchain
	$Qsed 's/@VERSION@/$(VERSION)/' debian/bundled.control >$B/bundled/DEBIAN/control
	$Qcp -a $B/toolchain/debian $B/bundled/usr/lib/dstest86/toolchain/ && install -m 755 $B/qemu-system-x86_64 $B/bundled/usr/lib/dstest86/
	$Qdpkg-deb --root-owner-group -Zxz -z1 -b $B/bundled $B/qemu-ds-bundled.deb >/dev/null && rm -rf $B/bundled
	$(call say,DEB,$B/qemu-ds-bundled.deb)

package-test: deb deb-bundled kernel iso model ##tests the packages, installed on fresh Debians 12 and 13, booted from GRUB's menu, and removed again (as root)
	$Q$(PROVE) $(wildcard tests/packages/*.t)

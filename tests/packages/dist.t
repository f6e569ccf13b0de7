#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# `make dist` writes the same bytes from every clone, and all files have the version of NEWS.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(write_file);
use Test::More;

my $root = realpath("$FindBin::Bin/../..");
my $folder = tempdir(CLEANUP => 1);
delete $ENV{SOURCE_DATE_EPOCH};    # of the make that runs this test

sub run
{
    my ($in, @command) = @_;
    write_file("$folder/in", $in);
    my $said = qx(@command <"$folder/in" 2>&1);
    return ($said, $? >> 8);
}

my ($version) = qx(cat "$root/NEWS") =~ /^## (\S+) \(/m;
my @sums;
for my $umask ('022', '077') {
    my $clone = "$folder/clone$umask";
    my ($said, $status) = run('', "umask $umask && git clone -q '$root' '$clone' && make -s -C '$clone' dist");
    is $status, 0, "make dist in a clone, umask $umask" or diag $said;
    push @sums, qx(sha256sum <"$clone/build/dstest86-$version.tar.gz");
}
like $sums[0], qr/^[0-9a-f]{64} /, 'there is a tarball of that version';
is $sums[1], $sums[0], 'the bytes are the same';
my $tree = "$folder/dstest86-$version";
is system("tar -C '$folder' -xf '$folder/clone022/build/dstest86-$version.tar.gz'"), 0, 'the tarball can be unpacked';
like qx(cat "$tree/debian/changelog"), qr/\Adstest86 \(\Q$version\E\) unstable; urgency=medium\n\n  \* \S/, "Debian's changelog begins with that version";
my ($database) = run('', "make -C '$tree' -pn help");
my $commit = qx(git -C "$root" rev-parse --short=12 HEAD) =~ s/\n//r;
like $database, qr/^VERSION := \Q$version\E$/m, 'a build from it has the version of NEWS';
like $database, qr/^REVISION := $commit$/m, '... the revision of its commit, without git';
like $database, qr/^(?:export )?SOURCE_DATE_EPOCH := \d{10}$/m, "... and the commit's date";

for my $case (['', 'NEWS has no version'], ["News\n\n## 1.0\n", 'NEWS: line 3: expected a version, as in "## 1.2.3 (2026-01-31)", or "- " and what is new: ## 1.0'],
    ["News\n\n## 1.0 (2026-01-31)\n", 'NEWS: no news under 1.0']) {
    my ($said, $status) = run($case->[0], "'$root/debian/make-changelog'");
    isnt $status, 0, "refused: $case->[1]";
    like $said, qr/^make-changelog: \Q$case->[1]\E$/m, '... with the reason';
}
my ($said) = run("News\n\n## 1.1 (2026-01-31)\n\n- one\n- two, which\n  goes on\n\n## 1.0 (2025-12-01)\n- first\n", "'$root/debian/make-changelog'");
is $said =~ s/^ -- .*?>  /BY /mgr, "dstest86 (1.1) unstable; urgency=medium\n\n  * one\n  * two, which goes on\n\nBY Sat, 31 Jan 2026 12:00:00 +0000\n\n"
    . "dstest86 (1.0) unstable; urgency=medium\n\n  * first\n\nBY Mon, 01 Dec 2025 12:00:00 +0000\n\n", 'a changelog';
done_testing;

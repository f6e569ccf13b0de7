#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Each kernel runs on each profile of the model, with all tests and every record, by some line of tests/qemu/cases; and what
# a sample of the lines has.
use strict;
use warnings;
use File::Temp qw(tempfile);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Cases qw(read_cases sample unbooted);
use Model qw(machines);
use Test::More;

my @two = (['core2', 32], ['core2', 64]);

sub named { return join ', ', map { "$_->[1]-bit $_->[0]" } @_ }

# cases(LINE..): the cases that are read from these lines.
sub cases
{
    my ($file, $path) = tempfile(UNLINK => 1);
    print $file map { "$_\n" } @_;
    close $file or die "$path: $!\n";
    return read_cases($path, undef, \@two);
}

is named(unbooted([machines()], read_cases("$FindBin::Bin/cases"))), '', 'each kernel and profile has its line in cases';

# A machine without such a line is reported, whatever other lines boot it.
is named(unbooted(\@two, cases('64 pvh core2 pass records=all ~ # pebs'))), '32-bit core2', 'a width that has no line';
is named(unbooted(\@two, cases('64 uefi core2 pass records=all', '32 pvh core2 pass records=all'))), '', 'any route will do';
for my $line ('64 pvh core2 pass', '64 pvh core2 fail records=all', '64 pvh core2 pass records=all run=bts.*',
    '64 pvh core2 pass records=all skip=lbr.*', '64 pvh core2 pass records=all quirk=no_apic', '64 pvh core2 pass records=all latitude=7', '64 pvh core2 pass records=all cores=E',
    '64 pvh core2 fail records=all fault=bts.threshold.ignored', '64 pvh core2 pass records=all firmware=lvt', '64 pvh core2 pass records=all -- -smp 2',
    '64 pvh skylake pass records=all') {
    is named(unbooted([$two[1]], cases($line))), '64-bit core2', "not by: $line";
}

# A line of the profile * adds one for each profile of this width that has none.
sub lines { return join "\n", map { $_->{name} } @_ }
is lines(cases('64 pvh  *    pass records=all')), '64 pvh core2 pass records=all', 'a line for each machine of this width';
is lines(cases('64 pvh * pass records=all', '64 uefi core2 pass records=all')), '64 uefi core2 pass records=all',
    'none where a later line boots it';
is lines(cases('32 pvh * pass records=all', '64 pvh core2 pass records=all', '32 pvh core2 pass')),
    "32 pvh core2 pass records=all\n64 pvh core2 pass records=all\n32 pvh core2 pass", 'in its place';

# A sample has each route, each verdict and each profile once, and each profile with all tests.
my @few = ('64 pvh none skip', '64 uefi none skip', '64 uefi core2 pass run=x', '64 pvh core2 pass records=all ~ # pebs', '64 pvh nehalem pass records=all ~ # lbr');
my @more = ('64 uefi none skip run=x', '32 pvh core2 pass records=all', '64 pvh nehalem pass', '64 uefi none pass');
is lines(sample(cases(@few, @more))), join("\n", map { s/ ~.*//r } @few[1, 3, 4]), 'a sample: no line for what another has besides';
is lines(sample(cases('64 uefi core2 pass records=all ~ # pebs', '64 pvh core2 pass records=all ~ # pebs', '32 pvh core2 pass', '64 pvh nehalem pass records=all ~ # lbr'))),
    "64 uefi core2 pass records=all\n64 pvh nehalem pass records=all", 'nor a profile twice';
is lines(sample(cases('64 pvh core2 pass records=all ~ # pebs', '64 uefi core2 pass records=all ~ # pebs', '64 uefi core2 pass'))),
    "64 pvh core2 pass records=all\n64 uefi core2 pass", 'of two the one that prints less';
my @sample = sample(cases('64 pvh core2 pass records=all ~ # pebs', '64 uefi nehalem pass records=all ~ # pebs', '64 usb merom pass records=all',
    '64 cd dothan pass run=x records=all ~ # lbr', '64 cd yonah pass records=all ~ # lbr'));
is lines(@sample), "64 pvh core2 pass records=all\n64 uefi nehalem pass\n64 usb merom pass\n64 cd yonah pass records=all", 'all records once for each text';
is join('|', map { $_->{options} . ' ' . ($_->{text} // '-') } @sample), 'records=all # pebs| # pebs| -|records=all # lbr', '... and the text is still wanted';
is lines(sample(cases('64 uefi none error', '64 uefi none refused', '64 uefi none skip run=x', '64 uefi none skip'))),
    "64 uefi none error\n64 uefi none refused\n64 uefi none skip run=x", 'a route is not shown by a machine that comes to no test';
my %sampled = map { ("$_->{route} route" => 1, "$_->{expected} verdict" => 1, "$_->{profile} profile" => 1) } sample(read_cases("$FindBin::Bin/cases"));
my @each = (map({ ($_->{expected} =~ /^(?:error|refused)$/ ? () : "$_->{route} route", "$_->{expected} verdict") } read_cases("$FindBin::Bin/cases")), map { "$_->[0] profile" } machines());
is join(' ', grep { !$sampled{$_} } @each), '', 'of all cases it leaves no route, verdict or profile out';

# `make smoke` boots what it says that it does.
open my $smoke, '<', "$FindBin::Bin/../../scripts/smoke-boots" or die "smoke-boots: $!\n";
my ($pattern) = map { /^exec .* '(.*)'$/ } <$smoke>;
is join(', ', map { "$_->{width} $_->{route} $_->{profile}" } read_cases("$FindBin::Bin/cases", $pattern)),
    '64 cd skylake, 32 pvh netburst, 64 pvh goldencove', 'the boots of make smoke';

ok !eval { cases('64 pvh core2'); 1 }, 'a line without a verdict is refused';
like $@, qr/, line 1: want WIDTH ROUTE PROFILE EXPECTED: 64 pvh core2$/, 'and named';

# A title belongs to the line below it.
my @titled = cases('#! no PIT', '64 pvh core2 pass', '# a comment', '32 pvh core2 pass', '#! a 486', '', '# why', '32 pvh none error ~ i686');
is join('|', map { $_->{title} // '-' } @titled), 'no PIT|-|a 486', 'titles';
ok !eval { cases('#! one', '#! two', '64 pvh core2 pass'); 1 }, 'a title without a line is refused';
like $@, qr/, line 2: no line of a machine is between this title and the one before$/, 'and named';
ok !eval { cases('64 pvh core2 pass', '#! one'); 1 }, 'so is the last one';
like $@, qr/: no line of a machine follows the title one$/, 'and named';

# docs/hostile.md is what `make hostile` writes.
my $hostile = qx('$FindBin::Bin/../../scripts/hostile');
open my $page, '<', "$FindBin::Bin/../../docs/hostile.md" or die "docs/hostile.md: $!\n";
is do { local $/; <$page> }, $hostile, 'docs/hostile.md is up to date: make hostile writes it anew';
cmp_ok scalar(() = $hostile =~ /^\| (?!machine |-)/mg), '>=', 40, 'forty machines at least';
my ($file, $path) = tempfile(UNLINK => 1);
print $file "64 pvh core2 pass\n#! a | b\n32 bios-cd none skip run=x ~ c | d\n";
close $file or die "$path: $!\n";
my $row = '| a \\| b | no model | 32 | BIOS, CD | skip | `c \\| d` |';
like qx('$FindBin::Bin/../../scripts/hostile' '$path'), qr/^Written .* Each of these 1 machines .*\n\Q$row\E\n\nOthers have tests/ms, 'a row';
my $said = qx('$FindBin::Bin/../../scripts/hostile' /dev/null 2>&1);
is "$said$?", "hostile: no line has a title\n65280", 'no row: an error';

done_testing;

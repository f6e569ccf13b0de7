#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Each kernel runs on each profile of the model, with all tests and every record, by some line of tests/qemu/cases.
use strict;
use warnings;
use File::Temp qw(tempfile);
use FindBin;
use lib $FindBin::Bin;
use Cases qw(read_cases unbooted);
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
    '64 pvh core2 pass records=all skip=lbr.*', '64 pvh core2 pass records=all lie=no_apic',
    '64 pvh core2 fail records=all fault=bts.threshold.ignored', '64 pvh core2 pass records=all -- -smp 2',
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

ok !eval { cases('64 pvh core2'); 1 }, 'a line without a verdict is refused';
like $@, qr/, line 1: want WIDTH ROUTE PROFILE EXPECTED: 64 pvh core2$/, 'and named';

done_testing;

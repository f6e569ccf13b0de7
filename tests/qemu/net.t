#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Started by PXE: the loader and its options come from a server, and the log goes there by TFTP, by two starts. Prints TAP.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Network;
use Stick qw(read_file machine);
use Test::More;

my $key = qr/press a key within 30 seconds to run the tests again\r\n/;
my $end = qr/^# end dstest86 .*\r\n/m;
my %files = ('BOOTX64.EFI' => read_file("$FindBin::Bin/../../build/BOOTX64.EFI"), 'dstest86/options.txt' => "run=bts.calls,lbr.*\nlog=stick end=reboot exit=none\n");

my $network = Network->new(boot => 'BOOTX64.EFI', takes => 1, files => {%files});
my ($said, $came) = machine($network, $key, 0, '-r', 'net', '-R', '--', $network->options, qw(-rtc base=2026-01-02T03:04:05));
my %sent = %{ $network->{files} };
delete @sent{ keys %files };
my ($log) = $said =~ /^(# begin dstest86 .*?$end)/ms;
my ($signature) = $said =~ / signature 0x([0-9a-f]{8}) /;
ok($came, 'the machine starts by PXE, restarts, and the loader sends the log') or diag $said;
is(scalar keys %sent, 1, 'one file comes');
my ($name) = keys %sent;
like($name // '', qr/^@{[$signature \/\/ 'x']}-20260102-0304\d\d\.log$/, '... named by signature, date and time');
ok(defined $name && $sent{$name} eq $log, '... which is what came over serial') or diag $log;
like($said, qr{^dstest86: the log of the run before is in tftp://10\.0\.2\.2/\Q@{[$name // 'x']}\E\r$}m, '... and the loader says so');
is(() = $said =~ /^# begin /mg, 1, 'the tests ran once');

done_testing();

#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# tests/bench/wire must be as slow as the line, and say when that is too slow. Only what no machine can be faster in is tested.
use strict;
use warnings;
use FindBin;
use Test::More;

# The exit status and what was printed.
sub wire
{
    my (@arguments) = @_;
    open my $out, '-|', "$FindBin::Bin/wire", @arguments or die "wire.t: wire: $!\n";
    my $text = do { local $/; <$out> } // '';
    close $out;
    return ($? >> 8, $text);
}

my $line = qr/\Alog of (\d+) bytes over (\d+) baud: ([\d.]+) s from power-on to the verdict, (\w+) \(at most (\d+)\)\n\z/;
my ($status, $text) = wire('-B', 4800, '-t', 1, '-p', 'none', '-o', 'run=selftest.verdict.skip');
like($text, $line, 'a slow line');
my ($bytes, $baud, $seconds, $verdict, $most) = $text =~ $line;
is("$baud $verdict $most", '4800 skip 1', '... with its speed, the verdict, and the bound');
cmp_ok($seconds, '>', $bytes / 480 - 0.2, '... takes the time of its bytes');
is($status, 1, '... which is too much');
($status, $text) = wire('-B', 4000000, '-t', 600, '-p', 'none', '-o', 'run=selftest.verdict.skip');
like($text, qr/, skip \(at most 600\)$/, 'a fast line');
is($status, 0, '... is in time');
($status, $text) = wire('-t', 600, '-p', 'none', '-o', 'run=selftest.verdict.skip console=none');
like($text, qr/^log of 0 bytes over 115200 baud: .*, none \(at most 600\)$/, 'no log');
is($status, 1, '... has no verdict');
done_testing;

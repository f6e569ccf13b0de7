#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# End to end: a boot that prints every record as text and dumps it, dsdump's text of the dump, and that of a reader which
# shares no code with either (reader.py), must have the same lines, one by one, symbols included. And the dump must be as
# small as docs/dump.md says. TAP.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Dump qw($build $dsdump elf run_program);
use Model qw(profiles widest_of);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# The lines of records in a log, with the test's name before the first of each test.
sub record_lines
{
    my ($file) = @_;
    my ($test, @lines) = ('');
    open my $in, '<', $file or die "$file: $!\n";
    while (<$in>) {
        s/\r?\n\z//;
        if (/^# test /) {
            $test = $_;
        } elsif (/^# (?:bts|pebs|lbr) (?:\d|stack)/) {
            push @lines, $test if $test;
            push @lines, $_;
            $test = '';
        }
    }
    return \@lines;
}

# Bytes of a log's lines by kind: of the text, and of the dump's frames.
sub bytes_of
{
    my ($file) = @_;
    my (%text, %dump);
    open my $in, '<', $file or die "$file: $!\n";
    while (<$in>) {
        $dump{$1} += length if /^# dsdump\/1 \d+ (bts|pebs|lbr) /;
        $text{$1} += length if /^# (bts|pebs|lbr) (?:\d|stack)/;
    }
    return (\%text, \%dump);
}

# The log of a boot; run_program's way of a status.
sub boot_with_text
{
    my ($file, $width, $profile, $options) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    my $pid = open my $boot, '-|', 'timeout', 300, "$FindBin::Bin/../../scripts/machine", 'boot', '-w', $width, '-p', $profile, '-o',
        "records=all dump=raw $options" or die "boot: $!\n";
    print $out $_ while <$boot>;
    close $out or die "$file: $!\n";
    close $boot;
    return $? >> 8;
}

# At most so much of the bytes of its text is the dump of a kind. Tests of a dozen branches each are a frame's head and
# little else: still they stay below, all together.
my %most = (bts => 1 / 20, pebs => 1 / 5);

for my $profile (profiles()) {
    my $width = widest_of($profile);
    my $name = "$width bits, $profile";
    my $log = "$folder/log";
    is boot_with_text($log, $width, $profile, ''), 33, "$name: the boot passes";
    my ($status, undef, $said) = run_program({ folder => $folder }, $dsdump, "--elf", elf($width), "--text", $log);
    is $said, '', "$name: dsdump has nothing to complain of";
    is $status, 0, "$name: its status";
    my ($want, $got) = (record_lines($log), record_lines("$folder/out"));
    ok @$want > 1000, "$name: " . @$want . ' lines of records';
    is @$got, @$want, "$name: as many of dsdump";
    my ($first) = grep { ($got->[$_] // '') ne $want->[$_] } 0 .. $#$want;
    is defined $first ? $got->[$first] : '', defined $first ? $want->[$first] : '', "$name: each the same";
    my (undef, undef, $failed) = run_program({ folder => $folder }, "$FindBin::Bin/text", elf($width), $log);
    my $second = record_lines("$folder/out");
    is $failed, '', "$name: the second reader reads it";
    is @$second, @$want, "$name: as many of the second reader";
    ($first) = grep { ($second->[$_] // '') ne $want->[$_] } 0 .. $#$want;
    is defined $first ? $second->[$first] : '', defined $first ? $want->[$first] : '', "$name: each the same";
    my ($of_text, $of_dump) = bytes_of($log);
    for my $kind (sort keys %most) {
        next if !$of_text->{$kind};
        ok $of_dump->{$kind} <= $most{$kind} * $of_text->{$kind},
            sprintf "%s: %s: %d bytes of dump are at most 1/%d of %d of text (1/%.0f)", $name, $kind, $of_dump->{$kind},
            1 / $most{$kind}, $of_text->{$kind}, $of_text->{$kind} / $of_dump->{$kind};
    }
}

# A million records through the interrupt service routine, which does not wait for the serial line: none is lost.
for my $run (['long.bts', 'core2', 'bts'], ['long.pebs.taken', 'skylake', 'pebs']) {
    my ($test, $profile, $kind) = @$run;
    is boot_with_text("$folder/log", 64, $profile, "run=$test timeout=300"), 33, "$test: the boot passes";
    open my $in, '<', "$folder/log" or die "$folder/log: $!\n";
    my ($count) = map { /^# count $kind kernel (\d+) / ? $1 : () } <$in>;
    my ($status, $stats, $said) = run_program({ folder => $folder }, $dsdump, '--stats', "$folder/log");
    is $said, '', "$test: dsdump has nothing to complain of";
    like $stats, qr/^$kind \Q$count\E lost 0$/m, "$test: all $count records are in the dump";
    my ($dump) = (bytes_of("$folder/log"))[1];
    note sprintf '%s: %.3f bytes a record', $test, $dump->{$kind} / $count;
}

# Programs without short loops (tests/bench/traces.c), without symbols in the text.
for my $kind (qw(loop sort search machine mix pebs)) {
    -x "$build/traces" or BAIL_OUT("there is no $build/traces, which make tool-test builds");
    system("'$build/traces' $kind 100000 >'$folder/log'") == 0 or die "traces: $?\n";
    my ($status, $text, $said) = run_program({ folder => $folder }, $dsdump, "$folder/log");
    is "$status$said", '0', "traces $kind: read without a complaint";
    my $most = $kind eq 'pebs' ? $most{pebs} : $most{bts};
    my $size = -s "$folder/log";
    ok $size <= $most * length $text, sprintf 'traces %s: %.2f bytes a record, of %.1f of text (1/%.0f)', $kind,
        $size / 100000, length($text) / 100000, length($text) / $size;
}

done_testing;

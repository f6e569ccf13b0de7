#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# On an area that is broken on purpose, GDB's command pebs prints the readable records and reports the problem of the others; ds
# names the field.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Gdb 'gdb';
use Test::More;

my $open = 'hbreak ds_close if processors[0]->open_for';
my ($base, $index, $maximum, $threshold) = map { "(*(unsigned long (*)[12])processors[0]->management_area)[$_]" } 4 .. 7;

# Runs the commands at a stop with records in the buffer; returns their outputs.
sub after
{
    my ($profile, $test, @commands) = @_;
    my ($out, undef, $text) = gdb({ profile => $profile, options => "run=$test", commands => [ $open, 'continue', @commands ] });
    ok(defined $out->[-1], "$profile: GDB runs to its end") or diag $text;
    return map { $_ // '' } @$out[2 .. $#$out];
}

sub records { return join "\n", grep { /^pebs \d/ } split /\n/, $_[0] }
sub wrong { return [ grep { /^(?:wrong|the|there)\b/ } split /\n/, $_[0] ] }
sub field { return $_[0] =~ /^  pebs\.$_[1] +0x0*([0-9a-f]+)/m ? hex $1 : die "no pebs.$_[1] in:\n$_[0]" }

# Records of 200 bytes.
{
    my ($ds, $whole, undef, $part_ds, $part, undef, undef, $grid_ds, $grid, undef, undef, $past_ds, $past, undef, $before_ds, $before,
        undef, undef, undef, $nowhere) = after('skylake', 'pebs.loads', 'ds', 'pebs all',
        "set var $index = $index - 100", 'ds', 'pebs all',
        "set var $index = $index + 100", "set var $threshold = $threshold - 4", 'ds', 'pebs all',
        "set var $threshold = $threshold + 4", "set var $index = $maximum + 200", 'ds', 'pebs all',
        "set var $index = $base - 200", 'ds', 'pebs all',
        "set var $base = 0x7000000000", "set var $index = 0x7000000200", "set var $maximum = 0x7000001000", 'pebs all');
    my ($at, $to, $limit) = map { field($ds, $_) } qw(base index threshold);
    my $count = ($to - $at) / 200;
    my $top = $at + 200 * ($count - 1);
    cmp_ok($count, '>', 1, 'there are records');
    like($whole, qr/^PEBS: $count records:$/m, 'pebs prints their number');
    is_deeply(wrong($whole), [], '... and no problem');

    my $kept = join "\n", grep { !/^pebs ${\($count - 1)} / } split /\n/, records($whole);
    is(records($part), $kept, 'an index in a record: pebs prints the earlier records');
    is_deeply(wrong($part), [ sprintf 'wrong: the record at base + %d: PEBS record truncated; the index is at base + %d', $top - $at, $to - 100 - $at ],
        '... reports the cut record');
    is_deeply(wrong($part_ds), [ sprintf 'wrong: pebs.index 0x%x is not base + k * record', $to - 100 ], '... ds names the field');

    is(records($grid), records($whole), 'a threshold between two records: pebs prints the records');
    is_deeply(wrong($grid_ds), [ sprintf 'wrong: pebs.threshold 0x%x is not base + k * record', $limit - 4 ], '... ds names the field');

    for my $case ([ 'beyond the maximum', $past_ds, $past, field($ds, 'maximum') + 200 ], [ 'before the base', $before_ds, $before, $at - 200 ]) {
        my ($where, $area, $printed, $value) = @$case;
        is($printed, "the PEBS index is outside the buffer: ds says what is wrong\n\n", "an index $where: pebs prints only this");
        is_deeply(wrong($area), [ sprintf 'wrong: pebs.index 0x%x is outside the buffer', $value ], '... ds names the field');
    }
    like($nowhere, qr{^the 512 bytes at 0x7000000000 cannot be read$}m, 'a buffer in unmapped memory');
}

# If the BTS index is inside a record, bts prints the whole records and the problem.
{
    my $bts_index = $index =~ s/\[5\]/[1]/r;
    my ($whole, undef, $odd, undef, $below) = after('skylake', 'pebs.with_bts', 'bts all', "set var $bts_index = $bts_index + 1", 'bts all',
        "set var *(unsigned long *)processors[0]->management_area = $bts_index - 25", 'bts 1');
    my ($count) = $whole =~ /^BTS: (\d+) records:$/m;
    cmp_ok($count, '>', 1, 'there are records');
    is_deeply(wrong($odd), [ sprintf q{wrong: the index is not at a record's end: base + %d; ds says more}, 24 * $count + 1 ], 'a BTS index in a record');
    is(join("\n", grep { /^bts \d/ } split /\n/, $odd), join("\n", grep { /^bts \d/ } split /\n/, $whole), '... the records before it are printed');
    is_deeply(wrong($below), [ q{wrong: the index is not at a record's end: base + 25; ds says more} ], 'a base in a record');
}

# Adaptive records, with their length in bits 63:48 of their first 8 bytes.
{
    my $size = '((unsigned short *)' . $base . ')[3]';
    my ($ds, $whole, undef, $zero, undef, $long, undef, $short) = after('goldencove', 'pebs.loads', 'ds', 'pebs all',
        "set var $size = 0", 'pebs all', "set var $size = 0xfff8", 'pebs all', "set var $size = 24", 'pebs all');
    my $used = field($ds, 'index') - field($ds, 'base');
    like(records($whole), qr/^pebs 1 /m, 'records of varying size');
    for my $case ([ $zero, '0' ], [ $long, 'past the end of the buffer' ], [ $short, 'smaller than the basic group' ]) {
        my ($printed, $what) = @$case;
        is(records($printed), '', "a wrong size: no further record is printed");
        like(join("\n", @{wrong($printed)}), qr/^wrong: the record at base \+ 0: size field of the PEBS record (?:is )?$what; the index is at base \+ $used$/,
            '... the problem is reported');
    }
}
done_testing;

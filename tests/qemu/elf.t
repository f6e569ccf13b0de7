#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The kernels' ELFs as a loader and a debugger see them: segments, page boundaries, headers for loaders, and the kernel's own
# symbol table, which must agree with nm's output.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file run);
use Test::More;

my $build = "$FindBin::Bin/../../build";

sub lines_of { return split /^/, (run(@_))[1] }

for my $width (64, 32) {
    my $elf = "$build/dstest86-$width.elf";
    my $bytes = read_file($elf);
    my (%address, @functions);
    for (lines_of('nm', '-n', $elf)) {
        my ($at, $type, $name) = /^([0-9a-f]+) (\w) (\S+)$/ or next;
        $address{$name} //= hex $at;
        push @functions, [hex $at, $name] if $type =~ /^[tTdDbBrR]$/ && $name !~ /\./ && $name !~ /_(?:start|end|guard|bottom|top)$|^symbol_(?:count|addresses|blocks|names)$/;
    }

    # ---- segments and sections ------------------------------------------------------------------------------------------
    my (@loads, @notes);
    my ($entry) = map { /^Entry point (0x[0-9a-f]+)$/ ? hex $1 : () } lines_of('readelf', '-lW', $elf);
    for (lines_of('readelf', '-lW', $elf)) {
        my ($type, @numbers) = /^ +(LOAD|NOTE) +(0x\w+) (0x\w+) (0x\w+) (0x\w+) (0x\w+) ([R ][W ][E ]) / or next;
        my $flags = pop(@numbers) =~ s/ //gr;
        my ($offset, $virtual, $physical, $in_file, $size) = map { hex } @numbers;
        push @{$type eq 'LOAD' ? \@loads : \@notes}, { flags => $flags, at => $virtual, end => $virtual + $size, same => $virtual == $physical };
    }
    is($entry, $address{entry32}, "$width bits: the entry");
    is(join(' ', map { $_->{flags} } @loads), 'RE R RW R', "$width bits: code, constants, data, symbols: writable memory is not executable");
    is(scalar(grep { !$_->{same} } @loads), 0, "$width bits: linear and physical addresses are equal");
    is(scalar @notes, 1, "$width bits: a segment of notes, for PVH and the build id");
    my ($begin, $end) = ($loads[0]{at}, $loads[-1]{end});
    is($begin, 0x200000, "$width bits: the image begins at 2 MiB");
    cmp_ok($end, '<=', 0x400000, "$width bits: the image ends below 4 MiB");
    my @parts = ([text_start => $loads[0]], [user_end => $loads[0]], [rodata_start => $loads[1]], [data_start => $loads[2]],
        [ds_start => $loads[2]], [stack_top => $loads[2]], [symbols_start => $loads[3]]);
    for (@parts) {
        my ($name, $segment) = @$_;
        ok($address{$name} >= $segment->{at} && $address{$name} <= $segment->{end} + 0xfff, "$width bits: $name is in its segment");
    }
    my @pages = grep { $address{$_} & 0xfff } qw(text_start text_end user_start user_end rodata_start rodata_end data_start data_end
        ds_start ds_end user_data_start user_data_end stack_guard stack_bottom stack_top symbols_start symbols_end image_end);
    is("@pages", '', "$width bits: the parts begin and end on page boundaries");
    is($address{stack_bottom} - $address{stack_guard}, 0x1000, "$width bits: the guard page is one page, next to the stack");
    is($address{stack_top} - $address{stack_bottom}, 0x8000, "$width bits: the stack has 32 KiB");
    is(scalar(grep { $_ & 0x100000 } $address{ds_start}, $address{ds_end} - 1), 0, "$width bits: bit 20 of each address of the DS area is 0");

    # ---- headers for loaders --------------------------------------------------------------------------------------------
    # Multiboot Specification 0.6.96, 3.1.1: on a 4-byte boundary in the first 8192 bytes; Multiboot2 Specification 2.0, 3.1.1: on an
    # 8-byte boundary in the first 32768; the words of each header add up to 0.
    my %magic = (multiboot => [0x1badb002, 3, 4, 8192], multiboot2 => [0xe85250d6, 4, 8, 32768]);
    for my $name ($width == 32 ? ('multiboot', 'multiboot2') : 'multiboot2') {
        my ($magic, $words, $boundary, $within) = @{$magic{$name}};
        my @found;
        for (my $at = 0; $at + 4 * $words <= $within; $at += $boundary) {
            my @header = unpack "V$words", substr $bytes, $at, 4 * $words;
            my $sum = 0;
            $sum += $_ for @header;
            push @found, $at if $header[0] == $magic && !($sum & 0xffffffff);
        }
        is(scalar @found, 1, "$width bits: one header of $name");
    }
    my ($pvh) = map { /Unknown note type: \(0x00000012\)\s+description data: ((?:\w\w )+)/ ? unpack 'V', pack 'H*', $1 =~ s/ //gr : () } lines_of('readelf', '-nW', $elf);
    is($pvh, $address{entry32}, "$width bits: the note of PVH has the entry");

    # ---- symbols --------------------------------------------------------------------------------------------------------
    # A count, the addresses, the offset of every 16th name, and the names.
    my $raw = "$build/symbols-$width.raw";
    system('objcopy', '-O', 'binary', '-j', '.symbols', $elf, $raw) == 0 or die "elf.t: objcopy failed\n";
    my $table = read_file($raw);
    unlink $raw;
    my ($count) = unpack 'V', substr $table, $address{symbol_count} - $address{symbols_start}, 4;
    my @addresses = unpack 'V*', substr $table, $address{symbol_addresses} - $address{symbols_start}, 4 * $count;
    my @blocks = unpack 'V*', substr $table, $address{symbol_blocks} - $address{symbols_start}, $address{symbol_names} - $address{symbol_blocks};
    my @names = unpack "(Z*)$count", my $names = substr $table, $address{symbol_names} - $address{symbols_start};
    my (@own, @starts, %seen);
    my $offset = 0;
    for (0 .. $count - 1) {
        push @own, sprintf '%x %s', $addresses[$_], $names[$_];
        push @starts, $offset if $_ % 16 == 0;
        $offset += length($names[$_]) + 1;
    }
    is("@blocks", "@starts", "$width bits: every 16th name is found by its offset");
    # The kernel's table has one symbol, "tests", for the whole table of tests.
    my @wanted = map { sprintf '%x %s', $_->[0], $_->[0] == $address{tests_start} ? 'tests' : $_->[1] }
        grep { !$seen{$_->[0]}++ && ($_->[0] <= $address{tests_start} || $_->[0] >= $address{tests_end}) } @functions;
    cmp_ok($count, '>', 500, "$width bits: $count symbols");
    my ($first) = grep { $own[$_] ne $wanted[$_] } 0 .. ($#own < $#wanted ? $#own : $#wanted);
    is($count, @wanted, "$width bits: the number of symbols is that of nm");
    is(defined $first ? "$own[$first], must be $wanted[$first]" : '', '', "$width bits: names and addresses are those of nm: one name per address, sorted");
}
done_testing();

#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Every citation of the manual has its number with the edition, as in SDM Vol. 3A (253668-032), and every cited source a title.
use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file);
use Test::More;

my $number = qr/\(\d{6}-\d{3}\)/;
my $break = qr/[\s*#;]+/;    # between words, where a comment may go on in the next line
my $volume = qr/\bSDM${break}Vol\.$break\d[A-D]?+/;
my $untitled = qr/\bseeds? \d{3}\b/;

# The number of citations in a text, and their problems: lines "PATH:LINE: SENTENCE".
sub check
{
    my ($path, $text) = @_;
    my ($count, @wrong) = (0);
    while ($text =~ /($volume(?!$break$number))|($volume)|($untitled)/g) {
        my $line = 1 + substr($text, 0, $-[0]) =~ tr/\n//;
        $count += !defined $3;
        push @wrong, "$path:$line: the manual without its number and edition: $1" if defined $1;
        push @wrong, "$path:$line: a source without a title: $3" if defined $3;
    }
    return ($count, @wrong);
}

is_deeply([check(@$_[0, 1])], [@$_[2 .. $#$_]], "a text: $_->[0]") for
    ['whole.c', "/* SDM Vol. 3B (253669-081), \"Adaptive PEBS\" */\n", 1],
    ['broken.h', "/*\n * SDM Vol. 3B\n * (253669-081), \"Adaptive PEBS\" */\n", 1],
    ['no_number.c', "\n/* SDM Vol. 3B, table 1 */\n", 1, 'no_number.c:2: the manual without its number and edition: SDM Vol. 3B'],
    ['no_edition', "; SDM Vol. 4 (335592), table 2-2\n", 1, 'no_edition:1: the manual without its number and edition: SDM Vol. 4'],
    ['second.md', "SDM Vol. 2D (334569-081)\n\nand SDM Vol. 2A\n", 2,
        'second.md:3: the manual without its number and edition: SDM Vol. 2A'],
    ['script', "#!/bin/sh\n# seeds 000 and 002\n", 0, 'script:2: a source without a title: seeds 000'];

# This tree's handwritten files, except this one, which contains the patterns.
my $top = "$FindBin::Bin/../..";
my ($total, @wrong) = (0);
find({ no_chdir => 1, wanted => sub {
    my $path = s{^\Q$top\E/}{}r;
    $File::Find::prune = 1 if -d && $path =~ m{^(?:build|\.git)$};
    return if !-f || !-T _ || $path eq 'tests/lint/citations.t';
    my ($count, @found) = check($path, read_file("$top/$path"));
    $total += $count;
    push @wrong, @found;
} }, $top);
cmp_ok($total, '>', 100, 'citations of the manual in this tree');
is(join("\n", @wrong), '', 'every citation has its number and edition');
done_testing();

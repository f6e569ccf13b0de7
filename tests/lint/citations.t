#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Every citation of the manual has its number with the edition, as in SDM Vol. 3A (253668-032), so that it can be looked
# up; and nothing cites a source that has no title.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find qw(find);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $number = qr/\(\d{6}-\d{3}\)/;
my $break = qr/[\s*#;]+/;    # between words, where a comment may go on in the next line
my $volume = qr/\bSDM${break}Vol\.$break\d[A-D]?+/;
my $untitled = qr/\bseeds? \d{3}\b/;

# The citations in a text, how many, and what is wrong with them: lines "PATH:LINE: SENTENCE".
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

# The files of a tree that people write, as paths below it.
sub files_of
{
    my ($top) = @_;
    my @files;
    find({ no_chdir => 1, wanted => sub {
        my $path = $File::Find::name =~ s{^\Q$top\E/}{}r;
        $File::Find::prune = 1 if -d && $path =~ m{^(?:build|\.git)$};
        push @files, $path if -f && -T _;
    } }, $top);
    return sort @files;
}

# The count and the wrong ones of a tree. This file has what it looks for in it.
sub survey
{
    my ($top) = @_;
    my ($total, @wrong) = (0);
    for my $path (grep { $_ ne 'tests/lint/citations.t' } files_of($top)) {
        open my $file, '<', "$top/$path" or die "$top/$path: $!\n";
        my ($count, @found) = check($path, do { local $/; <$file> });
        $total += $count;
        push @wrong, @found;
    }
    return ($total, @wrong);
}

my %tree = (
    'room/whole.c' => "/* SDM Vol. 3B (253669-081), \"Adaptive PEBS\" */\n",
    'room/broken.h' => "/*\n * SDM Vol. 3B\n * (253669-081), \"Adaptive PEBS\" */\n",
    'room/no_number.c' => "\n/* SDM Vol. 3B, table 1 */\n",
    'room/no_edition.asm' => "; SDM Vol. 4 (335592), table 2-2\n",
    'docs/second.md' => "SDM Vol. 2D (334569-081)\n\nand SDM Vol. 2A\n",
    'script' => "#!/bin/sh\n# seeds 000 and 002\n",
    'build/made.c' => "/* SDM Vol. 1 */\n");
my $canned = tempdir(CLEANUP => 1);
for my $path (keys %tree) {
    make_path(dirname("$canned/$path"));
    open my $file, '>', "$canned/$path" or die "$canned/$path: $!\n";
    print $file $tree{$path};
    close $file;
}
my ($total, @wrong) = survey($canned);
is($total, 6, 'a small tree: its citations are counted, what was built left out');
is_deeply(\@wrong, [
    'docs/second.md:3: the manual without its number and edition: SDM Vol. 2A',
    'room/no_edition.asm:1: the manual without its number and edition: SDM Vol. 4',
    'room/no_number.c:2: the manual without its number and edition: SDM Vol. 3B',
    'script:2: a source without a title: seeds 000'], 'what is wrong in it is named, and where');

($total, @wrong) = survey("$FindBin::Bin/../..");
cmp_ok($total, '>', 100, 'this tree cites the manual');
is(scalar @wrong, 0, 'each time with its number and edition') or diag(join "\n", @wrong);
done_testing();

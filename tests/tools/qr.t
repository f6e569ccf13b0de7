#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# QR codes as programs of others see them: zbarimg reads those of every version, level and mask, with the longest text of
# each; qrencode draws the same modules, whichever mask it chooses. Prints TAP.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($build run_program);
use Test::More;

my $folder = tempdir(CLEANUP => 1);
my ($quiet, $pixels) = (4, 4);    # of qr_image

# The characters that each version holds, as table 7 of ISO/IEC 18004:2015 has them.
my %holds = (
    'L letters' => [25, 47, 77, 114, 154, 195, 224, 279, 335, 395, 468, 535, 619, 667, 758, 854, 938, 1046, 1153, 1249],
    'M letters' => [20, 38, 61, 90, 122, 154, 178, 221, 262, 311, 366, 419, 483, 528, 600, 656, 734, 816, 909, 970],
    'L bytes'   => [17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858],
    'M bytes'   => [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666]);

# Texts without digits, of which qrencode would make a segment of their own.
my %pattern = (letters => 'DSTEST:QR+CODE.AND-/ZBAR', bytes => 'dstest86 writes, zbarimg reads. ' =~ s/\d//gr);

sub text_of
{
    my ($kind, $length) = @_;
    my $text = $pattern{$kind} x (1 + $length / length $pattern{$kind});
    return substr($text, 0, $length - 1) . ($kind eq 'letters' ? 'Z' : 'z');
}

# Draws codes, each [LEVEL, VERSION, MASK, TEXT], and returns what qr_image says of each.
sub draw
{
    my @codes = @_;
    open my $in, '>', "$folder/codes" or die "$!\n";
    printf $in "%s %s %d %d %s\n", file($_), @{$codes[$_]} for 0 .. $#codes;
    close $in or die "$!\n";
    my @said = `$build/qr_image <$folder/codes`;
    die "qr_image: $?\n" if $? || @said != @codes;
    chomp @said;
    return map { (split ' ', $_, 2)[1] } @said;
}

sub file
{
    return sprintf "$folder/%04d.pgm", $_[0];
}

# What zbarimg reads in the first so many pictures, a text each.
sub read_codes
{
    my ($count) = @_;
    my (undef, $out, undef) = run_program({ folder => $folder }, 'zbarimg', '--nodbus', '--raw', '-q', '-Sdisable',
        '-Sqrcode.enable', map { file($_) } 0 .. $count - 1);
    return split /\n/, $out;
}

sub agree
{
    my ($what, @codes) = @_;
    my @said = draw(@codes);
    is_deeply [grep { $said[$_] !~ /^\d/ } 0 .. $#said], [], "$what: each fits";
    my @read = read_codes(scalar @codes);
    is @read, @codes, "$what: zbarimg reads all " . @codes;
    is_deeply [map { "@{$codes[$_]}[0 .. 2]" } grep { ($read[$_] // '') ne $codes[$_][3] } 0 .. $#codes], [],
        "$what: what was written";
    return @said;
}

for my $kind (qw(letters bytes)) {
    for my $level (qw(L M)) {
        my $most = $holds{"$level $kind"};
        agree("the longest $kind of level $level, with every mask", map { my $version = $_;
            map { [$level, $version, $_, text_of($kind, $most->[$version - 1])] } 0 .. 7 } 1 .. 20);
        agree("the shortest $kind of level $level", map { [$level, $_, 8, $kind eq 'letters' ? 'A' : 'a'] } 1 .. 20);
        my @said = agree("$kind of level $level that have room in no smaller version",
            map { [$level, 0, 8, text_of($kind, 1 + $most->[$_ - 1])] } 1 .. 19);
        is_deeply [map { (split)[0] } @said], [2 .. 20], "$kind of level $level: the smallest version";
        is_deeply [draw([$level, 0, 8, text_of($kind, 1 + $most->[19])], [$level, 7, 8, text_of($kind, 1 + $most->[6])])],
            [('does not fit') x 2], "$kind of level $level: one character too many";
    }
}

# The modules of a picture of qr_image, a row of # and blanks each.
sub modules
{
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    my ($side) = <$in> =~ /^P5 (\d+) \1 255$/ or die "$file: no picture\n";
    local $/;
    my $bytes = <$in>;
    my $count = $side / $pixels - 2 * $quiet;
    return join "\n", map { my $row = ($quiet + $_) * $pixels * $side;
        join '', map { ord substr($bytes, $row + ($quiet + $_) * $pixels, 1) ? ' ' : '#' } 0 .. $count - 1 } 0 .. $count - 1;
}

for my $kind (qw(letters bytes)) {
    for my $level (qw(L M)) {
        my (@differ, $chosen);
        for my $version (1 .. 20) {
            my $text = text_of($kind, $holds{"$level $kind"}[$version - 1] - 3);
            my (undef, $out) = run_program({ folder => $folder }, 'qrencode', '-v', $version, '-l', $level, '-t', 'ASCII',
                '-m', 0, '-o', '-', $text);
            my $theirs = join "\n", map { s/(.)./$1/gr } split /\n/, $out;
            my @said = draw(map { [$level, $version, $_, $text] } 0 .. 8);
            my @same = grep { modules(file($_)) eq $theirs } 0 .. 7;
            push @differ, $version if @same != 1;
            $chosen++ if @same && $said[8] =~ /^\d+ $same[0] /;
        }
        is_deeply \@differ, [], "qrencode draws the same modules: $kind of level $level, all versions";
        cmp_ok $chosen, '>=', 12, "qrencode mostly chooses the same mask ($chosen of 20)";
    }
}

done_testing;

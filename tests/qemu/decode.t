#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Screen.pm reads back what is painted here in the kernel's font, in any scale, place, colour and form of pixels, and refuses
# what is no such screen. No machine is needed.
use strict;
use warnings;
use Encode qw(decode encode);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Screen qw(image_of_file image_of_memory decode_screen);
use Test::More;

my $font = "$FindBin::Bin/../../build/include/font.bin";
open my $file, '<:raw', $font or die "$font: $!; run make kernel\n";
read $file, my $glyphs, 4096;
my $folder = tempdir(CLEANUP => 1);

# VGA's colours, of which the half bright ones have two thirds, brown half of green's, and the bright ones a third more.
my @colours = map { my $of = $_; [map { my $bit = $of & $_ ? 170 : 0; $of == 6 && $_ == 2 ? 85 : $bit + ($of & 8 ? 85 : 0) } 4, 2, 1] } 0 .. 15;

# A page, a list of rows, each a list of [CHARACTER, INK, GROUND]: rows of pixels, each a list of [RED, GREEN, BLUE]. Around it are
# so many black pixels.
sub paint
{
    my ($page, $scale, $left, $top, $right, $bottom) = @_;
    my @rows;
    for my $row (@$page) {
        for my $line (0 .. 15) {
            my @pixels = map {
                my ($character, $ink, $ground) = @$_;
                my $bits = vec $glyphs, 16 * ord(encode('cp437', $character)) + $line, 8;
                map { ($colours[$bits >> $_ & 1 ? $ink : $ground]) x $scale } reverse 0 .. 7;
            } @$row;
            push @rows, map { [($colours[0]) x $left, @pixels, ($colours[0]) x $right] } 1 .. $scale;
        }
    }
    my $black = [($colours[0]) x @{$rows[0]}];
    return [($black) x $top, @rows, ($black) x $bottom];
}

sub image_of
{
    my ($rows) = @_;
    open my $ppm, '>:raw', "$folder/image.ppm" or die "image.ppm: $!\n";
    print $ppm "P6\n" . @{$rows->[0]} . ' ' . @$rows . "\n255\n", map { pack 'C*', map { @$_ } @$_ } @$rows;
    close $ppm or die "image.ppm: $!\n";
    return image_of_file("$folder/image.ppm");
}

# Rows of text in one ink on one ground.
sub page { my ($ink, $ground, @lines) = @_; return [map { [map { [$_, $ink, $ground] } split //] } @lines] }
sub all { my ($what, $rows, $columns) = @_; return [map { [($what) x $columns] } 1 .. $rows] }

# ---- what is painted is read
my @text = ('Hello, (world)! ', ' abc_ijk{|}~XYZ ', '                ');
my @ends = map { s/ +$//r } @text;
my @size = (16, 3);
for (
    ['one pixel a dot', 1, 0, 0, 0, 0, 0, 0],
    ['two', 2, 0, 0, 0, 0, 0, 0],
    ['three, in the middle', 3, 24, 48, 24, 48, 24, 48],
    ['in the middle but for a pixel', 1, 8, 16, 9, 17, 8, 16],
    ['in the middle, by less than a character', 1, 4, 6, 4, 6, 4, 6],
    ['of two rows and a column more', 2, 16, 64, 16, 64, 16, 64]) {
    my ($what, $scale, $left, $top, $right, $bottom, $found_left, $found_top) = @$_;
    my $screen = decode_screen(image_of(paint(page(7, 0, @text), $scale, $left, $top, $right, $bottom)), @size);
    is_deeply($screen, { scale => $scale, left => $found_left, top => $found_top, lines => \@ends, inks => all(7, 3, 16), grounds => all(0, 3, 16) }, $what);
}
my $screen = decode_screen(image_of(paint(page(14, 0, @text), 1, 3, 5, 0, 0)));
is(join('|', @$screen{qw(scale left top)}, map { s/^ +//r } grep { $_ ne '' } @{$screen->{lines}}), "1|3|5|$ends[0]|abc_ijk{|}~XYZ", 'all that is there, from any pixel on');
is($screen->{inks}[0][0], 14, '... in its colour');

# All that the font has, but for the controls, 7FH, and what looks like another: a space or a full block.
my %alike;
my @all = grep { my $of = substr $glyphs, 16 * $_, 16; !$alike{$of}++ } 0x20 .. 0x7e, 0x80 .. 0xff;
my $others = join '', grep { !/[ \x{a0}\x{2588}]/ } map { decode('cp437', chr) } @all;
$others .= ' ' x (-length($others) % 16);
my $shown = [@{page(7, 0, @text)}, @{page(7, 0, $others =~ /.{16}/g)}];
is(join('', map { sprintf '%-16s', $_ } @{decode_screen(image_of(paint($shown, 1, 0, 0, 0, 0)), 16, scalar @$shown)->{lines}}[3 .. $#$shown]), $others,
    'each character of the font');

# ---- colours
# Each ink on each ground, in a corner of a page of text.
my @wrong;
for my $ink (0 .. 15) {
    for my $ground (grep { $_ != $ink } 0 .. 15) {
        my $page = page(7, 0, @text);
        $page->[1][2] = ['R', $ink, $ground];
        my $read = decode_screen(image_of(paint($page, 1, 0, 0, 0, 0)), @size);
        my $got = join ' ', substr($read->{lines}[1], 2, 1), $read->{inks}[1][2], $read->{grounds}[1][2];
        push @wrong, "$got, painted R $ink $ground" if $got ne "R $ink $ground";
    }
}
is("@wrong", '', 'each ink on each ground');
# Each part of each colour may be off by ten.
@wrong = ();
for my $colour (0 .. 15) {
    for my $part (0 .. 2) {
        for my $off (-11, -10, 10, 11) {
            my @rgb = @{$colours[$colour]};
            $rgb[$part] += $off;
            next if $rgb[$part] < 0 || $rgb[$part] > 255;
            my $got = eval { Screen::colour_of(pack 'C3', @rgb) } // 'none';
            push @wrong, "$got: @rgb" if $got ne (abs $off == 10 ? $colour : 'none');
        }
    }
}
is("@wrong", '', 'colours that are a little off');

# Blanks are of their neighbours' ground; alone in their colour they are blocks.
my $filled = page(15, 4, 'ab   cd ', ' x   y  ');
is_deeply(decode_screen(image_of(paint($filled, 1, 0, 0, 0, 0)), 8, 2), { scale => 1, left => 0, top => 0, lines => ['ab   cd', ' x   y'],
        inks => all(15, 2, 8), grounds => all(4, 2, 8) }, 'blanks in a coloured ground');
my $blocks = page(7, 0, "a\x{2588}\x{2588} ", "b\x{2584}\x{2580}\x{2588}");
is_deeply(decode_screen(image_of(paint($blocks, 1, 0, 0, 0, 0)), 4, 2), { scale => 1, left => 0, top => 0, inks => all(7, 2, 4), grounds => all(0, 2, 4),
        lines => ["a\x{2588}\x{2588}", "b\x{2584}\x{2580}\x{2588}"] }, 'blocks');

# ---- forms of pixels
sub memory_of
{
    my ($rows, $bits, $pad, @masks) = @_;
    my $packed = sub {
        my ($pixel) = @_;
        my $value = 0;
        for my $part (0 .. 2) {
            my $lowest = $masks[$part] & -$masks[$part];
            $value |= int($pixel->[$part] * ($masks[$part] / $lowest) / 255 + 0.5) * $lowest;
        }
        return substr pack('V', $value), 0, $bits / 8;
    };
    my $bytes = join '', map { join('', map { $packed->($_) } @$_) . "\xff" x $pad } @$rows;
    return image_of_memory($bytes, columns => scalar @{$rows->[0]}, rows => scalar @$rows, pitch => $pad + @{$rows->[0]} * $bits / 8, pixel_bits => $bits,
        red => $masks[0], green => $masks[1], blue => $masks[2]);
}
my $page = page(12, 1, @text[0, 1]);
for (['32 bits', 32, 0, 0xff0000, 0xff00, 0xff], ['32 bits, red first', 32, 0, 0xff, 0xff00, 0xff0000], ['24 bits and a pitch', 24, 5, 0xff0000, 0xff00, 0xff],
    ['16 bits', 16, 0, 0xf800, 0x7e0, 0x1f], ['15 bits', 16, 4, 0x7c00, 0x3e0, 0x1f]) {
    my ($what, @form) = @$_;
    my $read = decode_screen(memory_of(paint($page, 1, 0, 0, 0, 0), @form), 16, 2);
    is_deeply([@$read{qw(lines inks grounds)}], [[@ends[0, 1]], all(12, 2, 16), all(1, 2, 16)], $what);
}
is_deeply(memory_of([[[255, 128, 0], [8, 0, 255]]], 16, 0, 0xf800, 0x7e0, 0x1f)->{rows}, [pack 'C*', 255, 130, 0, 8, 0, 255], 'parts of a pixel as parts of 255');

# ---- what is no screen of text
sub refuses
{
    my ($what, $complaint, $image, @of) = @_;
    ok(!eval { decode_screen($image, @of); 1 }, "$what: refused");
    like($@, qr/^Screen\.pm: $complaint/, '... and why');
}
my $plain = paint(page(7, 0, @text), 1, 0, 0, 0, 0);
refuses('one colour', 'nothing is shown$', image_of([map { [($colours[4]) x 64] } 1 .. 64]));
refuses('one edge', 'too little is shown to find the scale by the columns$', image_of([map { [($colours[0]) x 32, ($colours[7]) x 32] } 1 .. 64]));
refuses('wide dots', 'pixels of 2 x 1$', image_of([map { my $row = $_; [map { ($_, $_) } @$row] } @$plain]));
refuses('dots at random', 'what is shown is not in the font$',
    image_of([map { my $y = $_; [map { $colours[($_ * $_ * 7 + $y * $y * 3 + $_ * $y * 5) % 11 < 4 ? 7 : 0] } 0 .. 63] } 0 .. 63]));
refuses('no letter, by which its place could be known', 'what is shown is not in the font$', image_of(paint(page(7, 0, '(- . -)', ') - . ('), 1, 0, 0, 0, 0)));
my $third = [map { [@$_] } @$plain];
my ($dot) = grep { "@{$third->[5][$_]}" eq "@{$colours[7]}" } 0 .. 7;
$third->[5][$dot] = $colours[12];
refuses('a character in two inks', 'what is shown is not in the font$', image_of($third));
my $odd = [map { [@$_] } @$plain];
$odd->[20][20] = [120, 120, 40];
refuses('a colour of none', 'a pixel of colour 787828, which is none of the 16$', image_of($odd));
refuses('a page that is too wide', 'a page of 17 is not in the middle of 128 pixels$', image_of($plain), 17, 3);
refuses('a page that is aside', 'a page of 15 is not in the middle of 128 pixels$', image_of($plain), 15, 3);

for (["P5\n1 1\n255\nabc", 'is not a PPM of 8 bits'], ["P6\n1 1\n65535\nabc", 'is not a PPM of 8 bits'], ["P6\n2 1\n255\nabc", 'ends early'],
    ["P6\n1 1\n255\nabcd", 'ends early']) {
    my ($bytes, $complaint) = @$_;
    open my $ppm, '>:raw', "$folder/bad" or die "bad: $!\n";
    print $ppm $bytes;
    close $ppm;
    ok(!eval { image_of_file("$folder/bad"); 1 }, "$complaint: refused");
    is($@, "Screen.pm: $folder/bad $complaint\n", '... and said');
}
ok(!eval { image_of_file("$folder/none"); 1 }, 'no file');
like($@, qr/^Screen\.pm: \S+none: No such file/, '... and said');
done_testing;

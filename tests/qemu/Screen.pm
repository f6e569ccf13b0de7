# SPDX-License-Identifier: MIT
# Reads a screen back into text: the kernel's page from its memory, or an image, in which it finds the kernel's font,
# build/include/font.bin, whatever its scale and origin, without the kernel's way of drawing.
package Screen;
use strict;
use warnings;
use Encode qw(decode);
use Exporter qw(import);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(address_of read_file);

our @EXPORT_OK = qw(cells_of image_of_ppm image_of_memory decode_screen);

my ($glyph_width, $glyph_height) = (8, 16);

# The colours of VGA's text mode, in the order of enum cell_colour of kernel/screen/cells.h.
my @palette = (
    [0, 0, 0], [0, 0, 170], [0, 170, 0], [0, 170, 170], [170, 0, 0], [170, 0, 170], [170, 85, 0], [170, 170, 170],
    [85, 85, 85], [85, 85, 255], [85, 255, 85], [85, 255, 255], [255, 85, 85], [255, 85, 255], [255, 255, 85], [255, 255, 255],
);

# The kernel's page in a running machine's memory (struct cells of kernel/screen/cells.h): its columns and rows, and a string of
# characters with attributes for each row. The width is the kernel's, in bits.
my ($columns_most, $rows_most, %cells_at) = (160, 100);

sub cells_of
{
    my ($machine, $width) = @_;
    my ($columns, $rows, $cells) = unpack 'VVa*', $machine->memory($cells_at{$width} //= address_of($width, 'cells'), 8 + 2 * $columns_most * $rows_most);
    my @lines = unpack "(a@{[2 * $columns_most]})$rows", $cells;
    return ($columns, $rows, [map { substr $_, 0, 2 * $columns } @lines]);
}

# The image of a binary PPM, such as QEMU's screendump writes: its size, and a string of 3 bytes a pixel for each row.
sub image_of_ppm
{
    my ($bytes) = @_;
    my ($width, $height, $pixels) = $bytes =~ /\AP6\s+(\d+)\s+(\d+)\s+255\s(.*)\z/s or die "Screen.pm: not a PPM of 8 bits\n";
    length $pixels == 3 * $width * $height or die "Screen.pm: the PPM ends early\n";
    return { width => $width, height => $height, rows => [unpack "(a@{[3 * $width]})$height", $pixels] };
}

# The image of a frame buffer's bytes. Its form has the fields of struct boot_screen: columns, rows, pitch, pixel_bits, and the
# masks red, green, blue.
sub image_of_memory
{
    my ($bytes, %form) = @_;
    my $size = $form{pixel_bits} / 8;
    my (%seen, %rgb, @rows);
    for my $row (0 .. $form{rows} - 1) {
        my $line = substr $bytes, $row * $form{pitch}, $form{columns} * $size;
        push @rows, $seen{$line} //= join '', map { $rgb{$_} //= rgb_of(unpack('V', "$_\0\0"), %form) } unpack "(a$size)*", $line;
    }
    return { width => $form{columns}, height => $form{rows}, rows => \@rows };
}

sub rgb_of
{
    my ($pixel, %form) = @_;
    return pack 'C3', map { part_of($pixel, $form{$_}) } qw(red green blue);
}

# The bits of a mask, as a fraction of 255.
sub part_of
{
    my ($pixel, $mask) = @_;
    my $lowest = $mask & -$mask;
    return int(($pixel & $mask) / $lowest * 255 / ($mask / $lowest) + 0.5);
}

# Tolerance for a colour: the palette's colours differ by far more, and pixel formats of few bits are exact to 5.
my $tolerance = 10;

sub colour_of
{
    my ($rgb) = @_;
    my @parts = unpack 'C3', $rgb;
    for my $colour (0 .. $#palette) {
        return $colour if !grep { abs($parts[$_] - $palette[$colour][$_]) > $tolerance } 0 .. $#parts;
    }
    die sprintf "Screen.pm: a pixel of colour %02x%02x%02x, which the palette does not have\n", @parts;
}

sub greatest_common
{
    my ($a, $b) = @_;
    ($a, $b) = ($b, $a % $b) while $b;
    return $a;
}

# The image with a letter, A to P, for each pixel's colour. Equal rows are converted once.
sub letters_of
{
    my ($image) = @_;
    my (%seen, %letter);
    return map { $seen{$_} //= join '', map { $letter{$_} //= chr(65 + colour_of($_)) } unpack '(a3)*', $_ } @{$image->{rows}};
}

# From the places where the colour changes along a direction: the size of a font's pixel, and where the pixels begin.
sub grid_of
{
    my ($of, @places) = @_;
    die "Screen.pm: the screen is empty\n" if !@places;
    my $edge = 0;
    $edge = greatest_common($edge, $_ - $places[0]) for @places;
    die "Screen.pm: the screen has too little text to find the scale from the $of\n" if !$edge;
    return ($edge, $places[0] % $edge);
}

# Characters by glyph (16 bytes), without control characters. Of several with the same glyph, the first one: it is ASCII.
my %character_of;

sub read_font
{
    my @glyphs = unpack "(a$glyph_height)256", read_file("$FindBin::Bin/../../build/include/font.bin");
    $character_of{$glyphs[$_]} //= decode('cp437', chr) for 0x21 .. 0xff;
}

# A cell, 16 rows of 8 letters: its character, ink and ground colours; empty if the font has no such glyph.
sub character_of
{
    my (@rows) = @_;
    my %seen = map { $_ => 1 } split //, join '', @rows;
    my @colours = sort keys %seen;
    return (' ', 7, 0) if @colours == 1 && $colours[0] eq 'A';
    return ("\x{2588}", ord($colours[0]) - 65, 0) if @colours == 1;
    return if @colours > 2;
    for my $ground (@colours) {
        my ($ink) = grep { $_ ne $ground } @colours;
        my $glyph = pack '(B8)*', map { my $bits = $_; eval "\$bits =~ tr/$ground$ink/01/"; $bits } @rows;
        return ($character_of{$glyph}, ord($ink) - 65, ord($ground) - 65) if defined $character_of{$glyph};
    }
    return;
}

# All characters of a screen of font pixels with this origin, row by row; empty if the font lacks one.
sub read_cells
{
    my ($known, $left, $top, @dots) = @_;
    my @cells;
    for (my $y = $top; $y + $glyph_height <= @dots; $y += $glyph_height) {
        my @row;
        for (my $x = $left; $x + $glyph_width <= length $dots[0]; $x += $glyph_width) {
            my @cell = map { substr $_, $x, $glyph_width } @dots[$y .. $y + $glyph_height - 1];
            my $read = $known->{"@cell"} //= [character_of(@cell)];
            return if !@$read;
            push @row, $read;
        }
        push @cells, \@row;
    }
    return @cells;
}

# Replaces full blocks in the colour of the adjacent background with blanks.
sub fill_blanks
{
    my ($row) = @_;
    for my $order ([1 .. $#$row], [reverse 0 .. $#$row - 1]) {
        my $step = $order->[0] == 1 ? -1 : 1;
        for my $at (@$order) {
            my ($cell, $beside) = @$row[$at, $at + $step];
            next if $cell->[0] ne "\x{2588}" || $beside->[0] eq "\x{2588}" || $beside->[2] != $cell->[1];
            $row->[$at] = [' ', $beside->[1], $cell->[1]];
        }
    }
}

# The number of whole characters of this size before a centred page of `count` characters; the first whole one is at `first`.
sub margin
{
    my ($count, $size, $first, $whole) = @_;
    return 0 if !defined $count;
    my $before = int(($whole - $count * $size) / 2) - $first;
    die "Screen.pm: a page of $count characters cannot be centred in $whole pixels\n" if $before < 0 || $before % $size;
    return $before / $size;
}

# The text on the screen: {scale, left, top, lines, inks, grounds}. left and top: the pixel where the first whole character
# begins. lines: text, without blanks at the ends; inks and grounds: for each line a list of enum cell_colour. A cell of one
# colour other than black is a blank if the adjacent background has this colour, else a full block. On a larger screen, the
# page of $columns x $rows characters is centred.
sub decode_screen
{
    my ($image, $columns, $rows) = @_;
    read_font() if !%character_of;
    my @letters = letters_of($image);
    my %columns;
    for my $row (keys %{{ map { $_ => 1 } @letters }}) {
        $columns{$-[0] + 1} = 1 while $row =~ /(.)(?!\1|\z)/g;
    }
    my ($wide, $x) = grid_of('columns', sort { $a <=> $b } keys %columns);
    my ($high, $y) = grid_of('rows', grep { $letters[$_] ne $letters[$_ - 1] } 1 .. $#letters);
    die "Screen.pm: pixels of $wide x $high\n" if $wide != $high;

    my @dots;
    for (my $row = $y; $row + $high <= @letters; $row += $high) {
        push @dots, join '', map { substr $letters[$row], $x + $_ * $wide, 1 } 0 .. int((length($letters[0]) - $x) / $wide) - 1;
    }
    my %known;
    for my $top (0 .. $glyph_height - 1) {
        for my $left (0 .. $glyph_width - 1) {
            my @cells = read_cells(\%known, $left, $top, @dots) or next;
            fill_blanks($_) for @cells;
            next if !grep { $_->[0] =~ /\w/ } map { @$_ } @cells;
            my $skip_columns = margin($columns, $glyph_width * $wide, $x + $left * $wide, $image->{width});
            my $skip_rows = margin($rows, $glyph_height * $high, $y + $top * $high, $image->{height});
            $columns //= @{$cells[0]};
            $rows //= @cells;
            @cells = map { [@$_[$skip_columns .. $skip_columns + $columns - 1]] } @cells[$skip_rows .. $skip_rows + $rows - 1];
            return {
                scale => $wide, left => $x + ($left + $glyph_width * $skip_columns) * $wide,
                top => $y + ($top + $glyph_height * $skip_rows) * $high,
                lines => [map { join('', map { $_->[0] } @$_) =~ s/ +$//r } @cells],
                inks => [map { [map { $_->[1] } @$_] } @cells], grounds => [map { [map { $_->[2] } @$_] } @cells],
            };
        }
    }
    die "Screen.pm: the screen has glyphs that the font lacks\n";
}

1;

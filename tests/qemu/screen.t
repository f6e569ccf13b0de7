#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# For every pixel format, the screen's pixels show the kernel's page: each character and each colour. Without a usable screen,
# the log says why, and the run continues.
use strict;
use warnings;
no warnings qw(portable qw);    # addresses above 4 GiB, and QEMU's options, which have commas
use Encode qw(decode);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file);
use Machine;
use Stick qw(copy_stick run_mtools write_file);
use Screen qw(cells_of image_of_ppm image_of_memory decode_screen);

my $seconds = 120;
my $build = "$FindBin::Bin/../../build";
my $folder = tempdir(CLEANUP => 1);
my @run = ('-p', 'none', '-o', 'run=selftest.string exit=none');

# A character's visible form: blocks and blanks are only colours.
sub look
{
    my ($character, $ink, $ground) = @_;
    return "$ground" if $character =~ /[\0\x{a0} ]/ || $ink == $ground;
    return "$ink" if $character eq "\x{2588}";
    return $ground == $ink ? "$ink" : "$ground/$ink" if $character eq "\x{2584}";
    return "$ink/$ground" if $character eq "\x{2580}";
    return "$character $ink on $ground";
}

# Reads the page and its image, as bytes, until both are stable: drawing takes time, and the last pages alternate.
sub page_and_image
{
    my ($machine, $width, $read) = @_;
    my ($columns, $rows, $lines) = cells_of($machine, $width);
    my $image = $read->();
    for (1 .. 20) {
        select undef, undef, undef, 0.1;
        my (undef, undef, $after) = cells_of($machine, $width);
        my $again = $read->();
        return ($columns, $rows, $lines, $image) if "@$lines" eq "@$after" && $image eq $again;
        ($lines, $image) = ($after, $again);
    }
    die "screen.t: the page keeps changing\n";
}

sub shows
{
    my ($name, $shape, $columns, $rows, $lines, $image) = @_;
    is("$columns x $rows", "$shape->{columns} x $shape->{rows}", "$name: characters");
    my $screen = eval { decode_screen($image, @$shape{qw(columns rows)}) } // do { fail("$name: $@"); return };
    is(join(' ', @$screen{qw(scale left top)}), join(' ', @$shape{qw(scale left top)}), "$name: scale, left, top");
    my @wrong;
    for my $row (0 .. $rows - 1) {
        my @page = unpack '(CC)*', $lines->[$row];
        my $line = ($screen->{lines}[$row] // '') . ' ' x $columns;
        for my $column (0 .. $columns - 1) {
            my ($code, $attributes) = splice @page, 0, 2;
            my $want = look(decode('cp437', chr $code), $attributes & 15, $attributes >> 4);
            my $got = look(substr($line, $column, 1), map { $screen->{$_}[$row][$column] // -1 } qw(inks grounds));
            push @wrong, "row $row, column $column: '$got', want '$want'" if $got ne $want;
        }
    }
    is(scalar @wrong, 0, "$name: every character") or diag(join "\n", @wrong[0 .. ($#wrong < 9 ? $#wrong : 9)]);
    like(join("\n", @{$screen->{lines}}), qr/dstest86/, "$name: the page is not empty");
}

# Exactly the frame buffer's pages are write-combining, by entry 1 of the page attribute table (PWT without PCD).
sub combines
{
    my ($name, $machine, $base, $size) = @_;
    my ($first, $last) = map { $_ & ~0xfff } $base, $base + $size - 1;
    my $tables = $machine->command('human-monitor-command', 'command-line' => 'info tlb');
    my %page;
    while ($tables =~ /^[0-9a-f]+: ([0-9a-f]+) ([-XGPDACTUW]+)\r?$/mg) {
        my ($page, $flags) = (hex($1) & ~(1 << 63), $2);    # without PAE's no-execute bit
        my $pages = $flags =~ /P/ ? 512 : 1;
        next if $flags !~ /T/ || $flags =~ /C/;
        $page{$page + 0x1000 * $_} = 1 for 0 .. $pages - 1;
    }
    my @pages = sort { $a <=> $b } keys %page;
    is(sprintf('%x to %x: %u', $pages[0] // 0, $pages[-1] // 0, scalar @pages),
        sprintf('%x to %x: %u', $first, $last, ($last - $first) / 0x1000 + 1), "$name: write-combining pages");
}

# Runs a machine to its end; returns it and its log's lines about the screen.
sub run_machine
{
    my ($name, @arguments) = @_;
    my $machine = Machine->start($seconds, $folder, @run, @arguments);
    my $log = $machine->wait_for(qr/^# end dstest86 .*\n/m);
    like($log, qr/^# end dstest86 verdict=pass /m, "$name: the verdict");
    my ($screen) = $log =~ /^# screen (.*?)\r?$/m;
    return ($machine, $screen // 'nothing', $log);
}

# ---- QEMU's screens, as OVMF and GRUB set them: 32 bits, blue first, unless GRUB is asked for others ---------------------
sub image
{
    my ($mode) = @_;
    my $path = copy_stick("$folder/grub.iso");
    my $configuration = run_mtools($path, 'mtype', '::/dstest86/grub.cfg');
    $configuration =~ s/^set screen=text$/set screen=$mode/m or die "screen.t: grub.cfg sets no screen\n";
    write_file("$folder/grub.cfg", $configuration);
    run_mtools($path, 'mcopy', '-D', 'o', "$folder/grub.cfg", '::/dstest86/grub.cfg');
    return $path;
}

sub shape
{
    my %shape;
    @shape{qw(columns rows scale left top)} = @_;
    return \%shape;
}

my @devices = (
    ['VGA 1024x768', 64, '1024x768 32 bits', shape(128, 48, 1, 0, 0), qw(-r uefi -- -device VGA,xres=1024,yres=768)],
    ['VGA 640x480', 32, '640x480 32 bits', shape(80, 30, 1, 0, 0), qw(-r uefi -w 32 -- -device VGA,xres=640,yres=480)],
    ['1920x1080', 64, '1920x1080 32 bits', shape(120, 33, 2, 0, 12), qw(-r uefi -- -device bochs-display,xres=1920,yres=1080)],
    ['ia32 firmware', 64, '1280x1024 32 bits', shape(80, 32, 2, 0, 0), qw(-r uefi32 -- -device bochs-display,xres=1280,yres=1024)],
    ['ramfb', 64, '800x600 32 bits', shape(100, 37, 1, 0, 4), qw(-r uefi -- -device ramfb)],
    ['VBE 16 bits', 64, '800x600 16 bits', shape(100, 37, 1, 0, 4), '-r', 'bios-cd', '-k', sub { image('800x600x16') }, qw(-- -device VGA)],
    ['VBE 15 bits', 32, '800x600 16 bits', shape(100, 37, 1, 0, 4), qw(-w 32 -r bios-cd -k), sub { image('800x600x15') }, qw(-- -device VGA)],
    ['VBE 24 bits', 64, '1024x768 24 bits', shape(128, 48, 1, 0, 0), '-r', 'bios-cd', '-k', sub { image('1024x768x24') }, qw(-- -device VGA)],
);

for (@devices) {
    my ($name, $width, $form, $shape, @arguments) = @$_;
    my ($machine, $screen) = run_machine($name, map { ref $_ ? $_->() : $_ } @arguments);
    like($screen, qr/^$form at 0x[0-9a-f]+, $shape->{columns}x$shape->{rows} characters$/, "$name: the log");
    my @page = page_and_image($machine, $width, sub { read_file($machine->screendump) });
    shows($name, $shape, @page[0 .. 2], image_of_ppm($page[3]));
    my ($pitch, $rows, $base) = $screen =~ /^(\d+)x(\d+) 32 bits at 0x([0-9a-f]+)/;
    combines($name, $machine, hex $base, 4 * $pitch * $rows) if $base;
    $machine->stop;
}

# ---- VGA's text mode, with the device's font: its memory is the page, and different characters have different pixels ------
sub tells_apart
{
    my ($name, $lines, $image) = @_;
    is("$image->{width} x $image->{height}", '720 x 400', "$name: pixels");
    my (%look_of, @differ);
    for my $row (0 .. 24) {
        for my $column (0 .. 79) {
            my $cell = substr $lines->[$row], 2 * $column, 2;
            my $look = join '', map { substr $_, 27 * $column, 27 } @{$image->{rows}}[16 * $row .. 16 * $row + 15];
            push @differ, "row $row, column $column" if ($look_of{$cell} //= $look) ne $look;
        }
    }
    is("@differ", '', "$name: equal characters look alike");
    my %seen;
    $seen{$look_of{$_}}++ for grep { /[!-~]\x07/ } keys %look_of;
    ok(!(grep { $_ > 1 } values %seen) && keys %seen > 10, "$name: different characters look different");
}

for (['GRUB', 64, qw(-r bios-cd)], ['GRUB, 32 bits', 32, qw(-r bios-usb -w 32)], ['PVH', 64], ['PVH, 32 bits', 32, qw(-w 32)]) {
    my ($name, $width, @arguments) = @$_;
    my ($machine, $screen) = run_machine($name, @arguments, qw(-- -device VGA));
    is($screen, 'VGA text at 0xb8000, 80x25 characters', "$name: the log");
    my ($columns, $rows, $lines, $image) = page_and_image($machine, $width, sub { read_file($machine->screendump) });
    is("$columns x $rows", '80 x 25', "$name: characters");
    is($machine->memory(0xb8000, 4000), join('', @$lines), "$name: VGA's memory is the page");
    tells_apart($name, $lines, image_of_ppm($image));
    $machine->stop;
}

# ---- screens that QEMU lacks, made by tests/qemu/gop.c ----------------------------------------------------------------------
# The expected geometry, or why the kernel must not use the screen (test_display.c and test_pixels.c have all reasons). Frame
# buffer address 0: any free memory.
my %high = (pixel_bits => 16, red => 0xf800, green => 0x07e0, blue => 0x001f);
my %rgbx = (pixel_bits => 32, red => 0xff, green => 0xff00, blue => 0xff0000);
my @firmware = (
    ['RGBX in long lines', 64, '0 400 300 410 0', shape(128, 48, 1, 0, 0), { columns => 1024, rows => 768, pitch => 4160, %rgbx }],
    ['4K', 64, '0 f00 870 f00 0', shape(96, 27, 5, 0, 0), { columns => 3840, rows => 2160, pitch => 15360, %rgbx }, '-m', 512],
    ['portrait 1200x1920', 32, '0 4b0 780 4b0 0 width=32', shape(150, 100, 1, 0, 160), { columns => 1200, rows => 1920, pitch => 4800, %rgbx }],
    ['masks 5:6:5', 64, '2:f800:7e0:1f:0 320 1e0 333 0', shape(100, 30, 1, 0, 0), { columns => 800, rows => 480, pitch => 1638, %high }],
    [
        'masks of 10 bits', 64, '2:3ff00000:ffc00:3ff:0 400 300 400 0', shape(128, 48, 1, 0, 0),
        { columns => 1024, rows => 768, pitch => 4096, pixel_bits => 32, red => 0x3ff00000, green => 0xffc00, blue => 0x3ff },
    ],
    [
        'masks of 3 bytes', 32, '2:ff:ff00:ff0000:0 284 191 285 0 width=32', shape(80, 25, 1, 2, 0),
        { columns => 644, rows => 401, pitch => 1935, pixel_bits => 24, red => 0xff, green => 0xff00, blue => 0xff0000 },
    ],
    ['above 4 GiB', 64, '0 400 300 410 110000000', shape(128, 48, 1, 0, 0), { columns => 1024, rows => 768, pitch => 4160, %rgbx }, '-m', '3G'],
    [
        'above 4 GiB, PAE', 32, '0 400 300 410 110123000 width=32', shape(128, 48, 1, 0, 0),
        { columns => 1024, rows => 768, pitch => 4160, %rgbx }, '-m', '3G',
    ],
    ['above 4 GiB, 32-bit paging', 32, '0 400 300 410 110000000 width=32 paging=legacy', 'none: the frame buffer at 0x110000000 is out of this kernel\'s reach', undef, '-m', '3G'],
    ['in free memory', 64, '0 400 300 410 2000001', 'none: 1024x768 32 bits at 0x2000000: it is in memory that the firmware reports as free'],
    [
        'BltOnly', 64, '3 400 300 400 0', 'none: the firmware\'s screen has no frame buffer (PixelBltOnly)',
        'the screen has no frame buffer (PixelBltOnly)',
    ],
);

for (@firmware) {
    my ($name, $width, $options, $want, $form, @qemu) = @$_;
    my ($machine, $screen, $log) = run_machine(
        $name, qw(-r uefi --), '-kernel', "$build/gop.efi", '-fw_cfg', "name=opt/dstest86/loader,file=$build/BOOTX64.EFI", @qemu,
        '-append', "$options $run[-1]",
    );
    if (ref $want eq 'HASH') {
        my ($base) = $screen =~ /^$form->{columns}x$form->{rows} $form->{pixel_bits} bits at 0x([0-9a-f]+), $want->{columns}x$want->{rows} characters$/;
        ok($base, "$name: the log") or diag($screen);
        my @page = page_and_image($machine, $width, sub { $machine->memory(hex($base // 0), $form->{rows} * $form->{pitch}) });
        shows($name, $want, @page[0 .. 2], image_of_memory($page[3], %$form));
        combines($name, $machine, hex($base // 0), $form->{rows} * $form->{pitch});
    } else {
        is($screen, $want, "$name: the log");
        like($log, qr/^dstest86: \Q$form\E: the kernel cannot show its page\r?$/m, "$name: the firmware's console") if $form;
    }
    $machine->stop;
}

# ---- no screen at all -----------------------------------------------------------------------------------------------------
my ($machine, $screen, $log) = run_machine('no GOP', qw(-r uefi));
is($screen, 'none: the firmware has no screen (no Graphics Output Protocol)', 'no GOP: the log');
like($log, qr/^dstest86: no screen \(no Graphics Output Protocol\): the kernel cannot show its page\r?$/m,
    'no GOP: the firmware\'s console');
$machine->stop;
($machine, $screen) = run_machine('no VGA');
is($screen, 'none: the loader reports no screen, and there is no VGA in text mode', 'no VGA: the log');
$machine->stop;
done_testing;

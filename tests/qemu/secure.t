#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# What strict firmware and shim require of the loaders' headers and sections; `make sign`; Secure Boot with the signed and the
# unsigned image.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use File::Temp qw(tempdir);
use Files qw(boot_until read_file run write_file);
use Test::More;

my $root = "$FindBin::Bin/../..";
my $build = "$root/build";
my $work = tempdir(CLEANUP => 1);

# The header of a PE file, and its sections: Microsoft, "PE Format", "Optional Header" and "Section Table".
sub read_pe
{
    my ($image) = @_;
    my $header = unpack 'x60 V', $image;
    my ($signature, $machine, $count, $size) = unpack "x$header a4 v v x12 v", $image;
    my $optional = $header + 24;
    my %pe = (signature => $signature, machine => $machine);
    @pe{qw(magic section_alignment file_alignment image_size checksum subsystem flags)} = map { unpack "x$optional $_", $image }
        'v', 'x32 V', 'x36 V', 'x56 V', 'x64 V', 'x68 v', 'x70 v';
    for my $i (0 .. $count - 1) {
        my $at = $optional + $size + 40 * $i;
        my ($name, $length, $address, $raw, $offset, $flags) = unpack "x$at Z8 V4 x12 V", $image;
        push @{$pe{sections}}, { name => $name, length => $length, address => $address, raw => $raw, offset => $offset, flags => $flags };
    }
    # The sum of the words, without the field, and the length.
    my $zeroed = $image;
    substr $zeroed, $optional + 64, 4, "\0" x 4;
    my $sum = 0;
    $sum += $_ for unpack 'v*', $zeroed . (length($zeroed) % 2 ? "\0" : '');
    $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
    $pe{sum} = $sum + length $image;
    return \%pe;
}

my ($version) = read_file("$root/NEWS") =~ /^## ([0-9.]+) /m;
for (['BOOTX64.EFI', 0x8664, 0x20b], ['BOOTIA32.EFI', 0x14c, 0x10b]) {
    my ($name, $machine, $magic) = @$_;
    my $image = read_file("$build/$name");
    my $pe = read_pe($image);
    is_deeply([@$pe{qw(signature machine magic subsystem)}], ["PE\0\0", $machine, $magic, 10], "$name is an EFI application");
    is($pe->{flags}, 0x100, 'NX_COMPAT, and no other flag');
    is($pe->{checksum}, $pe->{sum}, 'the checksum is right');
    is($pe->{section_alignment}, 4096, 'sections are aligned to pages');
    my @sections = @{$pe->{sections}};
    is_deeply([map { $_->{name} } grep { $_->{address} % 4096 || !$_->{length} } @sections], [], '... each');
    is_deeply([map { $_->{name} } grep { $_->{flags} & 0x80000000 && $_->{flags} & 0x20000000 } @sections], [],
        'no section is writable and executable');
    is_deeply([map { $_->{name} } grep { $_->{flags} & 0x20000000 } @sections], ['.text'], 'only .text is executable');
    my @shared = grep { $sections[$_]{address} < $sections[$_ - 1]{address} + $sections[$_ - 1]{length} } 1 .. $#sections;
    is_deeply(\@shared, [], 'no two sections share a page');
    my ($last) = $sections[-1];
    is($pe->{image_size}, ($last->{address} + $last->{length} + 4095) & ~4095, 'the image ends with the last section');
    my ($sbat) = grep { $_->{name} eq '.sbat' } @sections;
    is(substr($image, $sbat->{offset}, $sbat->{length}), <<"SBAT", '.sbat has the generation number');
sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md
dstest86,1,dstest86,dstest86,$version,docs/booting.md
SBAT
}

# Runs a program; returns its exit status and output.
sub says
{
    my ($status, @said) = run(@_);
    return [$status, join '', @said];
}

my $text = "$work/text";
write_file($text, 'MZ' . 'x' x 100);
is_deeply(says("$root/boot/nx-compat", $text), [1, "nx-compat: $text: not a PE file\n"], 'nx-compat refuses a file that is not PE');
is(read_file($text), 'MZ' . 'x' x 100, '... and leaves it unchanged');

SKIP: {
    my ($key, $certificate) = map { "$build/toolchain/ovmf/snakeoil.$_" } qw(key pem);
    skip 'no OVMF with Secure Boot here, which Debian 13 has', 1 if !-e $key;
    my $sign = sub { my ($password, @files) = @_; local $ENV{password} = $password; says("$root/boot/sign", @files, $build, "$work/signed") };

    my $none = "$work/none.pem";
    is_deeply($sign->('', '', ''), [1, "sign: give the key and its certificate: make sign key=FILE cert=FILE\n"], 'no key');
    is_deeply($sign->('', $key, ''), [1, "sign: give the key and its certificate: make sign key=FILE cert=FILE\n"], 'no certificate');
    is_deeply($sign->('', $key, $none), [1, "sign: $none: no such file, or not readable\n"], 'a missing certificate file');
    is_deeply($sign->('wrong', $key, $certificate), [1, "sign: $key: not a private key in PEM, or password= is not its password\n"],
        'a wrong password is refused');
    is_deeply($sign->('snakeoil', $key, $key), [1, "sign: $key: not a certificate in PEM\n"], 'a file that is not a certificate is refused');
    says('openssl', qw(req -x509 -newkey rsa:2048 -nodes -subj /CN=other -keyout), "$work/other.key", '-out', "$work/other.pem");
    is_deeply($sign->('', "$work/other.key", $certificate), [1, "sign: $certificate: does not belong to the key $work/other.key\n"],
        'a certificate of another key is refused');
    {
        mkdir "$work/path";
        for my $tool (qw(dirname bash sed realpath env)) {
            my ($path) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
            symlink $path, "$work/path/$tool";
        }
        local $ENV{PATH} = "$work/path";
        is_deeply($sign->('snakeoil', $key, $certificate),
            [1, "sign: sbsign is missing; run ./bootstrap, or install packages sbsigntool and openssl\n"], 'no sbsign');
    }
    ok(!-e "$work/signed", 'errors leave no output');

    local $ENV{SOURCE_DATE_EPOCH} = 0;
    is_deeply($sign->('snakeoil', $key, $certificate), [0, ''], 'the right key signs');
    for my $name (qw(BOOTX64.EFI BOOTIA32.EFI)) {
        is_deeply(says('sbverify', '--cert', $certificate, "$work/signed/$name"), [0, "Signature verification OK\n"], "$name is signed");
        isnt(says('sbverify', '--cert', "$work/other.pem", "$work/signed/$name")->[0], 0, '... only by this certificate');
    }
    my $image = "$work/signed/dstest86.iso";
    my $start = 512 * unpack 'x1184 Q<', read_file($image);
    says('mcopy', '-i', "$image\@\@$start", map({ "::/$_" } 'EFI/BOOT/BOOTX64.EFI', 'EFI/BOOT/BOOTIA32.EFI', 'dstest86/signer.cer'), $work);
    for my $name (qw(BOOTX64.EFI BOOTIA32.EFI)) {
        is(read_file("$work/$name") eq read_file("$work/signed/$name"), 1, "the image has the signed $name");
    }
    says('openssl', qw(x509 -inform DER -in), "$work/signer.cer", '-out', "$work/signer.pem");
    cmp_ok(index(read_file($certificate), read_file("$work/signer.pem")), '>=', 0, 'the image has the certificate, for firmware to enrol');
    cmp_ok(-s $image, '<', 8_000_000, 'the signed image has less than 8 MB');

    # A machine's output until its end.
    my $boot = sub { (boot_until(qr/^# end dstest86 .*\n|No bootable option|no kernel started/m, '-p', 'none', @_))[0] =~ s/\r//gr };
    for my $route (qw(secure-cd secure-usb)) {
        like($boot->('-r', $route, '-k', $image, '-o', 'run=ds.area.*'), qr/^# boot route uefi x64, .*^# end dstest86 verdict=skip /ms,
            "$route: Secure Boot starts the signed image, whose options were edited");
        my $log = $boot->('-r', $route);
        like($log, qr/Access Denied/, "$route: Secure Boot refuses the unsigned image");
        unlike($log, qr/dstest86/, '... and runs none of it');
    }
    for (['usb', 'x64', 'without Secure Boot'], ['usb32', 'ia32', 'with ia32 firmware'], ['bios-usb', '', 'with BIOS']) {
        my ($route, $firmware, $where) = @$_;
        my $started = $firmware && qr/^# boot route uefi $firmware, .*/ms;
        like($boot->('-r', $route, '-k', $image, '-o', 'run=ds.area.*'), qr/$started^# end dstest86 verdict=skip /ms,
            "the signed image starts $where");
    }
    for my $route (qw(nx nx32)) {
        like($boot->('-r', $route, '-o', 'run=ds.area.*'), qr/^# boot route uefi .*^# end dstest86 verdict=skip /ms,
            "$route: firmware that forbids execution of data starts the loader and the kernel");
    }
}
done_testing();

#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# The menus of the UEFI loader and of GRUB, booted from a stick's image: the default without a key, and what each key chooses.
# Keys are pressed when the serial port has shown the question. The menu's timeout is longer than by default, for busy hosts.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use File::Temp qw(tempdir);
use IO::Socket::UNIX;
use Files qw(boot_until read_file);
use Test::More;
use Time::HiRes qw(sleep);

my $folder = tempdir(CLEANUP => 1);
my %name = (' ' => 'spc', "\n" => 'ret', '.' => 'dot', '*' => 'shift-8', '=' => 'equal', "\e" => 'esc');

# Presses keys by QEMU's monitor.
sub press
{
    my ($socket, $text) = @_;
    my $monitor = IO::Socket::UNIX->new(Peer => $socket) or die "$socket: $!\n";
    for my $key (map { $name{$_} // $_ } split //, $text) {
        print $monitor "sendkey $key\n";
        sleep 0.2;    # QEMU holds a key down for 0.1 seconds
    }
    close $monitor;
}

# Boots the image on a route. For each pair TEXT => KEYS, waits for TEXT and presses KEYS (with the menu's timeout at a minute).
# Returns the output up to the verdict.
sub boot
{
    my ($route, @steps) = @_;
    my $socket = "$folder/monitor";
    unlink $socket;
    my $from = 0;
    my $until = sub {
        my ($log) = @_;
        while (@steps && (my $at = index $log, $steps[0], $from) >= 0) {
            $from = $at + length $steps[0];
            press($socket, $steps[1]);
            splice @steps, 0, 2;
        }
        return $log =~ /# end dstest86 .*\n/;
    };
    my @menu = @steps ? ('-o', 'menu=60') : ();
    my ($log) = boot_until($until, '-r', $route, '-p', 'none', @menu, '--', '-monitor', "unix:$socket,server,nowait");
    return $log =~ s/\r//gr;
}

# The number of tests that ran, by area.
sub areas
{
    my ($log) = @_;
    my %count;
    $count{$1}++ while $log =~ /^(?:not )?ok \d+ ([a-z]+)\./mg;
    return \%count;
}

my ($of_loader, $of_grub) = map { read_file("$FindBin::Bin/../../boot/$_") } 'uefi/menu.c', 'grub.cfg';
is_deeply([$of_grub =~ /start (\w+=.*)/g], [$of_loader =~ /"(\w+=\w.*?)" }/g], 'keys 2, 3 and 4 add the same options on BIOS as on UEFI');

my $all = areas(boot('usb'));
cmp_ok($all->{bts}, '>', 30, 'UEFI, no key: all tests of BTS run');
cmp_ok($all->{pebs}, '>', 60, '... and of PEBS');
is($all->{measure}, undef, '... but not the measurements, which are on request');
is_deeply(areas(boot('bios-usb')), $all, 'BIOS, no key: the same');

my $quick = { detect => 8, pmi => 2, ds => 2, bts => 2, lbr => 2, pebs => 6, perfmon => 2, robust => 1 };
is_deeply(areas(boot(usb32 => 'starts in 60 s' => '2')), $quick, 'UEFI of 32 bits, key 2: the quick tests');
for ([usb => 'starts in 60 s'], ['bios-usb' => 'automatically in 60s']) {
    my ($route, $shown) = @$_;
    is_deeply(areas(boot($route, $shown => '2')), $quick, "$route, key 2: the quick tests");
    my $log = boot($route, $shown => '3');
    is_deeply([keys %{areas($log)}], ['measure'], "$route, key 3: the measurements");
    my $kept = $route =~ /bios/ ? 'not kept: only the UEFI loader can keep it' : 'kept in \d+ KiB';
    like(boot($route, $shown => '4'), qr/^# log $kept/m, "$route, key 4: the log for the stick");
    $log = boot($route, $shown => '5', 'ptions: ' => " run=ds.area.*\n");
    is_deeply(areas($log), { ds => 3 }, "$route, key 5: the typed options");
    $log = boot($route, $shown => '6', $route =~ /bios/ ? ('Width: ' => "32\n", ' 6  width' => '2') : ('32 bits' => '2'));
    like($log, qr/^# begin dstest86 \S+ \S+ 32$/m, "$route, key 6: the other kernel");
    is_deeply(areas($log), $quick, '... with the tests chosen next');
}
done_testing();

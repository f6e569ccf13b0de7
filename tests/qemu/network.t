#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Network.pm answers a machine as RFC 826, 2131, 1350 and 2347 to 2349 have it: frames are sent to it whose answers are known. No
# machine is needed.
use strict;
use warnings;
use FindBin;
use IO::Socket::INET;
use IO::Select;
use Socket qw(MSG_DONTWAIT);
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Network;
use Test::More;

my $big = join '', map { chr($_ % 251) } 1 .. 1500;
my %options = (boot => 'BOOT.EFI', files => { 'BOOT.EFI' => $big, 'exact' => 'x' x 512, 'empty' => '' });
my $network = Network->new(%options, files => { %{$options{files}} }, takes => 1);
my ($device) = join(' ', $network->options) =~ /^-netdev socket,id=net,udp=127\.0\.0\.1:(\d+),localaddr=127\.0\.0\.1:(\d+) -device virtio-net-pci,netdev=net,romfile=,bootindex=0$/
    or die "options: @{[$network->options]}\n";
my $machine = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1', LocalPort => $2, PeerAddr => '127.0.0.1', PeerPort => $1) or die "socket: $!\n";
my $select = IO::Select->new($machine);

my ($ours, $servers) = map { pack 'H*', $_ } '525400123456', '525400000002';
my ($our_ip, $server_ip) = (pack('C4', 10, 0, 2, 15), pack 'C4', 10, 0, 2, 2);

# The answers to frames, all that come.
sub asked
{
    my (@frames) = @_;
    $machine->send($_) for @frames;
    $network->serve;
    my @answers;
    while ($select->can_read(0)) {
        $machine->recv(my $answer, 65536);
        push @answers, $answer;
    }
    return @answers;
}

sub hex_of { return join ' ', map { unpack 'H*', $_ } @_ }

# ---- ARP
sub arp { my ($operation, $whose, $type) = @_; return "\xff" x 6 . $ours . pack('n n n C C n', $type // 0x806, 1, 0x800, 6, 4, $operation) . $ours . $our_ip . "\0" x 6 . $whose }
is(hex_of(asked(arp(1, $server_ip))), hex_of($ours . $servers . pack('n n n C C n', 0x806, 1, 0x800, 6, 4, 2) . $servers . $server_ip . $ours . $our_ip),
    'who has the address of the server');
my $stranger = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1', PeerAddr => '127.0.0.1', PeerPort => $machine->peerport) or die "socket: $!\n";
$stranger->send(arp(1, $server_ip));
$network->serve;
ok(!defined $stranger->recv(my $said, 100, MSG_DONTWAIT), 'a stranger is not answered');
is(hex_of(asked(arp(1, $our_ip), arp(2, $server_ip), arp(1, $server_ip, 0x8035))), '', 'no other question');

# ---- UDP
# A frame; in its header are so many words of options.
sub udp
{
    my ($from_port, $to_port, $bytes, %is) = @_;
    my $words = 5 + ($is{words} // 0);
    my $ip = pack('CCnnnCCn', 0x40 + $words, 0, 4 * $words + 8 + length $bytes, 0, 0, 64, $is{protocol} // 17, 0) . ($is{from} // $our_ip) . $server_ip . "\1" x (4 * $words - 20);
    return $servers . $ours . pack('n', $is{type} // 0x800) . $ip . pack('n4', $from_port, $to_port, 8 + length $bytes, 0) . $bytes . ($is{padding} // '');
}

# What a frame is, and whether its lengths and the header's sum are right.
sub heard
{
    my ($frame) = @_;
    return 'nothing' if !defined $frame;
    my ($to, $from, $type, $ip) = unpack 'a6 a6 n a*', $frame;
    my ($version, $length, $fragments, $ttl, $protocol, $from_ip, $to_ip, $from_port, $to_port, $udp_length, $sum, $bytes) =
        unpack 'n n N C C x2 a4 a4 n n n n a*', $ip;
    my $words = 0;
    $words += $_ for unpack 'n10', $ip;
    $words = ($words & 0xffff) + ($words >> 16) while $words >> 16;
    my $right = $type == 0x800 && $version == 0x4500 && $length == length $ip && $protocol == 17 && $fragments == 0 && $ttl == 64 && $words == 0xffff &&
        $udp_length == 8 + length $bytes && $sum == 0 && $from eq $servers && $from_ip eq $server_ip;
    return { right => $right ? 1 : 0, to => $to, ip => $to_ip, from_port => $from_port, port => $to_port, bytes => $bytes };
}

# ---- DHCP
sub dhcp { my ($kind, $cookie) = @_; return pack('C4 a4 n n x16 a16 x192 N', 1, 1, 6, 0, 'abcd', 0, 0x8000, $ours, $cookie // 0x63825363) . "\x35\x01$kind\xff" }
for (["\1", 2, 'an offer for a question'], ["\3", 5, 'a promise for a wish']) {
    my ($kind, $answers, $what) = @$_;
    my ($frame, @more) = asked(udp(68, 67, dhcp($kind), from => "\0" x 4));
    my $said = heard($frame);
    is_deeply({ %$said, bytes => '' }, { right => 1, to => "\xff" x 6, ip => "\xff" x 4, from_port => 67, port => 68, bytes => '' }, "$what, to all");
    is(scalar @more, 0, '... once');
    my ($operation, $type, $length, $hops, $transaction, $seconds, $flags, $yours, $next, $hardware, $boot, $cookie, $rest) =
        unpack 'C C C C a4 n n x4 a4 a4 x4 a16 x64 Z128 N a*', $said->{bytes};
    is_deeply([$operation, $type, $length, $hops, $transaction, $seconds, $flags, $yours, $next, $hardware, $boot, $cookie],
        [2, 1, 6, 0, 'abcd', 0, 0x8000, $our_ip, $server_ip, $ours . "\0" x 10, 'BOOT.EFI', 0x63825363], '... with an address and a file to boot');
    my %option;
    while ($rest =~ s/^([^\xff])//s) {
        my ($option, $size) = (ord $1, unpack 'C', $rest);
        $option{$option} = hex_of(substr $rest, 1, $size);
        substr $rest, 0, 1 + $size, '';
    }
    is_deeply(\%option, { 53 => sprintf('%02x', $answers), 54 => '0a000202', 1 => 'ffffff00', 51 => '00015180' }, '... and options');
    cmp_ok(length $said->{bytes}, '>=', 300, "... of BOOTP's least length");
}
is(scalar asked(udp(68, 67, dhcp("\2")), udp(68, 67, dhcp("\1"), protocol => 6), udp(68, 67, dhcp("\1"), type => 0x86dd), udp(68, 66, dhcp("\1"))), 0,
    'no answer to an offer, to TCP, to IPv6 or at another port');

# ---- TFTP
# A request or an answer to what was served; the answer: "PORT: KIND NUMBER BYTES" each.
sub tftp
{
    my ($port, $bytes, %is) = @_;
    return join ' | ', map {
        my $said = heard($_);
        my ($kind, $number, $rest) = unpack 'n n a*', $said->{bytes};
        my $text = $kind == 6 ? substr($said->{bytes}, 2) =~ s/\0/;/gr : $kind == 3 ? length $rest : $rest =~ s/\0/;/gr;
        $number = '-' if $kind == 6;
        $said->{right} && $said->{to} eq $ours && $said->{ip} eq $our_ip && $said->{port} == 1234 ? "$said->{from_port}: $kind $number $text" : 'wrong';
    } asked(udp(1234, $port, $bytes, %is));
}
sub request { my ($kind, @words) = @_; return pack('n', $kind) . join '', map { "$_\0" } @words }
sub ack { return pack 'n n', 4, $_[0] }
sub data { return pack 'n n a*', 3, @_ }

is(tftp(69, request(1, 'BOOT.EFI', 'octet')), '2001: 3 1 512', 'a file by blocks');
my ($frame) = asked(udp(1234, 2001, ack(0)));
is(heard($frame)->{bytes}, pack('n n', 3, 1) . substr($big, 0, 512), '... the first one again');
($frame) = asked(udp(1234, 2001, ack(2), words => 3));
is(heard($frame)->{bytes}, pack('n n', 3, 3) . substr($big, 1024), '... the last one');
is(tftp(2001, ack(3)), '', '... and no more');
($frame) = asked(udp(1234, 2001, ack(0), from => pack 'C4', 192, 168, 250, 9));
is_deeply([@{heard($frame)}{qw(right ip)}], [1, pack 'C4', 192, 168, 250, 9], '... to any address');
is(tftp(69, request(1, 'exact', 'octet')) . tftp(2002, ack(1)) . tftp(2002, ack(2)), '2002: 3 1 5122002: 3 2 0', 'a file of one block ends with an empty one');
is(tftp(69, request(1, 'empty', 'octet')), '2003: 3 1 0', 'an empty file');
is(tftp(69, request(1, 'BOOT.EFI', 'octet', 'blksize', 1000, 'other', 1, 'tsize', 0)), '2004: 6 - blksize;1000;tsize;1500;', 'options');
is(tftp(2004, ack(0)) . ', ' . tftp(2004, ack(1)), '2004: 3 1 1000, 2004: 3 2 500', '... count');
is(tftp(69, request(1, 'BOOT.EFI', 'octet', 'tsize', 0)) . ', ' . tftp(2005, ack(0)), '2005: 6 - tsize;1500;, 2005: 3 1 512', 'one of them');
is(tftp(69, request(1, 'none', 'octet')), '2006: 5 1 no such file;', 'a file that is not there');
is(tftp(2999, ack(0)), '', 'no transfer');

is(tftp(69, request(2, 'log', 'octet')), '2007: 4 0 ', 'a file is taken');
is(tftp(2007, data(1, 'a' x 512)) . tftp(2007, data(1, 'a' x 512)) . ', ' . ($network->{files}{log} // 'not yet'), '2007: 4 1 2007: 4 1 , not yet', '... a block twice is one');
is(tftp(2007, data(2, 'b' x 510), padding => 'x' x 9), '2007: 4 2 ', '... the last one, with what Ethernet puts behind it');
is($network->{files}{log}, 'a' x 512 . 'b' x 510, '... as it is');
is(tftp(69, request(2, 'log', 'octet', 'tsize', 700, 'blksize', 600)), '2008: 6 - blksize;600;tsize;700;', 'a file with options');
is(tftp(2008, data(1, 'e' x 600)) . tftp(2008, data(2, 'f' x 100)), '2008: 4 1 2008: 4 2 ', '... is taken');
is($network->{files}{log}, 'e' x 600 . 'f' x 100, '... in place of the one before');

$network = Network->new(%options);
join(' ', $network->options) =~ /udp=127\.0\.0\.1:(\d+),localaddr=127\.0\.0\.1:(\d+)/;
$machine = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1', LocalPort => $2, PeerAddr => '127.0.0.1', PeerPort => $1) or die "socket: $!\n";
$select = IO::Select->new($machine);
is(tftp(69, request(2, 'log', 'octet')), '2001: 5 2 nothing is taken here;', 'a server that takes nothing');
done_testing;

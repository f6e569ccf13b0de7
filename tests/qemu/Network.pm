# SPDX-License-Identifier: MIT
#
# A network of one server and one machine: Ethernet frames in UDP datagrams, which QEMU's netdev "socket" sends and takes. The
# server answers ARP, gives out an address by DHCP (RFC 2131) with a file to boot, and serves and takes files by TFTP (RFC 1350,
# options: RFC 2347, 2348, 2349).
package Network;
use strict;
use warnings;
use IO::Socket::INET;
use Socket qw(inet_aton sockaddr_in);

use constant { DATA => 3, ACK => 4, ERROR => 5, OACK => 6 };

my $mac = "\x52\x54\x00\x00\x00\x02";
my ($server, $client) = ("\x0a\x00\x02\x02", "\x0a\x00\x02\x0f");

# files: NAME => bytes, what can be read, and, where `takes` is true, what was written; boot: the file to boot.
sub new
{
    my ($class, %self) = @_;
    my @sockets = map { IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1') // die "Network: $!\n" } qw(ours qemus);
    my ($ours, $qemus) = map { $_->sockport } @sockets;
    connect $sockets[0], sockaddr_in($qemus, inet_aton("127.0.0.1")) or die "Network: $!\n";
    return bless { %self, socket => $sockets[0], ours => $ours, qemus => $qemus, transfers => {} }, $class;
}

# QEMU's options for a machine on this network, which it boots from.
sub options
{
    my ($self) = @_;
    return ('-netdev', "socket,id=net,udp=127.0.0.1:$self->{ours},localaddr=127.0.0.1:$self->{qemus}", '-device', 'virtio-net-pci,netdev=net,romfile=,bootindex=0');
}

# Of an even number of bytes.
sub checksum
{
    my ($bytes) = @_;
    my $sum = 0;
    $sum += $_ for unpack 'n*', $bytes;
    $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
    return ~$sum & 0xffff;
}

sub send_udp
{
    my ($self, $to_mac, $to, $from_port, $to_port, $bytes) = @_;
    my $udp = pack('n4', $from_port, $to_port, 8 + length $bytes, 0) . $bytes;
    my $ip = pack 'CCnnnCCna4a4', 0x45, 0, 20 + length $udp, 0, 0, 64, 17, 0, $server, $to;
    substr $ip, 10, 2, pack 'n', checksum($ip);
    $self->{socket}->send("$to_mac$mac\x08\x00$ip$udp");
    return;
}

# Deals with all frames that have come.
sub serve
{
    my ($self) = @_;
    while (defined $self->{socket}->recv(my $frame, 65536, Socket::MSG_DONTWAIT())) {
        my ($from, $type) = unpack 'x6 a6 n', $frame;
        $self->arp($from, substr $frame, 14) if $type == 0x0806;
        next if $type != 0x0800;
        my ($head, $protocol, $ip_from) = unpack 'C x8 C x2 a4', substr $frame, 14;
        next if $protocol != 17;
        my ($from_port, $to_port, $length) = unpack 'n3', my $udp = substr $frame, 14 + 4 * ($head & 15);
        my $bytes = substr $udp, 8, $length - 8;
        if ($to_port == 67) {
            $self->dhcp($from, $bytes);
        } elsif ($to_port == 69 || $self->{transfers}{$to_port}) {
            $self->tftp($from, $ip_from, $from_port, $to_port, $bytes);
        }
    }
    return;
}

sub arp
{
    my ($self, $from, $bytes) = @_;
    my ($operation, $from_ip, $whose) = unpack 'x6 n x6 a4 x6 a4', $bytes;
    $self->{socket}->send("$from$mac\x08\x06" . pack 'n n C C n a6 a4 a6 a4', 1, 0x800, 6, 4, 2, $mac, $server, $from, $from_ip)
        if $operation == 1 && $whose eq $server;
    return;
}

sub dhcp
{
    my ($self, $from, $bytes) = @_;
    my ($kind) = substr($bytes, 240) =~ /\x35\x01([\x01\x03])/s or return;
    my $answer = pack 'C4 a4 n n a4 a4 a4 a4 a16 a64 a128 N', 2, 1, 6, 0, substr($bytes, 4, 4), 0, 0x8000, '', $client, $server, '', $from, '',
        $self->{boot}, 0x63825363;
    my $options = "\x35\x01" . ($kind eq "\x01" ? "\x02" : "\x05") . "\x36\x04$server\x01\x04\xff\xff\xff\x00\x33\x04\x00\x01\x51\x80\xff";
    $self->send_udp("\xff" x 6, "\xff" x 4, 67, 68, $answer . $options . "\0" x 40);
    return;
}

sub tftp
{
    my ($self, $from, $ip, $port, $to_port, $bytes) = @_;
    my $answer = sub { $self->send_udp($from, $ip, $to_port, $port, pack 'n a*', @_) };
    my $operation = unpack 'n', $bytes;
    if ($to_port == 69) {
        my ($name, undef, %options) = split /\0/, substr $bytes, 2;
        my $wanted = exists $self->{files}{$name};
        $to_port = $self->{next_port} = ($self->{next_port} // 2000) + 1;
        $self->{transfers}{$to_port} = { name => $name, data => $operation == 1 ? $self->{files}{$name} : '', size => 512, block => 0 };
        if ($operation == 1 ? !$wanted : !$self->{takes}) {
            return $answer->(ERROR, pack 'n Z*', $operation == 1 ? 1 : 2, $operation == 1 ? 'no such file' : 'nothing is taken here');
        }
        my $transfer = $self->{transfers}{$to_port};
        my @agreed = map { exists $options{$_} ? ($_, $_ eq 'tsize' && $operation == 1 ? length $transfer->{data} : $options{$_}) : () } qw(blksize tsize);
        my %agreed = @agreed;
        $transfer->{size} = $agreed{blksize} if $agreed{blksize};
        return $answer->(OACK, join '', map { "$_\0" } @agreed) if @agreed;
        return $operation == 1 ? $self->send_block($transfer, 1, $answer) : $answer->(ACK, pack 'n', 0);
    }
    my $transfer = $self->{transfers}{$to_port};
    my (undef, $block) = unpack 'n n', $bytes;
    if ($operation == ACK) {
        $self->send_block($transfer, ($block + 1) & 0xffff, $answer);
    } elsif ($operation == DATA) {
        if ($block == (($transfer->{block} + 1) & 0xffff)) {
            $transfer->{block} = $block;
            $transfer->{data} .= substr $bytes, 4;
            $self->{files}{ $transfer->{name} } = $transfer->{data} if length($bytes) - 4 < $transfer->{size};
        }
        $answer->(ACK, pack 'n', $block);
    }
    return;
}

# Files of fewer than 65535 blocks. No answer to the acknowledgement of the last one.
sub send_block
{
    my ($self, $transfer, $block, $answer) = @_;
    my $at = ($block - 1) * $transfer->{size};
    $answer->(DATA, pack 'n a*', $block, substr $transfer->{data}, $at, $transfer->{size}) if $at <= length $transfer->{data};
    return;
}

1;

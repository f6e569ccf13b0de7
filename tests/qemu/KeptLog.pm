# SPDX-License-Identifier: MIT
# The memory with a kernel's log from before a reset (boot/kept_log.h), made without a kernel, for a machine that starts with
# it.
package KeptLog;
use strict;
use warnings;
use Exporter qw(import);

our @EXPORT_OK = qw(kept_log HEAD_SIZE);

use constant {
    SIZE => 0x100000,
    HEAD_SIZE => 0x1000,
    END_SIZE => 0x8000,
};

# FNV-1a of 64 bits.
sub sum
{
    use integer;
    my $sum = -3750763034362895579;    # cbf29ce484222325h
    $sum = ($sum ^ $_) * 1099511628211 for unpack 'C*', $_[0];
    return pack 'q<', $sum;
}

sub mark
{
    my ($serial, $before, $text) = @_;
    my $mark = pack('V4', $serial, $before, ($text =~ tr/\n//), length $text) . sum($text);
    return $mark . sum($mark);
}

# The whole memory, with a log of this text, which must fit into the first part.
sub kept_log
{
    my ($text) = @_;
    my $head = 'dst86log' . pack('VVQ<', 1, SIZE, 0x1234);
    $head .= sum($head) . mark(7, 0, $text) . mark(6, 0, '') . (mark(0, 0, '') . "\0" x 32) x 2;
    my $room = SIZE - HEAD_SIZE - 2 * END_SIZE;
    die "KeptLog: the text has more than $room bytes\n" if length $text > $room;
    return pack "a@{[HEAD_SIZE]} a@{[$room]} a@{[2 * END_SIZE]}", $head, $text, '';
}

1;

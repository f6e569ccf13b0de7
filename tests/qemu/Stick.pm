# SPDX-License-Identifier: MIT
#
# An image of the stick as a file: its EFI system partition, what is in it, what fsck.fat says of it, and a machine that is
# started from it until it says something.
package Stick;
use strict;
use warnings;
use Exporter qw(import);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file write_file);
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(copy_stick partition files run_mtools read_file write_file fsck machine);

$ENV{PATH} .= ':/usr/sbin:/sbin';
$ENV{MTOOLSRC} = '/dev/null';

sub copy_stick
{
    my ($path) = @_;
    write_file($path, read_file("$FindBin::Bin/../../build/dstest86.iso"));
    return $path;
}

# First byte and length of the partition: entry 2 of the GPT, whose entries of 128 bytes follow two blocks of 512.
sub partition
{
    my ($image) = @_;
    my ($first, $last) = unpack 'Q<Q<', substr $image, 2 * 512 + 128 + 32, 16;
    return (512 * $first, 512 * ($last - $first + 1));
}

# The output of a command of mtools for the stick at this path.
sub run_mtools
{
    my ($path, $command, @arguments) = @_;
    my ($start) = partition(read_file($path));
    open my $out, '-|:raw', $command, '-i', "$path\@\@$start", @arguments or die "Stick: $command: $!\n";
    local $/;
    my $said = <$out>;
    close $out or die "Stick: $command @arguments: status " . ($? >> 8) . "\n";
    return $said;
}

# All files of the stick: path => bytes.
sub files
{
    my ($path) = @_;
    my @names = grep { !m{/$} } split /\r?\n/, run_mtools($path, 'mdir', '-b', '-/', '::/');
    return map { s{^::}{}r => run_mtools($path, 'mtype', $_) } @names;
}

# What fsck.fat has to say of a file system, as a list of complaints; empty if there is nothing wrong.
sub fsck
{
    my ($path) = @_;
    open my $out, '-|', 'fsck.fat', '-n', $path or die "Stick: fsck.fat: $!\n";
    my @said = <$out>;
    return map { s/\s+$//r } grep { !/^fsck\.fat \d|^\Q$path\E: \d+ files/ } @said;
}

# Starts a machine with these arguments of boot, and switches it off $after seconds after it has said what matches. Returns all
# that it said, without escape sequences, and whether that came.
sub machine
{
    my ($until, $after, @arguments) = @_;
    my $pid = open my $serial, '-|', "$FindBin::Bin/../../scripts/machine", 'boot', @arguments or die "Stick: boot: $!\n";
    my ($said, $end) = ('', time + 240);
    my $came = 0;
    while (!$came && time < $end) {
        my $ready = '';
        vec($ready, fileno $serial, 1) = 1;
        next if !select $ready, undef, undef, 1;
        next if !vec $ready, fileno $serial, 1;
        last if !sysread $serial, $said, 65536, length $said;
        $came = $said =~ $until;
    }
    sleep $after if $came;
    kill 'KILL', $pid;
    1 while sysread $serial, $said, 65536, length $said;
    return ($said =~ s/\e\[[0-9;=?]*[A-Za-z]//gr, $came);
}

1;

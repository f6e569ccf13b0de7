# SPDX-License-Identifier: MIT
# The stick as an image file: its EFI system partition, the files in it, fsck.fat's report, and machines that start from it.
package Stick;
use strict;
use warnings;
use Exporter qw(import);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(boot_until read_file write_file);
use Time::HiRes qw(sleep);

our @EXPORT_OK = qw(copy_stick partition files run_mtools read_file write_file fsck machine);

$ENV{PATH} .= ':/usr/sbin:/sbin';
$ENV{MTOOLSRC} = '/dev/null';

sub copy_stick
{
    my ($path) = @_;
    write_file($path, read_file("$FindBin::Bin/../../build/dstest86.iso"));
    return $path;
}

# First byte and length of partition 2: the GPT's entries of 128 bytes follow two blocks of 512.
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

# fsck.fat's complaints about a file system; empty if it is sound.
sub fsck
{
    my ($path) = @_;
    open my $out, '-|', 'fsck.fat', '-n', $path or die "Stick: fsck.fat: $!\n";
    my @said = <$out>;
    return map { s/\s+$//r } grep { !/^fsck\.fat \d|^\Q$path\E: \d+ files/ } @said;
}

# boot_until() with a machine that is switched off $after seconds after the matching output.
sub machine
{
    my ($until, $after, @arguments) = @_;
    return boot_until(sub { $_[0] =~ $until && (sleep($after), 1) }, @arguments);
}

1;

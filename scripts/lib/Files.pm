# SPDX-License-Identifier: MIT
# Common to tests: reading and writing files, running programs, and booting machines.
package Files;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp;
use IO::Select;
use KernelLog qw(clean verdict_of_status);
our @EXPORT_OK = qw(address_of boot boot_until lines_in read_file run write_file);

my $lib = realpath(dirname(__FILE__));

sub write_file
{
    my ($path, $text) = @_;
    make_path(dirname($path));
    open my $file, '>:raw', $path or die "$path: $!\n";
    print $file $text;
    close $file or die "$path: $!\n";
}

sub read_file
{
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    local $/;
    return <$file> // die "$path: $!\n";
}

# Runs a program without input. Returns the exit status in a shell's form, the output and the errors.
sub run
{
    my (@command) = @_;
    my $folder = File::Temp->newdir;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
        open STDOUT, '>', "$folder/out" or die "$folder/out: $!\n";
        open STDERR, '>', "$folder/err" or die "$folder/err: $!\n";
        exec @command or die "$command[0]: $!\n";
    }
    waitpid $pid, 0;
    return ($? & 127 ? 128 + ($? & 127) : $? >> 8, map { read_file("$folder/$_") } qw(out err));
}

# Boots a machine with these options of scripts/machine: the verdict by QEMU's exit status ("status N" if it is none), the
# serial output, and the errors.
sub boot
{
    my (@options) = @_;
    my ($status, $log, $errors) = run('timeout', 300, "$lib/../machine", 'boot', @options);
    return (verdict_of_status($status) // "status $status", $log, $errors);
}

# Boots a machine with these options of scripts/machine, and stops it once its output matches $until, a pattern or a function of
# the output. Returns the output without firmware's escape sequences, and whether it matched.
sub boot_until
{
    my ($until, @options) = @_;
    my $pid = open my $serial, '-|', "$lib/../machine", 'boot', @options or die "$lib/../machine: $!\n";
    my ($select, $end, $said, $came) = (IO::Select->new($serial), time + 300, '');
    while (!$came && time < $end) {
        next if !$select->can_read(1);
        last if !sysread $serial, $said, 65536, length $said;
        $came = ref $until eq 'CODE' ? $until->($said) : $said =~ $until;
    }
    kill 'KILL', $pid;
    1 while sysread $serial, $said, 65536, length $said;
    close $serial;
    return ($said =~ s/\e\[[0-9;=?]*[A-Za-z]//gr, $came);
}

# The address of a symbol of the kernel of this width.
sub address_of
{
    my ($width, $symbol) = @_;
    my ($address) = (run('nm', "$lib/../../build/dstest86-$width.elf"))[1] =~ /^([0-9a-f]+) \w \Q$symbol\E$/m;
    return hex($address // die "the kernel has no symbol $symbol\n");
}

# The lines of a serial output, without firmware's escape sequences, that are not empty.
sub lines_in { return grep { $_ ne '' } map { clean($_) } split /\n/, $_[0] }

1;

# SPDX-License-Identifier: MIT
# Runs GDB on a kernel in QEMU, unattended (scripts/machine gdb), and returns the output of each command.
package Gdb;
use strict;
use warnings;
use Exporter 'import';
use File::Temp;
use FindBin;

our @EXPORT_OK = qw(gdb);

my $seconds = 60;

# gdb({ width =>, profile =>, options =>, boot => [..], commands => [..] }): a reference to the outputs, one for each
# command, and the kernel's lines. GDB ends at its first error: the output of later commands is undef.
sub gdb
{
    my ($run) = @_;
    my $folder = File::Temp->newdir;
    my @commands = @{$run->{commands}};
    local $ENV{GDB_SERIAL} = "$folder/serial";
    local $ENV{DS_INSPECT} = "$FindBin::Bin/../../build/host/ds-inspect";    # with sanitizers
    my @words = ('timeout', $seconds, "$FindBin::Bin/../../scripts/machine", 'gdb', '-w', $run->{width} // 64, '-p', $run->{profile}, '-o',
        $run->{options} // '', @{$run->{boot} // []}, '--', '-batch');
    push @words, '-ex', "echo \\n== $_ ==\\n", '-ex', $commands[$_] for 0 .. $#commands;
    my $text = '';
    if (open my $pipe, '-|') {
        local $/;
        $text = <$pipe>;
        close $pipe;
    } else {
        open STDERR, '>&', \*STDOUT;
        exec @words or die "$words[2]: $!\n";
    }
    my (undef, %output) = split /^== ([0-9]+) ==\n/m, $text;
    open my $serial, '<', "$folder/serial" or die "serial: $!\n";
    my @lines = map { s/[\r\n]+//gr } <$serial>;
    return ([ map { $output{$_} } 0 .. $#commands ], \@lines, $text);
}

1;

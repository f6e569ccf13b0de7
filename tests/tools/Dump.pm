# SPDX-License-Identifier: MIT
#
# Shared by the tests of dsdump: kernel logs with a raw dump, and running programs.
package Dump;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp;

our @EXPORT_OK = qw($build $dsdump boot elf run_program perfs same_form);

our $build  = realpath(dirname(__FILE__) . '/../../build');
our $dsdump = "$build/dsdump";
my $boot    = realpath(dirname(__FILE__) . '/../../scripts/machine');
my $seconds = 120;

sub elf
{
    my ($width) = @_;
    return "$build/dstest86-$width.elf";
}

# The log of a boot, in a file. more: other options of scripts/machine.
sub boot
{
    my ($file, $width, $profile, $options, @more) = @_;
    run_into('.', $file, "$file.err", 'timeout', $seconds, $boot, 'boot', @more, '-w', $width, '-p', $profile, '-o',
        "dump=raw records=none $options");
    return $file;
}

# (status, standard output, standard error) of a program.
sub run_program
{
    my (@command) = @_;
    my %options = ref $command[0] ? %{ shift @command } : ();
    my $out     = "$options{folder}/out";
    my $status  = run_into($options{chdir} // '.', $options{stdout} // $out, "$out.err", @command);
    return ($status, map { read_file($_) } $options{stdout} ? '/dev/null' : $out, "$out.err");
}

# The status of a program that is run in a folder without input, with its output and errors in files; a signal is status 128
# and more.
sub run_into
{
    my ($folder, $out, $err, @command) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        chdir $folder or die "$folder: $!\n";
        $SIG{XFSZ} = 'IGNORE';
        $ENV{PAGER} = $ENV{PERF_PAGER} = 'cat';
        open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
        open STDERR, '>', $err or die "$err: $!\n";
        open STDOUT, '>', $out or die "$out: $!\n";
        exec @command;
        die "$command[0]: $!\n";
    }
    waitpid $pid, 0;
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

sub read_file
{
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return <$in> // '';
}

# The perf programs of this machine, each as [version, command..]: the system's, and Debian 13's if
# ./bootstrap --linux has fetched it.
sub perfs
{
    my $root = "$build/linux";
    my @found;
    my @fetched = ("$root/usr/lib64/ld-linux-x86-64.so.2", '--library-path', "$root/usr/lib/x86_64-linux-gnu",
        "$root/usr/bin/perf");
    my $folder  = File::Temp->newdir;
    for my $command (['perf'], \@fetched) {
        my ($status, $text) = run_program({ folder => $folder }, @$command, '--version');
        push @found, [$1, @$command] if $status == 0 && $text =~ /perf version (\S+)/;
    }
    return @found;
}

# Lines of `perf script` in one form: blanks as one, for perf pads the event's name to the longest of a file; and the
# words of 6.1 as newer ones have them, which name a level once ("L1 or L1 hit" is "L1 hit") and do not cut the text.
sub same_form
{
    my ($text) = @_;
    for ($text) {
        s/^ +//mg;
        s/ +$//mg;
        s/ +/ /g;
        s/\|LVL (Remote )?([^|]+) or N\/A( hit| miss)?\|SNP/'|LVL ' . ($1 \/\/ '') . $2 . ($3 \/\/ '') . '|SNP'/ge;
        s/\|LVL (Remote )?[^|]+ or ([^|]+)\|SNP/'|LVL ' . ($1 \/\/ '') . $2 . '|SNP'/ge;
        s/\|BLK[ N\/A]*(?= \d)/|BLK N\/A/g;
    }
    return $text;
}

1;

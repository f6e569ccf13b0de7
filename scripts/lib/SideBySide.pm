# SPDX-License-Identifier: MIT
# Runs machines (scripts/machine) in parallel, as many at a time as there are processors, and reports on each as TAP.
package SideBySide;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use FindBin;
use Getopt::Long qw(:config bundling no_ignore_case no_auto_abbrev);
use POSIX qw(WNOHANG _exit);
use Time::HiRes qw(sleep time);
our @EXPORT_OK = qw(choose plan report remarks side_by_side);

our $root = dirname(__FILE__) . "/../..";
our $at_once;    # machines at a time; default: the number of processors

my $grace = 2;    # seconds from SIGTERM to SIGKILL

# Seconds between two reads of the pipe, in which QEMU fills at most half of it. Each read takes everything.
my ($rest, $capacity) = (0.01, 65536);

# Boots in a process group of its own, and exits with the boot's status. QEMU writes each byte of the serial port by itself.
# A pipe saves most of the processor time that this takes, unless a waiting reader is woken for each byte.
sub pump
{
    my ($boot) = @_;
    setpgrp;
    local $SIG{TERM} = sub { };    # sent to the whole group; the rest of the pipe is still read
    open STDERR, '>', "$boot->{folder}/stderr" or die "$boot->{folder}/stderr: $!\n";
    open my $serial, '>', "$boot->{folder}/serial" or die "$boot->{folder}/serial: $!\n";
    my $machine = open(my $pipe, '-|') // die "fork: $!\n";
    if (!$machine) {
        # Costs 50 ms less than another start of Perl. FindBin is for scripts/machine, where it must not find the caller.
        $FindBin::Bin = "$root/scripts";
        @ARGV = ('boot', @{$boot->{arguments}});
        do "$root/scripts/machine";
        die "$root/scripts/machine: ", $@ || $!, "\n";
    }
    while (sysread($pipe, my $bytes, $capacity) // $!{EINTR}) {
        (syswrite($serial, $bytes // '') // -1) == length($bytes // '') or die "$boot->{folder}/serial: $!\n";
        sleep $rest;
    }
    close $pipe;
    _exit(exit_status($?));
}

sub start
{
    my ($boot) = @_;
    make_path($boot->{folder});
    my $pid = fork // die "fork: $!\n";
    pump($boot) if !$pid;
    setpgrp $pid, $pid;    # parent and child both do it, because either may run first
    @$boot{qw(pid started)} = ($pid, time);
}

# The status in a shell's form.
sub exit_status
{
    my ($status) = @_;
    return $status & 127 ? 128 + ($status & 127) : $status >> 8;
}

# Each boot is a hash: folder (of serial and stderr), arguments (options of scripts/machine). Kills boots
# after $seconds. When a boot ends, calls $ended for it, in order, with the added keys status and, if killed, killed: after
# how many seconds.
sub side_by_side
{
    my ($seconds, $ended, @boots) = @_;
    my ($reported, %running) = (0);
    my @waiting = @boots;
    chomp(my $processors = $at_once // `nproc`);
    local @SIG{qw(HUP INT TERM)} = (sub { kill '-TERM', keys %running; exit 130 }) x 3;
    while ($reported < @boots) {
        while (@waiting && keys %running < $processors) {
            my $boot = shift @waiting;
            start($boot);
            $running{$boot->{pid}} = $boot;
        }
        while ((my $pid = waitpid -1, WNOHANG) > 0) {
            my $boot = delete $running{$pid} or next;
            @$boot{qw(status done)} = (exit_status($?), 1);
        }
        for my $boot (values %running) {
            my $late = time - $boot->{started} - $seconds;
            next if $late <= 0;
            $boot->{killed} = $seconds;
            kill $late > $grace ? '-KILL' : '-TERM', $boot->{pid};
        }
        $ended->($boots[$reported++]) while $reported < @boots && $boots[$reported]{done};
        sleep 0.02;
    }
}

# ---- common to the front ends

# The options of a front end (with their defaults; each may be given as --NAME=VALUE, numbers are positive) and its REGEX.
# --help prints the comment at the head of the script.
sub choose
{
    my ($options, @numbers) = @_;
    my %letter = (folder => '|d', jobs => '|j', latitude => '|L', seconds => '|t', seeds => '|n');
    $options->{$_} //= undef for qw(jobs seconds help);
    my $fine = GetOptions($options, 'help|h', 'sample', map { $_ . ($letter{$_} // '')
        . '=s' } grep { !/^(?:help|sample)$/ } keys %$options);
    if ($options->{help}) {
        open my $script, '<', $0 or die "$0: $!\n";
        my ($usage) = join('', <$script>) =~ /^# (Usage: .*?)\nuse /ms;
        print $usage =~ s/^# ?//gmr, "\n";
        exit 0;
    }
    my @wrong = grep { defined $options->{$_} && $options->{$_} !~ /^[1-9]\d*$/ } 'jobs', 'seconds', @numbers;
    die "--$_=$options->{$_}: expected a number\n" for @wrong;
    die "see $0 --help\n" if !$fine || @ARGV > 1;
    $at_once = $options->{jobs};
    return $ARGV[0];
}

my ($reported, $failed) = (0, 0);

# Empties the folder of the logs, and prints the plan.
sub plan
{
    my ($folder, $count) = @_;
    remove_tree($folder);
    $| = 1;
    print "1..$count\n";
}

# Reports a result and its problems. Returns the number of failures so far; a TODO is not a failure.
sub report
{
    my ($name, @wrong) = @_;
    printf "%s %d - %s\n", @wrong ? 'not ok' : 'ok', ++$reported, $name;
    return $failed if !@wrong || $name =~ / # TODO$/;
    print STDERR map { "#   $_\n" } "Failed: $name", @wrong;
    return ++$failed;
}

sub remarks { print map { "# $_\n" } @_; return $failed }

1;

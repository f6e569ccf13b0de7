# SPDX-License-Identifier: MIT
#
# Runs machines (tests/qemu/boot) in parallel, as many at a time as there are processors.
package SideBySide;
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(make_path);
use FindBin;
use POSIX qw(WNOHANG);
use Time::HiRes qw(time);
our @EXPORT_OK = qw(side_by_side);
our $at_once;    # machines at a time; default: the number of processors

my $grace = 2;    # seconds from SIGTERM to SIGKILL

sub start
{
    my ($boot) = @_;
    my $folder = $boot->{folder};
    make_path($folder);
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$folder/serial" or die "$folder/serial: $!\n";
        open STDERR, '>', "$folder/stderr" or die "$folder/stderr: $!\n";
        exec "$FindBin::Bin/boot", @{$boot->{arguments}} or die "$FindBin::Bin/boot: $!\n";
    }
    @$boot{qw(pid started)} = ($pid, time);
}

# Each boot is a hash: folder (of serial and stderr), arguments (tests/qemu/boot's). Boots that take more than $seconds
# are killed. Calls $ended for each in order, once it has ended, with the keys status and, if it was, killed: after how
# many seconds.
sub side_by_side
{
    my ($seconds, $ended, @boots) = @_;
    my ($reported, %running) = (0);
    my @waiting = @boots;
    chomp(my $processors = $at_once // `nproc`);
    local @SIG{qw(INT TERM)} = (sub { kill 'TERM', keys %running; exit 130 }) x 2;
    while ($reported < @boots) {
        while (@waiting && keys %running < $processors) {
            my $boot = shift @waiting;
            start($boot);
            $running{$boot->{pid}} = $boot;
        }
        while ((my $pid = waitpid -1, WNOHANG) > 0) {
            my $boot = delete $running{$pid} or next;
            @$boot{qw(status done)} = ($? & 127 ? 128 + ($? & 127) : $? >> 8, 1);
        }
        for my $boot (values %running) {
            my $late = time - $boot->{started} - $seconds;
            next if $late <= 0;
            $boot->{killed} = $seconds;
            kill $late > $grace ? 'KILL' : 'TERM', $boot->{pid};
        }
        $ended->($boots[$reported++]) while $reported < @boots && $boots[$reported]{done};
        select undef, undef, undef, 0.02;
    }
}

1;
